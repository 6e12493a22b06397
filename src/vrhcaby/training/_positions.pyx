"""Positions from games of a network against itself, with more variety than its best play alone would give."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from vrhcaby._arrays cimport new_array, position_array
from vrhcaby._core cimport append_children, is_stuck
from vrhcaby._dice cimport roll
from vrhcaby._position cimport flipped, same_position, vr_position
from vrhcaby._steps cimport Rules, outcome
from vrhcaby._turns cimport Buffer, reserve
from vrhcaby.search._judge cimport Judge, Workspace, free_workspace
from vrhcaby.training._variety cimport draw_choices, happens, ranked

import numpy as np

from vrhcaby._core import Position, check_positions, pack
from vrhcaby._numbers import LARGEST_SEED, whole_number
from vrhcaby._threads import check_workers, run_blocks

cnp.import_array()

__all__ = ["game_positions"]

cdef enum:
    GAMES_PER_BLOCK = 16
    MAX_TURNS = 4096                        # a game that is not over by then is left there

cdef enum:
    NO_MEMORY = -1


cdef class Games:
    """One call; its method plays a block of games."""

    cdef Judge judge
    cdef const vr_position *starts
    cdef int64_t start_count
    cdef uint64_t seed
    cdef int random_opening
    cdef double random_moves
    cdef double slips

    def run(self, range games):
        """The positions of the games, and how many each has."""
        cdef cnp.ndarray counts = new_array(cnp.NPY_INT64, len(games))
        cdef int64_t *lengths = <int64_t *>cnp.PyArray_DATA(counts)
        cdef int64_t first = games.start, i, count = len(games), before = 0
        cdef int status = 0
        cdef Workspace workspace
        cdef Buffer positions
        memset(&workspace, 0, sizeof(Workspace))
        memset(&positions, 0, sizeof(Buffer))
        with nogil:
            for i in range(count):
                before = positions.size
                status = self.play(<uint64_t>(first + i), &positions, &workspace)
                if status < 0:
                    break
                lengths[i] = positions.size - before
            free_workspace(&workspace)
        try:
            if status < 0:
                raise MemoryError("positions of a game")
            array = new_array(cnp.NPY_UINT64, positions.size, 4)
            memcpy(cnp.PyArray_DATA(array), positions.items, <size_t>positions.size * sizeof(vr_position))
        finally:
            free(positions.items)
        return array, counts

    cdef int play(self, uint64_t game, Buffer *positions, Workspace *workspace) noexcept nogil:
        cdef const Rules *rules = &self.judge.rule_set.rules
        cdef vr_position position = self.starts[game % <uint64_t>self.start_count]
        cdef vr_position child
        cdef vr_position passed
        cdef vr_position *place
        cdef uint32_t words[4]
        cdef int die1 = 0, die2 = 0, passes = 0
        cdef int64_t choice
        cdef uint32_t turn, random_turns
        draw_choices(self.seed, game, 0, words)
        random_turns = <uint32_t>(<uint64_t>words[0] * (self.random_opening + 1) >> 32)
        for turn in range(1, MAX_TURNS + 1):
            if outcome(rules, &position):
                return 0
            place = reserve(positions, 1)
            if place == NULL:
                return NO_MEMORY
            place[0] = position
            roll(self.seed, game, turn, &die1, &die2)
            draw_choices(self.seed, game, turn, words)
            if turn <= random_turns or happens(self.random_moves, words[1]):
                workspace.children.size = 0
                choice = append_children(
                    rules, &position, die1, die2, &workspace.children, &workspace.scratch
                )
                if choice < 0:
                    return NO_MEMORY
                choice = <int64_t>(<uint64_t>words[0] * <uint64_t>workspace.children.size >> 32)
            else:
                choice = self.judge.play(&position, die1, die2, workspace)
                if choice < 0:
                    return NO_MEMORY
                if happens(self.random_moves + self.slips, words[1]):
                    choice = ranked(rules, workspace, 1 + (words[2] >> 31))
            child = workspace.children.items[choice]
            passed = flipped(&position)
            passes = passes + 1 if same_position(&child, &passed) else 0
            position = child
            if passes >= 2 and passes % 2 == 0 and is_stuck(rules, &position, &workspace.scratch):
                return 0
        return 0


def game_positions(
    *, games, seed, variant="backgammon", evaluator=None, starts=None, random_opening=0, random_moves=0.0, slips=0.0,
    first_game=0, workers=1,
):
    """All positions of games that a network plays against itself, in which something has to be rolled.

    Without the options that bring variety the player on roll always takes the play with the best equity, without
    looking ahead.

    Parameters
    ----------
    games : int
        How many games.
    seed : int
        64-bit seed of dice and choices. Game i of a seed and of the same options is always the same.
    variant : str or Variant
        What is played.
    evaluator : Network, IncrementalNetwork, str, path or None
        Who plays: a network, the name of a shipped one, the path of one of your own, or None = the shipped one for the
        variant.
    starts : (n, 4) uint64, optional
        Where games begin, packed: game i at row i modulo n. None = all at the start position.
    random_opening : int
        The first k turns of a game are uniformly random legal moves; each game draws its k from 0 to this.
    random_moves : float
        Chance of each later turn to be a uniformly random legal move.
    slips : float
        Chance of each later turn to be the second or third best play, one as likely as the other; where there are
        fewer, the worst of them.
    first_game : int
        The number of the first game, to continue a series.
    workers : int or None
        Number of threads; None = all usable cores. The result does not depend on it.

    Returns
    -------
    positions : (m, 4) uint64
        Game by game, each in the order of its turns, the player on roll in the first two words.
    numbers : (m,) int64
        The number of the game that each position is from.

    Raises
    ------
    PositionError
        A row of `starts` that is no position of the variant.
    TypeError, ValueError
        A chance or number that makes no sense, a wrong shape or dtype, an evaluator that is no network, or one for
        other variants.
    FormatError, OSError
        As `vrhcaby.load_evaluator`.

    >>> positions, numbers = game_positions(games=3, seed=1, random_opening=4, slips=0.1)
    >>> sorted(set(numbers.tolist()))
    [0, 1, 2]
    """
    cdef Games job = Games.__new__(Games)
    cdef cnp.ndarray begins
    cdef int64_t count = whole_number(games, "games", 0, 2**62)
    cdef int64_t first = whole_number(first_game, "first_game", 0, 2**62)
    threads = check_workers(workers)
    if not (random_moves >= 0 and slips >= 0 and random_moves + slips <= 1):
        raise ValueError(f"random_moves = {random_moves}, slips = {slips}: must be chances, together at most 1")
    job.judge = Judge(evaluator, variant)
    job.seed = whole_number(seed, "seed", 0, LARGEST_SEED)
    job.random_opening = whole_number(random_opening, "random_opening", 0, MAX_TURNS)
    job.random_moves = random_moves
    job.slips = slips
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
        return np.empty((0, 4), np.uint64), np.empty(0, np.int64)
    positions, counts = map(np.concatenate, zip(*found, strict=True))
    return positions, np.repeat(np.arange(first, last), counts)
