"""Two fixed opponents for every variant, so that networks of different years can be compared with each other.

`heuristic` is a page of rules of thumb; `beginner` is the network after its first 100,000 games against itself, one
hidden layer of 80 units (each file says in its description how it was trained). Neither changes any more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks.opponents import contrary, parallel

Packed = NDArray[np.uint64]


def heuristic(positions: Packed, variant: str) -> NDArray[np.float64]:
    """What positions are worth to the player on roll by rules of thumb, in no particular unit: (n,)."""
    own, opponent = vrhcaby.unpack(positions).astype(np.int64).swapaxes(0, 1)
    family = contrary if vrhcaby.variant(variant).direction == "contrary" else parallel
    return np.asarray(family.worth(own, opponent) - family.worth(opponent, own))


def beginner(variant: str) -> Path:
    """The file of the beginner's network for a variant.

    >>> beginner("tavli").name
    'backgammon.npz'
    """
    own = Path(__file__).with_name(f"{variant}.npz")
    return own if own.exists() else own.with_name("backgammon.npz")
