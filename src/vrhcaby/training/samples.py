"""Positions and what they are worth, in arrays and in files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrhcaby._core import hashes
from vrhcaby.training.files import replaced

__all__ = ["Samples", "distinct", "read_arrays", "write_arrays"]

_HELD_OUT = 50  # one game of so many


class Samples(NamedTuple):
    """Labelled positions.

    Attributes
    ----------
    positions : (n, 4) uint64
    chances : (n, 5) float32
        What a network should say of them.
    held_out : (n,) bool
        Which are not trained with: all positions of some games, so that the error on them is that on games which the
        network has not seen.
    """

    positions: NDArray[np.uint64]
    chances: NDArray[np.float32]
    held_out: NDArray[np.bool_]

    @classmethod
    def of_games(cls, positions: NDArray[np.uint64], chances: NDArray[np.float32], games: NDArray[np.int64]) -> Samples:
        """Of every fifty games one is held out."""
        return cls(positions, chances, games % _HELD_OUT == _HELD_OUT - 1)

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Samples:
        """Some of them, by a mask or by their numbers."""
        return Samples(self.positions[chosen], self.chances[chosen], self.held_out[chosen])

    @classmethod
    def joined(cls, several: Iterable[Samples]) -> Samples:
        """All of several, with the chances of the last that has a position; held out in one of them is held out.

        >>> row, chances = np.zeros((1, 4), np.uint64), np.zeros((1, 5), np.float32)
        >>> Samples.joined([Samples(row, chances, np.array([True])), Samples(row, chances + 1, np.array([False]))])
        ... # doctest: +NORMALIZE_WHITESPACE
        Samples(positions=array([[0, 0, 0, 0]], dtype=uint64), chances=array([[1., 1., 1., 1., 1.]], dtype=float32),
                held_out=array([ True]))
        """
        several = list(several)
        positions = np.concatenate([samples.positions for samples in several])
        chances = np.concatenate([samples.chances for samples in several])
        held_out = np.concatenate([samples.held_out for samples in several])
        _, last, number = np.unique(hashes(positions)[::-1], return_index=True, return_inverse=True)
        last = len(positions) - 1 - last
        held_out = np.bincount(number[::-1], held_out, len(last)) > 0
        order = np.argsort(last)
        return cls(positions[last[order]], chances[last[order]], held_out[order])


def distinct(
    positions: NDArray[np.uint64], chances: NDArray[np.float32], games: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.float32], NDArray[np.int64]]:
    """Each position once, with the mean of its labels and the game that had it first."""
    _, first, number = np.unique(hashes(positions), return_index=True, return_inverse=True)
    order = np.argsort(first)
    counts = np.bincount(number)
    means = np.stack([np.bincount(number, column) / counts for column in chances.T], 1).astype(np.float32)
    return positions[first[order]], means[order], games[first[order]]


def write_arrays(path: str | os.PathLike[str], **arrays: NDArray[Any]) -> None:
    """Write arrays to an ``.npz`` file that is complete or not there; little-endian on every machine."""
    entries: dict[str, Any] = {name: array.astype(array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    with replaced(path) as file:
        np.savez(file, **entries)


def read_arrays(path: str | os.PathLike[str], *names: str) -> tuple[NDArray[Any], ...]:
    """Arrays of an ``.npz`` file in the byte order of this machine."""
    with np.load(Path(path), allow_pickle=False) as file:
        return tuple(file[name].astype(file[name].dtype.newbyteorder("=")) for name in names)
