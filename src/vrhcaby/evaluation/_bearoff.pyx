"""Races in which all checkers are home, from the number of rolls that each side needs by itself."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from vrhcaby._arrays cimport new_array, position_array
from vrhcaby._core cimport RuleSet, append_children, rule_set
from vrhcaby._position cimport OFF, slot_count, vr_position
from vrhcaby._steps cimport Rules, outcome
from vrhcaby._turns cimport Buffer, Scratch, free_scratch
from vrhcaby.evaluation._network cimport (
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    OUTPUTS,
    WIN,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    exact_chances,
)

import functools

from vrhcaby._core import check_positions

cnp.import_array()

__all__ = ["BearOff", "bear_off"]

cdef enum:
    ARRANGEMENTS = 54264                    # C(21, 6): up to 15 checkers on 6 points
    ROLLS = 32                              # 0 to 31; the chance of needing more is below 1e-15
    FIRST_ROLLS = 8                         # 0 to 7; the chance that none is off by then is below 1e-7

# ---------------------------------------------------------------------------------------------------------------------
# The number of an arrangement
# ---------------------------------------------------------------------------------------------------------------------

# Write down the checkers from point 6 to point 1 with a wall after each point, then those that are off: 21 places, six
# of them walls. The number of an arrangement is that of its walls' places among all choices of six places, the last
# wall counting most. A move takes walls to lower places only, so whatever an arrangement leads to has a lower number.

cdef int64_t WALLS[HOME_POINTS][MOST_CHECKERS + 1]  # what wall i adds, with so many checkers before it: C(n + i, i + 1)


cdef void fill_walls() noexcept:
    cdef int i, checkers
    for i in range(HOME_POINTS):
        WALLS[i][0] = 0
        for checkers in range(1, MOST_CHECKERS + 1):
            WALLS[i][checkers] = WALLS[i][checkers - 1] + (WALLS[i - 1][checkers] if i else 1)


fill_walls()


cdef inline int64_t arrangement(const uint64_t *side) noexcept nogil:
    """The number of a side's arrangement, from 0 (all are off) to 54263 (fifteen on point 6)."""
    cdef int64_t number = 0
    cdef int i, before = 0
    for i in range(HOME_POINTS):
        before += slot_count(side, HOME_POINTS - i)
        number += WALLS[i][before & 15]
    return number


cdef inline void next_arrangement(int *before) noexcept nogil:
    """From the checkers before each wall of an arrangement to those of the next."""
    cdef int i = 0
    while i < HOME_POINTS - 1 and before[i] == before[i + 1]:
        before[i] = 0
        i += 1
    before[i] += 1


# ---------------------------------------------------------------------------------------------------------------------
# Filling the table
# ---------------------------------------------------------------------------------------------------------------------

cdef struct Table:
    double *mean_rolls                      # (ARRANGEMENTS,) until all checkers are off
    double *mean_wait                       # (ARRANGEMENTS,) until one more checker is off
    float *rolls                            # (ARRANGEMENTS, ROLLS)
    float *none_off                         # (ARRANGEMENTS, FIRST_ROLLS)


cdef int fill_row(
    Table *table, int64_t number, const Rules *rules, const vr_position *position, Buffer *children, Scratch *scratch
) noexcept nogil:
    """One arrangement, when all that it can lead to are filled. -1 without memory."""
    cdef double rolls[ROLLS]
    cdef double none_off[FIRST_ROLLS]
    cdef double mean_rolls = 0, mean_wait = 0
    cdef const float *row
    cdef int64_t after, quickest, waiting, i
    cdef bint comes_off
    cdef int large, small, weight, k
    memset(rolls, 0, sizeof(rolls))
    memset(none_off, 0, sizeof(none_off))
    for large in range(1, 7):
        for small in range(1, large + 1):
            weight = 1 if large == small else 2
            children.size = 0
            if append_children(rules, position, large, small, children, scratch) < 0:
                return -1
            quickest = waiting = -1
            comes_off = False
            for i in range(children.size):
                after = arrangement(children.items[i].opp)
                if quickest < 0 or table.mean_rolls[after] < table.mean_rolls[quickest]:
                    quickest = after
                if slot_count(children.items[i].opp, OFF) > slot_count(position.own, OFF):
                    comes_off = True
                elif waiting < 0 or table.mean_wait[after] < table.mean_wait[waiting]:
                    waiting = after
            mean_rolls += weight * table.mean_rolls[quickest]
            row = table.rolls + ROLLS * quickest
            for k in range(ROLLS):
                rolls[k] += weight * <double>row[k]
            if not comes_off:
                mean_wait += weight * table.mean_wait[waiting]
                row = table.none_off + FIRST_ROLLS * waiting
                for k in range(FIRST_ROLLS):
                    none_off[k] += weight * <double>row[k]
    table.mean_rolls[number] = 1 + mean_rolls / 36
    table.mean_wait[number] = 1 + mean_wait / 36
    table.rolls[ROLLS * number] = 0
    for k in range(1, ROLLS):
        table.rolls[ROLLS * number + k] = <float>(rolls[k - 1] / 36)
    table.none_off[FIRST_ROLLS * number] = 1
    for k in range(1, FIRST_ROLLS):
        table.none_off[FIRST_ROLLS * number + k] = <float>(none_off[k - 1] / 36)
    return 0


