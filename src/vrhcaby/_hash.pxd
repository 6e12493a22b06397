"""The 64-bit hash of a packed position: folded multiplies of its four words."""

from libc.stdint cimport uint64_t

from vrhcaby._position cimport fold, vr_position


cdef inline uint64_t position_hash(const vr_position *position) noexcept nogil:
    # The constants are the first six 64-bit words of the fraction of pi: nothing up the sleeve. A format: pinned.
    cdef uint64_t own = fold(
        position.own[0] ^ <uint64_t>0x243f6a8885a308d3, position.own[1] ^ <uint64_t>0x13198a2e03707344
    )
    cdef uint64_t opp = fold(
        position.opp[0] ^ <uint64_t>0xa4093822299f31d0, position.opp[1] ^ <uint64_t>0x082efa98ec4e6c89
    )
    return fold(own ^ <uint64_t>0x452821e638d01377, opp ^ <uint64_t>0xbe5466cf34e90c6c)
