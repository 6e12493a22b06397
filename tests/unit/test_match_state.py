"""Match and state: what the IDs mean, both ways, and what a state cannot be."""

from __future__ import annotations

import pickle
import re

import pytest

from tests.cases import Record, load, name_of
from tests.reference import side
from vrhcaby import FormatError, MatchState, Position, PositionError, State, read_id, variant
from vrhcaby.match_state import MatchView

XGIDS = load("ids_xgid.json")
GNUBG_IDS = load("ids_gnubg.json")
INVALID = load("ids_invalid.json")

START = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-"


# IDs ------------------------------------------------------------------------------------------------------------------


def test_known_xgids_come_back() -> None:
    empty = "-" * 26
    for known in XGIDS:
        text = known["xgid"]
        if text.startswith(empty):
            with pytest.raises(PositionError):
                read_id(text)
            continue
        state = read_id(text)
        assert state.xgid == f"XGID={text}"
        boards = (side(known["bottom"]), side(known["top"]))
        assert (state.position.own, state.position.opponent) == (boards if state.on_roll == 1 else boards[::-1])
        if state.offer in (None, "double"):
            assert read_id(state.gnubg_id).gnubg_id == state.gnubg_id
        if "position_id" in known:
            assert state.position.gnubg_id == known["position_id"]


def test_known_gnubg_ids_come_back() -> None:
    for known in GNUBG_IDS:
        text = f"{known['position_id']}:{known['match_id']}"
        state = read_id(text)
        assert state.gnubg_id == text
        assert (state.on_roll, state.turn) == (known["on_roll"], known["turn"])
        assert state.dice == (tuple(known["dice"]) if known["dice"] else None)
        assert state.offer == ("double" if state.turn != state.on_roll else None)
        match = state.match
        assert (match.length, list(match.score)) == (known["length"], known["score"])
        assert (match.cube, match.cube_owner, match.crawford) == (
            known["cube"], known["cube_owner"], known["crawford"],
        )  # fmt: skip
        other = read_id(state.xgid)
        assert other.xgid == state.xgid
        # The lengths are those of matches, so all that an XGID leaves out is whether the game has begun.
        assert other.gnubg_id == text or state.game == "none"


def test_xgid_in_full() -> None:
    state = read_id("XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8")
    assert state == State(
        position=Position.from_id("jM/gDQDYzeAJIA"),
        match=MatchState(length=3, cube=2, cube_owner=1, cube_limit=256),
        dice=(6, 3),
        on_roll=0,
        turn=0,
    )
    assert state.gnubg_id == "jM/gDQDYzeAJIA:EQFvAAAAAAAE"


def test_gnubg_id_in_full() -> None:
    assert read_id(f"{START}:QYkqASAAIAAA") == State(
        position=Position.start(),
        match=MatchState(length=9, score=(2, 4), cube=2, cube_owner=0, jacoby=True),
        dice=(5, 2),
        on_roll=1,
        turn=1,
    )


def test_old_match_id_stays_old() -> None:
    state = read_id(f"{START}:QYkqASAAIAA")
    assert state.match.jacoby is None
    assert state.gnubg_id == f"{START}:QYkqASAAIAA"


def test_scores_of_a_money_session_are_kept_and_decide_nothing() -> None:
    text = "XGID=-A-Bb-DBB---bBa---bcbbaA-A:0:0:-1:00:4:0:0:0:8"
    state = read_id(text)
    assert (state.match.length, state.match.score) == (0, (0, 4))
    assert state.match.seen_by(state.on_roll).away is None
    assert state.xgid == text


@pytest.mark.parametrize(
    ("rules", "jacoby", "beavers"), [(0, False, False), (1, True, False), (2, False, True), (3, True, True)]
)
def test_rules_of_a_money_session(rules: int, jacoby: bool, beavers: bool) -> None:
    text = f"{START_XGID}:0:0:1:00:0:0:{rules}:0:10"
    state = read_id(text)
    assert (state.match.jacoby, state.match.beavers, state.match.crawford) == (jacoby, beavers, False)
    assert state.xgid == text
    assert read_id(state.gnubg_id).match.jacoby == jacoby


@pytest.mark.parametrize(
    ("letter", "offer", "turn"), [("D", "double", 1), ("B", "beaver", 0), ("R", "raccoon", 1), ("00", None, 0)]
)
def test_who_answers_an_offer(letter: str, offer: str | None, turn: int) -> None:
    text = f"{START_XGID}:0:0:-1:{letter}:0:0:3:0:10"
    state = read_id(text)
    assert (state.offer, state.on_roll, state.turn, state.dice, state.match.cube) == (offer, 0, turn, None, 1)
    assert state.xgid == text


