"""The native core: packed positions, legal moves, counts, hashes, perft and random games."""

cimport cython
cimport numpy as cnp
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from vrhcaby._arrays cimport checked, new_array, position_array, shape_of, type_name
from vrhcaby._dice cimport choose, opening_roll, philox, roll
from vrhcaby._hash cimport position_hash
from vrhcaby._position cimport (
    ALL_POINTS,
    BAR,
    OFF,
    SLOTS,
    flipped,
    half_turn,
    lowest_bit,
    path_masks,
    same_position,
    side_pips,
    side_total,
    slot_count,
    vr_position,
)
from vrhcaby._steps cimport (
    BLOCK_AHEAD_HOME,
    BLOCK_AHEAD_PAST,
    BLOCK_NONE,
    BLOCK_START_QUARTER,
    HEAD_DOUBLES346,
    HEAD_GENERAL,
    HEAD_LISTED,
    HEAD_NONE,
    LAST_ROLL_GE14,
    LAST_ROLL_NONE,
    LAST_ROLL_SECOND_PLAYER,
    OVER_FREE,
    OVER_HIGHEST,
    OVER_NONE,
    WIN_ALL,
    WIN_ANY,
    WIN_NONE,
    Board,
    Rules,
    block_stands,
    open_board,
    outcome,
    result_class,
    sources,
    step,
)
from vrhcaby._turns cimport (
    Buffer,
    Scratch,
    Search,
    View,
    best_cap,
    count_turns,
    forget,
    free_scratch,
    lawful_step,
    node_tag,
    picked,
    prepare,
    see,
    swapped,
    turns,
)

import os
import sys
from typing import NamedTuple

import numpy as np

from vrhcaby._threads import check_workers, run_blocks
from vrhcaby.errors import IllegalMoveError, PositionError
from vrhcaby.variants import Variant
from vrhcaby.variants import variant as named_variant

cnp.import_array()

cdef extern from *:
    """
    #if defined(__VERSION__)
    #define VR_COMPILER __VERSION__
    #elif defined(_MSC_VER)
    #define VR_COMPILER "MSVC"
    #else
    #define VR_COMPILER "unknown"
    #endif
    """
    const char *VR_COMPILER
    const long CYTHON_HEX_VERSION


BUILD = {
    "compiler": (<bytes>VR_COMPILER).decode(),
    "cython": f"{CYTHON_HEX_VERSION >> 24}.{CYTHON_HEX_VERSION >> 16 & 255}.{CYTHON_HEX_VERSION >> 8 & 255}",
}

# ---------------------------------------------------------------------------------------------------------------------
# Rules
# ---------------------------------------------------------------------------------------------------------------------

cdef dict _rule_sets = {}
cdef dict HEAD_EXCEPTIONS = {
    "none": HEAD_NONE, "general": HEAD_GENERAL, "listed": HEAD_LISTED, "doubles346": HEAD_DOUBLES346,
}
cdef dict BLOCK_RULES = {
    "none": BLOCK_NONE, "ahead_past": BLOCK_AHEAD_PAST, "ahead_home": BLOCK_AHEAD_HOME,
    "start_quarter": BLOCK_START_QUARTER,
}
cdef dict OVER_BEARS = {"highest": OVER_HIGHEST, "none": OVER_NONE, "free": OVER_FREE}
cdef dict BACKGAMMON_WINS = {"none": WIN_NONE, "any": WIN_ANY, "all": WIN_ALL}
cdef dict LAST_ROLLS = {
    "none": LAST_ROLL_NONE, "second_player": LAST_ROLL_SECOND_PLAYER, "ge14": LAST_ROLL_GE14,
}


cdef class RuleSet:
    """A variant as the native code reads it. One object per variant."""

    def __cinit__(self, object variant):
        cdef Rules *rules = &self.rules
        self.variant = variant
        rules.checkers = variant.checkers
        rules.contrary = variant.direction == "contrary"
        rules.head_cap = variant.head_cap
        rules.head_exception = HEAD_EXCEPTIONS[variant.head_exception]
        rules.block_rule = BLOCK_RULES[variant.block_rule]
        rules.block_transient = variant.block_transient
        rules.unblock = variant.unblock
        rules.runner = variant.runner
        rules.hit_and_run = variant.hit_and_run
        rules.greedy = variant.full_use == "greedy"
        rules.larger_die = variant.larger_die
        rules.over_bear = OVER_BEARS[variant.over_bear]
        rules.both_dice = variant.opening == "both_dice"
        rules.backgammon = BACKGAMMON_WINS[variant.backgammon]
        rules.last_roll = LAST_ROLLS[variant.last_roll]
        for i in range(3):
            rules.points[i] = variant.points[i]


cdef RuleSet rule_set(object variant):
    """The rules of a variant given by name or as a Variant."""
    cdef RuleSet found = _rule_sets.get(variant) if isinstance(variant, (str, Variant)) else None
    if found is not None:
        return found
    if isinstance(variant, str):
        known = named_variant(variant)
    elif isinstance(variant, Variant):
        known = variant
    else:
        raise TypeError(f"variant must be a name or a Variant, not {type_name(variant)}")
    found = _rule_sets.get(known)
    if found is None:
        found = _rule_sets[known] = RuleSet.__new__(RuleSet, known)
    _rule_sets[variant] = found
    return found


cdef enum:
    FINE = 0
    OWN_RESERVED
    OPP_RESERVED
    OWN_TOTAL
    OPP_TOTAL
    OWN_BAR
    OPP_BAR
    BOTH_ON_POINT
    BOTH_OFF
    OWN_BLOCK
    OPP_BLOCK


cdef int fault(const Rules *rules, const vr_position *position) noexcept nogil:
    """Why the door refuses a position."""
    cdef uint32_t own, opp, two
    if position.own[1] >> 40:
        return OWN_RESERVED
    if position.opp[1] >> 40:
        return OPP_RESERVED
    if side_total(position.own) != rules.checkers:
        return OWN_TOTAL
    if side_total(position.opp) != rules.checkers:
        return OPP_TOTAL
    if slot_count(position.own, OFF) == rules.checkers and slot_count(position.opp, OFF) == rules.checkers:
        return BOTH_OFF
    path_masks(position.own, &own, &two)
    path_masks(position.opp, &opp, &two)
    if not rules.contrary:
        if own & 1:
            return OWN_BAR
        if opp & 1:
            return OPP_BAR
    own &= ALL_POINTS
    opp &= ALL_POINTS
    if own & in_other_path(rules, position.opp, opp):
        return BOTH_ON_POINT
    if rules.block_rule:
        if block_stands(rules, own, opp, slot_count(position.opp, OFF)):
            return OWN_BLOCK
        if block_stands(rules, opp, own, slot_count(position.own, OFF)):
            return OPP_BLOCK
    return FINE


cdef inline uint32_t in_other_path(const Rules *rules, const uint64_t *side, uint32_t path) noexcept nogil:
    """A side's points as path indices of the other side."""
    cdef uint32_t mirrored = 0
    if not rules.contrary:
        return half_turn(path)
    while path:
        mirrored |= <uint32_t>1 << (25 - lowest_bit(path))
        path &= path - 1
    return mirrored


cdef object fault_text(RuleSet rule_set, const vr_position *position, int reason):
    cdef object variant = rule_set.variant
    own = side_tuple(position.own)
    opponent = side_tuple(position.opp)
    if reason in (OWN_RESERVED, OPP_RESERVED):
        side = "own" if reason == OWN_RESERVED else "opponent"
        return f"{side}: slots 26 to 31 are reserved and must be 0"
    if reason in (OWN_TOTAL, OPP_TOTAL):
        side, counts = ("own", own) if reason == OWN_TOTAL else ("opponent", opponent)
        return f"{side} has {sum(counts)} checkers, {variant.name} is played with {variant.checkers}"
    if reason in (OWN_BAR, OPP_BAR):
        side, counts = ("own", own) if reason == OWN_BAR else ("opponent", opponent)
        return f"{side} has {counts[BAR]} on the bar, {variant.name} has no bar"
    if reason == BOTH_ON_POINT:
        for point in range(24, 0, -1):
            if own[point] and opponent[variant.opponent_point(point)]:
                return (
                    f"both sides stand on point {point} (own {own[point]}, opponent "
                    f"{opponent[variant.opponent_point(point)]} on his {variant.opponent_point(point)})"
                )
    if reason == BOTH_OFF:
        return "both sides have borne off all their checkers"
    side = "own" if reason == OWN_BLOCK else "opponent"
    return f"{side} holds a block of six that {variant.name} forbids (block_rule = {variant.block_rule!r})"


cdef tuple side_tuple(const uint64_t *side):
    return tuple([slot_count(side, slot) for slot in range(SLOTS)])


# ---------------------------------------------------------------------------------------------------------------------
# What comes through the door
# ---------------------------------------------------------------------------------------------------------------------

