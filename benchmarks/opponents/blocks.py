"""What both families look at: points in a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]


def row_ending_at(held: Booleans) -> NDArray[np.int64]:
    """For each point, how many points in a row are held that end with it, counting upwards: (n, points).

    >>> row_ending_at(np.array([[True, True, False, True]])).tolist()
    [[1, 2, 0, 1]]
    """
    length = np.zeros(held.shape, np.int64)
    length[:, 0] = held[:, 0]
    for point in range(1, held.shape[1]):
        length[:, point] = (length[:, point - 1] + 1) * held[:, point]
    return length
