"""Two threads of one process against two independent processes of one thread, on the same work in the same run.

``python -m benchmarks.scaling`` prints the ratio of the two rates for playouts and for rollouts: 1 means that the
threads do not get in each other's way. It needs two idle cores.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import vrhcaby

Work = Callable[[int, int, int], object]  # (how many games, seed, workers)


def playouts(games: int, seed: int, workers: int) -> object:
    return vrhcaby.playouts(vrhcaby.Position.start(), games, seed=seed, workers=workers)


def rollout(trials: int, seed: int, workers: int) -> object:
    return vrhcaby.rollout(vrhcaby.Position.start(), trials=trials, seed=seed, workers=workers)


def serve(pipe: Connection, work: Work) -> None:
    """The process of one thread: does the work each time it gets a size and a seed."""
    while (request := pipe.recv()) is not None:
        size, seed = request
        work(size, seed, 1)
        pipe.send(None)


def measure(work: Work, size: int, rounds: int) -> list[float]:
    """The ratio of each round: rate of two threads / rate of two processes, by wall time."""
    context = multiprocessing.get_context("spawn")
    pipes = []
    processes = []
    for _ in range(2):
        here, there = context.Pipe()
        process = context.Process(target=serve, args=(there, work), daemon=True)
        process.start()
        pipes.append(here)
        processes.append(process)

    def two_processes(seed: int) -> float:
        begin = time.perf_counter()
        for number, pipe in enumerate(pipes):
            pipe.send((size // 2, 2 * seed + number))
        for pipe in pipes:
            pipe.recv()
        return time.perf_counter() - begin

    def two_threads(seed: int) -> float:
        begin = time.perf_counter()
        work(size, seed, 2)
        return time.perf_counter() - begin

    two_processes(0)  # loads the package, the network and the pool
    two_threads(0)
    ratios = [two_processes(seed) / two_threads(seed) for seed in range(1, rounds + 1)]
    for pipe, process in zip(pipes, processes, strict=True):
        pipe.send(None)
        process.join()
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--games", type=int, default=40_000, help="playouts in a round (default 40,000)")
    parser.add_argument("--trials", type=int, default=8_192, help="rollout trials in a round (default 8,192)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ratios = {
        "playouts": measure(playouts, options.games, options.rounds),
        "rollout": measure(rollout, options.trials, options.rounds),
    }
    if options.json:
        json.dump(ratios, sys.stdout, indent=2)
        print()
    else:
        for name, values in ratios.items():
            print(f"{name}: two threads reach {statistics.median(values):.1%} of what two processes do", end=" ")
            print(f"({min(values):.1%} to {max(values):.1%} in {options.rounds} rounds)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
