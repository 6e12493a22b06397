"""Rollouts: a position played out many times, and what that says about it."""

from vrhcaby.rollouts._truncated import truncated_rollouts
from vrhcaby.rollouts.plan import RolloutInterrupted, rollout
from vrhcaby.rollouts.statistics import Estimate, RolloutResult

__all__ = ["Estimate", "RolloutInterrupted", "RolloutResult", "rollout", "truncated_rollouts"]
