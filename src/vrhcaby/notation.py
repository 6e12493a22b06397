"""Move text: written as players write it, and read as they write it.

Pure functions on layouts: 26 counts of one side in its own numbering, index 0 = borne off, 1..24 = points, 25 = bar.
All points are in the numbering of the player who moves. A *step* is one checker moved by one die; a *hop* is one
checker's way as it is written, which may be several steps: ``24/13``, or ``bar/24*/18`` with a landing in between.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from vrhcaby.errors import FormatError, IllegalMoveError
from vrhcaby.variants import Variant

__all__ = ["Hop", "explain", "find", "format_steps", "parse"]

Layout = tuple[int, ...]
Board = tuple[Layout, Layout]
Step = tuple[int, int]
_Entry = TypeVar("_Entry")

OFF, HEAD, BAR = 0, 24, 25
CANNOT_MOVE = "Cannot Move"


# Writing -------------------------------------------------------------------------------------------


def format_steps(steps: Sequence[Step], hits: Sequence[bool]) -> str:
    """A move as text: hops of one checker merged unless it hits on the way, equal hops counted, higher points first.

    Parameters
    ----------
    steps : sequence of (source, target)
        25 = bar, 0 = off. No steps: the roll cannot be played.
    hits : sequence of bool
        Whether each step hits.

    >>> format_steps(((24, 18), (18, 16), (13, 11)), (False, False, True))
    '24/16 13/11*'
    >>> format_steps(((25, 24), (24, 18)), (True, False))
    'bar/24*/18'
    >>> format_steps((), ())
    'Cannot Move'
    """
    if not steps:
        return CANNOT_MOVE
    hops: list[Hop] = []
    for (source, target), hit in sorted(zip(steps, hits, strict=True), key=lambda entry: -entry[0][0]):
        # A checker that has hit nothing goes on before one that has: its landing need not be written.
        here = [place for place, hop in enumerate(hops) if hop.points[-1] == source]
        place = min(here, key=lambda place: hops[place].stars[-1], default=None)
        if place is None:
            hops.append(Hop((source, target), (hit,)))
        else:
            points, stars = hops[place]
            written = len(points) if stars[-1] else -1
            hops[place] = Hop((*points[:written], target), (*stars[:written], hit))
    starred: dict[tuple[int, ...], tuple[bool, ...]] = {}
    for points, stars in hops:
        before = starred.get(points, stars)
        starred[points] = tuple(map(max, before, stars))
    counts = Counter(hop.points for hop in hops)
    texts = []
    for points in sorted(counts, reverse=True):
        count = f"({counts[points]})" if counts[points] > 1 else ""
        texts.append(f"{Hop(points, starred[points])}{count}")
    return " ".join(texts)


# Reading -------------------------------------------------------------------------------------------


class Hop(NamedTuple):
    """One checker's way as it is written.

    Attributes
    ----------
    points : tuple of int
        Where it starts and every landing that is written; 25 = bar, 0 = off.
    stars : tuple of bool
        Whether each landing is written with a star.

    >>> str(Hop((25, 24, 18), (True, False)))
    'bar/24*/18'
    """

    points: tuple[int, ...]
    stars: tuple[bool, ...]

    def __str__(self) -> str:
        source, *landings = self.points
        return _name(source) + "".join(
            f"/{_name(point)}{'*' if star else ''}" for point, star in zip(landings, self.stars, strict=True)
        )


_WORDS = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF}
_POINT = r"(?:bar|b|off|o|[0-9]{1,2})"
_TOKEN = re.compile(rf"({_POINT}(?:/{_POINT}\*?)+)(?:\(([1-4])\))?(\*?)", re.ASCII | re.IGNORECASE)
_PASS = "pass"


def parse(text: str) -> tuple[Hop, ...]:
    """The hops that a move text names, in the order written, repeated ones as often as they are counted.

    Parameters
    ----------
    text : str
        ``24/18 13/11*``, ``8/5(2)``, ``bar/24*/18``, ``25/20``, ``6/0``; in capitals or not, with spaces or commas
        between the hops, the star before or after the count. ``Cannot Move``, ``pass`` and nothing at all are no hops;
        ``pass`` may also stand for a die that is not played.

    Raises
    ------
    FormatError
        A word that is not a hop, with its place.

    >>> [str(hop) for hop in parse("Bar/24/18*, 8/5(2)")]
    ['bar/24/18*', '8/5', '8/5']
    """
    if " ".join(text.split()).lower() == CANNOT_MOVE.lower():
        return ()
    hops: list[Hop] = []
    for word in re.finditer(r"[^\s,]+", text):
        token = word[0]
        if token.lower() == _PASS:
            continue
        shape = _TOKEN.fullmatch(token)
        if not shape:
            raise FormatError(f"move {text!r}: cannot read {token!r} at character {word.start() + 1}")
        path, count, late_star = shape.groups()
        names = path.lower().split("/")
        points = tuple(_point(name.rstrip("*")) for name in names)
        stars = [name.endswith("*") for name in names[1:]]
        place = f"in {token!r} at character {word.start() + 1}"
        if max(points) > BAR:
            raise FormatError(f"move {text!r}: {max(points)} is not a point, {place}")
        if OFF in points[:-1]:
            raise FormatError(f"move {text!r}: nothing moves on once it is off, {place}")
        if BAR in points[1:]:
            raise FormatError(f"move {text!r}: nothing moves to the bar, {place}")
        if late_star and stars[-1]:
            raise FormatError(f"move {text!r}: two stars on one landing, {place}")
        stars[-1] = stars[-1] or bool(late_star)
        hops += [Hop(points, tuple(stars))] * int(count or 1)
    return tuple(hops)


def _point(name: str) -> int:
    return _WORDS[name] if name in _WORDS else int(name)


def _name(point: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


# Finding the move that is meant --------------------------------------------------------------------


def find(
    text: str,
    own: Sequence[int],
    opponent: Sequence[int],
    variant: Variant,
    dice: Sequence[int],
    finals: Sequence[tuple[Sequence[int], Sequence[int]]],
) -> int:
    """Which of the legal results a move text means.

    The text names the checkers that move: the steps of a hop may be made in any order that the board allows, and so may
    the hops. Stars may be missing; where results differ only in what is hit, the one is meant that hits nothing but
    what is starred or cannot be avoided.

    Parameters
    ----------
    text : str
        As `parse` reads it.
    own, opponent : sequence of 26 int
        The board before the move, each side in its own numbering.
    variant : Variant
    dice : two int
    finals : sequence of (own, opponent)
        The boards after each legal move, sides not swapped.

    Returns
    -------
    int
        Index into `finals`.

    Raises
    ------
    FormatError
        A text that cannot be read.
    IllegalMoveError
        A move that is not among the legal ones, with the reason, or that may mean several of them.

    >>> from vrhcaby.variants import variant
    >>> own = (14, *(0,) * 9, 1, *(0,) * 15)
    >>> opponent = (14, *(0,) * 18, 1, *(0,) * 6)
    >>> hit = (*opponent[:19], 0, *opponent[20:25], 1)
    >>> after = (14, 0, 0, 0, 1, *(0,) * 21)
    >>> find("10/4", own, opponent, variant("backgammon"), (4, 2), [(after, hit), (after, opponent)])
    1
    """
    hops = parse(text)
    board = (tuple(own), tuple(opponent))
    boards = {(tuple(mine), tuple(theirs)): index for index, (mine, theirs) in enumerate(finals)}
    roll = _roll(dice)
    if not boards:
        raise IllegalMoveError(f"{text!r} with {roll}: the game is over")
    if not hops and board in boards:
        return boards[board]
    meant = {play.board: play for play in _plays(hops, board, variant, dice) if play.board in boards}
    if not meant:
        raise IllegalMoveError(f"{text!r} with {roll}: {explain(own, opponent, variant, dice, hops)}")
    stars = {point for hop in hops for point, star in zip(hop.points[1:], hop.stars, strict=True) if star}
    hits = {result: _hits(opponent, result[1], variant) for result in meant}
    candidates = [result for result in meant if stars <= hits[result]]
    if not candidates:
        wrong = min(stars - min(hits.values(), key=lambda points: len(stars - points)))
        raise IllegalMoveError(f"{text!r} with {roll}: a star on {wrong}, but nothing is hit there")
    if len(candidates) > 1:
        needed = stars | set.intersection(*(hits[result] for result in candidates))
        exact = [result for result in candidates if hits[result] == needed]
        if not exact:
            choices = sorted(format_steps(meant[result].steps, meant[result].hits) for result in candidates)
            raise IllegalMoveError(f"{text!r} with {roll}: may be {' or '.join(choices)}")
        candidates = exact
    return boards[candidates[0]]


class _Play(NamedTuple):
    """Steps that make the written hops, and the board after them."""

    steps: tuple[Step, ...]
    hits: tuple[bool, ...]
    board: Board


# What is left of a hop: where its checker stands, and the landings still to come.
_Way = tuple[int, ...]


def _plays(
    hops: Sequence[Hop],
    board: Board,
    variant: Variant,
    dice: Sequence[int],
    faults: list[tuple[int, str]] | None = None,
) -> Iterator[_Play]:
    """All ways to make the hops with the dice, every order of steps; `faults` gets (steps made before, reason)."""

    def search(play: _Play, ways: tuple[_Way, ...], unused: tuple[int, ...]) -> Iterator[_Play]:
        if not ways:
            yield play
            return
        for way in dict.fromkeys(ways):
            for die, way_on in _ways_on(way, unused):
                ways_left = _without(ways, way) + ((way_on,) if len(way_on) > 1 else ())
                dice_left = _without(unused, die)
                if not _fit(ways_left, dice_left):
                    continue
                source, target = way[0], way_on[0]
                fault = _step_fault(play.board, variant, source, die)
                if fault:
                    if faults is not None:
                        faults.append((len(play.steps), f"{_name(source)}/{_name(target)}: {fault}"))
                    continue
                after, hit = _step(play.board, variant, source, target)
                made = _Play((*play.steps, (source, target)), (*play.hits, hit), after)
                yield from search(made, ways_left, dice_left)

    yield from search(_Play((), (), board), tuple(hop.points for hop in hops), _unused(dice))


def _fit(ways: tuple[_Way, ...], unused: tuple[int, ...]) -> bool:
    """Whether the dice alone, whatever stands on the board, can make all that is left of the hops."""
    if not ways:
        return True
    way, *others = ways
    return any(
        _fit((*others, way_on) if len(way_on) > 1 else tuple(others), _without(unused, die))
        for die, way_on in _ways_on(way, unused)
    )


def _ways_on(way: _Way, unused: tuple[int, ...]) -> Iterator[tuple[int, _Way]]:
    """Each die that takes the checker on without passing its next landing, and what is left of the way then."""
    source, landing, *rest = way
    for die in sorted(set(unused), reverse=True):
        target = max(source - die, OFF)
        if landing <= target < source:
            yield die, (target, *rest) if target == landing else (target, landing, *rest)


def _without(entries: tuple[_Entry, ...], entry: _Entry) -> tuple[_Entry, ...]:
    place = entries.index(entry)
    return entries[:place] + entries[place + 1 :]


def _step(board: Board, variant: Variant, source: int, target: int) -> tuple[Board, bool]:
    """The board after a step, and whether it hits."""
    own, opponent = map(list, board)
    own[source] -= 1
    own[target] += 1
    point = variant.opponent_point(target) if target else OFF
    hit = point != OFF and opponent[point] == 1
    if hit:
        opponent[point] = 0
        opponent[BAR] += 1
    return (tuple(own), tuple(opponent)), hit


def _hits(before: Sequence[int], after: Sequence[int], variant: Variant) -> set[int]:
    """The mover's points on which the opponent has lost a checker."""
    return {variant.opponent_point(point) for point in range(1, BAR) if after[point] < before[point]}


