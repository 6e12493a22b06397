"""Rollouts: the games they play, what they count, and what happens when something goes wrong."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import reduce
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vrhcaby import VARIANTS, Position, PositionError, RolloutResult, Variant, evaluate, playouts, rollout, variant
from vrhcaby.errors import FormatError
from vrhcaby.rollouts import RolloutInterrupted, plan
from vrhcaby.rollouts.block import play_block

RACE = Position.from_points(own={1: 6}, opponent={1: 6})
CONTACT = Position.from_points(own={24: 1, 6: 4, 5: 4, 4: 3, 2: 2}, opponent={13: 2, 6: 4, 5: 3, 3: 3, 2: 2})


class Opinion:
    """An evaluator with a reproducible opinion of every position, coarse enough for many ties."""

    variants = tuple(VARIANTS)
    name = "opinion"

    def __init__(self, steps: int = 4) -> None:
        self.steps = steps

    def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
        words = positions * np.array([3, 5, 7, 11], np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (words ^ words >> np.uint64(29)).sum(axis=1, dtype=np.uint64) >> np.uint64(40)
        win = (mixed % np.uint64(self.steps)).astype(np.float32) / self.steps
        gammon = (mixed // np.uint64(7) % np.uint64(3)).astype(np.float32) / 8
        zero = np.zeros_like(win)
        return np.stack([win, gammon, zero, gammon / 2, zero], axis=1)


# The dice and the games, written again -----------------------------------------------------------------------------


def philox(seed: int, trial: int, turn: int, purpose: int) -> int:
    """First word of Philox4x32-10."""
    mask = 0xFFFFFFFF
    key = [seed & mask, seed >> 32]
    counter = [trial & mask, trial >> 32, turn, purpose << 24]
    for _ in range(10):
        low, high = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [high >> 32 ^ counter[1] ^ key[0], high & mask, low >> 32 ^ counter[3] ^ key[1], low & mask]
        key = [key[0] + 0x9E3779B9 & mask, key[1] + 0xBB67AE85 & mask]
    return counter[0]


def dice_of(seed: int, trial: int, turn: int, opening: bool, rules: Variant) -> tuple[int, int]:
    if turn == 1 and opening and rules.opening == "both_dice":
        first, second = divmod(philox(seed, trial, 0, 0) * 30 >> 32, 5)
        return first + 1, second + 1 + (second >= first)
    first, second = divmod(philox(seed, trial, turn, 0) * 36 >> 32, 6)
    return first + 1, second + 1


def played(position: Position, seed: int, trial: int, evaluator: Opinion | None, opening: bool) -> tuple[int, int]:
    """One game, move by move: points of the player on roll in the position, and turns."""
    turn = 0
    while position.result is None:
        turn += 1
        moves = position.moves(dice_of(seed, trial, turn, opening, position.variant))
        if evaluator is None:
            choice = philox(seed, trial, turn, 1) * len(moves) >> 32
        else:
            equities = [evaluate(move.position, evaluator=evaluator).equity for move in moves]
            choice = equities.index(min(equities))
        position = moves[choice].position
    return position.result if turn % 2 == 0 else -position.result, turn


def points_of(result: RolloutResult) -> Counter[int]:
    """How many trials ended with how many points."""
    counts: Counter[int] = Counter()
    for sign, games in ((1, result.wins), (-1, result.losses)):
        for points, number in zip(result.variant.points, games, strict=True):
            counts[sign * points] += number
    return +counts


def ctrl_c() -> None:
    """What the terminal does: the signal wakes the main thread also where it waits for others."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


needs_signals = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals between threads")


@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize("evaluator", [None, Opinion()], ids=["random", "evaluator"])
@pytest.mark.parametrize(
    "position",
    [CONTACT, Position.start("hypergammon"), Position.start("fevga"), Position.start("tavli")],
    ids=lambda position: position.variant.name,
)
def test_plays_the_games_that_the_rules_say(position: Position, evaluator: Opinion | None, opening: bool) -> None:
    seed, first, trials = 0x0123456789ABCDEF, (1 << 40) + 5, 8 if position.variant.checkers == 3 else 3
    games = [played(position, seed, first + i, evaluator, opening) for i in range(trials)]
    result = rollout(
        position, trials=trials, seed=seed, first_trial=first, evaluator=evaluator or "random", opening=opening
    )
    assert points_of(result) == Counter(points for points, _ in games)
    assert result.turns == sum(turns for _, turns in games)


