"""The shipped network: many positions, the children of rolls, and moves chosen without looking ahead."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import vrhcaby
from benchmarks.games import random_positions
from vrhcaby.evaluation import load_evaluator
from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.rollouts._block import Games
from vrhcaby.search._judge import Judge

GAMES = 200


@pytest.fixture(params=["base", "avx2", "avx512"])
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each instruction set that this machine has."""
    before = vrhcaby.kernels()
    try:
        vrhcaby.use_kernels(request.param)
    except ValueError as error:
        pytest.skip(str(error))
    yield request.param
    vrhcaby.use_kernels(before)


@pytest.mark.benchmark(group="4,000 positions")
def test_evaluate(benchmark: Any) -> None:
    positions = random_positions(4000)
    chances = benchmark(vrhcaby.evaluate, positions)
    # The answer does not depend on what else is in the batch.
    one_by_one = [vrhcaby.evaluate(positions[row : row + 1]) for row in range(0, 4000, 100)]
    assert np.array_equal(chances[::100], np.concatenate(one_by_one))


@pytest.mark.benchmark(group="one position")
def test_evaluate_one(benchmark: Any) -> None:
    start = vrhcaby.Position.start()
    evaluation = benchmark(vrhcaby.evaluate, start)
    assert 0.5 < evaluation.win < 0.56  # the player on roll has a small advantage


def ordinary_children() -> tuple[Any, Any, Any]:
    """What follows one roll each of positions from games of the network against itself, from the seventh turn on."""
    random = np.random.RandomState(1)
    network = load_evaluator("backgammon")
    rows = vrhcaby.pack([vrhcaby.Position.start()] * 100)
    seen = []
    for turn in range(36):
        dice = random.randint(1, 7, (len(rows), 2))
        children, offsets = vrhcaby.legal_moves(rows, dice)
        if turn >= 6:
            seen.append((rows, children, offsets))
        wins = np.split(network.evaluate(children)[:, 0], offsets[1:-1])
        rows = children[offsets[:-1] + [int(part.argmin()) for part in wins]]
        rows = rows[vrhcaby.count_moves(rows, (1, 2)) > 0]
    sizes = np.concatenate([np.diff(offsets) for _, _, offsets in seen])
    parents, children = (np.concatenate(parts) for parts in list(zip(*seen, strict=True))[:2])
    return parents, children, np.concatenate([[0], np.cumsum(sizes)])


@pytest.mark.benchmark(group="children of rolls")
def test_evaluate_children(benchmark: Any, kernels: str) -> None:
    network = load_evaluator("backgammon")
    assert isinstance(network, IncrementalNetwork)
    parents, children, offsets = ordinary_children()
    chances = benchmark(network.evaluate_children, parents, children, offsets)
    benchmark.extra_info["children"] = len(children)
    benchmark.extra_info["children_per_second"] = len(children) / benchmark.stats["min"]
    assert np.array_equal(chances, network.evaluate(children))


@pytest.mark.benchmark(group=f"{GAMES} games, the best moves")
def test_best_moves(benchmark: Any, kernels: str) -> None:
    start, judge = vrhcaby.Position.start(), Judge("backgammon", "backgammon")

    def play() -> Games:
        games = Games(start, seed=1, first=0, stop=GAMES, opening=True)
        while games.size:
            games.play_best(judge)
        return games

    games = benchmark(play)
    benchmark.extra_info["moves"] = games.turns
    benchmark.extra_info["moves_per_second"] = games.turns / benchmark.stats["min"]
    vrhcaby.use_kernels("base")
    same = play()  # whatever the instruction set
    assert (games.wins, games.losses, games.turns) == (same.wins, same.losses, same.turns)
    assert sum(games.wins) + sum(games.losses) == GAMES
