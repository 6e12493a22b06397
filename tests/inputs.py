"""Positions of random games, and what the first layer is told of them in the plainest words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vrhcaby import Position, count_moves, pack, play, unpack

__all__ = ["dense_inputs", "random_positions"]


def random_positions(count: int, variant: str = "backgammon", seed: int = 1) -> NDArray[np.uint64]:
    """Positions of random games, those at the end too."""
    random = np.random.RandomState(seed)
    starts = np.repeat(pack([Position.start(variant)], variant=variant), 8, axis=0)
    rows, seen = starts, [starts]
    while sum(map(len, seen)) < 3 * count:
        dice = random.randint(1, 7, (len(rows), 2))
        counts = count_moves(rows, dice, variant=variant)
        going_on = counts > 0
        rows, dice, counts = rows[going_on], dice[going_on], counts[going_on]
        rows = play(rows, dice, random.randint(0, counts), variant=variant) if len(rows) else starts
        seen.append(rows)
    return random.permutation(np.concatenate(seen))[:count]


def dense_inputs(positions: NDArray[np.uint64]) -> NDArray[np.float64]:
    """All 312 inputs, written out from the definition."""
    counts = unpack(positions).reshape(len(positions), 52).astype(int)
    inputs = np.zeros((len(positions), 52, 6))
    for k in range(5):
        inputs[:, :, k] = counts > k
    inputs[:, :, 5] = 0.3 * np.maximum(counts - 5, 0)
    off = counts[:, [0, 26]]
    inputs[:, [0, 26], :5] = off[:, :, None] >= [1, 4, 8, 11, 13]
    inputs[:, [0, 26], 5] = 0.2 * off
    return inputs.reshape(len(positions), 312)
