"""Numbers of turns that other programs found too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import vrhcaby
from tests import reference
from tests.cases import Packed, Record, board_of, load, name_of, pack, variant_of
from vrhcaby import ROLLS, Position, perft, variant

PERFT = load("perft.json")
BACKGAMMON = PERFT["backgammon"]
WEIGHTS = np.array([weight for _, weight in ROLLS])


@pytest.mark.parametrize(
    ("case", "depth"),
    [
        pytest.param(case, depth, id=f"{name_of(case)} {depth}", marks=[pytest.mark.slow] if depth > 2 else [])
        for case in PERFT["sequences"]
        for depth in range(1, len(case["counts"]) + 1)
    ],
)
@pytest.mark.parametrize("renamed", [False, True], ids=["preset", "same rules"])
def test_sequences(case: Record, depth: int, renamed: bool) -> None:
    kind = variant_of(case)
    start = Position.start(kind.replace(name="the same rules") if renamed else kind)
    assert perft(start, depth) == case["counts"][depth - 1]


def test_workers_change_nothing() -> None:
    assert [perft(Position.start(), 2, workers=workers) for workers in (1, 2, 3)] == [202_782] * 3


def test_depth_zero_and_finished_games() -> None:
    finished = Position.from_points({1: 15}, {})
    assert perft(Position.start(), 0) == 1
    assert [perft(finished, depth) for depth in range(4)] == [1, 1, 1, 1]


def test_finished_games_are_not_expanded() -> None:
    backgammon = variant("backgammon")
    own, opponent = reference.side("6 1"), reference.side("3 2:2")
    counts = [perft(Position(own, opponent), depth) for depth in range(3)]
    assert counts == [reference.perft(backgammon, own, opponent, depth) for depth in range(3)]


def test_first_turns_per_roll() -> None:
    counts = vrhcaby.count_moves(pack([reference.start(variant("backgammon"))]))[0]
    found = {f"{low}{high}": int(count) for ((high, low), _), count in zip(ROLLS, counts, strict=True)}
    assert found == {"".join(sorted(roll)): count for roll, count in BACKGAMMON["rolls"].items()}


@pytest.mark.parametrize("case", PERFT["most_known"], ids=name_of)
def test_most_turns_known(case: Record) -> None:
    rows = pack([board_of(case)])
    children, _ = vrhcaby.legal_moves(rows, case["dice"])
    assert len(np.unique(children, axis=0)) == len(children) == case["count"]
    assert vrhcaby.count_moves(rows, case["dice"]).tolist() == [case["count"]]


# Weighted sequences and distinct positions, level by level -----------------------------------------------------------


def levels(depth: int) -> Iterator[tuple[Packed, npt.NDArray[Any], npt.NDArray[Any]]]:
    """For each depth below this: the distinct positions, and how many sequences reach each: plain and weighted."""
    rows = pack([reference.start(variant("backgammon"))])
    plain = weighted = np.ones(1, dtype=np.int64)
    yield rows, plain, weighted
    for _ in range(1, depth):
        children, offsets = vrhcaby.legal_moves(rows)
        lengths = np.diff(offsets)
        plain = np.repeat(np.repeat(plain, 21), lengths)
        weighted = np.repeat(np.repeat(weighted, 21) * np.tile(WEIGHTS, len(rows)), lengths)
        rows, which = np.unique(children, axis=0, return_inverse=True)
        plain = sum_by(which.ravel(), plain, len(rows))
        weighted = sum_by(which.ravel(), weighted, len(rows))
        yield rows, plain, weighted


def sum_by(which: npt.NDArray[Any], values: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, which, values)
    return sums


def test_two_levels() -> None:
    check_levels(2)


@pytest.mark.slow
def test_three_levels() -> None:
    check_levels(3)


def check_levels(depth: int) -> None:
    sequences = PERFT["sequences"][0]["counts"]
    for level, (rows, plain, weighted) in enumerate(levels(depth)):
        counts = vrhcaby.count_moves(rows)
        assert int((counts.sum(axis=1) * plain).sum()) == sequences[level]
        assert int(((counts * WEIGHTS).sum(axis=1) * weighted).sum()) == BACKGAMMON["weighted"][level]
        assert int(counts.max()) == BACKGAMMON["most_turns"][level]
        assert passes(rows, plain, counts) == BACKGAMMON["passes"][level]
        if level > 0:
            assert len(rows) == BACKGAMMON["distinct_positions"][level - 1]


def passes(rows: Packed, plain: npt.NDArray[Any], counts: npt.NDArray[Any]) -> int:
    """How many sequences end with a roll that cannot be played."""
    total = 0
    for column, (dice, _) in enumerate(ROLLS):
        single = counts[:, column] == 1
        children, _ = vrhcaby.legal_moves(rows[single], dice)
        unmoved = (children == rows[single][:, [2, 3, 0, 1]]).all(axis=1)
        total += int(plain[single][unmoved].sum())
    return total