@cython.internal
@cython.final
cdef class Rows:
    """A private copy of position rows, each checked after it was copied: the caller's array may change meanwhile."""

    cdef vr_position *items
    cdef int64_t size

    def __dealloc__(self):
        free(self.items)


cdef Rows checked_rows(object positions, object name, RuleSet rule_set):
    cdef cnp.ndarray array = position_array(positions, name)
    cdef Rows rows = Rows.__new__(Rows)
    cdef int64_t n = cnp.PyArray_DIM(array, 0), i
    cdef int reason = FINE
    cdef const Rules *rules = &rule_set.rules
    rows.size = n
    if n == 0:
        return rows
    rows.items = <vr_position *>malloc(<size_t>n * sizeof(vr_position))
    if rows.items == NULL:
        raise MemoryError(f"{n} positions")
    cdef const vr_position *source = <const vr_position *>cnp.PyArray_DATA(array)
    with nogil:
        memcpy(rows.items, source, <size_t>n * sizeof(vr_position))
        for i in range(n):
            reason = fault(rules, &rows.items[i])
            if reason != FINE:
                break
    if reason != FINE:
        raise PositionError(f"{name}[{i}]: {fault_text(rule_set, &rows.items[i], reason)}")
    return rows


def check_positions(positions, variant):
    """Raises PositionError for the first row that is no position of the variant, as the bulk functions do."""
    checked_rows(positions, "positions", rule_set(variant))


cdef int ROLL_LARGE[21]
cdef int ROLL_SMALL[21]


cdef tuple _all_rolls():
    cdef int k = 0, large, small
    rolls = []
    for large in range(1, 7):
        for small in range(1, large + 1):
            ROLL_LARGE[k] = large
            ROLL_SMALL[k] = small
            k += 1
            rolls.append(((large, small), 1 if large == small else 2))
    return tuple(rolls)


ROLLS = _all_rolls()

cdef enum:
    EVERY_ROLL
    ONE_ROLL
    ROLL_PER_ROW


@cython.internal
@cython.final
cdef class Dice:
    """The dice argument: every roll for each row, one roll for all rows, or a roll for each row."""

    cdef int mode
    cdef int64_t per_row      # rolls that each row gets
    cdef uint8_t *items       # pairs
    cdef uint8_t single[2]

    def __dealloc__(self):
        free(self.items)

    cdef inline void get(self, int64_t row, int64_t k, int *die1, int *die2) noexcept nogil:
        cdef const uint8_t *pair
        if self.mode == EVERY_ROLL:
            die1[0] = ROLL_LARGE[k]
            die2[0] = ROLL_SMALL[k]
            return
        if self.mode == ONE_ROLL:
            pair = self.single
        else:
            pair = self.items + 2 * row
        die1[0] = pair[0]
        die2[0] = pair[1]


cdef int one_die(object value, object dice) except -1:
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"dice = {dice!r}: {value!r} is not a whole number")
    number = value.__index__()
    if not 1 <= number <= 6:
        raise ValueError(f"dice = {dice!r}: {number} is not on a die, each is from 1 to 6")
    return number


cdef int roll_of(object dice, int *die1, int *die2) except -1:
    """Reads one roll from any sequence of two."""
    if isinstance(dice, (str, bytes)):
        raise TypeError(f"dice = {dice!r}: must be two whole numbers such as (3, 1)")
    try:
        pair = tuple(dice)
    except TypeError:
        raise TypeError(f"dice = {dice!r}: must be two whole numbers such as (3, 1)") from None
    if len(pair) != 2:
        raise ValueError(f"dice = {dice!r}: must be two whole numbers such as (3, 1)")
    die1[0] = one_die(pair[0], dice)
    die2[0] = one_die(pair[1], dice)
    return 0


cdef Dice checked_dice(object dice, int64_t n):
    cdef Dice result = Dice.__new__(Dice)
    cdef int die1 = 0, die2 = 0
    cdef cnp.ndarray array
    cdef const int64_t *values
    cdef int64_t i
    result.per_row = 1
    if dice is None:
        result.mode = EVERY_ROLL
        result.per_row = 21
        return result
    if not isinstance(dice, (np.ndarray, list, tuple)):
        raise TypeError(f"dice = {dice!r}: must be two whole numbers such as (3, 1), or an (n, 2) array of them")
    if not isinstance(dice, np.ndarray) and len(dice) == 2 and not hasattr(dice[0], "__len__"):
        roll_of(dice, &die1, &die2)
        result.mode = ONE_ROLL
        result.single[0] = <uint8_t>die1
        result.single[1] = <uint8_t>die2
        return result
    try:
        given = np.asarray(dice)
    except ValueError:
        raise ValueError("dice: must be two whole numbers, or an (n, 2) array of them") from None
    if given.shape == (0,):
        given = np.empty((0, 2), np.int64)
    if given.dtype.kind not in "iu":
        raise TypeError(f"dice has dtype {given.dtype.str!r}: must be whole numbers")
    if given.shape == (2,):
        return checked_dice(given.tolist(), n)
    if given.shape != (n, 2):
        raise ValueError(f"dice has shape {given.shape}: must be (2,) or ({n}, 2), a roll for each position")
    array = np.ascontiguousarray(given, dtype=np.int64)
    values = <const int64_t *>cnp.PyArray_DATA(array)
    result.mode = ROLL_PER_ROW
    result.items = <uint8_t *>malloc(<size_t>(2 * n + 1))
    if result.items == NULL:
        raise MemoryError(f"{n} rolls")
    for i in range(2 * n):
        if not 1 <= values[i] <= 6:
            raise ValueError(
                f"dice[{i // 2}] = {tuple(given[i // 2].tolist())}: {given[i // 2, i % 2]} is not on a die, "
                "each is from 1 to 6"
            )
        result.items[i] = <uint8_t>values[i]
    return result


cdef uint64_t checked_seed(object seed) except? 0:
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise TypeError(f"seed = {seed!r}: must be a whole number or None")
    number = seed.__index__()
    if not 0 <= number < 1 << 64:
        raise ValueError(f"seed = {number}: must be from 0 to 2**64 - 1")
    return number


cdef int64_t whole_number(object value, object name, int64_t least, int64_t most=(<int64_t>1 << 40) - 1) except? -1:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} = {value!r}: must be a whole number")
    number = value.__index__()
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: must be from {least} to {most}")
    return number


def new_seed():
    """A 64-bit seed from the system."""
    return int.from_bytes(os.urandom(8), "little")


