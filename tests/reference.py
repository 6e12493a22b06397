"""The rules of every variant, slow and obviously right.

Written from the rules alone: no code is shared with the library, and a ``Variant`` is read as plain data.

A side is a tuple of 26 counts in that player's own numbering: index 0 = borne off, 1..24 = points (he moves from
24 down to 1), 25 = bar. A board is two sides, ``own`` (the player on roll) and ``opponent``. All results keep this
view: **the sides are not swapped** after a turn, unlike in the library.

The order of turns is part of the contract. Steps are tried depth-first; at each node the unused dice from the larger
to the smaller, for each die the sources from 25 down to 1; a node comes before those below it. The turns are the
distinct results in the order in which the nodes that the rules allow as a whole turn first appear.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vrhcaby import Variant

OFF, HEAD, BAR = 0, 24, 25
ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))

Side = tuple[int, ...]
Board = tuple[Side, Side]
Steps = tuple[tuple[int, int], ...]


def side(text: str, checkers: int = 15) -> Side:
    """The side written as ``"bar 24:2 13"``: points and counts other than one; missing checkers are off."""
    counts = [0] * 26
    for word in text.split() if text != "off" else ():
        point, _, count = word.partition(":")
        counts[BAR if point == "bar" else int(point)] += int(count or 1)
    counts[OFF] = checkers - sum(counts)
    return tuple(counts)


def start(variant: Variant) -> Board:
    """The start position."""
    both = side(" ".join(f"{point}:{count}" for point, count in variant.start), checkers(variant))
    return both, both


def checkers(variant: Variant) -> int:
    """Number of checkers of each side."""
    return sum(count for _, count in variant.start)


def across(variant: Variant, point: int) -> int:
    """The other player's number of a point 1..24."""
    if variant.direction == "contrary":
        return 25 - point
    return point + 12 if point <= 12 else point - 12


def is_over(variant: Variant, own: Side, opponent: Side) -> bool:
    """Whether a side has borne off everything."""
    return checkers(variant) in (own[OFF], opponent[OFF])


# Steps ------------------------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """A moment within a turn."""

    own: Side
    opponent: Side
    unused: tuple[int, ...]  # dice, the larger first
    head_moves: int  # checkers that have left the head in this turn
    frozen: tuple[int, ...]  # points where a checker stands that has hit there and may not move on
    steps: Steps


def first_node(own: Side, opponent: Side, dice: tuple[int, int]) -> Node:
    """The moment before the first step of a turn."""
    high, low = max(dice), min(dice)
    return Node(own, opponent, (high,) * 4 if high == low else (high, low), 0, (), ())


def step(variant: Variant, node: Node, die: int, source: int, head_cap: int) -> Node | None:
    """One checker from the source by one unused die, or None if that is not allowed."""
    own, opponent = node.own, node.opponent
    if own[source] - node.frozen.count(source) < 1:
        return None
    if own[BAR] and source != BAR:  # whoever is on the bar enters first
        return None
    if source == HEAD and head_cap and node.head_moves == head_cap:
        return None
    # The head waits for the one that has left it, until that one is on 11 or less (or has been borne off).
    if variant.runner and not any(own[:12]) and source == HEAD and own[HEAD] < checkers(variant):
        return None

    target, hit = source - die, False
    if target < 1:
        if any(own[7:]):  # all must be home, judged step by step
            return None
        if target < 0 and variant.over_bear == "none":
            return None
        if target < 0 and variant.over_bear == "highest" and any(own[source + 1 : 7]):
            return None
        target = OFF
    else:
        enemies = opponent[across(variant, target)]
        if enemies >= (2 if variant.direction == "contrary" else 1):
            return None
        hit = enemies == 1

    moved, met = list(own), list(opponent)
    moved[source] -= 1
    moved[target] += 1
    if hit:
        met[across(variant, target)] -= 1
        met[BAR] += 1
    own, opponent = tuple(moved), tuple(met)
    if not variant.block_transient and holds_forbidden_block(variant, own, opponent):
        return None

    unused = list(node.unused)
    unused.remove(die)
    frozen = node.frozen
    if hit and target <= 6 and not variant.hit_and_run:
        frozen = tuple(sorted((*frozen, target)))
    return Node(
        own,
        opponent,
        tuple(unused),
        node.head_moves + (source == HEAD),
        frozen,
        (*node.steps, (source, target)),
    )


