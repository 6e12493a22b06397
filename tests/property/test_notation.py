"""Move text over all variants: every legal move can be written, and whatever is written for it is read as it."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from tests import reference
from tests.cases import position
from tests.property.strategies import changed_variants, positions, presets, rolls
from tests.reference import Board
from vrhcaby import FormatError, IllegalMoveError, Move, Variant
from vrhcaby.notation import find, format_steps, parse


@st.composite
def boards_of_variants(draw: st.DrawFn) -> tuple[Variant, Board]:
    rules = draw(st.one_of(presets, changed_variants()))
    return rules, draw(positions(rules))


@given(boards_of_variants(), rolls)
def test_text_of_a_move_means_that_move(game: tuple[Variant, Board], dice: tuple[int, int]) -> None:
    rules, board = game
    before = position(rules, board)
    for move in before.moves(dice):
        assert Move.parse(str(move), before, dice) == move
        assert format_steps(move.steps, move.hits) == str(move)


@given(boards_of_variants(), rolls, st.data())
def test_every_way_of_writing_a_move_step_by_step_means_it(
    game: tuple[Variant, Board], dice: tuple[int, int], data: st.DataObject
) -> None:
    rules, board = game
    finals = reference.legal_turns(rules, *board, dice)
    for after, sequences in reference.step_sequences(rules, *board, dice).items():
        steps = data.draw(st.sampled_from(sequences))
        if steps:
            text = " ".join(f"{source}/{target}" for source, target in data.draw(st.permutations(steps)))
            assert finals[find(text, *board, rules, dice, finals)] == after


@given(
    boards_of_variants(),
    rolls,
    st.lists(st.tuples(st.integers(1, 25), st.integers(0, 24)), max_size=5),
)
def test_any_hops_are_a_legal_move_or_refused_with_a_reason(
    game: tuple[Variant, Board], dice: tuple[int, int], hops: list[tuple[int, int]]
) -> None:
    rules, board = game
    finals = reference.legal_turns(rules, *board, dice)
    text = " ".join(f"{source}/{target}" for source, target in hops)
    reason = ""
    try:
        own, _ = finals[find(text, *board, rules, dice, finals)]
    except IllegalMoveError as error:
        reason = str(error)
    if reason:
        assert re.match(re.escape(f"{text!r} with {dice[0]}-{dice[1]}: ") + ".", reason)
        return
    moved = list(board[0])
    for source, target in hops:
        moved[source] -= 1
        moved[target] += 1
    assert own == tuple(moved)


@given(st.text(st.sampled_from("0123456789bar/off*() ,xCM?")))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        hops = parse(text)
    except FormatError:
        return
    assert parse(" ".join(map(str, hops))) == hops
