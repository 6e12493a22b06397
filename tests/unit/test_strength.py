"""How strength is measured: duplicate dice, statistics, journals, phases, decisions. All without other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import vrhcaby
from vrhcaby import VARIANTS, Position
from vrhcaby._core import philox_words
from vrhcaby.evaluation.network_file import read_training

pytest.importorskip("benchmarks", reason="benchmarks are not installed with the package")

from benchmarks import decisions, dice, duel, labelled, processes, races, strength
from benchmarks.duel import Duel, Score, play_games, play_pairs
from benchmarks.journal import Journal
from benchmarks.opponents import beginner, heuristic
from benchmarks.phases import PHASES, phases
from benchmarks.players import (
    GreedyPlayer,
    Player,
    RandomPlayer,
    evaluator,
    first_smallest,
    network_path,
    player,
    worth_by,
)
from benchmarks.rolled_out import RolledOut, Settings, merged, roll_out_siblings
from benchmarks.self_play import played

Packed = NDArray[np.uint64]
SEED = 2**40 + 7


def numbered(*games: int) -> NDArray[np.uint64]:
    return np.array(games, np.uint64)


# Dice -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "game", "turn"), [(0, 0, 1), (1, 5, 2), (SEED, 2**33 + 1, 60), (2**64 - 1, 7, 4000)])
def test_dice_are_those_of_the_library(seed: int, game: int, turn: int) -> None:
    word = philox_words(seed, turn << 64 | game)[0]
    number = word * 36 >> 32
    assert dice.rolls(seed, numbered(3, game), turn)[1].tolist() == [number // 6 + 1, number % 6 + 1]
    choice = philox_words(seed, 1 << 120 | turn << 64 | game)[0]
    assert int(dice.chance(seed, numbered(game), turn)[0]) == choice
    assert dice.below(numbered(choice), 1000).tolist() == [choice * 1000 >> 32]


def test_every_draw_for_the_start_is_equally_likely() -> None:
    rolls = dice.opening_rolls(1, np.arange(60_000, dtype=np.uint64))
    draws, counts = np.unique(rolls, axis=0, return_counts=True)
    assert draws.tolist() == [[a, b] for a in range(1, 7) for b in range(1, 7) if a != b]
    assert abs(counts - 2000).max() < 5 * 2000**0.5


# Games ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["backgammon", "tavli", "hypergammon", "long-nardy"])
def test_random_players_play_the_games_of_playouts(variant: str) -> None:
    random = RandomPlayer(variant)
    points = play_games(random, random, variant, SEED, np.arange(3, 15, dtype=np.uint64), np.ones(12, np.bool_))
    games = vrhcaby.playouts(Position.start(variant), 12, seed=SEED, first_game=3, opening=True)
    assert points.tolist() == np.where(games.winners == 0, games.points, -games.points).tolist()


def greedy(variant: str) -> Player:
    return GreedyPlayer("heuristic", lambda positions, children, offsets: heuristic(children, variant), variant)


@pytest.mark.parametrize("variant", ["hypergammon", "fevga"])
def test_a_player_gets_from_himself_what_he_gives(variant: str) -> None:
    for same in (RandomPlayer(variant), greedy(variant)):
        points = play_pairs(same, same, variant, 1, range(5))
        assert points.any()
        assert (points.sum(1) == 0).all()


def test_the_first_player_begins_the_first_game_of_a_pair() -> None:
    one, other = RandomPlayer("hypergammon"), greedy("hypergammon")
    points = play_pairs(one, other, "hypergammon", 3, range(20))
    assert points.tolist() == (-play_pairs(other, one, "hypergammon", 3, range(20))[:, ::-1]).tolist()
    games, begins = np.repeat(np.arange(20, dtype=np.uint64), 2), np.tile([True, False], 20)
    assert points.ravel().tolist() == play_games(one, other, "hypergammon", 3, games, begins).tolist()
    assert len(set(points[:, 0])) > 1


def test_a_pair_does_not_depend_on_its_block() -> None:
    one, other = RandomPlayer("hypergammon"), greedy("hypergammon")
    parts = [play_pairs(one, other, "hypergammon", 3, block) for block in (range(4, 5), range(5, 9))]
    assert np.concatenate(parts).tolist() == play_pairs(one, other, "hypergammon", 3, range(4, 9)).tolist()


def test_the_player_on_roll_first_is_the_one_who_begins() -> None:
    class Witness:
        """Remembers the positions of his first turn."""

        name = "witness"
        seen: Packed | None = None

        def play(self, positions: Packed, rolls: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
            self.seen = positions if self.seen is None else self.seen
            return RandomPlayer("backgammon").play(positions, rolls, chance)

    first, second = Witness(), Witness()
    play_games(first, second, "backgammon", 1, numbered(0), np.array([True]))
    start = vrhcaby.pack([Position.start()])
    assert first.seen is not None
    assert second.seen is not None
    assert first.seen.tolist() == start.tolist()
    assert second.seen.tolist() != start.tolist()


def test_an_illegal_move_ends_the_duel() -> None:
    class Cheat:
        name = "cheat"

        def play(self, positions: Packed, rolls: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
            return positions

    with pytest.raises(ValueError, match=r"cheat has made a move that is not legal: position hypergammon:\S+, dice"):
        play_pairs(Cheat(), RandomPlayer("hypergammon"), "hypergammon", 1, range(2))


def test_the_first_of_equals_is_played() -> None:
    values = np.array([2.0, 1.0, 1.0, 5.0, 0.0, 0.0, -1.0])
    assert first_smallest(values, np.array([0, 3, 4, 7])).tolist() == [1, 3, 6]


def test_children_are_shown_with_their_parents() -> None:
    class Incremental:
        """Judges children by the beginner's network, and only with their parents."""

        variants = ("hypergammon",)
        network = evaluator("beginner", "hypergammon")

        def evaluate(self, positions: Packed) -> NDArray[np.float32]:
            raise AssertionError("evaluate")

        def evaluate_children(
            self, positions: Packed, children: Packed, offsets: NDArray[np.int64]
        ) -> NDArray[np.float32]:
            assert offsets[-1] == len(children)
            parents = np.repeat(positions, np.diff(offsets), 0)
            unhit = (children[:, :2] == parents[:, 2:]).all(1)  # the next player's checkers stand where they stood
            assert unhit.any()
            return self.network.evaluate(children)

    incremental = GreedyPlayer("incremental", worth_by(Incremental(), "hypergammon"), "hypergammon")
    usual = player("beginner", "hypergammon")
    opponent = RandomPlayer("hypergammon")
    points = [play_pairs(one, opponent, "hypergammon", 2, range(20)).tolist() for one in (incremental, usual)]
    assert points[0] == points[1]


