"""Carrying out a recipe: stages that leave finished files, so that it can be killed at any moment and started again."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vrhcaby._core import Position, pack
from vrhcaby._threads import check_workers
from vrhcaby.evaluation import Evaluator, load_evaluator
from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.evaluation.network_file import write_network
from vrhcaby.rollouts import truncated_rollouts
from vrhcaby.training._labelled_games import labelled_games
from vrhcaby.training.duels import duel
from vrhcaby.training.files import append_line, replaced
from vrhcaby.training.recipe import PARTS, Cycle, PartName, Recipe, read_recipe, write_recipe
from vrhcaby.training.samples import Samples, distinct, read_arrays, write_arrays
from vrhcaby.training.temporal_difference import self_play

if TYPE_CHECKING:
    from vrhcaby.training.layers import Part

__all__ = ["Listener", "train"]

Teacher = Network | IncrementalNetwork

_GAMES = 500  # of a file on the way; so many are lost when the work is killed
_ROWS = 8192


class Listener(Protocol):
    """What is told how a training goes on."""

    def progress(self, stage: str, done: int, total: int) -> None:
        """So much of a stage is done."""

    def report(self, record: dict[str, Any]) -> None:
        """What has been added to the log."""


class _Silence:
    def progress(self, stage: str, done: int, total: int) -> None: ...

    def report(self, record: dict[str, Any]) -> None: ...


def train(
    recipe: Recipe,
    folder: str | os.PathLike[str],
    *,
    workers: int | None = 1,
    listener: Listener | None = None,
) -> Path:
    """Carry out a recipe in a folder, or go on where it was left.

    Killed at any moment and called again it goes on, and ends with the same bytes as if it had not been: on the same
    machine, with the same PyTorch and number of workers. The folder then holds ``recipe.json``, ``log.jsonl``,
    ``self-play.npz`` and for each cycle a folder with the labelled games, the fitted parts and the network.

    Parameters
    ----------
    recipe : Recipe
    folder : path
        Made if it is not there.
    workers : int or None
        Number of threads; None = all usable cores.
    listener : Listener, optional
        Told about the progress.

    Returns
    -------
    Path
        The file of the last network.

    Raises
    ------
    ValueError
        The folder has another recipe, or a training has diverged.
    ModuleNotFoundError
        PyTorch is not installed: it comes with the extra ``train``.
    FormatError, OSError
        A file cannot be read or written.
    """
    import torch  # noqa: F401  (only later stages need it, perhaps hours later: it is missed at once)

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "recipe.json"
    if kept.exists():
        if read_recipe(kept) != recipe:
            raise ValueError(f"{kept} is another recipe: go on with that one, or choose another folder")
    else:
        write_recipe(kept, recipe)
    return _Run(recipe, folder, check_workers(workers), listener or _Silence()).all_stages()


class _Run:
    def __init__(self, recipe: Recipe, folder: Path, workers: int, listener: Listener) -> None:
        self.recipe, self.folder, self.workers, self.listener = recipe, folder, workers, listener
        self.game = recipe.game

    def all_stages(self) -> Path:
        teacher: Teacher = self.self_play()
        path = self.folder
        for number, cycle in enumerate(self.recipe.cycles, 1):
            self.cycle_folder(number).mkdir(exist_ok=True)
            self.games(number, cycle, teacher)
            self.rollouts(number, cycle, teacher)
            path = self.network(number, cycle)
            network = load_evaluator(path)
            self.duels(number, network, teacher)
            teacher = network
        return path

    def cycle_folder(self, number: int) -> Path:
        return self.folder / f"cycle-{number}"

    def log(self, stage: str, record: dict[str, Any]) -> None:
        record = {"time": round(time.time(), 1), "stage": stage, **record}
        append_line(self.folder / "log.jsonl", record)
        self.listener.report(record)

    def self_play(self) -> Network:
        stage = "self-play"
        return self_play(
            self.game,
            self.recipe.self_play,
            self.folder / "self-play.npz",
            seed=self.recipe.seed,
            progress=partial(self.listener.progress, stage),
            report=lambda report: self.log(stage, dataclasses.asdict(report)),
        )

    def games(self, number: int, cycle: Cycle, teacher: Teacher) -> None:
        """The labelled positions of a cycle, with the number of the game that each is from."""
        settings = cycle.games
        names = settings.starts or (self.game.name,)
        own = pack([Position.start(self.game)], variant=self.game)
        starts = [own if name == self.game.name else pack([Position.start(name)], variant=name) for name in names]

        def games(first: int) -> tuple[NDArray[Any], ...]:
            return labelled_games(
                games=min(_GAMES, settings.games - first),
                first_game=first,
                seed=self.seed(number),
                variant=self.game,
                evaluator=teacher,
                starts=np.concatenate(starts),
                random_opening=settings.random_opening,
                random_moves=settings.random_moves,
                slips=settings.slips,
                siblings=settings.siblings,
                trace=settings.trace,
                workers=self.workers,
            )

        self.in_pieces(
            f"cycle {number}: games",
            self.cycle_folder(number) / "games.npz",
            ("positions", "chances", "games"),
            range(0, settings.games, _GAMES),
            games,
            distinct,
        )

    def rollouts(self, number: int, cycle: Cycle, teacher: Teacher) -> None:
        """Means of rollouts in the place of the labels, if the recipe wants that."""
        folder, settings = self.cycle_folder(number), cycle.rollouts
        if not settings.trials:
            return
        (positions,) = read_arrays(folder / "games.npz", "positions")

        def label(first: int) -> tuple[NDArray[Any], ...]:
            means, _ = truncated_rollouts(
                positions[first : first + _ROWS],
                turns=settings.turns,
                trials=settings.trials,
                seed=self.seed(number),
                variant=self.game,
                evaluator=teacher,
                workers=self.workers,
            )
            return (means,)

        self.in_pieces(
            f"cycle {number}: rollouts",
            folder / "rollouts.npz",
            ("chances",),
            range(0, len(positions), _ROWS),
            label,
            lambda chances: (chances,),
        )

    def in_pieces(
        self,
        stage: str,
        path: Path,
        names: tuple[str, ...],
        pieces: Sequence[int],
        make: Callable[[int], tuple[NDArray[Any], ...]],
        join: Callable[..., tuple[NDArray[Any], ...]],
    ) -> None:
        """Write a file of arrays from pieces, each of which is a file until all are there."""
        files = [path.with_name(f"{path.stem}-{k:05}.npz") for k in range(len(pieces))]
        if not path.exists():
            self.listener.progress(stage, 0, len(pieces))
            began, made = time.monotonic(), 0
            for k, (file, piece) in enumerate(zip(files, pieces, strict=True)):
                if not file.exists():
                    write_arrays(file, **dict(zip(names, make(piece), strict=True)))
                    made += 1
                self.listener.progress(stage, k + 1, len(pieces))
            whole = join(*map(np.concatenate, zip(*(read_arrays(file, *names) for file in files), strict=True)))
            write_arrays(path, **dict(zip(names, whole, strict=True)))
            seconds = round(time.monotonic() - began, 1)
            self.log(stage, {"positions": len(whole[0]), "pieces": made, "seconds": seconds})
        for file in files:
            file.unlink(missing_ok=True)

    def network(self, number: int, cycle: Cycle) -> Path:
        """The network of a cycle: its parts fitted to the labels, in integers."""
        from vrhcaby.training.quantisation import quantised

        path = self.cycle_folder(number) / "network.npz"
        if not path.exists():
            arrays: dict[str, NDArray[Any]] = {}
            for name in PARTS:
                part = self.part(number, name, cycle)
                arrays.update({f"{name}_{key}": array for key, array in quantised(part).items()})
            network = IncrementalNetwork(arrays, self.recipe.serves, inputs=self.game.direction, name=path.stem)
            write_network(path, network, {"cycle": number, "recipe": dataclasses.asdict(self.recipe)})
        return path

    def part(self, number: int, name: PartName, cycle: Cycle) -> Part:
        """A fitted part; an interrupted fit goes on from its checkpoint."""
        import torch

        from vrhcaby.training import fitting

        folder, settings = self.cycle_folder(number), cycle.fit_of(name)
        part, path, checkpoint = fitting.new_part(name, settings), folder / f"{name}.pt", folder / f"{name}.checkpoint"
        if path.exists():
            checkpoint.unlink(missing_ok=True)
            part.load_state_dict(torch.load(path, weights_only=True))
            return part
        if cycle.go_on and number > 1:
            part.load_state_dict(torch.load(self.cycle_folder(number - 1) / f"{name}.pt", weights_only=True))
        stage = f"cycle {number}: {name}"
        samples = fitting.select(name, self.samples(number, cycle), self.game.direction, workers=self.workers)
        fitting.fit(
            part,
            samples,
            settings,
            self.game,
            checkpoint,
            workers=self.workers,
            progress=partial(self.listener.progress, stage),
            report=lambda report: self.log(stage, dataclasses.asdict(report)),
        )
        with replaced(path) as file:
            torch.save(part.state_dict(), file)
        checkpoint.unlink()
        return part

    def samples(self, number: int, cycle: Cycle) -> Samples:
        """The labelled positions that a cycle learns from."""
        several = []
        for earlier in range(max(1, number - cycle.earlier), number + 1):
            folder = self.cycle_folder(earlier)
            positions, chances, games = read_arrays(folder / "games.npz", "positions", "chances", "games")
            if self.recipe.cycles[earlier - 1].rollouts.trials:
                (chances,) = read_arrays(folder / "rollouts.npz", "chances")
            several.append(Samples.of_games(positions, chances, games))
        return Samples.joined(several)

    def duels(self, number: int, network: Evaluator, teacher: Evaluator) -> None:
        """Points a game against the network that labelled the positions, and against the opponent of the recipe."""
        path, pairs = self.cycle_folder(number) / "duels.json", self.recipe.duel_pairs
        if not pairs or path.exists():
            return
        stage, names = f"cycle {number}: duels", ["before"]
        rivals = [teacher]
        if self.recipe.opponent:
            rivals.append(load_evaluator(self.recipe.opponent))
            names.append(self.recipe.opponent)
        found: dict[str, Any] = {"games": 2 * pairs}
        for k, (name, rival) in enumerate(zip(names, rivals, strict=True)):
            self.listener.progress(stage, k, len(rivals))
            found[name] = duel(network, rival, self.game, pairs=pairs, seed=self.seed(number))
        self.listener.progress(stage, len(rivals), len(rivals))
        with replaced(path) as file:
            file.write(json.dumps(found).encode())
        self.log(stage, found)

    def seed(self, number: int) -> int:
        """Of what is drawn in a cycle."""
        return self.recipe.seed << 32 | number
