"""Self-play by temporal differences: the same bytes for the same settings, and what one game teaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vrhcaby import FormatError, Position, legal_moves, pack, unpack, variant
from vrhcaby.evaluation import equities, evaluate
from vrhcaby.evaluation._network import Network
from vrhcaby.evaluation.network_file import read_network, read_training
from vrhcaby.training._self_play import SelfPlay, duel
from vrhcaby.training.recipe import SelfPlaySettings
from vrhcaby.training.temporal_difference import SelfPlayReport, self_play

Floats = NDArray[np.float64]
HYPERGAMMON = variant("hypergammon")
SHORT = SelfPlaySettings(games=1500)


def small_network(seed: int = 1, scale: float = 0.5) -> Network:
    random = np.random.RandomState(seed)
    shapes = {"input_weights": (208, 16), "hidden_bias": (16,), "output_weights": (5, 16), "output_bias": (5,)}
    weights = {name: random.uniform(-scale, scale, shape).astype(np.float32) for name, shape in shapes.items()}
    return Network(weights, ("hypergammon",), name="small")


# One game, learnt from in the plainest words and in double precision ------------------------------------------------


def roll(seed: int, game: int, turn: int) -> tuple[int, int]:
    """The dice: Philox4x32-10, the first word of purpose 0."""
    mask = 0xFFFFFFFF
    key = [seed & mask, seed >> 32]
    counter = [game & mask, game >> 32, turn, 0]
    for _ in range(10):
        low, high = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [high >> 32 ^ counter[1] ^ key[0], high & mask, low >> 32 ^ counter[3] ^ key[1], low & mask]
        key = [key[0] + 0x9E3779B9 & mask, key[1] + 0xBB67AE85 & mask]
    number = counter[0] * 36 >> 32
    return number // 6 + 1, number % 6 + 1


def turned_round(chances: Floats) -> Floats:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances
    return np.array([1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon])


def game_of(network: Network, variant: str, seed: int, game: int) -> tuple[list[NDArray[np.uint64]], list[Floats]]:
    """The positions of a game, and for each its mover's chances after his move."""
    row = pack([Position.start(variant)], variant=variant)
    positions: list[NDArray[np.uint64]] = []
    nexts: list[Floats] = []
    for turn in range(1, 1000):
        children, _ = legal_moves(row, roll(seed, game, turn), variant=variant)
        if not len(children):
            return positions, nexts
        chances = evaluate(children, variant=variant, evaluator=network).astype(float)
        best = int(np.argmin(equities(chances, variant)))
        positions.append(row)
        nexts.append(turned_round(chances[best]))
        row = children[best : best + 1]
    raise AssertionError("the game does not end")


def learnt(network: Network, variant: str, seed: int, game: int, trace: float, rate: float) -> dict[str, Floats]:
    """The weights after a game."""
    weights = {name: array.astype(float) for name, array in network.parameters.items()}
    positions, nexts = game_of(network, variant, seed, game)
    target = nexts[-1]
    for row, after in zip(reversed(positions), reversed(nexts), strict=True):
        if after is not nexts[-1]:
            target = after + trace * (turned_round(target) - after)
        counts = unpack(row)[0].reshape(-1).astype(int)
        inputs = np.stack([counts == 1, counts == 2, counts >= 3, np.maximum(counts - 3, 0) / 2], 1).astype(float)
        total = inputs.reshape(-1) @ weights["input_weights"] + weights["hidden_bias"]
        hidden = total / (1 + abs(total))
        outputs = 1 / (1 + np.exp(-(weights["output_weights"] @ hidden + weights["output_bias"])))
        error = rate * (target - outputs)
        if counts[26]:
            error[1:3] = 0
        if counts[0]:
            error[3:5] = 0
        step = (error @ weights["output_weights"]) / (1 + abs(total)) ** 2
        weights["output_weights"] += np.outer(error, hidden)
        weights["output_bias"] += error
        weights["hidden_bias"] += step
        # Units: the step of "at least one, two, three", seen by the rows of one, two, and three or more.
        at_least = np.stack([counts >= 1, counts >= 2, counts >= 3], 1).astype(float)
        units = at_least @ np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1]])
        sizes = np.concatenate([units, inputs[:, 3:]], 1).reshape(-1)
        weights["input_weights"] += np.outer(sizes, step)
    return weights


