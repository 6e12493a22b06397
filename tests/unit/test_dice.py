"""The dice are a format: published Philox vectors, and the way from a word to a roll."""

from __future__ import annotations

import numpy as np
import pytest

from vrhcaby import Position, playouts
from vrhcaby._core import philox_words

# Known answers of Random123 for philox4x32-10: counter, key and result as 32-bit words, lowest first.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def joined(words: tuple[int, ...]) -> int:
    return sum(word << 32 * i for i, word in enumerate(words))


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_known_answers(counter: tuple[int, ...], key: tuple[int, ...], words: tuple[int, ...]) -> None:
    assert philox_words(joined(key), joined(counter)) == words


def word(seed: int, trial: int, turn: int, purpose: int) -> int:
    """The counter as the documentation lays it out: trial, turn, purpose << 24 | block."""
    return philox_words(seed, trial | turn << 64 | (purpose << 24) << 96)[0]


@pytest.mark.parametrize("opening", [False, True])
def test_random_games_follow_from_the_words(opening: bool) -> None:
    """A game played here move by move is the game that playouts plays."""
    seed, start = 0x0123456789ABCDEF, Position.start()
    games = playouts(start, 20, seed=seed, first_game=5, opening=opening)
    for i in range(20):
        position, turn = start, 0
        while not position.is_over:
            turn += 1
            if opening and turn == 1:
                k = word(seed, 5 + i, 0, 0) * 30 >> 32
                first, second = divmod(k, 5)
                dice = (first + 1, second + (2 if second >= first else 1))
                assert dice[0] != dice[1]
            else:
                first, second = divmod(word(seed, 5 + i, turn, 0) * 36 >> 32, 6)
                dice = (first + 1, second + 1)
            moves = position.moves(dice)
            position = moves[word(seed, 5 + i, turn, 1) * len(moves) >> 32].position
        result = position.result
        assert result is not None
        assert games.turns[i] == turn
        assert (games.winners[i], games.points[i]) == ((turn + 1) % 2, -result)


@pytest.mark.parametrize("variant", ["backgammon", "tavla", "long-nardy", "fevga"])
def test_same_seed_same_games(variant: str) -> None:
    start = Position.start(variant)
    one = playouts(start, 700, seed=9)
    for workers in (2, 3):
        other = playouts(start, 700, seed=9, workers=workers)
        for mine, theirs in zip(one[:3], other[:3], strict=True):
            assert np.array_equal(mine, theirs)
    parts = [playouts(start, 350, seed=9, first_game=first) for first in (0, 350)]
    assert np.array_equal(one.turns, np.concatenate([part.turns for part in parts]))


def test_a_seed_of_the_system_can_be_used_again() -> None:
    games = playouts(Position.start(), 50)
    again = playouts(Position.start(), 50, seed=games.seed)
    assert np.array_equal(games.turns, again.turns)
    assert playouts(Position.start(), 1).seed != games.seed


def test_frequencies_of_a_million_games_from_the_published_run() -> None:
    """Random games: 96.70 turns, 0.374 single, 0.368 gammon, 0.259 backgammon (GNU Backgammon's move sets)."""
    games = playouts(Position.start(), 40_000, seed=2)
    assert games.turns.mean() == pytest.approx(96.70, abs=1.0)
    for points, share in ((1, 0.374), (2, 0.368), (3, 0.259)):
        assert (games.points == points).mean() == pytest.approx(share, abs=0.012)
