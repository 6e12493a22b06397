"""Fitting a part of a network to labelled positions."""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrhcaby.training._first_layer import encode
from vrhcaby.training.files import replaced
from vrhcaby.training.layers import Part, batch_of
from vrhcaby.training.recipe import FitSettings, PartName
from vrhcaby.training.samples import Samples
from vrhcaby.variants import Direction, Variant

__all__ = ["FitReport", "equity_weights", "fit", "new_part", "predict", "select"]

_ROWS = 4096  # positions that are judged at a time
_MOST_HELD_OUT = 200_000  # more tell nothing new
_SECONDS_BETWEEN_CHECKPOINTS = 60


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitReport:
    """How far a fit is.

    Attributes
    ----------
    step, steps : int
        So far, and in all.
    rate : float
        Learning rate.
    training_error : float
        Root mean square error of the equity, over the samples since the report before.
    error : float
        The same over the samples held out.
    chance_errors : tuple of float
        Of each of the five chances over the samples held out; none for a filter.
    best : bool
        Whether these are the weights to be kept so far.
    seconds : float
        Spent so far.
    """

    step: int
    steps: int
    rate: float
    training_error: float
    error: float
    chance_errors: tuple[float, ...]
    best: bool
    seconds: float


def equity_weights(game: Variant) -> NDArray[np.float32]:
    """What each of the five chances is worth, so that equity = chances @ weights - points of a single win.

    >>> from vrhcaby import variant
    >>> equity_weights(variant("backgammon")).tolist()
    [2.0, 1.0, 1.0, -1.0, -1.0]
    """
    single, gammon, backgammon = game.points
    more, most = gammon - single, backgammon - gammon
    return np.array([2 * single, more, most, -more, -most], np.float32)


def new_part(name: PartName, settings: FitSettings) -> Part:
    """A part with random weights, the same for the same settings."""
    torch.manual_seed(settings.seed)
    if name == "filter":
        return Part(width=32, buckets=settings.buckets, product=False, dense=False, hidden=(), outputs=1)
    return Part(width=settings.width, buckets=settings.buckets)


def select(name: PartName, samples: Samples, direction: Direction, *, workers: int = 1) -> Samples:
    """The samples that a part is fitted to: with contact, without, or all."""
    if name == "filter":
        return samples
    chosen = np.empty(len(samples.positions), bool)
    for first in range(0, len(chosen), _ROWS):
        rows = slice(first, first + _ROWS)
        contact = encode(samples.positions[rows], direction=direction, workers=workers)[3]
        chosen[rows] = contact == (name == "contact")
    return samples.take(chosen)


def predict(
    part: Part, positions: NDArray[np.uint64], direction: Direction, *, workers: int = 1
) -> NDArray[np.float32]:
    """What a part says: (n, 5) chances, or (n, 1) equities of a filter."""
    outputs = np.empty((len(positions), part.outputs), np.float32)
    with torch.no_grad():
        for first in range(0, len(positions), _ROWS):
            batch = batch_of(positions[first : first + _ROWS], direction, part.buckets, workers=workers)
            found = part(batch)
            outputs[first + batch.order] = (torch.sigmoid(found) if part.outputs == 5 else found).numpy()
    return outputs


def fit(
    part: Part,
    samples: Samples,
    settings: FitSettings,
    game: Variant,
    checkpoint: str | os.PathLike[str],
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    report: Callable[[FitReport], None] | None = None,
) -> Part:
    """Fit a part to samples, or go on where the checkpoint is.

    Interrupted or not, the result has the same bytes on the same machine with the same PyTorch and number of workers.

    Parameters
    ----------
    part : Part
        Where to begin; it is changed.
    samples : Samples
        What `select` chose.
    settings : FitSettings
    game : Variant
        Whose points the equity is made of.
    checkpoint : path
        The file for what is needed to go on: written at every report, every minute, when interrupted and at the end.
    workers : int
        Number of threads.
    progress : function of two int, optional
        Called after every step with the number of steps so far and in all.
    report : function of a FitReport, optional
        Called when the error on what is held out has been measured.

    Returns
    -------
    Part
        The same part with the weights that had the least error on the samples held out.

    Raises
    ------
    ValueError
        Fewer samples than a batch, none held out, or an error that is no number: the training has diverged.
    """
    torch.set_num_threads(workers)
    part.workers = workers
    fitting = _Fitting(part, samples, settings, game, Path(checkpoint))
    if fitting.path.exists():
        fitting.load()
    saved = time.monotonic()
    try:
        while fitting.step < fitting.steps:
            fitting.advance()
            if fitting.is_report_due:
                found = fitting.evaluate()
                if report is not None:
                    report(found)
            if fitting.is_report_due or time.monotonic() > saved + _SECONDS_BETWEEN_CHECKPOINTS:
                fitting.save()
                saved = time.monotonic()
            if progress is not None:
                progress(fitting.step, fitting.steps)
    except KeyboardInterrupt:
        fitting.save()
        raise
    part.load_state_dict(fitting.best)
    return part


