"""The state of a game: board, match, dice, who is on roll and what is on offer, as an XGID or a GNU ID holds it.

Players are absolute, 0 and 1, as in GNU Backgammon's IDs: player 1 is the bottom player of an XGID, player 0 the top
one. `MatchState.seen_by` turns a match to the view of one of them.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple, get_args

from vrhcaby import ids, variants
from vrhcaby._core import Position
from vrhcaby.errors import FormatError
from vrhcaby.variants import Variant

__all__ = ["MatchState", "MatchView", "State", "read_id"]

Offer = Literal["double", "beaver", "raccoon"]
Game = Literal["none", "playing", "over", "resigned", "dropped"]

# What an XGID says where the state does not: the limit that eXtreme Gammon itself writes.
_USUAL_LIMIT_EXPONENT = 10
_XGID_OFFERS: dict[str, Offer] = {"D": "double", "B": "beaver", "R": "raccoon"}
_CENTRED = 3


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_player(value: object) -> bool:
    return _is_whole(value) and value in (0, 1)


def _is_power_of_two(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0 and value & (value - 1) == 0


def _is_roll(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(_is_whole(die) and 1 <= die <= 6 for die in value)


class MatchView(NamedTuple):
    """A match as one of its players sees it: what `MatchState.seen_by` returns.

    Attributes
    ----------
    away : tuple of int, or None
        Points that he and his opponent still need; None for money.
    cube : int
        Value of the cube.
    cube_owner : "own", "opponent" or None
        None = centred.
    crawford, post_crawford : bool
        Whether this is the Crawford game, or a later one of a match in which somebody needs one point. Both are False
        in a match to 1.
    may_double : bool
        Whether the cube is his to turn: never in the Crawford game or in a match to 1, and not beyond the limit.
    """

    away: tuple[int, int] | None
    cube: int
    cube_owner: Literal["own", "opponent"] | None
    crawford: bool
    post_crawford: bool
    may_double: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchState:
    """Score, cube and rules of a match or a money session. Immutable and hashable.

    Attributes
    ----------
    length : int
        Points of the match, 0 = money.
    score : tuple of int
        Points of player 0 and of player 1. For money they are totals of the session and decide nothing.
    cube : int
        Value of the cube, a power of two; before an offered double is taken, the old value.
    cube_owner : 0, 1 or None
        None = centred.
    cube_limit : int or None
        The largest value that the cube may reach; None = not stated, 1 = no limit is meant.
    crawford : bool
        Whether this is the Crawford game, as stated: the cube rests.
    jacoby : bool or None
        Whether gammons count only after the cube was turned; means nothing in a match. None = not stated, as in the
        match IDs of before 2013.
    beavers : bool or None
        Whether a player who takes may double at once and keep the cube. None = not stated.
    resignation : int
        What the player whose turn it is not offers to lose: 0 = nothing, 1 = a single game, 2 = a gammon, 3 = a
        backgammon.

    Raises
    ------
    ValueError
        A value out of range, a cube above its limit, or a Crawford game for money or with a turned cube.

    >>> MatchState(length=7, score=(3, 5), cube=2, cube_owner=1).seen_by(1).away
    (2, 4)
    """

    length: int = 0
    score: tuple[int, int] = (0, 0)
    cube: int = 1
    cube_owner: int | None = None
    cube_limit: int | None = None
    crawford: bool = False
    jacoby: bool | None = False
    beavers: bool | None = None
    resignation: int = 0

    def __post_init__(self) -> None:
        if not _is_whole(self.length):
            raise ValueError(f"length = {self.length!r}: must be a whole number from 0")
        if not isinstance(self.score, tuple) or len(self.score) != 2 or not all(map(_is_whole, self.score)):
            raise ValueError(f"score = {self.score!r}: must be a pair of whole numbers from 0")
        if not _is_power_of_two(self.cube):
            raise ValueError(f"cube = {self.cube!r}: must be 1, 2, 4, ...")
        if self.cube_owner is not None and not _is_player(self.cube_owner):
            raise ValueError(f"cube_owner = {self.cube_owner!r}: must be 0, 1 or None")
        if self.cube_limit is not None and not _is_power_of_two(self.cube_limit):
            raise ValueError(f"cube_limit = {self.cube_limit!r}: must be 1, 2, 4, ... or None")
        if self._limit is not None and self.cube > self._limit:
            raise ValueError(f"cube = {self.cube}: larger than its limit {self._limit}")
        if not isinstance(self.crawford, bool):
            raise ValueError(f"crawford = {self.crawford!r}: must be True or False")
        for field in ("jacoby", "beavers"):
            value = getattr(self, field)
            if value is not None and not isinstance(value, bool):
                raise ValueError(f"{field} = {value!r}: must be True, False or None")
        if not _is_whole(self.resignation) or self.resignation > 3:
            raise ValueError(f"resignation = {self.resignation!r}: must be 0, 1, 2 or 3")
        if self.crawford:
            if self.length == 0:
                raise ValueError("crawford = True: a money session has no Crawford game")
            if self.cube > 1 or self.cube_owner is not None:
                raise ValueError("crawford = True: the cube must be 1 and centred")

    @property
    def _limit(self) -> int | None:
        return None if self.cube_limit == 1 else self.cube_limit

    @property
    def winner(self) -> int | None:
        """The player who has won the match, None while it goes on and in a money session."""
        if self.length == 0 or max(self.score) < self.length:
            return None
        return 0 if self.score[0] >= self.length else 1

    def after_game(self, winner: int | None, points: int) -> MatchState:
        """The match when a game has ended: at the beginning of the next one, or won.

        The first game after a player has come to need one point is the Crawford game. Points beyond the length of the
        match stay in the score.

        Parameters
        ----------
        winner : 0, 1 or None
            None = the game was a draw.
        points : int
            What the game was worth by itself, as `Position.result` says, from 1 to 9 (0 for a draw): the cube
            multiplies it, and with the Jacoby rule more than a single game counts only after the cube was turned.

        Raises
        ------
        ValueError
            A match that is over, or values out of range.

        >>> MatchState(length=5, score=(2, 4)).after_game(0, 1).score
        (3, 4)
        >>> MatchState(length=5, score=(2, 3), cube=2, cube_owner=0).after_game(0, 1).crawford
        True
        """
        if self.winner is not None:
            raise ValueError(f"score = {self.score!r}: the match to {self.length} is over")
        if winner is not None and not _is_player(winner):
            raise ValueError(f"winner = {winner!r}: must be 0, 1 or None")
        if not _is_whole(points) or points > 9 or (points == 0) != (winner is None):
            raise ValueError(f"points = {points!r}: must be from 1 to 9, or 0 for a draw")
        if self.length == 0 and self.jacoby and self.cube == 1:
            points = min(points, 1)
        won = points * self.cube
        score = (self.score[0] + won * (winner == 0), self.score[1] + won * (winner == 1))
        one_away = self.length - 1
        return dataclasses.replace(
            self,
            score=score,
            cube=1,
            cube_owner=None,
            crawford=self.length > 1 and max(score) == one_away and max(self.score) < one_away,
            resignation=0,
        )

    def seen_by(self, player: int) -> MatchView:
        """The match from the side of a player, usually the one on roll.

        Parameters
        ----------
        player : 0 or 1

        Raises
        ------
        ValueError
            A player other than 0 and 1.

        >>> MatchState(length=5, score=(4, 2), crawford=True).seen_by(1)
        MatchView(away=(3, 1), cube=1, cube_owner=None, crawford=True, post_crawford=False, may_double=False)
        """
        if not _is_player(player):
            raise ValueError(f"player = {player!r}: must be 0 or 1")
        away = (self.length - self.score[player], self.length - self.score[1 - player])
        is_long = self.length > 1
        return MatchView(
            away=away if self.length else None,
            cube=self.cube,
            cube_owner=None if self.cube_owner is None else "own" if self.cube_owner == player else "opponent",
            crawford=self.crawford and is_long,
            post_crawford=is_long and not self.crawford and 1 in away,
            may_double=not self.crawford
            and self.length != 1
            and self.cube_owner in (None, player)
            and (self._limit is None or self.cube < self._limit),
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class State:
    """All that an XGID, or a GNU position and match ID, holds: `read_id` reads it. Immutable and hashable.

    Attributes
    ----------
    position : Position
        The board from the side of `on_roll`.
    match : MatchState
    dice : tuple of int, or None
        The roll that is to be played; None before it.
    on_roll : 0 or 1
        The player who rolls, has rolled, or has doubled.
    turn : 0 or 1
        The player who has to decide. Left out (-1): `on_roll`, or the other one where a double, a raccoon or a
        resignation is on offer.
    offer : "double", "beaver", "raccoon" or None
        What was last said about the cube, and is to be answered. A resignation on offer is in `match`.
    game : "none", "playing", "over", "resigned" or "dropped"
        Whether the game has begun, and how it ended. GNU Backgammon says "none" until the opening roll is played.

    Raises
    ------
    ValueError
        A value out of range, an offer after the roll, a double by a player who may not double, or a score that has
        won the match already while the game goes on.

    >>> state = read_id("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:2:1:0:7:10")
    >>> state.on_roll, state.dice, state.match.score
    (0, (3, 1), (1, 2))
    >>> state.gnubg_id
    '4HPwATDgc/ABMA:MIHlABAAEAAE'
    """

    position: Position
    match: MatchState = MatchState()
    dice: tuple[int, int] | None = None
    on_roll: int = 1
    turn: int = -1
    offer: Offer | None = None
    game: Game = "playing"

    def __post_init__(self) -> None:
        if not isinstance(self.position, Position):
            raise TypeError(f"position = {self.position!r}: must be a Position")
        if not isinstance(self.match, MatchState):
            raise TypeError(f"match = {self.match!r}: must be a MatchState")
        if self.dice is not None and not _is_roll(self.dice):
            raise ValueError(f"dice = {self.dice!r}: must be two numbers from 1 to 6, or None")
        if not _is_player(self.on_roll):
            raise ValueError(f"on_roll = {self.on_roll!r}: must be 0 or 1")
        if self.offer is not None and self.offer not in get_args(Offer):
            raise ValueError(f"offer = {self.offer!r}: must be one of {', '.join(map(repr, get_args(Offer)))}, or None")
        if self.game not in get_args(Game):
            raise ValueError(f"game = {self.game!r}: must be one of {', '.join(map(repr, get_args(Game)))}")
        if self.turn == -1:
            object.__setattr__(self, "turn", self._usual_turn)
        if not _is_player(self.turn):
            raise ValueError(f"turn = {self.turn!r}: must be 0 or 1")
        if self.offer and self.dice:
            raise ValueError(f"offer = {self.offer!r}, dice = {self.dice!r}: the cube is turned before the roll")
        if self.offer == "double" and not self.match.seen_by(self.on_roll).may_double:
            raise ValueError(f"offer = 'double': player {self.on_roll} may not double in {self.match!r}")
        if self.game == "playing" and 0 < self.match.length <= max(self.match.score):
            raise ValueError(f"score = {self.match.score}: has won the match to {self.match.length} already")

    @property
    def xgid(self) -> str:
        """The state as an XGID.

        What the state does not say is written as eXtreme Gammon itself begins: a cube limit of 1024, no beavers, no
        Jacoby rule. Not in it are the variant, whether the game has only been drawn for (`game` "none"), and in a match
        the Jacoby rule, which means nothing there.

        Raises
        ------
        FormatError
            What an XGID cannot hold: a resignation, a game that has ended, a decision that is neither with the player
            on roll nor follows from the offer, a variant whose players run in parallel, a number that is too large.

        >>> read_id("4HPwATDgc/ABMA:UQkqASAAIAAE").xgid
        'XGID=-b----E-C---eE---c-e----B-:1:1:1:42:4:2:0:9:10'
        """
        match = self.match
        ids.require_contrary(self.position.variant, "an XGID")
        if match.resignation:
            raise FormatError(f"resignation = {match.resignation}: an XGID cannot hold an offer to resign")
        if self.game not in ("none", "playing"):
            raise FormatError(f"game = {self.game!r}: an XGID cannot hold a game that has ended")
        if self.turn != self._usual_turn:
            raise FormatError(f"turn = {self.turn}: an XGID cannot hold this with on_roll = {self.on_roll}")
        sides = (self.position.own, self.position.opponent)
        bottom, top = sides if self.on_roll == 1 else sides[::-1]
        if self.offer:
            dice = next(letter for letter, offer in _XGID_OFFERS.items() if offer == self.offer)
        else:
            dice = "".join(map(str, self.dice or (0, 0)))
        fields = ids.XgidFields(
            bottom=bottom,
            top=top,
            cube_exponent=_exponent(match.cube),
            cube_owner=0 if match.cube_owner is None else _sign(match.cube_owner),
            turn=_sign(self.on_roll),
            dice=dice,
            score_bottom=match.score[1],
            score_top=match.score[0],
            rules=int(match.crawford) if match.length else bool(match.jacoby) + 2 * bool(match.beavers),
            length=match.length,
            limit_exponent=_USUAL_LIMIT_EXPONENT if match.cube_limit is None else _exponent(match.cube_limit),
        )
        return ids.encode_xgid(fields, self.position.variant.checkers)

    @property
    def gnubg_id(self) -> str:
        """The state as GNU Backgammon's position ID and match ID, joined by a colon.

        The match ID has 11 characters, as before 2013, where the state does not say whether the Jacoby rule is on. The
        cube's limit, beavers as a rule and the variant are not in it.

        Raises
        ------
        FormatError
            What the match ID cannot hold: a beaver or a raccoon on offer, a variant whose players run in parallel, a
            number that is too large.

        >>> read_id("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:1:0:10").gnubg_id
        '4HPwATDgc/ABMA:cBEAAAAAAAAA'
        """
        match = self.match
        ids.require_contrary(self.position.variant, "a GNU match ID")
        if self.offer in ("beaver", "raccoon"):
            raise FormatError(f"offer = {self.offer!r}: a GNU match ID can only hold a double")
        fields = ids.MatchFields(
            cube_exponent=_exponent(match.cube),
            cube_owner=_CENTRED if match.cube_owner is None else match.cube_owner,
            on_roll=self.on_roll,
            crawford=int(match.crawford),
            game_state=get_args(Game).index(self.game),
            turn=self.turn,
            doubled=int(self.offer == "double"),
            resignation=match.resignation,
            die_1=self.dice[0] if self.dice else 0,
            die_2=self.dice[1] if self.dice else 0,
            length=match.length,
            score_0=match.score[0],
            score_1=match.score[1],
            no_jacoby=None if match.jacoby is None else int(not match.jacoby),
        )
        position = ids.encode_position(self.position.own, self.position.opponent, self.position.variant.checkers)
        return f"{position}:{ids.encode_match(fields)}"

    @property
    def _usual_turn(self) -> int:
        # A beaver goes back to the player who doubled; all other offers are for his opponent.
        return 1 - self.on_roll if self.offer in ("double", "raccoon") or self.match.resignation else self.on_roll

    def __str__(self) -> str:
        """The board as text, with match, cube, roll and offers as the player on roll sees them."""
        from vrhcaby.drawing import text

        return text.board(*self._drawn(), **self._facts())

    def _repr_svg_(self) -> str:
        from vrhcaby.drawing import svg

        return svg.board(*self._drawn(), **self._facts())

    def _drawn(self) -> tuple[tuple[int, ...], tuple[int, ...], Variant]:
        return self.position.own, self.position.opponent, self.position.variant

    def _facts(self) -> dict[str, Any]:
        """What a drawing says beside the board."""
        match, me = self.match, self.on_roll
        view = match.seen_by(me)
        stakes = ("", "a single game", "a gammon", "a backgammon")[match.resignation]
        note, task = "Crawford game" if match.crawford else "", ""
        if self.offer == "double":
            task = f"doubles to {2 * match.cube}"
        elif self.offer == "beaver":
            note, task = "O beavers", "to answer"
        elif self.offer == "raccoon":
            task = "raccoons"
        elif stakes and self.turn != me:
            task = f"offers to resign {stakes}"
        elif stakes:
            note, task = f"O offers to resign {stakes}", "to answer"
        elif self.game not in ("none", "playing"):
            task = f"game {self.game}"
        return {
            "dice": self.dice,
            "cube": view.cube if self.position.variant.cube or view.cube > 1 else None,
            "cube_owner": view.cube_owner,
            "score": (match.score[me], match.score[1 - me]) if match.length or any(match.score) else None,
            "match_length": match.length,
            "note": note,
            "task": task,
        }


def read_id(text: str, *, variant: str | Variant = "backgammon") -> State:
    """The state that an ID holds.

    Parameters
    ----------
    text : str
        One of

        - a GNU Backgammon position ID and match ID, joined by a colon;
        - a GNU Backgammon position ID alone, or the package's own ID: a money game without the Jacoby rule, before the
          roll of player 1;
        - an XGID, with or without ``XGID=``;
        - ``start``: the start position.
    variant : str or Variant
        The variant of the position, unless `text` is an own ID, which names its variant.

    Raises
    ------
    FormatError
        A text that is none of these, that its own program would not write, or that holds a state that cannot be.
    PositionError
        A board that the variant does not allow.
    ValueError
        A variant that does not exist.
    TypeError
        A `text` that is not a string.

    >>> read_id("4HPwATDgc/ABMA:QYkqASAAIAAA").match
    MatchState(length=9, score=(2, 4), cube=2, cube_owner=0, cube_limit=None, crawford=False, jacoby=True, \
beavers=None, resignation=0)
    """
    if not isinstance(text, str):
        raise TypeError(f"text = {text!r}: must be a string")
    rules = variant if isinstance(variant, Variant) else variants.variant(variant)
    if text == "start":
        return State(position=Position.start(rules))
    own, opponent, rules = ids.decode_board(text, rules)
    position = Position(own, opponent, rules)
    try:
        match ids.kind(text):
            case "xgid":
                return _from_xgid(position, ids.decode_xgid(text, rules.checkers))
            case "position:match":
                return _from_match(position, ids.decode_match(text.partition(":")[2]))
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"{text!r}: {error}") from error
    return State(position=position)


def _from_xgid(position: Position, fields: ids.XgidFields) -> State:
    in_match = fields.length > 0
    match = MatchState(
        length=fields.length,
        score=(fields.score_top, fields.score_bottom),
        cube=1 << fields.cube_exponent,
        cube_owner=_player(fields.cube_owner),
        cube_limit=1 << fields.limit_exponent,
        crawford=in_match and fields.rules == 1,
        jacoby=not in_match and fields.rules & 1 == 1,
        beavers=None if in_match else fields.rules & 2 == 2,
    )
    dice = None
    if fields.dice.isdigit() and fields.dice != "00":
        dice = (int(fields.dice[0]), int(fields.dice[1]))
    on_roll = 1 if fields.turn == 1 else 0
    return State(position=position, match=match, dice=dice, on_roll=on_roll, offer=_XGID_OFFERS.get(fields.dice))


def _from_match(position: Position, fields: ids.MatchFields) -> State:
    match = MatchState(
        length=fields.length,
        score=(fields.score_0, fields.score_1),
        cube=1 << fields.cube_exponent,
        cube_owner=None if fields.cube_owner == _CENTRED else fields.cube_owner,
        crawford=fields.crawford == 1,
        jacoby=None if fields.no_jacoby is None else fields.no_jacoby == 0,
        resignation=fields.resignation,
    )
    return State(
        position=position,
        match=match,
        dice=(fields.die_1, fields.die_2) if fields.die_1 else None,
        on_roll=fields.on_roll,
        turn=fields.turn,
        offer="double" if fields.doubled else None,
        game=get_args(Game)[fields.game_state],
    )


def _exponent(value: int) -> int:
    return value.bit_length() - 1


def _sign(player: int) -> int:
    return 1 if player == 1 else -1


def _player(sign: int) -> int | None:
    return {1: 1, -1: 0, 0: None}[sign]
