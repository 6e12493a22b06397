"""Move text: written, read, and matched with the legal moves."""

from __future__ import annotations

import pytest

from tests import reference
from tests.cases import Record, board_after, board_of, load, name_of
from tests.reference import Board, side
from vrhcaby import FormatError, IllegalMoveError, Move, Position, Variant, variant
from vrhcaby.notation import find, format_steps, parse

FAULTS = load("movegen_cases.json")
OPENING = "24:2 13:5 8:3 6:5"


def meant(text: str, own: str, opponent: str, dice: tuple[int, int], kind: Variant | str = "backgammon") -> Board:
    """The board after the legal move that a text means, sides not swapped."""
    rules = variant(kind) if isinstance(kind, str) else kind
    board = side(own, rules.checkers), side(opponent, rules.checkers)
    finals = reference.legal_turns(rules, *board, dice)
    return finals[find(text, *board, rules, dice, finals)]


def refusal(text: str, own: str, opponent: str, dice: tuple[int, int], kind: Variant | str = "backgammon") -> str:
    """Why a text is no legal move."""
    with pytest.raises(IllegalMoveError) as refused:
        meant(text, own, opponent, dice, kind)
    start = f"{text!r} with {dice[0]}-{dice[1]}: "
    assert str(refused.value).startswith(start)
    return str(refused.value).removeprefix(start)


# Writing --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "hits", "text"),
    [
        ((), (), "Cannot Move"),
        (((24, 18), (13, 11)), (0, 1), "24/18 13/11*"),
        (((13, 11), (24, 18)), (1, 0), "24/18 13/11*"),
        (((8, 5), (8, 5), (6, 3), (6, 3)), (0, 0, 0, 0), "8/5(2) 6/3(2)"),
        (((25, 24), (24, 18)), (1, 0), "bar/24*/18"),
        (((25, 24), (24, 18)), (0, 1), "bar/18*"),
        (((25, 24), (24, 18)), (1, 1), "bar/24*/18*"),
        (((25, 20), (6, 0)), (0, 0), "bar/20 6/off"),
        (((25, 20), (25, 20), (20, 15)), (1, 0, 0), "bar/20* bar/15"),
        (((13, 7), (13, 7), (8, 2), (8, 2)), (1, 0, 0, 0), "13/7*(2) 8/2(2)"),
        (((8, 7), (7, 4)), (1, 0), "8/7*/4"),
        (((6, 0), (6, 0), (6, 0), (5, 0)), (0, 0, 0, 0), "6/off(3) 5/off"),
        (((13, 10), (13, 9)), (0, 0), "13/10 13/9"),
        (((13, 9), (13, 10)), (0, 0), "13/10 13/9"),
        (((24, 18), (18, 12), (12, 6)), (0, 0, 0), "24/6"),
        (((24, 20), (24, 20), (20, 16), (20, 16)), (1, 0, 0, 0), "24/20*/16 24/16"),
        # Two checkers have landed on 6, one of them hitting: the other one goes on.
        (((8, 6), (8, 6), (6, 4)), (1, 0, 0), "8/6* 8/4"),
        (((8, 6), (8, 6), (6, 4)), (0, 1, 0), "8/6* 8/4"),
        (((9, 4), (4, 0)), (0, 0), "9/off"),
    ],
)
def test_format_steps(steps: tuple[tuple[int, int], ...], hits: tuple[int, ...], text: str) -> None:
    assert format_steps(steps, tuple(map(bool, hits))) == text


def test_every_step_needs_to_say_whether_it_hits() -> None:
    with pytest.raises(ValueError, match="zip"):
        format_steps(((24, 18), (13, 11)), (False,))