class _Fitting:
    """What changes while a part is fitted."""

    def __init__(self, part: Part, samples: Samples, settings: FitSettings, game: Variant, path: Path) -> None:
        self.part, self.settings, self.path = part, settings, path
        self.direction = game.direction
        self.positions, self.chances = samples.positions, samples.chances
        self.training = np.flatnonzero(~samples.held_out)
        held_out = np.flatnonzero(samples.held_out)[:_MOST_HELD_OUT]
        self.held_out_positions, self.held_out_chances = self.positions[held_out], self.chances[held_out]
        self.steps_per_epoch = len(self.training) // settings.batch
        if not self.steps_per_epoch or not len(held_out):
            raise ValueError(
                f"{len(self.training)} samples and {len(held_out)} held out: there must be at least a batch of "
                f"{settings.batch}, and one held out"
            )
        self.weights = equity_weights(game)
        self.single = game.points[0]
        self.optimizer = torch.optim.Adam(part.parameters(), lr=settings.rate, betas=(0.9, 0.99))
        self.steps = max(settings.least_steps, round(settings.epochs * self.steps_per_epoch))
        self.step = 0
        self.squares = 0.0  # of the errors since the last report
        self.rows = 0
        self.best: dict[str, Tensor] = {}
        self.best_error = math.inf
        self.seconds = 0.0
        self.epoch = -1
        self.order = self.training

    @property
    def is_report_due(self) -> bool:
        """Whether the step that is over was the last of one of as many parts as there are evaluations."""
        count = self.settings.evaluations
        return count * self.step // self.steps > count * (self.step - 1) // self.steps

    def advance(self) -> None:
        """One step of the optimizer."""
        began = time.monotonic()
        epoch, place = divmod(self.step, self.steps_per_epoch)
        if epoch != self.epoch:
            # The order follows from the number of the epoch, so that no generator has to be kept.
            random = np.random.RandomState([self.settings.seed, epoch])
            self.order, self.epoch = random.permutation(self.training), epoch
        chosen = self.order[place * self.settings.batch :][: self.settings.batch]
        rate = self.settings.rate_at(self.step, self.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch = batch_of(self.positions[chosen], self.direction, self.part.buckets, workers=self.part.workers)
        targets = self.chances[chosen][batch.order]
        self.optimizer.zero_grad()
        loss, square = self.loss(self.part(batch), targets)
        loss.backward()
        self.optimizer.step()
        self.step += 1
        self.squares += float(square.detach())
        self.rows += 1
        self.seconds += time.monotonic() - began

    def loss(self, outputs: Tensor, targets: NDArray[np.float32]) -> tuple[Tensor, Tensor]:
        """What is made small, and the mean square error of the equity."""
        weights, wanted = torch.from_numpy(self.weights), torch.from_numpy(targets)
        if self.part.outputs == 1:
            square = (outputs[:, 0] - (wanted @ weights - self.single)).square().mean()
            return square, square
        difference = torch.sigmoid(outputs) - wanted
        square = (difference @ weights).square().mean()
        return square + 0.5 * difference.square().sum(1).mean(), square

    def evaluate(self) -> FitReport:
        """Measures the error on what is held out, and keeps the weights if it is the least so far."""
        outputs = predict(self.part, self.held_out_positions, self.direction, workers=self.part.workers)
        is_filter = self.part.outputs == 1
        difference = outputs.astype(np.float64) - (0 if is_filter else self.held_out_chances)
        equity = (
            difference[:, 0] - (self.held_out_chances @ self.weights - self.single)
            if is_filter
            else difference @ self.weights
        )
        error = _root_mean_square(equity)
        if not math.isfinite(error):
            raise ValueError(f"step {self.step}: the training has diverged; a lower rate may help")
        best = error < self.best_error
        if best:
            self.best_error = error
            self.best = {name: value.clone() for name, value in self.part.state_dict().items()}
        training_error = math.sqrt(self.squares / self.rows)
        self.squares, self.rows = 0.0, 0
        return FitReport(
            step=self.step,
            steps=self.steps,
            rate=self.settings.rate_at(self.step - 1, self.steps),
            training_error=training_error,
            error=error,
            chance_errors=() if is_filter else tuple(map(_root_mean_square, difference.T)),
            best=best,
            seconds=self.seconds,
        )

    def save(self) -> None:
        """Writes the checkpoint."""
        with replaced(self.path) as file:
            torch.save(
                {
                    "settings": dataclasses.asdict(self.settings),
                    "part": self.part.state_dict(),
                    "optimizer": self.optimizer.state_dict(),
                    **{name: getattr(self, name) for name in self._KEPT},
                },
                file,
            )

    def load(self) -> None:
        """Goes on where the checkpoint is."""
        state: dict[str, Any] = torch.load(self.path, weights_only=True)
        if state["settings"] != dataclasses.asdict(self.settings):
            raise ValueError(f"{self.path} was made with other settings: {state['settings']}")
        self.part.load_state_dict(state["part"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name in self._KEPT:
            setattr(self, name, state[name])

    _KEPT = ("step", "squares", "rows", "best", "best_error", "seconds")


def _root_mean_square(errors: NDArray[Any]) -> float:
    return float(np.sqrt(np.square(errors).mean()))