def philox_words(key, counter):
    """The four 32-bit words of Philox4x32-10 for a 64-bit key and a 128-bit counter: the source of all dice.

    Examples
    --------
    >>> [f"{word:08x}" for word in philox_words(0, 0)]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    cdef uint32_t words[4]
    philox(key, counter & 0xffffffffffffffff, counter >> 64, words)
    return words[0], words[1], words[2], words[3]


cdef list blocks_of(int64_t n, int64_t size):
    return [(first, min(first + size, n)) for first in range(0, n, size)]


cdef object run(object function, int64_t n, int64_t size, int workers):
    """Calls function((first, last)) over all rows; returns the results in order. Small work stays in this thread."""
    if workers > 1 and n > size:
        return list(run_blocks(function, blocks_of(n, size), workers))
    results = []
    for block in blocks_of(n, size):
        results.append(function(block))
        PyErr_CheckSignals()  # Ctrl-C is seen between blocks
    return results


# ---------------------------------------------------------------------------------------------------------------------
# Moves in bulk
# ---------------------------------------------------------------------------------------------------------------------

# One copy each of the drivers in this extension: inlined at every call they would be compiled a dozen times over.

cdef int all_turns(
    const Rules *rules, const View *view, int die1, int die2, Buffer *out, Scratch *scratch
) noexcept nogil:
    return turns(rules, view, die1, die2, out, scratch)


cdef int64_t number_of_turns(
    const Rules *rules, const View *view, int die1, int die2, Scratch *scratch
) noexcept nogil:
    return count_turns(rules, view, die1, die2, scratch)


cdef const vr_position *chosen_turn(
    const Rules *rules, const View *view, int die1, int die2, int64_t choice, Scratch *scratch
) noexcept nogil:
    return picked(rules, view, die1, die2, choice, scratch)


cdef int append_children(
    const Rules *rules, const vr_position *position, int die1, int die2, Buffer *buffer, Scratch *scratch
) noexcept nogil:
    cdef View view
    if is_over(rules, position):
        return 0
    prepare(rules, position, &view)
    return all_turns(rules, &view, die1, die2, buffer, scratch)


cdef inline bint is_over(const Rules *rules, const vr_position *position) noexcept nogil:
    return slot_count(position.own, OFF) == rules.checkers or slot_count(position.opp, OFF) == rules.checkers


cdef enum:
    ROWS_PER_BLOCK = 1024

cdef enum:
    # Why native work stopped
    DONE = 0
    NO_MEMORY = -1
    BAD_CHOICE = -2
    STUCK = -3


@cython.internal
@cython.final
cdef class MoveJob:
    """One bulk call over checked rows; its methods take a block of rows and run without the GIL."""

    cdef Rows rows
    cdef Dice dice
    cdef RuleSet rule_set
    cdef int64_t *counts          # rows * per_row; or offsets, shifted by one
    cdef vr_position *children    # fill, play, is_legal
    cdef const int64_t *choices
    cdef uint8_t *legal

    def count(self, tuple block):
        cdef int64_t first = block[0], last = block[1], row, k
        cdef int die1 = 0, die2 = 0
        cdef int status = DONE
        cdef int64_t found
        cdef const Rules *rules = &self.rule_set.rules
        cdef View view
        cdef Scratch scratch
        memset(&scratch, 0, sizeof(Scratch))
        with nogil:
            for row in range(first, last):
                if is_over(rules, &self.rows.items[row]):
                    for k in range(self.dice.per_row):
                        self.counts[row * self.dice.per_row + k] = 0
                    continue
                prepare(rules, &self.rows.items[row], &view)
                for k in range(self.dice.per_row):
                    self.dice.get(row, k, &die1, &die2)
                    found = number_of_turns(rules, &view, die1, die2, &scratch)
                    if found < 0:
                        status = NO_MEMORY
                        break
                    self.counts[row * self.dice.per_row + k] = found
            free_scratch(&scratch)
        if status != DONE:
            raise MemoryError("counting moves")

    def fill(self, tuple block):
        """Writes the children of a block where the offsets say; `counts[-1]` is the offset of the first row."""
        cdef int64_t first = block[0], last = block[1], row, k
        cdef int die1 = 0, die2 = 0
        cdef int64_t start = self.counts[first * self.dice.per_row - 1]
        cdef int64_t end = self.counts[last * self.dice.per_row - 1]
        cdef const Rules *rules = &self.rule_set.rules
        cdef View view
        cdef Scratch scratch
        cdef Buffer out
        memset(&scratch, 0, sizeof(Scratch))
        out.items = self.children + start
        out.size = 0
        out.capacity = end - start
        out.fixed = True
        cdef int status = DONE
        with nogil:
            for row in range(first, last):
                if is_over(rules, &self.rows.items[row]):
                    continue
                prepare(rules, &self.rows.items[row], &view)
                for k in range(self.dice.per_row):
                    self.dice.get(row, k, &die1, &die2)
                    if all_turns(rules, &view, die1, die2, &out, &scratch) < 0:
                        status = NO_MEMORY
                        break
                if status != DONE:
                    break
            free_scratch(&scratch)
        if status != DONE:
            raise MemoryError("building moves")
        if out.size != end - start:
            raise SystemError(f"rows {first} to {last}: {out.size} moves built, {end - start} counted")

    def build(self, int64_t room):
        """Counts and writes all rows in one pass into room for so many children. False if it is not enough."""
        cdef int64_t row, k
        cdef int die1 = 0, die2 = 0
        cdef const Rules *rules = &self.rule_set.rules
        cdef View view
        cdef Scratch scratch
        cdef Buffer out
        memset(&scratch, 0, sizeof(Scratch))
        out.items = self.children
        out.size = 0
        out.capacity = room
        out.fixed = True
        cdef int status = DONE
        with nogil:
            for row in range(self.rows.size):
                if is_over(rules, &self.rows.items[row]):
                    for k in range(self.dice.per_row):
                        self.counts[row * self.dice.per_row + k] = out.size
                    continue
                prepare(rules, &self.rows.items[row], &view)
                for k in range(self.dice.per_row):
                    self.dice.get(row, k, &die1, &die2)
                    if all_turns(rules, &view, die1, die2, &out, &scratch) < 0:
                        status = NO_MEMORY
                        break
                    self.counts[row * self.dice.per_row + k] = out.size
                if status != DONE:
                    break
            free_scratch(&scratch)
        return status == DONE

    def play(self, tuple block):
        """Replaces each row of the block by its chosen child. Returns (row, moves) where the choice does not exist."""
        cdef int64_t first = block[0], last = block[1], row, count = 0
        cdef int die1 = 0, die2 = 0
        cdef int status = DONE
        cdef const Rules *rules = &self.rule_set.rules
        cdef const vr_position *child
        cdef View view
        cdef Scratch scratch
        memset(&scratch, 0, sizeof(Scratch))
        with nogil:
            for row in range(first, last):
                if is_over(rules, &self.rows.items[row]):
                    count = 0
                    status = BAD_CHOICE
                    break
                prepare(rules, &self.rows.items[row], &view)
                self.dice.get(row, 0, &die1, &die2)
                count = number_of_turns(rules, &view, die1, die2, &scratch)
                if count < 0:
                    status = NO_MEMORY
                    break
                if self.choices[row] < 0 or self.choices[row] >= count:
                    status = BAD_CHOICE
                    break
                child = chosen_turn(rules, &view, die1, die2, self.choices[row], &scratch)
                if child == NULL:
                    status = NO_MEMORY
                    break
                self.children[row] = child[0]
            free_scratch(&scratch)
        if status == NO_MEMORY:
            raise MemoryError("playing moves")
        return None if status == DONE else (row, count)

    def find(self, tuple block):
        cdef int64_t first = block[0], last = block[1], row, i
        cdef int die1 = 0, die2 = 0
        cdef int status = DONE
        cdef const Rules *rules = &self.rule_set.rules
        cdef View view
        cdef Scratch scratch
        cdef Buffer out
        memset(&scratch, 0, sizeof(Scratch))
        memset(&out, 0, sizeof(Buffer))
        with nogil:
            for row in range(first, last):
                self.legal[row] = 0
                if is_over(rules, &self.rows.items[row]):
                    continue
                prepare(rules, &self.rows.items[row], &view)
                self.dice.get(row, 0, &die1, &die2)
                out.size = 0
                if all_turns(rules, &view, die1, die2, &out, &scratch) < 0:
                    status = NO_MEMORY
                    break
                for i in range(out.size):
                    if same_position(&out.items[i], &self.children[row]):
                        self.legal[row] = 1
                        break
            free_scratch(&scratch)
            free(out.items)
        if status != DONE:
            raise MemoryError("looking for moves")


cdef MoveJob move_job(object positions, object dice, object variant):
    cdef MoveJob job = MoveJob.__new__(MoveJob)
    job.rule_set = rule_set(variant)
    job.rows = checked_rows(positions, "positions", job.rule_set)
    job.dice = checked_dice(dice, job.rows.size)
    return job


def legal_moves(positions, dice=None, *, variant="backgammon", workers=1, out=None):
    """All distinct results of the legal moves of many positions, in the documented order.

    Parameters
    ----------
    positions : (n, 4) uint64 array
        Packed positions, C-contiguous, the player on roll in the first two words.
    dice : two ints, or (n, 2) array of ints, optional
        One roll for all positions, or a roll for each. None = all 21 rolls of every position, as in `ROLLS`.
    variant : str or Variant
        The rules.
    workers : int or None
        Number of threads, None = all usable cores. The result does not depend on it.
    out : (children, offsets), optional
        Arrays to reuse: (m, 4) uint64 and (k,) int64. What is returned are their first rows.

    Returns
    -------
    children : (m, 4) uint64 array
        Positions after the move, the next player on roll.
    offsets : (rows + 1,) int64 array
        The children of row i are ``children[offsets[i]:offsets[i + 1]]``; there are n rows, or 21 * n.
        A roll that cannot be played has one child, the position flipped; a finished position has none.

    Raises
    ------
    PositionError
        A position that the variant does not allow; the message names the first such row.
    TypeError, ValueError
        A wrong dtype or shape, a number that is not on a die, `workers` below 1, or `out` too small (the message
        says what is needed).

    Notes
    -----
    The order of children is a format. Step sequences are visited depth first, at every node the unused dice from the
    larger to the smaller, and for each die the sources from the bar down to point 1; results come in the order in
    which sequences that the rules accept as a whole turn first reach them.

    Examples
    --------
    >>> start = pack([Position.start()])
    >>> children, offsets = legal_moves(start, (3, 1))
    >>> len(children), offsets.tolist()
    (16, [0, 16])
    """
    cdef MoveJob job = move_job(positions, dice, variant)
    cdef int threads = check_workers(workers)
    cdef int64_t rows = job.rows.size * job.dice.per_row, i, total
    cdef cnp.ndarray children, offsets
    cdef int64_t *ends
    if out is None:
        offsets = new_array(cnp.NPY_INT64, rows + 1)
    else:
        children, offsets = checked_out(out)
        if cnp.PyArray_DIM(offsets, 0) < rows + 1:
            raise ValueError(f"out: offsets has {cnp.PyArray_DIM(offsets, 0)} elements, {rows + 1} are needed")
    ends = <int64_t *>cnp.PyArray_DATA(offsets)
    ends[0] = 0
    job.counts = ends + 1
    if out is not None and (threads == 1 or job.rows.size <= ROWS_PER_BLOCK):
        job.children = <vr_position *>cnp.PyArray_DATA(children)
        if job.build(cnp.PyArray_DIM(children, 0)):
            return children[:ends[rows]], offsets[:rows + 1]
    run(job.count, job.rows.size, ROWS_PER_BLOCK, threads)
    for i in range(rows):
        ends[i + 1] += ends[i]
    total = ends[rows]
    if out is None:
        children = new_array(cnp.NPY_UINT64, total, 4)
    elif cnp.PyArray_DIM(children, 0) < total:
        raise ValueError(f"out: children has {cnp.PyArray_DIM(children, 0)} rows, {total} are needed")
    job.children = <vr_position *>cnp.PyArray_DATA(children)
    run(job.fill, job.rows.size, ROWS_PER_BLOCK, threads)
    if out is None:
        return children, offsets
    return children[:total], offsets[:rows + 1]


cdef tuple checked_out(object out):
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError("out must be a pair of arrays: (children, offsets)")
    children = position_array(out[0], "out: children", True)
    offsets = checked(out[1], "out: offsets", cnp.NPY_INT64, "int64", True)
    if offsets.ndim != 1:
        raise ValueError(f"out: offsets has shape {shape_of(offsets)}: must have one dimension")
    if np.may_share_memory(children, offsets):
        raise ValueError("out: children and offsets share memory")
    return children, offsets


def count_moves(positions, dice=None, *, variant="backgammon", workers=1):
    """How many distinct results the legal moves of many positions have, without building them.

    Parameters
    ----------
    positions, dice, variant, workers
        As for `legal_moves`.

    Returns
    -------
    (n,) int64 array, or (n, 21) for all rolls
        A pass counts 1, a finished position 0.

    Raises
    ------
    PositionError, TypeError, ValueError
        As `legal_moves`.

    Examples
    --------
    >>> int(count_moves(pack([Position.start()])).sum())
    447
    """
    cdef MoveJob job = move_job(positions, dice, variant)
    cdef int threads = check_workers(workers)
    cdef cnp.ndarray counts
    if job.dice.mode == EVERY_ROLL:
        counts = new_array(cnp.NPY_INT64, job.rows.size, 21)
    else:
        counts = new_array(cnp.NPY_INT64, job.rows.size)
    job.counts = <int64_t *>cnp.PyArray_DATA(counts)
    run(job.count, job.rows.size, ROWS_PER_BLOCK, threads)
    return counts


def play(positions, dice, choice, *, variant="backgammon", workers=1):
    """Plays one legal move of each position: the k-th in the order of `legal_moves`, without building the others.

    Parameters
    ----------
    positions : (n, 4) uint64 array
    dice : two ints, or (n, 2) array of ints
    choice : (n,) array of ints
        Which child: from 0 below `count_moves`.
    variant, workers
        As for `legal_moves`.

    Returns
    -------
    (n, 4) uint64 array
        The positions after the moves, the next player on roll.

    Raises
    ------
    IllegalMoveError
        A choice that does not exist, or a position that is over; the message names the row.
    PositionError, TypeError, ValueError
        As `legal_moves`.

    Examples
    --------
    >>> start = pack([Position.start()])
    >>> children, _ = legal_moves(start, (3, 1))
    >>> bool((play(start, (3, 1), np.array([5])) == children[5]).all())
    True
    """
    if dice is None:
        raise TypeError("dice = None: a move needs a roll")
    cdef MoveJob job = move_job(positions, dice, variant)
    cdef int threads = check_workers(workers)
    given = np.asarray(choice)
    if given.shape == (0,):
        given = given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise TypeError(f"choice has dtype {given.dtype.str!r}: must be whole numbers")
    if given.shape != (job.rows.size,):
        raise ValueError(f"choice has shape {given.shape}: must be ({job.rows.size},), one for each position")
    # What no int64 holds is no choice either.
    held = given.clip(None, 1 << 40) if given.dtype.kind == "u" else given
    cdef cnp.ndarray choices = np.ascontiguousarray(held, np.int64)
    cdef cnp.ndarray played = new_array(cnp.NPY_UINT64, job.rows.size, 4)
    job.choices = <const int64_t *>cnp.PyArray_DATA(choices)
    job.children = <vr_position *>cnp.PyArray_DATA(played)
    for bad in run(job.play, job.rows.size, ROWS_PER_BLOCK, threads):
        if bad is not None:
            row, count = bad
            raise IllegalMoveError(
                f"choice[{row}] = {given[row]}: the position has {count} moves"
                + (", the game is over" if count == 0 else " with this roll")
            )
    return played


def is_legal(positions, dice, children, *, variant="backgammon", workers=1):
    """Whether each child results from a legal move of its position.

    Parameters
    ----------
    positions : (n, 4) uint64 array
    dice : two ints, or (n, 2) array of ints
    children : (n, 4) uint64 array
        Positions after a move, the next player on roll. Any words: what is no position is not legal.
    variant, workers
        As for `legal_moves`.

    Returns
    -------
    (n,) bool array

    Raises
    ------
    PositionError, TypeError, ValueError
        As `legal_moves`.

    Examples
    --------
    >>> start = Position.start()
    >>> is_legal(pack([start]), (3, 1), pack([start.play("8/5 6/5", (3, 1))])).tolist()
    [True]
    """
    if dice is None:
        raise TypeError("dice = None: a move needs a roll")
    cdef MoveJob job = move_job(positions, dice, variant)
    cdef int threads = check_workers(workers)
    cdef cnp.ndarray given = position_array(children, "children")
    if cnp.PyArray_DIM(given, 0) != job.rows.size:
        raise ValueError(f"children has {cnp.PyArray_DIM(given, 0)} rows, positions has {job.rows.size}")
    cdef cnp.ndarray legal = new_array(cnp.NPY_BOOL, job.rows.size)
    job.children = <vr_position *>cnp.PyArray_DATA(given)
    job.legal = <uint8_t *>cnp.PyArray_DATA(legal)
    run(job.find, job.rows.size, ROWS_PER_BLOCK, threads)
    return legal


# ---------------------------------------------------------------------------------------------------------------------
# Pips and hashes
# ---------------------------------------------------------------------------------------------------------------------

def pips(positions):
    """Pip counts of both sides.

    Parameters
    ----------
    positions : (n, 4) uint64 array
        Packed positions of any variant; only the reserved slots are checked.

    Returns
    -------
    (n, 2) int32 array
        The player on roll, his opponent: the sum of point times checkers, 25 for a checker on the bar.

    Raises
    ------
    PositionError
        A row with something in the reserved slots 26 to 31.
    TypeError, ValueError
        A wrong dtype or shape.

    Examples
    --------
    >>> pips(pack([Position.start()])).tolist()
    [[167, 167]]
    """
    cdef cnp.ndarray array = position_array(positions, "positions")
    cdef int64_t n = cnp.PyArray_DIM(array, 0), i
    cdef cnp.ndarray result = new_array(cnp.NPY_INT32, n, 2)
    cdef const vr_position *rows = <const vr_position *>cnp.PyArray_DATA(array)
    cdef int32_t *sums = <int32_t *>cnp.PyArray_DATA(result)
    cdef uint64_t reserved = 0
    with nogil:
        for i in range(n):
            sums[2 * i] = side_pips(rows[i].own)
            sums[2 * i + 1] = side_pips(rows[i].opp)
            reserved |= rows[i].own[1] | rows[i].opp[1]
    if reserved >> 40:
        refuse_reserved(array)
    return result


cdef int refuse_reserved(cnp.ndarray array) except -1:
    bad = np.flatnonzero(((<object>array)[:, 1] | (<object>array)[:, 3]) >> 40)
    if len(bad):
        raise PositionError(f"positions[{bad[0]}]: slots 26 to 31 are reserved and must be 0")
    return 0


def hashes(positions):
    """64-bit hashes of the packed words.

    Parameters
    ----------
    positions : (n, 4) uint64 array
        Packed positions of any variant. The variant is not part of the hash.

    Returns
    -------
    (n,) uint64 array
        ``fold(fold(w0 ^ P0, w1 ^ P1) ^ P4, fold(w2 ^ P2, w3 ^ P3) ^ P5)``, where ``fold(a, b)`` xors the halves of
        the 128-bit product and P0..P5 are the first six 64-bit words of the fraction of pi. A format: it never
        changes silently.

    Raises
    ------
    TypeError, ValueError
        A wrong dtype or shape.

    Examples
    --------
    >>> hashes(pack([Position.start()])).dtype.name
    'uint64'
    """
    cdef cnp.ndarray array = position_array(positions, "positions")
    cdef int64_t n = cnp.PyArray_DIM(array, 0), i
    cdef cnp.ndarray result = new_array(cnp.NPY_UINT64, n)
    cdef const vr_position *rows = <const vr_position *>cnp.PyArray_DATA(array)
    cdef uint64_t *values = <uint64_t *>cnp.PyArray_DATA(result)
    with nogil:
        for i in range(n):
            values[i] = position_hash(&rows[i])
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Packing
# ---------------------------------------------------------------------------------------------------------------------

cdef void pack_side(const uint8_t *counts, uint64_t *side) noexcept nogil:
    cdef int slot
    side[0] = 0
    side[1] = 0
    for slot in range(SLOTS):
        side[slot >> 4] |= <uint64_t>counts[slot] << (4 * (slot & 15))


def pack(positions, *, variant="backgammon"):
    """Packs positions into an array.

    Parameters
    ----------
    positions : iterable of Position, or (n, 2, 26) uint8 array
        Of an array, [:, 0] is the player on roll and [:, 1] his opponent, each in his own numbering:
        0 = borne off, 1..24 = points, 25 = bar.
    variant : str or Variant
        The rules that an array is checked against; positions know their own.

    Returns
    -------
    (n, 4) uint64 array

    Raises
    ------
    PositionError
        A row that the variant does not allow, named by its index.
    TypeError, ValueError
        A wrong type, dtype or shape.

    Examples
    --------
    >>> pack([Position.start()]).shape
    (1, 4)
    """
    cdef Position position
    cdef cnp.ndarray result, counts
    cdef vr_position *rows
    cdef const uint8_t *cells
    cdef RuleSet rules
    cdef int64_t i, n
    cdef int k, reason
    if not isinstance(positions, np.ndarray):
        items = list(positions)
        result = new_array(cnp.NPY_UINT64, len(items), 4)
        rows = <vr_position *>cnp.PyArray_DATA(result)
        for i in range(len(items)):
            if not isinstance(items[i], Position):
                raise TypeError(f"positions[{i}] is a {type_name(items[i])}, not a Position")
            position = items[i]
            rows[i] = position.packed
        return result
    counts = checked(positions, "positions", cnp.NPY_UINT8, "uint8", False)
    if cnp.PyArray_NDIM(counts) != 3 or cnp.PyArray_DIM(counts, 1) != 2 or cnp.PyArray_DIM(counts, 2) != SLOTS:
        raise ValueError(f"positions has shape {shape_of(counts)}: must be (n, 2, 26)")
    rules = rule_set(variant)
    n = cnp.PyArray_DIM(counts, 0)
    result = new_array(cnp.NPY_UINT64, n, 4)
    rows = <vr_position *>cnp.PyArray_DATA(result)
    cells = <const uint8_t *>cnp.PyArray_DATA(counts)
    for i in range(n):
        for k in range(2 * SLOTS):
            if cells[2 * SLOTS * i + k] > 15:
                raise PositionError(
                    f"positions[{i}]: {'own' if k < SLOTS else 'opponent'} has {cells[2 * SLOTS * i + k]} checkers "
                    f"in slot {k % SLOTS}"
                )
        pack_side(cells + 2 * SLOTS * i, rows[i].own)
        pack_side(cells + 2 * SLOTS * i + SLOTS, rows[i].opp)
        reason = fault(&rules.rules, &rows[i])
        if reason != FINE:
            raise PositionError(f"positions[{i}]: {fault_text(rules, &rows[i], reason)}")
    return result


def unpack(positions):
    """Unpacks an array of positions into counts.

    Parameters
    ----------
    positions : (n, 4) uint64 array
        Packed positions of any variant; only the reserved slots are checked.

    Returns
    -------
    (n, 2, 26) uint8 array
        [:, 0] the player on roll, [:, 1] his opponent, each in his own numbering: 0 = borne off, 25 = bar.

    Raises
    ------
    PositionError
        A row with something in the reserved slots 26 to 31.
    TypeError, ValueError
        A wrong dtype or shape.

    Examples
    --------
    >>> unpack(pack([Position.start()]))[0, 0].tolist()[6]
    5
    """
    cdef cnp.ndarray array = position_array(positions, "positions")
    cdef int64_t n = cnp.PyArray_DIM(array, 0), i
    cdef cnp.ndarray result = new_array(cnp.NPY_UINT8, n, 2, SLOTS)
    cdef const vr_position *rows = <const vr_position *>cnp.PyArray_DATA(array)
    cdef uint8_t *cells = <uint8_t *>cnp.PyArray_DATA(result)
    cdef int slot
    refuse_reserved(array)
    for i in range(n):
        for slot in range(SLOTS):
            cells[2 * SLOTS * i + slot] = <uint8_t>slot_count(rows[i].own, slot)
            cells[2 * SLOTS * i + SLOTS + slot] = <uint8_t>slot_count(rows[i].opp, slot)
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Positions and moves
# ---------------------------------------------------------------------------------------------------------------------

cdef RuleSet _usual_rules = rule_set("backgammon")
cdef vr_position _usual_start


cdef int set_usual_start() except -1:
    cdef uint8_t cells[26]
    memset(cells, 0, sizeof(cells))
    for point, count in _usual_rules.variant.start:
        cells[point] = count
    pack_side(cells, _usual_start.own)
    pack_side(cells, _usual_start.opp)
    return 0


set_usual_start()


cdef Position new_position(RuleSet rule_set, const vr_position *packed):
    cdef Position position = Position.__new__(Position)
    position.rule_set = rule_set
    position.packed = packed[0]
    position.is_made = True
    return position


cdef int counts_from(object counts, object side, uint64_t *words) except -1:
    cdef uint8_t cells[26]
    cdef int slot
    numbers = tuple(counts)
    if len(numbers) != SLOTS:
        raise PositionError(f"{side} has {len(numbers)} numbers: must be 26 (borne off, points 1 to 24, bar)")
    for slot in range(SLOTS):
        value = numbers[slot]
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{side}[{slot}] = {value!r}: must be a whole number")
        if not 0 <= value.__index__() <= 15:
            raise PositionError(f"{side}[{slot}] = {value!r}: must be from 0 to 15")
        cells[slot] = value.__index__()
    pack_side(cells, words)
    return 0


cdef list counts_of_points(object points, object side, object variant):
    """The 26 counts of a mapping from points to checkers; what is missing has been borne off."""
    counts = [0] * SLOTS
    for place, count in dict(points).items():
        slot = {"bar": BAR, "off": OFF}.get(place, place) if isinstance(place, str) else place
        if isinstance(slot, (bool, str)) or not hasattr(slot, "__index__"):
            raise PositionError(f"{side}: {place!r} is not a point from 1 to 24, 'bar' or 'off'")
        slot = slot.__index__()
        if not 1 <= slot <= 24 and not isinstance(place, str):
            raise PositionError(f"{side}: {place!r} is not a point from 1 to 24, 'bar' or 'off'")
        if isinstance(count, bool) or not hasattr(count, "__index__"):
            raise TypeError(f"{side}: {count!r} checkers on {place!r}: must be a whole number")
        if not 0 <= count.__index__() <= 15:
            raise PositionError(f"{side}: {count!r} checkers on {place!r}: must be from 0 to 15")
        counts[slot] = count.__index__()
    if "off" not in points:
        off = variant.checkers - sum(counts)
        if off < 0:
            raise PositionError(f"{side} has {sum(counts)} checkers, {variant.name} is played with {variant.checkers}")
        counts[OFF] = off
    return counts


cdef class Position:
    # What comes before the dashes is how an extension type tells its signature; it is not part of __doc__.
    """Position(own, opponent, variant='backgammon')\n--\n\nA board: both sides, the variant, and who is on roll.

    Immutable, hashable, picklable.

    Parameters
    ----------
    own, opponent : sequence of 26 ints
        Checkers of the player on roll and of his opponent, each in his own numbering: index 0 = borne off,
        1..24 = points, 25 = bar.
    variant : str or Variant
        The rules.

    Raises
    ------
    PositionError
        A board that the variant does not allow; the message says why.

    Examples
    --------
    >>> start = Position.start()
    >>> start.pips
    (167, 167)
    >>> [str(move) for move in start.moves((6, 5))][:2]
    ['24/13', '24/18 13/8']
    """

    def __cinit__(self):
        # Whatever comes of it, an object is always a position that native code may trust.
        self.rule_set = _usual_rules
        self.packed = _usual_start

    def __init__(self, own, opponent, variant="backgammon"):
        cdef RuleSet rules = rule_set(variant)
        cdef vr_position packed
        cdef int reason
        if self.is_made:
            raise TypeError("a Position is immutable: it cannot be initialised again")
        counts_from(own, "own", packed.own)
        counts_from(opponent, "opponent", packed.opp)
        reason = fault(&rules.rules, &packed)
        if reason != FINE:
            raise PositionError(fault_text(rules, &packed, reason))
        self.packed = packed
        self.rule_set = rules
        self.is_made = True

    @staticmethod
    def start(variant="backgammon"):
        """The start position of a variant.

        Raises
        ------
        ValueError
            No variant has this name.

        Examples
        --------
        >>> Position.start("long-nardy").pips
        (360, 360)
        """
        points = dict(rule_set(variant).variant.start)
        return Position.from_points(points, points, variant=variant)

    @staticmethod
    def from_points(own, opponent, *, variant="backgammon"):
        """A position from mappings of points to checkers.

        Parameters
        ----------
        own, opponent : mapping
            From a point (1..24 in this side's own numbering), "bar" or "off" to a number of checkers. Checkers that
            are not named have been borne off.
        variant : str or Variant
            The rules.

        Raises
        ------
        PositionError
            A board that the variant does not allow.

        Examples
        --------
        >>> Position.from_points({6: 1, "bar": 1}, {1: 15}).own[0]
        13
        """
        known = rule_set(variant).variant
        return Position(
            counts_of_points(own, "own", known), counts_of_points(opponent, "opponent", known), known
        )

    @staticmethod
    def from_id(text, *, variant="backgammon"):
        """The board of an ID: a GNU Backgammon position ID (with or without a match ID), an XGID, or an own ID.

        Parameters
        ----------
        text : str
        variant : str or Variant
            The rules where the ID does not name them.

        Raises
        ------
        FormatError
            A text that is no ID.
        PositionError
            An ID of a board that the variant does not allow.

        Examples
        --------
        >>> Position.from_id("4HPwATDgc/ABMA") == Position.start()
        True
        """
        from vrhcaby.match_state import read_id

        return read_id(text, variant=variant).position

    @staticmethod
    def from_bytes(data, *, variant="backgammon"):
        """A position from its 32 bytes: four little-endian 64-bit words.

        Raises
        ------
        PositionError
            Not 32 bytes, or a board that the variant does not allow.

        Examples
        --------
        >>> Position.from_bytes(Position.start().to_bytes()) == Position.start()
        True
        """
        if not isinstance(data, bytes):
            raise TypeError(f"data must be bytes, not {type_name(data)}")
        if len(data) != 32:
            raise PositionError(f"{len(data)} bytes: a position has 32")
        words = np.frombuffer(data, "<u8").astype(np.uint64).reshape(1, 4)
        return unpack_rows(words, rule_set(variant))[0]

    def to_bytes(self):
        """The packed position: four little-endian 64-bit words, the player on roll first.

        Examples
        --------
        >>> len(Position.start().to_bytes())
        32
        """
        cdef bytes native = PyBytes_FromStringAndSize(<const char *>&self.packed, sizeof(vr_position))
        return native if sys.byteorder == "little" else np.frombuffer(native, np.uint64).astype("<u8").tobytes()

    @property
    def own(self):
        """Checkers of the player on roll: 26 counts in his numbering, 0 = borne off, 25 = bar."""
        return side_tuple(self.packed.own)

    @property
    def opponent(self):
        """Checkers of the opponent: 26 counts in the opponent's numbering, 0 = borne off, 25 = bar."""
        return side_tuple(self.packed.opp)

    @property
    def variant(self):
        """The rules this position is played by."""
        return self.rule_set.variant

    @property
    def pips(self):
        """Pip counts of the player on roll and of his opponent."""
        return side_pips(self.packed.own), side_pips(self.packed.opp)

    @property
    def hash(self):
        """The 64-bit hash of the packed words, as `hashes` gives it. The variant is not part of it."""
        return position_hash(&self.packed)

    @property
    def is_over(self):
        """Whether one side has borne off everything."""
        return bool(is_over(&self.rule_set.rules, &self.packed))

    @property
    def result(self):
        """Points won (positive) or lost by the player on roll, or None while the game goes on."""
        cdef int found = outcome(&self.rule_set.rules, &self.packed)
        if found == 0:
            return None
        return self.rule_set.rules.points[found - 1] if found > 0 else -self.rule_set.rules.points[-found - 1]

    @property
    def id(self):
        """The position as a short text that names the variant; `from_id` reads it."""
        from vrhcaby import ids

        return ids.encode_own_id(self.own, self.opponent, self.variant)

    @property
    def gnubg_id(self):
        """The GNU Backgammon position ID. Only contrary variants have one: elsewhere it raises FormatError."""
        from vrhcaby import ids

        return ids.encode_gnubg_position_id(self.own, self.opponent, self.variant)

    def flip(self):
        """The same board with the other player on roll.

        Examples
        --------
        >>> position = Position.start().play("8/5 6/5", (3, 1))
        >>> position.flip().flip() == position
        True
        """
        cdef vr_position other = flipped(&self.packed)
        return new_position(self.rule_set, &other)

    def moves(self, dice):
        """The legal moves of a roll, in the documented order of `legal_moves`.

        Parameters
        ----------
        dice : two ints

        Returns
        -------
        list of Move
            One move without steps if the roll cannot be played; none if the game is over.

        Raises
        ------
        TypeError, ValueError
            Something that is not a roll.

        Examples
        --------
        >>> len(Position.start().moves((3, 2)))
        17
        """
        cdef int die1 = 0, die2 = 0
        cdef Buffer buffer
        cdef Scratch scratch
        cdef int64_t i
        cdef Move move
        cdef list found = []
        roll_of(dice, &die1, &die2)
        if is_over(&self.rule_set.rules, &self.packed):
            return found
        if die1 < die2:
            die1, die2 = die2, die1
        memset(&scratch, 0, sizeof(Scratch))
        memset(&buffer, 0, sizeof(Buffer))
        try:
            if append_children(&self.rule_set.rules, &self.packed, die1, die2, &buffer, &scratch) < 0:
                raise MemoryError("building moves")
            for i in range(buffer.size):
                move = Move.__new__(Move)
                move.path = None
                move.parent = self
                move.child = buffer.items[i]
                move.large = die1
                move.small = die2
                found.append(move)
        finally:
            free(buffer.items)
            free_scratch(&scratch)
        return found

    def play(self, move, dice=None):
        """The position after a move.

        Parameters
        ----------
        move : Move or str
            A move of this position, or its text.
        dice : two ints, optional
            The roll; a text without it must be a legal move of exactly one roll, or have the same result with all.

        Returns
        -------
        Position
            The next player is on roll.

        Raises
        ------
        IllegalMoveError
            A move that is not legal here; the message says why.
        FormatError
            A text that cannot be read.

        Examples
        --------
        >>> Position.start().play("8/5 6/5", (3, 1)).pips
        (167, 163)
        """
        cdef Move known
        cdef int die1 = 0, die2 = 0
        if isinstance(move, Move):
            known = move
            if dice is not None:
                roll_of(dice, &die1, &die2)
                if (max(die1, die2), min(die1, die2)) != known.dice:
                    raise IllegalMoveError(f"{known} was made with {known.dice}, not with {(die1, die2)}")
            if known.parent == self:
                return known.position
            raise IllegalMoveError(f"{known} is a move of another position")
        if not isinstance(move, str):
            raise TypeError(f"move must be a Move or a text, not {type_name(move)}")
        return Move.parse(move, self, dice).position

    def __eq__(self, other):
        cdef Position second
        if not isinstance(other, Position):
            return NotImplemented
        second = other
        return bool(same_position(&self.packed, &second.packed)) and (
            self.rule_set is second.rule_set or self.rule_set.variant == second.rule_set.variant
        )

    def __hash__(self):
        return <Py_hash_t>(position_hash(&self.packed) >> 1)

    def __reduce__(self):
        return restored_position, (1, self.rule_set.variant, self.to_bytes())

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"<Position {self.id}>"

    def __str__(self):
        from vrhcaby.drawing import text

        return text.board(self.own, self.opponent, self.variant)

    def _repr_svg_(self):
        from vrhcaby.drawing import svg

        return svg.board(self.own, self.opponent, self.variant)


cdef list unpack_rows(object positions, RuleSet rule_set):
    cdef Rows rows = checked_rows(positions, "positions", rule_set)
    return [new_position(rule_set, &rows.items[i]) for i in range(rows.size)]


def restored_position(version, variant, data):
    """The position that a pickle holds."""
    if version != 1:
        raise PositionError(f"a pickled position of format {version}; this version of vrhcaby reads format 1")
    return Position.from_bytes(data, variant=variant)


@cython.final
cdef class Move:
    """Move()\n--\n\nOne player's whole turn: what is done with one roll. Made by `Position.moves` and `Move.parse`.

    Examples
    --------
    >>> move = Move.parse("6/5 8/5", Position.start(), (1, 3))
    >>> str(move), move.dice, move.steps
    ('8/5 6/5', (3, 1), ((8, 5), (6, 5)))
    """

    cdef Position parent
    cdef vr_position child
    cdef int large
    cdef int small
    cdef tuple path

    def __cinit__(self):
        # Not from here: a pass of the start position, so that native code may trust any object.
        self.parent = _usual_position
        self.child = flipped(&_usual_position.packed)
        self.large = 1
        self.small = 1
        self.path = ((), ())

    def __init__(self):
        raise TypeError("moves are made by Position.moves and Move.parse")

    @staticmethod
    def parse(text, position, dice=None):
        """The legal move that a text means.

        Parameters
        ----------
        text : str
            As people write it: ``24/18 13/11*``, ``8/5(2) 6/3(2)``, ``bar/20 6/off``, ``bar/24/18*``, ``25/20``,
            ``6/0``; stars may be missing, the parts may come in any order, the hops of one checker may be merged.
        position : Position
        dice : two ints, optional
            The roll. Without it the text must be a legal move of exactly one roll, or have the same result with all.

        Raises
        ------
        IllegalMoveError
            No legal move, or more than one, is meant; the message says why.
        FormatError
            A text that cannot be read.

        Examples
        --------
        >>> Move.parse("8/5 6/5", Position.start()).dice
        (3, 1)
        """
        from vrhcaby import notation

        cdef Position board
        cdef Move move
        if not isinstance(position, Position):
            raise TypeError(f"position must be a Position, not {type_name(position)}")
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type_name(text)}")
        board = position
        cdef int die1 = 0, die2 = 0
        if dice is not None:
            roll_of(dice, &die1, &die2)
            rolled = (max(die1, die2), min(die1, die2))
            moves = board.moves(rolled)
            finals = [((<Move>m).after_own(), (<Move>m).after_opponent()) for m in moves]
            try:
                return moves[notation.find(text, board.own, board.opponent, board.variant, rolled, finals)]
            except IllegalMoveError:
                # Merged hops can look like an order that is not legal: 24/19 24/9 where the runner goes 19/9 first.
                for known in moves:
                    if str(known) == text.strip():
                        return known
                raise
        found = {}
        failure = None
        for rolled, _ in ROLLS:
            try:
                move = Move.parse(text, board, rolled)
            except IllegalMoveError as error:
                failure = error
                continue
            # 8/5 6/5 is a 3-1, and also a 1-1 whose four steps have the same result: the shorter is meant
            known = found.get(move.position)
            if known is None or len(move.steps) < len(known.steps):
                found[move.position] = move
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            rolls = ", ".join(f"{m.dice[0]}-{m.dice[1]}" for m in found.values())
            raise IllegalMoveError(f"{text!r} is legal with several rolls ({rolls}): say which with dice=")
        raise IllegalMoveError(f"{text!r} is not legal with any roll") from failure

    cdef tuple after_own(self):
        return side_tuple(self.child.opp)

    cdef tuple after_opponent(self):
        return side_tuple(self.child.own)

    cdef tuple found_path(self):
        """(steps, hits) of the canonical path, found when asked for the first time."""
        if self.path is None:
            self.path = canonical_path(self.parent.rule_set, &self.parent.packed, &self.child, self.large, self.small)
        return self.path

    @property
    def dice(self):
        """The roll, larger die first."""
        return self.large, self.small

    @property
    def steps(self):
        """The steps, each (from, to) in the numbering of the player who moves; 25 = bar, 0 = off. () for a pass.

        One canonical path per result: most hits, then fewest steps, then the higher sources.
        """
        return self.found_path()[0]

    @property
    def hits(self):
        """For each step whether it hits."""
        return self.found_path()[1]

    @property
    def position(self):
        """The position after the move, the next player on roll."""
        return new_position(self.parent.rule_set, &self.child)

    def __eq__(self, other):
        cdef Move second
        if not isinstance(other, Move):
            return NotImplemented
        second = other
        return (
            self.large == second.large and self.small == second.small
            and bool(same_position(&self.child, &second.child)) and self.parent == second.parent
        )

    def __hash__(self):
        return hash((position_hash(&self.child), position_hash(&self.parent.packed), self.large, self.small))

    def __reduce__(self):
        return restored_move, (1, self.parent, self.dice, self.position)

    def __str__(self):
        from vrhcaby import notation

        return notation.format_steps(self.steps, self.hits)

    def __repr__(self):
        return f"<Move {self.large}-{self.small}: {self}>"