@pytest.mark.parametrize("trace", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("game", [0, 1, 2**40 + 3])
def test_a_game_teaches_what_the_plain_words_say(trace: float, game: int) -> None:
    network = small_network()
    self_play = SelfPlay(network, "hypergammon", seed=2**33 + 9, trace=trace, played=game)
    self_play.play(1, 0.1)
    assert self_play.played == game + 1
    expected = learnt(network, "hypergammon", 2**33 + 9, game, trace, 0.1)
    for name, array in self_play.result.parameters.items():
        np.testing.assert_allclose(array, expected[name], atol=3e-6)
    assert max(abs(expected[name] - network.parameters[name]).max() for name in expected) > 0.01


@pytest.mark.parametrize("variant", ["backgammon", "long-nardy", "fevga", "tavli"])
def test_a_game_of_every_kind(variant: str) -> None:
    network = Network(small_network().parameters, (variant,), name="small")
    self_play = SelfPlay(network, variant, seed=4, trace=0.0)
    self_play.play(1, 0.001)
    expected = learnt(network, variant, 4, 0, 0.0, 0.001)
    for name, array in self_play.result.parameters.items():
        np.testing.assert_allclose(array, expected[name], atol=1e-5)


def test_the_network_given_is_left_alone() -> None:
    network = small_network()
    before = network.parameters
    SelfPlay(network, "hypergammon", seed=1, trace=0.0).play(3, 0.1)
    for name, array in network.parameters.items():
        assert array.tobytes() == before[name].tobytes()


# Whole trainings -----------------------------------------------------------------------------------------------------


def train(path: Path, settings: SelfPlaySettings = SHORT, **options: Any) -> Network:
    return self_play(HYPERGAMMON, settings, path, **{"seed": 5, "duel_games": 4} | options)


def test_the_same_settings_give_the_same_bytes(tmp_path: Path) -> None:
    train(tmp_path / "a.npz")
    train(tmp_path / "b.npz", duel_games=6)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    train(tmp_path / "c.npz", seed=6)
    assert (tmp_path / "a.npz").read_bytes() != (tmp_path / "c.npz").read_bytes()


@pytest.mark.parametrize("stop_at", [500, 1000, 1500])
def test_resumed_is_the_same_as_uninterrupted(tmp_path: Path, stop_at: int) -> None:
    def stop(played: int, games: int) -> None:
        if played == stop_at:
            raise KeyboardInterrupt

    train(tmp_path / "whole.npz")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "parts.npz", progress=stop)
    assert read_training(tmp_path / "parts.npz")[1]["played"] == stop_at
    train(tmp_path / "parts.npz")
    assert (tmp_path / "parts.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_it_learns(tmp_path: Path) -> None:
    reports: list[SelfPlayReport] = []
    network = train(tmp_path / "net.npz", duel_games=400, report=reports.append)
    assert [report.played for report in reports] == [500, 1000, 1500]
    assert [report.rate for report in reports] == sorted((report.rate for report in reports), reverse=True)
    assert all(report.random[0] > 1 for report in reports)
    assert network.parameters["input_weights"].tobytes() == (
        read_network(tmp_path / "net.npz").parameters["input_weights"].tobytes()
    )


def test_a_file_says_how_it_was_made(tmp_path: Path) -> None:
    train(tmp_path / "net.npz")
    network, training = read_training(tmp_path / "net.npz")
    assert network.variants == ("hypergammon",)
    assert (training["games"], training["played"], training["seed"]) == (1500, 1500, 5)


def test_rules_of_ones_own(tmp_path: Path) -> None:
    game = HYPERGAMMON.replace(points=(1, 1, 1))
    self_play(game, SHORT, tmp_path / "net.npz", seed=5, duel_games=4)
    assert read_training(tmp_path / "net.npz")[1]["options"] == {"points": [1, 1, 1]}
    with pytest.raises(ValueError, match="was made with other settings"):
        train(tmp_path / "net.npz")


def test_a_finished_training_stays_as_it_is(tmp_path: Path) -> None:
    train(tmp_path / "net.npz")
    before = (tmp_path / "net.npz").read_bytes()
    train(tmp_path / "net.npz")
    assert (tmp_path / "net.npz").read_bytes() == before


def test_nothing_is_overwritten_or_mixed(tmp_path: Path) -> None:
    train(tmp_path / "net.npz")
    with pytest.raises(ValueError, match="was made with other settings"):
        train(tmp_path / "net.npz", SelfPlaySettings(games=2000))
    (tmp_path / "net.npz").write_bytes(b"")
    with pytest.raises(FormatError, match="not a network file"):
        train(tmp_path / "net.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 0}, "games = 0"),
        ({"rate": 0.01, "last_rate": 0.1}, "rate = 0.01, last_rate = 0.1"),
        ({"last_rate": 0.0}, "last_rate = 0.0"),
        ({"rate": float("nan")}, "rate = nan"),
        ({"trace": 1.5}, "trace = 1.5"),
    ],
)
def test_settings_that_make_no_sense(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SelfPlaySettings(**{"games": 100, **changes})


def test_hidden_units_that_no_network_has(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="20 hidden units"):
        train(tmp_path / "net.npz", SelfPlaySettings(games=100, hidden=20))


def test_the_learning_rate_falls_to_the_last() -> None:
    settings = SelfPlaySettings(games=1000, rate=0.1, last_rate=0.02)
    rates = [settings.rate_at(game) for game in (0, 250, 500, 1000)]
    assert rates == pytest.approx([0.1, 0.05, 1 / 30, 0.02])


# Duels ---------------------------------------------------------------------------------------------------------------


def test_a_network_is_as_strong_as_itself() -> None:
    assert duel(small_network(), small_network(), "hypergammon", games=100, seed=1) == (0, 0)


def test_a_duel_seen_from_the_other_side() -> None:
    one, other = small_network(1), small_network(2)
    mean, error = duel(one, other, "hypergammon", games=100, seed=1)
    assert duel(other, one, "hypergammon", games=100, seed=1) == (-mean, error)
    assert error > 0


@pytest.mark.parametrize("games", [0, 2, 5, -4])
def test_duels_need_pairs(games: int) -> None:
    with pytest.raises(ValueError, match=f"games = {games}"):
        duel(small_network(), None, "hypergammon", games=games, seed=1)


@pytest.mark.parametrize("missing", [SelfPlay, duel])
def test_no_network(missing: Any) -> None:
    with pytest.raises(TypeError):
        missing(None, None, "hypergammon", games=4, seed=1)
