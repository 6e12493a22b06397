"""Boards and variants for Hypothesis: random play, and the shapes that random play almost never builds."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests import reference
from tests.reference import BAR, HEAD, OFF, ROLLS, Board, Side
from vrhcaby import VARIANTS, Variant

__all__ = ["boards", "changed_variants", "positions", "presets", "rolls"]

Points = list[int]  # one point for each checker of a side, in his own numbering

presets = st.sampled_from(list(VARIANTS.values()))
rolls = st.sampled_from(ROLLS)

# Games that no preset plays: other start positions, other totals, standard backgammon run in parallel.
_FURTHER = (
    VARIANTS["backgammon"].replace(direction="parallel"),
    VARIANTS["long-nardy"].replace(start=((24, 4), (6, 11)), head_cap=0, head_exception="none"),
    VARIANTS["long-nardy"].replace(start=((24, 5),)),
    VARIANTS["fevga"].replace(start=((24, 7),)),
    VARIANTS["tavla"].replace(start=((24, 1), (12, 6), (2, 1))),
)


@st.composite
def changed_variants(draw: st.DrawFn) -> Variant:
    """A variant with some of its rules of movement changed."""
    base = draw(st.one_of(presets, st.sampled_from(_FURTHER)))
    choices: dict[str, list[Any]] = {
        "full_use": ["max", "greedy"],
        "larger_die": [True, False],
        "over_bear": ["highest", "none", "free"],
    }
    if base.direction == "contrary":
        choices |= {"hit_and_run": [True, False]}
    else:
        choices |= {
            "head_cap": [0, 1, 2, 3],
            "head_exception": ["general", "listed", "doubles346", "none"],
            "block_rule": ["none", "ahead_past", "ahead_home", "start_quarter"],
            "block_transient": [True, False],
            "unblock": [True, False],
            "runner": [True, False],
        }
    changes = draw(
        st.fixed_dictionaries({}, optional={field: st.sampled_from(values) for field, values in choices.items()})
    )
    if changes.get("head_cap", base.head_cap) == 0:
        changes["head_exception"] = "none"
    return base.replace(**changes)


@st.composite
def positions(draw: st.DrawFn, variant: Variant) -> Board:
    """A board that the variant allows."""
    shaped = boards(variant)
    board = draw(st.one_of(shaped, shaped, shaped, played(variant), opened(variant)))
    if reference.problems(variant, *board) is not None:
        board = _without_blocks(variant, board)
    return board


def boards(variant: Variant) -> st.SearchStrategy[Board]:
    """A board with the right totals and every point held by one side at most; blocks may be forbidden."""
    pairs = st.tuples(sides(variant), sides(variant), st.booleans())
    apart = pairs.map(lambda pair: _settle(variant, *pair))
    blocks = [held_back(variant), fenced(variant)] if variant.direction == "parallel" else []
    shapes = st.one_of(apart, apart, cornered(variant), *blocks)
    return shapes.filter(lambda board: not _both_off(variant, board))


# One side -----------------------------------------------------------------------------------------------------------


@st.composite
def sides(draw: st.DrawFn, variant: Variant) -> Points:
    """One side's checkers in a shape of interest."""
    checkers = reference.checkers(variant)
    shapes = ["scattered", "blots", "stack", "six", "closed", "home", "bearing off", "nearly home", "head", "few"]
    if variant.direction == "contrary":
        shapes.append("bar")
    shape = draw(st.sampled_from(shapes))
    lowest, highest = {
        "scattered": (OFF, HEAD),
        "blots": (1, HEAD),
        "closed": (1, 12),
        "home": (1, 6),
        "bearing off": (OFF, 6),
        "nearly home": (OFF, 8),
    }.get(shape, (1, HEAD))
    points = draw(st.lists(st.integers(lowest, highest), min_size=checkers, max_size=checkers))
    if shape == "blots":
        points = draw(st.permutations(range(1, HEAD + 1)))[:checkers]
    elif shape == "stack":
        points = [points[0]] * checkers
    elif shape == "six":
        points = _six(draw(st.integers(1, 19)), draw(st.integers(0, 6)), points)
    elif shape == "closed":
        points = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, *points][: max(12, checkers)][:checkers]
    elif shape == "head":
        moved = draw(st.integers(0, 2))
        points = points[:moved] + [HEAD] * checkers
    elif shape == "few":
        points = points[: draw(st.integers(0, 3))]
    elif shape == "bar":
        points = [BAR] * draw(st.integers(1, 4)) + points
    points = list(points[:checkers])
    return points + [OFF] * (checkers - len(points))


def _six(lowest: int, gap: int, points: Points) -> Points:
    """Six points in a row (gap 0), or five of them, each held once or twice; the rest as it is."""
    row = [point for point in range(lowest, lowest + 6) if point != lowest + gap - 1]
    return row + points


# Both sides ---------------------------------------------------------------------------------------------------------


