"""What an evaluator is, and what its answer means."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vrhcaby.variants import Variant, variant

__all__ = ["Evaluation", "Evaluator", "equities"]


@runtime_checkable
class Evaluator(Protocol):
    """Anything that estimates how games end: our networks, or a class of your own over any library.

    If it has a ``name``, results of rollouts carry it, else the name of the class: evaluators that judge differently
    should have different names, or their results are taken for results of one.

    >>> import numpy as np
    >>> class EvenGame:
    ...     variants = ("backgammon",)
    ...
    ...     def evaluate(self, positions):
    ...         return np.tile(np.float32([0.5, 0.1, 0.01, 0.1, 0.01]), (len(positions), 1))
    >>> isinstance(EvenGame(), Evaluator)
    True
    """

    @property
    def variants(self) -> Sequence[str]:
        """Names of the variants that it was made for; others are refused."""

    def evaluate(self, positions: NDArray[np.uint64], /) -> NDArray[np.float32]:
        """Chances of the player on roll, before he rolls.

        Parameters
        ----------
        positions : (n, 4) uint64
            Packed positions, all of one variant. The array is read-only; copy it to change it.

        Returns
        -------
        (n, 5) float32
            Win, win gammon, win backgammon, lose gammon, lose backgammon. A backgammon is counted as a gammon too,
            and a gammon as a win. Games that are over and results that the variant does not have need no care.
        """


def equities(chances: NDArray[np.floating[Any]], variant: str | Variant = "backgammon") -> NDArray[np.float64]:
    """Mean points of the player on roll, without a cube, from chances as an evaluator returns them.

    Parameters
    ----------
    chances : (..., 5) array of float
        Win, win gammon, win backgammon, lose gammon, lose backgammon.
    variant : str or Variant
        Whose points for a single win, a gammon and a backgammon count.

    Returns
    -------
    (...) float64

    >>> float(equities(np.float32([0.75, 0.25, 0.0, 0.0, 0.0])))
    0.75
    """
    single, gammon, backgammon = as_variant(variant).points
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.moveaxis(chances.astype(np.float64), -1, 0)
    return np.asarray(
        single * (2 * win - 1)
        + (gammon - single) * (win_gammon - lose_gammon)
        + (backgammon - gammon) * (win_backgammon - lose_backgammon)
    )


def as_variant(value: str | Variant) -> Variant:
    """The variant that a ``variant=`` argument means."""
    return value if isinstance(value, Variant) else variant(value)


@dataclasses.dataclass(frozen=True, slots=True)
class Evaluation:
    """How a game ends, estimated for the player on roll before he rolls.

    Attributes
    ----------
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon : float
        Chances. A backgammon is counted as a gammon too, and a gammon as a win.
    variant : Variant
        What is played.

    >>> evaluation = Evaluation(0.75, 0.25, 0.0, 0.0, 0.0, variant=variant("backgammon"))
    >>> evaluation.lose, evaluation.equity
    (0.25, 0.75)
    """

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float
    variant: Variant = dataclasses.field(kw_only=True)

    @property
    def lose(self) -> float:
        """Chance of losing in any way."""
        return 1 - self.win

    @property
    def equity(self) -> float:
        """Mean points without a cube."""
        chances = (self.win, self.win_gammon, self.win_backgammon, self.lose_gammon, self.lose_backgammon)
        return float(equities(np.array(chances), self.variant))

    def __str__(self) -> str:
        return (
            f"win {self.win:.1%} (gammon {self.win_gammon:.1%}, backgammon {self.win_backgammon:.1%}), "
            f"lose {self.lose:.1%} (gammon {self.lose_gammon:.1%}, backgammon {self.lose_backgammon:.1%}), "
            f"equity {self.equity:+.3f}"
        )
