from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["IncrementalNetwork", "kernels", "use_kernels"]

def kernels() -> str: ...
def use_kernels(name: str | None) -> None: ...

@final
class IncrementalNetwork:
    def __new__(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        variants: Sequence[str],
        *,
        inputs: str = "contrary",
        name: str,
    ) -> IncrementalNetwork: ...
    @property
    def variants(self) -> tuple[str, ...]: ...
    @property
    def name(self) -> str: ...
    @property
    def inputs(self) -> str: ...
    @property
    def parameters(self) -> dict[str, NDArray[Any]]: ...
    def evaluate(self, positions: NDArray[np.uint64]) -> NDArray[np.float32]: ...
    def evaluate_children(
        self, parents: NDArray[np.uint64], children: NDArray[np.uint64], offsets: NDArray[np.int64]
    ) -> NDArray[np.float32]: ...
    def passes(
        self, parents: NDArray[np.uint64], children: NDArray[np.uint64], offsets: NDArray[np.int64]
    ) -> NDArray[np.bool_]: ...
