"""Reading of ``tests/data`` and packing of boards, written without the library's own code."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import vrhcaby
from tests import reference
from tests.reference import Board, Side

DATA = Path(__file__).parent / "data"

Record = dict[str, Any]
Packed = npt.NDArray[np.uint64]


def load(name: str) -> Any:
    """The content of a JSON file of ``tests/data``."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def name_of(record: Record) -> str:
    """The name of a record, for parametrized tests."""
    return str(record["id"])


def variant_of(record: Record) -> vrhcaby.Variant:
    """The variant of a record, with its options."""
    return vrhcaby.variant(record.get("variant", "backgammon")).replace(**record.get("options", {}))


def board_of(record: Record) -> Board:
    """The board before the turn."""
    checkers = reference.checkers(variant_of(record))
    return reference.side(record["own"], checkers), reference.side(record["opponent"], checkers)


def board_after(record: Record, text: str) -> Board:
    """The board after a turn, sides not swapped: ``"own"``, or ``"own | opponent"`` where something was hit."""
    own, _, opponent = text.partition(" | ")
    checkers = reference.checkers(variant_of(record))
    return reference.side(own, checkers), reference.side(opponent or record["opponent"], checkers)


def swapped(boards: Iterable[Board]) -> list[Board]:
    """The boards as the next player sees them."""
    return [(opponent, own) for own, opponent in boards]


def pack(boards: Iterable[Board]) -> Packed:
    """The boards as the library takes them: slot k of a side = bits 4 * (k % 16) of its word k // 16."""
    rows = [[*_words(own), *_words(opponent)] for own, opponent in boards]
    return np.array(rows, dtype=np.uint64).reshape(len(rows), 4)


def _words(counts: Side) -> tuple[int, int]:
    packed = sum(count << 4 * slot for slot, count in enumerate(counts))
    return packed & 2**64 - 1, packed >> 64


def position(variant: vrhcaby.Variant, board: Board) -> vrhcaby.Position:
    """The board as a position of the library."""
    return vrhcaby.Position(*board, variant)
