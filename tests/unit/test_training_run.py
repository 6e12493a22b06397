"""A whole recipe in seconds: killed anywhere and started again it ends with the same bytes."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from vrhcaby import Position, evaluate, rollout, variant
from vrhcaby.evaluation import load_evaluator
from vrhcaby.evaluation.network_file import read_training
from vrhcaby.training import Recipe, read_recipe, train, write_recipe
from vrhcaby.training.recipe import Cycle, FitSettings, GameSettings, RolloutSettings, SelfPlaySettings
from vrhcaby.training.samples import read_arrays

FIT = FitSettings(width=128, buckets=1, epochs=0.2, least_steps=6, batch=64, evaluations=2)
CYCLE = Cycle(
    games=GameSettings(games=60, random_opening=2),
    contact=FIT,
    race=FIT,
    filter=dataclasses.replace(FIT, width=32),
    earlier=1,
)
TINY = Recipe(
    variant="hypergammon",
    serves=("hypergammon",),
    self_play=SelfPlaySettings(games=600, hidden=16),
    cycles=(CYCLE, dataclasses.replace(CYCLE, rollouts=RolloutSettings(turns=2, trials=2), go_on=True)),
    duel_pairs=10,
)


class Killed(BaseException):
    """Nothing is done about it, as about a kill."""


class Listener:
    """Counts what it is told, and stops the work at one of the times."""

    def __init__(self, stop_at: int | None = None, kind: type[BaseException] = Killed) -> None:
        self.told = 0
        self.stages: list[str] = []
        self.records: list[dict[str, Any]] = []
        self.stop_at, self.kind = stop_at, kind

    def progress(self, stage: str, done: int, total: int) -> None:
        assert 0 <= done <= total
        if stage not in self.stages:
            self.stages.append(stage)
        self.count()

    def report(self, record: dict[str, Any]) -> None:
        self.records.append(record)
        self.count()

    def count(self) -> None:
        self.told += 1
        if self.told == self.stop_at:
            raise self.kind


def result(folder: Path) -> dict[str, bytes]:
    """What a finished training leaves, but for the log, which has the time in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "log.jsonl"
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Listener]:
    """The training without interruption."""
    folder, listener = tmp_path_factory.mktemp("whole"), Listener()
    assert train(TINY, folder, listener=listener) == folder / "cycle-2" / "network.npz"
    return folder, listener


def test_it_leaves_what_it_says(whole: tuple[Path, Listener]) -> None:
    folder, listener = whole
    kept = ["contact.pt", "duels.json", "filter.pt", "games.npz", "network.npz", "race.pt"]
    expected = [f"cycle-1/{name}" for name in kept] + [f"cycle-2/{name}" for name in [*kept, "rollouts.npz"]]
    assert sorted(result(folder)) == sorted([*expected, "recipe.json", "self-play.npz"])
    stages = ["games", "contact", "race", "filter", "duels"]
    assert listener.stages == [
        "self-play",
        *(f"cycle 1: {stage}" for stage in stages),
        *(f"cycle 2: {stage}" for stage in ["games", "rollouts", *stages[1:]]),
    ]
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert log == json.loads(json.dumps(listener.records))
    assert read_recipe(folder / "recipe.json") == TINY


def test_the_network_can_be_used(whole: tuple[Path, Listener]) -> None:
    path = whole[0] / "cycle-2" / "network.npz"
    start = Position.start("hypergammon")
    assert 0.2 < evaluate(start, evaluator=path).win < 0.8
    assert rollout(start, trials=8, evaluator=path, seed=1).trials == 8
    network, training = read_training(path)
    assert network.variants == ("hypergammon",)
    assert set(network.parameters) >= {"contact_columns", "race_columns", "filter_columns"}
    assert training["cycle"] == 2
    assert training["recipe"]["self_play"]["games"] == 600


def test_started_again_it_changes_nothing(whole: tuple[Path, Listener]) -> None:
    folder, _ = whole
    before, listener = result(folder), Listener()
    train(TINY, folder, listener=listener)
    assert result(folder) == before
    assert listener.stages == []


@pytest.mark.parametrize(("share", "kind"), [(0.3, Killed), (0.5, KeyboardInterrupt), (0.8, Killed)])
def test_killed_and_started_again(
    whole: tuple[Path, Listener], tmp_path: Path, share: float, kind: type[BaseException]
) -> None:
    folder, listener = whole
    with pytest.raises(kind):
        train(TINY, tmp_path, listener=Listener(round(share * listener.told), kind))
    train(TINY, tmp_path)
    assert result(tmp_path) == result(folder)


@pytest.mark.slow
def test_killed_everywhere_and_started_again(whole: tuple[Path, Listener], tmp_path: Path) -> None:
    folder, listener = whole
    for _ in range(2 * listener.told):
        try:
            train(TINY, tmp_path, listener=Listener(10))
        except Killed:
            continue
        break
    assert result(tmp_path) == result(folder)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_process_that_is_killed(whole: tuple[Path, Listener], tmp_path: Path) -> None:
    write_recipe(tmp_path / "recipe", TINY)
    work = "import sys; from vrhcaby.training import *; train(read_recipe(sys.argv[1]), sys.argv[2])"
    for wanted in ("cycle-1/games.npz", "cycle-1/race.pt", "cycle-2/rollouts.npz"):
        process = subprocess.Popen([sys.executable, "-c", work, str(tmp_path / "recipe"), str(tmp_path / "run")])
        while not (tmp_path / "run" / wanted).exists():
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
    train(TINY, tmp_path / "run")
    assert result(tmp_path / "run") == result(whole[0])


def test_no_game_is_on_both_sides(whole: tuple[Path, Listener]) -> None:
    for cycle in (1, 2):
        positions, games = read_arrays(whole[0] / f"cycle-{cycle}" / "games.npz", "positions", "games")
        assert len(np.unique(positions, axis=0)) == len(positions)
        assert set(games.tolist()) == set(range(60))


def test_rules_of_ones_own(tmp_path: Path) -> None:
    recipe = dataclasses.replace(
        TINY, options={"points": [1, 1, 1]}, cycles=TINY.cycles[:1], opponent="hypergammon", seed=2
    )
    path = train(recipe, tmp_path, workers=2)
    assert recipe.game == variant("hypergammon").replace(points=(1, 1, 1))
    assert load_evaluator(path).variants == ("hypergammon",)
    duels = json.loads((tmp_path / "cycle-1" / "duels.json").read_text())
    assert set(duels) == {"games", "before", "hypergammon"}


def test_another_recipe_is_refused(whole: tuple[Path, Listener]) -> None:
    with pytest.raises(ValueError, match="is another recipe"):
        train(dataclasses.replace(TINY, seed=2), whole[0])
