"""The games of a block in native code: the dice, legal results, choice and score of a turn of all of them."""

cimport numpy as np
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport abs, calloc, free
from libc.string cimport memcpy, memset

from vrhcaby._arrays cimport checked, new_array, shape_of
from vrhcaby._core cimport Position, RuleSet, append_children, is_stuck
from vrhcaby._dice cimport choose, opening_roll, roll
from vrhcaby._position cimport vr_position
from vrhcaby._steps cimport Rules, outcome
from vrhcaby._turns cimport Buffer, Scratch, free_scratch
from vrhcaby.evaluation._network cimport OUTPUTS, equity
from vrhcaby.search._judge cimport Judge, Workspace, free_workspace

from vrhcaby.errors import PositionError

np.import_array()

__all__ = ["Games"]


cdef struct Game:
    vr_position position
    uint64_t trial
    int64_t end              # of the results of its roll among those of all games
    int passes               # turns in a row without a move


cdef class Games:
    """Games from one position, each with the dice of its own trial, all moved on by one turn at a time.

    A turn is `play_best`, or `roll` and then `play` or `play_at_random`. Games that are over are counted and dropped.

    Parameters
    ----------
    position : Position
        Where every game begins.
    seed : int
        64-bit seed of dice and random choices.
    first, stop : int
        The trials, ``range(first, stop)``.
    opening : bool
        Whether the first roll is drawn by the opening rule of the variant.

    Attributes
    ----------
    size : int
        Number of games that are not over.
    wins, losses : tuple of 3 int
        How many games the player on roll in the position has won and lost: single, gammon, backgammon.
    turns : int
        Number of turns of the games that are over.

    >>> from vrhcaby import Position
    >>> games = Games(Position.start(), seed=1, first=0, stop=100, opening=True)
    >>> while games.size:
    ...     games.roll()
    ...     games.play_at_random()
    >>> sum(games.wins) + sum(games.losses)
    100
    """

    cdef RuleSet rule_set
    cdef uint64_t seed
    cdef bint opening
    cdef uint32_t turn               # of the last roll, from 1
    cdef Game *games
    cdef readonly int64_t size
    cdef Buffer results              # of the last roll, next player on roll, those of the first game first
    cdef Scratch scratch
    cdef int64_t won[3]
    cdef int64_t lost[3]
    cdef readonly int64_t turns

    def __cinit__(self, Position position not None, *, uint64_t seed, uint64_t first, uint64_t stop, bint opening):
        cdef int64_t i
        self.rule_set = position.rule_set
        self.seed = seed
        self.opening = opening
        self.size = <int64_t>(stop - first)
        self.games = <Game *>calloc(<size_t>self.size, sizeof(Game))
        if self.games == NULL:
            raise MemoryError(f"{self.size} games")
        for i in range(self.size):
            self.games[i].position = position.packed
            self.games[i].trial = first + <uint64_t>i
        self.count_finished()

    def __dealloc__(self):
        free(self.games)
        free(self.results.items)
        free_scratch(&self.scratch)

    @property
    def wins(self):
        return tuple([self.won[i] for i in range(3)])

    @property
    def losses(self):
        return tuple([self.lost[i] for i in range(3)])

    def roll(self):
        """Rolls the dice of every game and finds the legal results."""
        cdef const Rules *rules = &self.rule_set.rules
        cdef int64_t i
        cdef int die1 = 0, die2 = 0, status = 0
        cdef Game *game
        self.turn += 1
        self.results.size = 0
        with nogil:
            for i in range(self.size):
                game = &self.games[i]
                self.draw(game.trial, &die1, &die2)
                status = append_children(rules, &game.position, die1, die2, &self.results, &self.scratch)
                if status < 0:
                    break
                game.end = self.results.size
        if status < 0:
            raise MemoryError("building moves")

    cdef void draw(self, uint64_t trial, int *die1, int *die2) noexcept nogil:
        """The dice of this turn."""
        if self.opening and self.rule_set.rules.both_dice and self.turn == 1:
            opening_roll(self.seed, trial, die1, die2)
        else:
            roll(self.seed, trial, self.turn, die1, die2)

    def play_best(self, Judge judge not None):
        """Rolls the dice of every game and plays what the judge finds best, all in native code."""
        cdef int64_t i, chosen = 0
        cdef int die1 = 0, die2 = 0
        cdef Game *game
        cdef Workspace workspace
        memset(&workspace, 0, sizeof(Workspace))
        self.turn += 1
        with nogil:
            for i in range(self.size):
                game = &self.games[i]
                self.draw(game.trial, &die1, &die2)
                chosen = judge.play(&game.position, die1, die2, &workspace)
                if chosen < 0:
                    break
                move(game, &workspace.children.items[chosen])
            free_workspace(&workspace)
        if chosen < 0:
            raise MemoryError("building moves")
        self.count_finished()

    def positions(self):
        """All legal results of the roll, next player on roll, as a new (m, 4) uint64 array."""
        cdef np.ndarray array = new_array(np.NPY_UINT64, self.results.size, 4)
        memcpy(np.PyArray_DATA(array), self.results.items, <size_t>self.results.size * sizeof(vr_position))
        return array

    def play(self, chances):
        """Plays the results that are worth most to the players who made them; of equal ones the first.

        Parameters
        ----------
        chances : (m, 5) float32
            Those of the next player in `positions`, put right by the rules.
        """
        cdef np.ndarray array = checked(chances, "chances", np.NPY_FLOAT32, "float32", False)
        cdef const float *rows = <const float *>np.PyArray_DATA(array)
        cdef const int *points = self.rule_set.rules.points
        cdef int64_t i, k, chosen, first = 0
        cdef double value, least
        if shape_of(array) != (self.results.size, OUTPUTS):
            raise ValueError(f"chances has shape {shape_of(array)}: must be {(self.results.size, OUTPUTS)}")
        with nogil:
            for i in range(self.size):
                chosen = first
                least = equity(rows + OUTPUTS * first, points)
                for k in range(first + 1, self.games[i].end):
                    value = equity(rows + OUTPUTS * k, points)
                    if value < least:
                        least = value
                        chosen = k
                move(&self.games[i], &self.results.items[chosen])
                first = self.games[i].end
        self.count_finished()

    def play_at_random(self):
        """Plays uniformly random results: with the same seed the same games as `playouts`."""
        cdef int64_t i, count, chosen, first = 0
        with nogil:
            for i in range(self.size):
                count = self.games[i].end - first
                chosen = choose(self.seed, self.games[i].trial, self.turn, <uint64_t>count)
                move(&self.games[i], &self.results.items[first + chosen])
                first = self.games[i].end
        self.count_finished()

    cdef int count_finished(self) except -1:
        """Counts the games that are over and closes the gaps they leave."""
        cdef const Rules *rules = &self.rule_set.rules
        cdef bint player_on_roll = self.turn % 2 == 0
        cdef bint endless = False
        cdef int64_t i = 0, kept = 0
        cdef int found
        cdef Game *game
        with nogil:
            for i in range(self.size):
                game = &self.games[i]
                found = outcome(rules, &game.position)
                if found == 0:
                    # looked at after a pass of both
                    if game.passes >= 2 and game.passes % 2 == 0 and is_stuck(rules, &game.position, &self.scratch):
                        endless = True
                        break
                    self.games[kept] = game[0]
                    kept += 1
                    continue
                self.turns += self.turn
                if (found > 0) == player_on_roll:
                    self.won[abs(found) - 1] += 1
                else:
                    self.lost[abs(found) - 1] += 1
            if not endless:
                self.size = kept
        if endless:
            raise PositionError(f"trial {self.games[i].trial} cannot end: neither side can ever move again")
        return 0


cdef inline void move(Game *game, const vr_position *result) noexcept nogil:
    """Goes on with a result of the roll."""
    if result.opp[0] == game.position.own[0] and result.opp[1] == game.position.own[1]:
        game.passes += 1
    else:
        game.passes = 0
    game.position = result[0]
