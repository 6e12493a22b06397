"""The moves of 1,000 contact positions, counted once by another program."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases import DATA, load
from vrhcaby import ROLLS, Position, count_moves, legal_moves, pack

COUNTS = load("perft.json")["contact"]
# The columns of all 21 rolls, as ROLLS lists them.
DOUBLES = np.array([large == small for (large, small), _ in ROLLS])


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    texts = (DATA / "contact_positions.txt").read_text(encoding="ascii").split()
    assert len(texts) == 1000
    return [Position.from_id(text) for text in texts]


def test_contact_perft(positions: list[Position]) -> None:
    counts = count_moves(pack(positions))
    assert int(counts[:, ~DOUBLES].sum()) == COUNTS["mixed"] == 185_957
    assert int(counts[:, DOUBLES].sum()) == COUNTS["doubles"] == 218_356


def test_lists_are_as_long_as_the_counts(positions: list[Position]) -> None:
    packed = pack(positions)
    children, offsets = legal_moves(packed)
    counts = count_moves(packed)
    assert len(children) == 185_957 + 218_356
    assert np.array_equal(np.diff(offsets), counts.ravel())


def test_ids_of_positions_known_from_elsewhere(positions: list[Position]) -> None:
    texts = (DATA / "contact_positions.txt").read_text(encoding="ascii").split()
    assert [position.gnubg_id for position in positions] == texts
