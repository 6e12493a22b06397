"""Uniformly random games of each variant."""

from typing import Any

import pytest

import vrhcaby

GAMES = 2000

# Turns in the 2,000 games of seed 1.
TURNS = {
    "backgammon": 191_440,
    "fevga": 188_173,
    "hypergammon": 46_007,
    "long-nardy": 190_963,
    "nackgammon": 240_088,
    "portes": 191_440,
    "short-nardy": 191_440,
    "tavla": 192_297,
    "tavli": 191_428,
    "vrhcaby": 191_440,
}


@pytest.mark.benchmark(group=f"{GAMES:,} random games")
@pytest.mark.parametrize("name", sorted(vrhcaby.VARIANTS))
def test_playouts(benchmark: Any, name: str) -> None:
    start = vrhcaby.Position.start(name)
    played = benchmark(vrhcaby.playouts, start, GAMES, seed=1)
    assert played.turns.sum() == TURNS[name]
