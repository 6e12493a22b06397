"""What kind of position it is: one word for each, by simple rules, for backgammon and its like.

The rules are tried in this order, and the first that holds for either side (where a side is named) gives the word. The
*home* of a side is its points 1 to 6. A point is *made* by two checkers or more. An *anchor* is a point made
in the opponent's home, 19 to 24. A *block* is a row of made points with an opposing checker behind it.

==================== =================================================================================================
bear-off             no contact left, both sides have all checkers at home
race                 no contact left
bear-off contact     a side has all checkers at home, or some borne off
back game            a side has two anchors or more, and has further to go
blitz                a side has no anchor, but two checkers or more on the bar or at the opponent's home, and the
                     opponent has ten or more on his points 1 to 11
prime v prime        both sides have a block of four or more
opening              both sides have two checkers or more on 24 and three or more on 13
prime                a side has a block of five or more
holding              the last checkers of a side, two or more, stand on its point 22, 21, 20, 18 or 13
ace point            the last checkers of a side, two or more, stand on its point 24 or 23
contact              anything else
==================== =================================================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks.games import Packed
from benchmarks.opponents.blocks import row_ending_at

PHASES = (
    "bear-off",
    "race",
    "bear-off contact",
    "back game",
    "blitz",
    "prime v prime",
    "opening",
    "prime",
    "holding",
    "ace point",
    "contact",
)

Counts = NDArray[np.int64]


class _Side:
    """What the rules ask of one side, for many positions."""

    def __init__(self, own: Counts, opponent: Counts) -> None:
        made = own >= 2
        self.rear = 25 - np.argmax(own[:, :0:-1] > 0, 1)
        self.pips = own @ np.arange(26)
        self.all_home = self.rear <= 6
        self.anchors = made[:, 19:25].sum(1)
        self.in_danger = (self.anchors == 0) & (own[:, 19:26].sum(1) >= 2)
        self.attackers = own[:, 1:12].sum(1)
        length = row_ending_at(made[:, 1:25])
        behind = np.take_along_axis(opponent[:, ::-1].cumsum(1), np.arange(1, 25) - length, 1) > 0
        self.block = (length * behind).max(1)
        self.at_the_start = (own[:, 24] >= 2) & (own[:, 13] >= 3)
        self.rear_is_made = np.take_along_axis(made, self.rear[:, None], 1)[:, 0] & (self.rear < 25)


def phases(positions: Packed) -> NDArray[np.str_]:
    """The word for each position.

    >>> str(phases(vrhcaby.pack([vrhcaby.Position.start()]))[0])
    'opening'
    """
    own, opponent = vrhcaby.unpack(positions).astype(np.int64).swapaxes(0, 1)
    a, b = _Side(own, opponent), _Side(opponent, own)
    contact = a.rear + b.rear > 25
    both_home = a.all_home & b.all_home
    some_off = (own[:, 0] > 0) | (opponent[:, 0] > 0)
    holds = [s.rear_is_made & np.isin(s.rear, (13, 18, 20, 21, 22)) for s in (a, b)]
    deep = [s.rear_is_made & (s.rear >= 23) for s in (a, b)]
    rules = [
        ~contact & both_home,
        ~contact,
        a.all_home | b.all_home | some_off,
        (a.anchors >= 2) & (a.pips > b.pips) | (b.anchors >= 2) & (b.pips > a.pips),
        a.in_danger & (b.attackers >= 10) | b.in_danger & (a.attackers >= 10),
        (a.block >= 4) & (b.block >= 4),
        a.at_the_start & b.at_the_start,
        (a.block >= 5) | (b.block >= 5),
        holds[0] | holds[1],
        deep[0] | deep[1],
    ]
    return np.select(rules, PHASES[:-1], PHASES[-1])
