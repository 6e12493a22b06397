import os

import numpy as np
from numpy.typing import NDArray

from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.variants import Variant

__all__ = ["labelled_games"]

def labelled_games(
    *,
    games: int,
    seed: int,
    variant: str | Variant = "backgammon",
    evaluator: Network | IncrementalNetwork | str | os.PathLike[str] | None = None,
    starts: NDArray[np.uint64] | None = None,
    trace: float = 0.7,
    random_opening: int = 0,
    random_moves: float = 0.0,
    slips: float = 0.0,
    siblings: float = 0.0,
    first_game: int = 0,
    bear_off: bool = True,
    workers: int | None = 1,
) -> tuple[NDArray[np.uint64], NDArray[np.float32], NDArray[np.int64]]: ...
