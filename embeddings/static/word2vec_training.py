"""The loop of Word2Vec over any ids: pieces of corpus that threads take in turn, epoch by epoch.

Each piece has a random stream of its own, made from seed, epoch and place, and a learning rate made
from its place: one worker gives the same bytes every time, also when resumed. Several workers write
to the same matrices without locks (Recht et al. 2011).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.results import Progress
from embeddings.static.kernels.lanes import LANES
from embeddings.static.kernels.word2vec import train_piece
from embeddings.static.word2vec_config import Weights, Word2VecConfig
from embeddings.static.word2vec_sampling import alias_table, keep_thresholds, negative_shares

PIECE = 1 << 16
"""Words that a thread takes at a time."""


def train_epochs(
    ids: NDArray[np.integer],
    sentence_bounds: NDArray[np.int64],
    counts: NDArray[np.int64],
    config: Word2VecConfig,
    *,
    start: Weights,
    report: Callable[[Progress], None] | None = None,
) -> Iterator[Weights]:
    """Train on any ids (of words or of pieces of words), yielding the state after each epoch left.

    Parameters
    ----------
    ids : NDArray of int, shape (words,)
        Rows of the vocabulary in text order; may be a memory map.
    sentence_bounds : NDArray of int64, shape (sentences + 1,)
        Offsets into ``ids``; windows do not cross them.
    counts : NDArray of int64, shape (vocabulary,)
        Occurrences of each id; one that is 0 is never drawn.
    config : Word2VecConfig
        The settings.
    start : Weights
        Where to begin: `initial_weights`, vectors of one's own, or the state after some epochs,
        which are not repeated.
    report : callable, optional
        Called with a `Progress` after each piece; rates are words per second.

    Yields
    ------
    Weights
        Views of the live matrices: copy what must outlast the next epoch.

    Raises
    ------
    InputError
        If there is nothing to learn from, or numbers overflow.
    """
    trainer = _Trainer(ids, sentence_bounds, counts, config, start)
    losses = start.losses
    clock = _Clock(ids.size, config.epochs - len(losses), report)
    threads = ThreadPoolExecutor(config.workers)
    try:
        for epoch in range(len(losses), config.epochs):
            nats, pairs = 0.0, 0
            for loss, count, words in threads.map(trainer.train_piece, trainer.pieces(epoch)):
                nats, pairs = nats + loss, pairs + count
                clock.tick(epoch, words, loss / max(count, 1))
            if not pairs:
                raise InputError("word2vec_no_pairs", words=ids.size)
            if not trainer.is_finite():
                raise InputError("word2vec_diverged", alpha=config.alpha, epoch=epoch + 1)
            losses = (*losses, nats / pairs)
            yield Weights(trainer.inputs, trainer.outputs, losses)
    finally:
        threads.shutdown(cancel_futures=True)


class _Trainer:
    """Matrices padded for the kernel, tables to draw from, and the work on one piece."""

    def __init__(
        self,
        ids: NDArray[np.integer],
        sentence_bounds: NDArray[np.int64],
        counts: NDArray[np.int64],
        config: Word2VecConfig,
        start: Weights,
    ) -> None:
        if ids.size == 0 or counts.size < 2:
            raise InputError("too_few_words", words=ids.size, size=counts.size)
        self.ids, self.bounds, self.config = ids, sentence_bounds, config
        self.keep = keep_thresholds(counts, config.sample)
        self.alias = alias_table(negative_shares(counts, config.ns_exponent))
        self.columns = math.ceil(config.vector_size / LANES) * LANES
        self.flat = _padded(start.inputs, self.columns), _padded(start.outputs, self.columns)
        self.inputs, self.outputs = (
            matrix.reshape(-1, self.columns)[:-1, : config.vector_size] for matrix in self.flat
        )
        self._run(np.empty(0, np.int32), np.zeros(1, np.int64), 0, (0.0, 0.0))  # compiles

    def pieces(self, epoch: int) -> list[tuple[int, int, int]]:
        """Epoch, first word and end of each piece, in text order."""
        size = self.ids.size
        return [(epoch, at, min(at + PIECE, size)) for at in range(0, size, PIECE)]

    def train_piece(self, piece: tuple[int, int, int]) -> tuple[float, int, int]:
        """Train on one piece; return its summed nats, positive pairs and words."""
        epoch, first, end = piece
        inner = slice(*np.searchsorted(self.bounds, (first + 1, end)))
        bounds = np.concatenate(([first], self.bounds[inner], [end])) - first
        ids = np.array(self.ids[first:end], np.int32)
        seed = np.random.SeedSequence((self.config.seed, epoch, first))
        rates = self._rate(epoch, first), self._rate(epoch, end)
        nats, pairs = self._run(ids, bounds, int(seed.generate_state(1, np.uint64)[0]), rates)
        return nats, pairs, end - first

    def is_finite(self) -> bool:
        """Whether all numbers still are numbers."""
        return all(math.isfinite(float(matrix.sum(dtype=np.float64))) for matrix in self.flat)

    def _rate(self, epoch: int, word: int) -> float:
        """Learning rate at a word: falls linearly from ``alpha`` to ``min_alpha`` over the run."""
        done = (epoch + word / self.ids.size) / self.config.epochs
        return self.config.alpha - (self.config.alpha - self.config.min_alpha) * done

    def _run(
        self,
        ids: NDArray[np.int32],
        bounds: NDArray[np.int64],
        seed: int,
        rates: tuple[float, float],
    ) -> tuple[float, int]:
        """Call the kernel."""
        result: tuple[float, int] = train_piece(
            self.config.sg,
            ids,
            bounds,
            self.keep,
            self.alias,
            *self.flat,
            self.columns,
            self.config.window,
            self.config.negative,
            np.uint64(seed),
            *rates,
        )
        return result


def _padded(matrix: NDArray[np.float32], columns: int) -> NDArray[np.float32]:
    """Copy to flat rows of ``columns`` numbers and one row more, zeros, on whole cache lines."""
    size, width = matrix.shape
    raw = np.zeros((size + 1) * columns + 16, np.float32)
    skip = -raw.ctypes.data % 64 // 4
    flat = raw[skip : skip + (size + 1) * columns]
    flat.reshape(-1, columns)[:size, :width] = matrix
    return flat


class _Clock:
    """Words a second and seconds left, since training began."""

    def __init__(self, size: int, epochs: int, report: Callable[[Progress], None] | None) -> None:
        self.size, self.total, self.report = size, epochs * size, report
        self.trained = 0
        self.begun = time.perf_counter()

    def tick(self, epoch: int, words: int, loss: float) -> None:
        """Count ``words`` more and report; ``done`` and ``total`` are of the epoch."""
        self.trained += words
        if self.report:
            rate = self.trained / max(time.perf_counter() - self.begun, 1e-9)
            left = (self.total - self.trained) / rate
            done = (self.trained - 1) % self.size + 1
            self.report(Progress("train", epoch + 1, done, self.size, loss, rate, left))
