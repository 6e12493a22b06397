"""How strong an evaluator is: ``python -m benchmarks.strength score ...`` and ``... duel ...``.

``score`` holds evaluators against positions with known values, ``duel`` lets two players play with duplicate dice. No
player looks a turn ahead.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import duel as duels, labelled
from benchmarks.phases import PHASES, phases
from benchmarks.players import EVALUATORS, PLAYERS, evaluator, label
from benchmarks.progress import Progress


def score(options: argparse.Namespace) -> dict[str, Any]:
    """Root mean square errors of each evaluator on each file, over all positions and by phase."""
    report: dict[str, Any] = {}
    for path in options.positions:
        positions, truth = labelled.read(path)
        kinds = phases(positions)
        groups = {"all": np.arange(len(kinds))}
        groups |= {phase: np.flatnonzero(kinds == phase) for phase in PHASES if phase in kinds}
        errors = {}
        for judge in map(evaluator, options.evaluators):
            differences = labelled.judged(judge, positions) - truth
            errors[label(judge)] = {
                phase: dict(zip(labelled.FIGURES, labelled.root_mean_square(differences[rows]).tolist(), strict=True))
                for phase, rows in groups.items()
            }
        report[path.name] = {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "positions": {phase: len(rows) for phase, rows in groups.items()},
            "errors": errors,
        }
    return report


def print_scores(report: dict[str, Any]) -> None:
    for file, found in report.items():
        errors = found["errors"]
        print(f"{file}, {found['positions']['all']:,} positions: root mean square errors\n")
        print(f"{'':28}" + "".join(f"{figure:>16}" for figure in labelled.FIGURES))
        for name, by_phase in errors.items():
            print(f"{name:28}" + "".join(f"{by_phase['all'][figure]:16.4f}" for figure in labelled.FIGURES))
        print(f"\n{'equity by phase':20}{'positions':>12}" + "".join(f"{name:>28}" for name in errors))
        for phase, count in found["positions"].items():
            cells = "".join(f"{by_phase[phase]['equity']:28.4f}" for by_phase in errors.values())
            print(f"{phase:20}{count:12,}{cells}")
        print()


def duel(options: argparse.Namespace) -> dict[str, Any]:
    """The score of the first player."""
    match = duels.Duel(options.first, options.second, options.variant, options.seed)
    scores = duels.play(match, options.games, workers=options.workers, out=options.out)
    result = next(scores)
    progress = Progress(options.games, 2 * result.pairs, "games")
    for result in scores:
        progress(2 * result.pairs, result)
    return {**duels.names(match), **result.to_json(), "mean": result.mean, "error": result.error}


def print_duel(report: dict[str, Any]) -> None:
    games = 2 * report["pairs"]
    print(f"{report['first']} against {report['second']}: {report['variant']}, seed {report['seed']}")
    print(f"{report['mean']:+.4f} ± {report['error']:.4f} points a game over {games:,} games")
    shares = (f"{int(points):+d} in {count / games:.1%}" for points, count in report["games"].items())
    print(f"points: {', '.join(shares)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    scoring = commands.add_parser("score", help="errors on positions with known values")
    scoring.add_argument("evaluators", nargs="*", default=["shipped"], metavar="EVALUATOR", help=EVALUATORS)
    scoring.add_argument("--positions", nargs="+", required=True, type=Path, metavar="FILE", help="tables of positions")
    scoring.set_defaults(work=score, show=print_scores)

    playing = commands.add_parser("duel", help="games with duplicate dice")
    playing.add_argument("first", metavar="FIRST", help=PLAYERS)
    playing.add_argument("second", metavar="SECOND", help="as FIRST")
    playing.add_argument("--variant", default="backgammon", help="what is played (%(default)s)")
    playing.add_argument("--games", type=int, default=20_000, help="an even number (%(default)s)")
    playing.add_argument("--seed", type=int, default=1, help="of the dice (%(default)s)")
    playing.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    playing.add_argument("--out", type=Path, metavar="FILE", help="journal: goes on with it if it is there")
    playing.set_defaults(work=duel, show=print_duel)

    for command in (scoring, playing):
        command.add_argument("--json", action="store_true", help="everything as JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 2 after bad input, or 130 after Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        report = options.work(options)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        options.show(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
