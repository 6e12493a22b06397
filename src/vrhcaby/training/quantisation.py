"""From the floating point of the training to the integers of a network file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrhcaby.training._first_layer import COUNT_FEATURES
from vrhcaby.training.layers import Part

__all__ = ["quantised"]

_UNIT = 1024  # what 1 is in the first layer, in its outputs and in the dense inputs
_WEIGHT_UNIT = 2048  # what 1 is in the weights of the second layer


def quantised(part: Part) -> dict[str, NDArray[Any]]:
    """The arrays of a part, or of a filter, in a network file.

    Returns
    -------
    dict of name to array
        ``columns`` (52, 16, width) int16 and ``bias`` (width,) int16, in 1024ths; ``weights2`` (buckets, inputs, units)
        int16 in 2048ths and ``bias2`` (buckets, units) int32 in 2**-21; the later layers as they are, float32. Of a
        filter, ``weights2`` has one unit, the equity.

    Raises
    ------
    ValueError
        A weight too large for its integer; the message names it.

    >>> {name: array.shape for name, array in quantised(Part(width=64, buckets=9)).items()}["weights2"]
    (9, 52, 32)
    """
    state = {name: value.double().numpy() for name, value in part.state_dict().items()}
    features = state["first_weights"].reshape(*COUNT_FEATURES.shape[::2], part.width)
    columns = np.einsum("sck,skw->scw", COUNT_FEATURES.astype(np.float64), features)
    arrays = {
        "columns": _rounded("columns", columns, _UNIT, np.int16),
        "bias": _rounded("bias", state["first_bias"], _UNIT, np.int16),
        "weights2": _rounded("weights2", state["weights.0"], _WEIGHT_UNIT, np.int16),
        "bias2": _rounded("bias2", state["biases.0"], _UNIT * _WEIGHT_UNIT, np.int32),
    }
    for k in range(1, len(part.weights)):
        arrays[f"weights{k + 2}"] = state[f"weights.{k}"].astype(np.float32)
        arrays[f"bias{k + 2}"] = state[f"biases.{k}"].astype(np.float32)
    return arrays


def _rounded(name: str, values: NDArray[np.float64], unit: int, kind: type[np.integer[Any]]) -> NDArray[Any]:
    limit = np.iinfo(kind).max
    rounded = np.rint(values * unit)
    if not (np.abs(rounded) <= limit).all():
        place = np.unravel_index(np.argmax(np.abs(rounded)), rounded.shape)
        raise ValueError(f"{name}{[int(i) for i in place]} = {values[place]:.2f}: must be within +-{limit / unit:g}")
    return rounded.astype(kind)
