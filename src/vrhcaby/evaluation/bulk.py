"""Evaluating positions, one or millions."""

from __future__ import annotations

import os
from typing import overload

import numpy as np
from numpy.typing import NDArray

from vrhcaby._core import Position, check_positions, pack
from vrhcaby._threads import check_workers, run_blocks
from vrhcaby.evaluation._network import apply_rules
from vrhcaby.evaluation.protocol import Evaluation, Evaluator, as_variant
from vrhcaby.evaluation.shipped import as_evaluator
from vrhcaby.variants import Variant

__all__ = ["checked_chances", "evaluate"]

_BLOCK = 4096  # positions; fixed, so that what an evaluator is given does not depend on the number of workers


@overload
def evaluate(positions: Position, *, evaluator: Evaluator | str | os.PathLike[str] | None = None) -> Evaluation: ...
@overload
def evaluate(
    positions: NDArray[np.uint64],
    *,
    variant: str | Variant = "backgammon",
    evaluator: Evaluator | str | os.PathLike[str] | None = None,
    workers: int | None = 1,
) -> NDArray[np.float32]: ...
def evaluate(
    positions: Position | NDArray[np.uint64],
    *,
    variant: str | Variant | None = None,
    evaluator: Evaluator | str | os.PathLike[str] | None = None,
    workers: int | None = 1,
) -> Evaluation | NDArray[np.float32]:
    """Chances of the player on roll, before he rolls, with no look ahead.

    Parameters
    ----------
    positions : Position, or (n, 4) uint64
        One position or packed ones.
    variant : str or Variant
        Of packed positions; ``"backgammon"`` if not given. A `Position` has its own.
    evaluator : Evaluator, str, path or None
        What judges: None = the shipped network for the variant, the name of a shipped network, the path of a network
        of your own, or any object with the `Evaluator` protocol.
    workers : int or None
        Number of threads; None = all usable cores. An evaluator is asked about blocks of 4096 positions, from
        several threads at a time if there are several workers.

    Returns
    -------
    Evaluation, or (n, 5) float32
        Win, win gammon, win backgammon, lose gammon, lose backgammon; a backgammon is counted as a gammon too, and
        a gammon as a win. `vrhcaby.evaluation.equities` turns an array of chances into points. Games that are over
        have their exact results, and what the variant rules out has chance 0.

    Raises
    ------
    PositionError
        A row that is no position of the variant.
    ValueError, TypeError
        An evaluator that was not made for the variant, or whose answer is no array of chances; a wrong shape, dtype
        or number of workers.

    >>> from vrhcaby import Position
    >>> 0.45 < evaluate(Position.start()).win < 0.6
    True
    >>> evaluate(Position.from_points(own={6: 15}, opponent={})).equity
    -2.0
    """
    if isinstance(positions, Position):
        if variant is not None and as_variant(variant) != positions.variant:
            raise ValueError(f"variant {as_variant(variant).name!r}: the position is of {positions.variant.name!r}")
        rules = positions.variant
        chances = _evaluate(pack([positions], variant=rules), rules, evaluator, workers)
        return Evaluation(*chances[0].tolist(), variant=rules)
    return _evaluate(positions, as_variant("backgammon" if variant is None else variant), evaluator, workers)


def _evaluate(
    positions: NDArray[np.uint64],
    variant: Variant,
    evaluator: Evaluator | str | os.PathLike[str] | None,
    workers: int | None,
) -> NDArray[np.float32]:
    threads = check_workers(workers)
    asked = as_evaluator(evaluator, variant)
    check_positions(positions, variant)
    chances = np.empty((len(positions), 5), np.float32)

    def fill(first: int) -> None:
        block = slice(first, first + _BLOCK)
        chances[block] = checked_chances(asked, positions[block], variant)

    for _ in run_blocks(fill, range(0, len(positions), _BLOCK), threads if len(positions) > _BLOCK else 1):
        pass
    return chances


def checked_chances(evaluator: Evaluator, positions: NDArray[np.uint64], variant: str | Variant) -> NDArray[np.float32]:
    """What an evaluator says of positions that are known to be good, in a new array, corrected by the rules.

    Raises
    ------
    TypeError, ValueError
        The answer is no (n, 5) float32 array of chances.
    """
    shown = positions.view()
    shown.flags.writeable = False  # the rules are applied to these positions, and they may be the caller's
    answer = evaluator.evaluate(shown)
    name = getattr(evaluator, "name", type(evaluator).__name__)
    if not isinstance(answer, np.ndarray):
        raise TypeError(f"evaluator {name!r} returned {type(answer).__name__}: must be a NumPy array")
    if answer.dtype != np.float32 or answer.shape != (len(positions), 5):
        raise ValueError(
            f"evaluator {name!r} returned {answer.dtype} {answer.shape}: must be float32 {(len(positions), 5)}"
        )
    chances = np.array(answer, order="C")  # a copy: what was returned may be the evaluator's own, or read-only
    apply_rules(chances, positions, variant)
    return chances
