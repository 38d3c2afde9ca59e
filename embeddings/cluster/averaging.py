"""Word2Vec over a cluster: parts of the text are trained from the same weights for a round, then the weights are averaged.

A row's average weighs each part by how often it had the word, so that a word that one part alone has
moves as far as it would on one machine. An average of P parts moves a common word P times less than
P parts in turn: so the learning rate is P times as large. Goyal et al. (2017) do so for synchronous
batches that are P times as large; for averages of local runs that is an analogy. Without it the loss falls
far more slowly (notes/scaling.md has both). The result depends on parts and rounds, not on the workers:
each task is one thread, and averages are taken in order.

McDonald et al. (2010), iterative parameter mixing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.connection import Cluster
from embeddings.cluster.encoding import BASE_BYTES
from embeddings.cluster.shards import TextSlice, cut_text
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.results import Progress, Value
from embeddings.static.kernels.cooccurrence_kernel import count_words
from embeddings.static.settings import AveragingConfig, Weights, Word2VecConfig
from embeddings.static.word2vec import Clock, Trainer, negative_shares

MATRICES = 8  # of the model's size that a task holds: as they came, padded, as they go
PER_WORD = 32  # bytes that a word of a slice takes


class SliceJob(NamedTuple):
    """A slice to train on: its text, the settings, which epoch it is."""

    piece: TextSlice
    config: Word2VecConfig
    epoch: int

    def __str__(self) -> str:
        return str(self.piece)


class TrainedSlice(NamedTuple):
    """Both matrices after a slice, how often it has each word, its nats, pairs and words."""

    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]
    counts: NDArray[np.int64]
    nats: float
    pairs: int
    words: int


Start = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]
"""Both matrices that all parts begin with, and the counts of the whole corpus."""


def train_slice(job: SliceJob, start: Start) -> TrainedSlice:
    """Train on a slice."""
    ids, bounds = job.piece.read()
    inputs, outputs, counts = start
    trainer = Trainer(ids, bounds, counts, job.config, Weights(inputs, outputs))
    nats, pairs = 0.0, 0
    for piece in trainer.pieces(job.epoch):
        loss, count, _ = trainer.train_piece(piece)
        nats, pairs = nats + loss, pairs + count
    inputs, outputs = (np.ascontiguousarray(side) for side in (trainer.inputs, trainer.outputs))
    return TrainedSlice(inputs, outputs, count_words(ids, counts.size), nats, pairs, len(ids))


class Average:
    """A weighted average of matrices by rows, added up one after the other."""

    def __init__(self, start: NDArray[np.float32]) -> None:
        self._start = start
        self._moved = np.zeros_like(start)
        self._shares = np.zeros(len(start))

    def add(self, matrix: NDArray[np.float32], shares: NDArray[np.float64]) -> None:
        """Add a matrix whose rows weigh ``shares``."""
        self._moved += (matrix - self._start) * shares.astype(np.float32)[:, None]
        self._shares += shares

    def result(self) -> NDArray[np.float32]:
        """Return the average; a row that nothing weighs stays as it was."""
        scale = 1 / np.where(self._shares > 0, self._shares, 1)
        return np.asarray(self._start + self._moved * scale.astype(np.float32)[:, None])


class ClusterEpochs(Value):
    """Epochs on a cluster, a replacement for `embeddings.static.word2vec.run_epochs`.

    Attributes
    ----------
    corpus : EncodedCorpus
        In a folder that every worker sees under the same path.
    averaging : AveragingConfig
        Parts and rounds.
    cluster : Cluster
        The workers.
    """

    corpus: EncodedCorpus
    averaging: AveragingConfig
    cluster: Cluster

    def __str__(self) -> str:
        return f"{self.averaging.parts} parts, {self.averaging.rounds} rounds"

    def __call__(
        self,
        config: Word2VecConfig,
        start: Weights,
        report: Callable[[Progress], None] | None = None,
    ) -> Iterator[Weights]:
        """Train the epochs that are left, yielding the weights after each.

        Raises
        ------
        InputError
            If sentences are to be held out, if a worker has too little memory, if numbers overflow.
        KlyuchError
            As `Cluster.results`.
        """
        if config.heldout:
            raise InputError("cluster_heldout", heldout=config.heldout)
        counts, rounds = self.corpus.vocabulary.counts, self.averaging.rounds
        if counts.size < 2:
            raise InputError("too_few_words", words=len(self.corpus.ids), size=counts.size)
        number = self.averaging.parts * rounds  # a slice for each part and round
        pieces = cut_text(self.corpus, math.ceil(len(self.corpus.ids) / number))
        longest = len(self.corpus.ids) // max(len(pieces), 1)
        matrix = 4 * counts.size * config.vector_size
        needed = BASE_BYTES + MATRICES * matrix + PER_WORD * longest
        self.cluster.check_memory(needed, "cluster_memory_model")
        clock = Clock(len(self.corpus.ids), config.epochs - len(start.losses), report)
        weights = start
        for epoch in range(len(start.losses), config.epochs):
            nats, pairs = 0.0, 0
            for number in range(rounds):
                jobs = self._jobs(pieces, config, (epoch, number))
                weights, added = self._round(jobs, config, weights, clock)
                nats, pairs = nats + added[0], pairs + added[1]
            if not pairs:
                raise InputError("word2vec_no_pairs", words=counts.size)
            if not math.isfinite(float(weights.inputs.sum() + weights.outputs.sum())):
                raise InputError("word2vec_diverged", alpha=config.alpha, epoch=epoch + 1)
            losses = (*weights.losses, nats / pairs)
            weights = replace(weights, losses=losses)
            yield weights

    def _jobs(
        self, pieces: list[TextSlice], config: Word2VecConfig, at: tuple[int, int]
    ) -> list[SliceJob]:
        """Return what the parts train on in a round: every part has a run of slices, and takes the next."""
        epoch, number = at
        rounds, parts = self.averaging.rounds, self.averaging.parts
        stretched = replace(
            config,
            epochs=config.epochs * rounds,
            alpha=config.alpha * parts,
            min_alpha=config.min_alpha * parts,
        )
        jobs = []
        for part, place in enumerate(range(number, len(pieces), rounds)):
            seed = np.random.SeedSequence((config.seed, part)).generate_state(1, np.uint32)[0]
            settings = replace(stretched, seed=int(seed))
            jobs.append(SliceJob(pieces[place], settings, epoch * rounds + number))
        return jobs

    def _round(
        self, jobs: list[SliceJob], config: Word2VecConfig, weights: Weights, clock: Clock
    ) -> tuple[Weights, tuple[float, int]]:
        """Train all parts and average; return summed nats and pairs too."""
        counts = self.corpus.vocabulary.counts
        drawn = negative_shares(counts, config.ns_exponent)
        start = self.cluster.share((weights.inputs, weights.outputs, counts))
        epoch = len(weights.losses)
        inputs, outputs = Average(weights.inputs), Average(weights.outputs)
        nats, pairs = 0.0, 0
        for _, trained in self.cluster.results(train_slice, jobs, start):
            uses = trained.counts.astype(np.float64)
            inputs.add(trained.inputs, uses)
            outputs.add(trained.outputs, uses + config.negative * trained.words * drawn)
            nats, pairs = nats + trained.nats, pairs + trained.pairs
            clock.tick(epoch, trained.words, trained.nats / max(trained.pairs, 1))
        return Weights(inputs.result(), outputs.result(), weights.losses), (nats, pairs)
