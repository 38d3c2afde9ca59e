"""Word2Vec: skip-gram and CBOW with negative sampling. Mikolov et al. (2013a, 2013b).

- Names are gensim's; so are the thinning of frequent words, the window that shrinks at random, the
  linear decay of the learning rate and negatives by count to the power 0.75.
- Skip-gram shares its negatives within a window; CBOW takes the window's mean, as ``cbow_mean=1``.
- The loss is exact: mean nats per positive pair, -log p(word) - sum of log(1 - p(negative)).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import to_json
from embeddings.results import Progress
from embeddings.static.run_folder import RunFolder, digest
from embeddings.static.snapshots import AfterPass
from embeddings.static.word2vec_config import Weights, Word2VecConfig, initial_weights
from embeddings.static.word2vec_training import train_epochs
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.text.encoded import EncodedCorpus

__all__ = [
    "Weights",
    "Word2VecConfig",
    "Word2VecModel",
    "initial_weights",
    "train_epochs",
    "train_ids",
    "train_word2vec",
]


@dataclass(frozen=True, slots=True)
class Word2VecModel:
    """What training leaves.

    Attributes
    ----------
    vectors : Vectors
        One row per word, by falling frequency.
    output : NDArray of float32, shape (words, vector_size)
        The rows that predict: a pair is scored by the dot product of a vector with one of these.
    losses : tuple of float
        Mean nats per positive pair, by epoch.
    """

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
    after: AfterPass | None = None,
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
    after : callable, optional
        Called with the whole epochs that are done and a function from rows to their vectors, before
        the first epoch and after each.

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
    bounds = corpus.sentence_bounds
    folder = RunFolder(run, "word2vec", to_json(config)) if run else None
    text = digest(words, counts, corpus.ids, bounds) if folder else ""
    saved = folder.load(text, "inputs", "outputs") if folder and resume else None
    weights = initial_weights(len(words), config) if saved is None else _weights(*saved)
    if folder and saved is None:
        folder.begin(text)
    if after:
        after(len(weights.losses), weights.inputs.__getitem__)
    for state in train_epochs(corpus.ids, bounds, counts, config, start=weights, report=report):
        weights = state
        if folder:
            folder.save(text, state.losses, {"inputs": state.inputs, "outputs": state.outputs})
        if after:
            after(len(state.losses), state.inputs.__getitem__)
    method = "skipgram" if config.sg else "cbow"
    vectors = Vectors(words, np.ascontiguousarray(weights.inputs), counts, method=method)
    return Word2VecModel(vectors, np.ascontiguousarray(weights.outputs), weights.losses)


def _weights(tensors: dict[str, NDArray[np.float32]], losses: list[float]) -> Weights:
    """Put the state of a checkpoint together."""
    return Weights(tensors["inputs"], tensors["outputs"], tuple(losses))


def train_ids(
    ids: NDArray[np.integer],
    sentence_bounds: NDArray[np.int64],
    counts: NDArray[np.int64],
    config: Word2VecConfig,
    *,
    start: Weights | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Weights:
    """Train on any ids to the end; arguments as `train_epochs`, ``start`` random if not given."""
    weights = start or initial_weights(counts.size, config)
    for state in train_epochs(ids, sentence_bounds, counts, config, start=weights, report=report):
        weights = state
    return Weights(
        np.ascontiguousarray(weights.inputs),
        np.ascontiguousarray(weights.outputs),
        weights.losses,
    )