def test_a_network_chooses_as_the_native_duel_does() -> None:
    from vrhcaby.training._self_play import duel as native

    network = vrhcaby.load_evaluator(beginner("tavli"))  # in tavli a game begins with an ordinary roll
    mean, error = native(network, None, "tavli", games=40, seed=9)
    score = Score.of(play_pairs(player("beginner", "tavli"), player("random", "tavli"), "tavli", 9, range(20)))
    assert (score.mean, score.error) == pytest.approx((mean, error), abs=1e-12)


# Statistics -----------------------------------------------------------------------------------------------------------


def test_mean_and_error_are_those_of_pairs() -> None:
    points = np.array([[1, -1], [2, 2], [-3, 1], [1, 1], [1, -2]])
    score = Score.of(points)
    pairs = points.mean(1)
    assert score.mean == pytest.approx(pairs.mean())
    assert score.error == pytest.approx(pairs.std(ddof=1) / len(pairs) ** 0.5)
    assert score.games == {1: 5, -1: 1, 2: 2, -3: 1, -2: 1}
    assert Score.of(points[:2]) + Score.of(points[2:]) == score
    assert Score.from_json(json.loads(json.dumps(score.to_json()))) == score
    assert np.isnan(Score.of(points[:1]).error)


def test_trials_in_parts_are_trials_at_once() -> None:
    samples = np.random.RandomState(1).uniform(-1, 1, 50)

    def result(part: NDArray[np.float64]) -> RolledOut:
        error = part.std(ddof=1) / len(part) ** 0.5
        return RolledOut(float(part.mean()), float(error), np.full(5, part.mean()), len(part))

    both, whole = merged(result(samples[:12]), result(samples[12:])), result(samples)
    assert both.trials == 50
    assert (both.equity, both.error) == pytest.approx((whole.equity, whole.error))
    assert both.chances == pytest.approx(whole.chances)


