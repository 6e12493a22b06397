"""The reference itself, held against figures and worked cases from outside."""

from __future__ import annotations

import base64

import pytest

from tests import reference
from tests.cases import DATA, Record, board_after, board_of, load, name_of, variant_of
from tests.reference import ROLLS, Board, Side
from vrhcaby import VARIANTS, Variant, variant

RULES = load("rules_cases.json")
FAULTS = load("movegen_cases.json")
PERFT = load("perft.json")
SCORES = load("scores.json")
HEAD_EXCEPTIONS = load("head_exceptions.json")


def turns(record: Record) -> list[Board]:
    return reference.legal_turns(variant_of(record), *board_of(record), tuple(record["dice"]))


@pytest.mark.parametrize("case", RULES, ids=name_of)
def test_rules_case(case: Record) -> None:
    assert turns(case) == [board_after(case, turn) for turn in case["turns"]]
    assert reference.dice_played(variant_of(case), *board_of(case), tuple(case["dice"])) == case["played"]
    assert reference.problems(variant_of(case), *board_of(case)) is None


@pytest.mark.parametrize("case", FAULTS, ids=name_of)
def test_fault_of_other_programs(case: Record) -> None:
    found = turns(case)
    assert len(found) == case["count"]
    assert {board_after(case, turn) for turn in case["turns"].values()} <= set(found)
    assert position_of_id(case["position_id"]) == board_of(case)


@pytest.mark.parametrize("case", SCORES, ids=name_of)
def test_score(case: Record) -> None:
    kind = variant_of(case)
    checkers = reference.checkers(kind)
    loser, winner = reference.side(case["loser"], checkers), reference.side("off", checkers)
    assert reference.points(kind, loser, winner) == -case["points"]
    assert reference.points(kind, winner, loser) == case["points"]


def test_nobody_has_won_yet() -> None:
    assert all(reference.outcome(kind, *reference.start(kind)) == 0 for kind in VARIANTS.values())


# Counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", PERFT["sequences"], ids=name_of)
def test_first_turns(case: Record) -> None:
    kind = variant_of(case)
    assert reference.perft(kind, *reference.start(kind), 1) == case["counts"][0]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name_of(case), marks=[pytest.mark.slow] if case["counts"][1] > 100_000 else [])
        for case in PERFT["sequences"]
    ],
)
def test_first_two_turns(case: Record) -> None:
    kind = variant_of(case)
    assert reference.perft(kind, *reference.start(kind), 2) == case["counts"][1]


def test_first_turns_per_roll() -> None:
    backgammon = variant("backgammon")
    found = {dice: len(reference.legal_turns(backgammon, *reference.start(backgammon), dice)) for dice in ROLLS}
    facts = PERFT["backgammon"]
    assert {f"{low}{high}": n for (high, low), n in found.items()} == {
        "".join(sorted(roll)): n for roll, n in facts["rolls"].items()
    }
    assert sum(n * (1 if high == low else 2) for (high, low), n in found.items()) == facts["weighted"][0]
    assert max(found.values()) == facts["most_turns"][0]


def test_distinct_positions_after_the_first_turn() -> None:
    backgammon = variant("backgammon")
    start = reference.start(backgammon)
    found = {board for dice in ROLLS for board in reference.legal_turns(backgammon, *start, dice)}
    assert len(found) == PERFT["backgammon"]["distinct_positions"][0]


@pytest.mark.slow
def test_contact_positions() -> None:
    backgammon = variant("backgammon")
    found = {True: 0, False: 0}
    for line in (DATA / "contact_positions.txt").read_text(encoding="ascii").split():
        board = position_of_id(line)
        for dice in ROLLS:
            found[dice[0] == dice[1]] += len(reference.legal_turns(backgammon, *board, dice))
    assert found == {False: PERFT["contact"]["mixed"], True: PERFT["contact"]["doubles"]}


@pytest.mark.parametrize("case", PERFT["most_known"], ids=name_of)
def test_most_turns_known(case: Record) -> None:
    assert len(turns(case)) == case["count"]


# The head exception ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", HEAD_EXCEPTIONS, ids=name_of)
def test_second_checker_from_the_head(case: Record) -> None:
    case = {"variant": "long-nardy", "own": "24:15", **case}
    board, dice = board_of(case), tuple(case["dice"])
    with_two = [board_after(case, turn) for turn in case["turns"]]
    general = variant_of(case)
    without = general.replace(head_exception="none")
    assert turns(case) == with_two
    assert reference.dice_played(general, *board, dice) == case["played_with_two"]
    assert reference.dice_played(without, *board, dice) == case["played_with_one"]
    with_one = reference.legal_turns(without, *board, dice)
    listed = reference.legal_turns(general.replace(head_exception="listed"), *board, dice)
    assert listed == (with_two if case["listed"] else with_one)
    doubles = reference.legal_turns(general.replace(head_exception="doubles346"), *board, dice)
    assert doubles == (with_two if dice in ((3, 3), (4, 4), (6, 6)) else with_one)


