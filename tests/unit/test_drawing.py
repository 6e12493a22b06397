"""The drawings of a board: text and SVG."""

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from vrhcaby import drawing
from vrhcaby.variants import VARIANTS, variant

SVG = "{http://www.w3.org/2000/svg}"


def layout(points: dict[int, int]) -> tuple[int, ...]:
    """26 counts; 0 = borne off, 25 = bar."""
    counts = [0] * 26
    for point, count in points.items():
        counts[point] = count
    return tuple(counts)


# A position with something of everything: bar on both sides, a high stack, borne-off checkers.
OWN = layout({25: 2, 24: 1, 13: 1, 8: 2, 6: 7, 5: 2})
OPPONENT = layout({25: 1, 21: 2, 13: 3, 7: 1, 6: 3, 4: 2, 3: 1, 0: 2})
FACTS: dict[str, Any] = {
    "dice": (5, 3), "cube": 2, "cube_owner": "opponent", "score": (3, 5), "match_length": 7, "note": "Crawford game",
}  # fmt: skip


def test_text_with_all_facts() -> None:
    assert drawing.text.board(OWN, OPPONENT, variant("backgammon"), **FACTS).split("\n") == [
        " +13-14-15-16-17-18-+---+19-20-21-22-23-24-+",
        " | X              O |   | O     O  O     X |  O  pips 142",
        " |                  |   | O     O          |     off 2",
        " |                  |   | O                |     score 5",
        " |                  | X |                  |",
        " |                  | X |                  |     Crawford game",
        " |                  |BAR|                  |     cube 2, owned by O",
        " |                  | O | 7                |",
        " |                  |   | X                |     to play 5-3",
        " | O                |   | X                |     score 3, match to 7",
        " | O           X    |   | X  X  O          |     off 0",
        " | O           X    |   | X  X  O          |  X  pips 155",
        " +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+",
    ]


def test_text_of_a_parallel_game() -> None:
    """Both heads: mine on 24, the opponent's on my 12; his checker on his 1 stands on my 13, at the upper left."""
    own, opponent = layout({24: 14, 18: 1}), layout({24: 14, 1: 1})
    lines = drawing.text.board(own, opponent, variant("long-nardy")).split("\n")
    assert lines[1] == " | O              X |   |                X |  O  pips 337"
    assert lines[5] == " |                  |   |               14 |"
    assert lines[6] == " |                  |   |                  |"
    assert lines[7] == " |14                |   |                  |"


@pytest.mark.parametrize("name", VARIANTS)
def test_every_checker_is_drawn(name: str) -> None:
    game = variant(name)
    start = layout(dict(game.start))
    board = drawing.text.board(start, start, game, cube=1, dice=(6, 6), score=(10, 10), match_length=25)
    lines = board.split("\n")
    assert len(lines) == 13
    assert max(map(len, lines)) <= 80
    assert board.isascii()
    assert not any(line != line.rstrip() for line in lines)
    inside = "\n".join(line[1:43] for line in lines[1:-1])
    high = [count for _, count in game.start if count > 5]
    drawn = sum(min(count, 5) if count <= 5 else 4 for _, count in game.start)
    assert inside.count("X") == inside.count("O") == drawn
    assert sorted(map(int, re.findall(r"\d+", inside))) == sorted(high * 2)


def test_text_says_when_a_side_is_off() -> None:
    game = variant("hypergammon")
    off, home = layout({0: 3}), layout({1: 3})
    assert "opponent has borne off all" in drawing.text.board(home, off, game)
    assert "     has borne off all" in drawing.text.board(off, home, game)
    assert "to roll" not in drawing.text.board(off, home, game)