def test_rolling_out_stops_at_the_wanted_error() -> None:
    children, _ = vrhcaby.legal_moves(vrhcaby.pack([Position.start()]), (3, 1))
    settings = Settings(str(beginner("backgammon")), "backgammon", 3, 0.004, 0.1, 2000, 1)
    results = roll_out_siblings(children, settings)
    best = min(result.equity for result in results)
    assert len({result.trials for result in results}) > 1
    for result in results:
        assert result.error <= max(0.004, 0.1 * (result.equity - best))
    capped = roll_out_siblings(children[:2], settings._replace(error=1e-6, share=0.0, most_trials=100))
    assert [result.trials for result in capped] == [100, 100]


# Journals and processes -----------------------------------------------------------------------------------------------


def test_a_journal_goes_on_after_a_kill(tmp_path: Path) -> None:
    path, work = tmp_path / "journal.jsonl", {"what": "sums", "seed": 1}
    journal = Journal(path, work)
    journal.add({"piece": 0})
    journal.add({"piece": 1})
    with path.open("a") as file:
        file.write('{"piece": 2')  # killed while writing
    again = Journal(path, work)
    assert again.entries == [{"piece": 0}, {"piece": 1}]
    again.add({"piece": 2})
    assert Journal(path, work).entries == [{"piece": 0}, {"piece": 1}, {"piece": 2}]
    with pytest.raises(ValueError, match="of other work: seed = 1 there, 2 here"):
        Journal(path, {**work, "seed": 2})


@pytest.mark.parametrize("workers", [1, 2])
def test_every_piece_is_done_once(workers: int) -> None:
    assert sorted(processes.run(abs, range(-7, 0), workers)) == list(range(1, 8))


def test_a_duel_goes_on_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel, "BLOCK", 2)
    asked = Duel("heuristic", "random", "hypergammon", 5)
    *_, whole = duel.play(asked, 22)
    path = tmp_path / "duel.jsonl"
    running = duel.play(asked, 14, out=path)
    for _ in range(3):
        next(running)
    running.close()
    assert len(path.read_text().splitlines()) == 3
    *_, shorter = duel.play(asked, 14, out=path)  # ends with a block of one pair
    assert shorter.pairs == 7
    begun, *_, longer = duel.play(asked, 22, out=path)
    assert begun.pairs == 6
    assert longer == whole
    again, *rest = duel.play(asked, 22, out=path)
    assert (again, rest) == (whole, [])
    with pytest.raises(ValueError, match="of other work: seed"):
        next(duel.play(asked._replace(seed=6), 22, out=path))


def test_an_odd_number_of_games_is_refused() -> None:
    with pytest.raises(ValueError, match="games = 3: must be an even number"):
        next(duel.play(Duel("random", "random", "hypergammon", 1), 3))


