"""Incremental networks made by a rule, and what they must answer: the description in plain Python and NumPy integers.

Nothing here is shared with the library; boards are tuples of 26 counts a side, as everywhere in these tests.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["arrays", "buckets", "chances", "figures", "has_contact", "passed", "split"]

Side = tuple[int, ...]
Arrays = dict[str, NDArray[Any]]
UNITS = 32
FIGURES = 20
ROLLS = tuple(itertools.product(range(1, 7), repeat=2))


# Networks ------------------------------------------------------------------------------------------------------------


def arrays(
    width: int = 128, buckets: int = 9, *, figures: int = FIGURES, race: int = 128, filters: bool = True, seed: int = 1
) -> Arrays:
    """The arrays of a network: numbers from a generator that never changes, small enough for every bound.

    `race` is the width of the race part, 0 = none. About half of the units are cut off, at either end.
    """
    random = np.random.RandomState(seed)

    def integers(dtype: type, limit: int, *shape: int) -> NDArray[Any]:
        return random.randint(-limit, limit + 1, shape).astype(dtype)

    def floats(limit: float, *shape: int) -> NDArray[np.float32]:
        return (random.randint(-1024, 1025, shape) * (limit / 1024)).astype(np.float32)

    def first_layer(name: str, units: int) -> Arrays:
        columns = integers(np.int16, 250, 52, 16, units)
        columns[:, 0] = 0
        return {f"{name}_columns": columns, f"{name}_bias": integers(np.int16, 400, units) + np.int16(400)}

    def part(name: str, units: int, sets: int) -> Arrays:
        return {
            **first_layer(name, units),
            f"{name}_weights2": integers(np.int16, 1500, sets, units // 2 + figures, UNITS),
            f"{name}_bias2": integers(np.int32, 1 << 21, sets, UNITS),
            f"{name}_weights3": floats(0.25, sets, UNITS, UNITS),
            f"{name}_bias3": floats(0.5, sets, UNITS),
            f"{name}_weights4": floats(0.25, sets, UNITS, 5),
            f"{name}_bias4": floats(1.0, sets, 5),
        }

    made = part("contact", width, buckets)
    if race:
        made |= part("race", race, 1)
    if filters:
        made |= first_layer("filter", UNITS)
        made |= {
            "filter_weights2": integers(np.int16, 4000, buckets, UNITS, 1),
            "filter_bias2": integers(np.int32, 1 << 21, buckets, 1),
        }
    return made


# The figures of a position -------------------------------------------------------------------------------------------


def split(positions: NDArray[np.uint64]) -> list[tuple[Side, Side]]:
    """The counts of both sides."""

    def side(low: int, high: int) -> Side:
        return tuple((high << 64 | low) >> 4 * slot & 15 for slot in range(26))

    return [(side(*words[:2]), side(*words[2:])) for words in positions.tolist()]


def _pips(side: Side) -> int:
    return sum(point * count for point, count in enumerate(side))


def _rear(side: Side) -> int:
    """How far the last checker has come from the bar; 25 = all are off."""
    return 25 - max((point for point in range(1, 26) if side[point]), default=0)


def _opposite(point: int, inputs: str) -> int:
    """A point in the other player's numbering."""
    if inputs == "contrary":
        return 25 - point
    return point + 12 if point <= 12 else point - 12


def has_contact(own: Side, opponent: Side, inputs: str) -> bool:
    """Whether the sides can still meet."""
    if not any(own[1:]) or not any(opponent[1:]):
        return False
    if inputs == "contrary":
        return max(p for p in range(1, 26) if own[p]) > 25 - max(p for p in range(1, 26) if opponent[p])
    return any(own[13:]) or any(opponent[13:])  # a last checker on the other half of the board, or on the bar


def buckets(own: Side, opponent: Side) -> int:
    """Which weights judge a position of a contrary variant."""
    return 3 * min(max(sum(own[19:26]) - 1, 0), 2) + min(max(sum(opponent[19:26]) - 1, 0), 2)


