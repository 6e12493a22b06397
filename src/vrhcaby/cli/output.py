"""How results reach the terminal or another program."""

from __future__ import annotations

import json
import sys
from collections.abc import Container, Sequence
from typing import Any

from rich.console import Console

from vrhcaby import Position

__all__ = ["describe", "print_json", "print_table", "progress_console"]


def print_json(document: Any) -> None:
    """Print one document on one line; numbers keep all their digits."""
    print(json.dumps(document, allow_nan=False))


def print_table(rows: Sequence[Sequence[str]], left: Container[int] = (0,)) -> None:
    """Print rows in columns, aligned at the right but for those at the left.

    >>> print_table([("win", "52.5 %"), ("gammon", "9.1 %")])
    win      52.5 %
    gammon    9.1 %
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("   ".join(cells).rstrip())


def describe(position: Position) -> dict[str, Any]:
    """A position for JSON."""
    return {
        "variant": position.variant.name,
        "options": position.variant.options,
        "id": position.id,
        "own": position.own,
        "opponent": position.opponent,
        "pips": position.pips,
    }


def progress_console(wanted: bool) -> Console | None:
    """For what is shown on standard error while work goes on; None unless that is a terminal that can redraw."""
    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    return console if wanted and console.is_terminal and not console.is_dumb_terminal else None
