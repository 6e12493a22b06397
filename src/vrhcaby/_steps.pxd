"""One checker step under the rules of a variant: which steps are legal, and what a step does."""

from libc.stdint cimport uint32_t, uint64_t

from vrhcaby._position cimport (
    ALL_POINTS,
    BAR,
    HEAD,
    HOME,
    OFF,
    OUTSIDE,
    bit_count,
    half_turn,
    highest_bit,
    path_masks,
    six_in_a_row,
    slot_count,
    slot_masks,
    vr_position,
)


cdef extern from "steps.h" nogil:
    const uint64_t step_words "vr_step"[7][25][2]
    const uint64_t hit_words "vr_hit"[25][2]


cdef enum:
    HEAD_NONE = 0
    HEAD_GENERAL = 1
    HEAD_LISTED = 2
    HEAD_DOUBLES346 = 3

cdef enum:
    BLOCK_NONE = 0
    BLOCK_AHEAD_PAST = 1
    BLOCK_AHEAD_HOME = 2
    BLOCK_START_QUARTER = 3

cdef enum:
    OVER_HIGHEST = 0
    OVER_NONE = 1
    OVER_FREE = 2

cdef enum:
    WIN_NONE = 0
    WIN_ANY = 1
    WIN_ALL = 2

cdef enum:
    LAST_ROLL_NONE = 0
    LAST_ROLL_SECOND_PLAYER = 1
    LAST_ROLL_GE14 = 2

# 19..24, one's own start quarter, and everything on point 11 or lower, as path indices.
cdef enum:
    START_QUARTER = 0x7e
    PAST_ENEMY_START = 0x1ffc000


cdef struct Rules:
    int checkers
    bint contrary
    int head_cap          # 0 = no limit
    int head_exception
    int block_rule
    bint block_transient
    bint unblock
    bint runner
    bint hit_and_run
    bint greedy
    bint larger_die
    int over_bear
    bint both_dice        # the starter plays the dice of the draw
    int backgammon        # WIN_...
    int last_roll
    int points[3]


cdef struct Board:
    # A side's turn under way. Sides are not swapped; sets are path indices of the mover.
    uint64_t own[2]
    uint64_t opp[2]
    uint32_t occupied     # own checkers, 0 (bar) to 24
    uint32_t open         # where a checker may land, 1..24
    uint32_t blot         # where it would hit
    uint32_t opp_path     # parallel: opponent's checkers in his own path indices
    uint32_t frozen       # where a checker stands that has hit at home and may not move on
    int head_used


cdef inline void open_board(const Rules *rules, const vr_position *position, Board *board) noexcept nogil:
    cdef uint32_t opp_any, opp_two, own_two
    board.own[0] = position.own[0]
    board.own[1] = position.own[1]
    board.opp[0] = position.opp[0]
    board.opp[1] = position.opp[1]
    board.frozen = 0
    board.head_used = 0
    board.opp_path = 0
    path_masks(position.own, &board.occupied, &own_two)
    board.occupied &= ALL_POINTS | 1
    if rules.contrary:
        slot_masks(position.opp, &opp_any, &opp_two)
        board.open = ~opp_two & ALL_POINTS
        board.blot = opp_any & ~opp_two & ALL_POINTS
    else:
        path_masks(position.opp, &opp_any, &opp_two)
        board.opp_path = opp_any & ALL_POINTS
        board.open = ~half_turn(board.opp_path) & ALL_POINTS
        board.blot = 0


cdef inline bint block_stands(
    const Rules *rules, uint32_t occupied, uint32_t opp_path, int opp_off
) noexcept nogil:
    """Whether a forbidden block stands. RULES 2.7.5: windows are contiguous on the opponent's path."""
    cdef uint32_t runs
    if rules.block_rule == BLOCK_START_QUARTER:
        return occupied & START_QUARTER == START_QUARTER
    if rules.block_rule == BLOCK_NONE or opp_off:
        return False
    runs = six_in_a_row(half_turn(occupied))
    if runs == 0:
        return False
    if rules.block_rule == BLOCK_AHEAD_HOME:
        return opp_path & HOME == 0
    # the window furthest along his path is the strictest: somebody must be beyond its end
    return opp_path >> (highest_bit(runs) + 6) == 0


