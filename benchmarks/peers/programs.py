"""The programs that are compared. Each gets the same positions in its own form, outside the measured time.

A board here is ``(own, opponent)``: two tuples of 26 counts, 0 = borne off, 1..24 = points in that player's own
numbering, 25 = bar. ``own`` stays the player who moves, also after his move.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import vrhcaby
from benchmarks.games import Packed, Turn
from benchmarks.peers.boards import bgsage_board, gnubg_board, sides

Side = tuple[int, ...]
Board = tuple[Side, Side]
Dice = tuple[int, int]

ROLLS: list[Dice] = [(larger, smaller) for larger in range(1, 7) for smaller in range(1, larger + 1)]
START: Side = tuple({6: 5, 8: 3, 13: 5, 24: 2}.get(slot, 0) for slot in range(26))


class Sample(NamedTuple):
    """How much one measurement produced, and the processor time of the whole process that it took."""

    done: int
    seconds: float


def measure(work: Callable[[], int]) -> Sample:
    begin = time.process_time()
    done = work()
    return Sample(done, time.process_time() - begin)


def boards(positions: Packed) -> list[Board]:
    """The packed positions as tuples."""
    return [(tuple(own), tuple(opponent)) for own, opponent in sides(positions)]


class Vrhcaby:
    """This library."""

    def __init__(self, games: Sequence[Sequence[Turn]]) -> None:
        self.positions = np.concatenate([turn.position for game in games for turn in game])
        children, offsets = vrhcaby.legal_moves(self.positions)
        self.buffers = np.empty_like(children), np.empty_like(offsets)

    def results(self, index: int, dice: Dice) -> set[Board]:
        children, _ = vrhcaby.legal_moves(self.positions[index : index + 1], dice)
        return {(own, opponent) for opponent, own in boards(children)}

    def moves(self) -> Sample:
        return measure(lambda: len(vrhcaby.legal_moves(self.positions, out=self.buffers)[0]))

    def moves_into_new_arrays(self) -> Sample:
        return measure(lambda: len(vrhcaby.legal_moves(self.positions)[0]))

    def random_games(self, games: int, seed: int) -> Sample:
        return measure(lambda: len(vrhcaby.playouts(vrhcaby.Position.start(), games, seed=seed).turns))


class GnubgNN:
    """gnubg-nn: one call a roll, which returns keys; games are a loop in Python."""

    def __init__(self, games: Sequence[Sequence[Turn]]) -> None:
        import gnubg_nn

        self.program: Any = gnubg_nn
        positions = np.concatenate([turn.position for game in games for turn in game])
        self.boards = [gnubg_board(*both) for both in sides(positions)]

    def results(self, index: int, dice: Dice) -> set[Board]:
        found = set()
        # No key stands for a roll that cannot be played.
        for key in self.program.moves(self.boards[index], *dice):
            opponent, own = self.program.board_from_position_key(key)
            found.add(((15 - sum(own), *own), (15 - sum(opponent), *opponent)))
        if not found:
            opponent, own = self.boards[index]
            found.add(((15 - sum(own), *own), (15 - sum(opponent), *opponent)))
        return found

    def moves(self) -> Sample:
        def work() -> int:
            moves = self.program.moves
            return sum(len(moves(board, *dice)) or 1 for board in self.boards for dice in ROLLS)

        return measure(work)

    def random_games(self, games: int, seed: int) -> Sample:
        rng = random.Random(seed)
        moves, read_key = self.program.moves, self.program.board_from_position_key
        start = gnubg_board(START, START)

        def work() -> int:
            for _ in range(games):
                opponent, own = start
                while True:
                    keys = moves((opponent, own), rng.randint(1, 6), rng.randint(1, 6))
                    if keys:
                        opponent, own = read_key(keys[rng.randrange(len(keys))])
                        if not any(own):
                            break
                    own, opponent = opponent, own
            return games

        return measure(work)


class Bgsage:
    """bgsage: one call a roll, which returns boards; games are a loop in Python."""

    def __init__(self, games: Sequence[Sequence[Turn]]) -> None:
        import bgsage

        self.program: Any = bgsage
        positions = np.concatenate([turn.position for game in games for turn in game])
        self.boards = [bgsage_board(*both) for both in sides(positions)]

    def results(self, index: int, dice: Dice) -> set[Board]:
        found = set()
        for opponent_bar, *points, own_bar in self.program.possible_moves(self.boards[index], *dice):
            own = [max(count, 0) for count in points] + [own_bar]
            opponent = [max(-count, 0) for count in reversed(points)] + [opponent_bar]
            found.add(((15 - sum(own), *own), (15 - sum(opponent), *opponent)))
        return found

    def moves(self) -> Sample:
        def work() -> int:
            moves = self.program.possible_moves
            return sum(len(moves(board, *dice)) for board in self.boards for dice in ROLLS)

        return measure(work)

    def random_games(self, games: int, seed: int) -> Sample:
        rng = random.Random(seed)
        moves, flip, is_over = self.program.possible_moves, self.program.flip_board, self.program.check_game_over
        start = bgsage_board(START, START)

        def work() -> int:
            for _ in range(games):
                board = start
                while True:
                    found = moves(board, rng.randint(1, 6), rng.randint(1, 6))
                    board = found[rng.randrange(len(found))]
                    if is_over(board):
                        break
                    board = flip(board)
            return games

        return measure(work)


class OpenSpiel:
    """open_spiel. Its states cannot be set up, so they follow the games turn by turn; player 0 starts every game.

    A call returns the actions of one roll: both orders of two dice, so that several may lead to one position, and for
    doubles the first two checkers only, as open_spiel plays these in two halves. Each action counts as a move.
    """

    def __init__(self, games: Sequence[Sequence[Turn]]) -> None:
        import pyspiel

        self.module: Any = pyspiel
        self.game: Any = pyspiel.load_game("backgammon")
        self.states: list[Any] = []
        for game in games:
            state = self.game.new_initial_state()
            for turn in game:
                self.states.append(state)
                ((opponent, own),) = boards(turn.result)
                state = self._whole_turns(state, turn.dice)[own, opponent]

    @staticmethod
    def _rolled(state: Any) -> dict[Dice, Any]:
        """The states after each roll. The first one of a game is no double, and here one with which player 0 starts."""
        rolled = {}
        for outcome, _ in state.chance_outcomes():
            # "chance outcome 3 O starts, (roll: 31)", later "chance outcome 30 (roll: 11)"
            name = state.action_to_string(outcome)
            if "O starts" not in name:
                first, second = int(name[-3]), int(name[-2])
                rolled[max(first, second), min(first, second)] = state.child(outcome)
        return rolled

    @staticmethod
    def _board(state: Any, player: int) -> Board:
        own_bar, own_off, _, opponent_bar, opponent_off = map(int, state.observation_tensor(player)[192:197])
        zeros = [state.board(0, place) for place in range(23, -1, -1)]
        ones = [state.board(1, place) for place in range(24)]
        own, opponent = (zeros, ones) if player == 0 else (ones, zeros)
        return (own_off, *own, own_bar), (opponent_off, *opponent, opponent_bar)

    def _whole_turns(self, state: Any, dice: Dice) -> dict[Board, Any]:
        """The states after each whole turn, by their boards."""
        open_turns = [self._rolled(state)[max(dice), min(dice)]]
        player = open_turns[0].current_player()
        finished: dict[Board, Any] = {}
        while open_turns:
            reached: dict[Board, Any] = {}
            for half_way in open_turns:
                for action in half_way.legal_actions():
                    child = half_way.child(action)
                    reached[self._board(child, player)] = child
            finished |= {board: child for board, child in reached.items() if child.current_player() != player}
            open_turns = [child for child in reached.values() if child.current_player() == player]
        return finished

    def results(self, index: int, dice: Dice) -> set[Board]:
        return set(self._whole_turns(self.states[index], dice))

    def can_roll(self, index: int, dice: Dice) -> bool:
        return dice in self._rolled(self.states[index])

    @staticmethod
    def _actions(states: list[Any]) -> Sample:
        return measure(lambda: sum(len(state.legal_actions()) for state in states))

    def moves(self) -> Sample:
        done, seconds = 0, 0.0
        for state in self.states:
            sample = self._actions(list(self._rolled(state).values()))
            done += sample.done
            seconds += sample.seconds
        return Sample(done, seconds)

    def random_games(self, games: int, seed: int) -> Sample:
        rng = random.Random(seed)

        def work() -> int:
            for _ in range(games):
                state = self.game.new_initial_state()
                while not state.is_terminal():
                    if state.is_chance_node():
                        outcomes = state.chance_outcomes()  # all equally likely
                        state.apply_action(outcomes[rng.randrange(len(outcomes))][0])
                    else:
                        actions = state.legal_actions()
                        state.apply_action(actions[rng.randrange(len(actions))])
            return games

        return measure(work)

    def random_games_in_its_own_loop(self, games: int, seed: int) -> Sample:
        def work() -> int:
            for game in range(games):
                bots = [self.module.make_uniform_random_bot(player, seed + 2 * game + player) for player in (0, 1)]
                self.module.evaluate_bots(self.game.new_initial_state(), bots, seed + game)
            return games

        return measure(work)