def test_double_on_offer_in_both_forms() -> None:
    doubled = read_id(f"{START_XGID}:0:0:-1:D:0:0:1:0:10")
    again = read_id(doubled.gnubg_id)
    assert (again.offer, again.on_roll, again.turn, again.match.jacoby) == ("double", 0, 1, True)
    assert again.xgid == doubled.xgid


def test_ids_read_alone() -> None:
    money = State(position=Position.start())
    assert money.match == MatchState()
    assert (money.on_roll, money.turn, money.dice, money.offer, money.game) == (1, 1, None, None, "playing")
    assert read_id("start") == read_id(START) == read_id(f"backgammon:{START}") == money
    assert read_id("start", variant="long-nardy").position == Position.start("long-nardy")
    greedy = variant("tavli").replace(full_use="greedy")
    assert read_id("start", variant=greedy).position.variant == greedy
    assert read_id(f"tavli{{full_use=greedy}}:{START}").position == Position.start(greedy)
    assert read_id(money.position.id) == money


@pytest.mark.parametrize("case", INVALID, ids=name_of)
def test_what_is_wrong_is_named(case: Record) -> None:
    with pytest.raises(FormatError, match=re.escape(case["names"])):
        read_id(case["text"])


@pytest.mark.parametrize("text", ["AAAAAAAAAAAAAA", "AQAAAAAAAgAAAA"])
def test_board_that_cannot_be(text: str) -> None:
    # Nobody has a checker left; one checker each, on the same point.
    with pytest.raises(PositionError):
        read_id(text)


def test_text_that_is_no_text() -> None:
    with pytest.raises(TypeError, match="must be a string"):
        read_id(b"start")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown variant 'chess'"):
        read_id("start", variant="chess")


# What one form cannot hold --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"match": MatchState(resignation=2)}, "resignation = 2"),
        ({"game": "over"}, "game = 'over'"),
        ({"turn": 0}, "turn = 0"),
        ({"match": MatchState(cube=2**16)}, "cube_exponent = 16"),
        ({"position": Position.start("fevga")}, "an XGID is for players who run towards each other"),
    ],
)
def test_what_an_xgid_cannot_hold(changes: Record, message: str) -> None:
    state = State(**({"position": Position.start()} | changes))
    with pytest.raises(FormatError, match=message):
        _ = state.xgid


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offer": "beaver"}, "offer = 'beaver'"),
        ({"offer": "raccoon"}, "offer = 'raccoon'"),
        ({"match": MatchState(score=(40000, 0))}, "score_0 = 40000"),
        ({"position": Position.start("long-nardy")}, "a GNU match ID is for players who run towards each other"),
    ],
)
def test_what_a_gnubg_id_cannot_hold(changes: Record, message: str) -> None:
    state = State(**({"position": Position.start()} | changes))
    with pytest.raises(FormatError, match=message):
        _ = state.gnubg_id


def test_what_a_gnubg_id_holds_and_an_xgid_does_not() -> None:
    state = State(
        position=Position.start(), match=MatchState(length=5, jacoby=True, resignation=3), turn=0, game="resigned"
    )
    assert read_id(state.gnubg_id) == state
    begun = State(position=Position.start(), dice=(3, 1), game="none")
    assert read_id(begun.gnubg_id).game == "none"
    assert read_id(begun.xgid).game == "playing"


def test_what_is_not_stated_is_written_as_usual() -> None:
    assert read_id(START).xgid == f"{START_XGID}:0:0:1:00:0:0:0:0:10"
    assert read_id(START).gnubg_id == f"{START}:cAkAAAAAAAAE"


def test_hypergammon() -> None:
    start = Position.start("hypergammon")
    state = State(position=start)
    assert read_id(state.xgid, variant="hypergammon") == State(
        position=start, match=MatchState(cube_limit=1024, beavers=False)
    )
    assert read_id(state.gnubg_id, variant="hypergammon") == state


