"""``vrhcaby bench``: how fast the core is on this machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy
from cyclopts import Parameter
from numpy.typing import NDArray

import vrhcaby
from vrhcaby import Position, Variant
from vrhcaby.cli.options import Json, Progress, Settings, change
from vrhcaby.cli.output import print_json, print_table, progress_console

__all__ = ["bench"]

# Few enough for the cache, many enough for the cost of a call not to show.
POSITIONS = 1024
# How long each figure is measured; the fastest run counts, as the others were disturbed by something.
SECONDS = 0.8
MINIMUM_RUNS = 2


class Figure(NamedTuple):
    """Something to be measured: what its work returns is the number of things done."""

    name: str
    words: str
    work: Callable[[], int]


def bench(
    *,
    variant: Annotated[str, Parameter(name="--variant", help="The game that is played.")] = "backgammon",
    settings: Settings = (),
    json: Json = False,
    progress: Progress = True,
) -> None:
    """Measure how fast the core is on this machine, with one thread.

    Each figure is the best of several short runs; all of them take about ten
    seconds. The moves are those of all 21 rolls in positions of random games.

    For example:
      vrhcaby bench
      vrhcaby bench --variant long-nardy --json
    """
    game = change(vrhcaby.variant(variant), settings)
    console = progress_console(progress)
    rates: dict[str, float] = {}
    figures = _figures(game)
    for number, figure in enumerate(figures, start=1):
        with console.status(f"{number} of {len(figures)}: {figure.words}") if console else contextlib.nullcontext():
            rates[figure.name] = _fastest(figure.work)
    if json:
        print_json(
            {"variant": game.name, "options": game.options, "per_second": rates, "config": vrhcaby.show_config()}
        )
        return
    rows = [(figure.words, f"{rates[figure.name]:,.0f}", _duration(1 / rates[figure.name])) for figure in figures]
    print_table([("", "a second", "each takes"), *rows])


def _figures(game: Variant) -> list[Figure]:
    positions = _random_positions(game)
    start = Position.start(game)
    out = vrhcaby.legal_moves(positions, variant=game)

    def moves_into_buffers() -> int:
        return len(vrhcaby.legal_moves(positions, variant=game, out=out)[0])

    def moves_into_new_arrays() -> int:
        return len(vrhcaby.legal_moves(positions, variant=game)[0])

    def counted_moves() -> int:
        return int(vrhcaby.count_moves(positions, variant=game).sum())

    def random_games() -> int:
        return len(vrhcaby.playouts(start, 1000, seed=1).turns)

    def pip_counts() -> int:
        return sum(vrhcaby.pips(positions).size for _ in range(100))

    def position_hashes() -> int:
        return sum(vrhcaby.hashes(positions).size for _ in range(100))

    def evaluated_positions() -> int:
        return len(vrhcaby.evaluate(positions, variant=game))

    def rollout_games() -> int:
        return vrhcaby.rollout(start, trials=648, seed=1).trials

    def single_calls() -> int:
        for _ in range(1000):
            start.moves((3, 2))
        return 1000

    return [
        Figure("legal_moves_out", "legal moves, into arrays at hand", moves_into_buffers),
        Figure("legal_moves", "legal moves, into new arrays", moves_into_new_arrays),
        Figure("count_moves", "legal moves, counted only", counted_moves),
        Figure("playouts", "random games", random_games),
        Figure("pips", "pip counts of one side", pip_counts),
        Figure("hashes", "hashes", position_hashes),
        Figure("evaluate", "positions evaluated by the network", evaluated_positions),
        Figure("rollout", "rollout games, moves by the network", rollout_games),
        Figure("position_moves", "single calls: Position.moves of the start, 3-2", single_calls),
    ]


def _random_positions(game: Variant) -> NDArray[numpy.uint64]:
    """Positions of random games, the same in every run."""
    generator = numpy.random.default_rng(1)
    rows = numpy.repeat(vrhcaby.pack([Position.start(game)], variant=game), 64, axis=0)
    seen: list[NDArray[numpy.uint64]] = []
    while sum(map(len, seen)) < 4 * POSITIONS and len(rows):
        seen.append(rows)
        dice = generator.integers(1, 7, size=(len(rows), 2))
        counts = vrhcaby.count_moves(rows, dice, variant=game)
        going_on = counts > 0
        rows, dice, counts = rows[going_on], dice[going_on], counts[going_on]
        rows = vrhcaby.play(rows, dice, generator.integers(counts), variant=game)
    return generator.permutation(numpy.concatenate(seen))[:POSITIONS]


def _fastest(work: Callable[[], int]) -> float:
    """Things done a second, in the fastest of several runs."""
    best, runs = 0.0, 0
    stop = time.perf_counter() + SECONDS
    while runs < MINIMUM_RUNS or time.perf_counter() < stop:
        begin = time.perf_counter()
        count = work()
        best = max(best, count / (time.perf_counter() - begin))
        runs += 1
    return best


def _duration(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.2f} {unit}"
    return f"{seconds * 1e9:.2f} ns"