@pytest.mark.parametrize("draw", [drawing.text.board, drawing.svg.board])
def test_impossible_boards_are_refused(draw: Callable[..., str]) -> None:
    game = variant("backgammon")
    start = layout(dict(game.start))
    with pytest.raises(ValueError, match="own: 25 entries"):
        draw(start[:-1], start, game)
    with pytest.raises(ValueError, match="opponent: 27 entries"):
        draw(start, (*start, 0), game)
    with pytest.raises(ValueError, match=r"opponent\[3\] = -1"):
        draw(start, layout({3: -1}), game)
    with pytest.raises(ValueError, match="both sides stand on point 24: 2 own and 1"):
        draw(start, layout({1: 1}), game)


def test_svg_is_one_accessible_document() -> None:
    source = drawing.svg.board(OWN, OPPONENT, variant("backgammon"), **FACTS)
    root = ElementTree.fromstring(source)
    assert root.tag == SVG + "svg"
    assert root.get("role") == "img"
    title, description = root[0], root[1]
    assert (title.tag, title.text) == (SVG + "title", "backgammon board: to play 5-3")
    assert description.tag == SVG + "desc"
    assert description.text == drawing.text.board(OWN, OPPONENT, variant("backgammon"), **FACTS)
    # Nothing that another drawing on the same page could collide with, and nothing to load.
    assert not any("id" in element.attrib for element in root.iter())
    assert "href" not in source
    assert "url(" not in source


def test_svg_draws_every_checker_inside_the_view() -> None:
    root = ElementTree.fromstring(drawing.svg.board(OWN, OPPONENT, variant("backgammon"), **FACTS))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    checkers = [e for e in root.iter(SVG + "circle") if float(e.get("r", 0)) > 20]
    # Two of the seven on point 6 stand behind the number.
    assert len(checkers) == 15 - 2 + 13
    places = {(e.get("cx"), e.get("cy")) for e in checkers}
    assert len(places) == len(checkers)
    for circle in root.iter(SVG + "circle"):
        x, y, radius = (float(circle.get(key, "nan")) for key in ("cx", "cy", "r"))
        assert radius <= x <= width - radius
        assert radius <= y <= height - radius
    words = [element.text for element in root.iter(SVG + "text")]
    assert words[:24] == [str(point) for point in range(1, 25)]
    assert words[24:] == [
        "7", "2", "2", "142 pips  ·  score 5 of 7", "155 pips  ·  score 3 of 7", "Crawford game", "to play 5-3",
    ]  # fmt: skip


def test_svg_dice_show_their_pips() -> None:
    game = variant("backgammon")
    start = layout(dict(game.start))

    def small_circles(**facts: Any) -> int:
        root = ElementTree.fromstring(drawing.svg.board(start, start, game, **facts))
        return sum(e.get("r") == "4" for e in root.iter(SVG + "circle"))

    assert small_circles() == 0
    for first in range(1, 7):
        for second in range(1, 7):
            assert small_circles(dice=(first, second)) == first + second


def test_svg_trays_of_parallel_games_lie_apart() -> None:
    """The player on roll bears off at the lower right, the opponent past point 13 at the upper left."""
    own, opponent = layout({0: 3, 24: 12}), layout({0: 2, 24: 13})

    def tray_middles(name: str) -> list[tuple[float, float]]:
        root = ElementTree.fromstring(drawing.svg.board(own, opponent, variant(name)))
        slabs = [e for e in root.iter(SVG + "rect") if e.get("height") == "10"]
        return [(float(e.get("x", 0)), float(e.get("y", 0))) for e in slabs]

    parallel = tray_middles("long-nardy")
    assert len(parallel) == 5
    assert all(x > 600 and y > 400 for x, y in parallel[:3])
    assert all(x < 100 and y < 200 for x, y in parallel[3:])
    own, opponent = layout({0: 3, 6: 12}), layout({0: 2, 6: 13})
    assert all(x > 600 for x, _ in tray_middles("backgammon"))


def test_drawing_loads_no_xml_before_it_is_used() -> None:
    code = "import sys, vrhcaby.drawing; print([m for m in sys.modules if m.split('.')[0] == 'xml'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
