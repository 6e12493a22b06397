"""Worked cases of the rules: every legal result of a roll, in order."""

from __future__ import annotations

import pytest

import vrhcaby
from tests.cases import Record, board_after, board_of, load, name_of, pack, position, swapped, variant_of
from vrhcaby import Variant

CASES = load("rules_cases.json")
HEAD_EXCEPTIONS = [{"variant": "long-nardy", "own": "24:15", **case} for case in load("head_exceptions.json")]

# A preset and the same rules under another name run through different code.
both_drivers = pytest.mark.parametrize("renamed", [False, True], ids=["preset", "same rules"])


def variant_for(case: Record, renamed: bool) -> Variant:
    variant = variant_of(case)
    return variant.replace(name="the same rules") if renamed else variant


@both_drivers
@pytest.mark.parametrize("case", CASES + HEAD_EXCEPTIONS, ids=name_of)
def test_results(case: Record, renamed: bool) -> None:
    variant = variant_for(case, renamed)
    rows = pack([board_of(case)])
    expected = pack(swapped(board_after(case, turn) for turn in case["turns"]))
    children, offsets = vrhcaby.legal_moves(rows, case["dice"], variant=variant)
    assert children.tolist() == expected.tolist()
    assert offsets.tolist() == [0, len(expected)]
    assert vrhcaby.count_moves(rows, case["dice"], variant=variant).tolist() == [len(expected)]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_moves(case: Record) -> None:
    variant = variant_of(case)
    moves = position(variant, board_of(case)).moves(case["dice"])
    expected = swapped(board_after(case, turn) for turn in case["turns"])
    assert [move.position for move in moves] == [position(variant, board) for board in expected]
    assert max(len(move.steps) for move in moves) == case["played"]


@pytest.mark.parametrize("case", HEAD_EXCEPTIONS, ids=name_of)
@pytest.mark.parametrize("rule", ["listed", "doubles346", "none"])
def test_narrower_head_exceptions(case: Record, rule: str) -> None:
    variant = variant_of(case).replace(head_exception=rule)
    moves = position(variant, board_of(case)).moves(case["dice"])
    covered = case["listed"] if rule == "listed" else rule == "doubles346" and case["dice"] in ([3, 3], [4, 4], [6, 6])
    assert len(moves[0].steps) == case["played_with_two" if covered else "played_with_one"]
    taken = {sum(source == 24 for source, _ in move.steps) for move in moves}
    assert taken == {2 if covered else 1}
