import os

import numpy as np
from numpy.typing import NDArray

from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.variants import Variant

__all__ = ["truncated_rollouts"]

def truncated_rollouts(
    positions: NDArray[np.uint64],
    *,
    turns: int,
    seed: int,
    trials: int = 1,
    first_trial: int = 0,
    look_ahead: bool = True,
    variant: str | Variant = "backgammon",
    evaluator: Network | IncrementalNetwork | str | os.PathLike[str] | None = None,
    bear_off: bool = True,
    workers: int | None = 1,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
