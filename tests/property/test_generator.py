"""The move generator against the reference, on every variant and every rule of movement that can be changed.

Presets and variants with changed rules run through different code, so both are tried; and a preset under another name
must give the same bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, strategies as st

import vrhcaby
from tests import reference
from tests.cases import Packed, pack, position, swapped
from tests.property.strategies import changed_variants, positions, presets, rolls
from tests.reference import ROLLS, Board
from vrhcaby import VARIANTS, Variant

every_preset = pytest.mark.parametrize("preset", VARIANTS.values(), ids=lambda preset: preset.name)
any_variant = presets | changed_variants()


def test_the_rolls_are_the_same() -> None:
    assert tuple(dice for dice, _ in vrhcaby.ROLLS) == ROLLS
    assert [weight for _, weight in vrhcaby.ROLLS] == [1 if high == low else 2 for high, low in ROLLS]


def check_every_roll(variant: Variant, board: Board) -> None:
    """All 21 rolls at once: the same results in the same order, and counted without building them."""
    expected = [reference.legal_turns(variant, *board, dice) for dice in ROLLS]
    children, offsets = vrhcaby.legal_moves(pack([board]), variant=variant)
    assert offsets.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    for roll, turns in enumerate(expected):
        found = children[offsets[roll] : offsets[roll + 1]]
        assert found.tolist() == pack(swapped(turns)).tolist(), f"roll {ROLLS[roll]}"
    assert vrhcaby.count_moves(pack([board]), variant=variant).tolist() == [[len(turns) for turns in expected]]


@every_preset
@given(data=st.data())
def test_every_roll_of_a_preset(preset: Variant, data: st.DataObject) -> None:
    board = data.draw(positions(preset))
    check_every_roll(preset, board)


@every_preset
def test_every_roll_of_the_start(preset: Variant) -> None:
    check_every_roll(preset, reference.start(preset))


@given(data=st.data(), variant=changed_variants())
def test_every_roll_under_changed_rules(variant: Variant, data: st.DataObject) -> None:
    board = data.draw(positions(variant))
    note(f"{variant!r}: {board}")
    check_every_roll(variant, board)


# Positions that a generator has got wrong.
_ONCE_WRONG = [
    # the opponent's borne-off checkers closed point 12 to the driver for changed rules
    (VARIANTS["fevga"].replace(head_cap=1), "14", "1"),
    (VARIANTS["long-nardy"].replace(full_use="greedy"), "20 3", "2 1"),
]


@pytest.mark.parametrize(("variant", "own", "opponent"), _ONCE_WRONG)
def test_positions_once_wrong(variant: Variant, own: str, opponent: str) -> None:
    checkers = reference.checkers(variant)
    check_every_roll(variant, (reference.side(own, checkers), reference.side(opponent, checkers)))


# Each rule of movement changed alone.
_RULES: dict[str, list[Any]] = {
    "full_use": ["greedy"],
    "larger_die": [True, False],
    "over_bear": ["none", "free"],
}
_CONTRARY_RULES: dict[str, list[Any]] = {"hit_and_run": [True, False]}
_PARALLEL_RULES: dict[str, list[Any]] = {
    "head_cap": [1, 2, 3],
    "head_exception": ["general", "listed", "doubles346", "none"],
    "block_rule": ["none", "ahead_past", "ahead_home", "start_quarter"],
    "block_transient": [True, False],
    "unblock": [True, False],
    "runner": [True, False],
}
_CHANGED = [
    preset.replace(**{field: value})
    for preset in VARIANTS.values()
    for field, values in (_RULES | (_CONTRARY_RULES if preset.direction == "contrary" else _PARALLEL_RULES)).items()
    for value in values
    if getattr(preset, field) != value and (field != "head_exception" or preset.head_cap)
]


@pytest.mark.parametrize("variant", _CHANGED, ids=repr)
@given(data=st.data(), dice=rolls)
def test_one_changed_rule(variant: Variant, data: st.DataObject, dice: tuple[int, int]) -> None:
    board = data.draw(positions(variant))
    note(f"{variant!r}: {board}")
    children, _ = vrhcaby.legal_moves(pack([board]), dice, variant=variant)
    assert children.tolist() == pack(swapped(reference.legal_turns(variant, *board, dice))).tolist()


@given(data=st.data(), preset=presets)
def test_a_preset_under_another_name_gives_the_same_bytes(preset: Variant, data: st.DataObject) -> None:
    boards = data.draw(st.lists(positions(preset), min_size=1, max_size=8))
    twin = preset.replace(name="the same rules")
    note(f"{preset!r}: {boards}")
    children, offsets = vrhcaby.legal_moves(pack(boards), variant=preset)
    others, their_offsets = vrhcaby.legal_moves(pack(boards), variant=twin)
    assert offsets.tobytes() == their_offsets.tobytes()
    assert children.tobytes() == others.tobytes()


# One roll -----------------------------------------------------------------------------------------------------------


@given(data=st.data(), variant=any_variant, dice=rolls)
def test_play_picks_the_child_in_order(variant: Variant, data: st.DataObject, dice: tuple[int, int]) -> None:
    board = data.draw(positions(variant))
    note(f"{variant!r}: {board}")
    children, _ = vrhcaby.legal_moves(pack([board]), dice, variant=variant)
    many = pack([board] * len(children))
    played = vrhcaby.play(many, dice, np.arange(len(children)), variant=variant)
    assert played.tolist() == children.tolist()
    for choice in (-1, len(children)):
        with pytest.raises(vrhcaby.IllegalMoveError):
            vrhcaby.play(pack([board]), dice, np.array([choice]), variant=variant)


@given(data=st.data(), variant=any_variant, dice=rolls, other_dice=rolls)
def test_legal_is_what_the_reference_finds(
    variant: Variant, data: st.DataObject, dice: tuple[int, int], other_dice: tuple[int, int]
) -> None:
    board = data.draw(positions(variant))
    note(f"{variant!r}: {board}")
    legal = reference.legal_turns(variant, *board, dice)
    others = reference.legal_turns(variant, *board, other_dice)
    root = reference.first_node(*board, dice)
    unfinished = [(node.own, node.opponent) for node in reference.nodes(variant, root, 0, set())]
    candidates = [*legal, *others, *unfinished, board]
    wanted = [candidate in set(legal) for candidate in candidates]
    found = vrhcaby.is_legal(pack([board] * len(candidates)), dice, pack(swapped(candidates)), variant=variant)
    assert found.tolist() == wanted
    as_moved = vrhcaby.is_legal(pack([board]), dice, pack([board]), variant=variant)  # the sides not swapped
    assert as_moved.tolist() == [board in swapped(legal)]


@given(data=st.data(), variant=any_variant, dice=rolls)
def test_moves_of_a_position(variant: Variant, data: st.DataObject, dice: tuple[int, int]) -> None:
    board = data.draw(positions(variant))
    note(f"{variant!r}: {board}")
    moves = position(variant, board).moves(dice)
    expected = reference.legal_turns(variant, *board, dice)
    assert [(move.position.opponent, move.position.own) for move in moves] == expected
    assert all(move.position.variant == variant for move in moves)
    assert all(move.dice == dice for move in moves)
    assert [move.position for move in moves] == [position(variant, child) for child in swapped(expected)]


@given(data=st.data(), variant=any_variant, dice=rolls)
def test_steps_are_the_canonical_ones(variant: Variant, data: st.DataObject, dice: tuple[int, int]) -> None:
    board = data.draw(positions(variant))
    note(f"{variant!r}: {board}")
    sequences = reference.step_sequences(variant, *board, dice)
    moves = position(variant, board).moves(dice)
    assert [move.steps for move in moves] == [reference.canonical_steps(paths) for paths in sequences.values()]
    for move in moves:
        assert len(move.hits) == len(move.steps)
        assert sum(move.hits) == move.position.own[reference.BAR] - board[1][reference.BAR]


@given(data=st.data(), variant=any_variant, dice=rolls)
def test_the_order_of_the_dice_does_not_matter(variant: Variant, data: st.DataObject, dice: tuple[int, int]) -> None:
    rows = pack([data.draw(positions(variant))])
    children, _ = vrhcaby.legal_moves(rows, dice, variant=variant)
    assert vrhcaby.legal_moves(rows, dice[::-1], variant=variant)[0].tobytes() == children.tobytes()
    assert vrhcaby.count_moves(rows, dice[::-1], variant=variant).tolist() == [len(children)]


# Many positions -----------------------------------------------------------------------------------------------------


@given(data=st.data(), variant=any_variant, workers=st.sampled_from([1, 2, 3]))
def test_a_batch_is_the_sum_of_its_rows(variant: Variant, data: st.DataObject, workers: int) -> None:
    pairs = data.draw(st.lists(st.tuples(positions(variant), rolls), max_size=6))
    rows = pack([board for board, _ in pairs])
    dice = np.array([dice for _, dice in pairs], dtype=np.int64).reshape(-1, 2)
    parts = [vrhcaby.legal_moves(row[None], roll, variant=variant)[0] for row, roll in zip(rows, dice, strict=True)]
    children, offsets = vrhcaby.legal_moves(rows, dice, variant=variant, workers=workers)
    assert offsets.tolist() == np.cumsum([0, *map(len, parts)]).tolist()
    assert children.tobytes() == b"".join(part.tobytes() for part in parts)
    again = reused(rows, dice, variant, len(children), workers)
    assert again[0].tobytes() == children.tobytes()
    assert again[1].tobytes() == offsets.tobytes()


def reused(rows: Packed, dice: Any, variant: Variant, size: int, workers: int) -> tuple[Packed, Any]:
    """The children in buffers that are larger than needed and hold something else."""
    out = np.full((size + 3, 4), 2**64 - 1, dtype=np.uint64), np.full(len(rows) + 5, -1, dtype=np.int64)
    return vrhcaby.legal_moves(rows, dice, variant=variant, out=out, workers=workers)
