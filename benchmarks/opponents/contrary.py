"""Rules of thumb for backgammon and its like: race, points made, anchors, blocks, blots in danger.

The weights were set by hand, in something like points of the game.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.opponents.blocks import row_ending_at

Counts = NDArray[np.int64]

PIP = 0.012
OFF = 0.05
HOME_POINT = 0.07
ANCHOR = 0.12
ON_THE_BAR = 0.06  # for each point that the opponent has made at home, with one to spare
BLOCK = 0.012  # times the square of its length, for up to two checkers that have to pass it
DIRECT_SHOT, INDIRECT_SHOT = 0.3, 0.06  # chance to be hit by a checker 1 to 6, and 7 to 11 points away


def worth(own: Counts, opponent: Counts) -> NDArray[np.float64]:
    """What a side's checkers are worth to it. Both (n, 26): 0 = borne off, 1..24 = points, 25 = bar."""
    theirs = opponent[:, ::-1]  # in own numbering, where they enter at 0
    made = own[:, 1:25] >= 2
    strength = 1 + (opponent[:, 1:7] >= 2).sum(1)  # of the home in which a checker of ours that is hit must enter
    race = OFF * own[:, 0] - PIP * (own @ np.arange(26))
    contact = (
        HOME_POINT * made[:, :6].sum(1)
        + ANCHOR * made[:, 18:].any(1)
        - ON_THE_BAR * strength * own[:, 25]
        + BLOCK * _best_block(made, theirs)
        - _danger(own, theirs, strength)
    )
    return np.asarray(race + contact * (_rear(own) + _rear(opponent) > 25))


def _rear(counts: Counts) -> NDArray[np.int64]:
    """The highest slot that is not empty."""
    return np.asarray(25 - np.argmax(counts[:, ::-1] > 0, 1))


def _best_block(made: NDArray[np.bool_], theirs: Counts) -> NDArray[np.int64]:
    """Of all rows of made points, the square of the length times the checkers behind it, two at most."""
    length = row_ending_at(made)
    behind = np.take_along_axis(theirs.cumsum(1), np.arange(1, 25) - length, 1)
    return np.asarray((np.minimum(length, 6) ** 2 * np.minimum(behind, 2)).max(1))


def _danger(own: Counts, theirs: Counts, strength: NDArray[np.int64]) -> NDArray[np.float64]:
    """What blots stand to lose: the way back, and the trouble of entering."""
    before = np.pad((theirs > 0).cumsum(1), ((0, 0), (12, 0)))  # before[:, 11 + p] = points 0..p - 1 that they hold
    points = np.arange(1, 25)
    near = before[:, points + 11] - before[:, points + 5]
    far = before[:, points + 5] - before[:, points]
    chance = np.minimum(DIRECT_SHOT * near + INDIRECT_SHOT * far, 0.9)
    loss = PIP * (25 - points) + ON_THE_BAR * strength[:, None]
    return np.asarray((chance * loss * (own[:, 1:25] == 1)).sum(1))
