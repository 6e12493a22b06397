"""How the other programs write a position.

A board here is ``(own, opponent)``: two sequences of 26 counts, 0 = borne off, 1..24 = points in that player's own
numbering, 25 = bar.
"""

from __future__ import annotations

from collections.abc import Sequence

import vrhcaby
from benchmarks.games import Packed

Side = Sequence[int]


def sides(positions: Packed) -> list[list[list[int]]]:
    """The packed positions as ``[own, opponent]``, the player on roll first."""
    found: list[list[list[int]]] = vrhcaby.unpack(positions).tolist()
    return found


def gnubg_board(own: Side, opponent: Side) -> list[Side]:
    """gnubg-nn: the points and the bar of both sides, the player on roll last."""
    return [opponent[1:], own[1:]]


def bgsage_board(own: Side, opponent: Side) -> list[int]:
    """bgsage: the bar of the opponent, the points with his checkers negative, the own bar."""
    return [opponent[25], *(own[point] - opponent[25 - point] for point in range(1, 25)), own[25]]