@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_random_rollouts_are_playouts(name: str, opening: bool) -> None:
    position = Position.start(name)
    games = playouts(position, 300, seed=11, first_game=7, opening=opening)
    result = rollout(position, trials=300, seed=11, first_trial=7, evaluator="random", opening=opening)
    signed = np.where(games.winners == 0, 1, -1) * games.points
    assert points_of(result) == Counter(signed.tolist())
    assert result.turns == games.turns.sum()


def test_of_equal_results_the_first_is_played() -> None:
    """All results of the first turn are worth the same; which one was played shows in the second call."""
    asked: list[NDArray[np.uint64]] = []

    class Indifferent(Opinion):
        def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
            asked.append(positions.copy())
            return np.full((len(positions), 5), 0.25, np.float32)

    rollout(CONTACT, trials=1, seed=3, evaluator=Indifferent())
    first = CONTACT.moves(dice_of(3, 0, 1, False, CONTACT.variant))
    assert len(first) > 1
    second = first[0].position.moves(dice_of(3, 0, 2, False, CONTACT.variant))
    assert asked[0].astype("<u8").tobytes() == b"".join(move.position.to_bytes() for move in first)
    assert asked[1].astype("<u8").tobytes() == b"".join(move.position.to_bytes() for move in second)


def test_the_evaluator_is_asked_once_a_turn_about_all_games() -> None:
    sizes: list[int] = []

    class Listening(Opinion):
        def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
            sizes.append(len(positions))
            return super().evaluate(positions)

    rollout(RACE, trials=50, seed=1, evaluator=Listening())
    assert sizes[0] == 50  # one result for every roll
    assert len(sizes) <= 11
    assert sizes == sorted(sizes, reverse=True)


def test_an_evaluator_may_keep_what_it_is_given_and_change_what_it_returned() -> None:
    class Meddling(Opinion):
        def __init__(self) -> None:
            super().__init__()
            self.kept: list[tuple[NDArray[np.uint64], NDArray[np.uint64]]] = []
            self.returned = np.zeros((0, 5), np.float32)

        def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
            answer = super().evaluate(positions)
            self.returned[:] = 0
            self.returned = answer.copy()
            self.kept.append((positions, positions.copy()))
            assert not positions.flags.writeable
            return self.returned

    expected = rollout(CONTACT, trials=20, seed=2, evaluator=Opinion())
    meddling = Meddling()
    assert rollout(CONTACT, trials=20, seed=2, evaluator=meddling) == expected
    assert all(np.array_equal(kept, copy) for kept, copy in meddling.kept)


# Known chances -------------------------------------------------------------------------------------------------------


def test_one_checker_each_on_the_ace_point_is_won() -> None:
    result = rollout(Position.from_points(own={1: 1}, opponent={1: 1}), trials=100)
    assert (result.wins, result.losses, result.turns) == ((100, 0, 0), (0, 0, 0), 100)
    assert result.win == result.equity == (1, 0)


@pytest.mark.parametrize(
    ("rolls", "percent"), [(2, 86.111), (3, 78.781), (4, 74.526), (5, 71.745), (6, 69.753), (7, 68.233)]
)
def test_races_of_checkers_on_the_ace_points(rolls: int, percent: float) -> None:
    """Both sides need the same number of rolls without doubles: exact chances, rounded to five digits."""
    position = Position.from_points(own={1: 2 * rolls}, opponent={1: 2 * rolls})
    result = rollout(position, trials=20_000, seed=rolls, evaluator="random")
    assert 0 < result.win.error < 0.004
    assert abs(result.win.mean - percent / 100) < 4 * result.win.error + 0.00001
    assert result.win_gammon.mean == result.lose_gammon.mean == 0


