"""What makes games of a network against itself differ by more than their dice."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from vrhcaby._dice cimport CHOICE, philox
from vrhcaby._steps cimport Rules
from vrhcaby.evaluation._network cimport OUTPUTS, equity
from vrhcaby.search._judge cimport Workspace


cdef inline void draw_choices(uint64_t seed, uint64_t game, uint32_t turn, uint32_t *words) noexcept nogil:
    """Four words that decide about a turn, whatever its roll; turn 0 = about the whole game."""
    philox(seed, game, turn | <uint64_t>(<uint32_t>CHOICE << 24) << 32, words)


cdef inline bint happens(double chance, uint32_t word) noexcept nogil:
    return word < chance * 4294967296.0


cdef inline int64_t ranked(const Rules *rules, const Workspace *workspace, int rank) noexcept nogil:
    """The child that is best (0), second (1) or third best (2) for the player who has moved, or the last there is."""
    cdef int64_t best[3]
    cdef double values[3]
    cdef double value
    cdef int64_t i
    cdef int place, kept = 0
    for i in range(workspace.children.size):
        value = equity(workspace.chances + OUTPUTS * i, rules.points)
        place = kept
        while place > 0 and value < values[place - 1]:
            if place < 3:
                values[place] = values[place - 1]
                best[place] = best[place - 1]
            place -= 1
        if place < 3:
            values[place] = value
            best[place] = i
            kept += kept < 3
    return best[min(rank, kept - 1)]
