"""What fixes a training to the last bit, and the settings that are used where nothing else is said."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import typing
from pathlib import Path
from typing import Any, Literal, get_args

from vrhcaby.errors import FormatError
from vrhcaby.training.files import replaced
from vrhcaby.variants import VARIANTS, Variant, variant

__all__ = [
    "PARTS",
    "Cycle",
    "FitSettings",
    "GameSettings",
    "PartName",
    "Recipe",
    "RolloutSettings",
    "SelfPlaySettings",
    "read_recipe",
    "standard_recipe",
    "write_recipe",
]

PartName = Literal["contact", "race", "filter"]
PARTS: tuple[PartName, ...] = get_args(PartName)

_FORMAT = 1


def _check_least(settings: object, **least: int) -> None:
    for name, bound in least.items():
        if getattr(settings, name) < bound:
            raise ValueError(f"{name} = {getattr(settings, name)}: must be at least {bound}")


def _check_shares(settings: object, *names: str) -> None:
    for name in names:
        if not 0 <= getattr(settings, name) <= 1:
            raise ValueError(f"{name} = {getattr(settings, name)}: must be from 0 to 1")


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelfPlaySettings:
    """Temporal differences: the network that gets off the ground.

    Attributes
    ----------
    games : int
        How many games it plays against itself.
    hidden : int
        Hidden units, a multiple of 16.
    rate, last_rate : float
        Learning rate at the beginning and at the end; its inverse grows in a straight line.
    trace : float
        How much of a position's own change the position before follows: the lambda of TD(lambda), from 0 to 1.

    >>> SelfPlaySettings(games=0)
    Traceback (most recent call last):
        ...
    ValueError: games = 0: must be at least 1
    """

    games: int
    hidden: int = 80
    rate: float = 0.05
    last_rate: float = 0.005
    trace: float = 0.0

    def __post_init__(self) -> None:
        _check_least(self, games=1)
        if not 0 < self.last_rate <= self.rate <= 1:
            raise ValueError(f"rate = {self.rate}, last_rate = {self.last_rate}: must fall, between 1 and 0")
        _check_shares(self, "trace")

    def rate_at(self, game: int) -> float:
        """Learning rate at a game."""
        return self.rate / (1 + (self.rate / self.last_rate - 1) * game / self.games)


@dataclasses.dataclass(frozen=True, kw_only=True)
class GameSettings:
    """Labelled games of the best network so far against itself; what is not said here is as in `labelled_games`.

    Attributes
    ----------
    games : int
        How many.
    random_opening : int
        Seven games of ten begin with so many random turns at most.
    random_moves : float
        Chance of each later turn to be a random move.
    slips : float
        Chance of each later turn to be the second or third best play.
    siblings : float
        Chance of each turn that what another play of its roll leads to is labelled as well.
    trace : float
        How much of what the next position finds out goes into a label: the lambda of TD(lambda), from 0 to 1.
    starts : tuple of str
        Variants at whose start positions the games begin in turn; none = that of the variant itself.
    """

    games: int
    random_opening: int = 20
    random_moves: float = 0.06
    slips: float = 0.0
    siblings: float = 0.25
    trace: float = 0.7
    starts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_least(self, games=1, random_opening=0)
        _check_shares(self, "random_moves", "slips", "siblings", "trace")
        if self.random_moves + self.slips > 1:
            raise ValueError(f"random_moves = {self.random_moves}, slips = {self.slips}: must be together at most 1")
        for name in self.starts:
            variant(name)


@dataclasses.dataclass(frozen=True, kw_only=True)
class RolloutSettings:
    """Rollouts with their luck taken out, whose means replace the labels.

    Attributes
    ----------
    turns : int
        How long a rollout is.
    trials : int
        How many there are of each position; 0 = none, the labels of the games stay.
    """

    turns: int = 7
    trials: int = 0

    def __post_init__(self) -> None:
        _check_least(self, turns=1, trials=0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitSettings:
    """How a part of the network is fitted to labelled positions.

    Attributes
    ----------
    width : int
        Units of the first layer: a multiple of 128 up to 1024, of a filter always 32.
    buckets : int
        How many sets of weights the later layers have: 9 by where the last checkers are, or 1.
    epochs : float
        How often each sample is looked at.
    least_steps : int
        How many steps there are at least, however few samples.
    batch : int
        Samples of a step.
    rate : float
        Learning rate of Adam after `warm_up` steps, which come to it in a straight line; from there it falls along a
        half cosine to a fiftieth.
    warm_up : int
        But at most a tenth of all steps.
    evaluations : int
        How often the error on the samples held out is measured; the weights with the least one are kept.
    seed : int
        Of the first weights and the order of the samples.
    """

    width: int = 512
    buckets: int = 9
    epochs: float = 8
    least_steps: int = 1000
    batch: int = 4096
    rate: float = 0.002
    warm_up: int = 500
    evaluations: int = 20
    seed: int = 1

    def __post_init__(self) -> None:
        _check_least(self, least_steps=1, batch=1, warm_up=0, evaluations=1, seed=0)
        if not 32 <= self.width <= 1024 or self.width % 32:
            raise ValueError(f"width = {self.width}: must be a multiple of 32 up to 1024")
        if self.buckets not in (1, 9):
            raise ValueError(f"buckets = {self.buckets}: must be 1 or 9")
        if not 0 < self.epochs < math.inf:
            raise ValueError(f"epochs = {self.epochs}: must be more than 0")
        if not 0 < self.rate <= 1:
            raise ValueError(f"rate = {self.rate}: must be from 0 to 1")

    def rate_at(self, step: int, steps: int) -> float:
        """Learning rate of a step.

        >>> settings = FitSettings(rate=0.1)
        >>> [round(settings.rate_at(step, 10_000), 4) for step in (0, 249, 499, 5000, 10_000)]
        [0.0002, 0.0499, 0.0994, 0.051, 0.002]
        """
        warm_up = max(1, min(self.warm_up, steps // 10))
        fall = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps))
        return self.rate * min(1.0, (step + 1) / warm_up) * fall


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cycle:
    """From one network to the next, which learns from what the one sees when it looks ahead.

    Attributes
    ----------
    games : GameSettings
    rollouts : RolloutSettings
    contact, race, filter : FitSettings
        The parts: for positions with contact, for those without, and the filter that chooses what they look at.
    earlier : int
        The samples of how many cycles before are learnt from as well. Where a position is in several, the last counts.
    go_on : bool
        Whether the parts begin with the weights of the cycle before, which must have the same width and buckets.
    """

    games: GameSettings
    rollouts: RolloutSettings = RolloutSettings()
    contact: FitSettings = FitSettings()
    race: FitSettings = FitSettings(width=128, buckets=1)
    filter: FitSettings = FitSettings(width=32, rate=0.005)
    earlier: int = 0
    go_on: bool = False

    def __post_init__(self) -> None:
        _check_least(self, earlier=0)
        for name in ("contact", "race"):
            if (width := getattr(self, name).width) % 128:
                raise ValueError(f"{name}.width = {width}: must be a multiple of 128")
        if self.race.buckets != 1:
            raise ValueError(f"race.buckets = {self.race.buckets}: must be 1")
        if self.filter.width != 32:
            raise ValueError(f"filter.width = {self.filter.width}: must be 32")

    def fit_of(self, name: PartName) -> FitSettings:
        """The settings of a part."""
        settings: FitSettings = getattr(self, name)
        return settings


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """A whole training.

    Attributes
    ----------
    variant : str
        What is played.
    options : dict
        Rules of the variant that are changed, as `Variant.options` names them.
    serves : tuple of str
        The variants that the network will be for.
    seed : int
        Of everything that is drawn.
    self_play : SelfPlaySettings
    cycles : tuple of Cycle
    duel_pairs : int
        Pairs of games between the network of a cycle and the one before; 0 = none.
    opponent : str
        A network by name or path that each network has a duel with as well; none if empty.

    Raises
    ------
    ValueError
        A setting that makes no sense; the message names it.

    >>> standard_recipe(variant("hypergammon")).cycles[0].games.trace
    0.0
    """

    variant: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    serves: tuple[str, ...]
    seed: int = 1
    self_play: SelfPlaySettings
    cycles: tuple[Cycle, ...]
    duel_pairs: int = 5000
    opponent: str = ""

    def __post_init__(self) -> None:
        game = self.game
        if game.direction == "parallel":
            for number, cycle in enumerate(self.cycles, 1):
                for name in ("contact", "filter"):
                    if (buckets := getattr(cycle, name).buckets) != 1:
                        raise ValueError(f"cycle {number}: {name}.buckets = {buckets}: must be 1 for {game.name!r}")
        if game.last_roll != "none":
            raise ValueError(f"last_roll = {game.last_roll!r}: games do not play a last roll yet")
        if not self.cycles:
            raise ValueError("cycles: there must be at least one")
        for name in (self.variant, *self.serves):
            if VARIANTS[name].direction != game.direction or VARIANTS[name].checkers != game.checkers:
                raise ValueError(f"serves {name!r}: is not played like {game.name!r}")
        if game.name not in self.serves:
            raise ValueError(f"serves {', '.join(self.serves)}: not {game.name!r} itself")
        if not 0 <= self.seed < 1 << 32:
            raise ValueError(f"seed = {self.seed}: must be from 0 to 2**32 - 1")
        if self.duel_pairs < 0 or self.duel_pairs == 1:
            raise ValueError(f"duel_pairs = {self.duel_pairs}: must be at least 2, or 0")

    @property
    def game(self) -> Variant:
        """What is played, with its changed rules."""
        changes = {name: _as_tuple(value) for name, value in self.options.items()}
        return variant(self.variant).replace(**changes)


def standard_recipe(
    game: Variant, *, serves: tuple[str, ...] | None = None, scale: float = 1.0, seed: int = 1
) -> Recipe:
    """A recipe for a variant.

    Parameters
    ----------
    game : Variant
    serves : tuple of str, optional
        The variants that the network will be for; by default only this one.
    scale : float
        1 = many hours of two cores, as for the networks that come with the package; less = fewer games in proportion,
        and smaller networks.
    seed : int

    Raises
    ------
    ValueError
        A scale that is not between 0 and 100.
    """
    if not 0 < scale <= 100:
        raise ValueError(f"scale = {scale}: must be more than 0 and at most 100")
    parallel = game.direction == "parallel"
    short = game.checkers < 8  # games of a few turns, and few positions
    starts = ("backgammon",) * 3 + ("nackgammon",) if game.name == "backgammon" and not game.options else ()

    def fit(width: int, *, rate: float, epochs: float, buckets: int) -> FitSettings:
        return FitSettings(
            width=width,
            buckets=buckets,
            epochs=epochs,
            batch=max(256, min(4096, _power_of_two(8192 * scale))),
            rate=rate,
            seed=seed,
        )

    cycles = max(3, min(24, round(24 * scale**0.25)))

    def cycle(number: int) -> Cycle:
        first = number == 1
        # Errors that hardly change from turn to turn are seen only from afar, where labels are noisy: so later.
        late = number > 2 * cycles // 3
        buckets = 1 if parallel or short else 9
        return Cycle(
            games=GameSettings(
                games=max(1000, round((50_000 if short else 8_000) * scale)),
                random_opening=4 if short else 10 if late else 20,
                trace=0.0 if first else 0.95 if late else 0.7,
                starts=starts,
            ),
            contact=fit(
                128 if short else 512,
                rate=0.002 if first else 0.0008 if late else 0.0015,
                epochs=10 if first else 3 if late else 6,
                buckets=buckets,
            ),
            race=fit(128, rate=0.002 if first else 0.001, epochs=20 if first else 12, buckets=1),
            filter=fit(32, rate=0.005, epochs=5, buckets=buckets),
            earlier=2,
            go_on=not first,
        )

    return Recipe(
        variant=game.name,
        options=game.options,
        serves=serves or (game.name,),
        seed=seed,
        self_play=SelfPlaySettings(
            games=max(20_000, round(400_000 * scale)),
            rate=0.01 if parallel else 0.05,
            last_rate=0.001 if parallel else 0.005,
        ),
        cycles=tuple(cycle(number) for number in range(1, 1 + cycles)),
    )


def write_recipe(path: str | os.PathLike[str], recipe: Recipe) -> None:
    """Write a recipe as a JSON document that can be read and changed by hand."""
    document = {"format": _FORMAT, **dataclasses.asdict(recipe)}
    with replaced(path) as file:
        file.write((json.dumps(document, indent=2) + "\n").encode())


def read_recipe(path: str | os.PathLike[str]) -> Recipe:
    """The recipe of a file.

    Raises
    ------
    FormatError
        Not such a document, or a setting that does not exist or makes no sense; the message names it.
    OSError
        The file cannot be read.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(document, dict) or document.pop("format", None) != _FORMAT:
            raise FormatError(f"not a recipe of format {_FORMAT}")
        recipe: Recipe = _made(Recipe, document, "recipe")
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error
    return recipe


def _made(kind: Any, value: Any, place: str) -> Any:
    """What a part of a document says, if it is of the kind that the field wants."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            raise FormatError(f"{place} = {value!r}: must be an object")
        hints = typing.get_type_hints(kind)
        if unknown := set(value) - set(hints):
            raise FormatError(f"{place}: unknown {', '.join(sorted(unknown))} (known: {', '.join(hints)})")
        try:
            return kind(**{name: _made(hints[name], item, f"{place}.{name}") for name, item in value.items()})
        except TypeError as error:
            raise FormatError(f"{place}: {error}") from error
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise FormatError(f"{place} = {value!r}: must be a list")
        return tuple(_made(typing.get_args(kind)[0], item, f"{place}[{i}]") for i, item in enumerate(value))
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not (typing.get_origin(kind) or kind):
        raise FormatError(f"{place} = {value!r}: must be {getattr(kind, '__name__', kind)}")
    return value


def _as_tuple(value: Any) -> Any:
    """Lists of a JSON document as the tuples that they were."""
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


def _power_of_two(value: float) -> int:
    return int(2 ** round(math.log2(value)))