def _unused(dice: Sequence[int]) -> tuple[int, ...]:
    return (dice[0],) * 4 if dice[0] == dice[1] else tuple(dice)


def _roll(dice: Sequence[int]) -> str:
    return f"{dice[0]}-{dice[1]}"


# Saying why not ------------------------------------------------------------------------------------


def explain(
    own: Sequence[int], opponent: Sequence[int], variant: Variant, dice: Sequence[int], hops: Sequence[Hop]
) -> str:
    """Why hops that are not a legal move are not: a phrase, the most telling reason first.

    Parameters
    ----------
    own, opponent : sequence of 26 int
        The board before the move, each side in its own numbering.
    variant : Variant
    dice : two int
    hops : sequence of Hop
        As `parse` gives them.

    >>> from vrhcaby.variants import variant
    >>> start = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
    >>> explain(start, start, variant("backgammon"), (6, 3), parse("13/9 13/7"))
    '13/9 is 4 pips, which 6-3 cannot make'
    >>> explain(start, start, variant("backgammon"), (6, 5), parse("24/13 24/18"))
    '6-5 cannot make all of 24/13 24/18'
    >>> explain(start, start, variant("backgammon"), (5, 1), parse("24/19 6/5"))
    '24/19: point 19 is held by 5 opposing checkers'
    """
    board = (tuple(own), tuple(opponent))
    roll = _roll(dice)
    if not hops:
        return "the roll can be played, and must be"
    for hop in hops:
        for source, landing in zip(hop.points, hop.points[1:], strict=False):
            segment = f"{_name(source)}/{_name(landing)}"
            if source <= landing:
                return f"{segment} does not go from a higher point to a lower one"
            if not _fit(((source, landing),), _unused(dice)):
                return f"{segment} is {source - landing} pips, which {roll} cannot make"
    if not _fit(tuple(hop.points for hop in hops), _unused(dice)):
        return f"{roll} cannot make all of {' '.join(map(str, hops))}"
    faults: list[tuple[int, str]] = []
    plays = list(_plays(hops, board, variant, dice, faults))
    if not plays:
        furthest = max(made for made, _ in faults)
        return "; ".join(dict.fromkeys(reason for made, reason in faults if made == furthest))
    # The play that goes wrong latest in the list of rules is the one that comes nearest to a legal move.
    return max(_turn_fault(play, board, variant, dice) for play in plays)[1]


