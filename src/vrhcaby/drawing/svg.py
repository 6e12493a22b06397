"""The board as a drawing (SVG), for notebooks, web pages and print."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vrhcaby.drawing import text
from vrhcaby.variants import Variant

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["board"]


@dataclasses.dataclass(frozen=True)
class _Colours:
    """Fill, edge and ink of what belongs to one side."""

    fill: str
    edge: str
    ink: str


OWN = _Colours(fill="#fdfaf3", edge="#6f5a47", ink="#3a2d22")
OPPONENT = _Colours(fill="#3a3230", edge="#1d1817", ink="#fdfaf3")
FRAME, TRAY, SURFACE = "#6a4c37", "#8c6b50", "#f0e6d4"
DARK_POINT, LIGHT_POINT = "#b98a5e", "#d9c09a"
NUMBER, WORDS = "#f3e6d0", "#3a2d22"

# Lengths in user units. A half of the board is six points wide; beside the halves lie a gutter at the left and one
# at the right, for the checkers borne off and the cube, and between them the bar.
POINT = 46
RADIUS = 21
STACK = 5
HEIGHT = 488
POINT_HEIGHT = 208
GUTTER = 60
EDGE = 12
NUMBERS = 24
CAPTION = 36
LEFT = EDGE + GUTTER
MIDDLE = LEFT + 6 * POINT
RIGHT = MIDDLE + GUTTER + 6 * POINT
WIDTH = RIGHT + GUTTER + EDGE
TOP = CAPTION + NUMBERS
BOTTOM = TOP + HEIGHT
TOTAL_HEIGHT = BOTTOM + NUMBERS + CAPTION
CENTRE = TOP + HEIGHT // 2


def board(
    own: Sequence[int],
    opponent: Sequence[int],
    variant: Variant,
    *,
    dice: tuple[int, int] | None = None,
    cube: int | None = None,
    cube_owner: text.Side | None = None,
    score: tuple[int, int] | None = None,
    match_length: int | None = None,
    note: str = "",
    task: str = "",
) -> str:
    """Draw a board as a complete SVG document.

    The light checkers belong to the player on roll; everything lies as in `vrhcaby.drawing.text.board`, which is also
    the drawing's description for those who cannot see it. The same arguments give the same text, byte for byte. No
    fonts, scripts or other files are needed.

    Parameters
    ----------
    own, opponent, variant, dice, cube, cube_owner, score, match_length, note, task
        As in `vrhcaby.drawing.text.board`.

    Returns
    -------
    str
        One ``<svg>`` element.

    Raises
    ------
    ValueError
        A layout that does not have 26 entries, a negative count, or both sides on one point.

    >>> from vrhcaby.variants import variant
    >>> head = [0] * 24 + [15, 0]
    >>> board(head, head, variant("long-nardy"))[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    # Imported here, so that `import vrhcaby` does not pay for an XML library that few programs use.
    from xml.etree import ElementTree

    points = text.signed_points(own, opponent, variant)
    description = text.board(
        own, opponent, variant, dice=dice, cube=cube, cube_owner=cube_owner, score=score, match_length=match_length,
        note=note, task=task,
    )  # fmt: skip
    task = task or text.usual_task(own, opponent, dice)

    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {TOTAL_HEIGHT}",
            "width": str(WIDTH),
            "height": str(TOTAL_HEIGHT),
            "role": "img",
            "font-family": "system-ui, sans-serif",
            "text-anchor": "middle",
        },
    )
    pen = _Pen(root)
    pen.add("title").text = f"{variant.name} board: {task}"
    pen.add("desc").text = description

    pen.add("rect", width=WIDTH, height=TOTAL_HEIGHT, fill="#ffffff")
    _draw_empty_board(pen)
    for point in range(1, 25):
        x, upper = _place(point)
        _draw_stack(pen, x, points[point], upper)
    _draw_bar(pen, own[text.BAR], OWN, upper=True)
    _draw_bar(pen, opponent[text.BAR], OPPONENT, upper=False)
    # In parallel games the opponent leaves the board from point 13, at the upper left.
    opponent_left = variant.direction == "parallel"
    _draw_tray(pen, own[0], OWN, left=False, upper=False)
    _draw_tray(pen, opponent[0], OPPONENT, left=opponent_left, upper=True)
    if dice is not None:
        for die, x in zip(dice, (-1, 1), strict=True):
            _draw_die(pen, die, MIDDLE + GUTTER + 3 * POINT + x * 25)
    if cube is not None:
        _draw_cube(pen, cube, cube_owner, opponent_left)

    match = f" of {match_length}" if match_length else ""
    for colours, layout, y, points_won in (
        (OPPONENT, opponent, CAPTION // 2, None if score is None else score[1]),
        (OWN, own, TOTAL_HEIGHT - CAPTION // 2, None if score is None else score[0]),
    ):
        pen.circle(LEFT + 9, y, 8, colours)
        pips = text.pip_count(layout)
        facts = "1 pip" if pips == 1 else f"{pips} pips"
        if points_won is not None:
            facts += f"  ·  score {points_won}{match}"
        pen.words(LEFT + 26, y, facts, 16, WORDS, anchor="start")
    pen.words(RIGHT, CAPTION // 2, note, 16, WORDS, anchor="end")
    pen.words(RIGHT, TOTAL_HEIGHT - CAPTION // 2, task, 16, WORDS, anchor="end")
    return ElementTree.tostring(root, encoding="unicode")


class _Pen:
    """Appends shapes to one parent element."""

    def __init__(self, parent: Element) -> None:
        self.parent = parent

    def add(self, tag: str, **attributes: object) -> Element:
        from xml.etree import ElementTree

        named = {name.replace("_", "-"): str(value) for name, value in attributes.items()}
        return ElementTree.SubElement(self.parent, tag, named)

    def circle(self, x: float, y: float, radius: float, colours: _Colours) -> None:
        self.add("circle", cx=x, cy=y, r=radius, fill=colours.fill, stroke=colours.edge, stroke_width=1.5)

    def block(self, x: float, y: float, width: float, height: float, round_by: float, colours: _Colours) -> None:
        """A rectangle with rounded corners around the middle (x, y)."""
        self.add(
            "rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=round_by, fill=colours.fill,
            stroke=colours.edge, stroke_width=1.5,
        )  # fmt: skip

    def words(self, x: float, y: float, words: str, size: int, fill: str, anchor: str = "", weight: int = 400) -> None:
        """Text whose capitals and digits stand around the height y; nothing if there are no words."""
        if not words:
            return
        # Not dominant-baseline: half of the programs that show SVG ignore it. Digits are about 0.72 em high.
        attributes: dict[str, object] = {"x": x, "y": round(y + 0.36 * size, 2), "font_size": size, "fill": fill}
        if anchor:
            attributes["text_anchor"] = anchor
        if weight != 400:
            attributes["font_weight"] = weight
        self.add("text", **attributes).text = words


def _place(point: int) -> tuple[int, bool]:
    """Middle of a point, and whether it lies in the upper half."""
    upper = point > 12
    column = point - 13 if upper else 12 - point
    return LEFT + column * POINT + POINT // 2 + (GUTTER if column >= 6 else 0), upper


def _draw_empty_board(pen: _Pen) -> None:
    pen.add("rect", y=CAPTION, width=WIDTH, height=HEIGHT + 2 * NUMBERS, rx=10, fill=FRAME)
    for x in (EDGE, RIGHT + EDGE):
        for y in (TOP, CENTRE + 34):
            pen.add("rect", x=x, y=y, width=GUTTER - EDGE, height=HEIGHT // 2 - 34, rx=5, fill=TRAY)
    for x in (LEFT, MIDDLE + GUTTER):
        pen.add("rect", x=x, y=TOP, width=6 * POINT, height=HEIGHT, fill=SURFACE)
    for point in range(1, 25):
        x, upper = _place(point)
        base, tip = (TOP, TOP + POINT_HEIGHT) if upper else (BOTTOM, BOTTOM - POINT_HEIGHT)
        half = POINT // 2
        corners = f"{x - half},{base} {x + half},{base} {x},{tip}"
        pen.add("polygon", points=corners, fill=DARK_POINT if point % 2 else LIGHT_POINT)
        pen.words(x, TOP - NUMBERS // 2 if upper else BOTTOM + NUMBERS // 2, str(point), 14, NUMBER)


def _draw_stack(pen: _Pen, x: int, signed: int, upper: bool) -> None:
    colours = OWN if signed > 0 else OPPONENT
    count = abs(signed)
    for row in range(min(count, STACK)):
        away = RADIUS + 1 + row * 2 * RADIUS
        y = TOP + away if upper else BOTTOM - away
        _draw_checker(pen, x, y, colours, number=count if row == STACK - 1 and count > STACK else 0)


def _draw_checker(pen: _Pen, x: float, y: float, colours: _Colours, number: int = 0) -> None:
    pen.circle(x, y, RADIUS - 0.75, colours)
    if number:
        pen.words(x, y, str(number), 19, colours.ink, weight=600)
    else:
        pen.add(
            "circle", cx=x, cy=y, r=RADIUS * 0.62, fill="none", stroke=colours.ink, stroke_width=1, stroke_opacity=0.28
        )


def _draw_bar(pen: _Pen, count: int, colours: _Colours, *, upper: bool) -> None:
    """From the middle outwards, in the half where these checkers enter."""
    shown = min(count, 4)
    for row in range(shown):
        away = 34 + RADIUS + row * 2 * RADIUS
        y = CENTRE - away if upper else CENTRE + away
        _draw_checker(pen, MIDDLE + GUTTER / 2, y, colours, number=count if row == shown - 1 and count > shown else 0)


def _draw_tray(pen: _Pen, count: int, colours: _Colours, *, left: bool, upper: bool) -> None:
    """Checkers borne off, seen from the side, and their number."""
    x = EDGE + (GUTTER - EDGE) / 2 if left else RIGHT + EDGE + (GUTTER - EDGE) / 2
    for row in range(count):
        away = 10 + row * 11.5
        pen.block(x, TOP + away if upper else BOTTOM - away, GUTTER - EDGE - 10, 10, 3, colours)
    if count:
        pen.words(x, CENTRE - 50 if upper else CENTRE + 50, str(count), 16, NUMBER, weight=600)


_PIPS = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def _draw_die(pen: _Pen, die: int, x: float) -> None:
    pen.block(x, CENTRE, 40, 40, 7, OWN)
    for right, down in _PIPS[die]:
        pen.add("circle", cx=x + right * 10.5, cy=CENTRE + down * 10.5, r=4, fill=OWN.ink)


def _draw_cube(pen: _Pen, cube: int, owner: text.Side | None, opponent_left: bool) -> None:
    """In the gutter across from the owner's tray, on his half; an undoubled cube in the middle at the left."""
    left = owner != "opponent" or not opponent_left
    x = EDGE + (GUTTER - EDGE) / 2 if left else RIGHT + EDGE + (GUTTER - EDGE) / 2
    y = {None: CENTRE, "own": BOTTOM - 28, "opponent": TOP + 28}[owner]
    pen.block(x, y, 42, 42, 6, OWN)
    pen.words(x, y, str(cube), 22 if cube < 100 else 17, OWN.ink, weight=600)
