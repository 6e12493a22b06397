"""Faults once reported against other backgammon programs, each with the right answer."""

from __future__ import annotations

import pytest

import vrhcaby
from tests.cases import Record, board_after, board_of, load, name_of, pack, position, swapped, variant_of
from vrhcaby import IllegalMoveError, Position

CASES = load("movegen_cases.json")


def start_of(case: Record) -> Position:
    return position(variant_of(case), board_of(case))


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_position_id(case: Record) -> None:
    assert Position.from_id(case["position_id"]) == start_of(case)
    assert start_of(case).gnubg_id == case["position_id"]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_results(case: Record) -> None:
    children, _ = vrhcaby.legal_moves(pack([board_of(case)]), case["dice"])
    assert len(children) == case["count"]
    listed = pack(swapped(board_after(case, turn) for turn in case["turns"].values()))
    found = {tuple(row) for row in children.tolist()}
    assert {tuple(row) for row in listed.tolist()} <= found
    if not case["turns"]:
        assert [str(move) for move in start_of(case).moves(case["dice"])] == ["Cannot Move"]


@pytest.mark.parametrize(
    ("case", "text"),
    [
        pytest.param(case, text, id=f"{case['id']} {text}")
        for case in CASES
        for text in [*case["turns"], *case.get("also", [])]
    ],
)
def test_text_is_read(case: Record, text: str) -> None:
    turns = case["turns"]
    result = turns[text] if text in turns else next(iter(turns.values()))  # other spellings of the first turn
    wanted = position(variant_of(case), swapped([board_after(case, result)])[0])
    assert start_of(case).play(text, case["dice"]) == wanted


@pytest.mark.parametrize(
    ("case", "text"),
    [pytest.param(case, text, id=f"{case['id']} {text}") for case in CASES for text in case.get("illegal", [])],
)
def test_illegal_text_is_refused(case: Record, text: str) -> None:
    with pytest.raises(IllegalMoveError):
        start_of(case).play(text, case["dice"])
