"""The first layer of a network in training against plain sums over all inputs, and the encoding of positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.inputs import dense_inputs, random_positions
from vrhcaby import VARIANTS, Position, pack, unpack
from vrhcaby.training._first_layer import COUNT_FEATURES, DENSE, backward, encode, forward

Floats = NDArray[np.float32]


class Layer:
    """Weights and memory for some positions."""

    def __init__(self, positions: NDArray[np.uint64], width: int, product: bool, extra: int = 3) -> None:
        random = np.random.RandomState(7)
        self.rows = encode(positions, direction="contrary")[0]
        self.inputs = dense_inputs(positions)
        self.weights = random.normal(0, 0.15, (312, width)).astype(np.float32)
        self.bias = random.normal(0.3, 0.2, width).astype(np.float32)
        self.product = product
        self.units = width // 2 if product else width
        self.sums = np.full((width // 32, len(positions), 32), np.nan, np.float32)
        self.outputs = np.full((len(positions), self.units + extra), 5, np.float32)
        self.gradient = random.normal(0, 1, self.outputs.shape).astype(np.float32)

    def forward(self, workers: int = 1) -> Floats:
        forward(
            self.rows,
            self.weights,
            self.bias,
            sums=self.sums,
            outputs=self.outputs,
            product=self.product,
            workers=workers,
        )
        return self.outputs

    def backward(self, workers: int = 1) -> tuple[Floats, Floats]:
        weights, bias = np.full_like(self.weights, np.nan), np.full_like(self.bias, np.nan)
        backward(
            self.rows,
            sums=self.sums,
            gradient=self.gradient,
            product=self.product,
            weights=weights,
            bias=bias,
            workers=workers,
        )
        return weights, bias


@pytest.fixture(scope="module")
def positions() -> NDArray[np.uint64]:
    return random_positions(300)


@pytest.mark.parametrize("product", [True, False])
@pytest.mark.parametrize("width", [32, 96])
def test_against_plain_sums(positions: NDArray[np.uint64], width: int, product: bool) -> None:
    layer = Layer(positions, width, product)
    outputs = layer.forward()
    sums = layer.inputs @ layer.weights.astype(float) + layer.bias
    cut = np.clip(sums, 0, 1)
    first, second = cut[:, : width // 2], cut[:, width // 2 :]
    np.testing.assert_allclose(outputs[:, : layer.units], first * second if product else cut, atol=1e-5)
    assert (outputs[:, layer.units :] == 5).all()
    assert 0.2 < ((sums > 0) & (sums < 1)).mean() < 0.9
    gradient = layer.gradient[:, : layer.units].astype(float)
    step = np.concatenate([gradient * second, gradient * first], 1) if product else gradient
    step = np.where((sums > 0) & (sums < 1), step, 0)
    weights, bias = layer.backward()
    np.testing.assert_allclose(weights, layer.inputs.T @ step, atol=2e-4)
    np.testing.assert_allclose(bias, step.sum(0), atol=2e-4)


def test_workers_change_no_bit(positions: NDArray[np.uint64]) -> None:
    one, four = Layer(positions, 256, True), Layer(positions, 256, True)
    assert one.forward(1).tobytes() == four.forward(4).tobytes()
    for a, b in zip(one.backward(1), four.backward(4), strict=True):
        assert a.tobytes() == b.tobytes()


def test_no_positions() -> None:
    layer = Layer(np.empty((0, 4), np.uint64), 32, True)
    assert layer.forward().shape == (0, 19)
    assert not any(gradient.any() for gradient in layer.backward())


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_rows_hold_what_the_position_holds(variant: str) -> None:
    positions = random_positions(600, variant)
    rows, dense, buckets, contact = encode(positions, direction=VARIANTS[variant].direction, workers=2)
    for row, counts in zip(rows.astype(int), unpack(positions).reshape(-1, 52).astype(int), strict=True):
        listed = {number // 16: number % 16 for number in row[1 : row[0] + 1]}
        assert listed == {slot: count for slot, count in enumerate(counts) if count}
    assert dense.shape == (600, DENSE)
    assert dense.min() >= 0
    assert dense.max() <= 1
    assert dense.std(0).min() > 0
    assert set(buckets.tolist()) <= set(range(9 if VARIANTS[variant].direction == "contrary" else 1))
    assert set(contact.tolist()) == {False, True}


def test_features_of_counts() -> None:
    assert not COUNT_FEATURES[:, 0].any()
    assert COUNT_FEATURES.shape == (52, 16, 6)
    np.testing.assert_array_equal(COUNT_FEATURES[1:26], COUNT_FEATURES[27:])
    with pytest.raises(ValueError, match="read-only"):
        COUNT_FEATURES[0, 0, 0] = 1


def test_the_starting_position_from_both_sides() -> None:
    rows, dense, buckets, contact = encode(pack([Position.start()]), direction="contrary")
    np.testing.assert_array_equal(rows[0, 5:9], rows[0, 1:5] + 26 * 16)
    np.testing.assert_array_equal(dense[0, :9], dense[0, 9:18])
    assert buckets.tolist() == [4]  # two back on both sides
    assert contact.tolist() == [True]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"rows": np.zeros((2, 32), np.int16)}, TypeError, "rows has dtype"),
        ({"rows": np.zeros((2, 31), np.uint16)}, ValueError, r"rows has shape \(2, 31\)"),
        ({"rows": np.full((2, 32), 32, np.uint16)}, ValueError, "as `encode` returns them"),
        ({"rows": np.full((2, 32), [1, *[832] * 31], np.uint16)}, ValueError, "as `encode` returns them"),
        ({"bias": np.zeros(48, np.float32)}, ValueError, r"bias has shape \(48,\)"),
        ({"bias": np.zeros((), np.float32)}, ValueError, "bias has shape"),
        ({"weights": np.zeros((311, 32), np.float32)}, ValueError, "weights has shape"),
        ({"sums": np.zeros((2, 32), np.float32)}, ValueError, "sums has shape"),
        ({"outputs": np.zeros((2, 15), np.float32)}, ValueError, r"outputs has shape \(2, 15\): must be \(2, 16 or"),
        ({"outputs": np.zeros(32, np.float32)}, ValueError, "outputs has shape"),
        ({"workers": 0}, ValueError, "workers = 0"),
    ],
)
def test_refusals(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {
        "rows": np.zeros((2, 32), np.uint16),
        "weights": np.zeros((312, 32), np.float32),
        "bias": np.zeros(32, np.float32),
        "sums": np.zeros((1, 2, 32), np.float32),
        "outputs": np.zeros((2, 16), np.float32),
        "product": True,
    } | changes
    with pytest.raises(error, match=message):
        forward(arguments.pop("rows"), arguments.pop("weights"), arguments.pop("bias"), **arguments)


def test_directions_are_two() -> None:
    with pytest.raises(ValueError, match="direction = 'sideways'"):
        encode(np.empty((0, 4), np.uint64), direction="sideways")
