"""One block of trials, played in lockstep: one turn of every game, then the next turn."""

from __future__ import annotations

import dataclasses
import threading

from vrhcaby._core import Position
from vrhcaby.evaluation import Evaluator
from vrhcaby.evaluation.bulk import checked_chances
from vrhcaby.rollouts._block import Games
from vrhcaby.rollouts.statistics import RolloutResult

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
    games = Games(settings.position, seed=settings.seed, first=block[0], stop=block[1], opening=settings.opening)
    while games.size:
        if stop.is_set():
            return None
        games.roll()
        if settings.evaluator is None:
            games.play_at_random()
        else:
            games.play(checked_chances(settings.evaluator, games.positions(), settings.position.variant))
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
