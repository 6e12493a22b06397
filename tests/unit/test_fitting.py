"""Fitting a network: against plain PyTorch, interrupted and resumed, and in integers."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch")

import torch

from tests.inputs import dense_inputs, random_positions
from vrhcaby import variant
from vrhcaby.evaluation import equities, evaluate
from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.training.fitting import FitReport, equity_weights, fit, new_part, predict, select
from vrhcaby.training.layers import Part, batch_of
from vrhcaby.training.quantisation import quantised
from vrhcaby.training.recipe import PARTS, FitSettings
from vrhcaby.training.samples import Samples

BACKGAMMON = variant("backgammon")
SHORT = FitSettings(width=32, epochs=2, batch=64, evaluations=4, least_steps=20)


@pytest.fixture(scope="module")
def samples() -> Samples:
    """Positions of random games, labelled by the shipped network."""
    positions = np.unique(random_positions(2000), axis=0)
    return Samples(positions, evaluate(positions), np.arange(len(positions)) % 10 == 9)


# The layers ----------------------------------------------------------------------------------------------------------


def plain(part: Part, positions: NDArray[np.uint64]) -> Any:
    """The same part in plain PyTorch and double precision, one position at a time from the second layer on."""
    batch = batch_of(positions, "contrary", part.buckets)
    parameters = {name: value.detach().double().requires_grad_() for name, value in part.named_parameters()}
    x = torch.from_numpy(dense_inputs(positions[batch.order]))
    x = (x @ parameters["first_weights"] + parameters["first_bias"]).clamp(0, 1)
    if part.product:
        x = x[:, : part.width // 2] * x[:, part.width // 2 :]
    if part.dense:
        x = torch.cat([x, torch.from_numpy(batch.dense).double()], 1)
    bucket = np.repeat(np.arange(part.buckets), np.diff(batch.ends))
    for k in range(len(part.weights)):
        x = torch.relu(x) if k else x
        x = torch.einsum("ni,nio->no", x, parameters[f"weights.{k}"][bucket]) + parameters[f"biases.{k}"][bucket]
    return x, parameters


@pytest.mark.parametrize("name", ["contact", "race", "filter"])
def test_outputs_and_gradients_are_those_of_plain_pytorch(name: Any) -> None:
    positions = random_positions(300)
    part = new_part(name, FitSettings(width=64, buckets=1 if name == "race" else 9))
    with torch.no_grad():
        for values in part.weights:  # the buckets begin alike
            values += 0.1 * torch.randn(values.shape)
    batch = batch_of(positions, "contrary", part.buckets)
    assert len(set(batch.ends)) == part.buckets + 1
    outputs = part(batch)
    expected, parameters = plain(part, positions)
    torch.testing.assert_close(outputs.double(), expected, atol=1e-5, rtol=1e-5)
    slope = torch.randn(outputs.shape)
    (outputs * slope).sum().backward()
    (expected * slope).sum().backward()
    for key, value in part.named_parameters():
        assert value.grad is not None
        torch.testing.assert_close(value.grad.double(), parameters[key].grad, atol=1e-3, rtol=1e-4)


def test_memory_used_again_changes_nothing() -> None:
    part = Part(width=64, buckets=9)
    several = [random_positions(count, seed=count) for count in (50, 300, 7, 0)]
    whole = predict(part, np.concatenate(several), "contrary")
    again = [predict(part, positions, "contrary") for positions in several]
    np.testing.assert_allclose(whole, np.concatenate(again), atol=1e-6)
    assert ((whole > 0) & (whole < 1)).all()


def test_an_empty_bucket_learns_nothing() -> None:
    part = Part(width=32, buckets=9)
    start = random_positions(8)[:1]
    batch = batch_of(start, "contrary", 9)
    part(batch).sum().backward()
    used = [bool(gradient.any()) for gradient in part.biases[-1].grad]
    assert used == [first < last for first, last in itertools.pairwise(batch.ends)]


# The parts -----------------------------------------------------------------------------------------------------------


def test_parts_share_the_samples(samples: Samples) -> None:
    contact, race = (select(name, samples, "contrary") for name in ("contact", "race"))
    assert len(contact.positions) + len(race.positions) == len(samples.positions)
    assert 0 < len(race.positions) < len(contact.positions)
    assert select("filter", samples, "contrary") is samples


@pytest.mark.parametrize("name", ["backgammon", "tavla", "vrhcaby"])
def test_equity_is_that_of_the_variant(samples: Samples, name: str) -> None:
    game = variant(name)
    equity = samples.chances @ equity_weights(game) - game.points[0]
    np.testing.assert_allclose(equity, equities(samples.chances, game), atol=1e-5)


# Fits ----------------------------------------------------------------------------------------------------------------


def fitted(samples: Samples, path: Path, settings: FitSettings = SHORT, **options: Any) -> dict[str, bytes]:
    part = fit(new_part("contact", settings), samples, settings, BACKGAMMON, path, **options)
    return {name: value.numpy().tobytes() for name, value in part.state_dict().items()}


def test_the_error_falls(samples: Samples, tmp_path: Path) -> None:
    reports: list[FitReport] = []
    settings = dataclasses.replace(SHORT, epochs=12, rate=0.005)
    fitted(samples, tmp_path / "checkpoint", settings, report=reports.append)
    assert [report.step for report in reports] == [reports[0].steps * k // 4 for k in (1, 2, 3, 4)]
    assert reports[-1].error < reports[0].error / 1.2
    assert len(reports[-1].chance_errors) == 5


def test_the_weights_with_the_least_error_are_kept(samples: Samples, tmp_path: Path) -> None:
    reports: list[FitReport] = []
    settings = dataclasses.replace(SHORT, epochs=6, rate=0.05, evaluations=12)  # too fast to fall steadily
    part = fit(
        new_part("contact", settings), samples, settings, BACKGAMMON, tmp_path / "checkpoint", report=reports.append
    )
    least = min(report.error for report in reports)
    assert [report.best for report in reports] == [
        report.error < min([np.inf, *(earlier.error for earlier in reports[:k])]) for k, report in enumerate(reports)
    ]
    held_out = samples.take(samples.held_out)
    error = equities(predict(part, held_out.positions, "contrary"), BACKGAMMON) - equities(held_out.chances, BACKGAMMON)
    assert np.sqrt((error**2).mean()) == pytest.approx(least, rel=1e-4)


class Killed(BaseException):
    """Nothing is done about it, as about a kill."""


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Killed])
@pytest.mark.parametrize("stop_at", [1, 13, 14, 27, 40, 54])
def test_resumed_is_the_same_as_uninterrupted(
    samples: Samples, tmp_path: Path, stop_at: int, kind: type[BaseException]
) -> None:
    def stop(step: int, steps: int) -> None:
        if step == stop_at:
            raise kind

    whole = fitted(samples, tmp_path / "whole")
    with pytest.raises(kind):
        fitted(samples, tmp_path / "parts", progress=stop)
    assert fitted(samples, tmp_path / "parts") == whole


def test_a_checkpoint_of_other_settings_is_refused(samples: Samples, tmp_path: Path) -> None:
    fitted(samples, tmp_path / "checkpoint")
    with pytest.raises(ValueError, match="was made with other settings"):
        fitted(samples, tmp_path / "checkpoint", dataclasses.replace(SHORT, seed=2))


def test_what_is_held_out_is_not_learnt_from(samples: Samples, tmp_path: Path) -> None:
    spoiled = samples.chances.copy()
    spoiled[samples.held_out] = 0.5
    once = dataclasses.replace(SHORT, evaluations=1)
    assert fitted(samples, tmp_path / "a", once) == fitted(samples._replace(chances=spoiled), tmp_path / "b", once)
    spoiled = samples.chances.copy()
    spoiled[~samples.held_out] = 0.5
    assert fitted(samples, tmp_path / "a", once) != fitted(samples._replace(chances=spoiled), tmp_path / "c", once)


def test_too_few_samples(samples: Samples, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="45 samples and 5 held out: there must be at least a batch of 64"):
        fitted(samples.take(np.arange(50)), tmp_path / "checkpoint")
    with pytest.raises(ValueError, match="and 0 held out"):
        fitted(samples.take(~samples.held_out), tmp_path / "checkpoint")


def test_a_training_that_diverges(samples: Samples, tmp_path: Path) -> None:
    chances = samples.chances.copy()
    chances[5] = np.nan
    with pytest.raises(ValueError, match="the training has diverged"):
        fitted(samples._replace(chances=chances), tmp_path / "checkpoint", dataclasses.replace(SHORT, epochs=4))


# Integers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["contact", "race", "filter"])
def test_integers_are_as_good_within_a_bound(samples: Samples, tmp_path: Path, name: Any) -> None:
    settings = FitSettings(width=32, buckets=1 if name == "race" else 9, batch=64, least_steps=100)
    chosen = select(name, samples, "contrary")
    part = fit(new_part(name, settings), chosen, settings, BACKGAMMON, tmp_path / "checkpoint")
    expected = predict(part, chosen.positions, "contrary")
    outputs = in_integers(part, chosen.positions)
    if name != "filter":
        outputs = 1 / (1 + np.exp(-outputs))
    difference = outputs - expected
    assert abs(difference).max() < 0.02
    assert np.sqrt((difference**2).mean()) < 0.003
    assert difference.any()


def in_integers(part: Part, positions: NDArray[np.uint64]) -> NDArray[np.float64]:
    """What the arrays of a network file say, computed as the format describes."""
    arrays = quantised(part)
    assert {array.dtype.name for array in arrays.values()} <= {"int16", "int32", "float32"}
    batch = batch_of(positions, "contrary", part.buckets)
    sums = np.tile(arrays["bias"].astype(int), (len(positions), 1))
    for i, row in enumerate(batch.rows.astype(int)):
        for number in row[1 : row[0] + 1]:
            sums[i] += arrays["columns"][number // 16, number % 16]
    cut = sums.clip(0, 1023)
    if part.product:
        cut = (cut[:, : part.width // 2] * 32 * cut[:, part.width // 2 :] + 16384) >> 15
    if part.dense:
        cut = np.concatenate([cut, np.rint(batch.dense * 1024).astype(int)], 1)
    bucket = np.repeat(np.arange(part.buckets), np.diff(batch.ends))
    x = np.einsum("ni,nio->no", cut, arrays["weights2"].astype(int)[bucket]) + arrays["bias2"][bucket]
    x = x / 2**21
    for k in range(1, len(part.weights)):
        x = np.einsum("ni,nio->no", x.clip(0), arrays[f"weights{k + 2}"][bucket]) + arrays[f"bias{k + 2}"][bucket]
    outputs: NDArray[np.float64] = np.empty_like(x)
    outputs[batch.order] = x
    return outputs


def test_a_network_of_the_arrays_says_what_the_parts_say(samples: Samples) -> None:
    settings = FitSettings(width=128, buckets=9)
    parts = {name: new_part(name, settings if name != "race" else FitSettings(width=128, buckets=1)) for name in PARTS}
    arrays = {f"{name}_{key}": array for name, part in parts.items() for key, array in quantised(part).items()}
    network = IncrementalNetwork(arrays, ("backgammon",), inputs="contrary", name="fitted")
    for name in ("contact", "race"):
        positions = select(name, samples, "contrary").positions
        expected = predict(parts[name], positions, "contrary")
        difference = network.evaluate(positions)[:, 0] - expected[:, 0]
        assert 0 < abs(difference).max() < 0.005
        exact = 1 / (1 + np.exp(-in_integers(parts[name], positions)))
        np.testing.assert_allclose(network.evaluate(positions)[:, 0], exact[:, 0], atol=1e-5)


def test_weights_too_large_for_an_integer() -> None:
    part = Part(width=32, buckets=1)
    with torch.no_grad():
        part.weights[0][0, 3, 5] = 16.5
    with pytest.raises(ValueError, match=r"weights2\[0, 3, 5\] = 16.50: must be within \+-15.9995"):
        quantised(part)