cdef Position _usual_position = new_position(_usual_rules, &_usual_start)


def restored_move(version, position, dice, after):
    """The move that a pickle holds."""
    if version != 1:
        raise IllegalMoveError(f"a pickled move of format {version}; this version of vrhcaby reads format 1")
    for move in position.moves(dice):
        if move.position == after:
            return move
    raise IllegalMoveError(f"a pickled move that is not legal: {position!r} with {dice} to {after!r}")


cdef struct Path:
    int size
    int froms[4]
    int dice[4]


cdef int find_path(
    Search *search, const Board *board, const vr_position *goal, int left_large, int left_small, int left, Path *path
) noexcept nogil:
    """Finds the first sequence of exactly `left` more steps to the goal. 1 = found, 0 = none, -1 = no memory."""
    cdef vr_position child = swapped(board)
    cdef Board after
    cdef uint32_t froms
    cdef int i, index, found
    if left == 0:
        return same_position(&child, goal)
    found = see(search.scratch, &child, node_tag(board, left_large, left_small))
    if found <= 0:
        return found
    for i in range(2):
        if (left_small if i else left_large) == 0:
            continue
        froms = sources(search.rules, board, search.dice[i], search.head_cap)
        while froms:
            index = lowest_bit(froms)
            froms &= froms - 1
            after = board[0]
            step(search.rules, &after, index, search.dice[i])
            if not lawful_step(search, &after):
                continue
            path.froms[path.size] = index
            path.dice[path.size] = search.dice[i]
            path.size += 1
            found = find_path(search, &after, goal, left_large - (i == 0), left_small - (i == 1), left - 1, path)
            if found:
                return found
            path.size -= 1
    return 0