def test_no_other_second_checker_from_the_head() -> None:
    general = variant("long-nardy")
    without = general.replace(head_exception="none")
    start = reference.start(general)
    boards = {(start[1], own) for dice in ROLLS for own, _ in reference.legal_turns(general, *start, dice)} | {start}
    found = {
        (opponent, dice)
        for own, opponent in boards
        for dice in ROLLS
        if reference.legal_turns(general, own, opponent, dice) != reference.legal_turns(without, own, opponent, dice)
        and dice not in ((3, 3), (4, 4), (6, 6))
    }
    known = {(reference.side(case["opponent"]), tuple(case["dice"])) for case in HEAD_EXCEPTIONS}
    assert found == {(opponent, dice) for opponent, dice in known if dice not in ((3, 3), (4, 4), (6, 6))}


# The contract -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", VARIANTS.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("dice", [(1, 1), (2, 2), (2, 1), (6, 3)], ids=str)
def test_order_is_that_of_the_literal_search(kind: Variant, dice: tuple[int, int]) -> None:
    """Leaving out nodes that were seen before changes no first appearance."""
    board = reference.start(kind)
    found = reference.legal_turns(kind, *board, dice)
    root = reference.first_node(*board, dice)
    most = reference.dice_played(kind, *board, dice)
    literal = dict.fromkeys(
        (node.own, node.opponent)
        for node in reference.nodes(kind, root, reference._head_cap(kind, root, dice))
        if len(node.steps) == most
    )
    assert found == [board for board in literal if board in set(found)]


@pytest.mark.parametrize("case", RULES, ids=name_of)
def test_steps_lead_to_the_result(case: Record) -> None:
    kind, board, dice = variant_of(case), board_of(case), tuple(case["dice"])
    sequences = reference.step_sequences(kind, *board, dice)
    assert list(sequences) == turns(case)
    for (own, _), paths in sequences.items():
        for path in paths:
            counts = list(board[0])
            for source, target in path:
                counts[source] -= 1
                counts[target] += 1
                assert min(counts) >= 0
            assert tuple(counts) == own


@pytest.mark.parametrize(
    ("own", "opponent", "dice", "turn", "steps"),
    [
        ("8 6", "23:2 21 1:4", (4, 1), "5 4 | bar 23:2 1:4", ((8, 4), (6, 5))),
        ("10", "19", (4, 2), "4 | bar", ((10, 6), (6, 4))),
        ("10", "1", (4, 2), "4", ((10, 8), (8, 4))),
        ("13:2", "1", (5, 3), "10 8", ((13, 8), (13, 10))),
        ("4", "1", (6, 2), "off", ((4, 0),)),
        ("2 1", "1", (6, 1), "1", ((2, 0),)),
    ],
)
def test_canonical_steps(own: str, opponent: str, dice: tuple[int, int], turn: str, steps: reference.Steps) -> None:
    record = {"own": own, "opponent": opponent}
    sequences = reference.step_sequences(variant("backgammon"), *board_of(record), dice)
    assert reference.canonical_steps(sequences[board_after(record, turn)]) == steps


@pytest.mark.parametrize(
    ("name", "own", "opponent", "reason"),
    [
        ("backgammon", "24:15", "1:15", "both sides on point 24"),
        ("backgammon", "off", "off", "both sides have borne off everything"),
        ("long-nardy", "bar 1:14", "1:15", "own: on the bar, where nothing is hit"),
        ("long-nardy", "11 10 9 8 7 6 1:9", "24:15", "own: forbidden block"),
        ("long-nardy", "24:15", "18 17 16 15 14 13 2:9", "opponent: forbidden block"),
        ("fevga", "24:10 23 22 21 20 19", "24:15", "own: forbidden block"),
    ],
)
def test_refused_boards(name: str, own: str, opponent: str, reason: str) -> None:
    assert reference.problems(variant(name), reference.side(own), reference.side(opponent)) == reason


def test_refused_counts() -> None:
    backgammon = variant("backgammon")
    start = reference.side("24:2 13:5 8:3 6:5")
    assert reference.problems(backgammon, (1, *start[1:]), start) == "own: 16 checkers"
    assert reference.problems(backgammon, start, start[:25]) == "opponent: not 26 counts"


def position_of_id(text: str) -> Board:
    """The board of a GNU position ID: 10 bytes, lowest bit first; the opponent of the player on roll, then he."""
    bits = "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(text + "=="))
    runs = [len(run) for run in bits.split("0")[:50]]
    sides: list[Side] = [(15 - sum(run), *run) for run in (runs[:25], runs[25:])]
    return sides[1], sides[0]
