"""Positions from ordinary games: a player against himself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.duel import play_games
from benchmarks.games import Packed
from benchmarks.players import Player

_AT_A_TIME = 2000  # games in lockstep


class Turns(NamedTuple):
    """Turns of games: the position before each (n, 4), and its roll (n, 2) uint8."""

    positions: Packed
    dice: NDArray[np.uint8]


class _Recorder:
    """A player who notes what he is asked."""

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self.asked: list[Turns] = []
        self._player = player

    def play(self, positions: Packed, dice: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
        self.asked.append(Turns(positions, dice.astype(np.uint8)))
        return self._player.play(positions, dice, chance)


def played(player: Player, games: int, seed: int, variant: str = "backgammon") -> Turns:
    """All turns of games of a player against himself, the first turns of many games before their second turns."""
    recorder = _Recorder(player)
    for first in range(0, games, _AT_A_TIME):
        numbers = np.arange(first, min(first + _AT_A_TIME, games), dtype=np.uint64)
        play_games(recorder, recorder, variant, seed, numbers, np.ones(len(numbers), np.bool_))
    return Turns(*(np.concatenate(parts) for parts in zip(*recorder.asked, strict=True)))
