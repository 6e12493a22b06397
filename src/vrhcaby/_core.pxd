"""What other extensions of the package take from the core: per batch or per game, never per checker."""

from libc.stdint cimport int64_t

from vrhcaby._position cimport vr_position
from vrhcaby._steps cimport Rules
from vrhcaby._turns cimport Buffer, Scratch


cdef class RuleSet:
    cdef Rules rules
    cdef readonly object variant


cdef class Position:
    cdef vr_position packed
    cdef RuleSet rule_set
    cdef bint is_made             # by the constructor or from a checked row: it cannot be initialised again
    cdef object __weakref__


cdef RuleSet rule_set(object variant)

# Appends the results of a roll, next player on roll; a game that is over has none. -1 without memory.
cdef int append_children(
    const Rules *rules, const vr_position *position, int die1, int die2, Buffer *buffer, Scratch *scratch
) noexcept nogil

# Whether neither side can ever move again, whatever is rolled.
cdef bint is_stuck(const Rules *rules, const vr_position *position, Scratch *scratch) noexcept nogil