def holds_forbidden_block(variant: Variant, own: Side, opponent: Side) -> bool:
    """Whether ``own`` holds six points that the block rule does not let him hold."""
    if variant.block_rule == "start_quarter":
        return all(own[19:25])
    if variant.block_rule in ("ahead_past", "ahead_home"):
        held = own[13:25] + own[1:13]  # on the opponent's points 1..24; only parallel games have these rules
        for lowest in range(1, 20):
            if all(held[lowest - 1 : lowest + 5]):
                ahead = opponent[:lowest] if variant.block_rule == "ahead_past" else opponent[:7]  # borne off counts
                if not any(ahead):
                    return True
    return False


def must_be_opened(variant: Variant, own: Side, opponent: Side) -> bool:
    """Whether ``own`` holds the six points in front of an opponent all of whose checkers stand on one point."""
    return any(
        opponent[point] == checkers(variant) and all(own[across(variant, point - distance)] for distance in range(1, 7))
        for point in range(7, 25)
    )


def nodes(variant: Variant, node: Node, head_cap: int, seen: set[tuple[object, ...]] | None = None) -> Iterator[Node]:
    """The node and all below it, in order.

    With ``seen``, a node that differs from an earlier one only in its steps is left out together with those below it:
    these have appeared before, too.
    """
    yield node
    for die in sorted(set(node.unused), reverse=True):
        for source in range(BAR, 0, -1):
            after = step(variant, node, die, source, head_cap)
            if after is None:
                continue
            if seen is not None:
                if after[:-1] in seen:
                    continue
                seen.add(after[:-1])
            yield from nodes(variant, after, head_cap, seen)


# Turns ------------------------------------------------------------------------------------------------------------


def dice_played(variant: Variant, own: Side, opponent: Side, dice: tuple[int, int]) -> int:
    """How many dice the player can (and, unless "greedy", must) play."""
    root = first_node(own, opponent, dice)
    return _most_dice(_lawful(variant, root, _head_cap(variant, root, dice)))


def legal_turns(variant: Variant, own: Side, opponent: Side, dice: tuple[int, int]) -> list[Board]:
    """Every legal result of a roll once, in the documented order; sides **not** swapped.

    A roll that cannot be played gives the board as it was; a finished game gives nothing.
    """
    if is_over(variant, own, opponent):
        return []
    root = first_node(own, opponent, dice)
    head_cap = _head_cap(variant, root, dice)
    lawful = _lawful(variant, root, head_cap)
    most = _most_dice(lawful)
    if variant.full_use == "max":
        kept = [node for node in lawful if _dice_used(node) == most]
    else:
        kept = [node for node in lawful if not _has_lawful_descendant(variant, node, head_cap)]
    if most == 1 and dice[0] != dice[1] and variant.larger_die:
        kept = [node for node in kept if max(dice) not in node.unused] or kept
    if variant.unblock:
        kept = [node for node in kept if not must_be_opened(variant, node.own, node.opponent)] or kept
    return list(dict.fromkeys((node.own, node.opponent) for node in kept))


def step_sequences(variant: Variant, own: Side, opponent: Side, dice: tuple[int, int]) -> dict[Board, list[Steps]]:
    """Every sequence of legal steps to each legal result, in order.

    A sequence that reaches the result with fewer dice counts, even if it would not be a whole turn by itself:
    4/off for a last checker that could also come off as 4/2/off.
    """
    root = first_node(own, opponent, dice)
    sequences: dict[Board, list[Steps]] = {board: [] for board in legal_turns(variant, own, opponent, dice)}
    for node in nodes(variant, root, _head_cap(variant, root, dice)):
        if (node.own, node.opponent) in sequences:
            sequences[node.own, node.opponent].append(node.steps)
    return sequences


def canonical_steps(sequences: list[Steps]) -> Steps:
    """The one that is written: fewest steps, then highest sources, then the first in order.

    All sequences to one result hit equally often: each hit puts a checker on the bar.
    """
    return min(sequences, key=lambda steps: (len(steps), [-source for source, _ in steps]))