cdef tuple canonical_path(
    RuleSet rule_set, const vr_position *parent, const vr_position *child, int large, int small
):
    """The canonical steps and hits between a position and one of its children.

    All paths to one result hit the same checkers, so fewest steps decide, then the higher sources. With doubles the
    first path found has the highest sources; with two different dice the two orders are compared.
    """
    cdef Search search
    cdef Scratch scratch
    cdef Board board
    cdef Path path, best
    cdef int found = 0, length, order
    memset(&scratch, 0, sizeof(Scratch))
    search.rules = &rule_set.rules
    search.scratch = &scratch
    search.dice[0] = large
    search.dice[1] = small
    search.pairs = large != small
    search.opp_off = slot_count(parent.opp, OFF)
    open_board(&rule_set.rules, parent, &board)
    best.size = 0
    try:
        if best_cap(&search, parent, &board, large, small) < 0:
            raise MemoryError("looking for a path")
        for length in range(5):
            for order in range(2 if large != small and length else 1):
                if order:
                    search.dice[0], search.dice[1] = small, large
                forget(&scratch)
                path.size = 0
                if search.pairs:
                    found = find_path(&search, &board, child, 1, 1 if length != 1 else 0, length, &path)
                else:
                    found = find_path(&search, &board, child, 4, 0, length, &path)
                if found < 0:
                    raise MemoryError("looking for a path")
                if found and (order == 0 or best.size == 0 or higher_sources(&path, &best)):
                    best = path
            if best.size or found:
                return path_steps(&rule_set.rules, &board, &best)
            search.dice[0], search.dice[1] = large, small
    finally:
        free_scratch(&scratch)
    raise SystemError("a move without a path")


