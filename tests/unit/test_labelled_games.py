"""Labelled games: against games played and labelled in the plainest words, and what the labels must be on average."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import labels
from tests.inputs import random_positions
from vrhcaby import VARIANTS, Position, PositionError, hashes, legal_moves, pack, variant
from vrhcaby.evaluation._bearoff import bear_off
from vrhcaby.search import look_ahead
from vrhcaby.training._labelled_games import labelled_games

VARIETY: dict[str, Any] = {"random_opening": 6, "random_moves": 0.1, "slips": 0.2, "siblings": 0.4}
SEED = 2**63 + 5


@pytest.mark.parametrize(
    ("name", "trace", "variety"),
    [
        ("hypergammon", 1.0, {}),
        ("hypergammon", 0.7, VARIETY),
        ("hypergammon", 0.0, VARIETY),
        ("hypergammon", 0.7, {"random_moves": 1.0}),
        ("hypergammon", 0.7, {"slips": 1.0, "siblings": 1.0}),
        ("backgammon", 0.7, VARIETY),
        ("vrhcaby", 1.0, {"siblings": 0.1}),
        ("fevga", 0.7, VARIETY),
    ],
)
@pytest.mark.parametrize("table", [True, False])
def test_labels_are_what_the_slow_calculation_says(
    name: str, trace: float, variety: dict[str, float], table: bool
) -> None:
    rules = VARIANTS[name]
    numbers = range(7, 11) if name == "hypergammon" else range(7, 8)
    check(labels.shipped(rules, table=table), numbers, trace, variety, pack([Position.start(name)], variant=name))


@pytest.mark.parametrize("name", ["backgammon", "long-nardy"])
def test_a_network_with_a_filter(name: str) -> None:
    """From late positions: a network of random weights does not bring many checkers home."""
    player = labels.small(VARIANTS[name], filtered=True)
    starts = late_ones(random_positions(400, name))
    check(player, range(4), 0.7, {"random_moves": 0.3, "slips": 0.2, "siblings": 0.3}, starts)


def late_ones(positions: labels.Positions) -> labels.Positions:
    off = (positions[:, 0] & 15) + (positions[:, 2] & 15)
    late: labels.Positions = positions[np.argsort(off)[-40:]]
    return late


def check(
    player: labels.Player, numbers: range, trace: float, variety: dict[str, float], starts: labels.Positions
) -> None:
    positions, chances, games = labelled_games(
        games=len(numbers),
        first_game=numbers.start,
        seed=SEED,
        variant=player.variant,
        evaluator=player.network,
        starts=starts,
        trace=trace,
        bear_off=player.table,
        **variety,
    )
    options = {"opening": "random_opening", "random": "random_moves", "slips": "slips", "siblings": "siblings"}
    arguments: dict[str, Any] = {key: variety.get(option, 0) for key, option in options.items()}
    assert [array.dtype.name for array in (positions, chances, games)] == ["uint64", "float32", "int64"]
    for number in numbers:
        start = starts[number % len(starts)][None]
        expected = player.labelled_game(start, SEED, number, trace=trace, **arguments)
        assert positions[games == number].tobytes() == b"".join(row.tobytes() for row, _ in expected)
        for found, (_, label) in zip(chances[games == number], expected, strict=True):
            np.testing.assert_allclose(found, label, atol=3e-6)


@pytest.mark.parametrize("name", ["backgammon", "hypergammon", "fevga"])
def test_with_no_trace_labels_are_look_ahead(name: str) -> None:
    positions, chances, _ = labelled_games(games=10, seed=5, variant=name, trace=0, **VARIETY)
    assert chances.tobytes() == look_ahead(positions, variant=name).tobytes()


def test_where_nothing_is_found_out_the_trace_changes_nothing() -> None:
    """Two bear-offs: the table knows them, so the network never errs."""
    starts = pack([Position.from_points(own={6: 3, 2: 1}, opponent={6: 3, 4: 1})])
    positions, chances, _ = labelled_games(games=40, seed=1, starts=starts, trace=1)
    assert bear_off().reaches(positions).all()
    np.testing.assert_array_equal(chances, look_ahead(positions))


def test_the_trace_brings_the_results_of_games_without_their_luck() -> None:
    options: dict[str, Any] = {"games": 1000, "seed": 2, "variant": "hypergammon", "bear_off": False}
    positions, chances, numbers = labelled_games(**options, trace=1)
    begins = np.r_[True, np.diff(numbers) > 0]
    wins = chances[begins, 0].astype(float)
    results = (np.bincount(numbers) % 2).astype(float)  # whoever begins wins the games with an odd number of turns
    thought = look_ahead(positions[:1], variant="hypergammon", bear_off=False)[0, 0]
    # The same on average as the results themselves, with less than a quarter of their variance.
    assert wins.std() < 0.5 * results.std()
    assert abs(wins.mean() - results.mean()) < 3 * results.std() / np.sqrt(1000)
    assert abs(wins.mean() - thought) < 0.03


def test_variety() -> None:
    plain, _, _ = labelled_games(games=200, seed=1, variant="hypergammon")
    varied, _, _ = labelled_games(games=200, seed=1, variant="hypergammon", **VARIETY)
    assert len(np.setdiff1d(hashes(varied), hashes(plain))) > len(varied) // 2


def test_siblings_are_plays_that_were_not_made() -> None:
    options: dict[str, Any] = {"games": 20, "seed": 1, "variant": "hypergammon"}
    path, chances, numbers = labelled_games(**options)
    positions, more, owners = labelled_games(**options, siblings=1.0)
    for game in range(20):
        rows, own = positions[owners == game], path[numbers == game]
        kept = np.isin(hashes(rows), hashes(own))
        assert rows[kept].tobytes() == own.tobytes()
        assert more[owners == game][kept].tobytes() == chances[numbers == game].tobytes()
        assert 0.4 * len(own) < (~kept).sum() < len(own)
    off_path = ~np.isin(hashes(positions), hashes(path))
    np.testing.assert_array_equal(more[off_path], look_ahead(positions[off_path], variant="hypergammon"))


def test_a_share_of_random_openings_is_kept() -> None:
    """With openings so long that games end in them, which are seven games of ten."""
    _, _, plain = labelled_games(games=300, seed=1, variant="hypergammon")
    _, _, numbers = labelled_games(games=300, seed=1, variant="hypergammon", random_opening=4096)
    same = [game for game in range(300) if (plain == game).sum() == (numbers == game).sum()]
    assert 0.2 < len(same) / 300 < 0.45
    others = ~np.isin(numbers, same)
    assert 0.1 < others.sum() / (300 - len(same)) / 30 < 1


def test_games_begin_where_they_are_told() -> None:
    starts = legal_moves(pack([Position.start()]), (3, 1))[0]
    positions, _, numbers = labelled_games(games=2 * len(starts) + 3, seed=1, starts=starts)
    firsts = positions[np.r_[True, np.diff(numbers) > 0]]
    assert firsts.tobytes() == np.concatenate([starts, starts, starts[:3]]).tobytes()


def test_a_game_that_is_over_has_no_labels() -> None:
    starts = pack([Position.from_points(own={6: 15}, opponent={}), Position.from_points(own={1: 1}, opponent={1: 1})])
    positions, chances, numbers = labelled_games(games=4, seed=1, starts=starts)
    assert numbers.tolist() == [1, 3]
    assert positions.tobytes() == starts[[1, 1]].tobytes()
    np.testing.assert_array_equal(chances, [[1, 0, 0, 0, 0]] * 2)


def test_a_game_in_which_no_one_can_move_ends() -> None:
    """Both sides are on the bar against six points."""
    closed = {"bar": 3, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}
    starts = pack([Position.from_points(own=closed, opponent=closed)])
    positions, chances, _ = labelled_games(games=1, seed=1, starts=starts)
    assert positions.tobytes() == 2 * starts.tobytes()
    np.testing.assert_array_equal(chances[1], look_ahead(starts)[0])


def test_the_result_depends_on_nothing_else() -> None:
    settings: dict[str, Any] = {"seed": 9, "variant": "hypergammon", **VARIETY}
    whole = labelled_games(games=40, **settings)
    parts = [labelled_games(games=count, first_game=first, **settings) for first, count in ((0, 13), (13, 1), (14, 26))]
    divided = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    for found in (labelled_games(games=40, workers=3, **settings), divided):
        assert [array.tobytes() for array in found] == [array.tobytes() for array in whole]


def test_no_games() -> None:
    found = labelled_games(games=0, seed=1)
    assert [(array.shape, array.dtype.name) for array in found] == [
        ((0, 4), "uint64"),
        ((0, 5), "float32"),
        ((0,), "int64"),
    ]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"games": -1}, ValueError, "games = -1"),
        ({"games": 1.5}, TypeError, "games = 1.5"),
        ({"first_game": 2**63}, ValueError, "first_game = 9223372036854775808"),
        ({"seed": -1}, ValueError, "seed = -1"),
        ({"random_opening": 4097}, ValueError, "random_opening = 4097"),
        ({"trace": 1.1}, ValueError, "trace = 1.1: must be from 0 to 1"),
        ({"siblings": float("nan")}, ValueError, "siblings = nan"),
        ({"random_moves": -0.1}, ValueError, "random_moves = -0.1"),
        ({"slips": 0.6, "random_moves": 0.5}, ValueError, "together at most 1"),
        ({"starts": np.empty((0, 4), np.uint64)}, ValueError, "starts is empty"),
        ({"starts": np.zeros((1, 4), np.uint64)}, PositionError, r"positions\[0\]"),
        ({"evaluator": "fevga"}, ValueError, "not variant 'backgammon'"),
        ({"variant": variant("fevga").replace(last_roll="second_player")}, ValueError, "last_roll = 'second_player'"),
        ({"workers": 0}, ValueError, "workers = 0"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        labelled_games(**{"games": 1, "seed": 1, **arguments})
