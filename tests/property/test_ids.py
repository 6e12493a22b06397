"""IDs over all boards, variants and figures: what is written is read again, and what is read was written so."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable
from typing import Any

from hypothesis import given, strategies as st

from tests.cases import position
from tests.property.strategies import boards, changed_variants, positions, presets
from tests.reference import Board, Side
from vrhcaby import VARIANTS, FormatError, MatchState, Position, PositionError, State, Variant, read_id
from vrhcaby.ids import (
    MatchFields,
    XgidFields,
    decode_match,
    decode_own_id,
    decode_position,
    decode_xgid,
    encode_match,
    encode_own_id,
    encode_position,
    encode_xgid,
    kind,
)

CONTRARY = [preset for preset in VARIANTS.values() if preset.direction == "contrary"]
SCORES = st.integers(0, 2**15 - 1)


@st.composite
def layouts(draw: st.DrawFn, checkers: int = 15) -> Side:
    points = draw(st.lists(st.integers(0, 25), min_size=checkers, max_size=checkers))
    return tuple(points.count(point) for point in range(26))


@st.composite
def boards_of_variants(draw: st.DrawFn) -> tuple[Variant, Board]:
    rules = draw(st.one_of(presets, changed_variants()))
    return rules, draw(positions(rules))


@st.composite
def variants(draw: st.DrawFn) -> Variant:
    """A variant with rules of movement, flow and scoring changed, perhaps with another start or a name of its own."""
    rules = draw(changed_variants())
    changes: dict[str, Any] = {
        "starter": ["higher", "lower"],
        "opening": ["both_dice", "fresh"],
        "next_starter": ["draw", "winner"],
        "points": [(1, 1, 1), (1, 2, 3), (2, 4, 9)],
        "backgammon": ["any", "all", "none"],
        "cube": [True, False],
        "match_length": [1, 7, 64],
        "last_roll": ["none", "second_player", "ge14"],
        "name": ["mine", "my-game_2"],
    }
    optional = {field: st.sampled_from(values) for field, values in changes.items()}
    return rules.replace(**draw(st.fixed_dictionaries({}, optional=optional)))


# Round trips ----------------------------------------------------------------------------------------------------------


@given(st.integers(1, 15), st.data())
def test_position_id_comes_back(checkers: int, data: st.DataObject) -> None:
    board = data.draw(layouts(checkers)), data.draw(layouts(checkers))
    text = encode_position(*board, checkers)
    assert len(text) == 14
    assert decode_position(text, checkers) == board


@given(boards_of_variants())
def test_own_id_comes_back(game: tuple[Variant, Board]) -> None:
    rules, board = game
    text = encode_own_id(*board, rules)
    assert decode_own_id(text) == (*board, rules)
    before = position(rules, board)
    assert before.id == text
    assert Position.from_id(text) == before


@given(variants())
def test_every_option_comes_back(rules: Variant) -> None:
    board = (tuple(dict(rules.start).get(point, 0) for point in range(26)),) * 2
    assert decode_own_id(encode_own_id(*board, rules)) == (*board, rules)


DICE = st.one_of(st.just((0, 0)), st.tuples(st.integers(1, 6), st.integers(1, 6)))


@st.composite
def match_fields(draw: st.DrawFn) -> MatchFields:
    die_1, die_2 = draw(DICE)
    bit = st.integers(0, 1)
    return MatchFields(
        cube_exponent=draw(st.integers(0, 15)),
        cube_owner=draw(st.sampled_from([0, 1, 3])),
        on_roll=draw(bit),
        crawford=draw(bit),
        game_state=draw(st.integers(0, 4)),
        turn=draw(bit),
        doubled=draw(bit),
        resignation=draw(st.integers(0, 3)),
        die_1=die_1,
        die_2=die_2,
        length=draw(SCORES),
        score_0=draw(SCORES),
        score_1=draw(SCORES),
        no_jacoby=draw(bit),
    )


@given(match_fields())
def test_match_id_comes_back(fields: MatchFields) -> None:
    text = encode_match(fields)
    assert len(text) == 12
    assert decode_match(text) == fields
    old = fields._replace(no_jacoby=None, score_1=fields.score_1 % 8192)
    assert len(encode_match(old)) == 11
    assert decode_match(encode_match(old)) == old


@st.composite
def xgid_fields(draw: st.DrawFn) -> XgidFields:
    bottom, top = draw(boards(VARIANTS["backgammon"]))
    length = draw(st.one_of(st.just(0), st.integers(1, 2**15 - 1)))
    score = st.integers(0, length - 1 if length else 2**15 - 1)
    return XgidFields(
        bottom=bottom,
        top=top,
        cube_exponent=draw(st.integers(0, 15)),
        cube_owner=draw(st.integers(-1, 1)),
        turn=draw(st.sampled_from([1, -1])),
        dice=draw(st.one_of(DICE.map(lambda dice: f"{dice[0]}{dice[1]}"), st.sampled_from("DBR"))),
        score_bottom=draw(score),
        score_top=draw(score),
        rules=draw(st.integers(0, 1 if length else 3)),
        length=length,
        limit_exponent=draw(st.integers(0, 31)),
    )


@given(xgid_fields())
def test_xgid_comes_back(fields: XgidFields) -> None:
    text = encode_xgid(fields)
    assert decode_xgid(text) == fields
    assert decode_xgid(text.removeprefix("XGID=")) == fields


@given(st.sampled_from(CONTRARY), st.data())
def test_state_comes_back(rules: Variant, data: st.DataObject) -> None:
    draw = data.draw
    length = draw(st.integers(0, 25))
    score = st.integers(0, max(length - 1, 0))
    dice = draw(st.one_of(st.none(), st.tuples(st.integers(1, 6), st.integers(1, 6))))
    exponent = draw(st.integers(0, 9))
    match = MatchState(
        length=length,
        score=(draw(score), draw(score)),
        cube=2**exponent,
        cube_owner=draw(st.sampled_from([None, 0, 1])),
        jacoby=draw(st.booleans()),
        resignation=draw(st.integers(0, 3)),
    )
    state = State(
        position=position(rules, draw(positions(rules))),
        match=match,
        dice=dice,
        on_roll=draw(st.integers(0, 1)),
        turn=draw(st.integers(0, 1)),
        game=draw(st.sampled_from(["none", "playing", "over", "resigned", "dropped"])),
    )
    assert read_id(state.gnubg_id, variant=rules) == state
    try:
        text = state.xgid
    except FormatError:
        assert match.resignation or state.turn != state.on_roll or state.game not in ("none", "playing")
        return
    again = read_id(text, variant=rules)
    assert again.xgid == text
    assert (again.position, again.dice, again.on_roll, again.turn) == (
        state.position, state.dice, state.on_roll, state.turn,
    )  # fmt: skip
    assert (again.match.cube, again.match.cube_owner, again.match.score) == (match.cube, match.cube_owner, match.score)
    assert again.match.jacoby == (match.jacoby and length == 0)


# Strictness -----------------------------------------------------------------------------------------------------------


@given(st.binary(min_size=10, max_size=10), st.integers(1, 15))
def test_bits_of_a_position_are_read_or_refused(key: bytes, checkers: int) -> None:
    text = base64.b64encode(key).decode()[:14]
    try:
        board = decode_position(text, checkers)
    except FormatError:
        return
    assert encode_position(*board, checkers) == text


@given(st.binary(min_size=9, max_size=9))
def test_bits_of_a_match_are_read_or_refused(key: bytes) -> None:
    text = base64.b64encode(key).decode()
    try:
        fields = decode_match(text)
    except FormatError:
        return
    assert encode_match(fields) == text


SAMPLES = [
    "4HPwATDgc/ABMA",
    "4HPwATDgc/ABMA:QYkqASAAIAAA",
    "4HPwATDgc/ABMA:QYkqASAAIAA",
    "tavli{full_use=greedy+larger_die=yes}:4HPwATDgc/ABMA",
    "backgammon{start=24:2.6:13+points=1.1.3}:4HPwATDgc/ABMA",
    "XGID=-b----E-C---eE---c-e----B-:1:-1:1:31:3:1:0:7:10",
    "-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:3:0:10",
]
CHARACTERS = st.sampled_from("ABDabde019:-+/={}. \n\u0661")


@given(st.sampled_from(SAMPLES), st.data())
def test_spoilt_id_is_refused_or_is_another_id(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 3, len(text))))
    spoilt = text[:start] + data.draw(st.text(CHARACTERS, max_size=3)) + text[end:]
    try:
        state = read_id(spoilt)
    except (FormatError, PositionError):
        return
    written: dict[str, Callable[[], str]] = {
        "position": lambda: state.position.gnubg_id,
        "position:match": lambda: state.gnubg_id,
        "own": lambda: state.position.id,
        "xgid": lambda: state.xgid.removeprefix("XGID="),
    }
    assert written[kind(spoilt)]() == spoilt.removeprefix("XGID=")


@given(st.text(CHARACTERS, max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(FormatError, PositionError):
        assert isinstance(read_id(text), State)
