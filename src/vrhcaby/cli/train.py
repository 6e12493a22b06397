"""``vrhcaby train``: a network of one's own, from nothing."""

from __future__ import annotations

import contextlib
import json as json_module
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, Progress as ProgressBar, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import vrhcaby
from vrhcaby.cli.options import Json, Progress, Settings, WholeNumber, change
from vrhcaby.cli.output import print_json, print_table, progress_console

__all__ = ["train"]


def train(
    *,
    out: Path,
    variant: str | None = None,
    settings: Settings = (),
    scale: float | None = None,
    seed: WholeNumber | None = None,
    recipe: Path | None = None,
    folder: Path | None = None,
    prepare: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    workers: WholeNumber | None = None,
    json: Json = False,
    progress: Progress = True,
) -> None:
    """Train a network from random weights, by games against itself.

    It can be stopped at any moment (Ctrl-C, a kill): the same command goes on
    where it was and ends with the same file. What is needed for that stays in a
    folder, with the recipe and a log. The network is loaded by its path.

    For example:
      vrhcaby train --variant hypergammon --scale 0.001 --out quick.npz
      vrhcaby train --variant tavli --set full_use=greedy --out own.npz --prepare
      vrhcaby train --out own.npz

    Parameters
    ----------
    out
        The file of the network, such as net.npz.
    variant
        The game that is played; backgammon if nothing else is said.
    scale
        How much work: 1 takes many hours of two cores, 0.01 some minutes.
    seed
        Seed of the first weights and of all games.
    recipe
        A file with all settings, instead of those that --variant, --set, --scale and --seed lead to.
    folder
        Where the work is kept; by default the name of the network with "-training" in the place of its suffix.
    prepare
        Only write the recipe into the folder, for you to change, and stop.
    workers
        Number of threads; by default all usable cores.
    """
    from vrhcaby.training import read_recipe, standard_recipe, train, write_recipe
    from vrhcaby.training.files import replaced

    if out.suffix != ".npz":
        raise ValueError(f"--out {out}: must end with .npz")
    folder = out.with_name(f"{out.stem}-training") if folder is None else folder
    kept = folder / "recipe.json"
    if out.exists() and not kept.exists():
        raise ValueError(f"--out {out}: is there already, and {folder} holds no training of it")
    chosen = [variant, settings or None, scale, seed]
    if recipe is not None:
        if any(option is not None for option in chosen):
            raise ValueError("--recipe says all: --variant, --set, --scale and --seed cannot change it")
        plan = read_recipe(recipe)
    elif kept.exists() and all(option is None for option in chosen):
        plan = read_recipe(kept)
    else:
        game = change(vrhcaby.variant("backgammon" if variant is None else variant), settings)
        plan = standard_recipe(game, scale=1 if scale is None else scale, seed=1 if seed is None else seed)
    if prepare:
        folder.mkdir(parents=True, exist_ok=True)
        if kept.exists():
            raise ValueError(f"{kept} is there already")
        write_recipe(kept, plan)
        if json:
            print_json({"recipe": str(kept)})
        else:
            print(f"{kept}: change it, then: vrhcaby train --out {out}")
        return
    with _Bar.shown(progress_console(progress)) as bar:
        try:
            network = train(plan, folder, workers=workers, listener=bar)
        except KeyboardInterrupt:
            print("vrhcaby: interrupted: the same command goes on", file=sys.stderr)
            raise
    with replaced(out) as file:
        file.write(network.read_bytes())
    summary = _summary(folder / "log.jsonl")
    if json:
        print_json({"network": str(out), "folder": str(folder), "variant": plan.variant, "stages": summary})
    else:
        print_table([(record["stage"], _words(record)) for record in summary], left=(0, 1))
        print(f"\n{out}: give it to vrhcaby rollout --evaluator, or to vrhcaby.evaluate")


class _Bar:
    """Shows how a training goes on: a bar for the stage, and a line for each report."""

    def __init__(self, bar: ProgressBar | None) -> None:
        self.bar = bar
        self.stage = ""
        self.task = TaskID(0)

    @classmethod
    @contextlib.contextmanager
    def shown(cls, console: Console | None) -> Iterator[_Bar]:
        if console is None:
            yield cls(None)
            return
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with ProgressBar(*columns, console=console, transient=True) as bar:
            yield cls(bar)

    def progress(self, stage: str, done: int, total: int) -> None:
        if self.bar is None:
            return
        if stage != self.stage:
            if self.stage:
                self.bar.remove_task(self.task)
            self.stage, self.task = stage, self.bar.add_task(stage, total=total)
        self.bar.update(self.task, completed=done)

    def report(self, record: dict[str, Any]) -> None:
        if self.bar is not None:
            self.bar.console.print(f"{record['stage']}: {_words(record)}")


def _words(record: dict[str, Any]) -> str:
    """What a record of the log says, in a line."""
    if "before" in record:
        return "{:+.3f} ± {:.3f} points a game against the network before".format(*record["before"])
    if "random" in record:
        duel = "{:+.3f} ± {:.3f} points a game against random play".format(*record["random"])
        return f"{record['played']:,} of {record['games']:,} games, {duel}"
    if "error" in record:
        best = ", the best" if record["best"] else ""
        return f"step {record['step']:,} of {record['steps']:,}, error {record['error']:.4f}{best}"
    return f"{record['positions']:,} positions"


def _summary(log: Path) -> list[dict[str, Any]]:
    """The last record of each stage."""
    last: dict[str, dict[str, Any]] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        record = json_module.loads(line)
        last[record["stage"]] = record
    return list(last.values())
