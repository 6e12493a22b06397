"""Games of a network against itself whose positions are labelled by what comes later in the game, less its luck."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from vrhcaby._arrays cimport new_array, position_array
from vrhcaby._core cimport append_children, is_stuck
from vrhcaby._dice cimport CHOICE, philox, roll
from vrhcaby._position cimport flipped, same_position, vr_position
from vrhcaby._steps cimport Rules, outcome
from vrhcaby.evaluation._network cimport OUTPUTS, equity
from vrhcaby.search._judge cimport Judge, Workspace, free_workspace, roll_index, turn_round

import numpy as np

from vrhcaby._core import Position, check_positions, pack
from vrhcaby._numbers import LARGEST_SEED, whole_number
from vrhcaby._threads import check_workers, run_blocks

cnp.import_array()

__all__ = ["labelled_games"]

cdef enum:
    GAMES_PER_BLOCK = 8
    MAX_TURNS = 4096                        # a game that is not over by then is left there

cdef enum:
    NO_MEMORY = -1
    NOWHERE = -1

# Positions of random turns are wild, and there would be more of them than of all others.
cdef double PLAIN_OPENINGS = 0.3            # share of games that begin without them
cdef double OPENINGS_KEPT = 0.3             # share of such positions that are labelled

cdef struct Label:
    vr_position position
    int64_t game
    int64_t next                            # the label of the position after the best play, or NOWHERE
    double chances[OUTPUTS]                 # of the player on roll: by look-ahead, at the end the label
    double after[OUTPUTS]                   # his, as the network saw them after the best play

cdef struct Labels:
    Label *items
    int64_t size
    int64_t capacity


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


cdef inline Label *new_label(Labels *labels) noexcept nogil:
    """Room for one more, already counted. NULL if there is no memory."""
    cdef Label *items
    cdef int64_t capacity
    if labels.size == labels.capacity:
        capacity = 2 * labels.capacity + 256
        items = <Label *>realloc(labels.items, <size_t>capacity * sizeof(Label))
        if items == NULL:
            return NULL
        labels.items = items
        labels.capacity = capacity
    labels.size += 1
    return &labels.items[labels.size - 1]


cdef void hand_back(Labels *labels, int64_t first, double trace) noexcept nogil:
    """Adds to the labels from `first` on, the last one first, a share of what the next one has found out."""
    cdef Label *label
    cdef double found[OUTPUTS]
    cdef int64_t i
    cdef int k
    for i in range(labels.size - 1, first - 1, -1):
        label = &labels.items[i]
        if label.next == NOWHERE:
            continue
        for k in range(OUTPUTS):
            found[k] = labels.items[label.next].chances[k]
        turn_round(found)
        for k in range(OUTPUTS):
            label.chances[k] += trace * (found[k] - label.after[k])


cdef class LabelledGames:
    """One call; its method plays a block of games."""

    cdef Judge judge
    cdef const vr_position *starts
    cdef int64_t start_count
    cdef uint64_t seed
    cdef double trace
    cdef int random_opening
    cdef double random_moves
    cdef double slips
    cdef double siblings

    def run(self, range games):
        """Positions, labels and numbers of the games."""
        cdef int64_t i, first = games.start, count = len(games), before
        cdef int k, status = 0
        cdef Workspace workspace
        cdef Labels labels
        cdef vr_position *rows
        cdef float *label_rows
        cdef int64_t *numbers
        memset(&workspace, 0, sizeof(Workspace))
        memset(&labels, 0, sizeof(Labels))
        with nogil:
            for i in range(first, first + count):
                before = labels.size
                status = self.play(i, &labels, &workspace)
                if status < 0:
                    break
                hand_back(&labels, before, self.trace)
            free_workspace(&workspace)
        try:
            if status < 0:
                raise MemoryError("positions of a game")
            row_array = new_array(cnp.NPY_UINT64, labels.size, 4)
            label_array = new_array(cnp.NPY_FLOAT32, labels.size, OUTPUTS)
            number_array = new_array(cnp.NPY_INT64, labels.size)
            rows = <vr_position *>cnp.PyArray_DATA(row_array)
            label_rows = <float *>cnp.PyArray_DATA(label_array)
            numbers = <int64_t *>cnp.PyArray_DATA(number_array)
            for i in range(labels.size):
                rows[i] = labels.items[i].position
                numbers[i] = labels.items[i].game
                for k in range(OUTPUTS):
                    label_rows[OUTPUTS * i + k] = <float>labels.items[i].chances[k]
        finally:
            free(labels.items)
        return row_array, label_array, number_array

    cdef int play(self, int64_t game, Labels *labels, Workspace *workspace) noexcept nogil:
        """Appends the labels of a game, each by look-ahead alone, and links those between which the best play was."""
        cdef const Rules *rules = &self.judge.rule_set.rules
        cdef vr_position position = self.starts[game % self.start_count]
        cdef vr_position best, next, drawn, passed
        cdef uint32_t words[4]
        cdef uint32_t turn, random_turns = 0
        cdef int64_t label, choice, before = NOWHERE
        cdef int die1 = 0, die2 = 0, passes = 0, known, k
        cdef bint opening, at_random
        draw_choices(self.seed, <uint64_t>game, 0, words)
        if not happens(PLAIN_OPENINGS, words[1]):
            random_turns = <uint32_t>(<uint64_t>words[0] * (self.random_opening + 1) >> 32)
        for turn in range(1, MAX_TURNS + 1):
            if outcome(rules, &position):
                return 0
            roll(self.seed, <uint64_t>game, turn, &die1, &die2)
            draw_choices(self.seed, <uint64_t>game, turn, words)
            opening = turn <= random_turns
            at_random = opening or happens(self.random_moves, words[1])
            label = NOWHERE
            next = best = position          # until a play is chosen
            if not opening or happens(OPENINGS_KEPT, words[2]):
                label = labels.size
                if before != NOWHERE:
                    labels.items[before].next = label
                known = self.append_label(&position, game, labels, workspace)
                if known < 0:
                    return NO_MEMORY
                if known:                   # no roll has been played yet
                    choice = self.judge.play(&position, die1, die2, workspace)
                    if choice < 0:
                        return NO_MEMORY
                else:
                    choice = workspace.best[roll_index(die1, die2)]
                    for k in range(OUTPUTS):
                        labels.items[label].after[k] = workspace.chances[OUTPUTS * choice + k]
                    turn_round(labels.items[label].after)
                next = best = workspace.children.items[choice]
            if not at_random and happens(self.random_moves + self.slips, words[1]):
                if self.judge.play(&position, die1, die2, workspace) < 0:
                    return NO_MEMORY
                next = workspace.children.items[ranked(rules, workspace, 1 + (words[2] >> 31))]
            if at_random or happens(self.siblings, words[3]):
                if self.draw_child(&position, die1, die2, words[0], workspace, &drawn) < 0:
                    return NO_MEMORY
                if at_random:
                    next = drawn
                elif not same_position(&drawn, &next) and outcome(rules, &drawn) == 0:
                    if self.append_label(&drawn, game, labels, workspace) < 0:
                        return NO_MEMORY
            before = label if label != NOWHERE and not known and same_position(&next, &best) else NOWHERE
            passed = flipped(&position)
            passes = passes + 1 if same_position(&next, &passed) else 0
            position = next
            if passes >= 2 and passes % 2 == 0 and is_stuck(rules, &position, &workspace.scratch):
                return 0
        return 0

    cdef int append_label(
        self, const vr_position *position, int64_t game, Labels *labels, Workspace *workspace
    ) noexcept nogil:
        """A label by what is known (1), or by one turn of look-ahead, whose plays stay in the workspace (0)."""
        cdef Label *label = new_label(labels)
        cdef float known[OUTPUTS]
        cdef int k
        if label == NULL:
            return NO_MEMORY
        label.position = position[0]
        label.game = game
        label.next = NOWHERE
        if self.judge.knows(position, known):
            for k in range(OUTPUTS):
                label.chances[k] = known[k]
            return 1
        if self.judge.play_every_roll(position, workspace) < 0:
            return NO_MEMORY
        self.judge.average(workspace, label.chances)
        turn_round(label.chances)
        return 0

    cdef int draw_child(
        self, const vr_position *position, int die1, int die2, uint32_t word, Workspace *workspace, vr_position *child
    ) noexcept nogil:
        """A uniformly random play, one that a filter would not pass too."""
        workspace.children.size = 0
        if append_children(
            &self.judge.rule_set.rules, position, die1, die2, &workspace.children, &workspace.scratch
        ) < 0:
            return NO_MEMORY
        child[0] = workspace.children.items[<uint64_t>word * <uint64_t>workspace.children.size >> 32]
        return 0


def labelled_games(
    *, games, seed, variant="backgammon", evaluator=None, starts=None, trace=0.7, random_opening=0, random_moves=0.0,
    slips=0.0, siblings=0.0, first_game=0, bear_off=True, workers=1,
):
    """Positions of games that a network plays against itself, each labelled by what the rest of its game finds out.

    The network plays both sides without looking ahead, and judges at each turn the best plays of all 21 rolls. Let A be
    their mean, which is the position with one turn of look-ahead, and V what the network says after the play of the
    roll that came, both for the player who makes it. V - A is the luck of the roll; so the label is ::

        A + trace * (what the next position is labelled with - V)

    for the same player. The brackets hold what the network was wrong about, once luck is taken out: with a trace of 1
    labels are results of games less all luck, with 0 they are look-ahead alone. In between a finding counts less, the
    later it comes, as in TD(lambda) (Sutton 1988): less of the variance of one game, more of the network's own bias.
    A label ends where the play was not the best one.

    Parameters
    ----------
    games : int
        How many games.
    seed : int
        64-bit seed of dice and choices. Game i of a seed and of the same options is always the same.
    variant : str or Variant
        What is played; its points decide which play is best.
    evaluator : Network, IncrementalNetwork, str, path or None
        Who plays and judges: a network, the name of a shipped one, the path of one of your own, or None = the shipped
        one for the variant.
    starts : (n, 4) uint64, optional
        Where games begin, packed: game i at row i modulo n. None = all at the start position.
    trace : float
        How much of what the next position finds out a position is told, from 0 to 1.
    random_opening : int
        Seven games of ten begin with uniformly random legal moves: each draws from 0 to this in how many turns. Of the
        positions in which they are played three of ten are labelled.
    random_moves : float
        Chance of each later turn to be a uniformly random legal move.
    slips : float
        Chance of each later turn to be the second or third best play, one as likely as the other; where there are
        fewer, the worst of them.
    siblings : float
        Chance of each turn that is no random move to have another play of its roll drawn, and what it leads to labelled
        by look-ahead alone. If the play that was made is drawn, or one that ends the game, nothing is added.
    first_game : int
        The number of the first game, to continue a series.
    bear_off : bool
        Whether the bear-off table judges where it reaches, and labels those positions.
    workers : int or None
        Number of threads; None = all usable cores. The result does not depend on it.

    Returns
    -------
    positions : (n, 4) uint64
        Game by game in the order of turns, each with its sibling after it, if it has one.
    labels : (n, 5) float32
        Win, win gammon, win backgammon, lose gammon, lose backgammon, for the player on roll before he rolls. They are
        not bounded: a label may be below 0 or above 1, and bounding it would bias what is learnt from many.
    numbers : (n,) int64
        The number of the game that each position is from.

    Raises
    ------
    PositionError
        A row of `starts` that is no position of the variant.
    TypeError, ValueError
        A chance or number that makes no sense, a wrong shape or dtype, an evaluator that is no network, or one for
        other variants; a variant with a last roll, which is not played yet.
    FormatError, OSError
        As `vrhcaby.load_evaluator`.

    >>> from vrhcaby.search import look_ahead
    >>> positions, labels, numbers = labelled_games(games=2, seed=1, trace=0)
    >>> bool((labels == look_ahead(positions)).all()), sorted(set(numbers.tolist()))
    (True, [0, 1])
    """
    cdef LabelledGames job = LabelledGames.__new__(LabelledGames)
    cdef cnp.ndarray begins
    cdef int64_t count = whole_number(games, "games", 0, 2**62)
    cdef int64_t first = whole_number(first_game, "first_game", 0, 2**62)
    threads = check_workers(workers)
    for name, chance in (("trace", trace), ("siblings", siblings)):
        if not 0 <= chance <= 1:
            raise ValueError(f"{name} = {chance}: must be from 0 to 1")
    if not (random_moves >= 0 and slips >= 0 and random_moves + slips <= 1):
        raise ValueError(f"random_moves = {random_moves}, slips = {slips}: must be chances, together at most 1")
    job.seed = whole_number(seed, "seed", 0, LARGEST_SEED)
    job.trace = trace
    job.random_opening = whole_number(random_opening, "random_opening", 0, MAX_TURNS)
    job.random_moves = random_moves
    job.slips = slips
    job.siblings = siblings
    job.judge = Judge(evaluator, variant, bear_off=bear_off)
    if job.judge.rule_set.rules.last_roll:
        raise ValueError(f"last_roll = {job.judge.rule_set.variant.last_roll!r}: games do not play a last roll yet")
    if starts is None:
        begins = pack([Position.start(variant)], variant=variant)
    else:
        begins = position_array(starts, "starts").copy()  # the caller may change his meanwhile
        check_positions(begins, variant)
        if len(begins) == 0:
            raise ValueError("starts is empty: games must begin somewhere")
    job.starts = <const vr_position *>cnp.PyArray_DATA(begins)
    job.start_count = len(begins)
    last = first + count
    blocks = (range(i, min(i + GAMES_PER_BLOCK, last)) for i in range(first, last, GAMES_PER_BLOCK))
    found = list(run_blocks(job.run, blocks, threads if count > GAMES_PER_BLOCK else 1))
    if not found:
        return np.empty((0, 4), np.uint64), np.empty((0, 5), np.float32), np.empty(0, np.int64)
    return tuple(map(np.concatenate, zip(*found, strict=True)))
