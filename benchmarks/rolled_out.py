"""What positions are worth by this library's own rollouts, to a wanted precision."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.games import Packed
from vrhcaby.evaluation import equities
from vrhcaby.rollouts import truncated_rollouts

FIRST_TRIALS = 72  # after so many it is known about how many are needed


class Settings(NamedTuple):
    """How to roll out: one turn of look-ahead where the trials end, and the luck of all rolls taken out.

    Attributes
    ----------
    evaluator : str
        Path of the network that plays and judges.
    variant : str
    turns : int
        Of a trial; games that end before have their results.
    error : float
        The standard error of the equity to be reached.
    share : float
        Among siblings: a position may have an error of this share of what it is worse than the best. What is lost by
        a blunder need not be known to a thousandth.
    most_trials : int
        Where to give up.
    seed : int
    """

    evaluator: str
    variant: str
    turns: int
    error: float
    share: float
    most_trials: int
    seed: int


class RolledOut(NamedTuple):
    """A position after some trials: the figures of the player on roll, and the standard error of the equity."""

    equity: float
    error: float
    chances: NDArray[np.float64]
    trials: int


def roll_out_siblings(positions: Packed, settings: Settings) -> list[RolledOut]:
    """Rolls out the positions that follow from one roll: each gets trials until its error is small enough.

    The best of them is the one that is worth least to the next player.
    """
    results = [_trials(positions[row : row + 1], settings, 0, FIRST_TRIALS) for row in range(len(positions))]
    while True:
        best = min(result.equity for result in results)
        done = True
        for row, known in enumerate(results):
            ratio = known.error / max(settings.error, settings.share * (known.equity - best))
            if ratio > 1 and known.trials < settings.most_trials:
                # A little more than it seems to take, but not at once what a rough first error says.
                wanted = min(math.ceil(known.trials * min(1.05 * ratio**2, 5.0)), settings.most_trials)
                new = _trials(positions[row : row + 1], settings, known.trials, wanted - known.trials)
                results[row] = merged(known, new)
                done = False
        if done:
            return results


def _trials(position: Packed, settings: Settings, first: int, trials: int) -> RolledOut:
    """So many trials of one position, from a given one on."""
    chances, errors = truncated_rollouts(
        np.ascontiguousarray(position),
        turns=settings.turns,
        trials=trials,
        first_trial=first,
        seed=settings.seed,
        variant=settings.variant,
        evaluator=settings.evaluator,
    )
    equity = float(equities(chances, settings.variant)[0])
    return RolledOut(equity, float(errors[0]), chances[0].astype(np.float64), trials)


def merged(one: RolledOut, other: RolledOut) -> RolledOut:
    """The trials of both."""
    trials = one.trials + other.trials
    share = other.trials / trials
    # Sums of squared distances from the mean: within each part, and between them (Chan, Golub, LeVeque 1979).
    within = sum(part.error**2 * part.trials * (part.trials - 1) for part in (one, other))
    between = (one.equity - other.equity) ** 2 * one.trials * share
    return RolledOut(
        one.equity + share * (other.equity - one.equity),
        math.sqrt((within + between) / trials / (trials - 1)),
        one.chances + share * (other.chances - one.chances),
        trials,
    )