# Players --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_beginner_has_played_100_000_games(variant: str) -> None:
    assert variant in evaluator("beginner", variant).variants
    training = read_training(beginner(variant))[1]
    assert training["played"] == 100_000
    family = vrhcaby.variant(training["variant"])
    assert family.direction == vrhcaby.variant(variant).direction


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_heuristic_is_fair_to_both_sides(variant: str) -> None:
    positions = played(RandomPlayer(variant), 2, 1, variant).positions
    turned_round = np.ascontiguousarray(positions[:, [2, 3, 0, 1]])
    assert heuristic(positions, variant) == pytest.approx(-heuristic(turned_round, variant))


@pytest.mark.parametrize("variant", ["backgammon", "long-nardy", "fevga"])
def test_the_heuristic_beats_chance(variant: str) -> None:
    score = Score.of(play_pairs(greedy(variant), RandomPlayer(variant), variant, 1, range(25)))
    assert score.mean > 1 + 3 * score.error


def test_a_network_is_called_by_its_weights() -> None:
    assert player("shipped").name.startswith("backgammon-")
    assert player("shipped", "tavla").name == player("backgammon", "tavla").name != player("beginner", "tavla").name
    assert network_path("mine/my.npz") == Path("mine/my.npz")
    with pytest.raises(ValueError, match="'hypergammon' plays hypergammon: not variant 'backgammon'"):
        player("hypergammon")


# Phases ---------------------------------------------------------------------------------------------------------------

EXAMPLES = {
    "bear-off": Position.from_points(own={6: 3, 2: 2}, opponent={1: 5}),
    "race": Position.from_points(own={8: 2, 5: 13}, opponent={7: 1, 2: 14}),
    "bear-off contact": Position.from_points(own={6: 3, 2: 2}, opponent={"bar": 1, 3: 14}),
    "back game": Position.from_points(own={24: 2, 22: 2, 6: 5, 5: 3, 4: 3}, opponent={13: 3, 8: 4, 6: 4, 4: 4}),
    "blitz": Position.from_points(own={"bar": 1, 24: 1, 13: 5, 8: 3, 6: 5}, opponent={6: 4, 5: 3, 4: 3, 8: 3, 24: 2}),
    "prime v prime": Position.from_points(
        own={24: 1, 7: 3, 6: 3, 5: 3, 4: 3, 8: 2}, opponent={24: 1, 7: 4, 6: 4, 5: 3, 4: 3}
    ),
    "opening": Position.start(),
    "prime": Position.from_points(own={13: 2, 8: 3, 7: 3, 6: 3, 5: 2, 4: 2}, opponent={24: 1, 13: 5, 6: 5, 3: 4}),
    "holding": Position.from_points(own={20: 2, 13: 3, 8: 3, 6: 7}, opponent={13: 4, 8: 4, 6: 5, 4: 2}),
    "ace point": Position.from_points(own={24: 2, 6: 5, 5: 4, 4: 4}, opponent={8: 3, 6: 5, 4: 4, 3: 3}),
    "contact": Position.from_points(own={14: 1, 8: 5, 6: 5, 3: 4}, opponent={15: 1, 8: 5, 6: 5, 3: 4}),
}


def test_every_phase_has_an_example() -> None:
    assert tuple(EXAMPLES) == PHASES
    positions = vrhcaby.pack(EXAMPLES.values())
    assert phases(positions).tolist() == list(PHASES)
    assert phases(vrhcaby.pack([example.flip() for example in EXAMPLES.values()])).tolist() == list(PHASES)


# Positions with known values ------------------------------------------------------------------------------------------


