"""IDs of other programs and our own: figures decoded elsewhere, strictness, both ways bit for bit."""

from __future__ import annotations

import base64
import re

import pytest

from tests import reference
from tests.cases import DATA, Record, load, name_of
from tests.reference import BAR, Board, Side, side
from vrhcaby import VARIANTS, FormatError, Variant, variant
from vrhcaby.ids import (
    MatchFields,
    XgidFields,
    decode_board,
    decode_match,
    decode_own_id,
    decode_position,
    decode_xgid,
    encode_gnubg_position_id,
    encode_match,
    encode_own_id,
    encode_position,
    encode_xgid,
    kind,
)

XGIDS = load("ids_xgid.json")
GNUBG_IDS = load("ids_gnubg.json")
INVALID = load("ids_invalid.json")

START = side("24:2 13:5 8:3 6:5")
START_ID = "4HPwATDgc/ABMA"


def pips(layout: Side) -> int:
    return sum(point * count for point, count in enumerate(layout))


def seen_by_roller(fields: XgidFields) -> Board:
    return (fields.bottom, fields.top) if fields.turn == 1 else (fields.top, fields.bottom)


# Position ID ----------------------------------------------------------------------------------------------------------

# ID, player on roll, opponent: from the GNU Backgammon manual, its mailing list and reports of faults elsewhere.
POSITION_IDS = [
    (START_ID, "24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5"),
    ("fycAAPC9EwwAAA", "10:2 5 3:3 2:4 1:5", "4 2:3 1:7"),
    ("mxmAQ4PbAQAAAA", "3:3 2:2 1:3", "21:2 20 16:3 6:2 4:2 2:2 1:2"),
    ("AAAAkAAAAAAAAA", "6 4", "off"),
    ("kQcAgEoDAAAAAA", "6:2 5 3 2 1", "6:4 4 1"),
    ("AAIAAAAIAAAAAA", "18", "10"),
    ("HC/wATDg8+AxAA", "16:2 13:4 8:4 6:5", "24:2 13:5 7 6:4 3:3"),
    ("4OeFATCw5+ABMA", "24:2 13:4 8:3 6:4 5:2", "24:2 13:2 9 8:4 6:6"),
]


@pytest.mark.parametrize(("text", "own", "opponent"), POSITION_IDS)
def test_position_id(text: str, own: str, opponent: str) -> None:
    assert encode_position(side(own), side(opponent)) == text
    assert decode_position(text) == (side(own), side(opponent))


def test_missing_checker_is_borne_off_and_not_on_the_bar() -> None:
    _, opponent = decode_position("mxmAQ4PbAQAAAA")
    assert (opponent[0], opponent[BAR]) == (1, 0)


def test_checker_on_the_bar_is_the_last_slot_of_its_side() -> None:
    own = side("bar 24 13:5 8:3 6:5")
    text = encode_position(own, START)
    bits = "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(text + "=="))
    runs = bits.split("0")  # the ones of each slot
    assert [len(run) for run in runs[:25]] == list(START[1:])  # the player not on roll comes first
    assert [len(run) for run in runs[25:50]] == list(own[1:])
    assert decode_position(text) == (own, START)


def test_positions_known_from_elsewhere() -> None:
    texts = (DATA / "contact_positions.txt").read_text(encoding="ascii").split()
    assert len(set(texts)) == 1000
    assert [encode_position(*decode_position(text)) for text in texts] == texts


