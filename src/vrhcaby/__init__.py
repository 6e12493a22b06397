"""A fast native core for the backgammon family: moves, hashing, pip counts, evaluation and rollouts.

>>> import vrhcaby
>>> start = vrhcaby.Position.start()
>>> [str(move) for move in start.moves((6, 1))][:2]
['24/23 24/18', '24/18 8/7']
"""

from typing import TYPE_CHECKING, Any

from vrhcaby._core import (
    ROLLS,
    Move,
    Playouts,
    Position,
    count_moves,
    hashes,
    is_legal,
    legal_moves,
    pack,
    perft,
    pips,
    play,
    playouts,
    unpack,
)
from vrhcaby.errors import FormatError, IllegalMoveError, PositionError
from vrhcaby.variants import VARIANTS, Variant, variant

if TYPE_CHECKING:
    from vrhcaby.config import show_config
    from vrhcaby.evaluation import Evaluation, Evaluator, evaluate, kernels, load_evaluator, use_kernels
    from vrhcaby.match_state import MatchState, State, read_id
    from vrhcaby.rollouts import RolloutResult, rollout

__version__ = "0.1.0"

__all__ = [
    "ROLLS",
    "VARIANTS",
    "Evaluation",
    "Evaluator",
    "FormatError",
    "IllegalMoveError",
    "MatchState",
    "Move",
    "Playouts",
    "Position",
    "PositionError",
    "RolloutResult",
    "State",
    "Variant",
    "count_moves",
    "evaluate",
    "hashes",
    "is_legal",
    "kernels",
    "legal_moves",
    "load_evaluator",
    "pack",
    "perft",
    "pips",
    "play",
    "playouts",
    "read_id",
    "rollout",
    "show_config",
    "unpack",
    "use_kernels",
    "variant",
]

# Imported on first use: `import vrhcaby` stays quick and reads no weights.
_ROOMS = {
    "Evaluation": "evaluation",
    "Evaluator": "evaluation",
    "MatchState": "match_state",
    "RolloutResult": "rollouts",
    "State": "match_state",
    "evaluate": "evaluation",
    "kernels": "evaluation",
    "load_evaluator": "evaluation",
    "read_id": "match_state",
    "rollout": "rollouts",
    "show_config": "config",
    "use_kernels": "evaluation",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'vrhcaby' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"vrhcaby.{_ROOMS[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
