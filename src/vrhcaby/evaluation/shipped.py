"""The networks that come with the package, and the choice of an evaluator by name, by path or by variant."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection
from pathlib import Path

from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.evaluation.network_file import read_network
from vrhcaby.evaluation.protocol import Evaluator
from vrhcaby.variants import Variant

__all__ = ["as_evaluator", "default_evaluator", "load_evaluator"]

_WEIGHTS = Path(__file__).with_name("weights")
# Each shipped network with the variants that it is made for: those of `backgammon` differ in scoring and details.
SERVES = {
    "backgammon": ("backgammon", "vrhcaby", "tavli", "short-nardy", "nackgammon", "portes", "tavla"),
    "hypergammon": ("hypergammon",),
    "long-nardy": ("long-nardy",),
    "fevga": ("fevga",),
}


@functools.cache
def _shipped(name: str) -> Network | IncrementalNetwork:
    return read_network(_WEIGHTS / f"{name}.npz", name=name)


def load_evaluator(name_or_path: str | os.PathLike[str]) -> Network | IncrementalNetwork:
    """A network that comes with the package, by its name, or one of your own, by the path of its ``.npz`` file.

    Raises
    ------
    ValueError
        A name that is neither shipped nor a path; the message lists the shipped ones.
    FormatError
        A file that is not a network, or damaged.
    OSError
        A file that cannot be opened.

    >>> load_evaluator("long-nardy").variants
    ('long-nardy',)
    """
    if isinstance(name_or_path, str):
        if name_or_path in SERVES:
            return _shipped(name_or_path)
        if not name_or_path.endswith(".npz") and Path(name_or_path).name == name_or_path:
            raise ValueError(f"unknown evaluator {name_or_path!r} (known: {', '.join(SERVES)}, or a .npz file)")
    return read_network(name_or_path)


def default_evaluator(variant: str | Variant) -> Network | IncrementalNetwork:
    """The shipped network that plays this variant.

    Raises
    ------
    ValueError
        No shipped network plays it.

    >>> default_evaluator("tavla").name
    'backgammon'
    """
    name = variant.name if isinstance(variant, Variant) else variant
    for network, variants in SERVES.items():
        if name in variants:
            return _shipped(network)
    raise ValueError(f"no shipped network plays variant {name!r}")


def as_evaluator(value: Evaluator | str | os.PathLike[str] | None, variant: Variant) -> Evaluator:
    """The evaluator that an ``evaluator=`` argument means, if it was made for the variant.

    Raises
    ------
    TypeError
        Neither a name, a path, None nor an object with the `Evaluator` protocol.
    ValueError, FormatError, OSError
        As `load_evaluator`; or an evaluator that was not made for the variant.

    >>> from vrhcaby import variant
    >>> as_evaluator("long-nardy", variant("long-nardy")) is as_evaluator(None, variant("long-nardy"))
    True
    """
    evaluator: Evaluator
    if value is None:
        evaluator = default_evaluator(variant)
    elif isinstance(value, (str, os.PathLike)):
        evaluator = load_evaluator(value)
    elif isinstance(value, Evaluator) and not isinstance(value, type):
        evaluator = value
    else:
        raise TypeError(
            f"evaluator = {value!r}: must be a name, a path, or an object with `variants` and `evaluate(positions)`"
        )
    name = getattr(evaluator, "name", type(evaluator).__name__)
    variants = evaluator.variants
    if isinstance(variants, str) or not isinstance(variants, Collection):
        raise TypeError(f"evaluator {name!r} has variants = {variants!r}: must be a sequence of names")
    if variant.name not in variants:
        raise ValueError(f"evaluator {name!r} plays {', '.join(map(str, variants))}: not variant {variant.name!r}")
    return evaluator