cdef bint higher_sources(const Path *path, const Path *than) noexcept nogil:
    cdef int i
    for i in range(path.size):
        if path.froms[i] != than.froms[i]:
            return path.froms[i] < than.froms[i]
    return False


cdef tuple path_steps(const Rules *rules, const Board *start, const Path *path):
    cdef Board board = start[0]
    cdef int i, target
    steps = []
    hits = []
    for i in range(path.size):
        target = path.froms[i] + path.dice[i]
        steps.append((BAR - path.froms[i], BAR - target if target < BAR else OFF))
        hits.append(bool(target < BAR and board.blot >> target & 1))
        step(rules, &board, path.froms[i], path.dice[i])
    return tuple(steps), tuple(hits)


# ---------------------------------------------------------------------------------------------------------------------
# Perft
# ---------------------------------------------------------------------------------------------------------------------

cdef struct Levels:
    Buffer buffers[16]
    Scratch scratch


cdef int no_memory() except -1 nogil:
    with gil:
        raise MemoryError("counting sequences")


cdef int check_signals() except -1 nogil:
    with gil:
        return PyErr_CheckSignals()


cdef int count_sequences(
    const Rules *rules, const vr_position *position, int depth, Levels *levels, uint64_t *total
) except -1 nogil:
    cdef View view
    cdef Buffer *buffer = &levels.buffers[depth]
    cdef int64_t i, found
    cdef int k
    if depth == 0 or is_over(rules, position):
        total[0] += 1
        return 0
    if depth == 2:
        check_signals()  # every few milliseconds
    prepare(rules, position, &view)
    for k in range(21):
        if depth == 1:
            found = number_of_turns(rules, &view, ROLL_LARGE[k], ROLL_SMALL[k], &levels.scratch)
            if found < 0:
                no_memory()
            total[0] += <uint64_t>found
            continue
        buffer.size = 0
        if all_turns(rules, &view, ROLL_LARGE[k], ROLL_SMALL[k], buffer, &levels.scratch) < 0:
            no_memory()
        for i in range(buffer.size):
            count_sequences(rules, &buffer.items[i], depth - 1, levels, total)
    return 0