cdef inline bint traps_gathered(const Rules *rules, const vr_position *child) noexcept nogil:
    """Whether the side that has just moved holds the six points in front of an opponent gathered on one point."""
    cdef uint32_t gathered, two, occupied
    cdef int index
    path_masks(child.own, &gathered, &two)  # the child is the opponent's: he is on roll
    gathered &= ALL_POINTS
    if gathered == 0 or gathered & (gathered - 1) or slot_count(child.own, OFF):
        return False
    index = highest_bit(gathered)
    if index > 18:
        return False
    path_masks(child.opp, &occupied, &two)
    return half_turn(occupied & ALL_POINTS) >> (index + 1) & 0x3f == 0x3f


cdef inline uint32_t sources(const Rules *rules, const Board *board, int die, int head_cap) noexcept nogil:
    """The path indices from which this die may be played; the block rule is left to the caller."""
    cdef uint32_t occupied = board.occupied
    cdef uint32_t found, beyond
    if occupied & 1:
        return board.open >> die & 1
    found = occupied & board.open >> die
    if occupied & OUTSIDE == 0:
        found |= occupied & <uint32_t>1 << (25 - die)
        beyond = occupied & ~((<uint32_t>2 << (25 - die)) - 1)  # nearer to the end than the die
        if rules.over_bear == OVER_FREE:
            found |= beyond
        elif rules.over_bear == OVER_HIGHEST and beyond == occupied:
            found |= beyond & -beyond
    if head_cap and board.head_used >= head_cap:
        found &= ~<uint32_t>HEAD
    if (
        rules.runner and occupied & PAST_ENEMY_START == 0 and occupied & ~<uint32_t>HEAD
        and slot_count(board.own, OFF) == 0
    ):
        found &= ~<uint32_t>HEAD
    if board.frozen & found:
        found = without_frozen(board, found)
    return found


cdef inline uint32_t without_frozen(const Board *board, uint32_t found) noexcept nogil:
    cdef uint32_t frozen = board.frozen & found
    cdef int index
    while frozen:
        index = highest_bit(frozen)
        frozen ^= <uint32_t>1 << index
        if slot_count(board.own, BAR - index) == 1:
            found ^= <uint32_t>1 << index
    return found


cdef inline void step(const Rules *rules, Board *board, int index, int die) noexcept nogil:
    """Moves one checker from a path index that `sources` gave."""
    cdef int target = index + die
    cdef uint32_t landing
    board.own[0] += step_words[die][index][0]
    board.own[1] += step_words[die][index][1]
    if slot_count(board.own, BAR - index) == 0:
        board.occupied ^= <uint32_t>1 << index
    if index == 1:
        board.head_used += 1
    if target < 25:
        landing = <uint32_t>1 << target
        board.occupied |= landing
        if board.blot & landing:
            board.blot ^= landing
            board.opp[0] += hit_words[target][0]
            board.opp[1] += hit_words[target][1]
            if not rules.hit_and_run:
                board.frozen |= landing & HOME


cdef inline int result_class(const Rules *rules, const uint64_t *loser) noexcept nogil:
    """1 = single, 2 = gammon, 3 = backgammon, from the side that has not borne everything off."""
    cdef uint32_t occupied, two, there
    if slot_count(loser, OFF):
        return 1
    if rules.backgammon == WIN_NONE:
        return 2
    path_masks(loser, &occupied, &two)
    # the bar and the winner's home: 19..25 of the loser, in parallel variants his 13..18
    there = 0x7f if rules.contrary else 0x1f80
    if rules.backgammon == WIN_ANY:
        return 3 if occupied & there else 2
    return 3 if occupied & (ALL_POINTS | 1) & ~there == 0 else 2


cdef inline int outcome(const Rules *rules, const vr_position *position) noexcept nogil:
    """0 = not over; else the class of the result, negative if the player on roll has lost."""
    if slot_count(position.opp, OFF) == rules.checkers:
        return -result_class(rules, position.own)
    if slot_count(position.own, OFF) == rules.checkers:
        return result_class(rules, position.opp)
    return 0
