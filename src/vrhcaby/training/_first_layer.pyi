from typing import Final

import numpy as np
from numpy.typing import NDArray

from vrhcaby.variants import Direction

__all__ = ["COUNT_FEATURES", "DENSE", "UNITS_PER_BLOCK", "backward", "encode", "forward"]

COUNT_FEATURES: Final[NDArray[np.float32]]
DENSE: Final[int]
UNITS_PER_BLOCK: Final[int]

def encode(
    positions: NDArray[np.uint64], *, direction: Direction, workers: int | None = 1
) -> tuple[NDArray[np.uint16], NDArray[np.float32], NDArray[np.int8], NDArray[np.bool_]]: ...
def forward(
    rows: NDArray[np.uint16],
    weights: NDArray[np.float32],
    bias: NDArray[np.float32],
    *,
    sums: NDArray[np.float32],
    outputs: NDArray[np.float32],
    product: bool,
    workers: int | None = 1,
) -> None: ...
def backward(
    rows: NDArray[np.uint16],
    *,
    sums: NDArray[np.float32],
    gradient: NDArray[np.float32],
    product: bool,
    weights: NDArray[np.float32],
    bias: NDArray[np.float32],
    workers: int | None = 1,
) -> None: ...