@cython.internal
@cython.final
cdef class PerftJob:
    cdef Rows rows
    cdef RuleSet rule_set
    cdef int depth

    def count(self, tuple block):
        cdef int64_t first = block[0], last = block[1], row
        cdef Levels levels
        cdef uint64_t total = 0
        cdef int k
        memset(&levels, 0, sizeof(Levels))
        try:
            with nogil:
                for row in range(first, last):
                    count_sequences(&self.rule_set.rules, &self.rows.items[row], self.depth, &levels, &total)
        finally:
            for k in range(16):
                free(levels.buffers[k].items)
            free_scratch(&levels.scratch)
        return total


def perft(position, depth, *, workers=1):
    """Number of sequences of (roll, move) of a given length.

    Moves are distinct within one roll; positions are not merged between rolls or parents; all 21 rolls count once;
    a pass counts 1; a finished game counts 1 and is not expanded.

    Parameters
    ----------
    position : Position
    depth : int
        Number of turns, from 0 to 15.
    workers : int or None
        Number of threads, None = all usable cores.

    Raises
    ------
    TypeError, ValueError
        A depth that is no whole number from 0 to 15, or `workers` below 1.

    Examples
    --------
    >>> perft(Position.start(), 2)
    202782
    """
    cdef Position board
    cdef PerftJob job = PerftJob.__new__(PerftJob)
    cdef int threads = check_workers(workers)
    cdef cnp.ndarray rows
    if not isinstance(position, Position):
        raise TypeError(f"position must be a Position, not {type_name(position)}")
    board = position
    turns_left = whole_number(depth, "depth", 0, 15)
    rows = pack([board])
    if turns_left > 1 and not board.is_over:
        rows, _ = legal_moves(rows, variant=board.variant)
        turns_left -= 1
    job.rule_set = board.rule_set
    job.rows = checked_rows(rows, "positions", board.rule_set)
    job.depth = turns_left
    return sum(run(job.count, job.rows.size, 1, threads))


