"""Training of evaluators. The command is ``python -m vrhcaby.training``."""

from vrhcaby.training.temporal_difference import Report, Settings, train

__all__ = ["Report", "Settings", "train"]
