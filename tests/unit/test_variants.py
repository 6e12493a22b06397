"""The rule parameters as data: what is accepted, refused, changed and stored."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import pytest

from vrhcaby import VARIANTS, Position, Variant, variant


def test_names() -> None:
    assert list(VARIANTS) == [
        "backgammon", "vrhcaby", "tavli", "short-nardy", "long-nardy", "nackgammon", "hypergammon", "portes", "tavla",
        "fevga",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="unknown variant 'long-nardi'; did you mean 'long-nardy'"):
        variant("long-nardi")


def test_replace() -> None:
    tavli = variant("tavli")
    greedy = tavli.replace(full_use="greedy")
    assert greedy != tavli
    assert greedy.replace(full_use="max") == tavli
    assert greedy.options == {"full_use": "greedy"}
    assert repr(greedy) == "<Variant tavli, full_use='greedy'>"
    with pytest.raises(TypeError, match="no parameter 'larger_dice'; did you mean 'larger_die'"):
        tavli.replace(larger_dice=True)
    with pytest.raises(AttributeError):
        tavli.larger_die = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("tavli", {"full_use": "some"}, "full_use = 'some'"),
        ("tavli", {"larger_die": 1}, "larger_die = 1"),
        ("tavli", {"points": (1, 2)}, "points = "),
        ("tavli", {"points": (2, 1, 3)}, "points = "),
        ("tavli", {"match_length": 0}, "match_length = 0"),
        ("tavli", {"head_cap": 1}, "head_cap = 1: only parallel"),
        ("tavli", {"block_rule": "ahead_past"}, "block_rule = 'ahead_past': only parallel"),
        ("tavli", {"start": ((24, 16),)}, "16 checkers"),
        ("tavli", {"start": ((24, 2), (1, 2))}, "both sides would stand on point 24"),
        ("tavli", {"start": ((25, 2),)}, "25 is not a point"),
        ("tavli", {"start": ((6, 2), (6, 3))}, "name each point once"),
        ("long-nardy", {"hit_and_run": False}, "nothing is hit"),
        ("long-nardy", {"head_cap": 16}, "head_cap = 16"),
        ("fevga", {"head_exception": "general"}, "needs a head_cap"),
        ("long-nardy", {"direction": "sideways"}, "direction = 'sideways'"),
    ],
)
def test_refused(name: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        variant(name).replace(**changes)


def test_a_pickle_is_found_in_a_dictionary_of_another_process() -> None:
    """Hashes of texts differ between processes: the stored object must not bring its own."""
    greedy = variant("tavli").replace(full_use="greedy")
    data = pickle.dumps((greedy, Position.start(greedy), Position.start(greedy).moves((3, 1))[0]))
    program = (
        "import pickle, sys, vrhcaby\n"
        "greedy, position, move = pickle.load(sys.stdin.buffer)\n"
        "mine = vrhcaby.variant('tavli').replace(full_use='greedy')\n"
        "assert greedy in {mine: 1} and position in {vrhcaby.Position.start(mine): 1}\n"
        "assert move in {vrhcaby.Position.start(mine).moves((3, 1))[0]: 1}\n"
    )
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        subprocess.run([sys.executable, "-c", program], input=data, env=environment, check=True)


def test_a_variant_made_from_nothing() -> None:
    kind = Variant(name="mine", start=((24, 2), (6, 3)))
    assert kind.checkers == 5
    assert len(Position.start(kind).moves((6, 5))) > 0
    assert kind.options["start"] == ((24, 2), (6, 3))
