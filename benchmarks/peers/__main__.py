"""Gives the same work to this library and to other programs from PyPI, and prints how many times faster it is.

One thread. Rates are per second of processor time. The measurements of all programs alternate in rounds; a rate is the
median over the rounds, a ratio the median of the rounds' ratios, so that a busy machine troubles both sides alike.
Before anything is measured, the moves of the programs are compared.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import statistics
import sys
from collections.abc import Callable
from typing import Any

import vrhcaby
from benchmarks.games import random_games
from benchmarks.peers.programs import ROLLS, Bgsage, GnubgNN, OpenSpiel, Sample, Vrhcaby

PACKAGES = ("gnubg-nn", "open-spiel", "bgsage", "numpy")
ENOUGH_SECONDS = 0.2  # of processor time for one measurement: repeats the fast ones


def check_agreement(ours: Vrhcaby, gnubg: GnubgNN, bgsage: Bgsage, spiel: OpenSpiel, every: int) -> int:
    """Compares the positions that the moves of each roll lead to. The number of rolls compared."""
    compared = 0
    for index in range(0, len(ours.positions), every):
        for dice in ROLLS:
            expected = ours.results(index, dice)
            answers = {"gnubg-nn": gnubg.results(index, dice), "bgsage": bgsage.results(index, dice)}
            if spiel.can_roll(index, dice):
                answers["open_spiel"] = spiel.results(index, dice)
            for name, answer in answers.items():
                if answer != expected:
                    raise SystemExit(
                        f"position {index}, dice {dice}: {name} finds {len(answer)} moves and this library"
                        f" {len(expected)}; only one side has {sorted(answer ^ expected)}"
                    )
            compared += 1
    return compared


def rate(work: Callable[[int], Sample]) -> float:
    """Things a second, of as many repetitions as fill the time of one measurement. The argument counts repetitions."""
    done, seconds, repetition = 0, 0.0, 0
    while seconds < ENOUGH_SECONDS:
        sample = work(repetition)
        done += sample.done
        seconds += sample.seconds
        repetition += 1
    return done / seconds


def measure_in_rounds(contestants: dict[str, Callable[[int], Sample]], rounds: int) -> dict[str, list[float]]:
    for work in contestants.values():
        work(0)  # first calls load, allocate and warm up
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            rates[name].append(rate(work))
    return rates


def ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(our / their for our, their in zip(ours, theirs, strict=True))


def table(title: str, rates: dict[str, list[float]], own: list[str]) -> str:
    """One line a program; a column for each way of calling this library says how many times faster that is."""
    lines = [f"{title:44}{'per second':>14}" + "".join(f"{name.removeprefix('vrhcaby '):>16}" for name in own)]
    for name, values in rates.items():
        ratios = "".join(f"{ratio(rates[ours], values):>15.1f}x" for ours in own)
        lines.append(f"{name:44}{statistics.median(values):>14,.0f}{ratios}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--positions", type=int, default=2000, help="from random games (default 2000)")
    parser.add_argument("--rounds", type=int, default=5, help="each program once a round (default 5)")
    parser.add_argument("--json", action="store_true", help="every round's rates instead of tables")
    options = parser.parse_args()

    versions = {"vrhcaby": vrhcaby.__version__} | {name: importlib.metadata.version(name) for name in PACKAGES}
    games = random_games(options.positions)
    ours, gnubg, bgsage, spiel = Vrhcaby(games), GnubgNN(games), Bgsage(games), OpenSpiel(games)
    compared = check_agreement(ours, gnubg, bgsage, spiel, every=50)
    found = {"vrhcaby": ours.moves().done, "gnubg-nn": gnubg.moves().done, "bgsage": bgsage.moves().done}
    if len(set(found.values())) != 1:
        raise SystemExit(f"the programs find different numbers of moves: {found}")

    moves = measure_in_rounds(
        {
            "vrhcaby out=": lambda _: ours.moves(),
            "vrhcaby new arrays": lambda _: ours.moves_into_new_arrays(),
            "gnubg-nn": lambda _: gnubg.moves(),
            "open_spiel (actions)": lambda _: spiel.moves(),
            "bgsage": lambda _: bgsage.moves(),
        },
        options.rounds,
    )
    random = measure_in_rounds(
        {
            "vrhcaby playouts": lambda seed: ours.random_games(2000, seed),
            "gnubg-nn (loop in Python)": lambda seed: gnubg.random_games(40, seed),
            "open_spiel (its own loop in C++)": lambda seed: spiel.random_games_in_its_own_loop(20, seed),
            "open_spiel (loop in Python)": lambda seed: spiel.random_games(20, seed),
            "bgsage (loop in Python)": lambda seed: bgsage.random_games(20, seed),
        },
        options.rounds,
    )
    facts: dict[str, Any] = {
        "positions": options.positions,
        "moves": found["vrhcaby"],
        "rolls_compared": compared,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": versions,
    }
    if options.json:
        json.dump({**facts, "legal_moves_per_second": moves, "random_games_per_second": random}, sys.stdout, indent=2)
        print()
        return 0
    print(", ".join(f"{package} {version}" for package, version in versions.items()))
    print(f"{options.positions:,} positions of random games x 21 rolls, {found['vrhcaby']:,} moves;", end=" ")
    print(f"the moves of {compared:,} rolls agree\n")
    print(table("legal moves", moves, ["vrhcaby out=", "vrhcaby new arrays"]), end="\n\n")
    print(table("uniformly random games", random, ["vrhcaby playouts"]), end="\n\n")
    print("The columns on the right divide this library's rate by the program's: the median of the rounds.")
    print("open_spiel: every action counts as a move, also both orders of the same two dice; doubles are played in two")
    print("halves, and only the first half is asked for and counted.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