def _dice_used(node: Node) -> int:
    return len(node.steps)


def _most_dice(lawful: list[Node]) -> int:
    return max(_dice_used(node) for node in lawful)


def _lawful(variant: Variant, root: Node, head_cap: int) -> list[Node]:
    """The nodes at which a turn may end as far as the board is concerned."""
    everything = nodes(variant, root, head_cap, set())
    return [node for node in everything if not holds_forbidden_block(variant, node.own, node.opponent)]


def _has_lawful_descendant(variant: Variant, node: Node, head_cap: int) -> bool:
    return any(
        not holds_forbidden_block(variant, below.own, below.opponent)
        for below in nodes(variant, node, head_cap, set())
        if below is not node
    )


def _head_cap(variant: Variant, root: Node, dice: tuple[int, int]) -> int:
    """How many checkers may leave the head: one more on the first turn, if that lets more dice be played."""
    cap = variant.head_cap
    if root.own[HEAD] < checkers(variant) or not _exception_covers(variant, root.opponent, dice):
        return cap
    with_one_more = _most_dice(_lawful(variant, root, cap + 1))
    return cap + 1 if with_one_more > _most_dice(_lawful(variant, root, cap)) else cap


def _exception_covers(variant: Variant, opponent: Side, dice: tuple[int, int]) -> bool:
    if variant.head_exception == "none":
        return False
    if variant.head_exception == "general":
        return True
    if tuple(dice) in ((3, 3), (4, 4), (6, 6)):
        return True
    if variant.head_exception == "doubles346":
        return False
    opened = opponent[HEAD] == checkers(variant) - 1 and opponent[21] + opponent[16] + opponent[4] == 1
    return opened and (max(dice), min(dice)) in ((5, 5), (6, 2))


# Doors, results, counts -------------------------------------------------------------------------------------------


def problems(variant: Variant, own: Side, opponent: Side) -> str | None:
    """What is wrong with a board, or None."""
    for name, counts in (("own", own), ("opponent", opponent)):
        if len(counts) != 26 or min(counts) < 0:
            return f"{name}: not 26 counts"
        if sum(counts) != checkers(variant):
            return f"{name}: {sum(counts)} checkers"
        if variant.direction == "parallel" and counts[BAR]:
            return f"{name}: on the bar, where nothing is hit"
    for point in range(1, 25):
        if own[point] and opponent[across(variant, point)]:
            return f"both sides on point {point}"
    if own[OFF] == opponent[OFF] == checkers(variant):
        return "both sides have borne off everything"
    if holds_forbidden_block(variant, own, opponent):
        return "own: forbidden block"
    if holds_forbidden_block(variant, opponent, own):
        return "opponent: forbidden block"
    return None


def outcome(variant: Variant, own: Side, opponent: Side) -> int:
    """+1, +2, +3 = the player on roll has won a single game, gammon, backgammon; negative = lost; 0 = not over."""
    if not is_over(variant, own, opponent):
        return 0
    won = own[OFF] == checkers(variant)
    loser = opponent if won else own
    value = 1
    if loser[OFF] == 0:
        value = 2
        behind = loser[BAR] + sum(loser[across(variant, home_point)] for home_point in range(1, 7))
        if variant.backgammon == "any" and behind > 0:
            value = 3
        if variant.backgammon == "all" and behind == checkers(variant):
            value = 3
    return value if won else -value


def points(variant: Variant, own: Side, opponent: Side) -> int:
    """What the game is worth to the player on roll: positive = won, negative = lost, 0 = not over."""
    value = outcome(variant, own, opponent)
    if value == 0:
        return 0
    worth: int = variant.points[abs(value) - 1]
    return worth if value > 0 else -worth


def perft(variant: Variant, own: Side, opponent: Side, depth: int) -> int:
    """Number of (roll, turn) sequences over all 21 rolls; a finished game counts 1 and is not expanded."""
    if depth == 0 or is_over(variant, own, opponent):
        return 1
    return sum(
        perft(variant, theirs, mine, depth - 1)
        for dice in ROLLS
        for mine, theirs in legal_turns(variant, own, opponent, dice)
    )
