"""Games between two players with duplicate dice: each pair of games has the same dice, and each player begins once.

All games of a block are played in lockstep, one turn of every game and then the next, so that a player is asked about
many positions at a time. Every answer is checked to be legal.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks import dice, processes
from benchmarks.games import Packed
from benchmarks.journal import Journal
from benchmarks.players import Player, player

MOST_TURNS = 4096  # two random players need a few hundred
BLOCK = 500  # pairs of games in lockstep; what a kill loses, so not more


class Duel(NamedTuple):
    """What fixes the games. Players are named as on the command line."""

    first: str
    second: str
    variant: str
    seed: int


@dataclass(frozen=True)
class Score:
    """What pairs of games have brought to the first player. Whole numbers only: parts add up to the same in any order.

    Attributes
    ----------
    pairs : int
    squares : int
        Sum over the pairs of the square of the points that both games together brought.
    games : Counter of int
        How many games brought so many points; a game that was lost brings them negative.
    """

    pairs: int = 0
    squares: int = 0
    games: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, points: NDArray[np.int64]) -> Score:
        """The score of pairs of games, (n, 2)."""
        games = Counter(dict(zip(*(part.tolist() for part in np.unique(points, return_counts=True)), strict=True)))
        return cls(len(points), int((points.sum(1) ** 2).sum()), games)

    def __add__(self, other: Score) -> Score:
        return Score(self.pairs + other.pairs, self.squares + other.squares, self.games + other.games)

    @property
    def total(self) -> int:
        """Points of all games."""
        return sum(points * count for points, count in self.games.items())

    @property
    def mean(self) -> float:
        """Points a game."""
        return self.total / (2 * self.pairs) if self.pairs else math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean, from the differences between pairs: the games of one pair are not independent."""
        if self.pairs < 2:
            return math.nan
        variance = (self.squares - self.total**2 / self.pairs) / (self.pairs - 1)
        return math.sqrt(variance / self.pairs) / 2

    def to_json(self) -> dict[str, Any]:
        return {"pairs": self.pairs, "squares": self.squares, "games": dict(sorted(self.games.items()))}

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Score:
        games = Counter({int(points): count for points, count in entry["games"].items()})
        return cls(entry["pairs"], entry["squares"], games)

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ± {self.error:.4f} points a game over {2 * self.pairs:,} games"


def play_pairs(first: Player, second: Player, variant: str, seed: int, pairs: range) -> NDArray[np.int64]:
    """Points of the first player in each pair: in the game that he begins, and in the other, (n, 2).

    Pair i of a seed always has the same dice.
    """
    games = np.repeat(np.arange(pairs.start, pairs.stop, dtype=np.uint64), 2)
    begins = np.tile([True, False], len(pairs))
    return play_games(first, second, variant, seed, games, begins).reshape(-1, 2)


def play_games(
    first: Player, second: Player, variant: str, seed: int, games: NDArray[np.uint64], begins: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Plays games in lockstep; the points of the first player in each, (n,).

    The starter plays the two dice of the draw where the variant says so.

    Parameters
    ----------
    games : (n,) uint64
        Numbers of the games: with the seed they fix the dice.
    begins : (n,) bool
        Whether the first player begins.

    Raises
    ------
    ValueError
        A player has made a move that is not legal, or a game does not end.
    """
    rules = vrhcaby.variant(variant)
    start = vrhcaby.pack([vrhcaby.Position.start(variant)], variant=variant)
    positions = np.repeat(start, len(games), 0)
    points = np.zeros(len(games), np.int64)
    going = np.arange(len(games))  # the games that are not over
    for turn in range(1, MOST_TURNS + 1):
        drawn = turn == 1 and rules.opening == "both_dice"
        of_first = begins[going] == (turn % 2 == 1)
        for mover, rows in ((first, going[of_first]), (second, going[~of_first])):
            if rows.size:
                numbers = games[rows]
                rolls = dice.opening_rolls(seed, numbers) if drawn else dice.rolls(seed, numbers, turn)
                positions[rows] = _played(mover, variant, positions[rows], rolls, dice.chance(seed, numbers, turn))
        over = (positions[going, 2] & np.uint64(15)) == rules.checkers  # the player who has moved has borne off all
        for row in going[over].tolist():
            final = vrhcaby.Position.from_bytes(positions[row].astype("<u8").tobytes(), variant=variant)
            assert final.result is not None  # negative: the player on roll has lost
            points[row] = -final.result if begins[row] == (turn % 2 == 1) else final.result
        going = going[~over]
        if not going.size:
            return points
    raise ValueError(f"game {games[going[0]]} of {first.name} and {second.name}: not over after {MOST_TURNS} turns")


def _played(
    mover: Player, variant: str, positions: Packed, rolls: NDArray[np.int64], chance: NDArray[np.uint64]
) -> Packed:
    """The player's answers, which are checked."""
    after = mover.play(positions, rolls, chance)
    legal = vrhcaby.is_legal(positions, rolls, after, variant=variant)
    if not legal.all():
        row = int(np.argmin(legal))
        before = vrhcaby.Position.from_bytes(positions[row].astype("<u8").tobytes(), variant=variant)
        raise ValueError(f"{mover.name} has made a move that is not legal: position {before.id}, dice {rolls[row]}")
    return after


@functools.cache
def _players(duel: Duel) -> tuple[Player, Player]:
    return player(duel.first, duel.variant), player(duel.second, duel.variant)


def names(duel: Duel) -> dict[str, Any]:
    """The duel as reports write it: with the full names of the players."""
    first, second = _players(duel)
    return {**duel._asdict(), "first": first.name, "second": second.name}


def _play_block(piece: tuple[Duel, range]) -> tuple[range, Score]:
    duel, pairs = piece
    return pairs, Score.of(play_pairs(*_players(duel), duel.variant, duel.seed, pairs))


def play(duel: Duel, games: int, *, workers: int = 1, out: Path | None = None) -> Generator[Score]:
    """Plays the games; the score so far after each block, first of what `out` has already.

    Parameters
    ----------
    duel : Duel
    games : int
        An even number.
    workers : int
        Processes.
    out : Path, optional
        A journal: the same duel goes on where it was interrupted, also with more games than before.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games = {games}: must be an even number")
    journal = Journal(out, {"format": "vrhcaby duel 1", **names(duel)})
    blocks = {pair: range(pair, min(pair + BLOCK, games // 2)) for pair in range(0, games // 2, BLOCK)}
    score = Score()
    for entry in journal.entries:
        known = Score.from_json(entry)
        if known.pairs == len(blocks.get(entry["first_pair"], ())):  # not the short last block of fewer games
            del blocks[entry["first_pair"]]
            score += known
    yield score
    for block, points in processes.run(_play_block, ((duel, block) for block in blocks.values()), workers):
        journal.add({"first_pair": block.start, **points.to_json()})
        score += points
        yield score
