"""Pip counts and hashes of positions that fit into the cache."""

from typing import Any

import numpy as np
import pytest

import vrhcaby
from benchmarks.games import Packed, random_positions

PIPS = [499_441, 477_375]  # summed over all positions: player on roll, opponent
HASHES = 6_204_835_017_355_302_688  # xor of all


@pytest.fixture(scope="module")
def positions() -> Packed:
    """4,000 positions of random games, 128 kB."""
    return random_positions(4000)


@pytest.mark.benchmark(group="4,000 positions")
def test_pips(benchmark: Any, positions: Packed) -> None:
    pips = benchmark(vrhcaby.pips, positions)
    assert pips.sum(axis=0).tolist() == PIPS


@pytest.mark.benchmark(group="4,000 positions")
def test_hashes(benchmark: Any, positions: Packed) -> None:
    hashes = benchmark(vrhcaby.hashes, positions)
    assert np.bitwise_xor.reduce(hashes) == HASHES
