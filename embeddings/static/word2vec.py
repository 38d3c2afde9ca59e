"""Word2Vec: skip-gram and CBOW with negative sampling. Mikolov et al. (2013a, 2013b).

- Names and defaults are gensim's; so are subsampling, the shrinking window, the linear decay of the learning rate and the noise, count to the power 0.75.
- Skip-gram shares its negatives within a window; CBOW takes the mean of the window, as gensim's ``cbow_mean=1``.
- The corpus is trained in pieces of `PIECE` words that threads take in turn. Each piece has a random stream of its own, made from seed, epoch
  and place: one worker gives the same bytes every time, also when resumed. Several workers write to the same matrices without locks (Recht et al. 2011).
- The loss is exact: mean nats per positive pair, -log p(word) - sum of log(1 - p(negative)), before each update.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.results import Progress
from embeddings.static.kernels.cbow import cbow
from embeddings.static.kernels.lanes import LANES
from embeddings.static.kernels.skipgram import skipgram
from embeddings.static.word2vec_sampling import alias_table, keep_thresholds, negative_shares
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.text.encoded import EncodedCorpus

PIECE = 1 << 16
"""Words that a thread takes at a time."""


@dataclass(frozen=True, slots=True)
class Word2VecConfig:
    """How Word2Vec is trained; names and defaults as in gensim."""

    sg: bool = field(default=True, metadata={"help": "Skip-gram, or CBOW.", "flag": "--sg/--cbow"})
    vector_size: int = field(default=100, metadata={"help": "Numbers per vector."})
    window: int = field(default=5, metadata={"help": "Largest distance between two words."})
    negative: int = field(default=5, metadata={"help": "Negatives drawn per position."})
    ns_exponent: float = field(
        default=0.75, metadata={"help": "Power of the count that negatives are drawn by."}
    )
    sample: float = field(
        default=1e-3, metadata={"help": "Frequency above which words are thinned out. 0: never."}
    )
    alpha: float = field(default=0.025, metadata={"help": "Learning rate at the start."})
    min_alpha: float = field(default=1e-4, metadata={"help": "Learning rate at the end."})
    epochs: int = field(default=5, metadata={"help": "Passes over the corpus."})
    seed: int = field(default=1, metadata={"help": "Of the random numbers."})
    workers: int = field(default=2, metadata={"help": "Threads. 1 gives the same bytes each time."})

    def __post_init__(self) -> None:
        check_range("vector_size", self.vector_size, 1, 4096)
        check_range("window", self.window, 1, 100)
        check_range("negative", self.negative, 1, 100)
        check_range("ns_exponent", self.ns_exponent, -2, 2)
        check_range("sample", self.sample, 0, 1)
        check_range("alpha", self.alpha, 1e-8, 100)
        check_range("min_alpha", self.min_alpha, 0, self.alpha)
        check_range("epochs", self.epochs, 1, 10_000)
        check_range("seed", self.seed, 0, 2**63 - 1)
        check_range("workers", self.workers, 1, 256)


@dataclass(frozen=True, slots=True)
class Weights:
    """Both matrices after ``len(losses)`` epochs.

    Attributes
    ----------
    inputs, outputs : NDArray of float32, shape (vocabulary, vector_size)
        The vectors, and the rows that predict.
    losses : tuple of float
        Mean nats per positive pair, by epoch.
    """

    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]
    losses: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Word2VecModel:
    """What training leaves: the vectors, the output matrix of shape (words, vector_size), nats per positive pair by epoch."""

    vectors: Vectors
    output: NDArray[np.float32]
    losses: tuple[float, ...]


def train_word2vec(
    corpus: EncodedCorpus,
    config: Word2VecConfig,
    *,
    run: Path | None = None,
    resume: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> Word2VecModel:
    """Train vectors for the words of a corpus.

    Parameters
    ----------
    corpus : EncodedCorpus
        Ids and their vocabulary.
    config : Word2VecConfig
        The settings.
    run : Path, optional
        Folder that gets a checkpoint after each epoch.
    resume : bool, default False
        Go on after the last epoch that ``run`` holds, if it holds one; else begin anew.
    report : callable, optional
        Called with a `Progress` after each piece of corpus; rates are words per second.

    Raises
    ------
    InputError
        If there is nothing to learn from, or the numbers overflow.
    CheckpointError
        If ``run`` was begun with other settings or another corpus.
    """
    from embeddings.static.word2vec_run import Run

    words, counts = corpus.vocabulary.words, corpus.vocabulary.counts
    folder = None if run is None else Run(run, config, words, counts)
    weights = folder.load() if folder and resume else None
    if folder and weights is None:
        folder.begin()
    weights = weights or initial_weights(counts.size, config)
    for weights in train_epochs(  # noqa: B007, B020 - the last one is the result
        corpus.ids, corpus.sentence_bounds, counts, config, start=weights, report=report
    ):
        if folder:
            folder.save(weights)
    method = "skipgram" if config.sg else "cbow"
    return Word2VecModel(
        Vectors(words, weights.inputs.copy(), counts, method=method),
        weights.outputs.copy(),
        weights.losses,
    )


def initial_weights(size: int, config: Word2VecConfig) -> Weights:
    """Return vectors drawn evenly from (-0.5, 0.5) / vector_size, and output rows of zeros."""
    shape = (size, config.vector_size)
    draws = np.random.default_rng(config.seed).random(shape, dtype=np.float32)
    return Weights(
        (draws - np.float32(0.5)) / np.float32(config.vector_size), np.zeros(shape, np.float32)
    )


def train_epochs(
    ids: NDArray[np.int32],
    sentence_bounds: NDArray[np.int64],
    counts: NDArray[np.int64],
    config: Word2VecConfig,
    *,
    start: Weights,
    report: Callable[[Progress], None] | None = None,
) -> Iterator[Weights]:
    """Train on any ids (words or pieces of words), yielding the state after each epoch that is left.

    Parameters
    ----------
    ids : NDArray of int, shape (words,)
        Rows of the vocabulary in text order; may be a memory map.
    sentence_bounds : NDArray of int64, shape (sentences + 1,)
        Offsets into ``ids``; windows do not cross them.
    counts : NDArray of int64, shape (vocabulary,)
        Occurrences of each id.
    config : Word2VecConfig
        The settings.
    start : Weights
        Where to begin: `initial_weights`, vectors of one's own, or the state after some epochs, which are not repeated.
    report : callable, optional
        Called after each piece.

    Yields
    ------
    Weights
        Views of the live matrices: copy what must outlast the next epoch.

    Raises
    ------
    InputError
        As `train_word2vec`.
    """
    trainer = _Trainer(ids, sentence_bounds, counts, config, start)
    losses = start.losses
    clock = _Clock(ids.size, config.epochs, len(losses), report)
    with ThreadPoolExecutor(config.workers) as threads:
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


class _Trainer:
    """Matrices padded for the kernels, tables to draw from, and the work on one piece of corpus."""

    def __init__(
        self,
        ids: NDArray[np.int32],
        sentence_bounds: NDArray[np.int64],
        counts: NDArray[np.int64],
        config: Word2VecConfig,
        start: Weights,
    ) -> None:
        if ids.size == 0 or counts.size < 2:
            raise InputError("word2vec_too_few_words", words=ids.size, size=counts.size)
        self.ids, self.bounds, self.config = ids, sentence_bounds, config
        self.keep = keep_thresholds(counts, config.sample)
        self.alias = alias_table(negative_shares(counts, config.ns_exponent))
        self.columns = math.ceil(config.vector_size / LANES) * LANES
        self.flat = [_padded(matrix, self.columns) for matrix in (start.inputs, start.outputs)]
        self.inputs, self.outputs = (
            matrix.reshape(-1, self.columns)[:-1, : config.vector_size] for matrix in self.flat
        )
        self._run(np.empty(0, np.int32), np.zeros(1, np.int64), 0, 0.0, 0.0)  # compiles

    def pieces(self, epoch: int) -> list[tuple[int, int, int]]:
        """Epoch, first word and last word of each piece, in text order."""
        size = self.ids.size
        return [(epoch, at, min(at + PIECE, size)) for at in range(0, size, PIECE)]

    def train_piece(self, piece: tuple[int, int, int]) -> tuple[float, int, int]:
        """Train on one piece; return its summed nats, positive pairs and words."""
        epoch, first, last = piece
        inner = slice(*np.searchsorted(self.bounds, (first, last), side="right"))
        bounds = np.concatenate(([first], self.bounds[inner], [last])) - first
        ids = np.array(self.ids[first:last], np.int32)
        seeds = np.random.SeedSequence((self.config.seed, epoch, first))
        rates = self._rate(epoch, first), self._rate(epoch, last)
        nats, pairs = self._run(ids, bounds, int(seeds.generate_state(1, np.uint64)[0]), *rates)
        return nats, pairs, last - first

    def is_finite(self) -> bool:
        """Whether all numbers still are numbers."""
        return all(math.isfinite(float(matrix.sum(dtype=np.float64))) for matrix in self.flat)

    def _rate(self, epoch: int, word: int) -> float:
        """Learning rate at a word of an epoch: falls linearly from ``alpha`` to ``min_alpha`` over the run."""
        done = (epoch + word / self.ids.size) / self.config.epochs
        return self.config.alpha - (self.config.alpha - self.config.min_alpha) * done

    def _run(
        self, ids: NDArray[np.int32], bounds: NDArray[np.int64], seed: int, *rates: float
    ) -> tuple[float, int]:
        """Call the kernel."""
        kernel = skipgram if self.config.sg else cbow
        shape = (self.columns, self.config.window, self.config.negative)
        tables = (self.keep, self.alias, *self.flat)
        result: tuple[float, int] = kernel(ids, bounds, *tables, *shape, np.uint64(seed), *rates)
        return result


def _padded(matrix: NDArray[np.float32], columns: int) -> NDArray[np.float32]:
    """Copy to flat rows of ``columns`` numbers, filled up with zeros, one zero row more, at an address that is a multiple of 64 bytes."""
    size, width = matrix.shape
    raw = np.zeros((size + 1) * columns + 16, np.float32)
    skip = -raw.ctypes.data % 64 // 4
    flat = raw[skip : skip + (size + 1) * columns]
    flat.reshape(-1, columns)[:size, :width] = matrix
    return flat


class _Clock:
    """Words a second and seconds left, since training began."""

    def __init__(
        self, size: int, epochs: int, done: int, report: Callable[[Progress], None] | None
    ) -> None:
        self.size, self.left, self.report = size, (epochs - done) * size, report
        self.begun = time.perf_counter()
        self.trained = self.done = self.epoch = 0

    def tick(self, epoch: int, words: int, loss: float) -> None:
        """Count ``words`` more and report."""
        self.done = (self.done if epoch == self.epoch else 0) + words
        self.epoch = epoch
        self.trained += words
        rate = self.trained / (time.perf_counter() - self.begun)
        if self.report:
            left = (self.left - self.trained) / rate
            self.report(Progress("train", epoch + 1, self.done, self.size, loss, rate, left))
