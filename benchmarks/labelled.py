"""Positions with known values, and how far an evaluator is from them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks.games import Packed
from vrhcaby.evaluation import Evaluator, equities

CHANCES = ("win", "win gammon", "win backgammon", "lose gammon", "lose backgammon")
FIGURES = ("equity", *CHANCES)


class Labelled(NamedTuple):
    """Positions (n, 4), and what is true of them: equity and the five chances of the player on roll, (n, 6)."""

    positions: Packed
    truth: NDArray[np.float64]


def read(path: Path) -> Labelled:
    """Positions of a table: a line of titles, then fields that are separated by tabs.

    The first field is the ID of the position, under the title ``position``; or the first two are the 26 counts of the
    player on roll and of the opponent (0 = borne off, 1..24 = points, 25 = bar, each side in its own numbering). The
    titles of the figures begin with their names. Other columns are passed over.

    Raises
    ------
    ValueError
        A title is missing, or a line makes no sense; the message names it.
    """
    with path.open(newline="", encoding="utf-8") as file:
        titles, *rows = csv.reader(file, delimiter="\t")
    columns = []
    for figure in FIGURES:
        found = [place for place, title in enumerate(titles) if title == figure or title.startswith(f"{figure} of ")]
        if len(found) != 1:
            raise ValueError(f"{path}: {len(found)} columns have the title {figure!r}: {titles}")
        columns += found
    positions, truth = [], []
    for number, row in enumerate(rows, 2):
        try:
            if titles[0] == "position":
                positions.append(vrhcaby.Position.from_id(row[0]))
            else:
                own, opponent = ([int(count) for count in side.split()] for side in row[:2])
                positions.append(vrhcaby.Position(own, opponent))
            truth.append([float(row[column]) for column in columns])
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path}:{number}: {error}") from error
    return Labelled(vrhcaby.pack(positions), np.array(truth))


def write(path: Path, positions: Packed, chances: NDArray[np.float64], errors: NDArray[np.float64]) -> None:
    """A table that `read` reads, with the standard errors of the equities."""
    lines = ["\t".join(("position", "equity", "standard error", *CHANCES))]
    for position, equity, error, row in zip(positions, equities(chances), errors, chances, strict=True):
        board = vrhcaby.Position.from_bytes(position.astype("<u8").tobytes())
        lines.append("\t".join((board.id, f"{equity:.5f}", f"{error:.5f}", *(f"{chance:.5f}" for chance in row))))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def judged(evaluator: Evaluator, positions: Packed, variant: str = "backgammon") -> NDArray[np.float64]:
    """Equity and chances of the player on roll as the evaluator sees them: (n, 6)."""
    chances = vrhcaby.evaluate(positions, variant=variant, evaluator=evaluator)
    return np.column_stack([equities(chances, variant), chances.astype(np.float64)])


def root_mean_square(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each column."""
    return np.asarray(np.sqrt((differences**2).mean(0)))
