"""Gives the same work to this library and to other programs from PyPI, and prints how many times faster it is.

``moves``: legal moves and uniformly random games; ``evaluations``: positions evaluated and best moves, both without
look-ahead. One thread. Rates are per second of processor time. The measurements of all programs alternate in rounds; a
rate is the median over the rounds, a ratio the median of the rounds' ratios, so that a busy machine troubles both sides
alike. Before anything is measured, the moves or the equities of the programs are compared.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import itertools
import json
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import vrhcaby
from benchmarks.games import random_games
from benchmarks.peers import judging
from benchmarks.peers.programs import ROLLS, Bgsage, GnubgNN, OpenSpiel, Sample, Vrhcaby

PACKAGES = ("gnubg-nn", "open-spiel", "bgsage", "numpy")
ENOUGH_SECONDS = 0.2  # of processor time for one measurement: repeats the fast ones
PIECES_A_ROUND = 2  # of work that a program must not see twice; one fills the time by itself

Work = Callable[[int], Sample]  # the argument numbers the repetitions


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


def rate(work: Work, numbers: Iterator[int]) -> float:
    """Things a second, of as many repetitions as fill the time of one measurement. Each repetition has a new number."""
    done, seconds = 0, 0.0
    while seconds < ENOUGH_SECONDS:
        sample = work(next(numbers))
        done += sample.done
        seconds += sample.seconds
    return done / seconds


def measure_in_rounds(contestants: dict[str, Work], rounds: int) -> dict[str, list[float]]:
    numbers = {name: itertools.count() for name in contestants}
    for name, work in contestants.items():
        work(next(numbers[name]))  # first calls load, allocate and warm up
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            rates[name].append(rate(work, numbers[name]))
    return rates


def ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(our / their for our, their in zip(ours, theirs, strict=True))


class Table(NamedTuple):
    """Rates of the contestants, and which of them are ways of calling this library."""

    title: str
    rates: dict[str, list[float]]
    own: list[str]

    def __str__(self) -> str:
        """One line a contestant; a column for each way of calling this library says how many times faster that is."""
        head = "".join(f"{name.removeprefix('vrhcaby '):>18}" for name in self.own)
        lines = [f"{self.title:44}{'per second':>14}{head}"]
        for name, values in self.rates.items():
            ratios = "".join(f"{ratio(self.rates[ours], values):>17.1f}x" for ours in self.own)
            lines.append(f"{name:44}{statistics.median(values):>14,.0f}{ratios}")
        return "\n".join(lines)


def moves_and_games(positions: int, rounds: int) -> tuple[list[Table], dict[str, Any]]:
    """Legal moves and uniformly random games, and how the programs agree."""
    games = random_games(positions)
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
        rounds,
    )
    random = measure_in_rounds(
        {
            "vrhcaby playouts": lambda seed: ours.random_games(2000, seed),
            "gnubg-nn (loop in Python)": lambda seed: gnubg.random_games(40, seed),
            "open_spiel (its own loop in C++)": lambda seed: spiel.random_games_in_its_own_loop(20, seed),
            "open_spiel (loop in Python)": lambda seed: spiel.random_games(20, seed),
            "bgsage (loop in Python)": lambda seed: bgsage.random_games(20, seed),
        },
        rounds,
    )
    tables = [
        Table("legal moves", moves, ["vrhcaby out=", "vrhcaby new arrays"]),
        Table("uniformly random games", random, ["vrhcaby playouts"]),
    ]
    return tables, {"positions": positions, "moves": found["vrhcaby"], "rolls_compared": compared}


def evaluations_and_decisions(turns: int, rounds: int, contact: bool) -> tuple[list[Table], dict[str, Any]]:
    """Positions evaluated and best moves found, neither with look-ahead."""
    # A warm-up and the rounds, twice as many as it should take.
    work = judging.pieces(2 * PIECES_A_ROUND * (rounds + 1), turns, contact=contact)
    for_evaluations, for_decisions = work[::2], work[1::2]
    judging.check_understanding(work[0])
    ours = judging.Vrhcaby(for_evaluations)
    contestants: dict[str, Work] = {"vrhcaby evaluate": ours.evaluations}
    if ours.knows_children:
        contestants = {"vrhcaby evaluate_children": ours.evaluations_of_children, **contestants}
    own = list(contestants)
    contestants |= {
        "gnubg-nn": judging.GnubgNN(for_evaluations).evaluations,
        "bgsage": judging.Bgsage(for_evaluations).evaluations,
    }
    evaluations = measure_in_rounds(contestants, rounds)
    decisions = measure_in_rounds(
        {
            "vrhcaby play": judging.Vrhcaby(for_decisions).best_moves,
            "gnubg-nn": judging.GnubgNN(for_decisions).best_moves,
            "bgsage": judging.Bgsage(for_decisions).best_moves,
        },
        rounds,
    )
    tables = [
        Table("positions evaluated", evaluations, own),
        Table("best moves without look-ahead", decisions, ["vrhcaby play"]),
    ]
    return tables, {
        "turns_at_a_time": turns,
        "positions_at_a_time": len(work[0].children),
        "contact_only": contact,
        "network": ours.name,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("moves", "evaluations", "all"), default="all")
    parser.add_argument("--positions", type=int, default=2000, help="for legal moves, from random games (default 2000)")
    parser.add_argument("--turns", type=int, default=1500, help="for evaluations, of ordinary games (default 1500)")
    parser.add_argument("--contact", action="store_true", help="for evaluations, only turns before the race")
    parser.add_argument("--rounds", type=int, default=5, help="each program once a round (default 5)")
    parser.add_argument("--json", action="store_true", help="every round's rates instead of tables")
    options = parser.parse_args()

    versions = {"vrhcaby": vrhcaby.__version__} | {name: importlib.metadata.version(name) for name in PACKAGES}
    tables: list[Table] = []
    facts: dict[str, Any] = {}
    if options.what in ("moves", "all"):
        tables, facts = moves_and_games(options.positions, options.rounds)
    if options.what in ("evaluations", "all"):
        more, about = evaluations_and_decisions(options.turns, options.rounds, options.contact)
        tables, facts = tables + more, facts | about
    if options.json:
        facts |= {"python": platform.python_version(), "machine": platform.machine(), "packages": versions}
        facts |= {f"{title} per second".replace(" ", "_"): rates for title, rates, _ in tables}
        json.dump(facts, sys.stdout, indent=2)
        print()
        return 0
    print(", ".join(f"{package} {version}" for package, version in versions.items()))
    if "moves" in facts:
        print(f"{facts['positions']:,} positions of random games x 21 rolls, {facts['moves']:,} moves;", end=" ")
        print(f"the moves of {facts['rolls_compared']:,} rolls agree")
    if "network" in facts:
        print(
            f"network {facts['network']}; {facts['turns_at_a_time']:,} turns of ordinary games at a time, about",
            end=" ",
        )
        print(f"{facts['positions_at_a_time']:,} positions, none seen by the program before")
    for found in tables:
        print(f"\n{found}")
    print("\nThe columns on the right divide this library's rate by the program's: the median of the rounds.")
    if "moves" in facts:
        print("open_spiel: every action counts as a move, also both orders of the same two dice; doubles are played in")
        print("two halves, and only the first half is asked for and counted.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
