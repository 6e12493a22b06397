"""Labels of training, slow and obviously right: from the public moves, evaluation and bear-off table alone."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vrhcaby import ROLLS, Variant, evaluate, hashes, legal_moves, unpack
from vrhcaby._core import philox_words
from vrhcaby.evaluation import default_evaluator, equities
from vrhcaby.evaluation._bearoff import bear_off
from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network

Positions: TypeAlias = NDArray[np.uint64]
Chances: TypeAlias = NDArray[np.float64]

DICE, CHOICE = 0, 1
PASSED = 8  # by a filter, of each roll


def words(seed: int, trial: int, turn: int, purpose: int) -> tuple[int, int, int, int]:
    """What is drawn for this purpose."""
    drawn: tuple[int, int, int, int] = philox_words(seed, trial | (turn | purpose << 56) << 64)
    return drawn


def roll(seed: int, trial: int, turn: int) -> tuple[int, int]:
    """An ordinary roll."""
    number = words(seed, trial, turn, DICE)[0] * 36 >> 32
    return number // 6 + 1, number % 6 + 1


def turned_round(chances: Chances) -> Chances:
    """The same chances as the other player sees them."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances
    return np.array([1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon])


@dataclasses.dataclass(frozen=True)
class Player:
    """A network that plays and judges, with the bear-off table or without it."""

    variant: Variant
    network: Network | IncrementalNetwork
    table: bool = True

    def judged(self, positions: Positions) -> Chances:
        """Chances without looking ahead."""
        chances = evaluate(positions, variant=self.variant, evaluator=self.network).astype(float)
        if self.table:
            reached = bear_off().reaches(positions, variant=self.variant)
            chances[reached] = bear_off().chances(positions[reached], variant=self.variant)
        return chances

    def is_known(self, position: Positions) -> bool:
        """Whether nothing is left to look for: the game is over, or the table reaches."""
        over = not len(legal_moves(position, (1, 1), variant=self.variant)[0])
        return over or bool(self.table and bear_off().reaches(position, variant=self.variant)[0])

    def candidates(self, position: Positions, dice: tuple[int, int]) -> Positions:
        """The plays that are judged: all, or those that the filter finds best for the player who makes them."""
        children, _ = legal_moves(position, dice, variant=self.variant)
        weights = self.network.parameters
        off = int(position[0, 0]) & 15
        if "filter_bias" not in weights or off + 4 >= self.variant.checkers or self.is_known(position):
            return children
        counts = unpack(children).reshape(-1, 52)
        units = weights["filter_bias"] + weights["filter_columns"][np.arange(52), counts].astype(int).sum(1)
        score = units.clip(0, 1023) @ weights["filter_weights2"][0, :, 0].astype(int)
        return children[np.sort(np.argsort(score, kind="stable")[:PASSED])]

    def best_child(self, position: Positions, dice: tuple[int, int], rank: int = 0) -> tuple[Positions, Chances]:
        """The play with the best equity or the next ones, and what it is worth to the player who made it."""
        children = self.candidates(position, dice)
        chances = self.judged(children)
        order = np.argsort(equities(chances, self.variant), kind="stable")
        best = order[min(rank, len(order) - 1)]
        return children[best : best + 1], turned_round(chances[best])

    def mean_of_rolls(self, position: Positions) -> Chances:
        """Every roll and the best play of each."""
        plays = [self.candidates(position, dice) for dice, _ in ROLLS]
        chances = np.split(self.judged(np.concatenate(plays)), np.cumsum([len(children) for children in plays])[:-1])
        total = np.zeros(5)
        for (_, weight), found in zip(ROLLS, chances, strict=True):
            total += weight * turned_round(found[np.argmin(equities(found, self.variant))])
        return total / 36

    def look_ahead(self, position: Positions) -> Chances:
        """One position with one turn of look-ahead."""
        if self.is_known(position):
            known: Chances = self.judged(position)[0]
            return known
        return self.mean_of_rolls(position)

    def truncated_trial(self, position: Positions, turns: int, seed: int, trial: int, *, ahead: bool) -> Chances:
        """One truncated game, less the luck of its rolls."""
        key = seed ^ int(hashes(position)[0])
        luck = np.zeros(5)
        for turn in range(1, turns + 1):
            if self.is_known(position):
                turns = turn - 1
                break
            expected = self.mean_of_rolls(position)
            position, found = self.best_child(position, roll(key, trial, turn))
            if turn % 2 == 0:
                expected, found = turned_round(expected), turned_round(found)
            luck += found - expected
        end = self.look_ahead(position) if ahead else self.judged(position)[0]
        return (turned_round(end) if turns % 2 else end) - luck

    def labelled_game(
        self,
        start: Positions,
        seed: int,
        number: int,
        *,
        trace: float,
        opening: int,
        random: float,
        slips: float,
        siblings: float,
    ) -> list[tuple[Positions, Chances]]:
        """The positions of a game with variety that are labelled, and their labels."""
        # The path first: what is labelled, whether on the path, and what was thought of it if the best play led there.
        found: list[tuple[Positions, bool, Chances | None]] = []
        position, thought = start, None
        chosen, plain, *_ = words(seed, number, 0, CHOICE)
        random_turns = chosen * (opening + 1) >> 32 if plain / 2**32 >= 0.3 else 0
        for turn in range(1, 5000):
            dice = roll(seed, number, turn)
            children, _ = legal_moves(position, dice, variant=self.variant)
            if not len(children):
                break
            chosen, kind, rank, sibling = words(seed, number, turn, CHOICE)
            drawn = children[(chosen * len(children) >> 32) :][:1]
            best, value = self.best_child(position, dice)
            at_random = turn <= random_turns or kind / 2**32 < random
            played = best
            if at_random:
                played = drawn
            elif kind / 2**32 < random + slips:
                played, _ = self.best_child(position, dice, 1 + (rank >> 31))
            labelled = turn > random_turns or rank / 2**32 < 0.3
            if labelled:
                found.append((position, True, thought))
            going_on = len(legal_moves(drawn, (1, 1), variant=self.variant)[0]) > 0
            if not at_random and sibling / 2**32 < siblings and going_on and not np.array_equal(drawn, played):
                found.append((drawn, False, None))
            thought = value if labelled and np.array_equal(played, best) else None
            position = played
        else:
            raise AssertionError("the game does not end")
        # Then the labels from the last to the first: how much more each knows than was thought of it.
        labelled_positions = []
        surplus = np.zeros(5)
        for position, on_path, thought in reversed(found):
            label = self.look_ahead(position)
            if on_path:
                if not self.is_known(position):
                    label = label + trace * surplus
                surplus = np.zeros(5) if thought is None else turned_round(label) - thought
            labelled_positions.append((position, label))
        return labelled_positions[::-1]


