"""Duels between evaluators of any kind: many games side by side, so that each is asked about many positions at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vrhcaby._core import Position, legal_moves, pack
from vrhcaby.evaluation import Evaluator, equities, evaluate
from vrhcaby.variants import Variant

__all__ = ["duel"]

Positions = NDArray[np.uint64]

_MOST_TURNS = 4096  # a game that is not over by then counts nothing
_GAMES = 2048  # side by side


def duel(one: Evaluator, other: Evaluator, game: Variant, *, pairs: int, seed: int) -> tuple[float, float]:
    """Games between two evaluators without look-ahead: mean points of the first, and their standard error.

    Each pair of games has the same dice, and each player begins once; the standard error is that of the pairs.

    Parameters
    ----------
    one, other : Evaluator
    game : Variant
    pairs : int
        At least 2.
    seed : int
        Of the dice.
    """
    points = np.empty(pairs)
    for first in range(0, pairs, _GAMES):
        several = range(first, min(first + _GAMES, pairs))
        ahead = _results(one, other, game, several, seed)
        points[several] = (ahead - _results(other, one, game, several, seed)) / 2
    return float(points.mean()), float(points.std(ddof=1)) / math.sqrt(pairs)


def _results(first: Evaluator, second: Evaluator, game: Variant, games: range, seed: int) -> NDArray[np.float64]:
    """Points of the player who begins."""
    random = np.random.RandomState([seed % 2**32, seed >> 32, games.start])
    points = np.zeros(len(games))
    numbers = np.arange(len(games))
    rows = np.repeat(pack([Position.start(game)], variant=game), len(games), axis=0)
    for turn in range(_MOST_TURNS):
        if not len(rows):
            break
        dice = random.randint(1, 7, (len(games), 2))[numbers]  # drawn for all games, over or not: the same in a pair
        children, offsets = legal_moves(rows, dice, variant=game)
        rows = children[_best(second if turn % 2 else first, game, children, offsets)]
        over = _is_over(rows, game)
        lost = equities(evaluate(rows[over], variant=game, evaluator=first), game)  # of the player on roll, exact
        points[numbers[over]] = lost if turn % 2 else -lost
        rows, numbers = rows[~over], numbers[~over]
    return points


def _best(evaluator: Evaluator, game: Variant, children: Positions, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each parent the child with the least equity of the player on roll, the first one of equals."""
    values = equities(evaluate(children, variant=game, evaluator=evaluator), game)
    sizes = np.diff(offsets)
    is_least = values == np.repeat(np.minimum.reduceat(values, offsets[:-1]), sizes)
    least = np.flatnonzero(is_least)
    return least[np.searchsorted(least, offsets[:-1])]


def _is_over(positions: Positions, game: Variant) -> NDArray[np.bool_]:
    """Whether the player who has moved has borne off everything."""
    return np.asarray((positions[:, 2] & np.uint64(15)) == game.checkers)