def _step_fault(board: Board, variant: Variant, source: int, die: int) -> str | None:
    """Why a step cannot be made with this board; rules that look at the whole turn are left to `_turn_fault`."""
    own, opponent = board
    if not own[source]:
        return "no checker on the bar" if source == BAR else f"no checker on point {source}"
    if own[BAR] and source != BAR:
        return "a checker on the bar must enter first"
    if variant.runner and source == HEAD and own[HEAD] < variant.checkers and not any(own[:12]):
        return "the first checker must reach point 11 or less before another leaves the head"
    target = source - die
    if target > OFF:
        held = opponent[variant.opponent_point(target)]
        if variant.direction == "parallel":
            return f"point {target} is held by the opponent" if held else None
        return f"point {target} is held by {held} opposing checkers" if held > 1 else None
    outside = max(point for point in range(26) if own[point])
    if outside > 6:
        return f"nothing is borne off while a checker stands on {_name(outside)}"
    if target < OFF and variant.over_bear == "none":
        return f"a {die} bears off from point {die} only"
    if target < OFF and variant.over_bear == "highest" and outside > source:
        return f"a {die} does not bear off from here while a checker stands on point {outside}"
    return None


def _turn_fault(play: _Play, board: Board, variant: Variant, dice: Sequence[int]) -> tuple[int, str]:
    """Which rule about whole turns a play breaks that is not a legal turn: (place in the list of rules, reason)."""
    from_head = sum(source == HEAD for source, _ in play.steps)
    if variant.head_cap and from_head > variant.head_cap:
        often = ", and one more on some first turns" if variant.head_exception != "none" else ""
        return 0, f"{from_head} checkers leave the head: only {variant.head_cap} may in one turn{often}"
    if not variant.hit_and_run and _hits_and_runs(play):
        return 1, "a checker that has hit on points 1 to 6 may not move on in the same turn"
    if _holds_forbidden_block(play.board, variant):
        return 2, f"the block of six points that it makes is forbidden in {variant.name}"
    used = len(play.steps)
    most = _most_steps(board, variant, dice)
    if used < most:
        return 3, f"it plays {used} of the dice, but {most} can be played"
    if used == 1 and variant.larger_die and dice[0] != dice[1]:
        return 4, f"either die can be played, but not both: the larger, {max(dice)}, must be"
    if variant.block_rule != "none":
        return 5, f"it makes or keeps a block of six points that is forbidden in {variant.name}"
    return 5, f"it is not a whole turn with {_roll(dice)}"