@st.composite
def cornered(draw: st.DrawFn, variant: Variant) -> Board:
    """Few checkers that can move, and many points closed to them: dice that cannot be played, or in one order only."""
    checkers = reference.checkers(variant)
    point = st.integers(1, HEAD)
    if variant.direction == "contrary":
        point |= st.just(BAR)
    own = draw(st.lists(point, min_size=1, max_size=3))
    own += [draw(st.sampled_from([OFF, 1, 2]))] * checkers
    closing = 2 if variant.direction == "contrary" else 1
    closed = draw(st.lists(st.integers(1, HEAD), unique=True, min_size=1, max_size=checkers)) * closing
    closed += [draw(st.sampled_from([OFF, 1, *closed]))] * checkers
    return _settle(variant, own[:checkers], closed[:checkers], True)


@st.composite
def held_back(draw: st.DrawFn, variant: Variant) -> Board:
    """A side that stands on one point, with the six points in front of it held, or nearly."""
    checkers = reference.checkers(variant)
    stack = draw(st.integers(7, HEAD))
    front = [reference.across(variant, stack - distance) for distance in range(1, 7)]
    loose = draw(st.lists(st.integers(1, HEAD), min_size=checkers, max_size=checkers))
    if draw(st.booleans()):  # one checker is still on its way to the row, or has just left it
        front[draw(st.integers(0, 5))] = draw(st.integers(1, HEAD))
    return _settle(variant, ([*front, *loose])[:checkers], [stack] * checkers, draw(st.booleans()))


@st.composite
def fenced(draw: st.DrawFn, variant: Variant) -> Board:
    """Five or six points in a row on the other's path, checkers that may fill the gap, and few of his past it."""
    checkers = reference.checkers(variant)
    lowest = draw(st.integers(1, 19))
    row = _six(lowest, draw(st.integers(0, 6)), [])
    fence = [reference.across(variant, point) for point in row]
    spare = [1 + (point + draw(st.integers(0, 6)) - 1) % HEAD for point in fence[: draw(st.integers(0, 4))]]
    rest = [draw(st.sampled_from([*fence, 1, HEAD]))] * checkers
    behind = st.integers(min(lowest + 6, HEAD), HEAD)
    theirs = [draw(behind) for _ in range(draw(st.integers(1, 4)))]
    if draw(st.booleans()):
        theirs.append(draw(st.integers(OFF, HEAD)))
    theirs += [draw(behind)] * checkers
    return _settle(variant, (fence + spare + rest)[:checkers], theirs[:checkers], draw(st.booleans()))


@st.composite
def opened(draw: st.DrawFn, variant: Variant) -> Board:
    """The start, or the other side's first turn after it."""
    board = reference.start(variant)
    if draw(st.booleans()):
        mine, theirs = draw(st.sampled_from(reference.legal_turns(variant, *board, draw(rolls))))
        board = theirs, mine
    return board


@st.composite
def played(draw: st.DrawFn, variant: Variant) -> Board:
    """The board after some turns of a random game. The turns obey every rule but the duty to use the whole roll."""
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    board = reference.start(variant)
    for _ in range(draw(st.integers(0, 120))):
        if reference.is_over(variant, *board):
            break
        mine, theirs = _random_turn(variant, board, chance)
        board = theirs, mine
    return board


def _random_turn(variant: Variant, board: Board, chance: random.Random) -> Board:
    node = reference.first_node(*board, chance.choice(ROLLS))
    while node.unused:
        die = chance.choice(node.unused)
        steps = [reference.step(variant, node, die, source, variant.head_cap) for source in range(1, BAR + 1)]
        lawful = [step for step in steps if step is not None]
        if not lawful:
            break
        node = chance.choice(lawful)
    end = node.own, node.opponent
    return end if not reference.holds_forbidden_block(variant, *end) else board


# Repairs ------------------------------------------------------------------------------------------------------------


def _settle(variant: Variant, own: Points, opponent: Points, own_first: bool) -> Board:
    """Both sides on one board: a checker whose point the other side holds goes on to the next free one."""
    first, second = (own, opponent) if own_first else (opponent, own)
    placed, held = _counts(first), _counts(first)
    yielding = []
    for point in second:
        while 1 <= point <= HEAD and held[reference.across(variant, point)]:
            point -= 1
        yielding.append(point)
    return (placed, _counts(yielding)) if own_first else (_counts(yielding), placed)


def _without_blocks(variant: Variant, board: Board) -> Board:
    """The board with one checker after the other taken off until no forbidden block is left."""
    sides = [list(side) for side in board]
    for mine, theirs in ((0, 1), (1, 0)):
        while reference.holds_forbidden_block(variant, tuple(sides[mine]), tuple(sides[theirs])):
            point = max(point for point in range(1, HEAD + 1) if sides[mine][point])
            sides[mine][point] -= 1
            sides[mine][OFF] += 1
    return tuple(sides[0]), tuple(sides[1])


def _counts(points: Points) -> Side:
    return tuple(points.count(point) for point in range(BAR + 1))


def _both_off(variant: Variant, board: Board) -> bool:
    return board[0][OFF] == board[1][OFF] == reference.checkers(variant)