cdef int fill(Table *table, const Rules *rules) noexcept nogil:
    """All arrangements in the order of their numbers. -1 without memory."""
    cdef int before[HOME_POINTS]
    cdef vr_position position
    cdef Buffer children
    cdef Scratch scratch
    cdef int64_t number
    cdef int i, status = 0
    memset(before, 0, sizeof(before))
    memset(&position, 0, sizeof(position))
    memset(&children, 0, sizeof(children))
    memset(&scratch, 0, sizeof(scratch))
    position.opp[0] = <uint64_t>MOST_CHECKERS << 4  # all on point 1, out of the way
    table.mean_rolls[0] = 0
    table.mean_wait[0] = 0
    memset(table.rolls, 0, ROLLS * sizeof(float))
    memset(table.none_off, 0, FIRST_ROLLS * sizeof(float))
    table.rolls[0] = 1
    for number in range(1, ARRANGEMENTS):
        next_arrangement(before)
        position.own[0] = <uint64_t>(MOST_CHECKERS - before[HOME_POINTS - 1]) | <uint64_t>before[0] << 4 * HOME_POINTS
        for i in range(1, HOME_POINTS):
            position.own[0] |= <uint64_t>(before[i] - before[i - 1]) << 4 * (HOME_POINTS - i)
        status = fill_row(table, number, rules, &position, &children, &scratch)
        if status < 0:
            break
    free(children.items)
    free_scratch(&scratch)
    return status


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------

