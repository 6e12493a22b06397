"""The one-sided bear-off table: races in which all checkers of both sides are home."""

from libc.stdint cimport uint64_t

from vrhcaby._position cimport vr_position
from vrhcaby._steps cimport LAST_ROLL_NONE, OVER_HIGHEST, Rules

cdef enum:
    HOME_POINTS = 6
    MOST_CHECKERS = 15


cdef inline bint is_home(const uint64_t *side) noexcept nogil:
    """Whether all checkers are on points 1 to 6, or off."""
    return (side[0] >> 4 * (HOME_POINTS + 1) | side[1]) == 0


cdef inline bint reaches(const vr_position *position) noexcept nogil:
    """Whether the table knows the position: everyone is home."""
    return is_home(position.own) and is_home(position.opp)


cdef inline bint bears_off_alike(const Rules *rules) noexcept nogil:
    """Whether races under these rules are those of the table."""
    return rules.over_bear == OVER_HIGHEST and rules.last_roll == LAST_ROLL_NONE


cdef class BearOff:
    cdef readonly object mean_rolls
    cdef readonly object rolls
    cdef readonly object none_off
    cdef const float *rolls_rows
    cdef const float *none_off_rows

    # Of a race that is not over, where the table reaches. Of anything else some numbers.
    cdef void find_chances(self, const vr_position *position, float *chances) noexcept nogil
