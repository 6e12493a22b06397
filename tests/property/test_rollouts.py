"""Rollouts merge to the same result however their trials were divided."""

from __future__ import annotations

import itertools
import json
import pickle
from functools import reduce

from hypothesis import given, strategies as st

from vrhcaby import Position, RolloutResult, rollout

RACE = Position.from_points(own={3: 2, 2: 1, 1: 2}, opponent={2: 2, 1: 3})
TRIALS = 60
WHOLE = rollout(RACE, trials=TRIALS, seed=12, evaluator="random")


def part(first: int, stop: int) -> RolloutResult:
    return rollout(RACE, trials=stop - first, first_trial=first, seed=12, evaluator="random")


@st.composite
def divisions(draw: st.DrawFn) -> list[RolloutResult]:
    """The trials cut into parts, in any order."""
    cuts = sorted(draw(st.sets(st.integers(1, TRIALS - 1), max_size=8)))
    ends = [0, *cuts, TRIALS]
    return draw(st.permutations([part(first, stop) for first, stop in itertools.pairwise(ends)]))


def merged_in_any_grouping(draw: st.DataObject, parts: list[RolloutResult]) -> RolloutResult:
    parts = list(parts)
    while len(parts) > 1:
        i = draw.draw(st.integers(0, len(parts) - 2))
        parts[i : i + 2] = [parts[i].merge(parts[i + 1])]
    return parts[0]


@given(divisions(), st.data())
def test_parts_merge_to_the_whole(parts: list[RolloutResult], data: st.DataObject) -> None:
    for merged in (reduce(RolloutResult.merge, parts), merged_in_any_grouping(data, parts)):
        assert merged == WHOLE
        assert json.dumps(merged.to_json()) == json.dumps(WHOLE.to_json())
        assert pickle.dumps(merged) == pickle.dumps(WHOLE)


@st.composite
def results(draw: st.DrawFn) -> RolloutResult:
    """Any counts at all."""
    ends = sorted(draw(st.sets(st.integers(0, (1 << 64) - 1), min_size=2, max_size=8)))
    ranges = tuple(zip(ends[::2], ends[1::2], strict=False))
    trials = sum(stop - first for first, stop in ranges)
    cuts = [0, *sorted(draw(st.lists(st.integers(0, trials), min_size=5, max_size=5))), trials]
    counts = [above - below for below, above in itertools.pairwise(cuts)]
    return RolloutResult(
        position=draw(st.sampled_from([RACE, Position.start("fevga"), Position.start("backgammon")])),
        evaluator=draw(st.text()),
        seed=draw(st.integers(0, (1 << 64) - 1)),
        opening=draw(st.booleans()),
        ranges=ranges,
        wins=(counts[0], counts[1], counts[2]),
        losses=(counts[3], counts[4], counts[5]),
        turns=draw(st.integers(0, 1 << 70)),
    )


@given(results())
def test_round_trips(result: RolloutResult) -> None:
    assert RolloutResult.from_json(json.loads(json.dumps(result.to_json()))) == result
    assert pickle.loads(pickle.dumps(result)) == result


@given(results())
def test_figures_are_possible(result: RolloutResult) -> None:
    assert 0 <= result.win_backgammon.mean <= result.win_gammon.mean <= result.win.mean <= 1
    assert 0 <= result.lose_backgammon.mean <= result.lose_gammon.mean <= 1 - result.win.mean + 1e-12
    assert abs(result.equity.mean) <= result.variant.points[2]
    if result.trials > 1:
        assert all(0 <= getattr(result, name).error <= 3 for name in result.FIGURES)
