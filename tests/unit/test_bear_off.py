"""The one-sided bear-off table: against published figures, and against slow exact calculation with few checkers."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests import reference
from tests.reference import OFF, ROLLS, Side, side
from vrhcaby import VARIANTS, Position, PositionError, Variant, legal_moves, pack
from vrhcaby.evaluation._bearoff import BearOff, bear_off

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "bear_off.json").read_text(encoding="utf-8"))
FEW = VARIANTS["hypergammon"]  # three checkers a side: small enough for exact calculation
MORE = FEW.replace(start=((24, 5),))
PIPS_PER_ROLL = 49 / 6


@pytest.fixture(scope="module")
def table() -> BearOff:
    return bear_off()


def number(table: BearOff, text: str) -> int:
    return table.number(side(text)[1:7])


def race(own: str, opponent: str, variant: str | Variant = "backgammon") -> NDArray[np.uint64]:
    rules = VARIANTS[variant] if isinstance(variant, str) else variant
    return pack([Position(side(own, rules.checkers), side(opponent, rules.checkers), rules)], variant=rules)


# Published figures ---------------------------------------------------------------------------------------------------


def test_sum_of_all_means(table: BearOff) -> None:
    assert table.mean_rolls.shape == (54264,)
    assert table.mean_rolls.sum() == pytest.approx(PUBLISHED["sum_of_mean_rolls"], abs=1e-6)


@pytest.mark.parametrize("case", PUBLISHED["mean_rolls"], ids=lambda case: case["checkers"])
def test_mean_rolls(table: BearOff, case: dict[str, str]) -> None:
    mean = table.mean_rolls[number(table, case["checkers"])]
    assert mean == pytest.approx(float(Fraction(case["value"])), abs=1e-14)


@pytest.mark.parametrize("case", PUBLISHED["effective_pips"], ids=lambda case: case["checkers"])
def test_effective_pips(table: BearOff, case: dict[str, Any]) -> None:
    assert table.mean_rolls[number(table, case["checkers"])] * PIPS_PER_ROLL == pytest.approx(case["value"], abs=5e-5)


def test_waste(table: BearOff) -> None:
    waste = {
        arrangement: table.mean_rolls[table.number(arrangement)] * PIPS_PER_ROLL - pips
        for arrangement, pips in arrangements(15)
    }
    assert min(waste, key=lambda key: waste[key]) == side(PUBLISHED["least_waste"])[1:7]
    assert max(waste, key=lambda key: waste[key]) == side(PUBLISHED["most_waste"])[1:7]


def arrangements(checkers: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every arrangement of all of so many checkers on the six points, and its pips."""
    for points in combinations_with_replacement(range(1, 7), checkers):
        yield tuple(points.count(point) for point in range(1, 7)), sum(points)


@pytest.mark.parametrize(("checkers", "throws"), PUBLISHED["throws_that_end"].items())
def test_throws_that_end(table: BearOff, checkers: str, throws: int) -> None:
    assert 36 * float(table.rolls[number(table, checkers), 1]) == pytest.approx(throws, abs=1e-5)


def test_distribution_of_a_closed_board(table: BearOff) -> None:
    case = PUBLISHED["closed_board"]
    found = table.rolls[number(table, case["checkers"])]
    assert {k: round(float(found[int(k)]), 5) for k in case["rolls"]} == case["rolls"]


@pytest.mark.parametrize("case", PUBLISHED["rolls_against_rolls"], ids=lambda case: f"{case['own']}v{case['opponent']}")
def test_rolls_against_rolls(table: BearOff, case: dict[str, Any]) -> None:
    """2n checkers on the ace point are an n-roll position."""
    chances = table.chances(race(f"1:{2 * case['own']}", f"1:{2 * case['opponent']}"))
    assert chances[0, 0] == pytest.approx(case["win"], abs=6e-6)


@pytest.mark.parametrize("case", PUBLISHED["races"], ids=lambda case: f"{case['own']} v {case['opponent']}")
def test_races(table: BearOff, case: dict[str, Any]) -> None:
    assert table.chances(race(case["own"], case["opponent"]))[0, 0] == pytest.approx(case["win"], abs=5e-6)


# Exact calculation with few checkers ---------------------------------------------------------------------------------


def few_arrangements(most: int = 3) -> list[Side]:
    """All ways to have up to so many checkers at home, the fewest pips first."""
    sides = [
        side(" ".join(map(str, points)) or "off", most)
        for checkers in range(most + 1)
        for points in combinations_with_replacement(range(1, 7), checkers)
    ]
    return sorted(sides, key=lambda own: sum(point * count for point, count in enumerate(own)))