cdef class BearOff:
    """How many rolls each arrangement of up to 15 checkers on the home points needs, without a look at the opponent.

    Plays are those with the least mean number of rolls to the end (of equal ones the first). Players who look at each
    other too can do better: over all positions with up to five checkers a side the chance of winning that follows is
    off by 0.0016 (root mean square), at most by 0.014. For gammons a side that has borne off nothing plays to get its
    first checker off in the least mean number of rolls: where that is urgent, nothing else counts.

    It serves contrary and parallel variants in which a number larger than the point bears off from the highest point
    only: no other rule matters once everyone is home. Filling it takes about half a second; `bear_off` keeps one.

    Attributes
    ----------
    mean_rolls : (54264,) float64
        Mean number of rolls until all checkers are off, by the number of the arrangement; read-only.
    rolls : (54264, 32) float32
        Chance to need exactly 0 to 31 rolls; read-only.
    none_off : (54264, 8) float32
        Chance that within 0 to 7 rolls no (further) checker has come off, if that is what is played for; read-only.

    >>> table = bear_off()
    >>> round(float(table.mean_rolls[table.number([0, 0, 0, 0, 0, 15])]), 6)
    12.266187
    """

    def __cinit__(self):
        cdef cnp.ndarray mean_rolls = new_array(cnp.NPY_FLOAT64, ARRANGEMENTS)
        cdef cnp.ndarray mean_wait = new_array(cnp.NPY_FLOAT64, ARRANGEMENTS)
        cdef cnp.ndarray rolls = new_array(cnp.NPY_FLOAT32, ARRANGEMENTS, ROLLS)
        cdef cnp.ndarray none_off = new_array(cnp.NPY_FLOAT32, ARRANGEMENTS, FIRST_ROLLS)
        cdef RuleSet rules = rule_set("backgammon")
        cdef Table table
        cdef int status
        table.mean_rolls = <double *>cnp.PyArray_DATA(mean_rolls)
        table.mean_wait = <double *>cnp.PyArray_DATA(mean_wait)
        table.rolls = <float *>cnp.PyArray_DATA(rolls)
        table.none_off = <float *>cnp.PyArray_DATA(none_off)
        with nogil:
            status = fill(&table, &rules.rules)
        if status < 0:
            raise MemoryError("bearing off")
        for array in (mean_rolls, rolls, none_off):
            array.flags.writeable = False
        self.mean_rolls = mean_rolls
        self.rolls = rolls
        self.none_off = none_off
        self.rolls_rows = table.rolls
        self.none_off_rows = table.none_off

    cdef void find_chances(self, const vr_position *position, float *chances) noexcept nogil:
        cdef int64_t own = arrangement(position.own), opponent = arrangement(position.opp)
        cdef const float *mine = self.rolls_rows + ROLLS * own
        cdef const float *his = self.rolls_rows + ROLLS * opponent
        cdef const float *none_off
        cdef double win = 0, win_gammon = 0, lose_gammon = 0, as_many = 0
        cdef int k
        for k in range(ROLLS - 1, 0, -1):
            as_many += his[k]               # the chance that he needs as many rolls as I do, or more
            win += mine[k] * as_many
        if slot_count(position.opp, OFF) == 0:
            none_off = self.none_off_rows + FIRST_ROLLS * opponent
            for k in range(FIRST_ROLLS):
                win_gammon += mine[k + 1] * <double>none_off[k]
        if slot_count(position.own, OFF) == 0:
            none_off = self.none_off_rows + FIRST_ROLLS * own
            for k in range(1, FIRST_ROLLS):
                lose_gammon += his[k] * <double>none_off[k]
        win = min(win, 1)
        chances[WIN] = <float>win
        chances[WIN_GAMMON] = <float>min(win_gammon, win)
        chances[WIN_BACKGAMMON] = 0
        chances[LOSE_GAMMON] = min(<float>lose_gammon, 1 - chances[WIN])
        chances[LOSE_BACKGAMMON] = 0

    def number(self, checkers):
        """The number of an arrangement: its row in the arrays.

        Parameters
        ----------
        checkers : sequence of 6 int
            Checkers on the points 1 to 6, at most 15 together.

        Raises
        ------
        ValueError
            Something else.

        >>> bear_off().number([15, 0, 0, 0, 0, 0]), bear_off().number([0, 0, 0, 0, 0, 15])
        (38760, 54263)
        """
        cdef uint64_t side[2]
        counts = list(checkers)
        if len(counts) != HOME_POINTS or any(count < 0 for count in counts) or sum(counts) > MOST_CHECKERS:
            raise ValueError(f"checkers = {checkers!r}: must be six numbers of checkers, at most 15 together")
        side[0] = side[1] = 0
        for point, count in enumerate(counts, 1):
            side[0] |= <uint64_t>count << 4 * <int>point
        return arrangement(side)

    def reaches(self, positions, *, variant="backgammon"):
        """Whether all checkers of both sides are home, and the rules are those of the table.

        Parameters
        ----------
        positions : (n, 4) uint64
            Packed positions of the variant.
        variant : str or Variant

        Returns
        -------
        (n,) bool

        Raises
        ------
        PositionError
            A row that is no position of the variant.

        >>> from vrhcaby import Position, pack
        >>> bear_off().reaches(pack([Position.start()])).tolist()
        [False]
        """
        cdef cnp.ndarray rows = position_array(positions, "positions").copy()
        cdef RuleSet rules = rule_set(variant)
        check_positions(rows, variant)
        cdef const vr_position *items = <const vr_position *>cnp.PyArray_DATA(rows)
        cdef int64_t i, count = len(rows)
        cdef cnp.ndarray answers = new_array(cnp.NPY_BOOL, count)
        cdef uint8_t *answer = <uint8_t *>cnp.PyArray_DATA(answers)
        for i in range(count):
            answer[i] = bears_off_alike(&rules.rules) and reaches(&items[i])
        return answers

    def chances(self, positions, *, variant="backgammon"):
        """Chances of the player on roll, before he rolls, in races that the table reaches.

        Parameters
        ----------
        positions : (n, 4) uint64
            Packed positions of the variant.
        variant : str or Variant

        Returns
        -------
        (n, 5) float32
            Win, win gammon, win backgammon, lose gammon, lose backgammon. Games that are over have their exact results.

        Raises
        ------
        PositionError
            A row that is no position of the variant.
        ValueError
            A row that the table does not reach, or a variant in which checkers are borne off in another way.

        >>> from vrhcaby import Position, pack
        >>> six_and_two = Position.from_points(own={6: 1, 2: 1}, opponent={1: 1})
        >>> float(36 * bear_off().chances(pack([six_and_two]))[0, 0])
        13.0
        """
        cdef cnp.ndarray rows = position_array(positions, "positions").copy()
        cdef RuleSet rules = rule_set(variant)
        check_positions(rows, variant)
        if not bears_off_alike(&rules.rules):
            raise ValueError(f"variant {rules.variant!r}: checkers are not borne off as in the table")
        cdef const vr_position *items = <const vr_position *>cnp.PyArray_DATA(rows)
        cdef int64_t i, count = len(rows)
        cdef cnp.ndarray results = new_array(cnp.NPY_FLOAT32, count, OUTPUTS)
        cdef float *row = <float *>cnp.PyArray_DATA(results)
        cdef int result
        for i in range(count):
            result = outcome(&rules.rules, &items[i])
            if result:
                exact_chances(result, row + OUTPUTS * i)
            elif reaches(&items[i]):
                self.find_chances(&items[i], row + OUTPUTS * i)
            else:
                raise ValueError(f"positions[{i}]: not all checkers are home")
        return results


@functools.cache
def bear_off():
    """The table, filled when it is first asked for.

    >>> bear_off() is bear_off()
    True
    """
    return BearOff()