@pytest.mark.parametrize(
    ("own", "rolls_of_36"),
    [({6: 2}, 4), ({6: 1, 5: 1}, 6), ({5: 1, 2: 1}, 19), ({4: 2}, 11), ({3: 1, 2: 1}, 25), ({2: 2}, 26), ({6: 1}, 27)],
)
def test_one_roll_to_win(own: dict[int | str, int], rolls_of_36: int) -> None:
    """The opponent needs one roll, any roll. In 36 rolls so many bear off everything, if they are played well."""
    position = Position.from_points(own=own, opponent={1: 1})
    trials, seed = 2000, 4
    result = rollout(position, trials=trials, seed=seed, evaluator=Opinion())
    winning = [
        any(move.position.is_over for move in position.moves(dice_of(seed, trial, 1, False, position.variant)))
        for trial in range(trials)
    ]
    assert result.wins == (sum(winning), 0, 0)
    assert abs(result.win.mean - rolls_of_36 / 36) < 4 * result.win.error
    assert result.turns == 2 * trials - sum(winning)


@pytest.mark.parametrize(
    ("opponent", "wins"),
    [({1: 14}, (9, 0, 0)), ({13: 15}, (0, 9, 0)), ({13: 14, "bar": 1}, (0, 0, 9)), ({13: 14, 24: 1}, (0, 0, 9))],
    ids=["single", "gammon", "backgammon from the bar", "backgammon from the home"],
)
def test_games_are_counted_by_class(opponent: dict[int | str, int], wins: tuple[int, int, int]) -> None:
    result = rollout(Position.from_points(own={2: 1}, opponent=opponent), trials=9, evaluator="random")
    assert result.wins == wins
    assert result.losses == (0, 0, 0)
    points = 1 + wins.index(9)
    assert result.equity == (points, 0)


def test_a_side_that_has_borne_off_loses_no_gammon() -> None:
    position = Position.from_points(own={24: 4, 23: 5, 22: 5}, opponent={6: 15})
    result = rollout(position, trials=300, seed=1, evaluator="random")
    assert result.losses[0] > 200
    assert result.losses[1:] == (0, 0)
    full = Position.from_points(own={24: 5, 23: 5, 22: 5}, opponent={6: 15})
    assert sum(rollout(full, trials=300, seed=1, evaluator="random").losses[1:]) > 0


def test_a_finished_position_has_its_exact_result() -> None:
    lost = Position.from_points(own={6: 15}, opponent={})
    result = rollout(lost, trials=5, evaluator="random")
    assert (result.wins, result.losses, result.turns) == ((0, 0, 0), (0, 5, 0), 0)
    assert result.equity == (-2, 0)
    assert rollout(lost.flip(), trials=5, evaluator="random").equity == (2, 0)


def test_the_shipped_network_is_quicker_home_than_chance() -> None:
    position = Position.from_points(own={12: 3, 11: 4}, opponent={6: 4, 5: 2})
    careless = rollout(position, trials=2000, seed=8, evaluator="random")
    careful = rollout(position, trials=2000, seed=8, evaluator=None)
    assert careful.turns < careless.turns


# The same bytes ------------------------------------------------------------------------------------------------------


def document(result: RolloutResult) -> str:
    return json.dumps(result.to_json())


@pytest.mark.parametrize("evaluator", ["random", Opinion(), None], ids=["random", "evaluator", "network"])
def test_workers_and_blocks_do_not_matter(evaluator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rollout(CONTACT, trials=100, seed=9, evaluator=evaluator)
    for block in (1, 7, 33, 100):
        monkeypatch.setattr(plan, "BLOCK", block)
        for workers in (1, 2, 3):
            result = rollout(CONTACT, trials=100, seed=9, evaluator=evaluator, workers=workers)
            assert document(result) == document(expected)
            assert pickle.dumps(result) == pickle.dumps(expected)


def test_batches_do_not_depend_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "BLOCK", 16)
    batches = []
    for workers in (1, 3):
        seen: list[str] = []

        class Listening(Opinion):
            def evaluate(self, positions: NDArray[np.uint64], seen: list[str] = seen) -> NDArray[np.float32]:
                seen.append(hashlib.sha256(positions.tobytes()).hexdigest())
                return super().evaluate(positions)

        rollout(RACE, trials=100, seed=9, evaluator=Listening(), workers=workers)
        batches.append(sorted(seen))
    assert batches[0] == batches[1]


def test_the_seed_is_kept_and_the_system_gives_another_each_time() -> None:
    first, second = (rollout(RACE, trials=20, evaluator="random") for _ in range(2))
    assert first.seed != second.seed
    assert rollout(RACE, trials=20, evaluator="random", seed=first.seed) == first


