"""The network that is updated from a position to its children, for native code. See `_kernels/network.h`."""

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t

from vrhcaby._position cimport vr_position


cdef extern from "network.h" nogil:
    enum:
        VR_BUCKETS
        VR_DENSE
        VR_COUNT_SLOTS
        VR_COUNTS
        VR_UNITS
        VR_CHANCES
        VR_CHANCE_LANES
        VR_MAX_WIDTH
        VR_WIDTH_STEP
        PASSED "VR_PASSED"

    ctypedef struct vr_part:
        int width
        int inputs
        int buckets
        const int16_t *columns
        const int16_t *bias
        const int16_t *weights2
        const int32_t *bias2
        const float *weights3
        const float *bias3
        const float *weights4
        const float *bias4

    ctypedef struct vr_filter:
        int buckets
        const int16_t *columns
        const int16_t *bias
        const int16_t *weights
        const int32_t *offset

    ctypedef struct vr_network:
        int contrary
        vr_part contact
        vr_part race
        vr_filter filter

    # The first layers of a position as its children start from them: the caller's memory, for one thread.
    ctypedef struct Parent "vr_parent":
        pass

    ctypedef struct vr_kernels:
        const char *name
        void judge(const vr_network *, Parent *, const vr_position *, int64_t, float *) noexcept nogil
        int pass_ "pass"(const vr_network *, Parent *, const vr_position *, int64_t, int64_t *) noexcept nogil

    void begin "vr_begin"(Parent *parent, const vr_position *position)


@cython.final
cdef class IncrementalNetwork:
    cdef vr_network network
    cdef dict arrays                        # as they are in a file; never given away
    cdef list memory                        # what the pointers of `network` point to
    cdef readonly tuple variants
    cdef readonly str name
    cdef readonly str inputs

    # Chances (count, 5) of the player on roll in each child of the position that the parent was begun with.
    cdef void judge(
        self, Parent *parent, const vr_position *children, int64_t count, float *chances
    ) noexcept nogil

    # The places, rising, of at most PASSED children that the filter finds worth judging. Returns how many.
    cdef int choose(
        self, Parent *parent, const vr_position *children, int64_t count, int64_t *passed
    ) noexcept nogil
