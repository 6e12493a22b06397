import os

import numpy as np
from numpy.typing import NDArray

from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.variants import Variant

__all__ = ["game_positions"]

def game_positions(
    *,
    games: int,
    seed: int,
    variant: str | Variant = "backgammon",
    evaluator: Network | IncrementalNetwork | str | os.PathLike[str] | None = None,
    starts: NDArray[np.uint64] | None = None,
    random_opening: int = 0,
    random_moves: float = 0.0,
    slips: float = 0.0,
    first_game: int = 0,
    workers: int | None = 1,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
