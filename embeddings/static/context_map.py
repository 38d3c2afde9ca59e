"""The linear map that takes contexts to vectors of a static model's space (à la carte embeddings, Khodak et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.vectors.sense_table import SMOOTH
from embeddings.vectors.table import Vectors

FITTED = 50  # least uses of a word from which the map is fitted
Rows = NDArray[np.float32]
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ContextMap:
    """What makes a vector of the model's space from contexts.

    Attributes
    ----------
    rows : NDArray of float32, shape (words of the corpus + 1, d + 1)
        Weighted unit vectors, and the weights; zeros for a word that the model lacks, and last for no word.
    transform : NDArray of float32, shape (d + 1, d)
        The map; its last row is added to all.
    """

    rows: Rows
    transform: Rows

    def place(self, ids: Ids) -> Rows:
        """Return the vector of contexts by the words in them, shape (d,); zeros where none is known."""
        words, counts = np.unique(ids, return_counts=True)
        total = counts.astype(np.float32) @ self.rows[words]
        if not total[-1] > 0:
            return np.zeros(self.transform.shape[1], np.float32)
        placed: Rows = (total / total[-1]) @ self.transform
        return placed


def fit_map(corpus: EncodedCorpus, vectors: Vectors, window: int) -> ContextMap:
    """Fit the map from contexts to vectors by least squares over the words, each weighing the root of its count.

    Raises
    ------
    InputError
        If too few words of the model are in the corpus.
    """
    from embeddings.static.kernels.context_sums import add_context_sums

    counts, known = corpus.vocabulary.counts.astype(np.float64), rows_in(vectors, corpus)
    size, has = vectors.vector_size, known >= 0
    rows = np.zeros((len(known) + 1, size + 1), np.float32)
    rows[:-1][has, :-1], rows[:-1][has, -1] = vectors.unit_rows(known[has]), 1.0
    rows[:-1] *= (SMOOTH / (SMOOTH + counts / counts.sum()))[:, None].astype(np.float32)
    sums = np.zeros(rows.shape, np.float64)
    bounds = np.asarray(corpus.sentence_bounds, np.int64)
    add_context_sums(np.asarray(corpus.ids), bounds, rows, window, sums)
    sums = sums[:-1]
    chosen = has & (counts >= FITTED) & (sums[:, -1] > 0)
    check_shared(corpus, has & (sums[:, -1] > 0), size)
    means = sums[chosen] / sums[chosen, -1:]
    weights = np.sqrt(counts[chosen])[:, None]
    targets = vectors.unit_rows(known[chosen]).astype(np.float64)
    transform, *_ = np.linalg.lstsq(means * weights, targets * weights, rcond=1e-6)
    return ContextMap(rows, transform.astype(np.float32))


def check_shared(corpus: EncodedCorpus, known: NDArray[np.bool_], size: int) -> None:
    """Refuse a model of ``size`` dimensions that knows too few of the corpus's words, of shape (words,).

    Raises
    ------
    InputError
        If they are fewer than twice its dimensions.
    """
    words = int((known & (corpus.vocabulary.counts >= FITTED)).sum())
    if words < 2 * size:
        raise InputError("senses_corpus", words=words, least=2 * size, uses=FITTED)


def rows_in(vectors: Vectors, corpus: EncodedCorpus) -> Ids:
    """Row in the model of each word of the corpus, -1 for one that it lacks."""
    rows = (vectors.find(word) for word in corpus.vocabulary.words)
    return np.array([-1 if row is None else row for row in rows], np.int64)