# ---------------------------------------------------------------------------------------------------------------------
# Random games
# ---------------------------------------------------------------------------------------------------------------------

class Playouts(NamedTuple):
    """Results of uniformly random games. Element i belongs to game `first_game` + i.

    Attributes
    ----------
    winners : (n,) int8 array
        0 = the player on roll in the position given, 1 = his opponent, -1 = a draw.
    points : (n,) int8 array
        What the winner gets, 0 for a draw.
    turns : (n,) int32 array
        How many rolls were made.
    seed : int
        The seed; the same seed gives the same games.
    """

    winners: np.ndarray
    points: np.ndarray
    turns: np.ndarray
    seed: int


cdef bint can_ever_move(const Rules *rules, const vr_position *position, Scratch *scratch) noexcept nogil:
    """Whether some die can be played by the player on roll."""
    cdef View view
    cdef vr_position unmoved = flipped(position)
    cdef int die
    prepare(rules, position, &view)
    for die in range(1, 7):
        scratch.results.size = 0
        if all_turns(rules, &view, die, die, &scratch.results, scratch) < 0:
            return True
        if scratch.results.size != 1 or not same_position(&scratch.results.items[0], &unmoved):
            return True
    return False


cdef int random_game(
    const Rules *rules, const vr_position *start, uint64_t seed, uint64_t game, bint opening, Scratch *scratch,
    int8_t *winner, int8_t *points, int32_t *length
) noexcept nogil:
    cdef View view
    cdef vr_position position = start[0]
    cdef const vr_position *child
    cdef int die1 = 0, die2 = 0, found, mover = 0, passes = 0
    cdef uint32_t turn = 0
    cdef int64_t count, choice
    cdef bint last = False
    while True:
        found = outcome(rules, &position)
        if last or found:
            # the player on roll did not move last: a finished game is his loss
            if last and slot_count(position.opp, OFF) == rules.checkers:
                winner[0] = -1
                points[0] = 0
                break
            if last:
                winner[0] = 0
                points[0] = <int8_t>rules.points[result_class(rules, position.opp) - 1]
                break
            if found < 0 and mover == 1 and (
                rules.last_roll == LAST_ROLL_SECOND_PLAYER
                or (rules.last_roll == LAST_ROLL_GE14 and slot_count(position.own, OFF) >= 14)
            ):
                last = True  # the starter is out, the second player rolls once more
            else:
                winner[0] = <int8_t>(1 - mover if found < 0 else mover)
                points[0] = <int8_t>rules.points[(-found if found < 0 else found) - 1]
                break
        turn += 1
        if turn == 1 and opening and rules.both_dice:
            opening_roll(seed, game, &die1, &die2)
        else:
            roll(seed, game, turn, &die1, &die2)
        prepare(rules, &position, &view)
        count = number_of_turns(rules, &view, die1, die2, scratch)
        if count < 0:
            return NO_MEMORY
        choice = choose(seed, game, turn, <uint64_t>count)
        child = chosen_turn(rules, &view, die1, die2, choice, scratch)
        if child == NULL:
            return NO_MEMORY
        if child.opp[0] == position.own[0] and child.opp[1] == position.own[1]:
            passes += 1
        else:
            passes = 0
        position = child[0]
        mover ^= 1
        if passes >= 2 and passes % 2 == 0 and is_stuck(rules, &position, scratch):
            return STUCK
    length[0] = <int32_t>turn
    return DONE


cdef bint is_stuck(const Rules *rules, const vr_position *position, Scratch *scratch) noexcept nogil:
    """Whether neither side can ever move again."""
    cdef vr_position other = flipped(position)
    return not can_ever_move(rules, position, scratch) and not can_ever_move(rules, &other, scratch)


@cython.internal
@cython.final
cdef class PlayoutJob:
    cdef Position position
    cdef uint64_t seed
    cdef int64_t first_game
    cdef bint opening
    cdef int8_t *winners
    cdef int8_t *points
    cdef int32_t *lengths

    def play(self, tuple block):
        cdef int64_t first = block[0], last = block[1], i = 0
        cdef Scratch scratch
        cdef int status = DONE
        memset(&scratch, 0, sizeof(Scratch))
        with nogil:
            for i in range(first, last):
                status = random_game(
                    &self.position.rule_set.rules, &self.position.packed, self.seed, <uint64_t>(self.first_game + i),
                    self.opening, &scratch, &self.winners[i], &self.points[i], &self.lengths[i],
                )
                if status != DONE:
                    break
            free_scratch(&scratch)
        if status == NO_MEMORY:
            raise MemoryError("playouts")
        if status == STUCK:
            raise PositionError(f"game {self.first_game + i} cannot end: neither side can ever move again")


def playouts(position, games, *, seed=None, workers=1, first_game=0, opening=False):
    """Plays games to the end with uniformly random moves.

    Parameters
    ----------
    position : Position
    games : int
        How many games.
    seed : int, optional
        64-bit seed of dice and choices; None takes one from the system. Game i of a seed is always the same.
    workers : int or None
        Number of threads, None = all usable cores. The result does not depend on it.
    first_game : int
        Number of the first game, to continue a series.
    opening : bool
        Whether the first roll is that of the start of a game: without doubles where the starter plays the dice of
        the draw. The player on roll is the starter.

    Returns
    -------
    Playouts
        winners, points, turns and seed. In variants with a last roll the player on roll counts as the starter.

    Raises
    ------
    PositionError
        The game cannot end: neither side can ever move again.
    TypeError, ValueError
        Something that is not a number of the right range.

    Examples
    --------
    >>> games = playouts(Position.start(), 1000, seed=1)
    >>> len(games.winners), int(games.points.max())
    (1000, 3)
    """
    cdef PlayoutJob job = PlayoutJob.__new__(PlayoutJob)
    cdef int threads = check_workers(workers)
    cdef int64_t n = whole_number(games, "games", 0)
    if not isinstance(position, Position):
        raise TypeError(f"position must be a Position, not {type_name(position)}")
    if not isinstance(opening, bool):
        raise TypeError(f"opening = {opening!r}: must be True or False")
    chosen = new_seed() if seed is None else seed
    job.position = position
    job.seed = checked_seed(chosen)
    job.first_game = whole_number(first_game, "first_game", 0)
    job.opening = opening
    cdef cnp.ndarray winners = new_array(cnp.NPY_INT8, n)
    cdef cnp.ndarray points = new_array(cnp.NPY_INT8, n)
    cdef cnp.ndarray lengths = new_array(cnp.NPY_INT32, n)
    job.winners = <int8_t *>cnp.PyArray_DATA(winners)
    job.points = <int8_t *>cnp.PyArray_DATA(points)
    job.lengths = <int32_t *>cnp.PyArray_DATA(lengths)
    run(job.play, n, 256, threads)
    return Playouts(winners, points, lengths, job.seed)
