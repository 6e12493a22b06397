"""What a rollout counts, and the means and standard errors that follow."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from vrhcaby._core import Position
from vrhcaby.errors import FormatError
from vrhcaby.variants import Variant

__all__ = ["Estimate", "RolloutResult"]

Counts = tuple[int, int, int]  # games that ended in a single win, a gammon and a backgammon


class Estimate(NamedTuple):
    """A mean and its standard error, which a single trial leaves unknown (``nan``).

    >>> print(Estimate(0.5251, 0.0139))
    0.5251 ± 0.0139
    """

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f}"


def _estimate(trials: int, total: int, squares: int) -> Estimate:
    """Mean and standard error of whole numbers by their exact sum and sum of squares.

    Only the last step leaves the integers, so the figures are the same on every machine.
    """
    if trials < 2:
        return Estimate(total / trials, math.nan)
    return Estimate(total / trials, math.sqrt((trials * squares - total * total) / (trials * trials * (trials - 1))))


def _added(counts: Counts, others: Counts) -> Counts:
    return counts[0] + others[0], counts[1] + others[1], counts[2] + others[2]


def _is_number(value: object) -> bool:
    """Whether this is a whole number that is not negative."""
    return type(value) is int and value >= 0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RolloutResult:
    """The trials of a rollout, counted: everything is seen by the player on roll in the position.

    It holds whole numbers only, so that parts merge to the same result in any order. A game counts in one place:
    a gammon is not counted as a single win too. The chances are cumulative, as everywhere else: a backgammon is
    also a gammon, and a gammon also a win.

    Attributes
    ----------
    position : Position
        What was rolled out. It knows its variant.
    evaluator : str
        The name of what chose the moves.
    seed : int
        The 64-bit seed: with the number of a trial it fixes that trial's dice.
    opening : bool
        Whether the first roll of a trial was drawn by the opening rule of the variant.
    ranges : tuple of (int, int)
        The trials counted, as ``(first, stop)`` with ``stop`` left out: in rising order and not adjoining.
    wins, losses : tuple of (int, int, int)
        Games that ended in a single win, a gammon and a backgammon, and the same for the opponent.
    turns : int
        Half-moves of all trials together, passes included.

    Raises
    ------
    ValueError
        Counts that do not add up to the trials, or ranges that overlap; the message names them.

    >>> from vrhcaby import Position
    >>> result = RolloutResult(
    ...     position=Position.start(), evaluator="random", seed=1, opening=False,
    ...     ranges=((0, 100),), wins=(40, 10, 2), losses=(35, 12, 1), turns=8000,
    ... )
    >>> print(result.win_gammon)
    0.1200 ± 0.0327
    >>> round(result.equity.mean, 4)
    0.04
    """

    FIGURES: ClassVar = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon", "equity")
    _SETTINGS: ClassVar = ("position", "evaluator", "seed", "opening")
    _FIELDS: ClassVar = ("evaluator", "seed", "opening", "ranges", "wins", "losses", "turns")
    _FORMAT: ClassVar = "vrhcaby rollout 1"

    position: Position
    evaluator: str
    seed: int
    opening: bool
    ranges: tuple[tuple[int, int], ...]
    wins: Counts
    losses: Counts
    turns: int

    def __post_init__(self) -> None:
        for field, kind in (("position", Position), ("evaluator", str), ("opening", bool)):
            value = getattr(self, field)
            if not isinstance(value, kind):
                raise TypeError(f"{field} = {value!r}: must be a {kind.__name__}")
        for field in ("wins", "losses"):
            counts = tuple(getattr(self, field))
            object.__setattr__(self, field, counts)
            if len(counts) != 3 or not all(map(_is_number, counts)):
                raise ValueError(f"{field} = {counts!r}: must be three numbers of games")
        if not _is_number(self.turns):
            raise ValueError(f"turns = {self.turns!r}: must be a number of turns")
        if not _is_number(self.seed) or self.seed >= 1 << 64:
            raise ValueError(f"seed = {self.seed!r}: must be a whole number from 0 to 2**64 - 1")
        object.__setattr__(self, "ranges", tuple((first, stop) for first, stop in self.ranges))
        before = -1
        for first, stop in self.ranges:
            if not _is_number(first) or not _is_number(stop) or not before < first < stop < 1 << 64:
                raise ValueError(f"ranges = {self.ranges!r}: must be pairs (first, stop) that rise and do not adjoin")
            before = stop
        if sum(self.wins) + sum(self.losses) != self.trials or not self.trials:
            raise ValueError(
                f"wins = {self.wins!r} and losses = {self.losses!r} do not add up to the {self.trials} trials of "
                f"ranges = {self.ranges!r}"
            )

    @property
    def variant(self) -> Variant:
        """The variant of the position."""
        return self.position.variant

    @property
    def trials(self) -> int:
        """Number of games."""
        return sum(stop - first for first, stop in self.ranges)

    def _chance(self, counts: Counts, at_least: int) -> Estimate:
        games = sum(counts[at_least:])
        return _estimate(self.trials, games, games)

    @property
    def win(self) -> Estimate:
        """Chance of a win of any kind."""
        return self._chance(self.wins, 0)

    @property
    def win_gammon(self) -> Estimate:
        """Chance of winning a gammon or a backgammon."""
        return self._chance(self.wins, 1)

    @property
    def win_backgammon(self) -> Estimate:
        """Chance of winning a backgammon."""
        return self._chance(self.wins, 2)

    @property
    def lose_gammon(self) -> Estimate:
        """Chance of losing a gammon or a backgammon."""
        return self._chance(self.losses, 1)

    @property
    def lose_backgammon(self) -> Estimate:
        """Chance of losing a backgammon."""
        return self._chance(self.losses, 2)

    @property
    def equity(self) -> Estimate:
        """Mean of the points won, lost games counting negative, by the points of the variant."""
        games = list(zip(self.variant.points, self.wins, self.losses, strict=True))
        total = sum(points * (won - lost) for points, won, lost in games)
        squares = sum(points * points * (won + lost) for points, won, lost in games)
        return _estimate(self.trials, total, squares)

    def merge(self, other: RolloutResult) -> RolloutResult:
        """Both results as one, equal to what one rollout of all their trials returns.

        Parameters
        ----------
        other : RolloutResult
            More trials of the same position with the same seed and settings.

        Raises
        ------
        ValueError
            Another position, seed or setting, or trials that both have; the message names them.

        >>> from vrhcaby import Position, rollout
        >>> start, random = Position.start(), {"seed": 7, "evaluator": "random"}
        >>> parts = [rollout(start, trials=10, first_trial=first, **random) for first in (0, 10)]
        >>> parts[1].merge(parts[0]) == rollout(start, trials=20, **random)
        True
        """
        if not isinstance(other, RolloutResult):
            raise TypeError(f"merge takes a RolloutResult, not {type(other).__name__}")
        for field in self._SETTINGS:
            mine, theirs = getattr(self, field), getattr(other, field)
            if mine != theirs:
                raise ValueError(f"rollouts of different settings do not merge: {field} {mine!r} and {theirs!r}")
        ranges: list[tuple[int, int]] = []
        for first, stop in sorted(self.ranges + other.ranges):
            if ranges and first < ranges[-1][1]:
                raise ValueError(
                    f"both rollouts have the trials {first} to {min(stop, ranges[-1][1]) - 1}: they would count twice"
                )
            if ranges and first == ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], stop)
            else:
                ranges.append((first, stop))
        return dataclasses.replace(
            self,
            ranges=tuple(ranges),
            wins=_added(self.wins, other.wins),
            losses=_added(self.losses, other.losses),
            turns=self.turns + other.turns,
        )

    def to_json(self) -> dict[str, Any]:
        """The result as a dictionary that ``json`` can write: the counts, and the figures that follow from them.

        >>> from vrhcaby import Position, rollout
        >>> result = rollout(Position.start("tavli"), trials=36, seed=5, evaluator="random")
        >>> RolloutResult.from_json(result.to_json()) == result
        True
        """
        figures = {name: getattr(self, name) for name in self.FIGURES}
        return {
            "format": self._FORMAT,
            "position": self.position.id,
            "evaluator": self.evaluator,
            "seed": self.seed,
            "opening": self.opening,
            "trials": self.trials,
            "ranges": [list(pair) for pair in self.ranges],
            "wins": list(self.wins),
            "losses": list(self.losses),
            "turns": self.turns,
            "mean": {name: figure.mean for name, figure in figures.items()},
            "error": {name: figure.error if self.trials > 1 else None for name, figure in figures.items()},
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> RolloutResult:
        """The result that `to_json` wrote.

        Raises
        ------
        FormatError
            A key is missing, unknown or has an impossible value, or figures do not follow from the counts; the
            message names the key.
        """
        if not isinstance(document, Mapping) or document.get("format") != cls._FORMAT:
            found = document.get("format") if isinstance(document, Mapping) else document
            raise FormatError(f"format = {found!r}: must be {cls._FORMAT!r}")
        try:
            result = cls(position=Position.from_id(document["position"]), **{key: document[key] for key in cls._FIELDS})
        except KeyError as error:
            raise FormatError(f"a rollout without {error.args[0]!r}") from None
        except (TypeError, ValueError) as error:
            raise FormatError(f"not a rollout: {error}") from error
        expected = result.to_json()
        for key in [*expected, *document]:
            if key not in expected:
                raise FormatError(f"unknown key {key!r} in a rollout")
            if document.get(key) != expected[key]:
                raise FormatError(f"{key} = {document.get(key)!r}: the counts of the rollout give {expected[key]!r}")
        return result

    def __repr__(self) -> str:
        return f"<RolloutResult {self.position.id}: {self.trials} trials, equity {self.equity}>"

    def __str__(self) -> str:
        lines = [
            f"{self.trials} trials of {self.position.id}{', opening roll' if self.opening else ''}",
            f"evaluator {self.evaluator}, seed {self.seed}",
        ]
        lines += [f"{name.replace('_', ' '):<16}{getattr(self, name)}" for name in self.FIGURES]
        return "\n".join(lines)
