"""The rule parameters of every variant: data only, no rules are played here."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal, get_args

__all__ = ["VARIANTS", "Variant", "variant"]

Direction = Literal["contrary", "parallel"]
HeadException = Literal["general", "listed", "doubles346", "none"]
BlockRule = Literal["none", "ahead_past", "ahead_home", "start_quarter"]
FullUse = Literal["max", "greedy"]
OverBear = Literal["highest", "none", "free"]
Starter = Literal["higher", "lower"]
Opening = Literal["both_dice", "fresh"]
NextStarter = Literal["draw", "winner"]
BackgammonWin = Literal["any", "all", "none"]
LastRoll = Literal["none", "second_player", "ge14"]

# One place for the words that each option takes; the constructor checks against it.
_CHOICES: dict[str, tuple[str, ...]] = {
    "direction": get_args(Direction),
    "head_exception": get_args(HeadException),
    "block_rule": get_args(BlockRule),
    "full_use": get_args(FullUse),
    "over_bear": get_args(OverBear),
    "starter": get_args(Starter),
    "opening": get_args(Opening),
    "next_starter": get_args(NextStarter),
    "backgammon": get_args(BackgammonWin),
    "last_roll": get_args(LastRoll),
}
_FLAGS = ("block_transient", "unblock", "runner", "hit_and_run", "larger_die", "cube")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Variant:
    """The parameters of one game of the backgammon family. Immutable and hashable.

    Points are 1..24 in each player's own numbering: he moves from 24 down to 1 and bears off.

    Attributes
    ----------
    name : str
        The name that the code and the command line use.
    start : tuple of (point, checkers)
        Each side's start position, highest point first. At most 15 checkers in all.
    direction : "contrary" or "parallel"
        How the players run. In contrary games my point p is the opponent's ``25 - p``, two checkers close a
        point and a single one is hit; in parallel games it is ``p + 12`` or ``p - 12``, one checker closes a
        point and nothing is hit.
    head_cap : int
        How many checkers may leave point 24, the head, in one turn; 0 = no limit.
    head_exception : "general", "listed", "doubles346" or "none"
        When a player's first turn may take one checker more from the head. It may only if that lets more dice
        be played (and then it must). "general": with every roll. "doubles346": with 3-3, 4-4 and 6-6 only.
        "listed": with these, and with 5-5 and 6-2 after an opponent who opened 2-1, 6-2 or 5-5, judged from the
        board (where the openings 5-3 and 2-2 leave what 6-2 leaves).
    block_rule : "none", "ahead_past", "ahead_home" or "start_quarter"
        Which blocks of six points are forbidden. "ahead_past": six in a row on the opponent's path without one
        of his checkers past them. "ahead_home": the same without one of his checkers in his home.
        "start_quarter": all of one's own points 19..24.
    block_transient : bool
        Whether a forbidden block may stand for a moment within a turn, and only the end of the turn counts.
    unblock : bool
        Whether a six in a row directly in front of an opponent who has all his checkers on one point must be
        opened, if the roll allows it.
    runner : bool
        Whether a first checker must reach point 11 or less before any other may move.
    hit_and_run : bool
        Whether a checker that has hit on one's own points 1..6 may move on in the same turn.
    full_use : "max" or "greedy"
        "max": as many dice as can be played must be played. "greedy": a turn ends when no unused die can be
        played, without looking ahead.
    larger_die : bool
        Whether the larger die must be played when either can be played, but not both.
    over_bear : "highest", "none" or "free"
        Bearing off with a number larger than the point: only from the highest point, never, or from any point.
    starter : "higher" or "lower"
        Which die of the opening draw starts. A tie is thrown again.
    opening : "both_dice" or "fresh"
        Whether the starter plays the two dice of the draw (never a double) or rolls afresh.
    next_starter : "draw" or "winner"
        Who starts the next game of a match: a new draw decides, or the winner of the last.
    points : tuple of int
        What a single win, a gammon and a backgammon are worth.
    backgammon : "any", "all" or "none"
        When the loser, with no checker borne off, loses a backgammon: if any, or only if all, of his checkers are
        on the bar or in the winner's home; or never.
    cube : bool
        Whether the variant is played with a doubling cube.
    match_length : int
        Points of a match where nothing else is said.
    last_roll : "none", "second_player" or "ge14"
        Whether the second player rolls once more after the starter has borne off everything, and draws by
        finishing too: always, or only with 14 or more checkers off.

    >>> variant("tavli").larger_die
    False
    >>> variant("backgammon").checkers
    15
    """

    name: str
    start: tuple[tuple[int, int], ...]
    direction: Direction = "contrary"
    head_cap: int = 0
    head_exception: HeadException = "none"
    block_rule: BlockRule = "none"
    block_transient: bool = False
    unblock: bool = False
    runner: bool = False
    hit_and_run: bool = True
    full_use: FullUse = "max"
    larger_die: bool = True
    over_bear: OverBear = "highest"
    starter: Starter = "higher"
    opening: Opening = "both_dice"
    next_starter: NextStarter = "draw"
    points: tuple[int, int, int] = (1, 2, 3)
    backgammon: BackgammonWin = "any"
    cube: bool = False
    match_length: int = 1
    last_roll: LastRoll = "none"

    def __post_init__(self) -> None:
        for field, words in _CHOICES.items():
            value = getattr(self, field)
            if value not in words:
                raise ValueError(f"{field} = {value!r}: must be one of {', '.join(map(repr, words))}")
        for field in _FLAGS:
            value = getattr(self, field)
            if not isinstance(value, bool):
                raise ValueError(f"{field} = {value!r}: must be True or False")
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name = {self.name!r}: must be a text that is not empty")
        object.__setattr__(self, "start", tuple((point, count) for point, count in self.start))
        object.__setattr__(self, "points", tuple(self.points))
        self._check_start()
        if len(self.points) != 3 or not all(type(p) is int and 1 <= p <= 9 for p in self.points):
            raise ValueError(f"points = {self.points!r}: must be three whole numbers from 1 to 9")
        if list(self.points) != sorted(self.points):
            raise ValueError(f"points = {self.points!r}: a gammon may not be worth less than a single win")
        if type(self.head_cap) is not int or not 0 <= self.head_cap <= 15:
            raise ValueError(f"head_cap = {self.head_cap!r}: must be a whole number from 0 to 15")
        if type(self.match_length) is not int or self.match_length < 1:
            raise ValueError(f"match_length = {self.match_length!r}: must be a whole number from 1")
        if self.direction == "contrary":
            for field in ("head_cap", "runner", "unblock"):
                if getattr(self, field):
                    raise ValueError(f"{field} = {getattr(self, field)!r}: only parallel games have this rule")
            if self.block_rule != "none":
                raise ValueError(f"block_rule = {self.block_rule!r}: only parallel games have this rule")
        elif not self.hit_and_run:
            raise ValueError("hit_and_run = False: nothing is hit in parallel games")
        if self.head_exception != "none" and self.head_cap == 0:
            raise ValueError(f"head_exception = {self.head_exception!r}: needs a head_cap")
        # Cached: a dataclass hash of twenty fields would cost more than many calls that look a variant up.
        object.__setattr__(self, "_hash", hash(tuple(getattr(self, f.name) for f in dataclasses.fields(self))))

    def _check_start(self) -> None:
        counts = dict(self.start)
        if len(counts) != len(self.start) or not counts:
            raise ValueError(f"start = {self.start!r}: must name each point once")
        for point, count in self.start:
            if type(point) is not int or not 1 <= point <= 24:
                raise ValueError(f"start = {self.start!r}: {point!r} is not a point from 1 to 24")
            if type(count) is not int or count < 1:
                raise ValueError(f"start = {self.start!r}: {count!r} is not a number of checkers")
        if self.checkers > 15:
            raise ValueError(f"start = {self.start!r}: {self.checkers} checkers, at most 15 are possible")
        for point in counts:
            if self.opponent_point(point) in counts:
                raise ValueError(f"start = {self.start!r}: both sides would stand on point {point}")

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: it checks, and the cached hash of texts differs between processes.
        return _restored_variant, ({f.name: getattr(self, f.name) for f in dataclasses.fields(self)},)

    @property
    def checkers(self) -> int:
        """Number of checkers of each side.

        >>> variant("hypergammon").checkers
        3
        """
        return sum(count for _, count in self.start)

    @property
    def options(self) -> dict[str, Any]:
        """The parameters that differ from the preset of this name (all of them if no preset has this name).

        >>> variant("tavli").replace(full_use="greedy").options
        {'full_use': 'greedy'}
        """
        preset = VARIANTS.get(self.name)
        fields = [f.name for f in dataclasses.fields(self) if f.name != "name"]
        return {f: getattr(self, f) for f in fields if preset is None or getattr(self, f) != getattr(preset, f)}

    def opponent_point(self, point: int) -> int:
        """The opponent's number of my point (1..24): the same mapping in both directions.

        >>> variant("backgammon").opponent_point(24), variant("long-nardy").opponent_point(24)
        (1, 12)
        """
        if self.direction == "contrary":
            return 25 - point
        return point + 12 if point <= 12 else point - 12

    def starting_player(self, draw: tuple[int, int]) -> int | None:
        """Who starts after player 0 and player 1 have thrown one die each, None if they must throw again.

        Raises
        ------
        ValueError
            Something that is not two numbers from 1 to 6.

        >>> variant("backgammon").starting_player((5, 2)), variant("tavli").starting_player((5, 2))
        (0, 1)
        """
        if len(draw) != 2 or any(type(die) is not int or not 1 <= die <= 6 for die in draw):
            raise ValueError(f"draw = {draw!r}: must be two whole numbers from 1 to 6")
        if draw[0] == draw[1]:
            return None
        return int((draw[1] > draw[0]) == (self.starter == "higher"))

    def replace(self, **changes: Any) -> Variant:
        """A variant with some parameters changed.

        Raises
        ------
        ValueError
            A value that the parameter does not take, or a combination that makes no sense.
        TypeError
            A parameter that does not exist.

        >>> variant("long-nardy").replace(over_bear="free").over_bear
        'free'
        """
        known = {f.name for f in dataclasses.fields(self)}
        for field in changes:
            if field not in known:
                raise TypeError(f"a variant has no parameter {field!r}{_hint(field, known)}")
        return dataclasses.replace(self, **changes)

    def __repr__(self) -> str:
        changes = "".join(f", {field}={value!r}" for field, value in self.options.items())
        return f"<Variant {self.name}{changes}>"


def _hint(word: str, known: Iterable[str]) -> str:
    import difflib  # only errors need it

    near = difflib.get_close_matches(word.lower(), list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _restored_variant(fields: dict[str, Any]) -> Variant:
    return Variant(**fields)


_STANDARD = ((24, 2), (13, 5), (8, 3), (6, 5))

# RULES: text 002 = backgammon, 001 = vrhcaby, 000 = tavli, 003 = short-nardy and long-nardy; the others complete
# the family. Where a text is silent the usual rule of the game fills in.
VARIANTS: dict[str, Variant] = {
    v.name: v
    for v in (
        Variant(name="backgammon", start=_STANDARD, cube=True, match_length=7),
        Variant(name="vrhcaby", start=_STANDARD, backgammon="all"),
        Variant(
            name="tavli",
            start=_STANDARD,
            larger_die=False,
            starter="lower",
            opening="fresh",
            points=(1, 2, 2),
            backgammon="none",
            match_length=5,
        ),
        Variant(name="short-nardy", start=_STANDARD),
        Variant(
            name="long-nardy",
            start=((24, 15),),
            direction="parallel",
            head_cap=1,
            head_exception="general",
            block_rule="ahead_past",
            opening="fresh",
            points=(1, 2, 2),
            backgammon="none",
        ),
        Variant(
            name="nackgammon",
            start=((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)),
            cube=True,
            match_length=7,
        ),
        Variant(name="hypergammon", start=((24, 1), (23, 1), (22, 1)), cube=True, match_length=7),
        Variant(
            name="portes",
            start=_STANDARD,
            opening="fresh",
            next_starter="winner",
            points=(1, 2, 2),
            backgammon="none",
            match_length=5,
        ),
        Variant(
            name="tavla",
            start=_STANDARD,
            hit_and_run=False,
            opening="fresh",
            next_starter="winner",
            points=(1, 2, 2),
            backgammon="none",
            match_length=5,
        ),
        Variant(
            name="fevga",
            start=((24, 15),),
            direction="parallel",
            block_rule="start_quarter",
            block_transient=True,
            unblock=True,
            runner=True,
            opening="fresh",
            next_starter="winner",
            points=(1, 2, 2),
            backgammon="none",
            match_length=5,
        ),
    )
}


def variant(name: str) -> Variant:
    """The variant of this name.

    Raises
    ------
    ValueError
        No variant has this name; the message lists those that exist.

    >>> variant("long-nardy").direction
    'parallel'
    """
    found = VARIANTS.get(name)
    if found is None:
        raise ValueError(f"unknown variant {name!r}{_hint(str(name), VARIANTS)} (known: {', '.join(VARIANTS)})")
    return found
