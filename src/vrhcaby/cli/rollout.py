"""``vrhcaby rollout``: play a position out many times."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress as ProgressBar, TextColumn, TimeRemainingColumn

import vrhcaby
from vrhcaby import MatchState, RolloutResult
from vrhcaby.cli.options import Json, PositionText, Progress, Settings, VariantName, WholeNumber, read_state
from vrhcaby.cli.output import print_json, print_table, progress_console
from vrhcaby.rollouts import Estimate, RolloutInterrupted

__all__ = ["rollout"]


def rollout(
    position: PositionText,
    /,
    *,
    trials: WholeNumber = 1296,
    seed: WholeNumber | None = None,
    workers: WholeNumber | None = None,
    evaluator: str | None = None,
    opening: bool | None = None,
    ignore_dice: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    variant: VariantName = None,
    settings: Settings = (),
    json: Json = False,
    progress: Progress = True,
) -> None:
    """Play a position out many times and print its chances and equity.

    All is seen by the player on roll, before he rolls, and without a doubling
    cube; each figure comes with its standard error. The same seed gives the
    same result with any number of workers. Ctrl-C prints the result so far.

    For example:
      vrhcaby rollout start --trials 10000 --seed 1
      vrhcaby rollout sGfwATDgc/ABMA --workers 2 --json
      vrhcaby rollout start --variant long-nardy --set over_bear=free

    Parameters
    ----------
    trials
        Number of games.
    seed
        Seed of the dice; by default one is drawn and printed with the result.
    workers
        Number of threads; by default all usable cores.
    evaluator
        What chooses the moves: a name, a file of weights, or "random".
    opening
        Whether the first roll follows the opening rule of the variant; by default for "start" only.
    ignore_dice
        If the ID holds a roll, roll out the position before that roll.
    """
    state = read_state(position, variant, settings)
    if state.dice is not None and not ignore_dice:
        raise ValueError(
            f"the roll {state.dice[0]}-{state.dice[1]} of {position} is thrown already: "
            "--ignore-dice rolls out the position before that roll"
        )
    interrupted = False
    begin = time.perf_counter()
    with _progress_bar(progress_console(progress), trials) as draw:
        try:
            result = vrhcaby.rollout(
                state.position,
                trials=trials,
                seed=seed,
                workers=workers,
                evaluator=evaluator,
                opening=position == "start" if opening is None else opening,
                progress=draw,
            )
        except RolloutInterrupted as interrupt:
            if interrupt.result is None:
                print("vrhcaby: interrupted before any trial was over", file=sys.stderr)
                raise
            result, interrupted = interrupt.result, True
    seconds = time.perf_counter() - begin
    if json:
        print_json(result.to_json())
    else:
        _print_result(result, seconds, has_match=state.match != MatchState())
    if interrupted:
        print(f"vrhcaby: interrupted after {result.trials} of {trials} trials", file=sys.stderr)
        raise KeyboardInterrupt


@contextlib.contextmanager
def _progress_bar(console: Console | None, trials: int) -> Iterator[Callable[[RolloutResult], None]]:
    """What to call with each partial result to have it shown."""
    if console is None:
        yield lambda partial: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with ProgressBar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=trials)
        yield lambda partial: bar.update(task, completed=partial.trials, description=f"equity {partial.equity}")


def _print_result(result: RolloutResult, seconds: float, *, has_match: bool) -> None:
    def percent(chance: Estimate) -> str:
        return f"{100 * chance.mean:.2f} % ± {100 * chance.error:.2f}"

    lose = Estimate(1 - result.win.mean, result.win.error)
    equity = result.equity
    print_table(
        [
            ("", "player on roll", "opponent"),
            ("win", percent(result.win), percent(lose)),
            ("gammon", percent(result.win_gammon), percent(result.lose_gammon)),
            ("backgammon", percent(result.win_backgammon), percent(result.lose_backgammon)),
            ("equity", f"{equity.mean:+.4f} ± {equity.error:.4f}", ""),
        ]
    )
    print()
    facts = [
        ("position", result.position.id),
        ("first roll", "by the opening rule" if result.opening else "any"),
        ("trials", f"{result.trials} in {seconds:.1f} s, {result.trials / seconds:.0f} a second"),
        ("evaluator", result.evaluator),
        ("seed", str(result.seed)),
    ]
    if has_match:
        facts.append(("cube", "none: the score and the cube of the ID are not used"))
    print_table(facts, left=(0, 1))
