"""``python -m vrhcaby.training``: trains a network by self-play."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence

from vrhcaby.training.temporal_difference import Settings, train


def _parser() -> argparse.ArgumentParser:
    defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
    parser = argparse.ArgumentParser(
        prog="python -m vrhcaby.training",
        description="Trains a network by temporal differences: it plays against itself and learns from every game. "
        "The same options give the same file on every machine.",
        epilog="example: python -m vrhcaby.training --variant hypergammon --games 50000 --out hypergammon.npz",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="the file to write")
    parser.add_argument("--resume", action="store_true", help="go on with FILE if it is there")
    for name, kind, default, text in (
        ("variant", str, "backgammon", "what is played"),
        ("games", int, 300_000, "games in all"),
        ("seed", int, defaults["seed"], "of the first weights and the dice"),
        ("hidden", int, defaults["hidden"], "hidden units, a multiple of 16"),
        ("rate", float, defaults["rate"], "learning rate at the beginning"),
        ("last-rate", float, defaults["last_rate"], "learning rate at the end"),
        ("trace", float, defaults["trace"], "how far one change is passed on to the position before, 0 to 1"),
        ("report-every", int, 10_000, "games between reports; FILE is written at each"),
        ("duel-games", int, 1_000, "games of each duel of a report"),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default, metavar=name.upper(), help=f"{text} (%(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 2 after bad input, or 130 after Ctrl-C."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    names = [field.name for field in dataclasses.fields(Settings)]
    try:
        train(
            Settings(**{name: options[name] for name in names}),
            options["out"],
            resume=options["resume"],
            report_every=options["report_every"],
            duel_games=options["duel_games"],
            progress=lambda report: print(report, file=sys.stderr, flush=True),
        )
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"interrupted: --resume goes on with {options['out']}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