def _hits(side: Side, blots: set[int], closed: set[int], dice: tuple[int, ...]) -> set[int]:
    """The blots (in the numbering of `side`) that can be hit with the dice in this order, by checkers that enter or by
    one that moves on with those that are left."""
    found: set[int] = set()
    points = {point for point in range(1, 25) if side[point]}
    entering = side[25]
    for die in dice[:entering]:
        if 25 - die in closed:
            return found
        found |= {25 - die} & blots
        points.add(25 - die)
    for start in points:
        place = start
        for die in dice[entering:]:
            place -= die
            if place < 1 or place in closed:
                break
            found |= {place} & blots
    return found


def _shots(side: Side, blots: set[int], closed: set[int]) -> tuple[int, int]:
    """How many rolls hit a blot, and one on the mover's points 13 to 24."""
    shots = far = 0
    for roll in ROLLS:
        orders = [roll * 2] if roll[0] == roll[1] else [roll, roll[::-1]]
        hit = set().union(*(_hits(side, blots, closed, order) for order in orders))
        shots += bool(hit)
        far += any(point >= 13 for point in hit)
    return shots, far


def _escapes(place: int, closed: set[int]) -> int:
    """With how many rolls a checker that has come so far from the bar can move both dice, of doubles two steps."""
    return sum(
        any(25 - place - die not in closed for die in roll) and 25 - place - sum(roll) not in closed for roll in ROLLS
    )


def _longest_row(points: Iterable[int]) -> int:
    held = set(points)
    return max((length for length in range(1, 25) for p in held if held.issuperset(range(p, p + length))), default=0)


def _side_figures(side: Side, other: Side, inputs: str) -> list[int]:
    held = [point for point in range(1, 25) if side[point]]
    theirs = {_opposite(point, inputs): other[point] for point in range(1, 25) if other[point]}
    closed = {point for point, count in theirs.items() if count > 1 or inputs == "parallel"}
    rear = _rear(side)
    escapes = _escapes(min(rear, 24), closed)
    containment = min((_escapes(place, closed) for place in range(rear, 16)), default=36)
    if inputs == "contrary":
        blots = set(theirs) - closed
        shots, far = _shots(side, blots, closed)
        home = sum(point in closed for point in range(19, 25))
        spare = sum((point - 6) * side[point] for point in range(7, 19))
        row = _longest_row(point for point in held if side[point] > 1)
        return [
            6 * min(_pips(side), 170),
            28 * shots,
            28 * far,
            28 * escapes,
            28 * containment,
            28 * (36 - home**2),
            146 * min(row, 7),
            10 * min(spare, 100),
            64 * min(len(blots), 15),
        ]
    moves = [sum(point > die and point - die not in closed for point in held) for die in range(1, 7)]
    return [
        3 * min(_pips(side), 340),
        12 * min(sum(moves), 80),
        28 * (36 - sum(count == 0 for count in moves) ** 2),
        28 * escapes,
        28 * containment,
        146 * min(_longest_row(held), 7),
        68 * side[24],
        4 * min(sum((point - 6) * side[point] for point in range(7, 25)), 250),
        64 * min(len(held), 15),
    ]


@functools.cache
def figures(own: Side, opponent: Side, inputs: str) -> tuple[int, ...]:
    """The twenty figures of a position."""
    distance = (25 if inputs == "contrary" else 26) - _rear(own) - _rear(opponent)
    lead = _pips(opponent) - _pips(own)
    return (
        *_side_figures(own, opponent, inputs),
        *_side_figures(opponent, own, inputs),
        42 * min(max(distance, 0), 24),
        512 + 5 * min(max(lead, -100), 100),
    )


# The layers ----------------------------------------------------------------------------------------------------------


def _first_layer(network: Arrays, name: str, boards: Sequence[tuple[Side, Side]]) -> NDArray[np.int64]:
    counts = np.array([own + opponent for own, opponent in boards]).reshape(-1, 52)
    columns = network[f"{name}_columns"].astype(np.int64)
    units: NDArray[np.int64] = network[f"{name}_bias"] + columns[np.arange(52), counts].sum(1)
    assert (np.abs(units + 0.5) < 2**15).all()
    return units