def shipped(variant: Variant, *, table: bool = True) -> Player:
    """The network that comes with the package, without its filter: every play is judged."""
    network = default_evaluator(variant)
    if isinstance(network, IncrementalNetwork):
        arrays = {name: array for name, array in network.parameters.items() if not name.startswith("filter")}
        network = IncrementalNetwork(arrays, network.variants, inputs=network.inputs, name="unfiltered")
    return Player(variant, network, table)


def small(variant: Variant, *, filtered: bool, table: bool = True, seed: int = 1) -> Player:
    """A network of the newer kind with random weights, and with a filter or without."""
    chance = np.random.RandomState(seed)

    def whole(bound: int, *shape: int) -> NDArray[np.int16]:
        return chance.randint(-bound, bound + 1, shape).astype(np.int16)

    def broken(bound: float, *shape: int) -> NDArray[np.float32]:
        return chance.uniform(-bound, bound, shape).astype(np.float32)

    arrays: dict[str, NDArray[Any]] = {
        "contact_columns": whole(400, 52, 16, 128),
        "contact_bias": whole(500, 128),
        "contact_weights2": whole(1000, 1, 64, 32),
        "contact_bias2": np.zeros((1, 32), np.int32),
        "contact_weights3": broken(0.5, 1, 32, 32),
        "contact_bias3": broken(0.1, 1, 32),
        "contact_weights4": broken(0.5, 1, 32, 5),
        "contact_bias4": broken(0.1, 1, 5),
    }
    arrays["contact_columns"][:, 0] = 0
    if filtered:
        arrays["filter_columns"] = whole(400, 52, 16, 32)
        arrays["filter_columns"][:, 0] = 0
        arrays["filter_bias"] = whole(500, 32)
        arrays["filter_weights2"] = whole(1000, 1, 32, 1)
        arrays["filter_bias2"] = np.zeros((1, 1), np.int32)
    inputs = "contrary" if variant.direction == "contrary" else "parallel"
    return Player(variant, IncrementalNetwork(arrays, (variant.name,), inputs=inputs, name="small"), table)
