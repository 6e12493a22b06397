"""``vrhcaby show``: a position as a board."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from vrhcaby import FormatError, State
from vrhcaby.cli.options import Json, PositionText, Settings, VariantName, read_state
from vrhcaby.cli.output import describe, print_json, print_table

__all__ = ["show"]


def show(
    position: PositionText,
    /,
    *,
    svg: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    variant: VariantName = None,
    settings: Settings = (),
    json: Json = False,
) -> None:
    """Draw a position in the terminal or into a file.

    X is the player on roll; the points carry his numbers.

    For example:
      vrhcaby show start
      vrhcaby show 4HPwATDgc/ABMA:QYkqASAAIAAA
      vrhcaby show start --variant long-nardy --svg board.svg

    Parameters
    ----------
    svg
        Write a drawing (SVG) to this file instead; "-" = standard output.
    """
    state = read_state(position, variant, settings)
    if svg is not None:
        if json:
            raise ValueError("--svg and --json exclude each other")
        board = state._repr_svg_()
        if svg == Path("-"):
            print(board)
        else:
            svg.write_text(board + "\n", encoding="utf-8")
        return
    gnubg_id, xgid = _text(state, "gnubg_id"), _text(state, "xgid")
    if json:
        fields = {field.name: getattr(state, field.name) for field in dataclasses.fields(state)}
        fields["position"], fields["match"] = describe(state.position), dataclasses.asdict(state.match)
        print_json({**fields, "gnubg_id": gnubg_id, "xgid": xgid})
        return
    print(state)
    print()
    names = (("ID", state.position.id), ("GNU ID", gnubg_id), ("XGID", xgid))
    print_table([(name, text) for name, text in names if text is not None], left=(0, 1))


def _text(state: State, form: str) -> str | None:
    """The state in one of the forms, None where that form cannot hold it."""
    try:
        return str(getattr(state, form))
    except FormatError:
        return None