def _hits_and_runs(play: _Play) -> bool:
    struck = [
        (number, target)
        for number, ((_, target), hit) in enumerate(zip(play.steps, play.hits, strict=True))
        if hit and target <= 6
    ]
    return any(source == point for number, point in struck for source, _ in play.steps[number + 1 :])


def _holds_forbidden_block(board: Board, variant: Variant) -> bool:
    own, opponent = board
    if variant.block_rule == "start_quarter":
        return all(own[19:25])
    if variant.block_rule == "none":
        return False
    for lowest in range(1, 20):
        past = opponent[:lowest] if variant.block_rule == "ahead_past" else opponent[:7]
        if all(own[variant.opponent_point(point)] for point in range(lowest, lowest + 6)) and not any(past):
            return True
    return False


def _most_steps(board: Board, variant: Variant, dice: Sequence[int]) -> int:
    """The most dice that steps can use; of the rules about whole turns only the head cap counts."""
    roll = _unused(dice)
    head = board[0][HEAD]
    head_cap = (variant.head_cap or head) + (variant.head_exception != "none" and head == variant.checkers)
    most = 0
    seen = {(board, roll, head_cap)}
    rest = list(seen)
    while rest:
        here, unused, from_head = rest.pop()
        most = max(most, len(roll) - len(unused))
        for die in set(unused):
            for source in range(1, 26):
                if (source == HEAD and not from_head) or _step_fault(here, variant, source, die):
                    continue
                after, _ = _step(here, variant, source, max(source - die, OFF))
                node = (after, _without(unused, die), from_head - (source == HEAD))
                if node not in seen:
                    seen.add(node)
                    rest.append(node)
    return most