def test_errors_on_known_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    positions = vrhcaby.pack([EXAMPLES["race"], EXAMPLES["opening"], EXAMPLES["holding"]])
    told = labelled.judged(evaluator("beginner"), positions)[:, 1:]
    told[0, 0] += 0.03
    told[1, 1] -= 0.04
    labelled.write(tmp_path / "known.tsv", positions, told, np.full(3, 0.001))
    again, truth = labelled.read(tmp_path / "known.tsv")
    assert again.tolist() == positions.tolist()
    assert truth[:, 1:] == pytest.approx(told, abs=1e-5)
    arguments = ["score", "beginner", "--positions", str(tmp_path / "known.tsv")]
    assert strength.main([*arguments, "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out).values()
    assert report["positions"] == {"all": 3, "race": 1, "opening": 1, "holding": 1}
    (errors,) = report["errors"].values()
    assert errors["all"]["win"] == pytest.approx(0.03 / 3**0.5, abs=1e-5)
    assert errors["all"]["equity"] == pytest.approx(((0.06**2 + 0.04**2) / 3) ** 0.5, abs=1e-5)
    assert errors["opening"]["win gammon"] == pytest.approx(0.04, abs=1e-5)
    assert strength.main(arguments) == 0
    assert "0.0416" in capsys.readouterr().out


def test_positions_as_counts(tmp_path: Path) -> None:
    start = Position.start()
    titles = (
        "own\topponent\tequity of the player on roll\tx\twin\twin gammon\twin backgammon\tlose gammon\tlose backgammon"
    )
    sides = "\t".join(" ".join(map(str, side)) for side in (start.own, start.opponent))
    path = tmp_path / "counts.tsv"
    path.write_text(f"{titles}\n{sides}\t0.5\t9\t0.6\t0.2\t0.1\t0.15\t0.05\n")
    positions, truth = labelled.read(path)
    assert positions.tolist() == vrhcaby.pack([start]).tolist()
    assert truth.tolist() == [[0.5, 0.6, 0.2, 0.1, 0.15, 0.05]]
    path.write_text(path.read_text() + f"{sides}\t0.5\n")
    with pytest.raises(ValueError, match=r"counts\.tsv:3: "):
        labelled.read(path)
    path.write_text(titles.replace("win gammon", "gammons") + "\n")
    with pytest.raises(ValueError, match="0 columns have the title 'win gammon'"):
        labelled.read(path)


# Decisions and races --------------------------------------------------------------------------------------------------


def test_candidates_are_taken_from_every_judge_in_turn() -> None:
    one = np.array([0.5, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 1.0, 2.0])
    other = np.array([0.0, 0.5, 0.6, 0.4, 0.7, 0.1, 0.3, 1.0, 0.0])
    # The first decision has seven plays, the second two.
    assert decisions.candidates([one, other], np.array([0, 7, 9])) == [[1, 0, 2, 5, 3], [0, 1]]


def some_decisions(**changes: Any) -> decisions.Decisions:
    """The openings 3-1 and 6-5. In each three plays are known, of which the first is best."""
    start = vrhcaby.pack([Position.start()])
    fields: dict[str, Any] = {
        "positions": np.repeat(start, 2, 0),
        "dice": np.array([[1, 3], [5, 6]], np.uint8),
        "phase": np.array([PHASES.index("opening"), PHASES.index("race")], np.uint8),
        "frequency": np.array([0.75 if phase == "opening" else 0.05 for phase in PHASES]),
        "offsets": np.array([0, 3, 6]),
        "plays": np.array([4, 0, 2, 1, 0, 3], np.uint16),
        "equities": np.array([0.2, 0.1, -0.1, 0.0, -0.25, -0.5], np.float32),
        "errors": np.full(6, 0.003, np.float32),
        "description": {"format": decisions.FORMAT},
    }
    return decisions.Decisions(**{**fields, **changes})


class Chooser:
    """Plays the children with the given numbers."""

    name = "chooser"

    def __init__(self, *plays: int) -> None:
        self.plays = plays

    def play(self, positions: Packed, rolls: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
        return vrhcaby.play(positions, rolls, self.plays)


@pytest.mark.parametrize(
    ("plays", "loss", "unknown"),
    [((4, 1), [0.0, 0.0], [False, False]), ((0, 0), [0.1, 0.25], [False, False]), ((5, 3), [0.3, 0.5], [True, False])],
)
def test_losses_against_the_best_play(plays: tuple[int, int], loss: list[float], unknown: list[bool]) -> None:
    found, outside = decisions.losses(some_decisions(), Chooser(*plays))
    assert found == pytest.approx(loss)
    assert outside.tolist() == unknown


def test_the_report_weighs_phases_by_their_frequency() -> None:
    first, _ = decisions.losses(some_decisions(), Chooser(4, 1))
    loss, _ = decisions.losses(some_decisions(), Chooser(0, 0))
    report = decisions.report(some_decisions(), loss, first)
    assert report["mean"].mean == report["more than the first"].mean == pytest.approx(0.175)
    assert report["mean"].error == pytest.approx(0.075)
    assert report["phases as frequent as in games"] == pytest.approx((0.75 * 0.1 + 0.05 * 0.25) / 0.8)
    assert report["best play"] == 0
    assert report["by phase"]["race"].mean == pytest.approx(0.25)


def test_decisions_are_even_and_distinct() -> None:
    network = player("beginner")
    positions, rolls, phase, frequency = decisions.sample(network, 40, 22, seed=3)
    assert np.bincount(phase).tolist() == [2] * len(PHASES)
    assert phases(positions).tolist() == [PHASES[number] for number in phase]
    assert (vrhcaby.count_moves(positions, rolls.astype(np.int64)) > 1).all()
    assert len({(*row, *roll) for row, roll in zip(positions.tolist(), rolls.tolist(), strict=True)}) == 22
    assert frequency.sum() == pytest.approx(1)
    assert frequency[PHASES.index("opening")] < frequency[PHASES.index("blitz")]


def test_decisions_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal, out = tmp_path / "journal.jsonl", tmp_path / "decisions.npz"
    options = ["make", "--network", "beginner", "--judges", "beginner", "backgammon"]
    options += ["--count", "11", "--games", "20", "--turns", "1", "--error", "0.1"]
    assert decisions.main([*options, "--journal", str(journal), "--out", str(out)]) == 0
    made = decisions.read(out)
    assert len(made.dice) == 11
    assert made.description["judges"][0] == player("beginner").name
    # Only what is missing is done again, and the result is the same.
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([lines[0], *lines[5:]]))
    assert decisions.main([*options, "--journal", str(journal), "--out", str(out)]) == 0
    again = decisions.read(out)
    for name, array in vars(made).items():
        assert np.array_equal(array, vars(again)[name]), name
    assert decisions.main(["score", "beginner", "random", "--file", str(out), "--json"]) == 0
    players = json.loads(capsys.readouterr().out)["players"]
    assert players[player("beginner").name]["mean"][0] < players["random"]["mean"][0]


def test_races_from_the_command_line(tmp_path: Path) -> None:
    journal, out = tmp_path / "journal.jsonl", tmp_path / "races.tsv"
    options = ["--network", "beginner", "--count", "2", "--games", "20", "--error", "0.2", "--most-trials", "80"]
    assert races.main([*options, "--journal", str(journal), "--out", str(out)]) == 0
    positions, truth = labelled.read(out)
    assert phases(positions).tolist() == ["race", "race", "bear-off", "bear-off"]
    assert ((vrhcaby.pips(positions)[:2] >= 60) & (vrhcaby.pips(positions)[:2] <= 110)).all()
    assert truth == pytest.approx(labelled.judged(evaluator("beginner"), positions), abs=0.3)
    text = out.read_text()
    assert races.main([*options, "--journal", str(journal), "--out", str(out)]) == 0
    assert out.read_text() == text


def test_a_duel_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["duel", "heuristic", "random", "--variant", "hypergammon", "--games", "20", "--seed", "5"]
    assert strength.main([*words, "--json", "--out", str(tmp_path / "duel.jsonl")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["mean"] == Score.from_json(report).mean
    assert report["first"] == "heuristic"
    assert strength.main(words) == 0
    assert f"{report['mean']:+.4f}" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        strength.main(["duel", "nobody", "random"])
    assert stopped.value.code == 2
