"""The packed position and the little that is done with one side of it. Inline bodies only.

Paths. Inside the generator a checker's place is its *path index*: the distance it has come from the bar,
25 - slot. 0 = bar, 1..24 = the points in the order they are travelled, 25 = borne off. A die d moves index i to
i + d in every variant, and in contrary variants my index i is the opponent's point i.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef extern from "portable.h" nogil:
    ctypedef struct vr_position:
        uint64_t own[2]
        uint64_t opp[2]
    int lowest_bit "vr_lowest_bit"(uint32_t mask)
    int highest_bit "vr_highest_bit"(uint32_t mask)
    int bit_count "vr_bit_count"(uint32_t mask)
    uint64_t fold "vr_fold"(uint64_t a, uint64_t b)
    int side_total "vr_total"(const uint64_t *side)
    int side_pips "vr_pips"(const uint64_t *side)
    void slot_masks "vr_slot_masks"(const uint64_t *side, uint32_t *any, uint32_t *two)
    void path_masks "vr_path_masks"(const uint64_t *side, uint32_t *any, uint32_t *two)
    void path_counts "vr_path_counts"(const uint64_t *side, uint32_t *at_least)


cdef enum:
    OFF = 0
    BAR = 25
    SLOTS = 26

cdef enum:
    # Sets of path indices. OUTSIDE: all before the home board, the bar included.
    ALL_POINTS = 0x1fffffe
    OUTSIDE = 0x7ffff
    HOME = 0x1f80000
    HEAD = 2


cdef inline int slot_count(const uint64_t *side, int slot) noexcept nogil:
    return <int>(side[slot >> 4] >> (4 * (slot & 15)) & 15)


cdef inline bint same_position(const vr_position *a, const vr_position *b) noexcept nogil:
    return (a.own[0] == b.own[0]) & (a.own[1] == b.own[1]) & (a.opp[0] == b.opp[0]) & (a.opp[1] == b.opp[1])


cdef inline vr_position flipped(const vr_position *position) noexcept nogil:
    """The same board with the other player on roll."""
    cdef vr_position other
    other.own[0] = position.opp[0]
    other.own[1] = position.opp[1]
    other.opp[0] = position.own[0]
    other.opp[1] = position.own[1]
    return other


cdef inline uint32_t half_turn(uint32_t mask) noexcept nogil:
    """A set of points (bits 1..24, no others) in the other player's numbering of a parallel variant."""
    return (mask << 12 | mask >> 12) & ALL_POINTS


cdef inline uint32_t six_in_a_row(uint32_t mask) noexcept nogil:
    """The first bits of all runs of six bits."""
    mask &= mask >> 1
    mask &= mask >> 2
    return mask & mask >> 2