def test_position_id_knows_nothing_of_the_number_of_checkers() -> None:
    three = side("24 23 22", 3)
    assert decode_position(encode_position(three, three, 3), 3) == (three, three)
    assert decode_position(encode_position(three, three, 3))[0][0] == 12
    assert encode_gnubg_position_id(three, three, variant("hypergammon")) == encode_position(three, three, 3)
    with pytest.raises(FormatError, match="not for long-nardy"):
        encode_gnubg_position_id(side("24:15"), side("24:15"), variant("long-nardy"))


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (START[:-1], "the player on roll: 25 counts"),
        ((*START, 0), "the player on roll: 27 counts"),
        ((1, *START[1:]), "the player on roll: 16 checkers, the game has 15"),
        ((16, -1, *START[2:]), "the player on roll: -1 checkers on point 1"),
    ],
)
def test_position_id_of_no_layout(own: Side, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        encode_position(own, START)


# Match ID -------------------------------------------------------------------------------------------------------------


def test_known_gnubg_ids() -> None:
    for known in GNUBG_IDS:
        match = decode_match(known["match_id"])
        assert (match.game_state, match.resignation) in ((0, 0), (1, 0))
        assert known == {
            "position_id": known["position_id"],
            "match_id": encode_match(match),
            "on_roll": match.on_roll,
            "turn": match.turn,
            "pips": [0, 0],
            "cube": 2**match.cube_exponent,
            "cube_owner": None if match.cube_owner == 3 else match.cube_owner,
            "crawford": match.crawford == 1,
            "dice": [match.die_1, match.die_2] if match.die_1 else None,
            "length": match.length,
            "score": [match.score_0, match.score_1],
        } | {"pips": known["pips"]}
        own, opponent = decode_position(known["position_id"])
        assert encode_position(own, opponent) == known["position_id"]
        board = (opponent, own) if match.on_roll == 1 else (own, opponent)
        assert [pips(layout) for layout in board] == known["pips"]


def test_match_id_of_the_manual() -> None:
    fields = MatchFields(
        cube_exponent=1, cube_owner=0, on_roll=1, turn=1, die_1=5, die_2=2, length=9, score_0=2, score_1=4, no_jacoby=0
    )
    assert decode_match("QYkqASAAIAAA") == fields
    assert encode_match(fields) == "QYkqASAAIAAA"


def test_match_id_of_before_2013_does_not_speak_of_the_jacoby_rule() -> None:
    assert decode_match("QYkqASAAIAA") == decode_match("QYkqASAAIAAA")._replace(no_jacoby=None)
    assert encode_match(decode_match("QYkqASAAIAA")) == "QYkqASAAIAA"
    with pytest.raises(FormatError, match="score_1 = 8192"):
        encode_match(MatchFields(length=9000, score_1=8192, no_jacoby=None))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("MBkAAIAAKAAA", MatchFields(on_roll=0, turn=1, doubled=1, score_0=8, score_1=5, no_jacoby=0)),
        ("UQngABAAIAAA", MatchFields(cube_exponent=1, cube_owner=1, length=7, score_0=1, score_1=4, no_jacoby=0)),
        ("cIgUAAAAAAAA", MatchFields(game_state=0, die_1=1, die_2=5, no_jacoby=0)),
        ("cIgQAAAAAAAA", MatchFields(game_state=0, die_1=1, die_2=4, no_jacoby=0)),
    ],
)
def test_match_id(text: str, fields: MatchFields) -> None:
    assert decode_match(text) == fields
    assert encode_match(fields) == text