def test_memory_does_not_grow_with_trials() -> None:
    pytest.importorskip("resource")
    code = """
import resource
from vrhcaby import Position, rollout
race = Position.from_points(own={1: 4}, opponent={1: 4})
def peak(trials):
    rollout(race, trials=trials, seed=1, evaluator="random")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
peak(4096)
print(peak(8192), peak(400_000))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(int, run.stdout.split())
    # kilobytes (bytes on macOS): a game takes 64 bytes, so 25,000 kilobytes if all were kept
    assert after - before < (2_000_000 if sys.platform == "darwin" else 2_000)


# Results -------------------------------------------------------------------------------------------------------------


def fabricated(**changes: Any) -> RolloutResult:
    fields: dict[str, Any] = {
        "position": Position.start(), "evaluator": "opinion", "seed": 1, "opening": False,
        "ranges": ((0, 60), (100, 140)), "wins": (40, 10, 2), "losses": (35, 12, 1), "turns": 5432,
    }  # fmt: skip
    return RolloutResult(**(fields | changes))


def test_figures_follow_from_the_counts() -> None:
    result = fabricated()
    assert result.trials == 100
    points = [1] * 40 + [2] * 10 + [3] * 2 + [-1] * 35 + [-2] * 12 + [-3]
    samples: dict[str, list[bool] | list[int]] = {
        "win": [p > 0 for p in points],
        "win_gammon": [p > 1 for p in points],
        "win_backgammon": [p > 2 for p in points],
        "lose_gammon": [p < -1 for p in points],
        "lose_backgammon": [p < -2 for p in points],
        "equity": points,
    }
    assert set(samples) == set(result.FIGURES)
    for name, sample in samples.items():
        mean, error = getattr(result, name)
        assert mean == pytest.approx(np.mean(sample), abs=1e-15)
        assert error == pytest.approx(np.std(sample, ddof=1) / 10, abs=1e-15)


def test_equity_takes_the_points_of_the_variant() -> None:
    assert fabricated(position=Position.start("tavli")).equity.mean == (40 + 2 * 12 - 35 - 2 * 13) / 100


def test_one_trial_leaves_the_error_unknown() -> None:
    result = fabricated(ranges=((3, 4),), wins=(1, 0, 0), losses=(0, 0, 0))
    assert result.win.mean == 1
    assert math.isnan(result.win.error)
    assert result.to_json()["error"]["win"] is None
    assert RolloutResult.from_json(result.to_json()) == result


def test_repr_and_str() -> None:
    result = fabricated(opening=True)
    assert repr(result) == f"<RolloutResult {Position.start().id}: 100 trials, equity 0.0400 ± 0.1385>"
    assert str(result).split("\n") == [
        f"100 trials of {Position.start().id}, opening roll",
        "evaluator opinion, seed 1",
        "win             0.5200 ± 0.0502",
        "win gammon      0.1200 ± 0.0327",
        "win backgammon  0.0200 ± 0.0141",
        "lose gammon     0.1300 ± 0.0338",
        "lose backgammon 0.0100 ± 0.0100",
        "equity          0.0400 ± 0.1385",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ranges": ((0, 60), (60, 100))}, "do not adjoin"),
        ({"ranges": ((0, 100), (50, 60))}, "must be pairs"),
        ({"ranges": ((-1, 99),)}, "must be pairs"),
        ({"ranges": ((1 << 64, (1 << 64) + 100),)}, "must be pairs"),
        ({"ranges": ()}, "do not add up to the 0 trials"),
        ({"wins": (41, 10, 2)}, r"wins = \(41, 10, 2\)"),
        ({"wins": (-1, 51, 2)}, r"wins = \(-1, 51, 2\)"),
        ({"losses": (35.0, 12, 1)}, r"losses = \(35.0, 12, 1\)"),
        ({"turns": -1}, "turns = -1"),
        ({"seed": 1 << 64}, "seed = 18446744073709551616"),
        ({"seed": True}, "seed = True"),
    ],
)
def test_impossible_results(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fabricated(**changes)


@pytest.mark.parametrize("field", ["position", "evaluator", "opening"])
def test_results_of_the_wrong_types(field: str) -> None:
    with pytest.raises(TypeError, match=f"{field} = 7"):
        fabricated(**{field: 7})


def test_merged_parts_are_one_rollout() -> None:
    whole = rollout(CONTACT, trials=90, seed=5, evaluator=Opinion())
    parts = [
        rollout(CONTACT, trials=trials, seed=5, evaluator=Opinion(), first_trial=first)
        for first, trials in ((0, 20), (20, 45), (65, 25))
    ]
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        merged = parts[order[0]].merge(parts[order[1]]).merge(parts[order[2]])
        assert document(merged) == document(whole)
        assert pickle.dumps(merged) == pickle.dumps(whole)
    gap = parts[2].merge(parts[0])
    assert gap.ranges == ((0, 20), (65, 90))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"position": Position.start("tavli")}, "position .*backgammon.*tavli"),
        ({"seed": 2}, "seed 1 and 2"),
        ({"evaluator": "random"}, "evaluator 'opinion' and 'random'"),
        ({"opening": True}, "opening False and True"),
    ],
)
def test_merge_refuses_other_settings(changes: dict[str, Any], message: str) -> None:
    other = {"ranges": ((200, 300),)} | changes
    with pytest.raises(ValueError, match=message):
        fabricated().merge(fabricated(**other))


@pytest.mark.parametrize(
    ("ranges", "trials"),
    [
        (((59, 60), (200, 299)), "59 to 59"),
        (((30, 50), (200, 280)), "30 to 49"),
        (((60, 100), (110, 170)), "110 to 139"),
        (((0, 60), (100, 140)), "0 to 59"),
    ],
)
def test_merge_refuses_trials_that_both_have(ranges: tuple[tuple[int, int], ...], trials: str) -> None:
    for first, second in ((fabricated(), fabricated(ranges=ranges)), (fabricated(ranges=ranges), fabricated())):
        with pytest.raises(ValueError, match=f"both rollouts have the trials {trials}:"):
            first.merge(second)


def test_merge_takes_results_only() -> None:
    with pytest.raises(TypeError, match="not dict"):
        fabricated().merge(fabricated().to_json())  # type: ignore[arg-type]


def test_json_keys_are_stable() -> None:
    document = fabricated().to_json()
    assert list(document) == [
        "format", "position", "evaluator", "seed", "opening", "trials", "ranges", "wins", "losses", "turns", "mean",
        "error",
    ]  # fmt: skip
    assert document["format"] == "vrhcaby rollout 1"
    assert list(document["mean"]) == list(document["error"]) == list(RolloutResult.FIGURES)


def test_json_round_trip_keeps_the_rules() -> None:
    position = Position.start(variant("long-nardy").replace(over_bear="free"))
    result = fabricated(position=position, seed=(1 << 64) - 1)
    again = RolloutResult.from_json(json.loads(json.dumps(result.to_json())))
    assert again == result
    assert again.variant.over_bear == "free"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "vrhcaby rollout 2", "format = 'vrhcaby rollout 2'"),
        ("position", "nonsense", "nonsense"),
        ("trials", 99, "trials = 99: the counts of the rollout give 100"),
        ("wins", [40, 10, 3], "do not add up"),
        ("wins", 5, "not a rollout"),
        ("ranges", [[0]], "not a rollout"),
        ("opening", 0, "opening = 0"),
        ("mean", {}, "mean = {}"),
        ("extra", 1, "unknown key 'extra'"),
    ],
)
def test_json_that_is_no_rollout(key: str, value: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        RolloutResult.from_json(fabricated().to_json() | {key: value})


@pytest.mark.parametrize("key", ["position", "evaluator", "seed", "opening", "ranges", "wins", "losses", "turns"])
def test_json_without_a_key(key: str) -> None:
    document = fabricated().to_json()
    del document[key]
    with pytest.raises(FormatError, match=key):
        RolloutResult.from_json(document)


def test_json_that_is_no_object() -> None:
    with pytest.raises(FormatError, match="format = 5"):
        RolloutResult.from_json(5)  # type: ignore[arg-type]


# Progress, interruption, failure -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 3])
def test_progress_after_every_block(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "BLOCK", 10)
    partial: list[RolloutResult] = []
    threads: set[int] = set()

    def progress(result: RolloutResult) -> None:
        partial.append(result)
        threads.add(threading.get_ident())

    result = rollout(RACE, trials=45, seed=3, evaluator="random", workers=workers, first_trial=100, progress=progress)
    assert [part.ranges for part in partial] == [((100, stop),) for stop in (109, 118, 127, 136, 145)]
    assert partial[-1] == result
    assert threads == {threading.get_ident()}
    assert partial[1] == rollout(RACE, trials=18, seed=3, evaluator="random", first_trial=100)


@needs_signals
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_done(workers: int) -> None:
    timer: list[threading.Timer] = []

    def progress(result: RolloutResult) -> None:
        if not timer:
            timer.append(threading.Timer(0.05, ctrl_c))
            timer[0].start()

    with pytest.raises(RolloutInterrupted) as caught:
        rollout(CONTACT, trials=10**9, seed=6, evaluator="random", workers=workers, progress=progress)
    timer[0].join()
    result = caught.value.result
    assert result is not None
    assert f"after {result.trials} of 1000000000 trials" in str(caught.value)
    parts = [
        rollout(CONTACT, trials=stop - first, first_trial=first, seed=6, evaluator="random")
        for first, stop in result.ranges
    ]
    assert reduce(RolloutResult.merge, parts) == result


@needs_signals
def test_ctrl_c_does_not_wait_for_slow_blocks() -> None:
    """A block takes minutes here, but only the call that an evaluator is in is waited for."""

    class Slow(Opinion):
        def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
            time.sleep(0.2)
            return super().evaluate(positions)

    timer = threading.Timer(0.3, ctrl_c)
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(RolloutInterrupted) as caught:
        rollout(Position.start("fevga"), trials=10**9, seed=6, evaluator=Slow(), workers=2)
    assert time.perf_counter() - begin < 5
    assert caught.value.result is None


def test_ctrl_c_before_the_first_block() -> None:
    class Interrupting(Opinion):
        def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
            raise KeyboardInterrupt

    with pytest.raises(RolloutInterrupted, match="after 0 of 10 trials") as caught:
        rollout(RACE, trials=10, evaluator=Interrupting())
    assert caught.value.result is None


def test_an_interrupt_in_progress_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "BLOCK", 10)

    def progress(result: RolloutResult) -> None:
        if result.trials == 20:
            raise KeyboardInterrupt

    with pytest.raises(RolloutInterrupted) as caught:
        rollout(RACE, trials=40, seed=3, evaluator="random", progress=progress)
    assert caught.value.result == rollout(RACE, trials=20, seed=3, evaluator="random")


class Failing(Opinion):
    """Gives a wrong answer as soon as it is asked about a marked number of positions."""

    def __init__(self, answer: Any, positions: int) -> None:
        super().__init__()
        self.answer = answer
        self.positions = positions

    def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
        if len(positions) == self.positions:
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer  # type: ignore[no-any-return]
        return super().evaluate(positions)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_of_the_evaluator_carries_what_is_done(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "BLOCK", 10)
    failure = RuntimeError("out of memory")
    # 29 trials are blocks of 9, 10 and 10, and the first turn of each asks about one position for each trial
    with pytest.raises(RuntimeError, match="out of memory") as caught:
        rollout(RACE, trials=29, seed=3, evaluator=Failing(failure, 10), workers=workers)
    assert caught.value is failure
    done = caught.value.rollout_result  # type: ignore[attr-defined]
    assert done == rollout(RACE, trials=9, seed=3, evaluator=Opinion())
    assert caught.value.__notes__ == [
        "rollout stopped after 9 of 29 trials; they are the attribute rollout_result of this exception"
    ]


def test_a_block_that_ended_out_of_turn_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "BLOCK", 10)
    ended = threading.Event()

    def first_fails_after_second(settings: Any, block: tuple[int, int], *rest: Any) -> Any:
        if block == (0, 10):
            assert ended.wait(60)
            raise RuntimeError("late")
        result = play_block(settings, block, *rest)
        ended.set()
        return result

    monkeypatch.setattr(plan, "play_block", first_fails_after_second)
    with pytest.raises(RuntimeError, match="late") as caught:
        rollout(RACE, trials=20, seed=3, evaluator="random", workers=2)
    monkeypatch.undo()
    done = caught.value.rollout_result  # type: ignore[attr-defined]
    assert done == rollout(RACE, trials=10, first_trial=10, seed=3, evaluator="random")


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (None, TypeError, "evaluator 'opinion' returned NoneType"),
        ([0.5], TypeError, "evaluator 'opinion' returned list"),
        (np.zeros((9, 5)), ValueError, r"returned float64 \(9, 5\)"),
        (np.zeros((9, 4), np.float32), ValueError, r"returned float32 \(9, 4\): must be float32 \(9, 5\)"),
        (np.zeros((10, 5), np.float32), ValueError, r"returned float32 \(10, 5\)"),
        (np.full((9, 5), [[0]] * 7 + [[np.nan]] + [[0]], np.float32), ValueError, r"chances\[7\] = \[nan"),
        (np.full((9, 5), [[0]] * 7 + [[1.5]] + [[0]], np.float32), ValueError, r"chances\[7\] = \[1.5"),
        (np.full((9, 5), [[0]] * 7 + [[-0.5]] + [[0]], np.float32), ValueError, r"chances\[7\] = \[-0.5"),
    ],
)
def test_answers_that_are_none(answer: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        rollout(RACE, trials=9, evaluator=Failing(answer, 9))
    assert caught.value.rollout_result is None  # type: ignore[attr-defined]
    assert not hasattr(caught.value, "__notes__")


def test_a_game_that_cannot_end() -> None:
    closed: dict[int | str, int] = {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, "bar": 3}
    with pytest.raises(PositionError, match="trial 5 cannot end"):
        rollout(Position.from_points(own=closed, opponent=closed), trials=3, first_trial=5, evaluator="random")


# Arguments -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"trials": 0}, ValueError, "trials = 0"),
        ({"trials": -5}, ValueError, "trials = -5"),
        ({"trials": 2.0}, TypeError, "trials = 2.0"),
        ({"trials": True}, TypeError, "trials = True"),
        ({"trials": 1 << 64}, ValueError, "trials = 18446744073709551616"),
        ({"trials": 10, "first_trial": (1 << 64) - 10}, ValueError, "trials = 10: must be from 1 to 9"),
        ({"first_trial": -1}, ValueError, "first_trial = -1"),
        ({"seed": -1}, ValueError, "seed = -1"),
        ({"seed": 1 << 64}, ValueError, "seed = 18446744073709551616"),
        ({"seed": "1"}, TypeError, "seed = '1'"),
        ({"workers": 0}, ValueError, "workers = 0"),
        ({"workers": -2}, ValueError, "workers = -2"),
        ({"workers": True}, ValueError, "workers = True"),
        ({"opening": 1}, TypeError, "opening = 1"),
        ({"evaluator": 5}, TypeError, "evaluator = 5"),
        ({"evaluator": "no-such-net"}, ValueError, "no-such-net"),
        ({"evaluator": "long-nardy"}, ValueError, "evaluator 'long-nardy' plays long-nardy: not variant 'backgammon'"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rollout(RACE, **({"evaluator": "random"} | arguments))


def test_only_a_position_is_rolled_out() -> None:
    with pytest.raises(TypeError, match="position must be a Position, not str"):
        rollout("start")  # type: ignore[arg-type]


@pytest.mark.parametrize("last_roll", ["second_player", "ge14"])
def test_a_last_roll_is_refused(last_roll: str) -> None:
    with pytest.raises(ValueError, match=f"last_roll = '{last_roll}'"):
        rollout(Position.start(variant("long-nardy").replace(last_roll=last_roll)), trials=1, evaluator="random")


def test_the_last_trials_of_a_seed() -> None:
    result = rollout(RACE, trials=10, first_trial=(1 << 64) - 11, seed=(1 << 64) - 1, evaluator="random")
    assert result.ranges == (((1 << 64) - 11, (1 << 64) - 1),)
    assert sum(result.wins) == sum(
        played(RACE, (1 << 64) - 1, (1 << 64) - 11 + i, None, False)[0] > 0 for i in range(10)
    )


def test_numpy_numbers_are_numbers() -> None:
    numbers: dict[str, Any] = {"trials": np.int64(10), "seed": np.uint64(3), "first_trial": np.int32(2)}
    result = rollout(RACE, evaluator="random", **numbers)
    assert result == rollout(RACE, trials=10, seed=3, first_trial=2, evaluator="random")
    assert type(result.seed) is int
