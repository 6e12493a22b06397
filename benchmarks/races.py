"""Races with known values: ``python -m benchmarks.races``.

Takes races of 60 to 110 pips and bear-offs from games of a network against itself. The races are rolled out to the end
with the luck of all rolls taken out, the values of the bear-offs are those of the one-sided table. The result is a
table for ``python -m benchmarks.strength score --positions``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks import labelled, processes
from benchmarks.games import Packed
from benchmarks.journal import Journal
from benchmarks.phases import phases
from benchmarks.players import network_path, player
from benchmarks.progress import Progress
from benchmarks.rolled_out import Settings, roll_out_siblings
from benchmarks.self_play import played
from vrhcaby.evaluation._bearoff import bear_off

FILE = Path(__file__).with_name("data") / "races.tsv"
FEWEST_PIPS, MOST_PIPS = 60, 110
TO_THE_END = 4096  # turns
AT_A_TIME = 10  # positions


def sample(positions: Packed, count: int, seed: int) -> tuple[Packed, Packed]:
    """So many races and so many bear-offs of these positions, none twice."""
    _, distinct = np.unique(vrhcaby.hashes(positions), return_index=True)
    # The one stream of NumPy that is frozen for all time.
    positions = positions[np.random.RandomState(seed).permutation(distinct)]
    kinds, pips = phases(positions), vrhcaby.pips(positions)
    middling = ((pips >= FEWEST_PIPS) & (pips <= MOST_PIPS)).all(1)
    return positions[(kinds == "race") & middling][:count], positions[kinds == "bear-off"][:count]


def _roll_out(piece: tuple[int, Packed, Settings]) -> tuple[int, list[list[float]], list[float]]:
    first, positions, settings = piece
    parts = [roll_out_siblings(positions[row : row + 1], settings)[0] for row in range(len(positions))]
    return first, [part.chances.tolist() for part in parts], [part.error for part in parts]


def rolled_out(
    positions: Packed, settings: Settings, journal: Journal, workers: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Chances (n, 5) and standard errors of the equity (n,) of unrelated positions."""
    chances, errors = np.full((len(positions), 5), np.nan), np.full(len(positions), np.nan)
    for entry in journal.entries:
        part = slice(entry["first"], entry["first"] + AT_A_TIME)
        chances[part], errors[part] = entry["chances"], entry["errors"]
    pieces = (
        (first, positions[first : first + AT_A_TIME], settings)
        for first in range(0, len(positions), AT_A_TIME)
        if np.isnan(errors[first])
    )
    progress = Progress(len(positions), int((~np.isnan(errors)).sum()), "races")
    for first, found, found_errors in processes.run(_roll_out, pieces, workers):
        journal.add({"first": first, "chances": found, "errors": found_errors})
        part = slice(first, first + AT_A_TIME)
        chances[part], errors[part] = found, found_errors
        progress(int((~np.isnan(errors)).sum()), f"largest error {np.nanmax(errors):.5f}")
    return chances, errors


def make(options: argparse.Namespace) -> None:
    network = network_path(options.network)
    settings = Settings(
        evaluator=str(network),
        variant="backgammon",
        turns=TO_THE_END,
        error=options.error,
        share=0.0,
        most_trials=options.most_trials,
        seed=options.seed,
    )
    self_player = player(str(network))
    races, bear_offs = sample(played(self_player, options.games, options.seed).positions, options.count, options.seed)
    work = {"format": "vrhcaby races 1", "games": options.games, "races": len(races), **settings._asdict()}
    journal = Journal(options.journal, {**work, "evaluator": self_player.name})
    chances, errors = rolled_out(races, settings, journal, options.workers)
    exact = bear_off().chances(bear_offs)
    options.out.parent.mkdir(exist_ok=True)
    labelled.write(
        options.out,
        np.concatenate([races, bear_offs]),
        np.concatenate([chances, exact]),
        np.concatenate([errors, np.zeros(len(bear_offs))]),
    )
    print(f"{len(races)} races and {len(bear_offs)} bear-offs are in {options.out}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.races", description=__doc__)
    parser.add_argument("--network", default="shipped", help="plays and rolls out: a name or a path (%(default)s)")
    for name, kind, default, text in (
        ("count", int, 1000, "races, and as many bear-offs"),
        ("games", int, 5000, "games from which they are taken"),
        ("seed", int, 4, "of games and rollouts"),
        ("error", float, 0.002, "standard error of the equity of a race"),
        ("most-trials", int, 100_000, "of one race"),
        ("workers", int, 1, "processes"),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=f"{text} (%(default)s)")
    parser.add_argument("--journal", type=Path, required=True, metavar="FILE", help="what is done already")
    parser.add_argument("--out", type=Path, default=FILE, metavar="FILE", help="where the result goes (%(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 2 after bad input, or 130 after Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        make(options)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
