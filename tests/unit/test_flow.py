"""How games and matches go: who starts and with which dice, what a game is worth, last rolls."""

from __future__ import annotations

import pytest

from tests import reference
from tests.cases import Record, load, name_of, variant_of
from vrhcaby import VARIANTS, MatchState, Position, Variant, playouts, variant

# starter, opening, next starter, points, backgammon, cube, match length
FLOW = {
    "backgammon": ("higher", "both_dice", "draw", (1, 2, 3), "any", True, 7),
    "vrhcaby": ("higher", "both_dice", "draw", (1, 2, 3), "all", False, 1),
    "tavli": ("lower", "fresh", "draw", (1, 2), "none", False, 5),
    "short-nardy": ("higher", "both_dice", "draw", (1, 2, 3), "any", False, 1),
    "long-nardy": ("higher", "fresh", "draw", (1, 2), "none", False, 1),
    "nackgammon": ("higher", "both_dice", "draw", (1, 2, 3), "any", True, 7),
    "hypergammon": ("higher", "both_dice", "draw", (1, 2, 3), "any", True, 7),
    "portes": ("higher", "fresh", "winner", (1, 2), "none", False, 5),
    "tavla": ("higher", "fresh", "winner", (1, 2), "none", False, 5),
    "fevga": ("higher", "fresh", "winner", (1, 2), "none", False, 5),
}


@pytest.mark.parametrize("kind", VARIANTS.values(), ids=lambda kind: kind.name)
def test_flow(kind: Variant) -> None:
    starter, opening, next_starter, points, backgammon, cube, match_length = FLOW[kind.name]
    assert (kind.starter, kind.opening, kind.next_starter) == (starter, opening, next_starter)
    assert kind.points[: len(points)] == points
    assert (kind.backgammon, kind.cube, kind.match_length) == (backgammon, cube, match_length)
    assert kind.last_roll == "none"


# Points -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", load("scores.json"), ids=name_of)
def test_score(case: Record) -> None:
    kind = variant_of(case)
    checkers = reference.checkers(kind)
    lost = Position(reference.side(case["loser"], checkers), reference.side("off", checkers), kind)
    assert lost.is_over
    assert lost.result == -case["points"]
    assert lost.flip().result == case["points"]


def test_no_result_before_the_end() -> None:
    for kind in VARIANTS.values():
        assert Position.start(kind).result is None
        assert not Position.start(kind).is_over


# The first roll -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", VARIANTS.values(), ids=lambda kind: kind.name)
def test_first_roll(kind: Variant) -> None:
    """Three checkers on the last point come off at once with a double only."""
    position = position_of("1:3", "6:2", kind)
    games = playouts(position, 3000, seed=1, opening=True)
    at_once = games.turns == 1
    assert (games.winners[at_once] == 0).all()
    if kind.opening == "both_dice":
        assert not at_once.any()
    else:
        assert at_once.mean() == pytest.approx(1 / 6, abs=0.03)
    assert (playouts(position, 3000, seed=1).turns == 1).mean() == pytest.approx(1 / 6, abs=0.03)


# The last roll ------------------------------------------------------------------------------------------------------

DRAW = (-1, 0, 2)  # winner, points, turns
STARTER_WINS = (0, 1, 1)


@pytest.mark.parametrize(
    ("last_roll", "opponent", "game"),
    [
        ("none", "1", STARTER_WINS),
        ("second_player", "1", DRAW),
        ("ge14", "1", DRAW),
        ("second_player", "1:2", DRAW),
        ("ge14", "1:2", STARTER_WINS),
        ("second_player", "24:2", (0, 1, 2)),
        ("none", "1:15", (0, 2, 1)),
        ("second_player", "1:15", (0, 1, 2)),  # what comes off with the last roll counts
    ],
)
def test_last_roll_of_the_second_player(last_roll: str, opponent: str, game: tuple[int, int, int]) -> None:
    kind = variant("long-nardy").replace(last_roll=last_roll)
    games = playouts(position_of("1", opponent, kind), 50, seed=2)
    played = zip(games.winners.tolist(), games.points.tolist(), games.turns.tolist(), strict=True)
    assert set(played) == {game}


@pytest.mark.parametrize("last_roll", ["none", "second_player", "ge14"])
def test_no_last_roll_for_the_starter(last_roll: str) -> None:
    kind = variant("long-nardy").replace(last_roll=last_roll)
    games = playouts(position_of("24:15", "1", kind), 50, seed=3)
    assert set(zip(games.winners.tolist(), games.turns.tolist(), strict=True)) == {(1, 2)}


def position_of(own: str, opponent: str, kind: Variant) -> Position:
    checkers = reference.checkers(kind)
    return Position(reference.side(own, checkers), reference.side(opponent, checkers), kind)


# The next game ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", VARIANTS.values(), ids=lambda kind: kind.name)
def test_who_starts(kind: Variant) -> None:
    higher, lower = (1, 0) if kind.name == "tavli" else (0, 1)
    assert kind.starting_player((6, 1)) == higher
    assert kind.starting_player((1, 2)) == lower
    assert kind.starting_player((4, 4)) is None
    with pytest.raises(ValueError, match=r"draw = \(0, 7\)"):
        kind.starting_player((0, 7))


def test_overshoot_ends_a_match() -> None:
    """S8: at 4-4 in a match to 5 a double win ends it 6-4."""
    match = MatchState(length=variant("tavli").match_length, score=(4, 4)).after_game(0, 2)
    assert (match.score, match.winner) == ((6, 4), 0)
    with pytest.raises(ValueError, match="is over"):
        match.after_game(0, 1)


def test_a_match_goes_on_until_the_points_are_there() -> None:
    """CU04: a single game at cube 1 does not win a match to 3."""
    match = MatchState(length=3).after_game(0, 1)
    assert (match.score, match.winner, match.crawford) == ((1, 0), None, False)


def test_crawford_game() -> None:
    match = MatchState(length=7, score=(4, 5), cube=2, cube_owner=1).after_game(0, 1)
    assert (match.score, match.crawford, match.cube, match.cube_owner) == ((6, 5), True, 1, None)
    assert not match.after_game(1, 1).crawford
    assert not match.after_game(None, 0).crawford
    assert not MatchState(length=1).after_game(None, 0).crawford
    assert not MatchState(length=7, score=(4, 5)).after_game(1, 2).crawford


@pytest.mark.parametrize(("cube", "won"), [(1, 1), (2, 6)])
def test_jacoby(cube: int, won: int) -> None:
    owner = None if cube == 1 else 1
    match = MatchState(jacoby=True, cube=cube, cube_owner=owner).after_game(1, 3)
    assert (match.score, match.winner) == ((0, won), None)
    assert MatchState(score=(2, 5)).after_game(0, 3).score == (5, 5)


@pytest.mark.parametrize(("winner", "points"), [(2, 1), (0, 0), (None, 1), (0, 10), (0, True)])
def test_impossible_results(winner: int | None, points: int) -> None:
    with pytest.raises(ValueError, match=r"winner =|points ="):
        MatchState(length=5).after_game(winner, points)
