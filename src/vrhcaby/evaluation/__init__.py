"""What a position is worth: the evaluator protocol, the shipped networks, evaluation in bulk."""

from vrhcaby.evaluation._incremental import kernels, use_kernels
from vrhcaby.evaluation.bulk import evaluate
from vrhcaby.evaluation.protocol import Evaluation, Evaluator, equities
from vrhcaby.evaluation.shipped import as_evaluator, default_evaluator, load_evaluator

__all__ = [
    "Evaluation",
    "Evaluator",
    "as_evaluator",
    "default_evaluator",
    "equities",
    "evaluate",
    "kernels",
    "load_evaluator",
    "use_kernels",
]
