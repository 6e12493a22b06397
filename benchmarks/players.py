"""Who is measured: evaluators and players by name.

An *evaluator* has the library's `Evaluator` protocol. A *player* answers a roll with a position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

import vrhcaby
import vrhcaby.evaluation
from benchmarks.dice import below
from benchmarks.games import Packed
from benchmarks.opponents import beginner, heuristic
from vrhcaby.evaluation import Evaluator, default_evaluator, equities, load_evaluator
from vrhcaby.evaluation._network import apply_rules
from vrhcaby.evaluation.bulk import checked_chances

_WEIGHTS = Path(vrhcaby.evaluation.__file__).with_name("weights")

EVALUATORS = "shipped, beginner, gnubg-nn, bgsage, the name of a shipped network, or the path of a network"
PLAYERS = f"random, heuristic, pubeval, {EVALUATORS}"

Worth = Callable[[Packed, Packed, NDArray[np.int64]], NDArray[np.float64]]


@runtime_checkable
class Player(Protocol):
    """Plays many games at a time."""

    @property
    def name(self) -> str:
        """What reports call it. Players that play differently have different names."""

    def play(self, positions: Packed, dice: NDArray[np.int64], chance: NDArray[np.uint64], /) -> Packed:
        """The positions after the player's turns, seen by the next player.

        Parameters
        ----------
        positions : (n, 4) uint64
            The player is on roll.
        dice : (n, 2) int64
            His rolls.
        chance : (n,) uint64
            A random 32-bit word for each, for a player who wants one.
        """


class RandomPlayer:
    """Every result of the roll is equally likely: the games of `vrhcaby.playouts`."""

    name = "random"

    def __init__(self, variant: str) -> None:
        self._variant = variant

    def play(self, positions: Packed, dice: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
        counts = vrhcaby.count_moves(positions, dice, variant=self._variant)
        return vrhcaby.play(positions, dice, below(chance, counts), variant=self._variant)


class GreedyPlayer:
    """Plays the result that is worth least to the next player, the first one of equals.

    Parameters
    ----------
    name : str
    worth : callable
        Takes positions (n, 4), their children (m, 4) and where each position's children begin (n + 1,), as
        `vrhcaby.legal_moves` returns them; returns what each child is worth to the player on roll in it.
    variant : str
    """

    def __init__(self, name: str, worth: Worth, variant: str) -> None:
        self.name = name
        self._worth = worth
        self._variant = variant

    def play(self, positions: Packed, dice: NDArray[np.int64], chance: NDArray[np.uint64]) -> Packed:
        children, offsets = vrhcaby.legal_moves(positions, dice, variant=self._variant)
        return children[first_smallest(self._worth(positions, children, offsets), offsets)]


def first_smallest(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the smallest value of each segment stands, the first one of equals. No segment may be empty.

    >>> first_smallest(np.array([2.0, 1.0, 1.0, 5.0]), np.array([0, 3, 4])).tolist()
    [1, 3]
    """
    starts = offsets[:-1]
    smallest = np.minimum.reduceat(values, starts)
    places = np.flatnonzero(values == np.repeat(smallest, np.diff(offsets)))
    return places[np.searchsorted(places, starts)]


def worth_by(evaluator: Evaluator, variant: str) -> Worth:
    """The equity that an evaluator gives to children, exact where the game is over."""
    evaluate_children = getattr(evaluator, "evaluate_children", None)

    def worth(positions: Packed, children: Packed, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        if evaluate_children is None:
            return equities(checked_chances(evaluator, children, variant), variant)
        chances = evaluate_children(positions, children, offsets)
        apply_rules(chances, children, variant)
        return equities(chances, variant)

    return worth


def evaluator(name: str, variant: str = "backgammon") -> Evaluator:
    """The evaluator that a name on the command line means.

    Networks are read from their files and so have a checksum in their names: the shipped ones change.

    Raises
    ------
    ValueError, FormatError, OSError
        No such evaluator, or it was not made for the variant.
    """
    found: Evaluator
    if name == "gnubg-nn":
        from benchmarks.peers.evaluators import GnubgNets

        found = GnubgNets()
    elif name == "bgsage":
        from benchmarks.peers.evaluators import BgsageNets

        found = BgsageNets()
    else:
        found = load_evaluator(network_path(name, variant))
    check_variant(name, found.variants, variant)
    return found


def network_path(name: str, variant: str = "backgammon") -> Path:
    """The file of a network that is named by ``shipped``, ``beginner``, the name of a shipped one, or its path."""
    if name == "beginner":
        return beginner(variant)
    if name == "shipped":
        name = default_evaluator(variant).name
    return Path(name) if name.endswith(".npz") else _WEIGHTS / f"{name}.npz"


def check_variant(name: str, variants: Sequence[str], variant: str) -> None:
    if variant not in variants:
        raise ValueError(f"{name!r} plays {', '.join(variants)}: not variant {variant!r}")


def player(name: str, variant: str = "backgammon") -> Player:
    """The player that a name on the command line means. Evaluators look no turn ahead: 0-ply.

    Raises
    ------
    ValueError, FormatError, OSError
        As `evaluator`.
    """
    if name == "random":
        return RandomPlayer(variant)
    if name == "heuristic":
        return GreedyPlayer(name, lambda positions, children, offsets: heuristic(children, variant), variant)
    if name == "pubeval":
        from benchmarks.peers.evaluators import Pubeval

        check_variant(name, Pubeval.variants, variant)
        return Pubeval()
    found = evaluator(name, variant)
    if isinstance(found, Player):  # it chooses moves itself
        return found
    return GreedyPlayer(label(found), worth_by(found, variant), variant)


def label(evaluator: Evaluator) -> str:
    """What a report calls an evaluator."""
    return str(getattr(evaluator, "name", type(evaluator).__name__))
