"""Word2Vec: skip-gram and CBOW with negative sampling, over words or any other ids.

Threads take pieces of the corpus in turn, epoch by epoch. Each piece has a random stream of its own,
made from seed, epoch and position, and a learning rate made from its position: one worker gives the
same bytes every time, also when resumed. Several workers write to the same matrices without locks
(Recht et al. 2011). What is drawn, and how often a frequent word is kept: Mikolov et al. (2013).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s, Float64s, Int32s, Int64s, Ints, bounds_of, slices
from embeddings.configuration import to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.method_registry import word2vec_method
from embeddings.results import Progress, Report, Value
from embeddings.run_folder import AfterPass
from embeddings.static.kernels.lanes import LANES
from embeddings.static.kernels.word2vec_kernel import train_piece
from embeddings.static.settings import Weights, Word2VecConfig, initial_weights
from embeddings.static.static_checkpoint import StaticCheckpoint, digest
from embeddings.vectors.table import Vectors

Epochs = Callable[[Word2VecConfig, Weights, Report | None], Iterator[Weights]]
"""Trains the epochs that are left from some weights, yielding the state after each."""

_SCALE = 2.0**32
PIECE_WORDS = 1 << 16
"""Words that a thread takes at a time."""


def keep_shares(counts: Int64s, sample: float) -> Float64s:
    """Share of each word's occurrences that training sees, in (0, 1].

    With f the word's share of the text: sqrt(sample / f) + sample / f, at most 1; ``sample`` 0
    keeps all, and so does a word that never occurs.

    References
    ----------
    Mikolov et al. (2013), section 2.3, in the form of the authors' program.
    """
    if sample == 0:
        return np.ones(counts.size)
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    return np.asarray(np.minimum(np.sqrt(ratio) + ratio, 1.0))


def keep_thresholds(counts: Int64s, sample: float) -> NDArray[np.uint32]:
    """`keep_shares` as thresholds: 32 random bits that do not exceed a word's keep it."""
    return np.clip(keep_shares(counts, sample) * _SCALE - 1, 0, _SCALE - 1).astype(np.uint32)


def negative_shares(counts: Int64s, exponent: float) -> Float64s:
    """Probability of each word as a negative: count to the power ``exponent``, scaled to sum 1."""
    powers = np.where(counts > 0, np.maximum(counts, 1).astype(np.float64) ** exponent, 0.0)
    return np.asarray(powers / powers.sum())


def alias_table(shares: Float64s) -> NDArray[np.uint32]:
    """Table to draw a row with probability ``shares[row]`` from one random number.

    Returns
    -------
    NDArray of uint32, shape (rows, 2)
        Pick a row evenly, then 32 random bits: below ``table[row, 0]`` the row stands, else
        ``table[row, 1]`` is drawn.

    References
    ----------
    Walker (1977); built as in Vose (1991).
    """
    heights = shares * shares.size
    thresholds = np.ones(shares.size)
    aliases = np.arange(shares.size)
    low = np.flatnonzero(heights < 1).tolist()
    high = np.flatnonzero(heights >= 1).tolist()
    rest = heights.tolist()
    while low and high:
        row, giver = low.pop(), high.pop()
        thresholds[row], aliases[row] = rest[row], giver
        rest[giver] -= 1 - rest[row]
        (low if rest[giver] < 1 else high).append(giver)
    table = np.empty((shares.size, 2), np.uint32)
    table[:, 0] = np.clip(thresholds * _SCALE, 0, _SCALE - 1)
    table[:, 1] = aliases
    return table


def run_epochs(trainer: Trainer, report: Report | None = None) -> Iterator[Weights]:
    """Train the epochs that are left, yielding the state after each.

    Yields
    ------
    Weights
        Views of the live matrices: copy what must outlast the next epoch.

    Raises
    ------
    InputError
        If there is nothing to learn from, or numbers overflow.
    """
    config, losses, heldout = trainer.config, trainer.losses, trainer.heldout_losses
    words = trainer.ids.size
    clock = Clock(words, config.epochs - len(losses), report)
    threads = ThreadPoolExecutor(config.workers)
    try:
        for epoch in range(len(losses), config.epochs):
            nats, pairs = 0.0, 0
            for loss, count, size in threads.map(trainer.train_piece, trainer.pieces(epoch)):
                nats, pairs = nats + loss, pairs + count
                clock.tick(epoch, size, loss / max(count, 1))
            if not pairs:
                raise InputError("word2vec_no_pairs", words=trainer.keep.size)
            if not trainer.is_finite():
                raise InputError("word2vec_diverged", alpha=config.alpha, epoch=epoch + 1)
            losses = (*losses, nats / pairs)
            heldout += trainer.measure_heldout(threads)
            yield Weights(trainer.inputs, trainer.outputs, losses, heldout)
    finally:
        threads.shutdown(cancel_futures=True)


class Piece(NamedTuple):
    """Words ``first`` up to ``end`` of the corpus, in one epoch."""

    epoch: int
    first: int
    end: int


Text = tuple[Ints, Int64s]
"""Ids, and the bounds of sentences in them."""


