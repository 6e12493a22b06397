"""The rollout: its settings, its division into blocks, and the way from blocks to one result."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator

from vrhcaby._core import Position, new_seed
from vrhcaby._numbers import LARGEST_SEED, whole_number
from vrhcaby._threads import check_workers, run_blocks
from vrhcaby.evaluation import Evaluator, as_evaluator
from vrhcaby.rollouts.block import Settings, play_block
from vrhcaby.rollouts.statistics import RolloutResult
from vrhcaby.variants import Variant

__all__ = ["RolloutInterrupted", "rollout"]

BLOCK = 256  # trials at most: thousands of positions in a call, whose memory stays in the cache


class RolloutInterrupted(KeyboardInterrupt):
    """Ctrl-C during a rollout.

    Attributes
    ----------
    result : RolloutResult or None
        The trials of all blocks that had ended; None if none had.
    """

    def __init__(self, message: str, result: RolloutResult | None) -> None:
        super().__init__(message)
        self.result = result


def rollout(
    position: Position,
    *,
    trials: int = 1296,
    seed: int | None = None,
    workers: int | None = 1,
    evaluator: Evaluator | str | os.PathLike[str] | None = None,
    opening: bool = False,
    first_trial: int = 0,
    progress: Callable[[RolloutResult], object] | None = None,
) -> RolloutResult:
    """Plays a position out many times and counts how the games end.

    Both sides always play the result of the roll that the evaluator, without looking ahead, thinks worth most; of
    equal ones the first in the order of `legal_moves`. Games have no limit: an evaluator that never wants to go home
    (only ever hit, say) plays on for thousands of turns. There is no cube. A position that is over gives its exact
    result, with standard errors of 0.

    Parameters
    ----------
    position : Position
        Its variant is played, and the player on roll is about to roll.
    trials : int
        Number of games.
    seed : int, optional
        64-bit seed of the dice; None takes one from the system. Trial i of a seed always has the same dice, and the
        same seed, evaluator and position give the same result on every machine, for any number of workers.
    workers : int or None
        Number of threads; None = all usable cores.
    evaluator : Evaluator, str, path or None
        What chooses the moves: None = the shipped network for the variant, ``"random"`` = uniformly random play (the
        games of `playouts`), the name of a shipped network, the path of a network of your own, or any object with
        the `Evaluator` protocol. Such an object is asked from several threads at a time if there are several
        workers, about all results of the rolls of up to 256 games in one call.
    opening : bool
        Whether the first roll is that of the start of a game: without doubles where the starter plays the dice of
        the draw. The player on roll is the starter.
    first_trial : int
        The number of the first trial, to continue an earlier rollout: `RolloutResult.merge` puts both together.
    progress : callable, optional
        Called in this thread with the result so far whenever a block of trials has ended.

    Returns
    -------
    RolloutResult

    Raises
    ------
    RolloutInterrupted
        Ctrl-C: the exception, of `vrhcaby.rollouts`, has the result so far.
    PositionError
        A game that cannot end: neither side can ever move again.
    TypeError, ValueError
        An argument of a wrong type or out of range, an evaluator that was not made for the variant or gave an answer
        that is none. Any exception while games are played carries the result so far as ``rollout_result``.

    >>> from vrhcaby import Position
    >>> race = Position.from_points(own={1: 4}, opponent={1: 4})
    >>> result = rollout(race, trials=3600, seed=1)
    >>> abs(result.win.mean - 31 / 36) < 4 * result.win.error
    True
    """
    if not isinstance(position, Position):
        raise TypeError(f"position must be a Position, not {type(position).__name__}")
    if not isinstance(opening, bool):
        raise TypeError(f"opening = {opening!r}: must be True or False")
    if position.variant.last_roll != "none":
        raise ValueError(f"last_roll = {position.variant.last_roll!r}: rollouts do not play a last roll yet")
    player, name = _player(evaluator, position.variant)
    settings = Settings(
        position=position,
        evaluator=player,
        name=name,
        seed=new_seed() if seed is None else whole_number(seed, "seed", 0, LARGEST_SEED),
        opening=opening,
    )
    first = whole_number(first_trial, "first_trial", 0, (1 << 64) - 2)
    count = whole_number(trials, "trials", 1, (1 << 64) - 1 - first)
    return _run(settings, first, count, check_workers(workers), progress)


def _run(
    settings: Settings, first: int, trials: int, workers: int, progress: Callable[[RolloutResult], object] | None
) -> RolloutResult:
    stop = threading.Event()
    finished: dict[tuple[int, int], RolloutResult] = {}  # blocks that no one has asked for yet
    total: RolloutResult | None = None

    def play(block: tuple[int, int]) -> tuple[int, int]:
        result = play_block(settings, block, stop)
        if result is not None:
            finished[block] = result
        return block

    try:
        with contextlib.closing(run_blocks(play, _blocks(first, trials), workers, stop=stop.set)) as done:
            for block in done:
                result = finished.pop(block)
                total = result if total is None else total.merge(result)
                if progress is not None:
                    progress(total)
    except (Exception, KeyboardInterrupt) as error:
        for result in finished.values():
            total = result if total is None else total.merge(result)
        message = f"rollout stopped after {0 if total is None else total.trials} of {trials} trials"
        if isinstance(error, KeyboardInterrupt):
            raise RolloutInterrupted(message, total) from None
        error.rollout_result = total  # type: ignore[attr-defined]
        if total is not None:
            error.add_note(f"{message}; they are the attribute rollout_result of this exception")
        raise
    assert total is not None
    return total


def _blocks(first: int, trials: int) -> Iterator[tuple[int, int]]:
    """Blocks of nearly equal size. They depend on the settings alone, and so does what an evaluator is asked."""
    count = -(-trials // BLOCK)
    for i in range(count):
        yield first + trials * i // count, first + trials * (i + 1) // count


def _player(evaluator: Evaluator | str | os.PathLike[str] | None, variant: Variant) -> tuple[Evaluator | None, str]:
    """What chooses the moves (None = chance), and its name."""
    if isinstance(evaluator, str) and evaluator == "random":
        return None, evaluator
    player = as_evaluator(evaluator, variant)
    return player, str(getattr(player, "name", type(player).__name__))
