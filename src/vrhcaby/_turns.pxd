"""Whole turns: every distinct result of one roll, once, in the documented order.

The order is a format. Step sequences are visited depth first, at every node the unused dice from the larger to the
smaller and for each die the sources from the bar down to point 1, a node before its descendants; results come in the
order in which sequences that the rules accept as a whole turn first reach them.

Two drivers give it. `search_turn` does literally that for every rule, with a table of what it has seen. `turn` is the
fast one: with two different dice it writes down in closed form which pairs of steps coincide (only the two ways of one
checker over two intermediate points, and the pair that moves a checker on from there and another one up to it); with
doubles it takes sources in path order only, which yields each result once. It hands over to `search_turn` wherever the
order of steps can matter in another way.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from vrhcaby._position cimport (
    ALL_POINTS,
    BAR,
    HEAD,
    HOME,
    OFF,
    OUTSIDE,
    bit_count,
    flipped,
    fold,
    half_turn,
    highest_bit,
    lowest_bit,
    path_counts,
    path_masks,
    same_position,
    six_in_a_row,
    slot_count,
    slot_masks,
    vr_position,
)
from vrhcaby._steps cimport (
    BLOCK_AHEAD_HOME,
    BLOCK_AHEAD_PAST,
    BLOCK_NONE,
    BLOCK_START_QUARTER,
    HEAD_DOUBLES346,
    HEAD_LISTED,
    HEAD_NONE,
    OVER_HIGHEST,
    PAST_ENEMY_START,
    START_QUARTER,
    Board,
    Rules,
    block_stands,
    hit_words,
    open_board,
    sources,
    step,
    step_words,
    traps_gathered,
)


# ---------------------------------------------------------------------------------------------------------------------
# Where results go
# ---------------------------------------------------------------------------------------------------------------------

cdef struct Buffer:
    # A growing array of positions, next player on roll. If `fixed`, the memory is the caller's and cannot grow.
    vr_position *items
    int64_t size
    int64_t capacity
    bint fixed


cdef inline vr_position *reserve(Buffer *buffer, int64_t count) noexcept nogil:
    """Room for `count` more positions, already counted as appended. NULL if there is no memory."""
    cdef int64_t capacity
    cdef vr_position *items
    if buffer.size + count > buffer.capacity:
        if buffer.fixed:
            return NULL
        capacity = 2 * (buffer.size + count) + 64
        items = <vr_position *>realloc(buffer.items, <size_t>capacity * sizeof(vr_position))
        if items == NULL:
            return NULL
        buffer.items = items
        buffer.capacity = capacity
    buffer.size += count
    return buffer.items + (buffer.size - count)


cdef inline int append(Buffer *out, const Buffer *results) noexcept nogil:
    cdef vr_position *place = reserve(out, results.size)
    cdef int64_t i
    if place == NULL:
        return -1
    for i in range(results.size):
        place[i] = results.items[i]
    return 0


cdef struct Entry:
    vr_position position
    uint64_t tag
    uint64_t stamp


cdef struct Scratch:
    # What one thread needs beside its output: results that must be looked at again, and what a search has seen.
    Buffer results
    Buffer turns              # of a general search, before its last filter
    Entry *seen
    int64_t seen_size
    int64_t seen_capacity     # a power of two, or 0
    uint64_t stamp            # entries of older searches do not count


cdef inline void free_scratch(Scratch *scratch) noexcept nogil:
    free(scratch.results.items)
    free(scratch.turns.items)
    free(scratch.seen)
    memset(scratch, 0, sizeof(Scratch))


cdef inline int64_t seen_slot(
    const Scratch *scratch, const vr_position *position, uint64_t tag
) noexcept nogil:
    cdef uint64_t mask = <uint64_t>scratch.seen_capacity - 1
    cdef uint64_t at = fold(
        position.own[0] ^ position.opp[1] * <uint64_t>0x9e3779b97f4a7c15 ^ tag,
        position.own[1] ^ position.opp[0] * <uint64_t>0xd1b54a32d192ed03 ^ <uint64_t>0x2545f4914f6cdd1d,
    ) & mask
    cdef const Entry *entry
    while True:
        entry = &scratch.seen[at]
        if entry.stamp != scratch.stamp or (entry.tag == tag and same_position(&entry.position, position)):
            return <int64_t>at
        at = (at + 1) & mask


cdef inline int see(Scratch *scratch, const vr_position *position, uint64_t tag) noexcept nogil:
    """1 if this was not seen before under this tag, 0 if it was, -1 without memory."""
    cdef Entry *old = scratch.seen
    cdef int64_t old_capacity = scratch.seen_capacity
    cdef int64_t capacity, i, at
    if 2 * (scratch.seen_size + 1) > old_capacity:
        capacity = 2 * old_capacity if old_capacity else 256
        scratch.seen = <Entry *>malloc(<size_t>capacity * sizeof(Entry))
        if scratch.seen == NULL:
            scratch.seen = old
            return -1
        scratch.seen_capacity = capacity
        memset(scratch.seen, 0, <size_t>capacity * sizeof(Entry))
        for i in range(old_capacity):
            if old[i].stamp == scratch.stamp:
                scratch.seen[seen_slot(scratch, &old[i].position, old[i].tag)] = old[i]
        free(old)
    at = seen_slot(scratch, position, tag)
    if scratch.seen[at].stamp == scratch.stamp:
        return 0
    scratch.seen[at].position = position[0]
    scratch.seen[at].tag = tag
    scratch.seen[at].stamp = scratch.stamp
    scratch.seen_size += 1
    return 1


cdef inline void forget(Scratch *scratch) noexcept nogil:
    scratch.stamp += 1
    scratch.seen_size = 0


# ---------------------------------------------------------------------------------------------------------------------
# The general driver
# ---------------------------------------------------------------------------------------------------------------------

cdef enum:
    RESULT = 0xff  # tag of whole turns among what a search has seen

cdef struct Search:
    const Rules *rules
    Scratch *scratch
    Buffer *out
    int dice[2]       # larger, smaller
    int head_cap
    int opp_off       # the opponent bears nothing off during my turn
    int depth         # collect: only turns of so many steps; -1 = turns that cannot go on (greedy)
    bint pairs        # two different dice


cdef inline vr_position swapped(const Board *board) noexcept nogil:
    cdef vr_position child
    child.own[0] = board.opp[0]
    child.own[1] = board.opp[1]
    child.opp[0] = board.own[0]
    child.opp[1] = board.own[1]
    return child


cdef inline bint lawful_step(const Search *search, const Board *board) noexcept nogil:
    return search.rules.block_transient or not block_stands(
        search.rules, board.occupied, board.opp_path, search.opp_off
    )


cdef inline bint lawful_end(const Search *search, const Board *board) noexcept nogil:
    return not search.rules.block_transient or not block_stands(
        search.rules, board.occupied, board.opp_path, search.opp_off
    )


cdef inline uint64_t node_tag(const Board *board, int left_large, int left_small) noexcept nogil:
    return (
        <uint64_t>left_large | <uint64_t>left_small << 3 | <uint64_t>board.head_used << 6
        | <uint64_t>board.frozen << 16
    )


cdef inline int longest(Search *search, const Board *board, int left_large, int left_small, int used) noexcept nogil:
    """The most steps of a lawful turn from here, or -1 if none is lawful; -2 without memory."""
    cdef int best = used if lawful_end(search, board) else -1
    cdef int i, index, found, fresh
    cdef uint32_t froms
    cdef Board after
    cdef vr_position key
    if left_large + left_small == 0:
        return best
    key = swapped(board)
    fresh = see(search.scratch, &key, node_tag(board, left_large, left_small))
    if fresh <= 0:
        return -2 if fresh < 0 else -1
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
            found = longest(search, &after, left_large - (i == 0), left_small - (i == 1), used + 1)
            if found == -2:
                return -2
            if found > best:
                best = found
            if best == used + left_large + left_small:
                return best
    return best


cdef inline int collect(Search *search, const Board *board, int left_large, int left_small, int used) noexcept nogil:
    """Appends the turns from here that are whole. 1 if a lawful turn ends here or beyond, 0 if none; -2 = no memory."""
    cdef int i, index, found, fresh
    cdef bint beyond = False
    cdef uint32_t froms
    cdef Board after
    cdef vr_position child
    cdef vr_position *place
    if search.depth >= 0 and used < search.depth:
        child = swapped(board)
        fresh = see(search.scratch, &child, node_tag(board, left_large, left_small))
        if fresh <= 0:
            return 0 if fresh == 0 else -2
    if used != search.depth:
        for i in range(2):
            if (left_small if i else left_large) == 0:
                continue
            if i == 1 and search.depth == 1 and search.rules.larger_die and search.out.size > 0:
                continue
            froms = sources(search.rules, board, search.dice[i], search.head_cap)
            while froms:
                index = lowest_bit(froms)
                froms &= froms - 1
                after = board[0]
                step(search.rules, &after, index, search.dice[i])
                if not lawful_step(search, &after):
                    continue
                found = collect(search, &after, left_large - (i == 0), left_small - (i == 1), used + 1)
                if found == -2:
                    return -2
                beyond |= found
    if not lawful_end(search, board):
        return beyond
    if used == search.depth or (search.depth < 0 and not beyond):
        child = swapped(board)
        fresh = see(search.scratch, &child, RESULT)
        if fresh < 0:
            return -2
        if fresh:
            place = reserve(search.out, 1)
            if place == NULL:
                return -2
            place[0] = child
    return 1


cdef inline bint exception_applies(
    const Rules *rules, const vr_position *position, int large, int small
) noexcept nogil:
    """Whether this first turn with this roll may take one checker more from the head (RULES 2.7.4)."""
    cdef uint32_t path, two, others
    if rules.head_exception == HEAD_NONE or slot_count(position.own, 24) != rules.checkers:
        return False
    if rules.head_exception != HEAD_DOUBLES346 and rules.head_exception != HEAD_LISTED:
        return True
    if large == small and (large == 3 or large == 4 or large == 6):
        return True
    if rules.head_exception != HEAD_LISTED:
        return False
    if not ((large == 5 and small == 5) or (large == 6 and small == 2)):
        return False
    # after 2-1, 6-2 or 5-5 the opponent has one checker on his 21, 16 or 4
    path_masks(position.opp, &path, &two)
    others = path & ~<uint32_t>HEAD & ALL_POINTS
    return slot_count(position.opp, 24) == rules.checkers - 1 and (
        others == <uint32_t>1 << (25 - 21) or others == <uint32_t>1 << (25 - 16) or others == <uint32_t>1 << (25 - 4)
    )


cdef inline int best_cap(
    Search *search, const vr_position *position, const Board *board, int large, int small
) noexcept nogil:
    """Sets the head cap that holds for this turn; returns the most steps that can be played, -2 without memory."""
    cdef int left_large = 1 if search.pairs else 4
    cdef int left_small = 1 if search.pairs else 0
    cdef int most, more
    search.head_cap = search.rules.head_cap
    forget(search.scratch)
    most = longest(search, board, left_large, left_small, 0)
    if most >= 0 and search.head_cap and exception_applies(search.rules, position, large, small):
        search.head_cap += 1
        forget(search.scratch)
        more = longest(search, board, left_large, left_small, 0)
        if more == -2:
            return -2
        if more > most:
            return more
        search.head_cap -= 1
    return most


cdef inline int64_t search_turn(
    const Rules *rules, const vr_position *position, int large, int small, Buffer *out, Scratch *scratch
) noexcept nogil:
    """Appends every result of a roll under any rules. Returns how many, -1 without memory."""
    cdef Search search
    cdef Board board
    cdef Buffer *found = &scratch.turns
    cdef int64_t i, kept
    search.rules = rules
    search.scratch = scratch
    search.dice[0] = large
    search.dice[1] = small
    search.pairs = large != small
    search.opp_off = slot_count(position.opp, OFF)
    open_board(rules, position, &board)
    search.depth = best_cap(&search, position, &board, large, small)
    if search.depth < 0:
        return -1
    if rules.greedy and search.depth > 1:
        search.depth = -1
    forget(scratch)
    # collected apart: the larger die was playable if there is something when the smaller one has its turn
    found.size = 0
    search.out = found
    if collect(&search, &board, 1 if search.pairs else 4, 1 if search.pairs else 0, 0) == -2:
        return -1
    if rules.unblock:
        kept = 0
        for i in range(found.size):
            kept += not traps_gathered(rules, &found.items[i])
        if kept and kept < found.size:
            kept = 0
            for i in range(found.size):
                if not traps_gathered(rules, &found.items[i]):
                    found.items[kept] = found.items[i]
                    kept += 1
            found.size = kept
    return found.size if append(out, found) == 0 else -1


# ---------------------------------------------------------------------------------------------------------------------
# The fast driver
# ---------------------------------------------------------------------------------------------------------------------

cdef enum:
    # Movement of the presets, resolved at compile time: each value has its own copy of the driver.
    CONTRARY = 0
    NO_HIT_AND_RUN = 1
    PARALLEL = 2

cdef struct View:
    # A position made ready for any roll. Sets are path indices of the player on roll.
    vr_position position
    uint32_t occupied
    uint32_t several      # two or more own checkers (on the head: what the head cap lets leave)
    uint32_t open
    uint32_t blot
    uint32_t opp_path     # parallel: the opponent's checkers in his own path indices
    int kind
    bint bearing_off      # at most one checker outside home: one may come off this turn
    bint general          # every roll needs the general driver
    bint block_near       # parallel: a forbidden block is possible, look at each roll


cdef inline bint has_fast_driver(const Rules *rules) noexcept nogil:
    return not rules.greedy and rules.over_bear == OVER_HIGHEST and rules.head_cap <= 1


cdef inline void prepare(const Rules *rules, const vr_position *position, View *view) noexcept nogil:
    cdef uint32_t opp_any, opp_two
    view.position = position[0]
    path_masks(position.own, &view.occupied, &view.several)
    view.occupied &= ALL_POINTS | 1
    view.general = not has_fast_driver(rules)
    view.block_near = False
    if rules.contrary:
        view.kind = CONTRARY if rules.hit_and_run else NO_HIT_AND_RUN
        slot_masks(position.opp, &opp_any, &opp_two)
        view.open = ~opp_two & ALL_POINTS
        view.blot = opp_any & ~opp_two & ALL_POINTS
    else:
        view.kind = PARALLEL
        path_masks(position.opp, &opp_any, &opp_two)
        opp_any &= ALL_POINTS
        view.opp_path = opp_any
        view.open = ~half_turn(opp_any) & ALL_POINTS
        view.blot = 0
        if rules.head_exception != HEAD_NONE and view.occupied == HEAD:
            view.general = True
        if rules.runner and view.occupied & PAST_ENEMY_START == 0 and slot_count(position.own, OFF) == 0:
            view.general = True
        if rules.unblock and opp_any & (opp_any - 1) == 0:
            view.general = True
        if rules.block_rule == BLOCK_START_QUARTER:
            view.block_near = True
        elif rules.block_rule != BLOCK_NONE:
            view.block_near = slot_count(position.opp, OFF) == 0 and opp_any & HOME == 0
        if rules.head_cap:
            view.several &= ~<uint32_t>HEAD
    view.bearing_off = bit_count(view.occupied & OUTSIDE) < 2 and view.several & OUTSIDE == 0
    if view.kind == PARALLEL and rules.head_cap and slot_count(position.own, 24) > 1:
        view.bearing_off = False


cdef inline bint block_possible(const Rules *rules, const View *view, int large, int small) noexcept nogil:
    """Whether some order of this roll could touch the block rule: each step takes one more point at most."""
    cdef uint32_t occupied = view.occupied & ALL_POINTS
    cdef uint32_t reach, runs, window
    cdef int steps = 4 if large == small else 2
    if large == small:
        reach = occupied << large & view.open
        reach |= reach << large & view.open
        reach |= reach << large & view.open
        reach |= reach << large & view.open
    else:
        reach = (occupied << large & view.open) | (occupied << small & view.open)
        reach |= reach << large & view.open | reach << small & view.open
    reach |= occupied
    if rules.block_rule == BLOCK_START_QUARTER:
        return START_QUARTER & ~reach == 0 and bit_count(START_QUARTER & ~occupied) <= steps
    occupied = half_turn(occupied)
    runs = six_in_a_row(half_turn(reach))
    if rules.block_rule == BLOCK_AHEAD_PAST and view.opp_path:
        # only windows that nobody is past
        runs &= ~((<uint32_t>2 << highest_bit(view.opp_path)) - 1)
    while runs:
        window = (runs & -runs) * 0x3f
        if bit_count(window & ~occupied) <= steps:
            return True
        runs &= runs - 1
    return False


cdef inline int emit(
    Buffer *out, uint64_t own0, uint64_t own1, uint64_t opp0, uint64_t opp1, uint32_t froms, uint32_t blot, int die
) noexcept nogil:
    """Appends what the last step of a turn gives from each of these sources."""
    cdef vr_position *place
    cdef uint32_t hits = froms & blot >> die
    cdef int index, target
    if froms == 0:
        return 0
    place = reserve(out, bit_count(froms))
    if place == NULL:
        return -1
    if hits == 0:
        while froms:
            index = lowest_bit(froms)
            froms &= froms - 1
            place.own[0] = opp0
            place.own[1] = opp1
            place.opp[0] = own0 + step_words[die][index][0]
            place.opp[1] = own1 + step_words[die][index][1]
            place += 1
    else:
        while froms:
            index = lowest_bit(froms)
            froms &= froms - 1
            target = index + die if hits >> index & 1 else 0
            place.own[0] = opp0 + hit_words[target][0]
            place.own[1] = opp1 + hit_words[target][1]
            place.opp[0] = own0 + step_words[die][index][0]
            place.opp[1] = own1 + step_words[die][index][1]
            place += 1
    return 0


cdef inline uint32_t nth_bit(uint32_t mask, int64_t n) noexcept nogil:
    """The n-th lowest bit that is set, as a set of one."""
    while n:
        mask &= mask - 1
        n -= 1
    return mask & -mask


cdef struct Pair:
    # Two different dice, nothing can be borne off and at most one checker is on the bar. Sets of first sources.
    uint32_t large        # the larger die
    uint32_t small        # the smaller die
    uint32_t large_first  # of `large`: the same checker may go on with the smaller die
    uint32_t taken        # of `large`: going on hits nothing on the way, so the pair that looks alike is the same
    uint32_t small_first  # of `small`: one checker, smaller die first, with a result of its own


cdef inline void pair_sets(const View *view, int large, int small, const int kind, Pair *pair) noexcept nogil:
    cdef uint32_t occupied = view.occupied
    cdef uint32_t both
    pair.large = occupied & view.open >> large
    pair.small = occupied & view.open >> small
    both = view.open >> (large + small)
    pair.large_first = pair.large & both
    pair.small_first = pair.small & both & ~(occupied >> small)
    if kind == PARALLEL:
        pair.taken = pair.large
        pair.small_first &= ~pair.large
    else:
        pair.taken = pair.large & ~(view.blot >> large)
        pair.small_first &= ~(pair.taken & ~(view.blot >> small))
        if kind == NO_HIT_AND_RUN:
            pair.large_first &= ~((view.blot & HOME) >> large)
            pair.small_first &= ~((view.blot & HOME) >> small)


cdef inline uint32_t pair_seconds(const View *view, const Pair *pair, int index, int large, int small) noexcept nogil:
    """Where the smaller die may follow after the larger one from `index`."""
    cdef uint32_t source = <uint32_t>1 << index
    cdef uint32_t seconds = pair.small & ~(source & ~view.several)
    seconds |= (pair.large_first >> index & 1) << (index + large)
    return seconds & ~(pair.taken & source >> small)


cdef inline int64_t pair_count(const View *view, int large, int small, const int kind) noexcept nogil:
    cdef Pair pair
    cdef int64_t count
    pair_sets(view, large, small, kind, &pair)
    count = bit_count(pair.large) * bit_count(pair.small)
    count -= bit_count(pair.large & pair.small & ~view.several)
    count += bit_count(pair.large_first & ~(pair.small >> large))
    count -= bit_count(pair.large & (pair.taken & pair.small) << small)
    return count + bit_count(pair.small_first)


cdef inline int singles(
    const Rules *rules, const View *view, uint32_t large_froms, uint32_t small_froms, int large, int small, Buffer *out
) noexcept nogil:
    """One die only can be played, or none: a pass is the position flipped."""
    cdef const vr_position *p = &view.position
    cdef vr_position *place
    if large_froms | small_froms == 0:
        place = reserve(out, 1)
        if place == NULL:
            return -1
        place[0] = flipped(p)
        return 0
    if large_froms and emit(out, p.own[0], p.own[1], p.opp[0], p.opp[1], large_froms, view.blot, large) < 0:
        return -1
    return emit(
        out, p.own[0], p.own[1], p.opp[0], p.opp[1], other_singles(rules, large_froms, small_froms, small),
        view.blot, small,
    )


cdef inline uint32_t other_singles(
    const Rules *rules, uint32_t large_froms, uint32_t small_froms, int small
) noexcept nogil:
    """From where the smaller die alone is legal too, with a result of its own: either die may bear off the same."""
    if large_froms and rules.larger_die:
        return 0
    return small_froms & ~(large_froms & ~((<uint32_t>1 << (25 - small)) - 1))


cdef inline int64_t singles_count(
    const Rules *rules, uint32_t large_froms, uint32_t small_froms, int small
) noexcept nogil:
    if large_froms | small_froms == 0:
        return 1
    return bit_count(large_froms) + bit_count(other_singles(rules, large_froms, small_froms, small))


cdef inline int second_steps(
    const View *view, int first, int die, uint32_t froms, int second_die, Buffer *out
) noexcept nogil:
    """Appends the turns that play `die` from `first`, then `second_die` from each of `froms`."""
    cdef int target = first + die
    cdef const vr_position *p = &view.position
    cdef uint64_t opp0 = p.opp[0]
    cdef uint64_t opp1 = p.opp[1]
    cdef uint32_t blot = view.blot
    if blot >> target & 1:
        opp0 += hit_words[target][0]
        opp1 += hit_words[target][1]
        blot ^= <uint32_t>1 << target
    return emit(
        out, p.own[0] + step_words[die][first][0], p.own[1] + step_words[die][first][1], opp0, opp1, froms, blot,
        second_die,
    )


cdef inline int pair_turns(
    const Rules *rules, const View *view, int large, int small, const int kind, Buffer *out
) noexcept nogil:
    cdef Pair pair
    cdef int64_t start = out.size
    cdef uint32_t froms
    cdef int index
    pair_sets(view, large, small, kind, &pair)
    froms = pair.large
    while froms:
        index = lowest_bit(froms)
        froms &= froms - 1
        if second_steps(view, index, large, pair_seconds(view, &pair, index, large, small), small, out) < 0:
            return -1
    froms = pair.small_first
    while froms:
        index = lowest_bit(froms)
        froms &= froms - 1
        if second_steps(view, index, small, <uint32_t>1 << (index + small), large, out) < 0:
            return -1
    if out.size == start:
        return singles(rules, view, pair.large, pair.small, large, small, out)
    return 0


cdef inline int pair_pick(
    const View *view, int large, int small, const int kind, int64_t choice, Buffer *out
) noexcept nogil:
    """Appends the choice-th of the turns that use both dice."""
    cdef Pair pair
    cdef uint32_t froms, seconds
    cdef int index
    cdef int64_t count
    pair_sets(view, large, small, kind, &pair)
    froms = pair.large
    while froms:
        index = lowest_bit(froms)
        froms &= froms - 1
        seconds = pair_seconds(view, &pair, index, large, small)
        count = bit_count(seconds)
        if choice < count:
            return second_steps(view, index, large, nth_bit(seconds, choice), small, out)
        choice -= count
    index = lowest_bit(nth_bit(pair.small_first, choice))
    return second_steps(view, index, small, <uint32_t>1 << (index + small), large, out)


cdef inline int bar_turns(
    const Rules *rules, const View *view, int large, int small, Buffer *out
) noexcept nogil:
    """Two different dice with a checker on the bar (contrary variants)."""
    cdef int64_t start = out.size
    cdef bint enter_large = view.open >> large & 1, enter_small = view.open >> small & 1
    cdef bint through = view.open >> (large + small) & 1
    cdef uint32_t occupied = view.occupied & ~<uint32_t>1
    cdef uint32_t seconds
    if view.several & 1:
        # two on the bar: both dice enter, in either order with the same result
        if enter_large and enter_small:
            return second_steps(view, 0, large, 1, small, out)
        return singles(rules, view, enter_large, enter_small, large, small, out)
    if enter_large:
        seconds = (occupied | <uint32_t>1 << large) & view.open >> small
        if second_steps(view, 0, large, seconds, small, out) < 0:
            return -1
    if enter_small:
        seconds = (occupied | <uint32_t>1 << small) & view.open >> large
        if enter_large and through and (view.blot >> large | view.blot >> small) & 1 == 0:
            seconds &= ~(<uint32_t>1 << small)
        if second_steps(view, 0, small, seconds, large, out) < 0:
            return -1
    if out.size == start:
        return singles(rules, view, enter_large, enter_small, large, small, out)
    return 0


cdef inline int64_t bar_count(const Rules *rules, const View *view, int large, int small) noexcept nogil:
    cdef bint enter_large = view.open >> large & 1, enter_small = view.open >> small & 1
    cdef bint through = view.open >> (large + small) & 1
    cdef uint32_t occupied = view.occupied & ~<uint32_t>1
    cdef int64_t count = 0
    if view.several & 1:
        return 1 if enter_large and enter_small else singles_count(rules, enter_large, enter_small, small)
    if enter_large:
        count += bit_count((occupied | <uint32_t>1 << large) & view.open >> small)
    if enter_small:
        count += bit_count((occupied | <uint32_t>1 << small) & view.open >> large)
        if enter_large and through and (view.blot >> large | view.blot >> small) & 1 == 0:
            count -= 1
    return count if count else singles_count(rules, enter_large, enter_small, small)


cdef inline uint32_t home_sources(uint32_t occupied, uint32_t open, int die) noexcept nogil:
    """Sources of a die in the last phase, where bearing off may be possible. Nobody is on the bar."""
    cdef uint32_t found = occupied & open >> die
    cdef uint32_t exact
    if occupied & OUTSIDE == 0:
        exact = <uint32_t>1 << (25 - die)
        found |= occupied & exact
        if occupied & ((exact << 1) - 1) == 0:
            found |= occupied & -occupied
    return found


cdef inline uint32_t after_step(const uint64_t *own, uint32_t occupied, int index, int die) noexcept nogil:
    """The occupied set after a step, from the words after it."""
    if slot_count(own, BAR - index) == 0:
        occupied ^= <uint32_t>1 << index
    return (occupied | <uint32_t>1 << (index + die)) & ALL_POINTS


cdef inline int bearing_turns(
    const Rules *rules, const View *view, int large, int small, const int kind, Buffer *out
) noexcept nogil:
    """Two different dice near the end: both orders, with a look at what is there already. Few turns each.

    `out` holds nothing else and may grow.
    """
    cdef int64_t kept, i, j, before
    cdef int order, first, second, index, target
    cdef uint32_t froms, seconds
    cdef uint32_t opened[2]
    cdef uint64_t own[2]
    opened[0] = home_sources(view.occupied, view.open, large)
    opened[1] = home_sources(view.occupied, view.open, small)
    for order in range(2):
        first = small if order else large
        second = large if order else small
        froms = opened[order]
        while froms:
            index = lowest_bit(froms)
            froms &= froms - 1
            own[0] = view.position.own[0] + step_words[first][index][0]
            own[1] = view.position.own[1] + step_words[first][index][1]
            seconds = home_sources(after_step(own, view.occupied, index, first), view.open, second)
            target = index + first
            if kind == NO_HIT_AND_RUN and target < 25 and (view.blot & HOME) >> target & 1:
                seconds &= ~(<uint32_t>1 << target)
            if index == 1 and kind == PARALLEL and rules.head_cap:
                seconds &= ~<uint32_t>HEAD
            before = out.size
            if second_steps(view, index, first, seconds, second, out) < 0:
                return -1
            # drop what was there already
            kept = before
            for i in range(before, out.size):
                j = 0
                while j < before and not same_position(&out.items[i], &out.items[j]):
                    j += 1
                if j == before:
                    out.items[kept] = out.items[i]
                    kept += 1
            out.size = kept
    if out.size == 0:
        return singles(rules, view, opened[0], opened[1], large, small, out)
    return 0


# Doubles ---------------------------------------------------------------------------------------------------------

cdef enum:
    FILL = 0
    COUNT = 1
    PICK = 2

cdef struct Double:
    Buffer *out
    uint32_t playable     # sources whose target is open
    int die
    int mode
    int64_t count         # COUNT: turns so far; PICK: turns still to pass over
    bint never_home       # more checkers stay on the head than the cap lets leave: nothing comes off this turn

cdef struct Node:
    # A turn under way. Counts of four and more are alike: no more than four can leave a point.
    uint64_t own0
    uint64_t own1
    uint64_t opp0
    uint64_t opp1
    uint32_t one          # where at least one own checker stands that may leave
    uint32_t two
    uint32_t three
    uint32_t four
    uint32_t blot
    uint32_t frozen       # where a checker has hit at home and must stay


cdef inline uint32_t double_sources(const Double *double, const Node *node, const int kind) noexcept nogil:
    cdef uint32_t found = node.one & double.playable
    cdef uint32_t exact
    if node.one & OUTSIDE == 0 and not double.never_home:
        exact = <uint32_t>1 << (25 - double.die)
        found |= node.one & exact
        if node.one & ((exact << 1) - 1) == 0:
            found |= node.one & -node.one
    if kind == NO_HIT_AND_RUN:
        found &= ~(node.frozen & ~node.two)
    return found


cdef inline void double_step(const Double *double, Node *node, int index, const int kind) noexcept nogil:
    cdef uint32_t source = <uint32_t>1 << index
    cdef uint32_t landing = source << double.die & ALL_POINTS
    node.own0 += step_words[double.die][index][0]
    node.own1 += step_words[double.die][index][1]
    node.one &= ~source | node.two
    node.two &= ~source | node.three
    node.three &= ~source | node.four
    node.four &= ~source
    node.four |= landing & node.three
    node.three |= landing & node.two
    node.two |= landing & node.one
    node.one |= landing
    if kind != PARALLEL and node.blot & landing:
        node.blot ^= landing
        node.opp0 += hit_words[index + double.die][0]
        node.opp1 += hit_words[index + double.die][1]
        if kind == NO_HIT_AND_RUN:
            node.frozen |= landing & HOME


cdef inline int double_last(Double *double, const Node *node, uint32_t froms) noexcept nogil:
    """The last step of a turn, from each of these sources. 1 = picked, nothing more to do; -1 without memory."""
    cdef int64_t count
    if double.mode == FILL:
        return emit(double.out, node.own0, node.own1, node.opp0, node.opp1, froms, node.blot, double.die)
    count = bit_count(froms)
    if double.mode == COUNT:
        double.count += count
        return 0
    if double.count >= count:
        double.count -= count
        return 0
    froms = nth_bit(froms, double.count)
    if emit(double.out, node.own0, node.own1, node.opp0, node.opp1, froms, node.blot, double.die) < 0:
        return -1
    return 1


cdef inline bint last_two_plain(const Double *double, const Node *node, const int kind) noexcept nogil:
    """Whether the last two steps neither come near bearing off nor leave a checker that must stay."""
    cdef uint32_t outside = node.one & OUTSIDE
    if outside & (outside - 1) == 0 and node.two & OUTSIDE == 0 and not double.never_home:
        return False
    return kind != NO_HIT_AND_RUN or node.frozen | (node.blot & HOME) == 0


cdef inline int64_t last_two_count(const Double *double, const Node *node, uint32_t froms) noexcept nogil:
    # each source goes with itself and those after it; it drops out if it was single, and its target may join
    cdef int64_t count = bit_count(froms)
    return (
        count * (count + 1) // 2 - bit_count(froms & ~node.two)
        + bit_count(froms & double.playable >> double.die & ~(node.one >> double.die))
    )


cdef inline int last_two(Double *double, const Node *node, uint32_t froms) noexcept nogil:
    """The last two steps of a turn where they are plain. 1 = picked, nothing more to do; -1 without memory."""
    cdef uint32_t source, landing, seconds, single = froms & ~node.two
    cdef uint64_t opp0, opp1
    cdef uint32_t blot
    cdef int index
    cdef int64_t count
    if double.mode != FILL:
        count = last_two_count(double, node, froms)
        if double.mode == COUNT:
            double.count += count
            return 0
        if double.count >= count:
            double.count -= count
            return 0
    while froms:
        source = froms & -froms
        index = lowest_bit(froms)
        landing = source << double.die
        seconds = (froms & ~(source & single)) | (landing & double.playable)
        froms ^= source
        if double.mode == PICK:
            count = bit_count(seconds)
            if double.count >= count:
                double.count -= count
                continue
            seconds = nth_bit(seconds, double.count)
        opp0 = node.opp0
        opp1 = node.opp1
        blot = node.blot
        if blot & landing:
            opp0 += hit_words[index + double.die][0]
            opp1 += hit_words[index + double.die][1]
            blot ^= landing
        if emit(
            double.out, node.own0 + step_words[double.die][index][0], node.own1 + step_words[double.die][index][1],
            opp0, opp1, seconds, blot, double.die,
        ) < 0:
            return -1
        if double.mode == PICK:
            return 1
    return 0


cdef inline int double_node(
    Double *double, const Node *node, uint32_t allowed, int left, const int kind
) noexcept nogil:
    """Takes the sources in path order. 1 = picked, nothing more to do; -1 without memory."""
    cdef uint32_t froms = double_sources(double, node, kind) & allowed
    cdef Node after
    cdef int index, done
    if left == 1:
        return double_last(double, node, froms)
    if left == 2 and last_two_plain(double, node, kind):
        return last_two(double, node, froms)
    while froms:
        index = lowest_bit(froms)
        after = node[0]
        double_step(double, &after, index, kind)
        allowed &= ~((<uint32_t>1 << index) - 1)
        froms &= froms - 1
        done = double_node(double, &after, allowed, left - 1, kind)
        if done:
            return done
    return 0


cdef inline int double_start(
    const View *view, Double *double, const Node *start, int left, const int kind
) noexcept nogil:
    """One search over the turns of `left` steps: whoever is on the bar enters first."""
    cdef Node node = start[0]
    if kind != PARALLEL:
        while node.one & 1 and left > 1:
            double_step(double, &node, 0, kind)
            left -= 1
        if node.one & 1:
            return double_last(double, &node, 1)
    return double_node(double, &node, ALL_POINTS, left, kind)


cdef inline int64_t double_turns(
    const Rules *rules, const View *view, int die, const int kind, int mode, int64_t choice, Buffer *out
) noexcept nogil:
    """FILL: appends all turns. COUNT: returns their number. PICK: appends the choice-th. -1 without memory."""
    cdef Double double
    cdef Node start
    cdef uint32_t at_least[4]
    cdef int64_t size = out.size if out != NULL else 0
    cdef int left, done
    path_counts(view.position.own, at_least)
    start.own0 = view.position.own[0]
    start.own1 = view.position.own[1]
    start.opp0 = view.position.opp[0]
    start.opp1 = view.position.opp[1]
    start.one = at_least[0] & (ALL_POINTS | 1)
    start.two = at_least[1]
    start.three = at_least[2]
    start.four = at_least[3]
    start.blot = view.blot
    start.frozen = 0
    double.out = out
    double.die = die
    double.mode = mode
    double.playable = view.open >> die
    double.never_home = False
    if kind == PARALLEL and rules.head_cap:
        double.never_home = start.two & HEAD != 0
        start.two &= ~<uint32_t>HEAD
        start.three &= ~<uint32_t>HEAD
        start.four &= ~<uint32_t>HEAD
    left = 4 if kind == PARALLEL or not start.one & 1 or double.playable & 1 else 0
    while left:
        double.count = choice if mode == PICK else 0
        done = double_start(view, &double, &start, left, kind)
        if done:
            return done
        if mode == COUNT and double.count:
            return double.count
        if mode == FILL and out.size > size:
            return 0
        left -= 1
    if mode == COUNT:
        return 1
    return singles(rules, view, 0, 0, die, die, out)


# ---------------------------------------------------------------------------------------------------------------------
# A turn, a count, a choice
# ---------------------------------------------------------------------------------------------------------------------

cdef inline bint needs_search(const Rules *rules, const View *view, int large, int small) noexcept nogil:
    return view.general or (view.block_near and block_possible(rules, view, large, small))


cdef inline int kind_turns(
    const Rules *rules, const View *view, int large, int small, const int kind, Buffer *out, Scratch *scratch
) noexcept nogil:
    if large == small:
        return <int>double_turns(rules, view, large, kind, FILL, 0, out)
    if kind != PARALLEL and view.occupied & 1:
        return bar_turns(rules, view, large, small, out)
    if view.bearing_off:
        scratch.results.size = 0
        if bearing_turns(rules, view, large, small, kind, &scratch.results) < 0:
            return -1
        return append(out, &scratch.results)
    return pair_turns(rules, view, large, small, kind, out)


cdef inline int turns(
    const Rules *rules, const View *view, int die1, int die2, Buffer *out, Scratch *scratch
) noexcept nogil:
    """Appends every result of a roll of a game that is not over. -1 without memory (or room, if `out` is fixed)."""
    cdef int large = die1 if die1 > die2 else die2
    cdef int small = die2 if die1 > die2 else die1
    if needs_search(rules, view, large, small):
        return 0 if search_turn(rules, &view.position, large, small, out, scratch) >= 0 else -1
    if view.kind == CONTRARY:
        return kind_turns(rules, view, large, small, CONTRARY, out, scratch)
    if view.kind == NO_HIT_AND_RUN:
        return kind_turns(rules, view, large, small, NO_HIT_AND_RUN, out, scratch)
    return kind_turns(rules, view, large, small, PARALLEL, out, scratch)


cdef inline int64_t kind_count(
    const Rules *rules, const View *view, int large, int small, const int kind, Scratch *scratch
) noexcept nogil:
    cdef int64_t count
    cdef Pair pair
    if large == small:
        return double_turns(rules, view, large, kind, COUNT, 0, NULL)
    if kind != PARALLEL and view.occupied & 1:
        return bar_count(rules, view, large, small)
    if view.bearing_off:
        if bearing_turns(rules, view, large, small, kind, &scratch.results) < 0:
            return -1
        return scratch.results.size
    count = pair_count(view, large, small, kind)
    if count:
        return count
    pair_sets(view, large, small, kind, &pair)
    return singles_count(rules, pair.large, pair.small, small)


cdef inline int64_t count_turns(
    const Rules *rules, const View *view, int die1, int die2, Scratch *scratch
) noexcept nogil:
    """How many results a roll has. Where they had to be built they are left in `scratch.results`. -1 without memory."""
    cdef int large = die1 if die1 > die2 else die2
    cdef int small = die2 if die1 > die2 else die1
    scratch.results.size = 0
    if needs_search(rules, view, large, small):
        return search_turn(rules, &view.position, large, small, &scratch.results, scratch)
    if view.kind == CONTRARY:
        return kind_count(rules, view, large, small, CONTRARY, scratch)
    if view.kind == NO_HIT_AND_RUN:
        return kind_count(rules, view, large, small, NO_HIT_AND_RUN, scratch)
    return kind_count(rules, view, large, small, PARALLEL, scratch)


cdef inline int kind_pick(
    const Rules *rules, const View *view, int large, int small, const int kind, int64_t choice, Buffer *out
) noexcept nogil:
    if large == small:
        return 0 if double_turns(rules, view, large, kind, PICK, choice, out) >= 0 else -1
    if kind != PARALLEL and view.occupied & 1:
        return bar_turns(rules, view, large, small, out)
    if pair_count(view, large, small, kind):
        return pair_pick(view, large, small, kind, choice, out)
    return pair_turns(rules, view, large, small, kind, out)


cdef inline const vr_position *picked(
    const Rules *rules, const View *view, int die1, int die2, int64_t choice, Scratch *scratch
) noexcept nogil:
    """The choice-th result of a roll, after `count_turns` for the same roll. NULL without memory."""
    cdef int large = die1 if die1 > die2 else die2
    cdef int small = die2 if die1 > die2 else die1
    cdef int done
    if scratch.results.size:
        return &scratch.results.items[choice]
    if view.kind == CONTRARY:
        done = kind_pick(rules, view, large, small, CONTRARY, choice, &scratch.results)
    elif view.kind == NO_HIT_AND_RUN:
        done = kind_pick(rules, view, large, small, NO_HIT_AND_RUN, choice, &scratch.results)
    else:
        done = kind_pick(rules, view, large, small, PARALLEL, choice, &scratch.results)
    if done < 0:
        return NULL
    return &scratch.results.items[choice if scratch.results.size > 1 else 0]
