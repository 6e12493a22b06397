"""Positions from games with variety: against games played in the plainest words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import labels
from vrhcaby import VARIANTS, Position, PositionError, hashes, legal_moves, pack
from vrhcaby.training._positions import game_positions

VARIETY: dict[str, Any] = {"random_opening": 6, "random_moves": 0.05, "slips": 0.3}


@pytest.mark.parametrize(
    ("name", "variety"),
    [
        ("hypergammon", {}),
        ("hypergammon", VARIETY),
        ("hypergammon", {"random_moves": 1.0}),
        ("hypergammon", {"slips": 1.0}),
        ("backgammon", VARIETY),
        ("fevga", VARIETY),
    ],
)
def test_games_are_what_the_slow_calculation_says(name: str, variety: dict[str, float]) -> None:
    rules, seed, games = VARIANTS[name], 2**63 + 5, (7, 8, 9) if name == "hypergammon" else (7,)
    player = labels.shipped(rules)
    positions, numbers = game_positions(
        games=len(games), first_game=7, seed=seed, variant=name, evaluator=player.network, **variety
    )
    options = {"opening": "random_opening", "random": "random_moves", "slips": "slips"}
    arguments: dict[str, Any] = {key: variety.get(option, 0) for key, option in options.items()}
    start = pack([Position.start(name)], variant=name)
    expected = [player.game(start, seed, game, **arguments) for game in games]
    assert numbers.tolist() == [game for game, rows in zip(games, expected, strict=True) for _ in rows]
    assert positions.tobytes() == np.concatenate([row for rows in expected for row in rows]).tobytes()


def test_games_begin_where_they_are_told() -> None:
    starts = legal_moves(pack([Position.start()]), (3, 1))[0]
    positions, numbers = game_positions(games=2 * len(starts) + 3, seed=1, starts=starts)
    firsts = positions[np.r_[True, np.diff(numbers) > 0]]
    assert firsts.tobytes() == np.concatenate([starts, starts, starts[:3]]).tobytes()


def test_a_game_that_is_over_has_no_positions() -> None:
    starts = pack([Position.from_points(own={6: 15}, opponent={}), Position.from_points(own={1: 1}, opponent={1: 1})])
    positions, numbers = game_positions(games=4, seed=1, starts=starts)
    assert numbers.tolist() == [1, 3]
    assert positions.tobytes() == starts[[1, 1]].tobytes()


def test_the_result_depends_on_nothing_else() -> None:
    settings: dict[str, Any] = {"seed": 6, "variant": "hypergammon", **VARIETY}
    positions, numbers = game_positions(games=70, **settings)
    parts = [game_positions(games=count, first_game=first, **settings) for first, count in ((0, 33), (33, 1), (34, 36))]
    divided = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    for found in (game_positions(games=70, workers=3, **settings), divided):
        assert found[0].tobytes() == positions.tobytes()
        assert found[1].tobytes() == numbers.tobytes()


def test_variety() -> None:
    """Without options games differ by their dice alone; with options the same dice give other games."""
    plain, _ = game_positions(games=50, seed=1, variant="hypergammon")
    varied, _ = game_positions(games=50, seed=1, variant="hypergammon", **VARIETY)
    assert len(np.setdiff1d(hashes(varied), hashes(plain))) > len(varied) // 2


def test_no_games() -> None:
    positions, numbers = game_positions(games=0, seed=1)
    assert (positions.shape, positions.dtype.name) == ((0, 4), "uint64")
    assert (numbers.shape, numbers.dtype.name) == ((0,), "int64")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"games": -1}, ValueError, "games = -1"),
        ({"games": 1.5}, TypeError, "games = 1.5"),
        ({"first_game": -1}, ValueError, "first_game = -1"),
        ({"first_game": 2**63}, ValueError, "first_game = 9223372036854775808"),
        ({"seed": 2**64}, ValueError, "seed = 18446744073709551616"),
        ({"random_opening": -1}, ValueError, "random_opening = -1"),
        ({"random_moves": -0.1}, ValueError, "random_moves = -0.1"),
        ({"slips": float("nan")}, ValueError, "slips = nan"),
        ({"slips": 0.6, "random_moves": 0.5}, ValueError, "together at most 1"),
        ({"starts": np.empty((0, 4), np.uint64)}, ValueError, "starts is empty"),
        ({"starts": np.zeros((1, 4), np.uint64)}, PositionError, r"positions\[0\]"),
        ({"evaluator": "fevga"}, ValueError, "not variant 'backgammon'"),
        ({"workers": False}, ValueError, "workers = False"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        game_positions(**{"games": 1, "seed": 1, **arguments})
