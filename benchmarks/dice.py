"""Dice for many games at a time: the numbers that the library draws for them (``seed``, game, turn), by NumPy.

Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): key = the 64-bit seed, counter = game (64 bits), turn, purpose << 24.
So the dice of a game depend neither on what else is played nor on the order, and two games of one number have the same
dice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Games = NDArray[np.unsignedinteger[Any]]

_MASK = (1 << 32) - 1
_DICE, _CHOICE = 0, 1  # purposes


def _draw(seed: int, games: Games, turn: int, purpose: int) -> NDArray[np.uint64]:
    """The first 32-bit word for each game."""
    mask, half = np.uint64(_MASK), np.uint64(32)
    key = [seed & _MASK, seed >> 32]
    numbers = games.astype(np.uint64)
    counter = [numbers & mask, numbers >> half, np.full_like(numbers, turn), np.full_like(numbers, purpose << 24)]
    for _ in range(10):
        low, high = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [
            high >> half ^ counter[1] ^ np.uint64(key[0]),
            high & mask,
            low >> half ^ counter[3] ^ np.uint64(key[1]),
            low & mask,
        ]
        key = [key[0] + 0x9E3779B9 & _MASK, key[1] + 0xBB67AE85 & _MASK]
    return counter[0]


def below(words: NDArray[np.uint64], count: int | NDArray[np.int64]) -> NDArray[np.int64]:
    """Each 32-bit word as a number below a count."""
    return (words * np.asarray(count, np.uint64) >> np.uint64(32)).astype(np.int64)


def rolls(seed: int, games: Games, turn: int) -> NDArray[np.int64]:
    """Ordinary rolls: (n, 2), each of the 36 equally likely. Turns count from 1."""
    number = below(_draw(seed, games, turn, _DICE), 36)
    return np.stack([number // 6 + 1, number % 6 + 1], 1)


def opening_rolls(seed: int, games: Games) -> NDArray[np.int64]:
    """The two dice of a draw for the start, which are never equal: (n, 2)."""
    number = below(_draw(seed, games, 0, _DICE), 30)
    first, second = number // 5 + 1, number % 5 + 1
    return np.stack([first, second + (second >= first)], 1)


def chance(seed: int, games: Games, turn: int) -> NDArray[np.uint64]:
    """A random 32-bit word for each game, which has nothing to do with its dice."""
    return _draw(seed, games, turn, _CHOICE)
