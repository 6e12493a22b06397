import os

import numpy as np
from numpy.typing import NDArray

from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.variants import Variant

__all__ = ["look_ahead"]

def look_ahead(
    positions: NDArray[np.uint64],
    *,
    variant: str | Variant = "backgammon",
    evaluator: Network | IncrementalNetwork | str | os.PathLike[str] | None = None,
    bear_off: bool = True,
    workers: int | None = 1,
) -> NDArray[np.float32]: ...