def _sets(network: Arrays, name: str, boards: Sequence[tuple[Side, Side]]) -> NDArray[np.int64]:
    """Which weights of the later layers judge each position."""
    if len(network[f"{name}_bias2"]) == 1:
        return np.zeros(len(boards), np.int64)
    return np.array([buckets(*board) for board in boards], np.int64)


def _logistic(x: NDArray[np.float32]) -> NDArray[np.float32]:
    one = np.float32(1)
    y = np.clip(x, -16, 16) * np.float32(-1 / 32)
    e = np.full_like(y, 1 / 120)
    for coefficient in (1 / 24, 1 / 6, 1 / 2, 1, 1):
        e = np.float32(coefficient) + y * e
    for _ in range(5):
        e = e * e
    return one / (one + e)


def _part(network: Arrays, name: str, boards: Sequence[tuple[Side, Side]], inputs: str) -> NDArray[np.float32]:
    units = np.clip(_first_layer(network, name, boards), 0, 1023)
    half = units.shape[1] // 2
    given = (units[:, :half] * units[:, half:] * 32 + 16384) >> 15
    if network[f"{name}_weights2"].shape[1] > half:
        given = np.concatenate([given, [figures(*board, inputs) for board in boards]], axis=1)
    assert given.min() >= 0
    assert given.max() <= 1024
    sets = _sets(network, name, boards)
    weights2 = network[f"{name}_weights2"].astype(np.int64)
    sums = network[f"{name}_bias2"][sets] + np.einsum("ik,iku->iu", given, weights2[sets])
    assert (np.abs(sums) < 2**31).all()
    second = np.maximum(sums.astype(np.float32) * np.float32(2**-21), 0)
    weights3, weights4 = network[f"{name}_weights3"][sets], network[f"{name}_weights4"][sets]
    # the order of the additions is fixed: two chains, then four
    chains = [network[f"{name}_bias3"][sets], np.zeros_like(second)]
    for k in range(UNITS):
        chains[k % 2] = chains[k % 2] + second[:, k, None] * weights3[:, k]
    third = np.maximum(chains[0] + chains[1], 0)
    chains = [network[f"{name}_bias4"][sets], *(np.zeros((len(boards), 5), np.float32) for _ in range(3))]
    for k in range(UNITS):
        chains[k % 4] = chains[k % 4] + third[:, k, None] * weights4[:, k]
    result = _logistic((chains[0] + chains[1]) + (chains[2] + chains[3]))
    assert result.dtype == np.float32
    return result


def chances(network: Arrays, positions: NDArray[np.uint64], inputs: str) -> NDArray[np.float32]:
    """What the network must say of each position, to the last bit."""
    boards = split(positions)
    result = np.empty((len(boards), 5), np.float32)
    contact = np.array(["race_bias" not in network or has_contact(*board, inputs) for board in boards])
    for name, members in (("contact", np.flatnonzero(contact)), ("race", np.flatnonzero(~contact))):
        if len(members):
            result[members] = _part(network, name, [boards[k] for k in members], inputs)
    # no gammon against a side that has borne off; no more of the rarer result than of the other
    own_off, opponent_off = np.array([[own[0] > 0, opponent[0] > 0] for own, opponent in boards]).reshape(-1, 2).T
    win = result[:, 0]
    result[:, 1] = np.where(opponent_off, 0, np.minimum(result[:, 1], win))
    result[:, 2] = np.minimum(result[:, 2], result[:, 1])
    result[:, 3] = np.where(own_off, 0, np.minimum(result[:, 3], np.float32(1) - win))
    result[:, 4] = np.minimum(result[:, 4], result[:, 3])
    return result


def passed(network: Arrays, children: NDArray[np.uint64]) -> list[int]:
    """The children of one roll that the filter lets through: eight that are worth least to their player on roll."""
    boards = split(children)
    sets = _sets(network, "filter", boards)
    units = np.clip(_first_layer(network, "filter", boards), 0, 1023)
    scores = network["filter_bias2"][sets, 0] + (units * network["filter_weights2"][sets, :, 0]).sum(1)
    return sorted(sorted(range(len(boards)), key=lambda k: (scores[k], k))[:8])
