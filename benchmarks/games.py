"""Positions from uniformly random games: the work that the benchmarks share. The same seed gives the same games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import vrhcaby

Packed = npt.NDArray[np.uint64]


class Turn(NamedTuple):
    """One turn of a game; both positions are single rows of a packed array, seen by the player then on roll."""

    position: Packed
    dice: tuple[int, int]
    result: Packed


def random_game(rng: random.Random, variant: str = "backgammon") -> Iterator[Turn]:
    """A game from the start to the end. The first roll is no double, so that other programs can follow it."""
    position = vrhcaby.pack([vrhcaby.Position.start(variant)], variant=variant)
    first, second = rng.sample(range(1, 7), 2)
    while True:
        children, _ = vrhcaby.legal_moves(position, (first, second), variant=variant)
        if len(children) == 0:
            return
        choice = rng.randrange(len(children))
        result = children[choice : choice + 1]
        yield Turn(position, (first, second), result)
        position = result
        first, second = rng.randint(1, 6), rng.randint(1, 6)


def random_games(turns: int, variant: str = "backgammon", seed: int = 1) -> list[list[Turn]]:
    """Whole games one after another, the last one cut so that there are so many turns in all."""
    rng = random.Random(seed)
    games: list[list[Turn]] = []
    while turns > 0:
        game = list(random_game(rng, variant))[:turns]
        games.append(game)
        turns -= len(game)
    return games


def random_positions(count: int, variant: str = "backgammon", seed: int = 1) -> Packed:
    """The positions before each of these turns: (count, 4) uint64."""
    turns = [turn for game in random_games(count, variant, seed) for turn in game]
    return np.concatenate([turn.position for turn in turns])
