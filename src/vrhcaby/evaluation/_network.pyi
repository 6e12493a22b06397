from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from vrhcaby.variants import Variant

__all__ = ["Network", "apply_rules"]

LARGEST_WEIGHT: float

@final
class Network:
    def __new__(
        cls, parameters: Mapping[str, NDArray[np.float32]], variants: Sequence[str], *, name: str
    ) -> Network: ...
    @property
    def name(self) -> str: ...
    @property
    def variants(self) -> tuple[str, ...]: ...
    @property
    def parameters(self) -> dict[str, NDArray[np.float32]]: ...
    def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]: ...

def apply_rules(chances: NDArray[np.float32], positions: NDArray[np.uint64], variant: str | Variant) -> None: ...
