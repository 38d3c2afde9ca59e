"""GloVe: vectors whose dot products are the logarithms of co-occurrence counts, by weighted least squares.

- J = sum over pairs of f(X_ij) (w_i . w~_j + b_i + b~_j - log X_ij)^2, with f(x) = min(1, (x / x_max)^alpha).
- AdaGrad as GloVe's own tool takes it: the sums begin at 1 and add up squared steps, rate included; gradient components are clipped at 100.
- Pairs are visited in shuffled tiles, in a new order each iteration. Threads take tiles and do not lock; one thread with one seed gives
  the same bytes.

Pennington, Socher and Manning (2014), sections 3 and 4.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.results import Progress
from embeddings.static.cooccurrence import Cooccurrences
from embeddings.static.kernels import glove as kernels
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.text.words import Vocabulary

Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class GloveConfig:
    """How GloVe is trained."""

    vector_size: int = field(default=100, metadata={"help": "Numbers of a vector."})
    x_max: float = field(default=10.0, metadata={"help": "Count from which pairs weigh the same."})
    alpha: float = field(default=0.75, metadata={"help": "Exponent of the weight below x_max."})
    learning_rate: float = field(default=0.05, metadata={"help": "Rate that AdaGrad divides."})
    iterations: int = field(default=15, metadata={"help": "Visits of every pair."})
    seed: int = field(default=1, metadata={"help": "Of the first weights and the order."})
    workers: int = field(default=2, metadata={"help": "Threads; 1 repeats exactly."})

    def __post_init__(self) -> None:
        check_range("vector_size", self.vector_size, 1, 10_000)
        check_range("x_max", self.x_max, 1e-6, 1e12)
        check_range("alpha", self.alpha, 0.0, 10.0)
        check_range("learning_rate", self.learning_rate, 1e-12, 1e6)
        check_range("iterations", self.iterations, 1, 100_000)
        check_range("seed", self.seed, 0, 2**32 - 1)
        check_range("workers", self.workers, 1, 256)


@dataclass(frozen=True, slots=True)
class GloveModel:
    """A trained model.

    Attributes
    ----------
    vectors : Vectors
        W + W~.
    words_matrix, context_matrix : NDArray of float32, shape (words, vector_size)
        W and W~.
    word_bias, context_bias : NDArray of float32, shape (words,)
        b and b~: ``words_matrix[i] @ context_matrix[j] + word_bias[i] + context_bias[j]`` is near log X_ij.
    costs : tuple of float
        By iteration: mean of f(X) difference^2 / 2 over the pairs, as GloVe's own tool prints it; J is 2 x pairs x cost.
    """

    vectors: Vectors
    words_matrix: NDArray[np.float32]
    context_matrix: NDArray[np.float32]
    word_bias: NDArray[np.float32]
    context_bias: NDArray[np.float32]
    costs: tuple[float, ...]


def train_glove(
    cooccurrences: Cooccurrences,
    vocabulary: Vocabulary,
    config: GloveConfig | None = None,
    *,
    run: Path | None = None,
    report: Report | None = None,
) -> GloveModel:
    """Fit vectors to co-occurrence counts."""
    config = config or GloveConfig()
    del run
    tiles = _pack(cooccurrences, config.seed)
    parameters = initial_parameters(len(cooccurrences), config)
    costs: list[float] = []
    for iteration in range(config.iterations):
        costs.append(_iterate(tiles, parameters, config, iteration, report))
    size = config.vector_size
    words, contexts = parameters[0, :, 0], parameters[1, :, 0]
    return GloveModel(
        Vectors(
            vocabulary.words,
            words[:, :size] + contexts[:, :size],
            vocabulary.counts,
            method="glove",
        ),
        words[:, :size].copy(),
        contexts[:, :size].copy(),
        words[:, size].copy(),
        contexts[:, size + 1].copy(),
        tuple(costs),
    )


def initial_parameters(words: int, config: GloveConfig) -> NDArray[np.float32]:
    """Weights and biases uniform in +-0.5 / vector_size, sums of one; shape (2 sides, words, 2, padded size)."""
    size = config.vector_size
    parameters = np.zeros((2, words, 2, -(-(size + 2) // 16) * 16), np.float32)
    generator = np.random.default_rng(config.seed)
    for side in range(2):
        for begin in range(0, words, 8192):
            weights = parameters[side, begin : begin + 8192, 0]
            weights[:, : size + 2] = generator.random((len(weights), size + 2), np.float32)
            weights[:, : size + 2] -= np.float32(0.5)
            weights[:, : size + 2] /= np.float32(size)
    parameters[0, :, 0, size + 1] = 1
    parameters[1, :, 0, size] = 1
    parameters[:, :, 1] = 1
    return parameters


@dataclass(frozen=True, slots=True)
class _Tiles:
    rows: NDArray[np.uint16]
    columns: NDArray[np.uint16]
    logs: NDArray[np.float32]
    places: NDArray[np.int64]  # (tiles, 4): stripe, tile column, begin, end


def _pack(c: Cooccurrences, seed: int) -> _Tiles:
    n = c.pairs
    rows, columns, logs = np.empty(n, np.uint16), np.empty(n, np.uint16), np.empty(n, np.float32)
    T = kernels.TILE
    stripes = -(-len(c) // T)
    places = []

    def pack(stripe: int) -> NDArray[np.int64]:
        starts = c.starts[stripe * T : min((stripe + 1) * T, len(c)) + 1]
        b, e = int(starts[0]), int(starts[-1])
        ends = np.empty(stripes + 1, np.int64)
        kernels.pack_tiles(
            starts,
            c.columns[b:e],
            c.values[b:e],
            seed + stripe,
            ends,
            rows[b:e],
            columns[b:e],
            logs[b:e],
        )
        return np.stack(
            [np.full(stripes, stripe), np.arange(stripes), b + ends[:-1], b + ends[1:]], axis=1
        )

    with ThreadPoolExecutor(2) as pool:
        places = list(pool.map(pack, range(stripes)))
    place = np.concatenate(places)
    return _Tiles(rows, columns, logs, place[place[:, 3] > place[:, 2]])


def _iterate(
    tiles: _Tiles,
    parameters: NDArray[np.float32],
    config: GloveConfig,
    iteration: int,
    report: Report | None,
) -> float:
    order = np.random.default_rng([config.seed, iteration]).permutation(len(tiles.places))
    T = kernels.TILE

    def work(part: NDArray[np.int64]) -> float:
        cost = 0.0
        for stripe, column, b, e in tiles.places[part]:
            cost += kernels.adagrad_pass(
                tiles.rows[b:e],
                tiles.columns[b:e],
                tiles.logs[b:e],
                parameters[0, stripe * T : (stripe + 1) * T],
                parameters[1, column * T : (column + 1) * T],
                math.log(config.x_max),
                config.alpha,
                config.learning_rate,
                config.vector_size,
            )
        return cost

    with ThreadPoolExecutor(config.workers) as pool:
        cost = sum(pool.map(work, np.array_split(order, config.workers * 50)))
    cost /= len(tiles.rows)
    if not math.isfinite(cost):
        raise InputError(
            "glove_diverged",
            iteration=iteration + 1,
            cost=cost,
            learning_rate=config.learning_rate,
            advice=config.learning_rate / 10,
        )
    return cost