def test_every_field_of_a_match_id_has_its_bits() -> None:
    places = {
        "cube_exponent": 0, "cube_owner": 4, "on_roll": 6, "crawford": 7, "game_state": 8, "turn": 11, "doubled": 12,
        "resignation": 13, "die_1": 15, "die_2": 18, "length": 21, "score_0": 36, "score_1": 51, "no_jacoby": 66,
    }  # fmt: skip
    nothing = MatchFields(cube_owner=0, on_roll=0, game_state=0, turn=0, no_jacoby=0)
    assert encode_match(nothing) == "A" * 12
    for name, place in places.items():
        other = {"die_1": {"die_2": 1}, "die_2": {"die_1": 1}}.get(name, {})
        fields = nothing._replace(**{name: 1}, **other)
        bits = int.from_bytes(base64.b64decode(encode_match(fields)), "little")
        assert bits == 1 << place | sum(1 << places[second] for second in other), name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cube_exponent": 16}, "cube_exponent = 16"),
        ({"cube_owner": 2}, "cube_owner = 2"),
        ({"on_roll": -1}, "on_roll = -1"),
        ({"game_state": 5}, "game_state = 5"),
        ({"die_1": 7, "die_2": 1}, "dice 7 and 1"),
        ({"die_1": 3}, "dice 3 and 0"),
        ({"length": 32768}, "length = 32768"),
        ({"score_0": 32768}, "score_0 = 32768"),
        ({"no_jacoby": 2}, "no_jacoby = 2"),
    ],
)
def test_figure_that_a_match_id_cannot_hold(changes: dict[str, int], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        encode_match(MatchFields()._replace(**changes))


def test_every_bit_of_a_match_id_is_read_or_refused() -> None:
    key = int.from_bytes(base64.b64decode("QYkqASAAIAAA"), "little")
    refused = []
    for bit in range(72):
        text = base64.b64encode((key ^ 1 << bit).to_bytes(9, "little")).decode()
        try:
            assert encode_match(decode_match(text)) == text
        except FormatError:
            refused.append(bit)
    # Owner 0 becomes 2, game state 1 becomes 5, dice 5-2 become 7-2 and 5-0; the rest comes after the last field.
    assert refused == [5, 10, 16, 19, 67, 68, 69, 70, 71]


# XGID -----------------------------------------------------------------------------------------------------------------


def test_known_xgids() -> None:
    assert len(XGIDS) > 480
    for known in XGIDS:
        text = known["xgid"]
        fields = decode_xgid(text)
        assert (fields.bottom, fields.top) == (side(known["bottom"]), side(known["top"])), text
        assert [str(figure) for figure in fields[2:]] == text.split(":")[1:]
        assert encode_xgid(fields) == f"XGID={text}"
        assert decode_xgid(f"XGID={text}") == fields
        if "position_id" in known:
            assert encode_position(*seen_by_roller(fields)) == known["position_id"]


@pytest.mark.parametrize(
    ("text", "bottom", "top", "total"),
    [
        (
            "XGID=-aa---EBB---dDa--c-e----B-:0:0:1:16:0:0:3:0:8",
            "24:2 13:4 8:2 7:2 6:5", "24 23 13:4 11 8:3 6:5", (160, 164),
        ),
        (
            "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8",
            "14:2 13:4 8:2 6:5 3:2", "24 15 13:4 8:2 6:2 5:3 4:2", (132, 142),
        ),
        (
            "XGID=-BaB--C---a-cD-Aabbe-A-A-A:1:-1:-1:00:2:0:0:9:10",
            "bar 23 21 15 13:4 6:3 3:2 1:2", "23 15 13:3 9 8:2 7:2 6:5", (162, 146),
        ),
    ],
)  # fmt: skip
def test_letters_count_from_the_bottom_player(text: str, bottom: str, top: str, total: tuple[int, int]) -> None:
    fields = decode_xgid(text)
    assert (fields.bottom, fields.top) == (side(bottom), side(top))
    assert (pips(fields.bottom), pips(fields.top)) == total


def test_turn_changes_nothing_but_itself() -> None:
    up = decode_xgid("-b----E-C---eE---c-e----B-:2:1:1:00:3:1:0:7:3")
    down = decode_xgid("-b----E-C---eE---c-e----B-:2:1:-1:00:3:1:0:7:3")
    assert down == up._replace(turn=-1)
    assert (down.cube_exponent, down.cube_owner, down.score_bottom, down.score_top) == (2, 1, 3, 1)


def test_position_id_of_the_roller_of_an_xgid() -> None:
    fields = decode_xgid("-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8")
    assert encode_position(*seen_by_roller(fields)) == "jM/gDQDYzeAJIA"


@pytest.mark.parametrize("dice", ["00", "D", "B", "R", "16", "61", "66"])
@pytest.mark.parametrize("exponent", [0, 7, 15])
def test_state_of_the_cube(dice: str, exponent: int) -> None:
    text = f"XGID=-b----E-C---eE---c-e----B-:{exponent}:0:1:{dice}:0:0:3:0:31"
    assert encode_xgid(decode_xgid(text)) == text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cube_exponent": 16}, "cube_exponent = 16"),
        ({"cube_owner": 3}, "cube_owner = 3"),
        ({"turn": 0}, "turn = 0"),
        ({"dice": "7"}, "dice = '7'"),
        ({"score_top": -1}, "score_top = -1"),
        ({"length": 5, "score_bottom": 5}, "score_bottom = 5"),
        ({"length": 5, "rules": 3}, "rules = 3"),
        ({"limit_exponent": 32}, "limit_exponent = 32"),
        ({"bottom": START[1:]}, "bottom: 25 counts"),
        ({"top": side("24:2 13:5 8:3 1:5")}, "both sides stand on point 24"),
    ],
)
def test_figure_that_an_xgid_cannot_hold(changes: Record, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        encode_xgid(XgidFields(START, START)._replace(**changes))


# Own ID ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", VARIANTS.values(), ids=lambda preset: preset.name)
def test_own_id_of_a_start_position(preset: Variant) -> None:
    board = reference.start(preset)
    text = encode_own_id(*board, preset)
    assert text.startswith(f"{preset.name}:")
    assert len(text) == len(preset.name) + 15
    assert decode_own_id(text) == (*board, preset)


@pytest.mark.parametrize(
    ("name", "changes", "options"),
    [
        ("tavli", {"full_use": "greedy"}, "full_use=greedy"),
        ("tavli", {"larger_die": True, "full_use": "greedy"}, "full_use=greedy+larger_die=yes"),
        ("backgammon", {"start": ((24, 2), (6, 13))}, "start=24:2.6:13"),
        ("backgammon", {"points": (1, 1, 3), "cube": False}, "points=1.1.3+cube=no"),
        ("long-nardy", {"head_cap": 2, "match_length": 11}, "head_cap=2+match_length=11"),
        ("long-nardy", {"head_exception": "listed", "last_roll": "ge14"}, "head_exception=listed+last_roll=ge14"),
        ("fevga", {"runner": False, "unblock": False}, "unblock=no+runner=no"),
        ("short-nardy", {"direction": "parallel"}, "direction=parallel"),
    ],
)
def test_options_in_an_own_id(name: str, changes: Record, options: str) -> None:
    changed = variant(name).replace(**changes)
    board = reference.start(changed)
    text = encode_own_id(*board, changed)
    assert text.startswith(f"{name}{{{options}}}:")
    assert decode_own_id(text) == (*board, changed)


def test_variant_of_ones_own_making_is_written_in_full() -> None:
    own_game = Variant(name="mine", start=((24, 3), (12, 4)), points=(1, 2, 2))
    board = reference.start(own_game)
    text = encode_own_id(*board, own_game)
    assert text.startswith("mine{start=24:3.12:4+direction=contrary+head_cap=0+")
    assert decode_own_id(text) == (*board, own_game)
    with pytest.raises(FormatError, match="must be written"):
        decode_own_id(text.replace("+cube=no", ""))


@pytest.mark.parametrize("name", ["", "my game", "a:b", "a{b", "naïve"])
def test_name_that_an_own_id_cannot_hold(name: str) -> None:
    made = object.__new__(Variant)
    for field, value in vars(VARIANTS["backgammon"]).items():
        object.__setattr__(made, field, value)
    object.__setattr__(made, "name", name)
    with pytest.raises(FormatError, match="variant name"):
        encode_own_id(START, START, made)


# Any of them ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [case for case in INVALID if "of_state" not in case], ids=name_of)
def test_what_is_wrong_is_named(case: Record) -> None:
    with pytest.raises(FormatError, match=re.escape(case["names"])):
        decode_board(case["text"], variant("backgammon"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (START_ID, "position"),
        (f"{START_ID}:QYkqASAAIAAA", "position:match"),
        (f"{START_ID}:QYkqASAAIAA", "position:match"),
        (f"tavli:{START_ID}", "own"),
        (f"fourteenletter:{START_ID}", "own"),
        (f"tavli{{start=24:2.6:13}}:{START_ID}", "own"),
        ("-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "xgid"),
        ("XGID=", "xgid"),
        ("", "position"),
    ],
)
def test_kind(text: str, expected: str) -> None:
    assert kind(text) == expected


def test_board_of_any_id() -> None:
    backgammon, tavli = variant("backgammon"), variant("tavli")
    own, opponent = side("10:2 5 3:3 2:4 1:5"), side("4 2:3 1:7")
    text = "fycAAPC9EwwAAA"
    assert decode_board(text, tavli) == (own, opponent, tavli)
    assert decode_board(f"{text}:QYkqASAAIAAA", tavli) == (own, opponent, tavli)
    assert decode_board(f"tavli:{text}", backgammon) == (own, opponent, tavli)
    board = "-EDC-A----B----------a-cg-"
    assert decode_board(f"{board}:0:0:1:00:0:0:0:0:10", tavli) == (own, opponent, tavli)
    assert decode_board(f"XGID={board}:0:0:-1:00:0:0:0:0:10", tavli) == (opponent, own, tavli)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("AACA/z8AAID/Pw:QYkqASAAIAAA", "a GNU match ID"),
        ("XGID=------------o-----------O-:0:0:1:00:0:0:0:0:10", "an XGID"),
    ],
)
def test_ids_of_other_programs_know_no_parallel_games(text: str, form: str) -> None:
    with pytest.raises(FormatError, match=f"{form} is for players who run towards each other, not for fevga"):
        decode_board(text, variant("fevga"))


def test_bit_string_of_a_parallel_game() -> None:
    fevga = variant("fevga")
    head = side("24:15")
    assert decode_board("AACA/z8AAID/Pw", fevga) == (head, head, fevga)
    with pytest.raises(FormatError, match="a checker on the bar"):
        decode_board("AACA/z8AAID/Xw", fevga)
