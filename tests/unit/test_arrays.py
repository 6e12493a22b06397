"""The doors of the bulk functions: what arrays they take, what they refuse and what they say."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vrhcaby import (
    IllegalMoveError,
    Move,
    Position,
    PositionError,
    count_moves,
    hashes,
    is_legal,
    legal_moves,
    pack,
    perft,
    pips,
    play,
    playouts,
    unpack,
    variant,
)

START = pack([Position.start()])


def some_positions(rows: int = 64) -> Any:
    """Different positions of one random game."""
    found, position = [], Position.start()
    for turn in range(rows):
        found.append(position)
        moves = position.moves((1 + turn % 6, 1 + turn // 3 % 6))
        position = moves[turn % len(moves)].position if moves else Position.start()
        if position.is_over:
            position = Position.start()
    return pack(found)


ON_POSITIONS: list[Callable[[Any], Any]] = [
    lambda rows: legal_moves(rows),
    lambda rows: legal_moves(rows, (3, 1)),
    lambda rows: count_moves(rows),
    lambda rows: play(rows, (3, 1), np.zeros(len(rows), int)),
    lambda rows: is_legal(rows, (3, 1), START),
    pips,
    hashes,
    unpack,
]


@pytest.mark.parametrize("function", ON_POSITIONS)
@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([[1, 2, 3, 4]], TypeError, "must be a NumPy array of uint64, not list"),
        (START.astype(np.int64), TypeError, "dtype '<i8'"),
        (START.astype(np.float64) * np.nan, TypeError, "dtype '<f8'"),
        (START.astype(">u8"), TypeError, "dtype '>u8'"),
        (START[:, :3].copy(), ValueError, r"shape \(1, 3\)"),
        (START[0], ValueError, r"shape \(4,\)"),
        (np.repeat(START, 4, axis=0)[::2], ValueError, "not C-contiguous"),
        (np.asfortranarray(np.repeat(START, 3, axis=0)), ValueError, "not C-contiguous"),
    ],
    ids=["list", "int64", "nan", "swapped", "columns", "flat", "strided", "fortran"],
)
def test_refused_arrays(function: Callable[[Any], Any], rows: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        function(rows)


def test_unaligned_array_is_refused() -> None:
    room = np.zeros(41, np.uint8)
    rows = room[1:33].view(np.uint64).reshape(1, 4)
    rows[:] = START
    with pytest.raises(ValueError, match="not aligned in memory"):
        legal_moves(rows)


@pytest.mark.parametrize("function", [legal_moves, count_moves])
def test_the_first_bad_row_is_named(function: Callable[[Any], Any]) -> None:
    rows = np.repeat(START, 9, axis=0)
    rows[5, 0] += 1
    rows[7, 0] = 0
    with pytest.raises(PositionError, match=r"positions\[5\]: own has 16 checkers, backgammon is played with 15"):
        function(rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.__setitem__((0, 1), w[0, 1] | np.uint64(1 << 63)), "own: slots 26 to 31 are reserved"),
        (lambda w: w.__setitem__((0, 3), w[0, 3] | np.uint64(1 << 40)), "opponent: slots 26 to 31 are reserved"),
        (lambda w: w.__setitem__((0, slice(None)), (1 << 64) - 1), "own: slots 26 to 31 are reserved"),
        (lambda w: w.__setitem__((0, slice(2, 4)), 0), "opponent has 0 checkers"),
        (lambda w: w.__setitem__((0, slice(None)), (15, 0, 15, 0)), "both sides have borne off"),
        (lambda w: w.__setitem__((0, slice(2, 4)), (0, 15 << 12)), "both sides stand on point 6"),
    ],
)
def test_refused_positions(change: Callable[[Any], None], message: str) -> None:
    rows = START.copy()
    change(rows)
    with pytest.raises(PositionError, match=message):
        legal_moves(rows)


def test_reserved_slots_are_refused_without_a_variant() -> None:
    rows = np.repeat(START, 3, axis=0)
    rows[2, 3] |= np.uint64(1 << 52)
    for function in (pips, unpack):
        with pytest.raises(PositionError, match=r"positions\[2\]: slots 26 to 31"):
            function(rows)


@pytest.mark.parametrize(
    ("dice", "error", "message"),
    [
        ((0, 3), ValueError, "0 is not on a die"),
        ((7, 3), ValueError, "7 is not on a die"),
        ((-1, 3), ValueError, "-1 is not on a die"),
        ((1.0, 3), TypeError, "1.0 is not a whole number"),
        ((True, 3), TypeError, "True is not a whole number"),
        (np.array([3.0, 1.0]), TypeError, "dtype '<f8'"),
        (np.array([[3, 1]] * 3), ValueError, r"shape \(3, 2\): must be \(2,\) or \(2, 2\)"),
        (np.array([[3, 1], [2, 9]]), ValueError, r"dice\[1\] = \(2, 9\): 9 is not on a die"),
        (np.array([[3, 1], [2**40, 1]]), ValueError, r"dice\[1\] = "),
        ((1, 2, 3), ValueError, r"shape \(3,\)"),
        (3, TypeError, "dice = 3"),
        ([[1, 2], [3]], ValueError, "dice: must be two whole numbers"),
    ],
)
def test_refused_dice(dice: Any, error: type[Exception], message: str) -> None:
    rows = np.repeat(START, 2, axis=0)
    for function in (legal_moves, count_moves):
        with pytest.raises(error, match=message):
            function(rows, dice)


@pytest.mark.parametrize("workers", [0, -1, -(2**70), 1025, 2**31, 2**70, True, 1.5, "2"])
def test_refused_workers(workers: Any) -> None:
    for call in (
        lambda: legal_moves(START, workers=workers),
        lambda: playouts(Position.start(), 1, workers=workers),
        lambda: perft(Position.start(), 1, workers=workers),
    ):
        with pytest.raises(ValueError, match="workers = "):
            call()


@pytest.mark.parametrize("number", [-1, 2**64, 1 << 40, 1.5, True, None, "1"])
def test_refused_numbers(number: Any) -> None:
    start = Position.start()
    with pytest.raises((TypeError, ValueError), match="games = "):
        playouts(start, number)
    with pytest.raises((TypeError, ValueError), match="depth = "):
        perft(start, number)
    if number is not None and number != 1 << 40:
        with pytest.raises((TypeError, ValueError), match="seed = "):
            playouts(start, 1, seed=number)


def test_huge_numbers_are_refused_before_memory_is_touched() -> None:
    with pytest.raises(ValueError, match="depth = 16: must be from 0 to 15"):
        perft(Position.start(), 16)


@pytest.mark.parametrize("name", [5, None, b"backgammon", ["backgammon"]])
def test_refused_variant(name: Any) -> None:
    with pytest.raises(TypeError, match="variant must be a name or a Variant"):
        legal_moves(START, variant=name)


def test_empty_arrays() -> None:
    empty = np.empty((0, 4), np.uint64)
    children, offsets = legal_moves(empty)
    assert children.shape == (0, 4)
    assert offsets.tolist() == [0]
    assert count_moves(empty).shape == (0, 21)
    assert count_moves(empty, (2, 1)).shape == (0,)
    assert play(empty, np.empty((0, 2), int), []).shape == (0, 4)
    assert is_legal(empty, (2, 1), empty).shape == (0,)
    assert pips(empty).shape == (0, 2)
    assert hashes(empty).shape == (0,)
    assert unpack(empty).shape == (0, 2, 26)
    assert pack([]).shape == (0, 4)
    assert len(playouts(Position.start(), 0).winners) == 0


def test_out_is_reused() -> None:
    rows = some_positions()
    children, offsets = legal_moves(rows)
    room = np.zeros((len(children) + 5, 4), np.uint64), np.zeros(len(offsets) + 3, np.int64)
    for workers in (1, 2):
        again, ends = legal_moves(rows, out=room, workers=workers)
        assert np.shares_memory(again, room[0])
        assert np.shares_memory(ends, room[1])
        assert np.array_equal(again, children)
        assert np.array_equal(ends, offsets)


def test_out_may_be_the_input() -> None:
    rows = some_positions(200)
    children, offsets = legal_moves(rows, (2, 1))
    room = np.zeros((len(children), 4), np.uint64)
    room[: len(rows)] = rows
    again, _ = legal_moves(room[: len(rows)], (2, 1), out=(room, np.empty(len(offsets), np.int64)))
    assert np.array_equal(again, children)


def test_refused_out() -> None:
    children, offsets = np.zeros((446, 4), np.uint64), np.zeros(22, np.int64)
    with pytest.raises(ValueError, match="children has 446 rows, 447 are needed"):
        legal_moves(START, out=(children, offsets))
    with pytest.raises(ValueError, match="offsets has 21 elements, 22 are needed"):
        legal_moves(START, out=(children, offsets[:21]))
    with pytest.raises(TypeError, match="pair of arrays"):
        legal_moves(START, out=children)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="offsets has dtype"):
        legal_moves(START, out=(children, offsets.astype(np.int32)))  # type: ignore[arg-type]
    children.flags.writeable = False
    with pytest.raises(ValueError, match="children is read-only"):
        legal_moves(START, out=(children, offsets))
    both = np.zeros(4000, np.uint64)
    with pytest.raises(ValueError, match="share memory"):
        legal_moves(START, out=(both.reshape(1000, 4), both[:100].view(np.int64)))


def test_read_only_positions_are_taken() -> None:
    rows = START.copy()
    rows.flags.writeable = False
    assert len(legal_moves(rows)[0]) == 447


def test_choices() -> None:
    rows = some_positions()
    dice = np.array([[1 + i % 6, 1 + i // 6 % 6] for i in range(len(rows))])
    children, offsets = legal_moves(rows, dice)
    for k in (0, -1):
        choice = np.zeros(len(rows), int) if k == 0 else np.diff(offsets) - 1
        expected = children[offsets[:-1] + choice]
        assert np.array_equal(play(rows, dice, choice), expected)
        assert is_legal(rows, dice, expected).all()
    with pytest.raises(IllegalMoveError, match=r"choice\[3\] = 99: the position has \d+ moves with this roll"):
        play(rows, dice, np.where(np.arange(len(rows)) == 3, 99, 0))
    with pytest.raises(IllegalMoveError, match=r"choice\[0\] = -1"):
        play(rows, dice, np.full(len(rows), -1))
    with pytest.raises(IllegalMoveError, match=r"choice\[0\] = 18446744073709551615"):
        play(START, (3, 1), np.array([2**64 - 1], np.uint64))
    with pytest.raises(ValueError, match="choice has shape"):
        play(rows, dice, [0])
    with pytest.raises(TypeError, match="choice has dtype"):
        play(START, (3, 1), [0.0])
    with pytest.raises(TypeError, match="a move needs a roll"):
        play(START, None, [0])


def test_any_words_may_be_asked_for_as_a_child() -> None:
    assert is_legal(START, (3, 1), START).tolist() == [False]
    assert is_legal(START, (3, 1), np.full((1, 4), 2**64 - 1, np.uint64)).tolist() == [False]


def test_a_game_that_is_over_has_no_moves() -> None:
    over = Position.from_points({6: 2}, {}, variant="backgammon")
    assert over.is_over
    assert over.moves((3, 1)) == []
    rows = pack([over, Position.start()])
    assert count_moves(rows, (3, 1)).tolist() == [0, 16]
    assert legal_moves(rows, (3, 1))[1].tolist() == [0, 0, 16]
    with pytest.raises(IllegalMoveError, match="the game is over"):
        play(rows, (3, 1), [0, 0])
    assert perft(over, 3) == 1


def test_bulk_results_do_not_depend_on_workers() -> None:
    rows = np.tile(some_positions(), (40, 1))
    one = legal_moves(rows)
    for workers in (2, 3, None):
        many = legal_moves(rows, workers=workers)
        assert np.array_equal(one[0], many[0])
        assert np.array_equal(one[1], many[1])
        assert np.array_equal(count_moves(rows), count_moves(rows, workers=workers))


def test_a_pass_is_the_position_flipped() -> None:
    closed = Position.from_points({"bar": 1, 13: 14}, {6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2})
    (only,) = closed.moves((6, 6))
    assert only.position == closed.flip()
    assert (only.steps, only.hits, str(only)) == ((), (), "Cannot Move")


def test_a_game_that_cannot_end_is_refused() -> None:
    board: dict[int | str, int] = {"bar": 3}
    board.update(dict.fromkeys(range(1, 7), 2))
    stuck = Position.from_points(board, board)
    with pytest.raises(PositionError, match="neither side can ever move again"):
        playouts(stuck, 1, seed=1)


def test_pack_and_unpack() -> None:
    rows = some_positions()
    counts = unpack(rows)
    assert counts.shape == (len(rows), 2, 26)
    assert np.array_equal(pack(counts), rows)
    assert np.array_equal(pips(rows), counts.astype(int) @ np.arange(26))
    counts[3, 1, 6] = 16
    with pytest.raises(PositionError, match=r"positions\[3\]: opponent has 16 checkers in slot 6"):
        pack(counts)
    with pytest.raises(TypeError, match="positions has dtype"):
        pack(counts.astype(np.int8))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be \\(n, 2, 26\\)"):
        pack(counts[:, 0].copy())
    with pytest.raises(TypeError, match=r"positions\[1\] is a int, not a Position"):
        pack([Position.start(), 5])  # type: ignore[list-item]


# Hashes ------------------------------------------------------------------------------------------------------------

# The first six 64-bit words of the fraction of pi.
PI = (
    0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0,
    0x082EFA98EC4E6C89, 0x452821E638D01377, 0xBE5466CF34E90C6C,
)  # fmt: skip


def fold(a: int, b: int) -> int:
    product = a * b
    return (product >> 64) ^ (product & (2**64 - 1))


def formula(words: list[int]) -> int:
    own = fold(words[0] ^ PI[0], words[1] ^ PI[1])
    opponent = fold(words[2] ^ PI[2], words[3] ^ PI[3])
    return fold(own ^ PI[4], opponent ^ PI[5])


def test_the_formula_of_the_hash() -> None:
    rows = some_positions(500)
    assert hashes(rows).tolist() == [formula(row) for row in rows.tolist()]
    assert Position.start().hash == hashes(START)[0]


def test_pinned_hashes() -> None:
    """A format: these values may never change."""
    pinned = json.loads((Path(__file__).parents[1] / "data" / "hashes.json").read_text())
    assert len(pinned) == 20
    for text, value in pinned:
        assert f"{Position.from_id(text).hash:016x}" == value


def test_no_collision_among_the_positions_after_two_rolls() -> None:
    children, _ = legal_moves(START)
    grandchildren, _ = legal_moves(np.unique(children, axis=0))
    different = np.unique(grandchildren, axis=0)
    assert len(different) == 163_706
    assert len(np.unique(hashes(different))) == len(different)


# Positions ---------------------------------------------------------------------------------------------------------


def test_positions_are_values() -> None:
    start = Position.start()
    assert start == Position(start.own, start.opponent)
    assert len({start, Position.start(), Position.start("vrhcaby")}) == 2
    assert start != Position.start("vrhcaby")
    assert start != "start"
    with pytest.raises(AttributeError):
        start.own = ()  # type: ignore[misc]
    with pytest.raises(TypeError, match="immutable"):
        start.__init__(start.own, start.opponent)  # type: ignore[misc]
    with pytest.raises(TypeError, match="made by"):
        Move()


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({6: 16}, "must be from 0 to 15"),
        ({6: 15, 5: 1}, "own has 16 checkers"),
        ({6: 10, "off": 4}, "own has 14 checkers"),
        ({26: 1}, "26 is not a point"),
        ({0: 1}, "0 is not a point"),
        ({25: 1}, "25 is not a point"),
        ({"head": 1}, "'head' is not a point"),
        ({6: -1}, "must be from 0 to 15"),
    ],
)
def test_refused_points(own: Any, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Position.from_points(own, {6: 15})


def test_refused_layouts() -> None:
    with pytest.raises(PositionError, match="own has 3 numbers: must be 26"):
        Position((1, 2, 3), (1, 2, 3))
    with pytest.raises(TypeError, match=r"own\[6\] = 15.0"):
        Position([0] * 6 + [15.0] + [0] * 19, [0] * 26)  # type: ignore[list-item]
    with pytest.raises(PositionError, match="31 bytes: a position has 32"):
        Position.from_bytes(b"x" * 31)
    with pytest.raises(PositionError):
        Position.from_bytes(b"x" * 32)


def test_a_bar_in_a_parallel_game_is_refused() -> None:
    with pytest.raises(PositionError, match="own has 1 on the bar, long-nardy has no bar"):
        Position.from_points({"bar": 1, 24: 14}, {24: 15}, variant="long-nardy")


def test_moves_belong_to_their_position() -> None:
    start = Position.start()
    move = start.moves((3, 1))[0]
    assert start.play(move) == move.position
    with pytest.raises(IllegalMoveError, match="a move of another position"):
        move.position.play(move)
    with pytest.raises(IllegalMoveError, match="was made with"):
        start.play(move, (3, 2))
    with pytest.raises(TypeError, match="move must be a Move or a text"):
        start.play(5)  # type: ignore[arg-type]


def test_objects_that_no_constructor_has_seen() -> None:
    """They are harmless: the start position, and its pass."""
    raw = Position.__new__(Position)  # type: ignore[call-arg]
    assert raw == Position.start()
    assert len(raw.moves((3, 1))) == 16
    assert perft(raw, 1) == 447

    class Careless(Position):
        def __init__(self) -> None:
            pass

    assert not Careless().is_over
    move = Move.__new__(Move)
    assert (move.steps, str(move), move.position) == ((), "Cannot Move", Position.start().flip())
    with pytest.raises(TypeError, match="is not an acceptable base type"):
        type("Mine", (Move,), {})


def test_a_runner_that_makes_way_for_others() -> None:
    """The text merges hops so that the order looks illegal; it is still the text of that move."""
    position = Position.from_points({24: 14, 19: 1}, {24: 15}, variant="fevga")
    for move in position.moves((5, 5)):
        assert Move.parse(str(move), position, (5, 5)) == move


def test_texts_and_rolls_of_a_move_are_checked() -> None:
    start = Position.start()
    with pytest.raises(TypeError, match="text must be a str, not int"):
        Move.parse(5, start, (3, 1))  # type: ignore[arg-type]
    assert Move.parse("8/5 6/5", start, iter((1, 3))).dice == (3, 1)
    move = start.moves((3, 1))[0]
    with pytest.raises(IllegalMoveError, match=r"was made with \(3, 1\), not with \(2, 1\)"):
        start.play(move, iter((2, 1)))
    with pytest.raises(TypeError, match=r"3\.0 is not a whole number"):
        start.play(move, (3.0, 1))  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
@pytest.mark.parametrize(
    "work",
    [lambda: playouts(Position.start(), 10**8, seed=1), lambda: perft(Position.start(), 6)],
    ids=["playouts", "perft"],
)
def test_long_work_of_one_worker_can_be_interrupted(work: Callable[[], Any]) -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_text_without_dice() -> None:
    start = Position.start()
    assert Move.parse("8/5 6/5", start).dice == (3, 1)
    with pytest.raises(IllegalMoveError, match="not legal with any roll"):
        Move.parse("13/12", start)


def test_unknown_options_of_a_variant_keep_their_own_rules() -> None:
    literal = variant("short-nardy").replace(over_bear="none")
    race = Position.from_points({2: 1}, {1: 15}, variant=literal)
    assert [str(move) for move in race.moves((6, 5))] == ["Cannot Move"]