@functools.cache
def turns(own: Side) -> list[tuple[int, list[Side]]]:
    """For each roll its weight and what it can lead to."""
    rules = FEW if sum(own) == 3 else MORE
    elsewhere = side("1:3", sum(own))
    return [
        (1 if a == b else 2, [after for after, _ in reference.legal_turns(rules, own, elsewhere, (a, b))])
        for a, b in ROLLS
    ]


@functools.cache
def exact_rolls(own: Side) -> dict[int, Fraction]:
    """Chance of each number of rolls to the end with the least mean number."""
    if own[OFF] == 3:
        return {0: Fraction(1)}
    found: dict[int, Fraction] = {}
    for weight, afters in turns(own):
        best = min((exact_rolls(after) for after in afters), key=mean)
        for rolls, chance in best.items():
            found[rolls + 1] = found.get(rolls + 1, Fraction(0)) + Fraction(weight, 36) * chance
    return found


def mean(distribution: dict[int, Fraction]) -> Fraction:
    return sum((rolls * chance for rolls, chance in distribution.items()), Fraction(0))


@functools.cache
def exact_wait(own: Side) -> dict[int, Fraction]:
    """Chance of each number of rolls until one more checker is off with the least mean number."""
    found: dict[int, Fraction] = {}
    for weight, afters in turns(own):
        if any(after[OFF] > own[OFF] for after in afters):
            best = {0: Fraction(1)}
        else:
            best = min((exact_wait(after) for after in afters), key=mean)
        for rolls, chance in best.items():
            found[rolls + 1] = found.get(rolls + 1, Fraction(0)) + Fraction(weight, 36) * chance
    return found


def test_rolls_of_few_checkers(table: BearOff) -> None:
    for own in few_arrangements():
        row = table.number(own[1:7])
        expected = exact_rolls(own)
        assert table.mean_rolls[row] == pytest.approx(float(mean(expected)), abs=1e-12)
        found = {k: chance for k, chance in enumerate(table.rolls[row].tolist()) if chance}
        assert found == pytest.approx({k: float(chance) for k, chance in expected.items() if chance}, abs=1e-7)


def test_wait_of_few_checkers(table: BearOff) -> None:
    for own in few_arrangements()[1:]:
        expected = exact_wait(own)
        for k, chance in enumerate(table.none_off[table.number(own[1:7])].tolist()):
            assert chance == pytest.approx(float(sum(c for rolls, c in expected.items() if rolls > k)), abs=1e-7)


def chance_to_be_first(mine: dict[int, Fraction], his: dict[int, Fraction], on_roll: bool) -> float:
    """With equal numbers of rolls, whoever is on roll is first."""
    return float(sum(p * q for m, p in mine.items() for n, q in his.items() if m < n or (m == n and on_roll)))


