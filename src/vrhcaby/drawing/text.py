"""The board as plain text, as it is drawn in a terminal, in a mail or in a forum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from vrhcaby.variants import Variant

__all__ = ["board", "pip_count", "signed_points", "usual_task"]

Side = Literal["own", "opponent"]

BAR = 25
# Rows of one half of the board; a higher stack shows its number in the innermost row.
ROWS = 5


def board(
    own: Sequence[int],
    opponent: Sequence[int],
    variant: Variant,
    *,
    dice: tuple[int, int] | None = None,
    cube: int | None = None,
    cube_owner: Side | None = None,
    score: tuple[int, int] | None = None,
    match_length: int | None = None,
    note: str = "",
    task: str = "",
) -> str:
    """Draw a board with ASCII characters, at most 80 columns wide.

    The player on roll is ``X``, his home is at the lower right, and the points carry his numbers. In contrary games
    the opponent ``O`` runs against him; in parallel games both run down the numbers, ``O`` from point 12 round to
    point 13. A checker on the bar lies in the half where it enters.

    Parameters
    ----------
    own, opponent : sequence of 26 int
        The checkers of the player on roll and of the other one, each in that player's own numbering:
        0 = borne off, 1..24 = points, 25 = bar.
    variant : Variant
        Says how the two numberings lie on one board.
    dice : (int, int), optional
        The roll to be played.
    cube : int, optional
        The value on the doubling cube. Without it no cube is drawn.
    cube_owner : "own" or "opponent", optional
        Who alone may double next; None = the cube is in the middle.
    score : (int, int), optional
        Points of the player on roll and of the opponent.
    match_length : int, optional
        Points that win the match; 0 or None = no match.
    note : str
        A line beside the middle of the board, such as "Crawford game"; more than 31 characters make the board wider
        than 80 columns.
    task : str
        What the player on roll has to do or has done, such as "doubles to 2". Without it the dice tell: he is to roll
        or to play.

    Returns
    -------
    str
        Thirteen lines without a final line end.

    >>> from vrhcaby.variants import variant
    >>> layout = [0] * 26
    >>> layout[24], layout[13], layout[8], layout[6] = 2, 5, 3, 5
    >>> print(board(layout, layout, variant("backgammon"), dice=(3, 1), cube=1, score=(2, 4), match_length=7))
     +13-14-15-16-17-18-+---+19-20-21-22-23-24-+
     | X           O    |   | O              X |  O  pips 167
     | X           O    |   | O              X |     off 0
     | X           O    |   | O                |     score 4
     | X                |   | O                |
     | X                |   | O                |
     |                  |BAR|                  |     cube 1
     | O                |   | X                |
     | O                |   | X                |     to play 3-1
     | O           X    |   | X                |     score 2, match to 7
     | O           X    |   | X              O |     off 0
     | O           X    |   | X              O |  X  pips 167
     +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+
    """
    points = signed_points(own, opponent, variant)
    bar_word = "BAR" if variant.direction == "contrary" else "   "
    rows = [" +13-14-15-16-17-18-+---+19-20-21-22-23-24-+"]
    for row in range(ROWS):
        rows.append(_row([*range(13, 25)], points, row, _stack(own[BAR], ROWS - 1 - row, "X")))
    rows.append(f" |{'':18}|{bar_word}|{'':18}|")
    for row in reversed(range(ROWS)):
        rows.append(_row([*range(12, 0, -1)], points, row, _stack(opponent[BAR], ROWS - 1 - row, "O")))
    rows.append(" +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+")

    match = f", match to {match_length}" if match_length else ""
    upper = [f"pips {pip_count(opponent)}", f"off {opponent[0]}"]
    lower = [f"pips {pip_count(own)}", f"off {own[0]}"]
    if score is not None:
        upper.append(f"score {score[1]}")
        lower.append(f"score {score[0]}{match}")
    lower.append(task or usual_task(own, opponent, dice))
    holder = {None: "", "own": ", owned by X", "opponent": ", owned by O"}[cube_owner]
    middle = "" if cube is None else f"cube {cube}{holder}"
    upper += [""] * (ROWS - 1 - len(upper)) + [note]

    for row, fact in enumerate(upper, start=1):
        rows[row] += ("  O  " if row == 1 else "     ") + fact
    rows[ROWS + 1] += f"     {middle}"
    for row, fact in enumerate(lower):
        rows[-2 - row] += ("  X  " if row == 0 else "     ") + fact
    return "\n".join(row.rstrip() for row in rows)


def signed_points(own: Sequence[int], opponent: Sequence[int], variant: Variant) -> tuple[int, ...]:
    """Checkers on the points 1..24 of one board, as the player on roll numbers them (index 0 is unused).

    His checkers count positive, the opponent's negative.

    Raises
    ------
    ValueError
        A layout that does not have 26 entries, a negative count, or both sides on one point.

    >>> from vrhcaby.variants import variant
    >>> head = [0] * 24 + [15, 0]
    >>> points = signed_points(head, head, variant("long-nardy"))
    >>> points[24], points[12]
    (15, -15)
    """
    for side, layout in (("own", own), ("opponent", opponent)):
        if len(layout) != 26:
            raise ValueError(f"{side}: {len(layout)} entries, must be 26 (borne off, 24 points, bar)")
        for index, count in enumerate(layout):
            if count < 0:
                raise ValueError(f"{side}[{index}] = {count}: must not be negative")
    points = [0] * 25
    for point in range(1, 25):
        mine, theirs = own[point], opponent[variant.opponent_point(point)]
        if mine and theirs:
            raise ValueError(f"both sides stand on point {point}: {mine} own and {theirs} of the opponent")
        points[point] = mine - theirs
    return tuple(points)


def pip_count(layout: Sequence[int]) -> int:
    """Pips that a side still needs to bear off everything; a checker on the bar counts 25.

    >>> pip_count([12, 2, 0, 1] + [0] * 22)
    5
    """
    return sum(index * count for index, count in enumerate(layout))


def usual_task(own: Sequence[int], opponent: Sequence[int], dice: tuple[int, int] | None) -> str:
    """What the player on roll has to do, in words.

    >>> usual_task([15] + [0] * 25, [14, 1] + [0] * 24, None)
    'has borne off all'
    """
    if own[0] == sum(own):
        return "has borne off all"
    if opponent[0] == sum(opponent):
        return "opponent has borne off all"
    return "to roll" if dice is None else f"to play {dice[0]}-{dice[1]}"


def _row(numbers: Sequence[int], points: Sequence[int], row: int, bar: str) -> str:
    """One line of a half; row 0 is the one at the edge."""
    cells = [_stack(abs(points[p]), row, "X" if points[p] > 0 else "O") for p in numbers]
    return f" |{''.join(cells[:6])}|{bar}|{''.join(cells[6:])}|"


def _stack(count: int, row: int, checker: str) -> str:
    """Three columns of a stack: a checker, the number of a stack too high to draw, or nothing."""
    if row == ROWS - 1 and count > ROWS:
        return f"{count:>2} "
    return f" {checker} " if count > row else "   "