# Match ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "player", "view"),
    [
        (MatchState(), 0, MatchView(None, 1, None, False, False, True)),
        (MatchState(length=7, score=(3, 5)), 0, MatchView((4, 2), 1, None, False, False, True)),
        (MatchState(length=7, score=(3, 5)), 1, MatchView((2, 4), 1, None, False, False, True)),
        (MatchState(cube=4, cube_owner=0), 0, MatchView(None, 4, "own", False, False, True)),
        (MatchState(cube=4, cube_owner=0), 1, MatchView(None, 4, "opponent", False, False, False)),
        # The cube rests in the Crawford game, whoever leads.
        (MatchState(length=5, score=(4, 2), crawford=True), 0, MatchView((1, 3), 1, None, True, False, False)),
        (MatchState(length=5, score=(4, 2), crawford=True), 1, MatchView((3, 1), 1, None, True, False, False)),
        (MatchState(length=5, score=(4, 2)), 1, MatchView((3, 1), 1, None, False, True, True)),
        # A match to one point has no Crawford game, none after it, and no cube.
        (MatchState(length=1), 0, MatchView((1, 1), 1, None, False, False, False)),
        (MatchState(length=1, crawford=True), 0, MatchView((1, 1), 1, None, False, False, False)),
        (MatchState(cube=1024, cube_limit=1024), 0, MatchView(None, 1024, None, False, False, False)),
        (MatchState(cube=512, cube_limit=1024), 0, MatchView(None, 512, None, False, False, True)),
        (MatchState(cube=2, cube_limit=1), 0, MatchView(None, 2, None, False, False, True)),
    ],
)
def test_seen_by(match: MatchState, player: int, view: MatchView) -> None:
    assert match.seen_by(player) == view


@pytest.mark.parametrize("player", [-1, 2, True, None, "0"])
def test_seen_by_nobody(player: object) -> None:
    with pytest.raises(ValueError, match="player = "):
        MatchState().seen_by(player)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": -1}, "length = -1"),
        ({"length": True}, "length = True"),
        ({"length": 7.0}, "length = 7.0"),
        ({"score": (0, -1)}, "score = "),
        ({"score": (0, 0, 0)}, "score = "),
        ({"score": [0, 0]}, "score = "),
        ({"cube": 0}, "cube = 0"),
        ({"cube": 3}, "cube = 3"),
        ({"cube": 2.0}, "cube = 2.0"),
        ({"cube_owner": 3}, "cube_owner = 3"),
        ({"cube_limit": 1000}, "cube_limit = 1000"),
        ({"cube": 64, "cube_limit": 32}, "cube = 64: larger than its limit 32"),
        ({"crawford": 1}, "crawford = 1"),
        ({"jacoby": 0}, "jacoby = 0"),
        ({"beavers": "no"}, "beavers = 'no'"),
        ({"resignation": 4}, "resignation = 4"),
        ({"crawford": True}, "a money session has no Crawford game"),
        ({"length": 7, "score": (6, 5), "crawford": True, "cube": 2}, "the cube must be 1 and centred"),
        ({"length": 7, "score": (6, 5), "crawford": True, "cube_owner": 1}, "the cube must be 1 and centred"),
    ],
)
def test_match_that_cannot_be(changes: Record, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MatchState(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dice": (0, 1)}, "dice = "),
        ({"dice": (6, 7)}, "dice = "),
        ({"dice": (6,)}, "dice = "),
        ({"on_roll": 2}, "on_roll = 2"),
        ({"turn": 2}, "turn = 2"),
        ({"offer": "redouble"}, "offer = 'redouble'"),
        ({"game": "won"}, "game = 'won'"),
        ({"offer": "double", "dice": (3, 1)}, "before the roll"),
        ({"offer": "double", "match": MatchState(cube=2, cube_owner=0)}, "player 1 may not double"),
        ({"match": MatchState(length=3, score=(3, 0))}, "has won the match to 3"),
    ],
)
def test_state_that_cannot_be(changes: Record, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        State(position=Position.start(), **changes)


def test_state_of_no_position() -> None:
    with pytest.raises(TypeError, match="must be a Position"):
        State(position="start")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a MatchState"):
        State(position=Position.start(), match=7)  # type: ignore[arg-type]


def test_match_that_is_over_has_been_won() -> None:
    state = State(position=Position.start(), match=MatchState(length=3, score=(3, 0)), game="over")
    assert read_id(state.gnubg_id) == state


def test_states_are_values() -> None:
    state = read_id(f"{START}:QYkqASAAIAAA")
    assert pickle.loads(pickle.dumps(state)) == state
    assert len({state, read_id(f"{START}:QYkqASAAIAAA"), read_id("start")}) == 2
    with pytest.raises(AttributeError):
        state.dice = (1, 1)  # type: ignore[misc]