def hold_out(ids: Ints, sentence_bounds: Int64s, share: float) -> tuple[Text, Text]:
    """Return the text to train on and the one held out: of every 1 / ``share`` sentences the last.

    Of so few sentences that their share is less than one, none is held out. Without a share both are views, the second empty; else both
    are copies in memory.
    """
    if not share:
        return (ids, sentence_bounds), (ids[:0], np.zeros(1, np.int64))
    lengths = np.diff(sentence_bounds)
    due = np.floor(np.arange(lengths.size + 1) * share + 1e-9)  # 100 * 0.29 falls short of 29
    is_held = np.diff(due) > 0
    of_words = np.repeat(is_held, lengths)
    text = ids[: of_words.size]
    trained, held = (
        (text[of_words == side], bounds_of(lengths[is_held == side])) for side in (False, True)
    )
    return trained, held


class Trainer:
    """Matrices padded for the kernel, tables to draw from, and the work on one piece.

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
        Where to begin: `initial_weights`, vectors of one's own, or the state after some epochs, which are not repeated.
    rows : tuple of NDArray, optional
        Which rows of the inputs each word is the mean of, as `train_piece` takes them; without it, word w is row w.
    """

    def __init__(
        self,
        ids: Ints,
        sentence_bounds: Int64s,
        counts: Int64s,
        config: Word2VecConfig,
        start: Weights,
        rows: tuple[Int64s, Int32s] | None = None,
    ) -> None:
        if ids.size == 0 or counts.size < 2:
            raise InputError("too_few_words", words=ids.size, size=counts.size)
        (self.ids, self.bounds), self.heldout = hold_out(ids, sentence_bounds, config.heldout)
        if self.ids.size == 0:
            raise InputError("too_few_words", words=self.ids.size, size=counts.size)
        self.config = config
        self.losses, self.heldout_losses = start.losses, start.heldout_losses
        self.keep = keep_thresholds(counts, config.sample)
        self.alias = alias_table(negative_shares(counts, config.ns_exponent))
        self.rows = rows
        self.columns = math.ceil(config.vector_size / LANES) * LANES
        self.flat = _padded(start.inputs, self.columns), _padded(start.outputs, self.columns)
        self.inputs, self.outputs = (
            matrix.reshape(-1, self.columns)[:-1, : config.vector_size] for matrix in self.flat
        )
        # compiles
        self._run_piece((self.ids[:0], np.zeros(1, np.int64)), Piece(0, 0, 0), (0.0, 0.0))

    def pieces(self, epoch: int) -> list[Piece]:
        """Return the pieces of an epoch in text order."""
        return [Piece(epoch, part.start, part.stop) for part in slices(self.ids.size, PIECE_WORDS)]

    def train_piece(self, piece: Piece) -> tuple[float, int, int]:
        """Train on one piece; return its summed nats, positive pairs and words."""
        rates = self._rate(piece.epoch, piece.first), self._rate(piece.epoch, piece.end)
        nats, pairs = self._run_piece((self.ids, self.bounds), piece, rates)
        return nats, pairs, piece.end - piece.first

    def measure_heldout(self, threads: ThreadPoolExecutor) -> tuple[float, ...]:
        """Return the mean nats per pair of the sentences held out, the same pairs each time; empty if there are none.

        The kernel at a learning rate of 0: the loss has one definition, and no weight moves.
        """
        parts = slices(self.heldout[0].size, PIECE_WORDS)
        pieces = [Piece(0, part.start, part.stop) for part in parts]
        results = list(
            threads.map(lambda piece: self._run_piece(self.heldout, piece, (0.0, 0.0)), pieces)
        )
        pairs = sum(count for _, count in results)
        return (sum(nats for nats, _ in results) / pairs,) if pairs else ()

    def _run_piece(self, text: Text, piece: Piece, rates: tuple[float, float]) -> tuple[float, int]:
        """Call the kernel on a piece of a text, with the piece's own stream of random numbers."""
        ids, bounds = text
        inner = slice(*np.searchsorted(bounds, (piece.first + 1, piece.end)))
        piece_bounds = np.concatenate(([piece.first], bounds[inner], [piece.end])) - piece.first
        piece_ids = np.array(ids[piece.first : piece.end], np.int32)
        seed = np.random.SeedSequence((self.config.seed, piece.epoch, piece.first))
        return train_piece(
            self.config.sg,
            piece_ids,
            piece_bounds,
            self.keep,
            self.alias,
            self.rows,
            *self.flat,
            self.columns,
            self.config.window,
            self.config.negative,
            seed.generate_state(1, np.uint64)[0],
            *rates,
        )

    def is_finite(self) -> bool:
        """Whether all numbers still are numbers."""
        return all(math.isfinite(float(matrix.sum(dtype=np.float64))) for matrix in self.flat)

    def _rate(self, epoch: int, word: int) -> float:
        """Learning rate at a word: falls linearly from ``alpha`` to ``min_alpha`` over the run."""
        done = (epoch + word / self.ids.size) / self.config.epochs
        return self.config.alpha - (self.config.alpha - self.config.min_alpha) * done


