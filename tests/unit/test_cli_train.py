"""``vrhcaby train``: what it refuses, prepares, prints and leaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("cyclopts")
pytest.importorskip("rich")

from tests.unit.test_cli import complaint, document, output
from vrhcaby import Position, evaluate, variant
from vrhcaby.cli import main
from vrhcaby.training import read_recipe, standard_recipe

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tiny_recipe() -> Path:
    """A recipe of seconds, made from a prepared one as its reader would."""
    assert main(["train", "--variant", "hypergammon", "--out", "tiny.npz", "--prepare"]) == 0
    path = Path("tiny-training", "recipe.json")
    recipe = json.loads(path.read_text())
    recipe["self_play"] |= {"games": 500, "hidden": 16}
    recipe["cycles"] = recipe["cycles"][:1]
    recipe["cycles"][0]["games"]["games"] = 60
    for part in ("contact", "race", "filter"):
        recipe["cycles"][0][part] |= {"epochs": 0.1, "least_steps": 5, "batch": 64, "evaluations": 1}
    recipe["duel_pairs"] = 10
    path.write_text(json.dumps(recipe))
    return path


def test_prepare(capsys: Captured) -> None:
    printed = output(
        capsys,
        "train",
        "--variant",
        "tavli",
        "--set",
        "full_use=greedy",
        "--seed",
        "5",
        "--out",
        "own.npz",
        "--prepare",
    )
    assert printed == "own-training/recipe.json: change it, then: vrhcaby train --out own.npz\n"
    expected = standard_recipe(variant("tavli").replace(full_use="greedy"), seed=5)
    assert read_recipe("own-training/recipe.json") == expected
    assert "is there already" in complaint(capsys, "train", "--out", "own.npz", "--prepare")
    elsewhere = document(capsys, "train", "--out", "own.npz", "--folder", "elsewhere", "--prepare")
    assert elsewhere == {"recipe": str(Path("elsewhere", "recipe.json"))}
    assert read_recipe("elsewhere/recipe.json") == standard_recipe(variant("backgammon"))


def test_refusals(capsys: Captured) -> None:
    assert "must end with .npz" in complaint(capsys, "train", "--out", "net")
    assert "unknown variant 'chess'" in complaint(capsys, "train", "--out", "net.npz", "--variant", "chess")
    assert "scale = 0" in complaint(capsys, "train", "--out", "net.npz", "--scale", "0", "--prepare")
    assert "must be option=value" in complaint(capsys, "train", "--out", "net.npz", "--set", "cube")
    assert "missing.json" in complaint(capsys, "train", "--out", "net.npz", "--recipe", "missing.json")
    Path("net.npz").write_bytes(b"")
    assert "is there already" in complaint(capsys, "train", "--out", "net.npz")
    recipe = tiny_recipe()
    capsys.readouterr()
    assert "cannot change it" in complaint(capsys, "train", "--out", "a.npz", "--recipe", str(recipe), "--seed", "2")
    assert not Path("net-training").exists()


def test_a_folder_of_another_training(capsys: Captured) -> None:
    pytest.importorskip("torch")
    tiny_recipe()
    capsys.readouterr()
    assert "is another recipe" in complaint(capsys, "train", "--out", "tiny.npz", "--variant", "hypergammon")


def test_a_training(capsys: Captured) -> None:
    pytest.importorskip("torch")
    recipe = tiny_recipe()
    capsys.readouterr()
    printed = output(capsys, "train", "--out", "tiny.npz", "--workers", "1")
    assert "cycle 1: duels" in printed
    assert "points a game against the network before" in printed
    assert read_recipe(recipe).game == variant("hypergammon")
    start = Position.start("hypergammon")
    assert 0 < evaluate(start, evaluator="tiny.npz").win < 1
    before = Path("tiny.npz").read_bytes()
    again = document(capsys, "train", "--out", "tiny.npz")
    assert (again["network"], again["folder"]) == ("tiny.npz", "tiny-training")
    assert {record["stage"] for record in again["stages"]} >= {"self-play", "cycle 1: contact", "cycle 1: duels"}
    assert Path("tiny.npz").read_bytes() == before


def test_ctrl_c(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("vrhcaby.training.train", interrupted)
    assert main(["train", "--out", "net.npz"]) == 130
    assert capsys.readouterr().err == "vrhcaby: interrupted: the same command goes on\n"


def test_without_the_extra_it_says_what_to_install(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    message = complaint(capsys, "train", "--out", "net.npz")
    assert message == 'torch is not installed: pip install "vrhcaby[train]"'
    assert not Path("net-training").exists()
