"""A part of a network as PyTorch trains it: floating point, and the first layer in native code."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vrhcaby.training._first_layer import COUNT_FEATURES, DENSE, backward, encode, forward
from vrhcaby.variants import Direction

__all__ = ["Batch", "Part", "batch_of"]

_INPUTS = COUNT_FEATURES.shape[0] * COUNT_FEATURES.shape[2]
_ACTIVE = 30  # about so many of the inputs of a position are not zero


class Batch(NamedTuple):
    """Positions as a part takes them, those of a bucket together.

    Attributes
    ----------
    rows : (n, 32) uint16
    dense : (n, 20) float32
        As `encode` returns them.
    ends : tuple of int
        Bucket b has the rows ``ends[b]`` to ``ends[b + 1]``.
    order : (n,) int64
        Where each row was in what the batch was made of.
    """

    rows: NDArray[np.uint16]
    dense: NDArray[np.float32]
    ends: tuple[int, ...]
    order: NDArray[np.int64]


def batch_of(positions: NDArray[np.uint64], direction: Direction, buckets: int, *, workers: int = 1) -> Batch:
    """Encode positions and sort them by bucket.

    Parameters
    ----------
    positions : (n, 4) uint64
    direction : "contrary" or "parallel"
    buckets : int
        With one bucket all positions are in it.
    workers : int
        Number of threads.
    """
    rows, dense, bucket, _ = encode(positions, direction=direction, workers=workers)
    if buckets == 1:
        bucket = np.zeros_like(bucket)
    order = np.argsort(bucket, kind="stable")
    ends = np.searchsorted(bucket[order], np.arange(buckets + 1))
    return Batch(rows[order], dense[order], tuple(ends.tolist()), order)


class Part(nn.Module):
    """One part of an incremental network, or its filter.

    Parameters
    ----------
    width : int
        Units of the first layer, a multiple of 32.
    buckets : int
        How many sets of weights the later layers have.
    product : bool
        Whether the halves of the first layer are multiplied.
    dense : bool
        Whether the second layer is told the dense inputs as well.
    hidden : sequence of int
        Units of the layers between the first and the outputs.
    outputs : int
        Five, the logarithmic odds of the chances; one, the equity.

    >>> from vrhcaby import Position, pack
    >>> part = Part(width=64, buckets=9)
    >>> part(batch_of(pack([Position.start()]), "contrary", 9)).shape
    torch.Size([1, 5])
    """

    def __init__(
        self,
        *,
        width: int,
        buckets: int,
        product: bool = True,
        dense: bool = True,
        hidden: tuple[int, ...] = (32, 32),
        outputs: int = 5,
    ) -> None:
        super().__init__()
        self.width, self.buckets, self.product, self.outputs = width, buckets, product, outputs
        self.units = width // 2 if product else width
        self.dense = DENSE if dense else 0
        self.workers = 1
        self.first_weights = nn.Parameter(torch.randn(_INPUTS, width) * 0.7 / _ACTIVE**0.5)
        self.first_bias = nn.Parameter(torch.full((width,), 0.3))
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for inputs, units in itertools.pairwise((self.units + self.dense, *hidden, outputs)):
            last = len(self.weights) == len(hidden)
            # All buckets begin as one.
            weights = torch.randn(1, inputs, units) * (0.1 if last else (2 / inputs) ** 0.5)
            self.weights.append(nn.Parameter(weights.repeat(buckets, 1, 1)))
            self.biases.append(nn.Parameter(torch.zeros(buckets, units)))
        if outputs == 5:
            with torch.no_grad():
                self.biases[-1][:] = torch.tensor([0.0, -1.0, -3.0, -1.0, -3.0])
        self._sums: NDArray[np.float32] = np.empty(0, np.float32)
        self._outputs: NDArray[np.float32] = np.empty(0, np.float32)

    def forward(self, batch: Batch) -> Tensor:
        """Outputs of the rows of a batch, (n, 5) or (n, 1)."""
        x = _First.apply(self.first_weights, self.first_bias, self, batch)
        for k, (weights, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = _Grouped.apply(torch.relu(x) if k else x, weights, bias, batch.ends)
        return x

    def memory(self, size: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Sums and outputs of the first layer for so many rows, in memory that is used again.

        It is by far the largest that a step needs. Were it new every time, the C library would give it back to the
        system and the system would clear it again, which took as long as the arithmetic.
        """
        stride = self.units + self.dense
        if self._sums.size < size * self.width:
            self._sums = np.empty(size * self.width, np.float32)
            self._outputs = np.empty(size * stride, np.float32)
        sums = self._sums[: size * self.width].reshape(-1, size, 32)
        return sums, self._outputs[: size * stride].reshape(size, stride)


class _First(torch.autograd.Function):
    """The first layer, with the dense inputs to the right of its outputs."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, bias: Tensor, part: Part, batch: Batch) -> Tensor:
        sums, outputs = part.memory(len(batch.rows))
        forward(
            batch.rows,
            weights.detach().numpy(),
            bias.detach().numpy(),
            sums=sums,
            outputs=outputs,
            product=part.product,
            workers=part.workers,
        )
        if part.dense:
            outputs[:, part.units :] = batch.dense
        ctx.part, ctx.rows, ctx.sums = part, batch.rows, sums
        return torch.from_numpy(outputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:
        part: Part = ctx.part
        weights, bias = torch.empty_like(part.first_weights), torch.empty_like(part.first_bias)
        backward(
            ctx.rows,
            sums=ctx.sums,
            gradient=gradient.contiguous().numpy(),
            product=part.product,
            weights=weights.numpy(),
            bias=bias.numpy(),
            workers=part.workers,
        )
        return weights, bias, None, None


class _Grouped(torch.autograd.Function):
    """A layer whose weights depend on the bucket: one product for each, into one tensor and without copies."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weights: Tensor, biases: Tensor, ends: tuple[int, ...]) -> Tensor:
        ctx.save_for_backward(x, weights)
        ctx.ends = ends
        outputs = x.new_empty(len(x), weights.shape[2])
        for bucket, (first, last) in enumerate(itertools.pairwise(ends)):
            torch.addmm(biases[bucket], x[first:last], weights[bucket], out=outputs[first:last])
        return outputs

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, weights = ctx.saved_tensors
        x_gradient, weight_gradient = torch.empty_like(x), torch.empty_like(weights)
        bias_gradient = weights.new_empty(len(weights), weights.shape[2])
        for bucket, (first, last) in enumerate(itertools.pairwise(ctx.ends)):
            part = gradient[first:last]
            torch.mm(part, weights[bucket].T, out=x_gradient[first:last])
            torch.mm(x[first:last].T, part, out=weight_gradient[bucket])
            torch.sum(part, 0, out=bias_gradient[bucket])
        return x_gradient, weight_gradient, bias_gradient, None
