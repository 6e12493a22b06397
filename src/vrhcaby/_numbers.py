"""Whole numbers that come in as arguments."""

from __future__ import annotations

__all__ = ["LARGEST_SEED", "whole_number"]

LARGEST_SEED = 2**64 - 1


def whole_number(value: object, name: str, least: int, most: int) -> int:
    """The number that an argument of this name gives.

    Raises
    ------
    TypeError
        No whole number: something like 2.0 or True.
    ValueError
        Below the least or above the most.

    >>> whole_number(7, "trials", 1, 10)
    7
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} = {value!r}: must be a whole number")
    number: int = value.__index__()
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: must be from {least} to {most}")
    return number
