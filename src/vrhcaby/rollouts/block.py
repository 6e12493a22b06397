"""One block of trials, played in lockstep: one turn of every game, then the next turn."""

from __future__ import annotations

import dataclasses
import threading

from vrhcaby._core import Position
from vrhcaby.evaluation import Evaluator
from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.evaluation.bulk import checked_chances
from vrhcaby.rollouts._block import Games
from vrhcaby.rollouts.statistics import RolloutResult
from vrhcaby.search._judge import Judge

__all__ = ["Settings", "play_block"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What all blocks of a rollout have in common. Without an evaluator the moves are uniformly random."""

    position: Position
    evaluator: Evaluator | None
    name: str
    seed: int
    opening: bool


def play_block(settings: Settings, block: tuple[int, int], stop: threading.Event) -> RolloutResult | None:
    """Plays the trials ``range(*block)`` to the end; None if told to stop before.

    Those that have ended by then are not counted: games that end early are not like those that take long.
    """
    evaluator, variant = settings.evaluator, settings.position.variant
    judge = Judge(evaluator, variant, bear_off=False) if isinstance(evaluator, (Network, IncrementalNetwork)) else None
    games = Games(settings.position, seed=settings.seed, first=block[0], stop=block[1], opening=settings.opening)
    while games.size:
        if stop.is_set():
            return None
        if judge is not None:
            games.play_best(judge)
            continue
        games.roll()
        if evaluator is None:
            games.play_at_random()
        else:
            games.play(checked_chances(evaluator, games.positions(), variant))
    return RolloutResult(
        position=settings.position,
        evaluator=settings.name,
        seed=settings.seed,
        opening=settings.opening,
        ranges=(block,),
        wins=games.wins,
        losses=games.losses,
        turns=games.turns,
    )