def _padded(matrix: Float32s, columns: int) -> Float32s:
    """Copy to flat rows of ``columns`` numbers and one row more, zeros, on whole cache lines."""
    size, width = matrix.shape
    raw = np.zeros((size + 1) * columns + 16, np.float32)
    skip = -raw.ctypes.data % 64 // 4
    flat = raw[skip : skip + (size + 1) * columns]
    flat.reshape(-1, columns)[:size, :width] = matrix
    return flat


class Clock:
    """Words a second and seconds left, since training began."""

    def __init__(self, size: int, epochs: int, report: Report | None) -> None:
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


class Word2VecModel(Value):
    """What training leaves.

    Attributes
    ----------
    vectors : Vectors
        One row per word, by falling frequency; of fastText composed ones, with the rows of the n-grams in ``vectors.subwords``.
    output : NDArray of float32, shape (words, vector_size)
        The rows that predict: a pair is scored by the dot product of a vector with one of these.
    losses, heldout_losses : tuple of float
        Mean nats per positive pair, by epoch; of the sentences held out, after each.
    """

    vectors: Vectors
    output: Float32s
    losses: tuple[float, ...]
    heldout_losses: tuple[float, ...] = ()


def train_word2vec(  # noqa: PLR0913 - what a training consists of
    corpus: EncodedCorpus,
    config: Word2VecConfig,
    *,
    run: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
    after: AfterPass | None = None,
    epochs: Epochs | None = None,
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
        Go on after the last epoch that ``run`` holds, if it holds one; else begin again.
    report : callable, optional
        Called with a `Progress` after each piece of corpus; rates are words per second.
    after : callable, optional
        Called with the whole epochs that are done and a function from rows to their vectors, before
        the first epoch and after each.
    epochs : callable, optional
        The function that trains instead of `run_epochs`; its ``str()`` must be that of the checkpoint.

    Returns
    -------
    Word2VecModel
        The same bytes each time with one worker and one seed, also after a resume.

    Raises
    ------
    InputError
        If there is nothing to learn from, or the numbers overflow.
    CheckpointError
        If ``run`` was begun with other settings or another corpus, holds more epochs, or is
        damaged; without ``resume``, if it holds an unfinished training of these settings.
    """
    words, counts = corpus.vocabulary.words, corpus.vocabulary.counts

    def left(start: Weights) -> Iterator[Weights]:
        """Train the epochs that are left."""
        if epochs:
            return epochs(config, start, report)
        trainer = Trainer(corpus.ids, corpus.sentence_bounds, counts, config, start)
        return run_epochs(trainer, report)

    checkpoint = StaticCheckpoint(run, "word2vec", to_json(config)) if run else None
    fresh, parts = partial(initial_weights, len(words), config), str(epochs or "")
    for weights in with_checkpoints(checkpoint, corpus, fresh, left, resume=resume, parts=parts):
        if after:
            after(len(weights.losses), weights.inputs.__getitem__)
    method = word2vec_method(config.sg)
    vectors = Vectors(words, np.ascontiguousarray(weights.inputs), counts, method=method)
    output = np.ascontiguousarray(weights.outputs)
    return Word2VecModel(vectors, output, weights.losses, weights.heldout_losses)


def with_checkpoints(
    checkpoint: StaticCheckpoint | None,
    corpus: EncodedCorpus,
    fresh: Callable[[], Weights],
    epochs: Callable[[Weights], Iterator[Weights]],
    *,
    resume: bool,
    parts: str = "",
) -> Iterator[Weights]:
    """Yield the weights that training begins with, then those after each of the epochs that are left, saved if there is a checkpoint."""
    vocabulary, text = corpus.vocabulary, ""
    if checkpoint:
        arrays = vocabulary.counts, corpus.ids, corpus.sentence_bounds
        text = digest(vocabulary.words, *arrays) + parts
    saved = checkpoint.load(text, "inputs", "outputs") if checkpoint and resume else None
    if saved:
        inputs, outputs = saved.tensors["inputs"], saved.tensors["outputs"]
        weights = Weights(inputs, outputs, saved.losses, saved.heldout_losses)
    else:
        weights = fresh()
        if checkpoint:
            checkpoint.begin(text)
    yield weights
    for state in epochs(weights):
        if checkpoint:
            tensors = {"inputs": state.inputs, "outputs": state.outputs}
            checkpoint.save(text, state.losses, tensors, state.heldout_losses)
        yield state


def train_ids(
    ids: Ints,
    sentence_bounds: Int64s,
    counts: Int64s,
    config: Word2VecConfig,
    *,
    start: Weights | None = None,
    report: Report | None = None,
) -> Weights:
    """Train on any ids to the end; arguments as `Trainer`, ``start`` random if not given."""
    weights = start or initial_weights(counts.size, config)
    for state in run_epochs(Trainer(ids, sentence_bounds, counts, config, weights), report):
        weights = state
    return Weights(
        np.ascontiguousarray(weights.inputs),
        np.ascontiguousarray(weights.outputs),
        weights.losses,
        weights.heldout_losses,
    )
