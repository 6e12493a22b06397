"""The options that several verbs share, and how a position and a roll are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter, Token

from vrhcaby import State, Variant, ids, read_id, variant

__all__ = [
    "Json",
    "PositionText",
    "Progress",
    "Settings",
    "VariantName",
    "WholeNumber",
    "change",
    "read_dice",
    "read_state",
]


def _whole_number(type_: type, tokens: Sequence[Token]) -> int:
    # Left to itself, Cyclopts rounds 1.5 to 2.
    text = tokens[0].value
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit():
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


WholeNumber = Annotated[int, Parameter(converter=_whole_number)]

PositionText = Annotated[
    str,
    # An XGID without its prefix may begin with a hyphen.
    Parameter(
        allow_leading_hyphen=True,
        help='A GNU position ID, with or without its match ID, an XGID, an own ID, or "start".',
    ),
]
VariantName = Annotated[
    str | None,
    Parameter(name="--variant", help="The game that is played; by default what an own ID says, else backgammon."),
]
Settings = Annotated[
    tuple[str, ...],
    Parameter(
        name="--set",
        negative="",
        show_default=False,
        help="Change a rule of the variant, such as larger_die=no; may be given several times.",
    ),
]
Json = Annotated[
    bool,
    Parameter(name="--json", negative="", show_default=False, help="Print one JSON document and nothing else."),
]
Progress = Annotated[
    bool,
    Parameter(show_default=False, help="Show the progress; by default if standard error is a terminal."),
]


def read_state(text: str, variant_name: str | None, settings: Sequence[str]) -> State:
    """The position, with the match and the dice if the text holds them.

    Raises
    ------
    ValueError
        A text, a variant or a setting that cannot be read, or an own ID of another variant.
    """
    game = variant("backgammon" if variant_name is None else variant_name)
    if ids.kind(text) == "own":
        own, opponent, game = ids.decode_own_id(text)
        if variant_name not in (None, game.name):
            raise ValueError(f"--variant {variant_name}: the position {text} is one of {game.name}")
        text = ids.encode_own_id(own, opponent, change(game, settings))
    return read_id(text, variant=change(game, settings))


def change(game: Variant, settings: Sequence[str]) -> Variant:
    """The variant with the options of ``--set``, each written ``option=value`` as in own IDs.

    Raises
    ------
    ValueError
        An option or a value that does not exist, or an option that is set twice.
    """
    changes: dict[str, Any] = {}
    for setting in settings:
        option, equals, value = setting.partition("=")
        if not equals:
            raise ValueError(f"--set {setting}: must be option=value, such as larger_die=no")
        if option in changes:
            raise ValueError(f"--set {setting}: {option} is set twice")
        changes[option] = ids.parse_option(option, value, game.name)
    return game.replace(**changes)


def read_dice(text: str) -> tuple[int, int]:
    """The roll that people write as ``31``, ``3-1`` or ``3,1``.

    Raises
    ------
    ValueError
        Anything else.
    """
    digits = text[0] + text[2] if len(text) == 3 and text[1] in "-," else text
    if len(digits) != 2 or any(digit not in "123456" for digit in digits):
        raise ValueError(f"dice {text!r}: must be two numbers from 1 to 6, such as 31, 3-1 or 3,1")
    return int(digits[0]), int(digits[1])
