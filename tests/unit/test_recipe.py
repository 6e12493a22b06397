"""Recipes of trainings as files, and the pieces of the pipeline that need no PyTorch."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vrhcaby import VARIANTS, FormatError, hashes, variant
from vrhcaby.evaluation import load_evaluator
from vrhcaby.training import Recipe, read_recipe, standard_recipe, write_recipe
from vrhcaby.training._labelled_games import labelled_games
from vrhcaby.training.duels import duel
from vrhcaby.training.files import replaced
from vrhcaby.training.samples import Samples, distinct, read_arrays, write_arrays

HYPERGAMMON = variant("hypergammon")


# Recipes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(VARIANTS))
@pytest.mark.parametrize("scale", [0.0001, 0.01, 1, 10])
def test_standard_recipes_come_back_from_a_file(tmp_path: Path, name: str, scale: float) -> None:
    recipe = standard_recipe(variant(name), scale=scale, seed=3)
    write_recipe(tmp_path / "recipe.json", recipe)
    assert read_recipe(tmp_path / "recipe.json") == recipe
    assert recipe.game == variant(name)


def test_rules_of_ones_own_come_back_from_a_file(tmp_path: Path) -> None:
    game = variant("tavli").replace(full_use="greedy", points=(1, 1, 2), start=((24, 2), (6, 13)))
    write_recipe(tmp_path / "recipe.json", standard_recipe(game))
    assert read_recipe(tmp_path / "recipe.json").game == game


def test_a_larger_scale_means_more_games() -> None:
    games = [standard_recipe(HYPERGAMMON, scale=scale).cycles[-1].games.games for scale in (0.01, 0.1, 1, 2)]
    assert games == sorted(set(games))


@pytest.mark.parametrize("scale", [0, -1, 101, float("nan")])
def test_scales_that_make_no_sense(scale: float) -> None:
    with pytest.raises(ValueError, match="scale = "):
        standard_recipe(HYPERGAMMON, scale=scale)


def changed(recipe: Recipe, *path: Any, to: Any) -> Any:
    """The document of a recipe with one value replaced; None removes it."""
    document: Any = {"format": 1, **json.loads(json.dumps(dataclasses.asdict(recipe)))}
    place = document
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], 2, "not a recipe of format 1"),
        (["variant"], "chess", "unknown variant 'chess'"),
        (["options"], {"colour": 1}, "colour"),
        (["options"], {"last_roll": "ge14"}, "last_roll = 'ge14'"),
        (["variety"], 1, "recipe: unknown variety"),
        (["seed"], "1", "recipe.seed = '1': must be int"),
        (["seed"], True, "recipe.seed = True: must be int"),
        (["seed"], -1, "seed = -1"),
        (["seed"], None, None),
        (["serves"], ["backgammon"], "serves 'backgammon': is not played like 'hypergammon'"),
        (["serves"], [], "not 'hypergammon' itself"),
        (["self_play"], None, "self_play"),
        (["self_play", "games"], 0, "games = 0: must be at least 1"),
        (["self_play", "trace"], 2, "trace = 2"),
        (["cycles"], [], "there must be at least one"),
        (["cycles"], {}, r"recipe.cycles = \{\}: must be a list"),
        (["cycles", 0, "contact", "width"], 48, "width = 48: must be a multiple of 32"),
        (["cycles", 0, "race", "width"], 64, "race.width = 64: must be a multiple of 128"),
        (["cycles", 0, "contact", "buckets"], 2, "buckets = 2"),
        (["cycles", 0, "contact", "rate"], 0, "rate = 0"),
        (["cycles", 0, "race", "buckets"], 9, "race.buckets = 9"),
        (["cycles", 0, "filter", "width"], 64, "filter.width = 64"),
        (["cycles", 0, "games", "trace"], 1.5, "trace = 1.5"),
        (["cycles", 0, "games", "slips"], 0.95, r"random_moves = 0\.06, slips = 0\.95: must be together at most 1"),
        (["cycles", 0, "games", "starts"], ["chess"], "unknown variant 'chess'"),
        (["cycles", 0, "rollouts", "turns"], 0, "turns = 0"),
        (["cycles", 1, "rollouts"], 3, r"recipe.cycles\[1\].rollouts = 3: must be an object"),
        (["duel_pairs"], 1, "duel_pairs = 1"),
    ],
)
def test_documents_that_are_no_recipe(tmp_path: Path, path: list[Any], value: Any, message: str | None) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(changed(standard_recipe(HYPERGAMMON), *path, to=value)))
    if message is None:
        assert read_recipe(file) == standard_recipe(HYPERGAMMON)
        return
    with pytest.raises(FormatError, match=message) as refused:
        read_recipe(file)
    assert str(file) in str(refused.value)


def test_parallel_games_have_one_bucket(tmp_path: Path) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(changed(standard_recipe(variant("fevga")), "cycles", 2, "filter", "buckets", to=9)))
    with pytest.raises(FormatError, match=r"cycle 3: filter.buckets = 9: must be 1 for 'fevga'"):
        read_recipe(file)


@pytest.mark.parametrize("text", ["", "[]", "{", '"recipe"'])
def test_texts_that_are_no_recipe(tmp_path: Path, text: str) -> None:
    (tmp_path / "recipe.json").write_text(text)
    with pytest.raises(FormatError, match=r"recipe\.json"):
        read_recipe(tmp_path / "recipe.json")


# Files ---------------------------------------------------------------------------------------------------------------


def test_a_file_is_whole_or_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(TypeError), replaced(path) as file:
        file.write("no bytes")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_arrays_are_little_endian_in_files(tmp_path: Path) -> None:
    array = np.arange(3, dtype=np.uint64)
    write_arrays(tmp_path / "a.npz", a=array)
    write_arrays(tmp_path / "b.npz", a=array.astype(">u8"))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    (found,) = read_arrays(tmp_path / "a.npz", "a")
    assert found.dtype == np.uint64
    np.testing.assert_array_equal(found, array)


# Samples -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def games() -> Any:
    return labelled_games(games=150, seed=3, variant="hypergammon", random_opening=2, siblings=0.3, trace=0.5)


def test_distinct_positions_have_the_mean_of_their_labels_and_their_first_game(games: Any) -> None:
    positions, chances, numbers = games
    rows, means, owners = distinct(*games)
    assert len(np.unique(hashes(rows))) == len(rows) == len(np.unique(hashes(positions))) < len(positions)
    for row, mean, owner in list(zip(rows, means, owners, strict=True))[::50]:
        same = np.flatnonzero((positions == row).all(1))
        assert owner == numbers[same[0]]
        np.testing.assert_allclose(mean, chances[same].mean(0), atol=1e-6)


def test_what_is_held_out_is_whole_games(games: Any) -> None:
    positions, chances, numbers = distinct(*games)
    samples = Samples.of_games(positions, chances, numbers)
    assert set(numbers[samples.held_out].tolist()) == {49, 99, 149}
    assert not set(numbers[~samples.held_out].tolist()) & {49, 99, 149}


def test_what_one_cycle_holds_out_no_other_trains_with(games: Any) -> None:
    positions, chances, numbers = distinct(*games)
    first = Samples.of_games(positions, 0 * chances, numbers)
    second = Samples.of_games(positions[::-1].copy(), 0 * chances + 1, numbers[::-1] + 7)
    joined = Samples.joined([first, second])
    assert len(joined.positions) == len(positions)
    assert (joined.chances == 1).all()
    held_out = set(hashes(joined.positions[joined.held_out]).tolist())
    expected = [*hashes(first.positions[first.held_out]), *hashes(second.positions[second.held_out])]
    assert held_out == {int(number) for number in expected}


def test_joined_keeps_each_position_with_its_own_chances(games: Any) -> None:
    positions = distinct(*games)[0]
    chances = np.arange(5 * len(positions), dtype=np.float32).reshape(-1, 5)
    one = Samples(positions, chances, np.zeros(len(positions), bool))
    part = one.take(np.arange(10, 30))
    joined = Samples.joined([one, Samples(part.positions, part.chances + 0.5, part.held_out)])
    order = np.argsort(hashes(joined.positions))
    expected = chances.copy()
    expected[10:30] += 0.5
    np.testing.assert_array_equal(joined.chances[order], expected[np.argsort(hashes(positions))])


# Duels ---------------------------------------------------------------------------------------------------------------


def test_duels() -> None:
    class EvenGame:
        variants = ("hypergammon",)

        def evaluate(self, positions: Any) -> Any:
            return np.tile(np.float32([0.5, 0.1, 0.01, 0.1, 0.01]), (len(positions), 1))

    network = load_evaluator("hypergammon")
    assert duel(network, network, HYPERGAMMON, pairs=50, seed=1) == (0, 0)
    mean, error = duel(network, EvenGame(), HYPERGAMMON, pairs=200, seed=1)
    assert mean > 0.5
    assert 0 < error < 0.2
    assert duel(EvenGame(), network, HYPERGAMMON, pairs=200, seed=1) == (-mean, error)
