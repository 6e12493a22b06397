"""Luck-adjusted truncated rollouts: equal to the slow calculation, without bias, without variance if none is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests import labels
from vrhcaby import ROLLS, VARIANTS, Position, PositionError, evaluate, legal_moves, pack, rollout
from vrhcaby.evaluation import equities
from vrhcaby.rollouts import truncated_rollouts
from vrhcaby.search import look_ahead


def rows(*boards: dict[str, Any], variant: str = "backgammon") -> NDArray[np.uint64]:
    return pack([Position.from_points(**board, variant=variant) for board in boards], variant=variant)


# Contact, a race that ends within the turns, one that enters the table, and one that ends while checkers come in.
SOME = np.concatenate(
    [
        pack([Position.start()]),
        rows(
            {"own": {1: 2, 2: 1}, "opponent": {3: 3}},
            {"own": {8: 2, 5: 3}, "opponent": {7: 1, 4: 4}},
            {"own": {9: 1, 1: 1}, "opponent": {20: 1, 1: 1}},
        ),
    ]
)


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_each_trial_is_what_the_slow_calculation_says(turns: int, ahead: bool, table: bool) -> None:
    seed = 12345678901234567890
    player = labels.shipped(VARIANTS["backgammon"], table=table)
    settings: dict[str, Any] = {"turns": turns, "seed": seed, "look_ahead": ahead, "bear_off": table}
    settings["evaluator"] = player.network
    found, errors = truncated_rollouts(SOME, trials=2, first_trial=5, **settings)
    for row, chances, error in zip(SOME, found, errors, strict=True):
        trials = [player.truncated_trial(row[None], turns, seed, trial, ahead=ahead) for trial in (5, 6)]
        np.testing.assert_allclose(chances, np.mean(trials, axis=0), atol=2e-6)
        assert error == pytest.approx(np.abs(np.diff(equities(np.array(trials))))[0] / 2, abs=1e-5)


@pytest.mark.parametrize("name", ["hypergammon", "long-nardy", "fevga", "tavla"])
def test_other_variants(name: str) -> None:
    start = pack([Position.start(name)], variant=name)
    player = labels.shipped(VARIANTS[name])
    found, _ = truncated_rollouts(start, turns=3, seed=3, variant=name, evaluator=player.network)
    expected = player.truncated_trial(start, 3, 3, 0, ahead=True)
    np.testing.assert_allclose(found[0], expected, atol=2e-6)


def test_a_network_with_a_filter() -> None:
    start = pack([Position.start()])
    player = labels.small(VARIANTS["backgammon"], filtered=True)
    found, _ = truncated_rollouts(start, turns=3, seed=3, evaluator=player.network)
    expected = player.truncated_trial(start, 3, 3, 0, ahead=True)
    np.testing.assert_allclose(found[0], expected, atol=2e-6)


def test_one_turn_leaves_no_luck() -> None:
    """What the roll brings is what is subtracted: the look-ahead is left, whatever is rolled."""
    found, errors = truncated_rollouts(SOME, turns=1, trials=10, seed=1, look_ahead=False)
    np.testing.assert_allclose(found, look_ahead(SOME), atol=1e-6)
    assert errors.max() < 1e-6


def test_an_evaluator_without_error_leaves_no_luck() -> None:
    """Every play of every roll ends the game or comes home, where the table knows: any trial gives the exact value."""
    positions = rows(
        {"own": {7: 1}, "opponent": {1: 2}},
        {"own": {12: 1}, "opponent": {6: 1, 5: 2}},
        {"own": {1: 1}, "opponent": {23: 1, 1: 14}},
    )
    # From 12, 1-1 and 2-1 stay outside: these trials go on with a network that errs.
    found, errors = truncated_rollouts(positions, turns=20, trials=50, seed=2)
    np.testing.assert_allclose(found[[0, 2]], look_ahead(positions[[0, 2]]), atol=1e-6)
    assert errors[[0, 2]].max() < 1e-6
    assert errors[1] > 1e-6


HYPERGAMMON = Position.start("hypergammon")


def test_games_to_the_end_have_the_mean_of_games_with_their_luck() -> None:
    name = "hypergammon"
    plain = rollout(HYPERGAMMON, trials=8000, seed=5)
    found, (error,) = truncated_rollouts(
        pack([HYPERGAMMON], variant=name), turns=4096, trials=800, seed=4, variant=name, bear_off=False
    )
    assert error < plain.equity.error  # though there are ten times fewer trials
    both = float(np.hypot(error, plain.equity.error))
    assert float(equities(found[0], name)) == pytest.approx(plain.equity.mean, abs=4 * both)
    for chance, figure in zip(found[0].tolist(), plain.FIGURES[:5], strict=True):
        assert chance == pytest.approx(getattr(plain, figure).mean, abs=0.025)


def test_two_turns_have_the_mean_of_all_pairs_of_rolls() -> None:
    rules = VARIANTS["hypergammon"]
    player = labels.shipped(rules, table=False)
    start = pack([HYPERGAMMON], variant=rules)
    exact = np.zeros(5)
    for dice, weight in ROLLS:
        exact += weight / 36 * labels.turned_round(player.look_ahead(player.best_child(start, dice)[0]))
    settings: dict[str, Any] = {"variant": rules, "evaluator": player.network, "look_ahead": False, "bear_off": False}
    found, (error,) = truncated_rollouts(start, turns=2, trials=2000, seed=4, **settings)
    assert 0 < error < 0.01
    assert float(equities(found[0], rules)) == pytest.approx(float(equities(exact, rules)), abs=4 * float(error))


def test_chances_are_not_bounded() -> None:
    nearly_lost = rows({"own": {24: 2, 6: 13}, "opponent": {8: 1, 2: 4}})
    singles = [truncated_rollouts(nearly_lost, turns=5, seed=seed)[0][0] for seed in range(60)]
    assert min(chances[0] for chances in singles) < 0


def test_the_result_depends_on_nothing_else() -> None:
    start = pack([Position.start()])
    positions = np.concatenate([SOME, legal_moves(start, (4, 2))[0]])
    settings: dict[str, Any] = {"turns": 4, "trials": 2, "seed": 9}
    chances, errors = truncated_rollouts(positions, **settings)
    for found in (
        truncated_rollouts(positions, workers=3, **settings),
        [part[::-1] for part in truncated_rollouts(positions[::-1].copy(), **settings)],
        [
            np.concatenate(p)
            for p in zip(*(truncated_rollouts(row[None], **settings) for row in positions), strict=True)
        ],
    ):
        assert found[0].tobytes() == chances.tobytes()
        assert found[1].tobytes() == errors.tobytes()


def test_trials_of_a_series() -> None:
    singles = np.array([truncated_rollouts(SOME, turns=4, seed=1, first_trial=i)[0] for i in range(6)], float)
    means, errors = truncated_rollouts(SOME, turns=4, seed=1, trials=6)
    np.testing.assert_allclose(means, singles.mean(0), atol=1e-6)
    np.testing.assert_allclose(errors, equities(singles).std(0, ddof=1) / np.sqrt(6), atol=1e-5)
    assert np.isnan(truncated_rollouts(SOME, turns=4, seed=1)[1]).all()


def test_seeds_and_positions_have_dice_of_their_own() -> None:
    start = pack([Position.start()])
    single = truncated_rollouts(start, turns=4, seed=1)[0]
    assert single.tobytes() != truncated_rollouts(start, turns=4, seed=2)[0].tobytes()
    assert single.tobytes() == truncated_rollouts(start, turns=4, seed=1)[0].tobytes()


def test_games_that_are_over() -> None:
    over = rows({"own": {6: 15}, "opponent": {}}, {"own": {}, "opponent": {"bar": 1, 6: 14}})
    chances, errors = truncated_rollouts(over, turns=3, trials=2, seed=1)
    assert chances.tobytes() == evaluate(over).tobytes()
    assert errors.tolist() == [0, 0]


def test_no_positions() -> None:
    chances, errors = truncated_rollouts(np.empty((0, 4), np.uint64), turns=3, seed=1)
    assert (chances.shape, errors.shape) == ((0, 5), (0,))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"turns": 0}, ValueError, "turns = 0"),
        ({"turns": 4097}, ValueError, "turns = 4097"),
        ({"trials": 0}, ValueError, "trials = 0"),
        ({"first_trial": -1}, ValueError, "first_trial = -1"),
        ({"first_trial": 2**64}, ValueError, "first_trial = 18446744073709551616"),
        ({"seed": -1}, ValueError, "seed = -1"),
        ({"seed": 2**64}, ValueError, "seed = 18446744073709551616"),
        ({"seed": 0.5}, TypeError, "seed = 0.5"),
        ({"workers": 0}, ValueError, "workers = 0"),
        ({"positions": np.zeros((1, 4), np.uint64)}, PositionError, r"positions\[0\]"),
        ({"evaluator": "fevga"}, ValueError, "not variant 'backgammon'"),
        (
            {"variant": VARIANTS["backgammon"].replace(last_roll="ge14")},
            ValueError,
            "last_roll = 'ge14'",
        ),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        truncated_rollouts(**{"positions": pack([Position.start()]), "turns": 3, "seed": 1, **arguments})
