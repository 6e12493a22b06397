"""Evaluation: what evaluators say, what the rules put right, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vrhcaby import VARIANTS, Evaluation, Evaluator, Position, PositionError, evaluate, legal_moves, pack, variant
from vrhcaby.evaluation import default_evaluator, equities, load_evaluator
from vrhcaby.evaluation.shipped import SERVES
from vrhcaby.training.duels import duel


def random_positions(name: str, count: int) -> NDArray[np.uint64]:
    """Positions of random games, some of them over."""
    random = np.random.default_rng(1)
    found = [pack([Position.start(name)] * 50, variant=name)]
    while sum(map(len, found)) < count:
        children, offsets = legal_moves(found[-1], random.integers(1, 7, (50, 2)), variant=name)
        sizes = np.diff(offsets)
        chosen = children[offsets[:-1][sizes > 0] + random.integers(0, sizes[sizes > 0])]
        fresh = pack([Position.start(name)] * (50 - len(chosen)), variant=name)
        found.append(np.concatenate([chosen, fresh]))
    return np.concatenate(found)[:count]


class Says:
    """An evaluator that says the same of every position, and remembers what it was asked."""

    variants = tuple(VARIANTS)

    def __init__(self, *chances: float) -> None:
        self.row = np.array(chances, np.float32)
        self.asked: list[int] = []

    def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
        self.asked.append(len(positions))
        return np.tile(self.row, (len(positions), 1))


# What comes out ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VARIANTS)
def test_chances_make_sense(name: str) -> None:
    positions = random_positions(name, 10_000)
    chances = evaluate(positions, variant=name)
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances.T.astype(float)
    assert chances.dtype == np.float32
    assert (win_backgammon >= 0).all()
    assert (win_gammon >= win_backgammon).all()
    assert (win >= win_gammon).all()
    assert (lose_backgammon >= 0).all()
    assert (lose_gammon >= lose_backgammon).all()
    assert (1 - win >= lose_gammon - 1e-7).all()
    own_off, opponent_off = positions[:, 0] & np.uint64(15), positions[:, 2] & np.uint64(15)
    assert (opponent_off > 0).any()
    assert not win_gammon[opponent_off > 0].any()
    assert not lose_gammon[(own_off > 0) & (opponent_off < variant(name).checkers)].any()
    if variant(name).backgammon == "none":
        assert not win_backgammon.any()
        assert not lose_backgammon.any()


# The loser of a finished game, in his own numbering, and what he has lost. RULES 4C.
LAST_CHECKERS: list[tuple[str, dict[int | str, int], int]] = [
    ("backgammon", {"bar": 1, 6: 14}, 3),
    ("backgammon", {"bar": 1, 6: 13}, 1),
    ("backgammon", {20: 1, 6: 14}, 3),
    ("backgammon", {18: 1, 6: 14}, 2),
    ("vrhcaby", {22: 1, 6: 14}, 2),
    ("vrhcaby", {22: 10, 19: 3, "bar": 2}, 3),
    ("tavli", {"bar": 1, 6: 14}, 2),
    ("tavla", {1: 1}, 1),
    ("long-nardy", {24: 15}, 2),
    ("long-nardy", {1: 1}, 1),
    ("fevga", {20: 15}, 2),
    ("hypergammon", {"bar": 1, 1: 2}, 3),
]


@pytest.mark.parametrize(("name", "loser", "lost"), LAST_CHECKERS)
def test_a_game_that_is_over_has_its_exact_result(name: str, loser: dict[int | str, int], lost: int) -> None:
    over = Position.from_points(own=loser, opponent={}, variant=name)
    exact = evaluate(over, evaluator=Says(0.5, 0.25, 0.0, 0.25, 0.0))
    assert (exact.win, exact.win_gammon, exact.win_backgammon) == (0, 0, 0)
    assert (exact.lose, exact.lose_gammon, exact.lose_backgammon) == (1, lost >= 2, lost == 3)
    assert exact.equity == over.result == -lost
    assert evaluate(over.flip()).equity == lost


def test_who_has_borne_off_cannot_lose_a_gammon() -> None:
    # The player on roll has eight checkers left, his opponent one off and a checker on the bar of none: an old
    # program saw backgammon chances here.
    position = Position.from_id("mxmAQ4PbAQAAAA")
    assert (sum(position.own[1:]), position.opponent[0]) == (8, 1)
    found = evaluate(position, evaluator=Says(0.5, 0.4, 0.3, 0.4, 0.3))
    assert (found.win, found.win_gammon, found.win_backgammon, found.lose_gammon, found.lose_backgammon) == (
        0.5, 0, 0, 0, 0
    )  # fmt: skip


def test_an_evaluation_says_what_the_array_says() -> None:
    position = Position.start().play("8/5 6/5", (3, 1))
    row = evaluate(pack([position]))
    found = evaluate(position)
    assert [found.win, found.win_gammon, found.win_backgammon, found.lose_gammon, found.lose_backgammon] == row[
        0
    ].tolist()
    assert found.equity == pytest.approx(equities(row, "backgammon")[0], abs=1e-12)
    assert found.lose == 1 - found.win


@pytest.mark.parametrize("name", VARIANTS)
def test_equity_is_the_mean_of_the_points(name: str) -> None:
    random = np.random.default_rng(2)
    share = random.dirichlet(np.ones(6), 100)  # win 1, 2, 3, lose 1, 2, 3
    chances = np.stack([share[:, 0:3].sum(1), share[:, 1:3].sum(1), share[:, 2], share[:, 4:6].sum(1), share[:, 5]], 1)
    points = np.array(variant(name).points)
    np.testing.assert_allclose(equities(chances, name), share[:, :3] @ points - share[:, 3:] @ points, atol=1e-12)


def test_text_of_an_evaluation() -> None:
    found = Evaluation(0.75, 0.25, 0.0, 0.0, 0.0, variant=variant("backgammon"))
    assert str(found) == (
        "win 75.0% (gammon 25.0%, backgammon 0.0%), lose 25.0% (gammon 0.0%, backgammon 0.0%), equity +0.750"
    )


def test_the_start_is_a_little_better_for_the_player_on_roll() -> None:
    # What rollouts say: 0.525 for backgammon.
    found = evaluate(Position.start())
    assert 0.50 < found.win < 0.56
    assert 0 < found.equity < 0.2


# The work ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [2, 3, None])
def test_workers_change_nothing(workers: int | None) -> None:
    positions = random_positions("backgammon", 9000)
    assert evaluate(positions, workers=workers).tobytes() == evaluate(positions).tobytes()


@pytest.mark.parametrize("workers", [1, 3])
def test_an_evaluator_is_asked_about_the_same_blocks(workers: int) -> None:
    says = Says(0.5, 0.0, 0.0, 0.0, 0.0)
    evaluate(random_positions("backgammon", 9000), evaluator=says, workers=workers)
    assert sorted(says.asked) == [808, 4096, 4096]


def test_no_positions() -> None:
    assert evaluate(np.empty((0, 4), np.uint64)).shape == (0, 5)


def test_the_positions_are_left_alone() -> None:
    positions = random_positions("backgammon", 100)
    before = positions.copy()
    evaluate(positions)
    assert (positions == before).all()


# What is refused -----------------------------------------------------------------------------------------------------


def test_a_variant_that_the_evaluator_was_not_made_for() -> None:
    with pytest.raises(ValueError, match="evaluator 'long-nardy' plays long-nardy: not variant 'fevga'"):
        evaluate(
            pack([Position.start("fevga")], variant="fevga"), variant="fevga", evaluator=load_evaluator("long-nardy")
        )


def test_a_variant_that_the_position_is_not_of() -> None:
    with pytest.raises(ValueError, match="variant 'tavla': the position is of 'backgammon'"):
        evaluate(Position.start(), variant="tavla")  # type: ignore[call-overload]


def test_a_changed_variant_is_served_by_its_name() -> None:
    position = Position.start(variant("tavli").replace(full_use="greedy"))
    assert evaluate(position).win == evaluate(Position.start("tavli")).win


@pytest.mark.parametrize("workers", [0, -1, True, 1.5])
def test_workers_that_are_no_number(workers: Any) -> None:
    with pytest.raises(ValueError, match="workers"):
        evaluate(pack([Position.start()]), workers=workers)


def test_a_row_that_is_no_position() -> None:
    positions = pack([Position.start()] * 3)
    positions[2, 0] += np.uint64(1)
    with pytest.raises(PositionError, match=r"positions\[2\]: own has 16 checkers"):
        evaluate(positions)


@pytest.mark.parametrize(
    "row", [(np.nan, 0, 0, 0, 0), (0.5, 0, 0, np.inf, 0), (1.5, 0, 0, 0, 0), (0.5, -0.1, 0, 0, 0)], ids=str
)
def test_an_answer_that_is_no_chance(row: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"chances\[0\] = .*must be from 0 to 1"):
        evaluate(Position.start(), evaluator=Says(*row))


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (np.zeros((1, 5)), ValueError, r"float64 \(1, 5\): must be float32 \(1, 5\)"),
        (np.zeros((2, 5), np.float32), ValueError, r"float32 \(2, 5\): must be float32 \(1, 5\)"),
        (np.zeros((1, 6), np.float32), ValueError, r"float32 \(1, 6\)"),
        ([[0.5, 0, 0, 0, 0]], TypeError, "returned list"),
        (None, TypeError, "returned NoneType"),
    ],
)
def test_an_answer_that_is_no_array_of_chances(answer: Any, error: type[Exception], message: str) -> None:
    class Strange(Says):
        def evaluate(self, positions: NDArray[np.uint64]) -> Any:
            return answer

    with pytest.raises(error, match=message):
        evaluate(Position.start(), evaluator=Strange())


def test_an_error_of_the_evaluator_comes_through() -> None:
    class Broken(Says):
        def evaluate(self, positions: NDArray[np.uint64]) -> Any:
            raise RuntimeError("out of order")

    with pytest.raises(RuntimeError, match="out of order"):
        evaluate(random_positions("backgammon", 9000), evaluator=Broken(), workers=2)


# The shipped networks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SERVES)
def test_a_shipped_network(name: str) -> None:
    network = load_evaluator(name)
    assert isinstance(network, Evaluator)
    assert (network.name, network.variants) == (name, SERVES[name])


def test_every_variant_has_one() -> None:
    assert sorted(played for variants in SERVES.values() for played in variants) == sorted(VARIANTS)
    for name in VARIANTS:
        assert name in default_evaluator(variant(name)).variants


@pytest.mark.parametrize("name", SERVES)
def test_it_beats_random_play(name: str) -> None:
    class AtRandom:
        variants = (name,)

        def __init__(self) -> None:
            self.random = np.random.RandomState(1)

        def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
            return self.random.random_sample((len(positions), 5)).astype(np.float32)

    mean, error = duel(load_evaluator(name), AtRandom(), variant(name), pairs=100, seed=1)
    assert mean - 4 * error > 0.9


def test_it_is_loaded_once() -> None:
    assert load_evaluator("fevga") is default_evaluator("fevga")


def test_unknown_evaluators(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"unknown evaluator 'gnu' \(known: backgammon, hypergammon"):
        load_evaluator("gnu")
    with pytest.raises(FileNotFoundError):
        load_evaluator(tmp_path / "none.npz")
    with pytest.raises(FileNotFoundError):
        load_evaluator("none.npz")
    with pytest.raises(ValueError, match="no shipped network plays variant 'chess'"):
        default_evaluator("chess")


def test_an_own_network_by_its_path(tmp_path: Path) -> None:
    from vrhcaby.evaluation.network_file import write_network

    write_network(tmp_path / "mine.npz", load_evaluator("fevga"), {})
    found = load_evaluator(tmp_path / "mine.npz")
    assert found.name.startswith("mine-")
    assert found.variants == ("fevga",)


def test_importing_reads_no_weights() -> None:
    program = (
        "import sys; read = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and read.append(str(args[0])))\n"
        "import vrhcaby, vrhcaby.evaluation\n"
        "assert any(name.endswith('.py') or name.endswith('.pyc') for name in read)\n"
        "assert not [name for name in read if name.endswith('.npz')], read\n"
        "vrhcaby.evaluate(vrhcaby.Position.start('fevga'))\n"
        "assert [name for name in read if name.endswith('.npz')] == [name for name in read if 'fevga.npz' in name]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_evaluator_cannot_change_what_it_is_shown() -> None:
    class Careless:
        variants = ("backgammon",)

        def evaluate(self, positions: Any) -> Any:
            positions.fill(0)

    rows = pack([Position.start()])
    before = rows.copy()
    with pytest.raises(ValueError, match="read-only"):
        evaluate(rows, evaluator=Careless())
    assert np.array_equal(rows, before)


@pytest.mark.parametrize("variants", ["backgammon", None, 5])
def test_variants_of_an_evaluator_are_checked(variants: Any) -> None:
    class Odd:
        def __init__(self) -> None:
            self.variants = variants

        def evaluate(self, positions: Any) -> Any:
            raise AssertionError

    with pytest.raises(TypeError, match="evaluator 'Odd' has variants = "):
        evaluate(Position.start(), evaluator=Odd())


@pytest.mark.parametrize("variant", ["", 0])
def test_an_empty_variant_is_none_of_ours(variant: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="variant"):
        evaluate(pack([Position.start()]), variant=variant)
