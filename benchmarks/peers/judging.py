"""Evaluations and best moves without look-ahead: the same work for this library and for other programs.

The work comes in pieces, and no piece is given twice to a program that remembers what it has evaluated: gnubg-nn is
several times as fast on positions that it has seen before. Positions are brought into a program's own form outside the
measured time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks.games import Packed
from benchmarks.peers.boards import bgsage_board, gnubg_board, sides
from benchmarks.peers.evaluators import BgsageNets, GnubgNets
from benchmarks.peers.programs import Sample, measure
from benchmarks.phases import phases
from benchmarks.players import evaluator, label, player, worth_by
from benchmarks.self_play import played
from vrhcaby.evaluation import equities

_GAMES = 50  # at least; each has about fifty turns


class Piece(NamedTuple):
    """Turns of ordinary games: positions (n, 4) and rolls (n, 2), and what `vrhcaby.legal_moves` returns for them."""

    positions: Packed
    dice: NDArray[np.int64]
    children: Packed
    offsets: NDArray[np.int64]


def pieces(count: int, turns: int, *, contact: bool = False, seed: int = 5) -> list[Piece]:
    """So many pieces of so many turns, from games of the shipped network. No position comes twice."""
    positions, dice = played(player("shipped"), _GAMES + count * turns // 20, seed)
    if contact:
        early = ~np.isin(phases(positions), ("race", "bear-off"))
        positions, dice = positions[early], dice[early]
    _, distinct = np.unique(vrhcaby.hashes(positions), return_index=True)
    chosen = np.random.RandomState(seed).permutation(distinct)[: count * turns].reshape(count, turns)
    found = []
    for rows in chosen:
        rolls = dice[rows].astype(np.int64)
        found.append(Piece(positions[rows], rolls, *vrhcaby.legal_moves(positions[rows], rolls)))
    return found


class Vrhcaby:
    """This library, with the shipped network."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._network: Any = evaluator("shipped")
        self._player = player("shipped")
        self.name = label(self._network)
        self.knows_children = hasattr(self._network, "evaluate_children")

    def _piece(self, number: int) -> Piece:
        return self._pieces[number % len(self._pieces)]  # nothing is remembered

    def evaluations(self, number: int) -> Sample:
        children = self._piece(number).children
        return measure(lambda: len(self._network.evaluate(children)))

    def evaluations_of_children(self, number: int) -> Sample:
        positions, _, children, offsets = self._piece(number)
        return measure(lambda: len(self._network.evaluate_children(positions, children, offsets)))

    def best_moves(self, number: int) -> Sample:
        positions, dice, _, _ = self._piece(number)
        chance = np.zeros(len(dice), np.uint64)
        return measure(lambda: len(self._player.play(positions, dice, chance)))


class GnubgNN:
    """gnubg-nn: a call a position, a call a decision."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        import gnubg_nn

        self._program: Any = gnubg_nn
        self._pieces = pieces

    def evaluations(self, number: int) -> Sample:
        boards = [gnubg_board(*both) for both in sides(self._pieces[number].children)]
        evaluate = self._program.probabilities

        def work() -> int:
            for board in boards:
                evaluate(board, 0)
            return len(boards)

        return measure(work)

    def best_moves(self, number: int) -> Sample:
        piece = self._pieces[number]
        boards, dice = [gnubg_board(*both) for both in sides(piece.positions)], piece.dice.tolist()
        best_move = self._program.best_move

        def work() -> int:
            for board, (first, second) in zip(boards, dice, strict=True):
                best_move(board, first, second)
            return len(boards)

        return measure(work)


class Bgsage:
    """bgsage: a call a position, a call a decision."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        import bgsage

        self._analyzer: Any = bgsage.BgBotAnalyzer(eval_level="1ply", cubeful=False)
        self._evaluate = BgsageNets().evaluate_board
        self._pieces = pieces

    def evaluations(self, number: int) -> Sample:
        boards = [bgsage_board(opponent, own) for own, opponent in sides(self._pieces[number].children)]
        evaluate = self._evaluate

        def work() -> int:
            for board in boards:
                evaluate(board, board)
            return len(boards)

        return measure(work)

    def best_moves(self, number: int) -> Sample:
        piece = self._pieces[number]
        boards, dice = [bgsage_board(*both) for both in sides(piece.positions)], piece.dice.tolist()
        checker_play = self._analyzer.checker_play

        def work() -> int:
            for board, (first, second) in zip(boards, dice, strict=True):
                checker_play(board, first, second)
            return len(boards)

        return measure(work)


def check_understanding(piece: Piece) -> None:
    """Every program must mean the same positions: their equities of the same children are near each other. And
    gnubg-nn's best moves must be those that it judges to be best."""
    turns = min(100, len(piece.dice))
    offsets = piece.offsets[: turns + 1]
    children = piece.children[: offsets[-1]]
    ours = equities(vrhcaby.evaluate(children))
    gnubg, bgsage = GnubgNets(), BgsageNets()
    for other in (gnubg, bgsage):
        apart = float(np.sqrt(np.mean((equities(other.evaluate(children)) - ours) ** 2)))
        if apart > 0.3:
            raise SystemExit(f"{other.name}: equities differ from this library's by {apart:.3f} (root mean square)")
    after = gnubg.play(piece.positions[:turns], piece.dice[:turns], np.zeros(turns, np.uint64))
    worth = worth_by(gnubg, "backgammon")
    least = np.minimum.reduceat(worth(piece.positions[:turns], children, offsets), offsets[:-1])
    if not np.allclose(worth(piece.positions[:turns], after, np.arange(turns + 1)), least, atol=1e-5):
        raise SystemExit(f"{gnubg.name} does not play what it judges to be best")
