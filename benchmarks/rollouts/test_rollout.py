"""Rollouts from the start position, with the shipped network and at random, one thread."""

from typing import Any

import pytest

import vrhcaby

TRIALS = 1024

pytestmark = pytest.mark.benchmark(group=f"{TRIALS:,} trials")


def test_network(benchmark: Any) -> None:
    start = vrhcaby.Position.start()
    result = benchmark.pedantic(vrhcaby.rollout, args=(start,), kwargs={"trials": TRIALS, "seed": 1}, rounds=5)
    assert result.trials == TRIALS
    assert abs(result.equity.mean - 0.07) < 4 * result.equity.error  # what strong programs roll out


def test_random(benchmark: Any) -> None:
    start = vrhcaby.Position.start()
    result = benchmark(vrhcaby.rollout, start, trials=TRIALS, seed=1, evaluator="random")
    games = vrhcaby.playouts(start, TRIALS, seed=1)
    assert sum(result.wins) == (games.winners == 0).sum()  # the same games
