"""Positions and matches as text: GNU Backgammon IDs, XGID and the package's own ID, both ways and bit for bit.

Pure functions on layouts: 26 counts of one side in its own numbering, index 0 = borne off, 1..24 = points,
25 = bar. Every reader is strict: a text that is not exactly what its writer writes is a `FormatError`, so reading
and writing again gives the same text. `vrhcaby.match_state` builds a state on these functions.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from vrhcaby.errors import FormatError
from vrhcaby.variants import VARIANTS, Variant, variant

__all__ = [
    "MatchFields",
    "XgidFields",
    "decode_board",
    "decode_match",
    "decode_own_id",
    "decode_position",
    "decode_xgid",
    "encode_gnubg_position_id",
    "encode_match",
    "encode_own_id",
    "encode_position",
    "encode_xgid",
    "kind",
    "parse_option",
    "require_contrary",
]

Layout = tuple[int, ...]
Board = tuple[Layout, Layout]

BAR = 25
# The largest number of a match ID's fields for length and scores; XGIDs are held to it too.
LARGEST_SCORE = 2**15 - 1
# The largest cube that a match ID can hold; XGIDs are held to it too.
LARGEST_CUBE_EXPONENT = 15
# XGIDs with 20 are about; beyond 31 the limit of a cube means nothing.
LARGEST_LIMIT_EXPONENT = 31


# Position ID ---------------------------------------------------------------------------------------

_POSITION_BYTES = 10
_POSITION_CHARACTERS = 14
_SIDES = ("the player on roll", "the opponent")


def encode_position(own: Sequence[int], opponent: Sequence[int], checkers: int = 15) -> str:
    """The GNU Backgammon position ID: 14 characters.

    Parameters
    ----------
    own, opponent : sequence of 26 int
        Layouts of the player on roll and of the other player, each in that player's own numbering.
    checkers : int
        Number of checkers of each side. The ID does not hold those borne off: the reader must know this number.

    Returns
    -------
    str
        The bit string of the board in base64: first the player not on roll, then the player on roll; each side's
        points 1 to 24 and the bar as that many ones and a zero (GNU Backgammon manual, "A technical description
        of the Position ID").

    Raises
    ------
    FormatError
        A layout that is not 26 counts with that sum.

    >>> start = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
    >>> encode_position(start, start)
    '4HPwATDgc/ABMA'
    """
    for side, layout in zip(_SIDES, (own, opponent), strict=True):
        _check_layout(layout, checkers, side)
    bits = 0
    place = 0
    for layout in (opponent, own):
        for count in layout[1:]:
            bits |= ((1 << count) - 1) << place
            place += count + 1
    return base64.b64encode(bits.to_bytes(_POSITION_BYTES, "little"))[:_POSITION_CHARACTERS].decode("ascii")


def decode_position(text: str, checkers: int = 15) -> Board:
    """The layouts of the player on roll and of the opponent that a GNU Backgammon position ID holds.

    Parameters
    ----------
    text : str
        14 characters of base64.
    checkers : int
        Number of checkers of each side; those that the ID does not name are borne off.

    Returns
    -------
    own, opponent : tuple of 26 int

    Raises
    ------
    FormatError
        A wrong length, a character that is not base64, bits after the end of the board, or too many checkers.

    >>> own, opponent = decode_position("4HPwATDgc/ABMA")
    >>> own == opponent, own[24], own[6]
    (True, 2, 5)
    """
    bits = int.from_bytes(_from_base64(text, _POSITION_BYTES, "position ID"), "little")
    runs = []
    place = 0
    for _ in range(50):
        # The ones from here on: what the lowest zero bit is above.
        rest = bits >> place
        count = (~rest & (rest + 1)).bit_length() - 1
        runs.append(count)
        place += count + 1
    if place > 8 * _POSITION_BYTES:
        raise FormatError(f"position ID {text!r}: more checkers than {8 * _POSITION_BYTES} bits can hold")
    if bits >> place:
        raise FormatError(f"position ID {text!r}: bits are set after bit {place - 1}, the board's last")
    sides = []
    for side, counts in zip(_SIDES, (runs[25:], runs[:25]), strict=True):
        off = checkers - sum(counts)
        if off < 0:
            raise FormatError(f"position ID {text!r}: {side} has {sum(counts)} checkers, the game has {checkers}")
        sides.append((off, *counts))
    return sides[0], sides[1]


def encode_gnubg_position_id(own: Sequence[int], opponent: Sequence[int], variant: Variant) -> str:
    """The GNU Backgammon position ID of a position of a variant that GNU Backgammon could set up.

    Raises
    ------
    FormatError
        A variant whose players run in parallel, or a layout of other than its number of checkers.

    >>> from vrhcaby.variants import variant
    >>> one = (2, 0, 0, 0, 0, 0, 1, *(0,) * 19)
    >>> encode_gnubg_position_id(one, one, variant("hypergammon"))
    'IAAAgAAAAAAAAA'
    """
    require_contrary(variant, "a GNU position ID")
    return encode_position(own, opponent, variant.checkers)


def require_contrary(variant: Variant, form: str) -> None:
    """Refuses a variant whose players run in parallel, for which other programs' IDs have no meaning.

    Raises
    ------
    FormatError
        Naming the form and the variant.

    >>> from vrhcaby.variants import variant
    >>> require_contrary(variant("long-nardy"), "an XGID")
    Traceback (most recent call last):
        ...
    vrhcaby.errors.FormatError: an XGID is for players who run towards each other, not for long-nardy
    """
    if variant.direction == "parallel":
        raise FormatError(f"{form} is for players who run towards each other, not for {variant.name}")


def _check_layout(layout: Sequence[int], checkers: int, side: str) -> None:
    if len(layout) != 26:
        raise FormatError(f"{side}: {len(layout)} counts, a layout has 26")
    if any(count < 0 for count in layout):
        raise FormatError(f"{side}: {min(layout)} checkers on point {list(layout).index(min(layout))}")
    if sum(layout) != checkers:
        raise FormatError(f"{side}: {sum(layout)} checkers, the game has {checkers}")


def _from_base64(text: str, size: int, name: str) -> bytes:
    """The bytes of unpadded base64, exactly as its writer writes them."""
    length = (8 * size + 5) // 6
    if len(text) != length:
        raise FormatError(f"{name} {text!r}: {len(text)} characters, must be {length}")
    illegal = re.search(r"[^A-Za-z0-9+/]", text)
    if illegal:
        raise FormatError(f"{name} {text!r}: {illegal[0]!r} at character {illegal.start() + 1} is not base64")
    data = binascii.a2b_base64(text + "=" * (-length % 4))
    if base64.b64encode(data).decode("ascii")[:length] != text:
        raise FormatError(f"{name} {text!r}: the last character {text[-1]!r} holds more bits than {size} bytes have")
    return data


# Own ID --------------------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_FLAGS = {"yes": True, "no": False}


def encode_own_id(own: Sequence[int], opponent: Sequence[int], variant: Variant) -> str:
    """The package's own ID: the variant and the position's bit string, for every variant.

    Parameters
    ----------
    own, opponent : sequence of 26 int
        Layouts of the player on roll and of the other player, each in that player's own numbering.
    variant : Variant
        Options that differ from the preset of this name stand in braces, joined by ``+``.

    Raises
    ------
    FormatError
        A layout of other than the variant's number of checkers, or a variant's name that is not made of letters,
        digits, ``-`` and ``_``.

    >>> from vrhcaby.variants import variant
    >>> start = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
    >>> encode_own_id(start, start, variant("tavli").replace(full_use="greedy", larger_die=True))
    'tavli{full_use=greedy+larger_die=yes}:4HPwATDgc/ABMA'
    """
    return f"{_variant_text(variant)}:{encode_position(own, opponent, variant.checkers)}"


def decode_own_id(text: str) -> tuple[Layout, Layout, Variant]:
    """The board and the variant that the package's own ID holds.

    Returns
    -------
    own, opponent : tuple of 26 int
    variant : Variant

    Raises
    ------
    FormatError
        An unknown variant or option, a value that the option does not take, an option that says nothing new or
        stands out of order, or a position that cannot be read.

    >>> own, opponent, found = decode_own_id("long-nardy{over_bear=free}:AACA/z8AAID/Pw")
    >>> found.over_bear, own[24]
    ('free', 15)
    """
    head, colon, position = text.rpartition(":")
    if not colon:
        raise FormatError(f"ID {text!r}: must be a variant's name, a colon and a position")
    found = _variant_from_text(head)
    own, opponent = decode_position(position, found.checkers)
    if found.direction == "parallel" and (own[BAR] or opponent[BAR]):
        raise FormatError(f"ID {text!r}: a checker on the bar, {found.name} has none")
    return own, opponent, found


def _variant_text(variant: Variant) -> str:
    if not _NAME.fullmatch(variant.name):
        raise FormatError(f"variant name {variant.name!r}: an ID takes only letters, digits, '-' and '_'")
    options = "+".join(f"{option}={_option_text(value)}" for option, value in variant.options.items())
    return f"{variant.name}{{{options}}}" if options else variant.name


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ".".join(":".join(map(str, entry)) if isinstance(entry, tuple) else str(entry) for entry in value)
    return str(value)


def _variant_from_text(text: str) -> Variant:
    shape = re.fullmatch(r"([^{}]*)(?:\{([^{}]+)\})?", text)
    if not shape:
        raise FormatError(f"variant {text!r}: must be a name, or a name with {{option=value+option=value}}")
    name, options = shape[1], shape[2]
    changes: dict[str, Any] = {}
    for part in options.split("+") if options else ():
        option, equals, value = part.partition("=")
        if not equals:
            raise FormatError(f"variant {text!r}: {part!r} is not option=value")
        if option in changes:
            raise FormatError(f"variant {text!r}: option {option!r} stands twice")
        changes[option] = parse_option(option, value, text)
    try:
        if name not in VARIANTS and "start" in changes:
            # A variant of one's own making has no preset: its ID holds every option.
            found = Variant(name=name, **changes)
        else:
            found = variant(name).replace(**changes)
    except (TypeError, ValueError) as error:
        raise FormatError(f"variant {text!r}: {error}") from error
    canonical = _variant_text(found)
    if text != canonical:
        raise FormatError(f"variant {text!r}: must be written {canonical!r}")
    return found


def _number(text: str) -> int:
    # int() by itself takes signs, spaces, underscores and the digits of other scripts.
    if not text.isascii() or not text.isdigit():
        raise ValueError(text)
    return int(text)


def parse_option(option: str, text: str, where: str) -> Any:
    """The value of a rule parameter as own IDs write it: ``no``, ``3``, ``greedy``, ``1.2.2``, ``24:2.6:13``.

    Raises
    ------
    FormatError
        An option or a value that does not exist; the message begins with `where`, the variant that was read.

    >>> parse_option("larger_die", "no", "tavli")
    False
    """
    # What a preset holds says which kind of value the option takes.
    options = [field.name for field in dataclasses.fields(Variant) if field.name != "name"]
    if option not in options:
        raise FormatError(f"variant {where!r}: unknown option {option!r} (known: {', '.join(options)})")
    example = getattr(VARIANTS["backgammon"], option)
    try:
        if isinstance(example, bool):
            return _FLAGS[text]
        if isinstance(example, int):
            return _number(text)
        if isinstance(example, str):
            return text
        if isinstance(example[0], int):
            return tuple(_number(number) for number in text.split("."))
        pairs = [pair.split(":") for pair in text.split(".")]
        return tuple((_number(point), _number(count)) for point, count in pairs)
    except (KeyError, ValueError):
        raise FormatError(f"variant {where!r}: {option} does not take {text!r}") from None


# Match ID ------------------------------------------------------------------------------------------


class MatchFields(NamedTuple):
    """The figures of a GNU Backgammon match ID, named as its manual describes them.

    Attributes
    ----------
    cube_exponent : int
        The cube's value is 2 to this power, 0..15.
    cube_owner : int
        0 or 1 = that player, 3 = centred.
    on_roll : int
        The player who rolls or has rolled: the position ID is seen from his side.
    crawford : int
        1 in the Crawford game.
    game_state : int
        0 = no game, 1 = playing, 2 = over, 3 = resigned, 4 = ended by a refused double.
    turn : int
        The player who has to decide: the other one while a double or a resignation is on offer.
    doubled : int
        1 while a double is on offer.
    resignation : int
        What is offered: 0 = nothing, 1 = a single game, 2 = a gammon, 3 = a backgammon.
    die_1, die_2 : int
        1..6 each, or both 0 before the roll.
    length : int
        Points of the match, 0 = money.
    score_0, score_1 : int
        Points of player 0 and of player 1.
    no_jacoby : int or None
        1 where the Jacoby rule is off. None in the IDs of 11 characters of before 2013, which do not say.
    """

    cube_exponent: int = 0
    cube_owner: int = 3
    on_roll: int = 1
    crawford: int = 0
    game_state: int = 1
    turn: int = 1
    doubled: int = 0
    resignation: int = 0
    die_1: int = 0
    die_2: int = 0
    length: int = 0
    score_0: int = 0
    score_1: int = 0
    no_jacoby: int | None = 1


# Widths in bits, in the order of MatchFields, from bit 0 on; the last bit is bit 66.
_MATCH_BITS = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
_MATCH_BYTES = 9
_OLD_MATCH_CHARACTERS = 11
_OLD_MATCH_BYTES = 8


def encode_match(fields: MatchFields) -> str:
    """The GNU Backgammon match ID: 12 characters, or 11 where `no_jacoby` is None.

    Raises
    ------
    FormatError
        A figure that the ID cannot hold.

    >>> encode_match(MatchFields(cube_exponent=1, cube_owner=0, die_1=5, die_2=2, length=9, score_0=2, score_1=4,
    ...                          no_jacoby=0))
    'QYkqASAAIAAA'
    """
    old = fields.no_jacoby is None
    bits = 0
    place = 0
    for name, value, width in zip(fields._fields, fields, _MATCH_BITS, strict=True):
        if value is not None:
            if not 0 <= value < 1 << width:
                raise FormatError(f"match ID: {name} = {value}, must be from 0 to {(1 << width) - 1}")
            bits |= int(value) << place
        place += width
    _check_match(fields, "match ID")
    if old and bits >> 8 * _OLD_MATCH_BYTES:
        raise FormatError(f"match ID: score_1 = {fields.score_1}, an ID of 11 characters holds at most 8191")
    size = _OLD_MATCH_BYTES if old else _MATCH_BYTES
    return base64.b64encode(bits.to_bytes(size, "little")).decode("ascii").rstrip("=")


def decode_match(text: str) -> MatchFields:
    """The figures that a GNU Backgammon match ID of 12 characters, or an old one of 11, holds.

    Raises
    ------
    FormatError
        A wrong length, a character that is not base64, a figure that means nothing, or bits after the last one.

    >>> decode_match("QYkqASAAIAAA").length
    9
    """
    old = len(text) == _OLD_MATCH_CHARACTERS
    bits = int.from_bytes(_from_base64(text, _OLD_MATCH_BYTES if old else _MATCH_BYTES, "match ID"), "little")
    figures: list[int | None] = []
    for width in _MATCH_BITS:
        figures.append(bits & (1 << width) - 1)
        bits >>= width
    if bits:
        raise FormatError(f"match ID {text!r}: bits are set after the last field")
    if old:
        figures[-1] = None
    fields = MatchFields(*figures)  # type: ignore[arg-type]
    _check_match(fields, f"match ID {text!r}")
    return fields


def _check_match(fields: MatchFields, where: str) -> None:
    if fields.cube_owner == 2:
        raise FormatError(f"{where}: cube_owner = 2, must be 0, 1 or 3")
    if fields.game_state > 4:
        raise FormatError(f"{where}: game_state = {fields.game_state}, must be from 0 to 4")
    dice = (fields.die_1, fields.die_2)
    if max(dice) > 6 or (0 in dice and any(dice)):
        raise FormatError(f"{where}: dice {fields.die_1} and {fields.die_2}, must both be from 1 to 6, or both 0")


# XGID ----------------------------------------------------------------------------------------------


class XgidFields(NamedTuple):
    """The figures of an XGID, named as the eXtreme Gammon 2 manual describes them: all from the bottom player's side.

    Attributes
    ----------
    bottom, top : tuple of 26 int
        Layouts, each in that player's own numbering.
    cube_exponent : int
        The cube's value is 2 to this power, 0..15.
    cube_owner : int
        1 = bottom, -1 = top, 0 = centred.
    turn : int
        Who rolls or has rolled, or has doubled: 1 = bottom, -1 = top.
    dice : str
        ``"00"`` before the roll, two digits after it, ``"D"`` = doubled, ``"B"`` = beavered, ``"R"`` = raccooned.
    score_bottom, score_top : int
        Points in the match, or totals of a money session.
    rules : int
        In a match 1 = Crawford game; for money 1 = Jacoby rule, 2 = beavers, 3 = both.
    length : int
        Points of the match, 0 = money.
    limit_exponent : int
        The cube's value is at most 2 to this power, 0..31.
    """

    bottom: Layout
    top: Layout
    cube_exponent: int = 0
    cube_owner: int = 0
    turn: int = 1
    dice: str = "00"
    score_bottom: int = 0
    score_top: int = 0
    rules: int = 0
    length: int = 0
    limit_exponent: int = 10


_XGID_PREFIX = "XGID="
_XGID_DICE = re.compile(r"00|[1-6][1-6]|[DBR]")
# The numbers of an XGID after the board, with the least and the largest value of each.
_XGID_NUMBERS = {
    "cube_exponent": (0, LARGEST_CUBE_EXPONENT),
    "cube_owner": (-1, 1),
    "turn": (-1, 1),
    "score_bottom": (0, LARGEST_SCORE),
    "score_top": (0, LARGEST_SCORE),
    "rules": (0, 3),
    "length": (0, LARGEST_SCORE),
    "limit_exponent": (0, LARGEST_LIMIT_EXPONENT),
}


def encode_xgid(fields: XgidFields, checkers: int = 15) -> str:
    """The XGID, with its prefix.

    Parameters
    ----------
    fields : XgidFields
    checkers : int
        Number of checkers of each side. The ID does not hold those borne off: the reader must know this number.

    Raises
    ------
    FormatError
        A figure that the ID cannot hold, or both sides on one point.

    >>> start = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
    >>> encode_xgid(XgidFields(start, start, dice="31", length=7))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10'
    """
    _check_layout(fields.bottom, checkers, "bottom")
    _check_layout(fields.top, checkers, "top")
    board = []
    for point in range(26):
        bottom = fields.bottom[point] if point else 0
        top = fields.top[BAR - point] if point < BAR else 0
        if bottom and top:
            raise FormatError(f"XGID: both sides stand on point {point} of the bottom player")
        if max(bottom, top) > 26:
            raise FormatError(f"XGID: {max(bottom, top)} checkers on one point, a letter holds at most 26")
        board.append(chr(ord("A") + bottom - 1) if bottom else chr(ord("a") + top - 1) if top else "-")
    _check_xgid(fields, "XGID")
    return _XGID_PREFIX + ":".join(("".join(board), *map(str, fields[2:])))


def decode_xgid(text: str, checkers: int = 15) -> XgidFields:
    """The figures that an XGID holds. The prefix ``XGID=`` may be missing.

    Parameters
    ----------
    text : str
        26 letters for the board, then nine fields, all joined by colons.
    checkers : int
        Number of checkers of each side; those that the ID does not name are borne off.

    Raises
    ------
    FormatError
        A wrong number of fields, a board that is not 26 letters or has too many checkers, or a figure that means
        nothing, each with the field's name and value.

    >>> decode_xgid("XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:3:1:0:7:10").cube_owner
    -1
    """
    where = f"XGID {text!r}"
    board, *values = text.removeprefix(_XGID_PREFIX).split(":")
    names = XgidFields._fields[2:]
    if len(values) != len(names):
        raise FormatError(f"{where}: {len(values) + 1} fields, must be {len(names) + 1}")
    bottom, top = _xgid_board(board, checkers, where)
    figures: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        if name in _XGID_NUMBERS:
            if not re.fullmatch(r"0|-?[1-9][0-9]{0,4}", value):
                raise FormatError(f"{where}: {name} = {value!r} is not a number")
            figures[name] = int(value)
        else:
            figures[name] = value
    fields = XgidFields(bottom, top, **figures)
    _check_xgid(fields, where)
    return fields


def _xgid_board(text: str, checkers: int, where: str) -> Board:
    if len(text) != 26:
        raise FormatError(f"{where}: the board {text!r} has {len(text)} characters, must be 26")
    bottom = [0] * 26
    top = [0] * 26
    for point, letter in enumerate(text):
        if "A" <= letter <= "Z" and point > 0:
            bottom[point] = ord(letter) - ord("A") + 1
        elif "a" <= letter <= "z" and point < BAR:
            top[BAR - point] = ord(letter) - ord("a") + 1
        elif letter != "-":
            place = {0: "the top player's bar", BAR: "the bottom player's bar"}.get(point, f"point {point}")
            raise FormatError(f"{where}: {letter!r} cannot stand on {place}")
    for side, layout in (("bottom", bottom), ("top", top)):
        layout[0] = checkers - sum(layout)
        if layout[0] < 0:
            raise FormatError(f"{where}: {side} has {checkers - layout[0]} checkers, the game has {checkers}")
    return tuple(bottom), tuple(top)


def _check_xgid(fields: XgidFields, where: str) -> None:
    for name, (least, largest) in _XGID_NUMBERS.items():
        value = getattr(fields, name)
        if not least <= value <= largest:
            raise FormatError(f"{where}: {name} = {value}, must be from {least} to {largest}")
    if fields.turn == 0:
        raise FormatError(f"{where}: turn = 0, must be 1 or -1")
    if not _XGID_DICE.fullmatch(fields.dice):
        raise FormatError(f"{where}: dice = {fields.dice!r}, must be two digits from 1 to 6, '00', 'D', 'B' or 'R'")
    if fields.length:
        if fields.rules > 1:
            raise FormatError(f"{where}: rules = {fields.rules}, must be 0 or 1 (Crawford) in a match")
        for name, score in (("score_bottom", fields.score_bottom), ("score_top", fields.score_top)):
            if score >= fields.length:
                raise FormatError(f"{where}: {name} = {score} would have won the match to {fields.length}")


# Any of them ---------------------------------------------------------------------------------------

Kind = Literal["position", "position:match", "own", "xgid"]


def kind(text: str) -> Kind:
    """Which ID a text is, judged by its shape alone: it may still be faulty.

    >>> kind("4HPwATDgc/ABMA"), kind("tavli:4HPwATDgc/ABMA")
    ('position', 'own')
    """
    if text.startswith(_XGID_PREFIX):
        return "xgid"
    head, colon, tail = text.partition(":")
    if not colon:
        return "position"
    if "{" in head:
        return "own"
    if ":" in tail:
        return "xgid"
    return "position:match" if len(head) == _POSITION_CHARACTERS and len(tail) != _POSITION_CHARACTERS else "own"


def decode_board(text: str, variant: Variant) -> tuple[Layout, Layout, Variant]:
    """The board that any of the IDs holds; everything else in the ID is checked and left.

    Parameters
    ----------
    text : str
        A GNU Backgammon position ID, alone or with a match ID, an XGID or the package's own ID.
    variant : Variant
        The variant of the position, unless `text` is an own ID, which names its variant.

    Returns
    -------
    own, opponent : tuple of 26 int
        Layouts of the player on roll and of the other player.
    variant : Variant

    Raises
    ------
    FormatError
        A text that is none of these, or a GNU match ID or XGID for a variant whose players run in parallel.

    >>> from vrhcaby.variants import variant
    >>> own, opponent, _ = decode_board("fycAAPC9EwwAAA", variant("backgammon"))
    >>> opponent[:5]
    (4, 7, 3, 0, 1)
    """
    form = kind(text)
    if form == "own":
        return decode_own_id(text)
    if form == "position":
        own, opponent = decode_position(text, variant.checkers)
        if variant.direction == "parallel" and (own[BAR] or opponent[BAR]):
            raise FormatError(f"position ID {text!r}: a checker on the bar, {variant.name} has none")
        return own, opponent, variant
    require_contrary(variant, "an XGID" if form == "xgid" else "a GNU match ID")
    if form == "xgid":
        fields = decode_xgid(text, variant.checkers)
        own, opponent = (fields.bottom, fields.top) if fields.turn == 1 else (fields.top, fields.bottom)
        return own, opponent, variant
    position, _, match = text.partition(":")
    decode_match(match)
    return *decode_position(position, variant.checkers), variant
