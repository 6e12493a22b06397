"""Getting off the ground by temporal differences: a network plays against itself and learns from every game."""

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
from vrhcaby.training._self_play import SelfPlay, duel
from vrhcaby.training.recipe import SelfPlaySettings
from vrhcaby.variants import Variant

__all__ = ["SelfPlayReport", "self_play"]

_GAMES_AT_A_TIME = 500  # at one learning rate; between them the training can be stopped and resumed
_INPUTS = 208
_OUTPUTS = 5
_REPORTS = 20
_DUEL_GAMES = 1000


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelfPlayReport:
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


def self_play(
    game: Variant,
    settings: SelfPlaySettings,
    path: str | os.PathLike[str],
    *,
    seed: int,
    duel_games: int = _DUEL_GAMES,
    progress: Callable[[int, int], None] | None = None,
    report: Callable[[SelfPlayReport], None] | None = None,
) -> Network:
    """Train a network from random weights, or go on where the file is.

    The same settings give the same bytes on every machine, interrupted and resumed or not.

    Parameters
    ----------
    game : Variant
    settings : SelfPlaySettings
    path : path
        The ``.npz`` file: written at every report, when interrupted and at the end.
    seed : int
        Of the first weights and of the dice.
    duel_games : int
        Games of each of the two duels of a report; an even number, at least 4.
    progress : function of two int, optional
        Called every 500 games with the number of games so far and in all.
    report : function of a SelfPlayReport, optional
        Called twenty times.

    Raises
    ------
    ValueError
        A file that was made with other settings, or a training that has diverged.
    FormatError, OSError
        The file cannot be read or written.
    """
    path = Path(path)
    network, played = _beginning(game, settings, path, seed)
    playing = SelfPlay(network, game, seed=seed, trace=settings.trace, played=played)

    def save() -> Network:
        result = playing.result
        write_network(path, result, _description(game, settings, seed, playing.played))
        return result

    try:
        while playing.played < settings.games:
            earlier, began, first = network, time.perf_counter(), playing.played
            while playing.played < min(first + max(1, settings.games // _REPORTS), settings.games):
                rate = settings.rate_at(playing.played)
                playing.play(min(_GAMES_AT_A_TIME, settings.games - playing.played), rate)
                if progress is not None:
                    progress(playing.played, settings.games)
            speed = (playing.played - first) / (time.perf_counter() - began)
            network = save()
            if report is not None:
                duels = partial(duel, network, variant=game, games=duel_games, seed=seed)
                report(
                    SelfPlayReport(
                        played=playing.played,
                        games=settings.games,
                        games_per_second=speed,
                        rate=rate,
                        random=duels(None),
                        earlier=duels(earlier),
                    )
                )
    except KeyboardInterrupt:
        save()
        raise
    return network


def _beginning(game: Variant, settings: SelfPlaySettings, path: Path, seed: int) -> tuple[Network, int]:
    """The network to go on with, and how many games it has played."""
    if path.exists():
        network, training = read_training(path)
        played = training.get("played")
        if not isinstance(network, Network) or not isinstance(played, int):
            raise ValueError(f"{path} is no network of self-play")
        if training != _description(game, settings, seed, played):
            raise ValueError(f"{path} was made with other settings: {training}")
        return network, played
    random = np.random.RandomState(seed)  # the one stream of NumPy that is frozen for all time
    shapes = {"input_weights": (_INPUTS, settings.hidden), "output_weights": (_OUTPUTS, settings.hidden)}
    parameters = {name: random.uniform(-0.1, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    parameters["hidden_bias"] = np.zeros(settings.hidden, np.float32)
    parameters["output_bias"] = np.zeros(_OUTPUTS, np.float32)
    return Network(parameters, (game.name,), name=path.stem), 0


def _description(game: Variant, settings: SelfPlaySettings, seed: int, played: int) -> dict[str, Any]:
    options = {name: list(value) if isinstance(value, tuple) else value for name, value in game.options.items()}
    return {"variant": game.name, "options": options, "seed": seed, **dataclasses.asdict(settings), "played": played}
