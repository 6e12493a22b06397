"""Legal moves in bulk: 2,000 positions of random games x 21 rolls, each variant."""

from typing import Any

import numpy as np
import pytest

import vrhcaby
from benchmarks.games import Packed, random_positions

# Distinct moves of all 21 rolls on the first 2,000 positions of random games (seed 1), a pass counting 1.
MOVES = {
    "backgammon": 908_271,
    "fevga": 649_455,
    "hypergammon": 247_687,
    "long-nardy": 448_116,
    "nackgammon": 1_089_286,
    "portes": 908_271,
    "short-nardy": 908_271,
    "tavla": 891_003,
    "tavli": 908_285,
    "vrhcaby": 908_271,
}


@pytest.fixture(params=sorted(vrhcaby.VARIANTS))
def work(request: pytest.FixtureRequest) -> tuple[str, Packed]:
    return request.param, random_positions(2000, request.param)


@pytest.mark.benchmark(group="legal moves, out=")
def test_into_given_arrays(benchmark: Any, work: tuple[str, Packed]) -> None:
    name, positions = work
    out = tuple(np.empty_like(array) for array in vrhcaby.legal_moves(positions, variant=name))
    _, offsets = benchmark(vrhcaby.legal_moves, positions, variant=name, out=out)
    assert offsets[-1] == MOVES[name]


@pytest.mark.benchmark(group="legal moves, new arrays")
def test_into_new_arrays(benchmark: Any, work: tuple[str, Packed]) -> None:
    name, positions = work
    _, offsets = benchmark(vrhcaby.legal_moves, positions, variant=name)
    assert offsets[-1] == MOVES[name]


@pytest.mark.benchmark(group="count moves")
def test_count(benchmark: Any, work: tuple[str, Packed]) -> None:
    name, positions = work
    assert benchmark(vrhcaby.count_moves, positions, variant=name).sum() == MOVES[name]
