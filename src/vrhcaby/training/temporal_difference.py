"""Training a network by temporal differences: it plays against itself and learns from every game."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from vrhcaby.evaluation._network import Network
from vrhcaby.evaluation.network_file import read_training, write_network
from vrhcaby.evaluation.shipped import SERVES
from vrhcaby.training._self_play import SelfPlay, duel
from vrhcaby.variants import variant

__all__ = ["Report", "Settings", "train"]

_GAMES_AT_A_TIME = 500  # at one learning rate; between them the training can be stopped and resumed
_INPUTS = 208
_OUTPUTS = 5


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """What fixes a training to the last bit.

    Attributes
    ----------
    variant : str
        What is played.
    games : int
        How many games in all.
    seed : int
        Of the first weights and of the dice.
    hidden : int
        Hidden units, a multiple of 16.
    rate, last_rate : float
        Learning rate at the beginning and at the end; its inverse grows in a straight line.
    trace : float
        How much of a position's own change the position before follows: the lambda of TD(lambda), from 0 to 1.

    Raises
    ------
    ValueError
        A value that makes no sense; the message names it.

    >>> Settings(variant="hypergammon", games=1000, seed=1).command
    'python -m vrhcaby.training --variant hypergammon --games 1000 --seed 1'
    """

    variant: str
    games: int
    seed: int = 1
    hidden: int = 80
    rate: float = 0.05
    last_rate: float = 0.005
    trace: float = 0.0

    def __post_init__(self) -> None:
        variant(self.variant)
        if self.games < 1:
            raise ValueError(f"games = {self.games}: must be at least 1")
        if not 0 <= self.seed < 1 << 32:
            raise ValueError(f"seed = {self.seed}: must be from 0 to 2**32 - 1")
        if not 0 < self.last_rate <= self.rate <= 1:
            raise ValueError(f"rate = {self.rate}, last_rate = {self.last_rate}: must fall, between 1 and 0")
        if not 0 <= self.trace <= 1:
            raise ValueError(f"trace = {self.trace}: must be from 0 to 1")

    def rate_at(self, game: int) -> float:
        """Learning rate at a game."""
        return self.rate / (1 + (self.rate / self.last_rate - 1) * game / self.games)

    @property
    def command(self) -> str:
        """The command that repeats the training."""
        words = ["python -m vrhcaby.training"]
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value != field.default or field.name == "seed":
                words.append(f"--{field.name.replace('_', '-')} {value}")
        return " ".join(words)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Report:
    """How far a training is, and how strong. Duels are points a game with their standard error.

    Attributes
    ----------
    played, games : int
        Games so far, and in all.
    games_per_second : float
        Since the report before, without its duels.
    rate : float
        Learning rate.
    random : tuple of two float
        Duel against random moves.
    earlier : tuple of two float
        Duel against the network of the report before.
    """

    played: int
    games: int
    games_per_second: float
    rate: float
    random: tuple[float, float]
    earlier: tuple[float, float]

    def __str__(self) -> str:
        return (
            f"{self.played} of {self.games} games, {self.games_per_second:.0f} a second, rate {self.rate:.4f}: "
            f"against random play {self.random[0]:+.3f} ± {self.random[1]:.3f}, "
            f"against the report before {self.earlier[0]:+.3f} ± {self.earlier[1]:.3f}"
        )


def train(
    settings: Settings,
    out: str | os.PathLike[str],
    *,
    resume: bool = False,
    report_every: int = 10_000,
    duel_games: int = 1_000,
    progress: Callable[[Report], None] | None = None,
) -> Network:
    """Train a network and write it to a file: at every report, at the end, and when interrupted.

    The same settings give the same bytes on every machine, interrupted and resumed or not.

    Parameters
    ----------
    settings : Settings
        What to do.
    out : path
        The ``.npz`` file.
    resume : bool
        Whether to go on with a file that is there. Otherwise a file that is there is refused.
    report_every : int
        Games between reports, rounded up to a multiple of 500.
    duel_games : int
        Games of each of the two duels of a report; an even number, at least 4.
    progress : function of a Report, optional
        Called at every report.

    Raises
    ------
    FileExistsError
        `out` is there and `resume` is not asked for.
    ValueError
        A file to be resumed that was made with other settings, or a training that has diverged.
    FormatError, OSError
        The file cannot be read or written.
    """
    path = Path(out)
    network, played = _beginning(settings, path, resume)
    self_play = SelfPlay(network, settings.variant, seed=settings.seed, trace=settings.trace, played=played)
    try:
        while self_play.played < settings.games:
            earlier, began, first = network, time.perf_counter(), self_play.played
            while self_play.played < min(first + report_every, settings.games):
                rate = settings.rate_at(self_play.played)
                self_play.play(min(_GAMES_AT_A_TIME, settings.games - self_play.played), rate)
            speed = (self_play.played - first) / (time.perf_counter() - began)
            network = _save(path, settings, self_play)
            if progress is not None:
                duels = partial(duel, network, variant=settings.variant, games=duel_games, seed=settings.seed)
                progress(
                    Report(
                        played=self_play.played,
                        games=settings.games,
                        games_per_second=speed,
                        rate=rate,
                        random=duels(None),
                        earlier=duels(earlier),
                    )
                )
    except KeyboardInterrupt:
        _save(path, settings, self_play)
        raise
    return network


def _save(path: Path, settings: Settings, self_play: SelfPlay) -> Network:
    network = self_play.result
    write_network(path, network, _description(settings, self_play.played))
    return network


def _beginning(settings: Settings, path: Path, resume: bool) -> tuple[Network, int]:
    """The network to go on with, and how many games it has played."""
    if path.exists():
        if not resume:
            raise FileExistsError(f"{path} is there: resume it, or choose another name")
        network, training = read_training(path)
        played = training.get("played")
        if not isinstance(played, int) or training != _description(settings, played):
            raise ValueError(f"{path} was made with other settings: {training.get('command')}")
        return network, played
    random = np.random.RandomState(settings.seed)  # the one stream of NumPy that is frozen for all time
    shapes = {"input_weights": (_INPUTS, settings.hidden), "output_weights": (_OUTPUTS, settings.hidden)}
    parameters = {name: random.uniform(-0.1, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    parameters["hidden_bias"] = np.zeros(settings.hidden, np.float32)
    parameters["output_bias"] = np.zeros(_OUTPUTS, np.float32)
    variants = SERVES.get(settings.variant, (settings.variant,))
    return Network(parameters, variants, name=path.stem), 0


def _description(settings: Settings, played: int) -> dict[str, Any]:
    method = "self-play, temporal differences"
    return {"method": method, **dataclasses.asdict(settings), "played": played, "command": settings.command}
