"""One position at a time: what an interactive program, or a search written in Python, calls."""

from typing import Any

import pytest

import vrhcaby

START = vrhcaby.Position.start()
pytestmark = pytest.mark.benchmark(group="one position")


def test_moves(benchmark: Any) -> None:
    assert len(benchmark(START.moves, (3, 2))) == 17


def test_moves_of_a_double(benchmark: Any) -> None:
    assert len(benchmark(START.moves, (1, 1))) == 42


def test_steps_of_a_move(benchmark: Any) -> None:
    steps = benchmark.pedantic(lambda move: move.steps, setup=lambda: ((START.moves((3, 2))[0],), {}), rounds=2000)
    assert len(steps) == 2


def test_text_of_a_move(benchmark: Any) -> None:
    assert benchmark(str, START.moves((3, 1))[-1])


def test_position_after_a_move(benchmark: Any) -> None:
    move = START.moves((3, 1))[0]
    assert benchmark(lambda: move.position).pips == (167, 163)


def test_play_text(benchmark: Any) -> None:
    assert benchmark(START.play, "8/5 6/5", (3, 1)).pips == (167, 163)


def test_hash(benchmark: Any) -> None:
    assert benchmark(lambda: START.hash) == vrhcaby.hashes(vrhcaby.pack([START]))[0]


def test_equality(benchmark: Any) -> None:
    assert benchmark(START.__eq__, vrhcaby.Position.start())


def test_id(benchmark: Any) -> None:
    assert benchmark(lambda: START.gnubg_id) == "4HPwATDgc/ABMA"


def test_from_id(benchmark: Any) -> None:
    assert benchmark(vrhcaby.Position.from_id, "4HPwATDgc/ABMA") == START
