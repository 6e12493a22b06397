"""Counter-based dice: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), the same for every machine and worker.

Key = the 64-bit seed. Counter = trial (64 bits), turn (0 = the draw for the start), purpose << 24 | block. So every
draw of every trial can be made in any order, and drawing for one purpose never shifts another.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef enum:
    DICE = 0
    CHOICE = 1


cdef inline void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t *words) noexcept nogil:
    """Ten rounds on the counter (low, high); four words come out."""
    cdef uint32_t k0 = <uint32_t>key, k1 = <uint32_t>(key >> 32)
    cdef uint32_t c0 = <uint32_t>low, c1 = <uint32_t>(low >> 32), c2 = <uint32_t>high, c3 = <uint32_t>(high >> 32)
    cdef uint64_t p0, p1
    cdef int _
    for _ in range(10):
        p0 = <uint64_t>0xd2511f53 * c0
        p1 = <uint64_t>0xcd9e8d57 * c2
        c0 = <uint32_t>(p1 >> 32) ^ c1 ^ k0
        c1 = <uint32_t>p1
        c2 = <uint32_t>(p0 >> 32) ^ c3 ^ k1
        c3 = <uint32_t>p0
        k0 += <uint32_t>0x9e3779b9
        k1 += <uint32_t>0xbb67ae85
    words[0] = c0
    words[1] = c1
    words[2] = c2
    words[3] = c3


cdef inline uint32_t draw(uint64_t seed, uint64_t trial, uint32_t turn, uint32_t purpose) noexcept nogil:
    """The first word drawn for this purpose."""
    cdef uint32_t words[4]
    philox(seed, trial, turn | <uint64_t>(purpose << 24) << 32, words)
    return words[0]


cdef inline void roll(uint64_t seed, uint64_t trial, uint32_t turn, int *die1, int *die2) noexcept nogil:
    """An ordinary roll: one of 36."""
    cdef int k = <int>(<uint64_t>draw(seed, trial, turn, DICE) * 36 >> 32)
    die1[0] = k // 6 + 1
    die2[0] = k % 6 + 1


cdef inline void opening_roll(uint64_t seed, uint64_t trial, int *die1, int *die2) noexcept nogil:
    """The two dice of a draw for the start without its ties: one of 30 ordered pairs, drawn as turn 0."""
    cdef int k = <int>(<uint64_t>draw(seed, trial, 0, DICE) * 30 >> 32)
    die1[0] = k // 5 + 1
    die2[0] = k % 5 + 1
    if die2[0] >= die1[0]:
        die2[0] += 1


cdef inline int64_t choose(uint64_t seed, uint64_t trial, uint32_t turn, uint64_t count) noexcept nogil:
    """A uniform choice below count."""
    return <int64_t>(<uint64_t>draw(seed, trial, turn, CHOICE) * count >> 32)