def test_chances_follow_from_the_numbers_of_rolls(table: BearOff) -> None:
    sides = [own for own in few_arrangements() if own[OFF] < 3]
    pairs = [(own, opponent) for own in sides[::5] for opponent in sides[::3]]
    found = table.chances(pack([Position(*pair, FEW) for pair in pairs], variant=FEW), variant=FEW)
    for (own, opponent), chances in zip(pairs, found.tolist(), strict=True):
        mine, his = exact_rolls(own), exact_rolls(opponent)
        win = chance_to_be_first(mine, his, True)
        win_gammon = 0 if opponent[OFF] else chance_to_be_first(mine, exact_wait(opponent), True)
        lose_gammon = 0 if own[OFF] else chance_to_be_first(his, exact_wait(own), False)
        assert chances == pytest.approx([win, win_gammon, 0, lose_gammon, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("rules", "largest", "root_mean_square"),
    [(FEW, 0.00136, 0.00018), pytest.param(MORE, 0.01353, 0.00157, marks=pytest.mark.slow)],
    ids=["three checkers", "five checkers"],
)
def test_against_players_who_look_at_each_other(
    table: BearOff, rules: Variant, largest: float, root_mean_square: float
) -> None:
    """Both played for the chance of winning alone, as the other stands: how far the one-sided chances are off."""
    sides = few_arrangements(rules.checkers)
    place = {own: i for i, own in enumerate(sides)}
    afters = [[(weight, [place[after] for after in found]) for weight, found in turns(own)] for own in sides[1:]]
    win = np.zeros((len(sides), len(sides)))

    def fill(own: int, opponent: int) -> None:
        # Chances of the other player after each play: all for fewer pips, so that they are known.
        replies = win[opponent]
        win[own, opponent] = sum(w / 36 * (1 - min(replies[after] for after in plays)) for w, plays in afters[own - 1])

    for more in range(1, len(sides)):
        for fewer in range(1, more + 1):
            fill(more, fewer)
            if fewer < more:
                fill(fewer, more)
    own, opponent = (indices + 1 for indices in np.indices((len(sides) - 1,) * 2).reshape(2, -1))
    positions = pack([Position(sides[i], sides[k], rules) for i, k in zip(own, opponent, strict=True)], variant=rules)
    difference = table.chances(positions, variant=rules)[:, 0] - win[own, opponent]
    assert np.abs(difference).max() == pytest.approx(largest, abs=5e-6)
    assert np.sqrt((difference**2).mean()) == pytest.approx(root_mean_square, abs=5e-6)


# All of it -----------------------------------------------------------------------------------------------------------


def test_every_row_is_a_distribution(table: BearOff) -> None:
    rolls = table.rolls.astype(float)
    assert (rolls >= 0).all()
    np.testing.assert_allclose(rolls.sum(1), 1, atol=2e-7)
    np.testing.assert_allclose(rolls @ np.arange(32), table.mean_rolls, atol=1e-6)
    assert rolls[:, -1].max() < 1e-15
    assert (np.diff(table.none_off, axis=1) <= 0).all()
    assert table.none_off[:, -1].max() < 1e-7


def test_every_arrangement_has_its_number(table: BearOff) -> None:
    numbers = [table.number(found) for checkers in range(16) for found, _ in arrangements(checkers)]
    assert sorted(numbers) == list(range(54264))


def test_a_gammon_is_saved_with_the_first_checker(table: BearOff) -> None:
    # Without a 6, and neither 5-1, 4-2, 3-3 nor 2-2: 19 throws. The opponent is off with his next roll.
    assert table.chances(race("6:15", "1"))[0] == pytest.approx([0, 0, 0, 19 / 36, 0])
    assert table.chances(race("1", "6:15"))[0] == pytest.approx([1, 1, 0, 0, 0])
    assert table.chances(race("6:14", "1"))[0] == pytest.approx([0, 0, 0, 0, 0])


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if variant.checkers == 15])
def test_everyone_bears_off_alike(table: BearOff, name: str) -> None:
    chance = np.random.default_rng(7)
    boards = []
    for _ in range(200):
        own, opponent = (np.bincount(chance.integers(0, 7, 15), minlength=26).tolist() for _ in range(2))
        boards.append((own, opponent))
    here = pack([Position(*board, name) for board in boards], variant=name)
    there = pack([Position(*board) for board in boards])
    assert table.reaches(here, variant=name).all()
    for found, expected in zip(legal_moves(here, variant=name), legal_moves(there), strict=True):
        assert found.tobytes() == expected.tobytes()
    assert table.chances(here, variant=name).tobytes() == table.chances(there).tobytes()


# What it does not reach ----------------------------------------------------------------------------------------------


def test_reach(table: BearOff) -> None:
    rows = [race(*sides)[0] for sides in (("7 1", "6:15"), ("6", "7"), ("6", "bar"), ("6:15", "1"), ("off", "24"))]
    assert table.reaches(np.array(rows)).tolist() == [False, False, False, True, False]


def test_a_race_that_is_over(table: BearOff) -> None:
    assert table.chances(race("off", "24:15")).tolist() == [[1, 1, 1, 0, 0]]
    assert table.chances(race("6:14", "off")).tolist() == [[0, 0, 0, 0, 0]]


def test_a_position_that_it_does_not_reach(table: BearOff) -> None:
    rows = np.concatenate([race("6", "1"), race("7", "1")])
    with pytest.raises(ValueError, match=r"positions\[1\]: not all checkers are home"):
        table.chances(rows)


@pytest.mark.parametrize("change", [{"over_bear": "free"}, {"over_bear": "none"}, {"last_roll": "second_player"}])
def test_variants_with_another_bear_off(table: BearOff, change: dict[str, str]) -> None:
    rules = VARIANTS["long-nardy"].replace(**change)
    rows = race("6:3", "1:4", rules)
    assert table.reaches(rows, variant=rules).tolist() == [False]
    with pytest.raises(ValueError, match=next(iter(change))):
        table.chances(rows, variant=rules)


def test_what_is_no_position(table: BearOff) -> None:
    for method in (table.chances, table.reaches):
        with pytest.raises(PositionError, match=r"positions\[0\]"):
            method(np.zeros((1, 4), np.uint64))
        with pytest.raises(TypeError, match="NumPy array"):
            method([[0, 0, 0, 0]])


@pytest.mark.parametrize("checkers", [[1] * 5, [1] * 7, [16, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 3]])
def test_what_is_no_arrangement(table: BearOff, checkers: list[int]) -> None:
    with pytest.raises(ValueError, match="six numbers of checkers"):
        table.number(checkers)


def test_nobody_can_change_the_table(table: BearOff) -> None:
    for array in (table.mean_rolls, table.rolls, table.none_off):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
