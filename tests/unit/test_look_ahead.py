"""One turn of look-ahead in bulk: against the slow calculation, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests import labels
from vrhcaby import VARIANTS, Position, PositionError, evaluate, legal_moves, pack
from vrhcaby.evaluation import load_evaluator
from vrhcaby.evaluation._bearoff import bear_off
from vrhcaby.search import look_ahead
from vrhcaby.search._judge import Judge


def some_positions(name: str, count: int) -> NDArray[np.uint64]:
    """Positions of random games: the start, and one of each stage."""
    chance = np.random.default_rng(11)
    rows = [pack([Position.start(name)], variant=name)]
    while len(rows) < count:
        children, _ = legal_moves(rows[-1], variant=name)
        if not len(children):
            break
        chosen = chance.integers(len(children))
        rows.append(children[chosen : chosen + 1])
    return np.concatenate(rows)


@pytest.mark.parametrize("name", VARIANTS)
def test_it_is_the_mean_of_the_best_plays(name: str) -> None:
    positions = some_positions(name, 40)[::8].copy()
    player = labels.shipped(VARIANTS[name])
    expected = [player.look_ahead(row[None]) for row in positions]
    np.testing.assert_allclose(look_ahead(positions, variant=name, evaluator=player.network), expected, atol=1e-6)


@pytest.mark.parametrize("filtered", [True, False])
@pytest.mark.parametrize("name", ["backgammon", "long-nardy"])
def test_a_filter_chooses_what_is_judged(name: str, filtered: bool) -> None:
    positions = some_positions(name, 60)[::12].copy()
    player = labels.small(VARIANTS[name], filtered=filtered)
    expected = [player.look_ahead(row[None]) for row in positions]
    np.testing.assert_allclose(look_ahead(positions, variant=name, evaluator=player.network), expected, atol=1e-6)


def test_with_four_checkers_left_every_play_is_judged() -> None:
    """No filter shall hide the end of the game."""
    filtered, unfiltered = (labels.small(VARIANTS["backgammon"], filtered=choice) for choice in (True, False))
    for checkers, differs in (({20: 1, 14: 1, 9: 1, 3: 1}, False), ({20: 1, 14: 1, 9: 1, 3: 2}, True)):
        row = pack([Position.from_points(own=checkers, opponent={8: 2, 3: 13})])
        first, second = (look_ahead(row, evaluator=player.network) for player in (filtered, unfiltered))
        assert (first.tobytes() != second.tobytes()) == differs


@pytest.mark.parametrize("table", [True, False])
def test_bearing_in(table: bool) -> None:
    """Some plays bring everyone home, and the table takes over if it is asked."""
    rows = pack([Position.from_points(own={7: 1, 4: 2}, opponent=other) for other in ({6: 3, 1: 5}, {7: 1, 2: 3})])
    player = labels.shipped(VARIANTS["backgammon"], table=table)
    expected = [player.look_ahead(row[None]) for row in rows]
    np.testing.assert_allclose(look_ahead(rows, evaluator=player.network, bear_off=table), expected, atol=1e-6)


def test_the_table_answers_where_it_reaches() -> None:
    rows = pack([Position.from_points(own={6: 3, 2: 2}, opponent={5: 4, 1: 2})])
    assert look_ahead(rows).tobytes() == bear_off().chances(rows).tobytes()
    assert look_ahead(rows, bear_off=False).tobytes() != bear_off().chances(rows).tobytes()


@pytest.mark.parametrize("change", [{"over_bear": "free"}, {"last_roll": "second_player"}])
def test_the_table_is_not_asked_in_variants_it_does_not_serve(change: dict[str, str]) -> None:
    rules = VARIANTS["long-nardy"].replace(**change)
    rows = pack([Position.from_points(own={6: 3, 2: 2}, opponent={5: 4, 1: 2}, variant=rules)], variant=rules)
    assert look_ahead(rows, variant=rules).tobytes() == look_ahead(rows, variant=rules, bear_off=False).tobytes()


def test_points_decide_which_play_is_best() -> None:
    """Where gammons count nothing, the plays with the best chance to win are taken."""
    plain = VARIANTS["backgammon"].replace(points=(1, 1, 1))
    positions = some_positions("backgammon", 60)[20::8].copy()
    for rules in (VARIANTS["backgammon"], plain):
        player = labels.shipped(rules)
        expected = [player.look_ahead(row[None]) for row in positions]
        np.testing.assert_allclose(look_ahead(positions, variant=rules, evaluator=player.network), expected, atol=1e-6)
    assert look_ahead(positions, variant=plain).tobytes() != look_ahead(positions).tobytes()


def test_games_that_are_over() -> None:
    rows = pack(
        [Position.from_points(own={6: 15}, opponent={}), Position.from_points(own={}, opponent={"bar": 1, 6: 14})]
    )
    assert look_ahead(rows).tobytes() == evaluate(rows).tobytes()


def test_the_result_depends_on_nothing_else() -> None:
    positions = some_positions("backgammon", 100)
    before = positions.copy()
    whole = look_ahead(positions)
    assert look_ahead(positions, workers=3).tobytes() == whole.tobytes()
    assert look_ahead(positions[::-1].copy())[::-1].tobytes() == whole.tobytes()
    assert look_ahead(positions[7:8]).tobytes() == whole[7:8].tobytes()
    assert (positions == before).all()


def test_an_evaluator_by_name() -> None:
    rows = some_positions("tavla", 3)
    given = look_ahead(rows, variant="tavla", evaluator=load_evaluator("backgammon"))
    assert look_ahead(rows, variant="tavla", evaluator="backgammon").tobytes() == given.tobytes()


def test_no_positions() -> None:
    assert look_ahead(np.empty((0, 4), np.uint64)).shape == (0, 5)


class Foreign:
    variants = ("backgammon",)

    def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
        raise AssertionError("native code cannot ask")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"positions": [[0, 0, 0, 0]]}, TypeError, "NumPy array of uint64, not list"),
        ({"positions": np.zeros((2, 3), np.uint64)}, ValueError, r"\(2, 3\)"),
        ({"positions": np.zeros((1, 4), np.uint64)}, PositionError, r"positions\[0\]: own has 0 checkers"),
        ({"evaluator": Foreign()}, TypeError, "must be a network"),
        ({"evaluator": "no such"}, ValueError, "unknown evaluator 'no such'"),
        ({"evaluator": "fevga"}, ValueError, "not variant 'backgammon'"),
        ({"workers": 0}, ValueError, "workers = 0"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        look_ahead(**{"positions": some_positions("backgammon", 1), **arguments})


def test_a_judge_says_who_it_is() -> None:
    assert repr(Judge(None, "tavla")) == "<Judge backgammon for tavla>"
