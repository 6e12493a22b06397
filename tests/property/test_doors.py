"""What the library takes and what it refuses, against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, note, strategies as st

import vrhcaby
from tests import reference
from tests.cases import pack, swapped
from tests.property.strategies import boards, changed_variants, positions, presets
from tests.reference import BAR, OFF, Board, Side
from vrhcaby import PositionError, Variant

any_variant = presets | changed_variants()


def refused_by_the_class(variant: Variant, board: Board) -> bool:
    try:
        vrhcaby.Position(*board, variant)
    except PositionError:
        return True
    return False


def refused_in_bulk(variant: Variant, board: Board) -> bool:
    try:
        vrhcaby.count_moves(pack([board]), (2, 1), variant=variant)
    except PositionError:
        return True
    return False


def check(variant: Variant, board: Board) -> None:
    reason = reference.problems(variant, *board)
    note(f"{variant!r}: {board}: {reason}")
    assert refused_by_the_class(variant, board) == (reason is not None)
    assert refused_in_bulk(variant, board) == (reason is not None)


@given(data=st.data(), variant=any_variant)
def test_blocks_that_may_not_stand(variant: Variant, data: st.DataObject) -> None:
    check(variant, data.draw(boards(variant)))


@given(data=st.data(), variant=any_variant)
def test_a_checker_too_many_or_too_few(variant: Variant, data: st.DataObject) -> None:
    own, opponent = data.draw(positions(variant))
    slot = data.draw(st.integers(OFF, BAR))
    change = data.draw(st.sampled_from([-1, 1]))
    changed = with_change(own, slot, change)
    assume(0 <= changed[slot] <= 15)
    check(variant, (changed, opponent))
    check(variant, (opponent, changed))


@given(data=st.data(), variant=any_variant)
def test_a_checker_somewhere_else(variant: Variant, data: st.DataObject) -> None:
    """On a point of the other side, on a bar that is not there, next to a block: whatever comes of it."""
    own, opponent = data.draw(positions(variant))
    source = data.draw(st.sampled_from([slot for slot, count in enumerate(own) if count]))
    target = data.draw(st.integers(OFF, BAR))
    changed = with_change(with_change(own, source, -1), target, 1)
    check(variant, (changed, opponent))
    check(variant, (opponent, changed))


@given(data=st.data(), variant=any_variant)
def test_reserved_slots(variant: Variant, data: st.DataObject) -> None:
    rows = pack([data.draw(positions(variant))])
    word = data.draw(st.sampled_from([1, 3]))
    rows[0, word] |= np.uint64(data.draw(st.integers(1, 15)) << 4 * data.draw(st.integers(10, 15)))
    with pytest.raises(PositionError, match=r"positions\[0\].*reserved"):
        vrhcaby.legal_moves(rows, (2, 1), variant=variant)
    with pytest.raises(PositionError, match=r"positions\[0\].*reserved"):
        vrhcaby.play(rows, (2, 1), np.array([0]), variant=variant)


@given(words=st.lists(st.integers(0, 2**64 - 1), min_size=4, max_size=4), variant=any_variant)
def test_any_words(words: list[int], variant: Variant) -> None:
    counts = [word >> shift & 15 for word in words for shift in range(0, 64, 4)]
    own, opponent = counts[:32], counts[32:]
    fine = not any(own[26:] + opponent[26:])
    fine = fine and reference.problems(variant, tuple(own[:26]), tuple(opponent[:26])) is None
    try:
        vrhcaby.legal_moves(np.array([words], dtype=np.uint64), (6, 5), variant=variant)
    except PositionError:
        assert not fine
    else:
        assert fine


@given(data=st.data(), variant=any_variant)
def test_the_first_bad_row_is_named(variant: Variant, data: st.DataObject) -> None:
    good = data.draw(st.lists(positions(variant), max_size=4))
    bad = (reference.side("1:2", 3), reference.side("1:2", 3))
    more = data.draw(st.lists(positions(variant) | st.just(bad), max_size=3))
    assume(reference.problems(variant, *bad) is not None)
    rows = pack([*good, bad, *more])
    for call in (vrhcaby.legal_moves, vrhcaby.count_moves):
        with pytest.raises(PositionError, match=rf"positions\[{len(good)}\]"):
            call(rows, (3, 1), variant=variant)


@given(data=st.data(), variant=any_variant)
def test_both_ways_through_every_door(variant: Variant, data: st.DataObject) -> None:
    board = data.draw(positions(variant))
    position = vrhcaby.Position(*board, variant)
    own, opponent = (
        {"bar" if slot == BAR else "off" if slot == OFF else slot: count for slot, count in enumerate(side) if count}
        for side in board
    )
    assert (position.own, position.opponent) == board
    assert vrhcaby.Position.from_points(own, opponent, variant=variant) == position
    assert vrhcaby.Position.from_bytes(position.to_bytes(), variant=variant) == position
    assert position.to_bytes() == pack([board]).astype("<u8").tobytes()
    assert vrhcaby.pack([position], variant=variant).tolist() == pack([board]).tolist()
    assert vrhcaby.unpack(pack([board])).tolist() == [[list(side) for side in board]]
    assert vrhcaby.pips(pack([board])).tolist() == [[sum(p * n for p, n in enumerate(side)) for side in board]]
    assert [(position.flip().own, position.flip().opponent)] == swapped([board])
    assert position.is_over == reference.is_over(variant, *board)
    assert (position.result or 0) == reference.points(variant, *board)


def with_change(side: Side, slot: int, change: int) -> Side:
    return tuple(count + change * (here == slot) for here, count in enumerate(side))
