"""Other programs as evaluators and players, in the form of this library: packed positions in, chances or moves out.

Static, which GNU Backgammon calls 0-ply and bgsage 1-ply, and with the bear-off tables that they bring along.
"""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks.games import Packed
from benchmarks.peers.boards import bgsage_board, gnubg_board, sides

_CHECKERS = 15


def _packed(own: list[list[int]], opponent: list[list[int]]) -> Packed:
    """Positions from the points and the bar of both sides: what is missing is borne off."""
    counts = np.empty((len(own), 2, 26), np.uint8)
    counts[:, :, 1:] = np.stack([np.array(own), np.array(opponent)], 1)
    counts[:, :, 0] = _CHECKERS - counts[:, :, 1:].sum(2)
    return vrhcaby.pack(counts)


class GnubgNets:
    """GNU Backgammon's networks: an evaluator, and a player of its own best moves."""

    variants = ("backgammon",)

    def __init__(self) -> None:
        import gnubg_nn

        self.name = f"gnubg-nn {importlib.metadata.version('gnubg-nn')}"
        self._program: Any = gnubg_nn

    def evaluate(self, positions: Packed) -> NDArray[np.float32]:
        probabilities = self._program.probabilities
        return np.array([probabilities(gnubg_board(*both), 0) for both in sides(positions)], np.float32).reshape(-1, 5)

    def play(self, positions: Packed, dice: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
        best_move, read_key = self._program.best_move, self._program.board_from_position_key
        after = []
        for both, (first, second) in zip(sides(positions), dice.tolist(), strict=True):
            _, key = best_move(gnubg_board(*both), first, second, n=0, b=1)
            after.append(read_key(key))  # the player who has moved, the next one
        return _packed([next_player for _, next_player in after], [mover for mover, _ in after])


class Pubeval:
    """Tesauro's public linear evaluator of 1993, as gnubg-nn has it: a player."""

    variants = ("backgammon",)

    def __init__(self) -> None:
        import gnubg_nn

        self.name = f"pubeval of gnubg-nn {importlib.metadata.version('gnubg-nn')}"
        self._program: Any = gnubg_nn

    def play(self, positions: Packed, dice: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
        best_move = self._program.pub_best_move
        boards = sides(positions)
        for (own, opponent), (first, second) in zip(boards, dice.tolist(), strict=True):
            path = best_move(gnubg_board(own, opponent), first, second)
            # From, to, from, to, ...: 24 = bar, 23..0 = points, -1 = off.
            for source, target in zip(path[::2], path[1::2], strict=True):
                own[source + 1] -= 1
                own[target + 1] += 1
                if target >= 0 and opponent[24 - target]:
                    opponent[24 - target] -= 1
                    opponent[25] += 1
        return vrhcaby.pack(np.array([(opponent, own) for own, opponent in boards], np.uint8))


class BgsageNets:
    """bgsage's networks: an evaluator."""

    variants = ("backgammon",)

    def __init__(self) -> None:
        import bgsage
        from bgsage.weights import bearoff_db_path

        self.name = f"bgsage {importlib.metadata.version('bgsage')}"
        # The calls of the package reload its networks at each batch; what they call keeps them.
        native: Any = bgsage._cpp
        weights = bgsage.default_weights()
        base = native.create_strategy(weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list)
        table = native.BearoffDB()
        if not table.load(bearoff_db_path()):
            raise SystemExit("bgsage finds no bear-off table of its own")
        self._kept = base, table
        self._strategy = native.BearoffStrategy(base, table)
        self.evaluate_board: Any = self._strategy.evaluate_board

    def evaluate(self, positions: Packed) -> NDArray[np.float32]:
        # Positions are judged by the player who has just moved.
        boards = [bgsage_board(opponent, own) for own, opponent in sides(positions)]
        chances = np.array([self.evaluate_board(board, board)["probs"] for board in boards], np.float32).reshape(-1, 5)
        return np.stack([1 - chances[:, 0], chances[:, 3], chances[:, 4], chances[:, 1], chances[:, 2]], 1)
