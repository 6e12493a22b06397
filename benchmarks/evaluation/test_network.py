"""The shipped network on many positions."""

from typing import Any

import numpy as np
import pytest

import vrhcaby
from benchmarks.games import random_positions


@pytest.mark.benchmark(group="4,000 positions")
def test_evaluate(benchmark: Any) -> None:
    positions = random_positions(4000)
    chances = benchmark(vrhcaby.evaluate, positions)
    # The answer does not depend on what else is in the batch.
    one_by_one = [vrhcaby.evaluate(positions[row : row + 1]) for row in range(0, 4000, 100)]
    assert np.array_equal(chances[::100], np.concatenate(one_by_one))


@pytest.mark.benchmark(group="one position")
def test_evaluate_one(benchmark: Any) -> None:
    start = vrhcaby.Position.start()
    evaluation = benchmark(vrhcaby.evaluate, start)
    assert 0.5 < evaluation.win < 0.56  # the player on roll has a small advantage