# Reading --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hops"),
    [
        ("24/18 13/11*", ["24/18", "13/11*"]),
        ("8/5(2)", ["8/5", "8/5"]),
        ("8/5(1)", ["8/5"]),
        ("13/7*(2)", ["13/7*", "13/7*"]),
        ("13/7(2)*", ["13/7*", "13/7*"]),
        ("6/off(4)", ["6/off"] * 4),
        ("bar/20 6/off", ["bar/20", "6/off"]),
        ("BAR/20, 6/Off", ["bar/20", "6/off"]),
        ("b/20 6/o", ["bar/20", "6/off"]),
        ("25/20 6/0", ["bar/20", "6/off"]),
        ("  24/23   13/10  ", ["24/23", "13/10"]),
        ("24/23,13/10", ["24/23", "13/10"]),
        ("bar/24*/18*", ["bar/24*/18*"]),
        ("8/7*/4", ["8/7*/4"]),
        ("24/21/18/15/12", ["24/21/18/15/12"]),
        ("05/04", ["5/4"]),
        ("Cannot Move", []),
        ("cannot  move", []),
        ("Pass", []),
        ("", []),
        ("bar/24 Pass", ["bar/24"]),
    ],
)
def test_parse(text: str, hops: list[str]) -> None:
    assert [str(hop) for hop in parse(text)] == hops


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("24", "cannot read '24' at character 1"),
        ("24/18 13-11", "cannot read '13-11' at character 7"),
        ("24/18 ????", "cannot read '[?]{4}' at character 7"),
        ("24/18 13/", "cannot read '13/' at character 7"),
        ("24*/18", "cannot read '24[*]/18' at character 1"),
        ("24//18", "cannot read '24//18' at character 1"),
        ("8/5(0)", r"cannot read '8/5\(0\)' at character 1"),
        ("8/5(5)", r"cannot read '8/5\(5\)' at character 1"),
        ("8/5 (2)", r"cannot read '\(2\)' at character 5"),
        ("124/118", "cannot read '124/118' at character 1"),
        ("\u0668/\u0665", "cannot read '\u0668/\u0665' at character 1"),
        ("Cannot Move 8/5", "cannot read 'Cannot' at character 1"),
        ("31: 8/5 6/5", "cannot read '31:' at character 1"),
        ("26/20", "26 is not a point, in '26/20' at character 1"),
        ("8/5 off/3", "nothing moves on once it is off, in 'off/3' at character 5"),
        ("8/5 3/off/2", "nothing moves on once it is off, in '3/off/2' at character 5"),
        ("8/bar", "nothing moves to the bar, in '8/bar' at character 1"),
        ("13/7*(2)*", r"two stars on one landing, in '13/7\*\(2\)\*' at character 1"),
    ],
)
def test_unreadable(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse(text)


# Finding --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", FAULTS, ids=name_of)
def test_fault_of_other_programs(case: Record) -> None:
    board, dice = board_of(case), tuple(case["dice"])
    rules = variant("backgammon")
    finals = reference.legal_turns(rules, *board, dice)
    for text, after in case["turns"].items():
        # Every landing is written here, so that the stars may go, and the hops come in any order.
        for written in (text, text.replace("*", ""), " ".join(reversed(text.split()))):
            for roll in (dice, dice[::-1]):
                assert finals[find(written, *board, rules, roll, finals)] == board_after(case, after)
    for text in case.get("also", ()):
        find(text, *board, rules, dice, finals)
    for text in case.get("illegal", ()):
        with pytest.raises(IllegalMoveError):
            find(text, *board, rules, dice, finals)


@pytest.mark.parametrize("text", ["8/5 6/5", "6/5 8/5", "8/5, 6/5", "8/5 6/5 pass"])
def test_order_of_the_hops_means_nothing(text: str) -> None:
    assert meant(text, OPENING, OPENING, (3, 1))[0] == side("24:2 13:5 8:2 6:4 5:2")
    assert meant(text, OPENING, OPENING, (1, 3))[0] == side("24:2 13:5 8:2 6:4 5:2")


@pytest.mark.parametrize("text", ["4/off", "4/2 2/off", "2/off 4/2", "4/2/off", "4/0"])
def test_one_board_written_in_several_ways(text: str) -> None:
    assert meant(text, "4", "1:3", (6, 2))[0] == side("off")


@pytest.mark.parametrize(
    ("text", "after"), [("4/off 2/off", "2:2 1:7"), ("2/off 4/off", "2:2 1:7"), ("4/2/off", "2:3 1:7")]
)
def test_bearing_off_one_or_two(text: str, after: str) -> None:
    # 4/2/off plays the 2 first, then the 4 bears off from the highest point.
    assert meant(text, "4 2:3 1:7", "10:2 5 3:3 2:4 1:5", (4, 2))[0] == side(after)


@pytest.mark.parametrize("text", ["bar/24/18", "bar/24/18*", "bar/18", "Bar/18*", "25/24 24/18", "25/18"])
def test_missing_star(text: str) -> None:
    after = meant(text, "bar 6:2", "7 6:6 5:2 4:2 3:2 2:2", (6, 1))
    assert after == (side("18 6:2"), side("bar 6:6 5:2 4:2 3:2 2:2"))


def test_stars_tell_what_is_hit_on_the_way() -> None:
    assert meant("10/4", "10", "19", (4, 2))[1] == side("19")
    assert meant("10/8/4", "10", "19", (4, 2))[1] == side("19")
    for text in ("10/6*/4", "10/6/4", "10/6 6/4", "10/6* 6/4"):
        assert meant(text, "10", "19", (4, 2))[1] == side("bar")


def test_merged_hop_hits_where_there_is_no_other_way() -> None:
    assert meant("10/4", "10", "19 17:2", (4, 2))[1] == side("bar 17:2")


def test_merged_hop_hits_no_more_than_it_must() -> None:
    # The blot on 4 is hit in any case, the one on 6 only with a star.
    assert meant("10/4", "10", "21 19", (4, 2))[1] == side("bar 19")
    assert meant("10/6*/4", "10", "21 19", (4, 2))[1] == side("bar:2")


def test_hop_that_may_hit_either_of_two_blots() -> None:
    assert refusal("10/4", "10", "19 17", (4, 2)) == "may be 10/6*/4 or 10/8*/4"
    assert meant("10/8*/4", "10", "19 17", (4, 2))[1] == side("bar 19")
    assert meant("10/6*/4", "10", "19 17", (4, 2))[1] == side("bar 17")


def test_star_where_nothing_is_hit() -> None:
    assert refusal("8/5* 6/5", OPENING, OPENING, (3, 1)) == "a star on 5, but nothing is hit there"
    assert refusal("bar/24*/18*", "bar 6:2", "7 6:6 5:2 4:2 3:2 2:2", (6, 1)) == (
        "a star on 24, but nothing is hit there"
    )
    assert refusal("10/8*/4", "10", "19", (4, 2)) == "a star on 8, but nothing is hit there"


def test_double_from_the_bar_in_one_hop() -> None:
    own, opponent = "bar 22:2 13:2 8:3 6:6 2", "24:2 20:2 15 13:2 8:3 7 6:4"
    after = (side("22:2 13 10 8:4 6:6 2"), side("bar 24:2 20:2 13:2 8:3 7 6:4"))
    for text in ("bar/10 13/8", "bar/10* 13/8", "bar/15/10* 13/8", "bar/20 20/10 13/8"):
        assert meant(text, own, opponent, (5, 5)) == after


def test_no_move() -> None:
    closed = ("bar 13:14", "6:3 5:3 4:3 3:2 2:2 1:2")
    for text in ("Cannot Move", "pass", ""):
        assert meant(text, *closed, (6, 5)) == (side(closed[0]), side(closed[1]))
    assert refusal("Cannot Move", OPENING, OPENING, (3, 1)) == "the roll can be played, and must be"


def test_move_in_a_finished_game() -> None:
    assert refusal("6/5", "6", "off", (3, 1)) == "the game is over"


def test_hops_of_parallel_games() -> None:
    opened = ("24:15", "24:15")
    assert meant("24/18(2)", *opened, (6, 6), "long-nardy")[0] == side("24:13 18:2")
    assert meant("24/21 24/15", *opened, (3, 3), "long-nardy")[0] == side("24:13 21 15")
    assert refusal("24/15* 24/21", *opened, (3, 3), "long-nardy") == "a star on 15, but nothing is hit there"


# Why not --------------------------------------------------------------------------------------------------------------

PRIME = "24 17 16 15 14 13 1:9"


@pytest.mark.parametrize(
    ("text", "own", "opponent", "dice", "reason"),
    [
        # Recorded plays that other programs let pass.
        (
            "14/10 13/12", "14 13 12 11 9 8 6:4 5:3 4:2", "8:3 7:2 6:5 5:2 4:3", (3, 1),
            "3-1 cannot make all of 14/10 13/12",
        ),
        (
            "25/20 7/6", "bar 7 6:2 5:2 4:3 3:2 2:2 1:2", "5:2 2:7 1:4", (5, 1),
            "bar/20: point 20 is held by 2 opposing checkers; 7/6: a checker on the bar must enter first",
        ),
        (
            "13/9 13/7", "21:2 13:2 10 7:2 6:4 4:2 3:2", "9:2 8:3 7:4 6:6", (6, 3),
            "13/9 is 4 pips, which 6-3 cannot make",
        ),
        (
            "7/1", "7:3 6:5 3:2 2:2 1:3", "21:2 7 5:2 4:2 3:3 2:3 1:2", (4, 1),
            "7/1 is 6 pips, which 4-1 cannot make",
        ),
        (
            "13/8 13/12", "16:2 13:4 8:4 6:5", "24:2 13:5 7 6:4 3:3", (5, 1),
            "13/12: point 12 is held by 5 opposing checkers",
        ),
        # Checkers and points.
        ("12/6", OPENING, OPENING, (6, 1), "12/6: no checker on point 12"),
        ("bar/19", OPENING, OPENING, (6, 1), "bar/19: no checker on the bar"),
        ("5/8", OPENING, OPENING, (3, 1), "5/8 does not go from a higher point to a lower one"),
        ("8/8", OPENING, OPENING, (3, 1), "8/8 does not go from a higher point to a lower one"),
        ("24/18 13/7 8/2", OPENING, OPENING, (6, 6), "it plays 3 of the dice, but 4 can be played"),
        ("8/5(4) 6/3", OPENING, OPENING, (3, 3), "3-3 cannot make all of 8/5 8/5 8/5 8/5 6/3"),
        (
            "13/2", "13 6", "18:2 17:3 6:10", (6, 5),
            "13/7: point 7 is held by 2 opposing checkers; 13/8: point 8 is held by 3 opposing checkers",
        ),
        # Bearing off.
        ("6/off 5/4", "8 6:3 5:2", OPENING, (6, 1), "6/off: nothing is borne off while a checker stands on 8"),
        ("6/off 6/5", "bar 6:3 5:2", OPENING, (6, 1), "a checker on the bar must enter first"),
        ("4/off 3/1", "5 4:2 3", OPENING, (6, 2), "a 6 does not bear off from here while a checker stands on point 5"),
        ("6/off", "6:2", "1:2", (5, 4), "1/off: a 4 does not bear off from here while a checker stands on point 6"),
        # The whole turn.
        ("24/18", OPENING, OPENING, (6, 2), "it plays 1 of the dice, but 2 can be played"),
        ("8/5(3)", OPENING, OPENING, (3, 3), "it plays 3 of the dice, but 4 can be played"),
        ("9/5", "20 9", "14:3 4:2 2:4 1:4", (6, 4), "it plays 1 of the dice, but 2 can be played"),
        ("24/19", "24", "12:3 8:3 4:3 3:3 2:3", (6, 5), "either die can be played, but not both: the larger, 6,"),
    ],
)  # fmt: skip
def test_reason(text: str, own: str, opponent: str, dice: tuple[int, int], reason: str) -> None:
    assert reason in refusal(text, own, opponent, dice)


@pytest.mark.parametrize(
    ("kind", "text", "own", "opponent", "dice", "reason"),
    [
        ("long-nardy", "24/18 24/22", "24:15", "24:15", (6, 2), "2 checkers leave the head: only 1 may in one turn"),
        ("long-nardy", "24/18 18/6", "24:15", "24:15", (6, 6), "point 12 is held by the opponent"),
        ("long-nardy", "24/16", PRIME, "24:9 23 22 21 20 19 10", (6, 2), "block of six points"),
        ("fevga", "24/20 24/22", "24:15", "24:15", (4, 2), "must reach point 11 or less before another leaves"),
        ("tavla", "8/4*/3", "8 6", "21 23:2 3:4 2:4 1:4", (4, 1), "has hit on points 1 to 6 may not move on"),
    ],
)
def test_reason_of_other_variants(
    kind: str, text: str, own: str, opponent: str, dice: tuple[int, int], reason: str
) -> None:
    assert reason in refusal(text, own, opponent, dice, kind)


@pytest.mark.parametrize(
    ("over_bear", "reason"),
    [
        ("none", "a 6 bears off from point 6 only"),
        ("highest", "a 6 does not bear off from here while a checker stands on point 5"),
    ],
)
def test_reason_of_a_larger_die(over_bear: str, reason: str) -> None:
    rules = variant("backgammon").replace(over_bear=over_bear)
    assert reason in refusal("4/off 3/2", "5 4:2 3", OPENING, (6, 1), rules)


def test_moves_of_the_core() -> None:
    move = Move.parse("6/5 8/5", Position.start(), (1, 3))
    assert (str(move), move.steps, move.hits) == ("8/5 6/5", ((8, 5), (6, 5)), (False, False))
    with pytest.raises(IllegalMoveError, match="'24/20 6/5' with 3-1: 3-1 cannot make all of 24/20 6/5"):
        Position.start().play("24/20 6/5", (3, 1))
    with pytest.raises(FormatError, match="cannot read '8-5'"):
        Position.start().play("8-5 6-5", (3, 1))
