"""Rules of thumb for long nardy, fevga and their like: leaving the head, points held, free ways, blocks.

The weights were set by hand, in something like points of the game. Pips do not count: nothing is ever hit, so whatever
a side plays, its pips are the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.opponents.blocks import row_ending_at

Counts = NDArray[np.int64]

OFF = 0.05
HEAD = 0.05  # for each checker that has not left it
HELD = 0.03  # for each point
FREE = 0.05  # for each checker, if none of the six points before him is closed
STACK = 0.005  # times the square of the checkers on a point
BLOCK = 0.004  # times the square of its length, for up to five checkers that have to pass it


def worth(own: Counts, opponent: Counts) -> NDArray[np.float64]:
    """What a side's checkers are worth to it. Both (n, 26): 0 = borne off, 1..24 = points."""
    standing = own[:, 1:25]
    held = standing > 0
    return np.asarray(
        OFF * own[:, 0]
        - HEAD * own[:, 24]
        + HELD * held.sum(1)
        + FREE * (standing * _open_before(opponent)).sum(1) / 6
        - STACK * (standing**2).sum(1)
        + BLOCK * _best_block(held, opponent)
    )


def _open_before(opponent: Counts) -> NDArray[np.int64]:
    """For each point in own numbering, how many of the six points before it are open; those past the end are."""
    theirs = np.roll(opponent[:, 1:25] > 0, 12, axis=1)
    closed = np.pad(theirs.cumsum(1), ((0, 0), (1, 0)))  # closed[:, p] = of the points 1..p
    points = np.arange(1, 25)
    return np.asarray(6 - (closed[:, points - 1] - closed[:, np.maximum(points - 7, 0)]))


def _best_block(held: NDArray[np.bool_], opponent: Counts) -> NDArray[np.int64]:
    """Of all rows of points on the opponent's way, the square of the length times his checkers behind, five at most."""
    length = row_ending_at(np.roll(held, 12, axis=1))  # in the opponent's numbering
    behind = opponent[:, 24:0:-1].cumsum(1)[:, ::-1] - opponent[:, 1:25]  # on higher points
    return np.asarray((np.minimum(length, 6) ** 2 * np.minimum(behind, 5)).max(1))
