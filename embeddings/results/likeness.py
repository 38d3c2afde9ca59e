"""Results on how alike words in contexts are, each number beside what random words of the same layer have.

`app/figures/` draws from these alone. Cosines lie in [-1, 1]; arrays by layer have layers + 1 entries, layer 0 the embedding output.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """What random words have in common at each layer of a network.

    Attributes
    ----------
    cosine, centred : NDArray of float64, shape (layers + 1,)
        Mean cosine of two words from different sentences, as they are and with the layer's mean vector subtracted.
    mean : NDArray of float32, shape (layers + 1, hidden_size)
        Mean vector of all words read.
    words, sentences : int
        How many were read.
    """

    cosine: NDArray[np.float64]
    centred: NDArray[np.float64]
    mean: NDArray[np.float32]
    words: int
    sentences: int


@dataclass(frozen=True, slots=True, eq=False)
class PairLikeness:
    """Two occurrences beside the baseline, by layer: all of shape (layers + 1,).

    ``cosine`` and its random ``baseline``; ``centred`` and its ``centred_baseline``.
    """

    cosine: NDArray[np.float64]
    baseline: NDArray[np.float64]
    centred: NDArray[np.float64]
    centred_baseline: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word of a table beside a word in its sentence: ``cosine``, and ``centred``, with the table's mean subtracted.

    ``baseline`` and ``centred_baseline``: the mean of each over random words in sentences and all words of the table.
    """

    word: str
    cosine: float
    baseline: float
    centred: float
    centred_baseline: float


@dataclass(frozen=True, slots=True, eq=False)
class LikenessMatrix:
    """Cosines of all occurrences at one layer, shape (n, n), and the random baseline of each kind."""

    layer: int
    cosine: NDArray[np.float32]
    baseline: float
    centred: NDArray[np.float32]
    centred_baseline: float


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """How far the senses of labelled occurrences lie apart at each layer; arrays of shape (layers + 1,).

    Attributes
    ----------
    within, between : NDArray of float64
        Mean cosine of two occurrences of one sense, and of two senses; NaN where there is no such pair.
    baseline : NDArray of float64
        Mean cosine of two random words.
    centred_within, centred_between, centred_baseline : NDArray of float64
        The same with the layer's mean vector subtracted.
    silhouette : NDArray of float64
        Mean silhouette of the centred vectors by cosine distance, in [-1, 1]; NaN with fewer than two senses.
    ari : NDArray of float64
        Adjusted Rand index of the clusters given for each layer; NaN where none were.
    best : int
        The layer of the largest silhouette, the embeddings left out: they know a word's form and place, not its company.
    """

    within: NDArray[np.float64]
    between: NDArray[np.float64]
    baseline: NDArray[np.float64]
    centred_within: NDArray[np.float64]
    centred_between: NDArray[np.float64]
    centred_baseline: NDArray[np.float64]
    silhouette: NDArray[np.float64]
    ari: NDArray[np.float64]
    best: int


@dataclass(frozen=True, slots=True, eq=False)
class Contextuality:
    """How much context changes a word at each layer (Ethayarajh 2019); arrays of shape (layers + 1,).

    Attributes
    ----------
    self_similarity : NDArray of float64
        Mean cosine of two occurrences of the word: 1 for a static vector.
    explained_variance : NDArray of float64
        Share of the occurrences' squared length on one common direction: how well a single static vector would do.
    baseline, explained_baseline : NDArray of float64
        The same of random words; ``self_similarity - baseline`` is what the paper reports.
    """

    self_similarity: NDArray[np.float64]
    explained_variance: NDArray[np.float64]
    baseline: NDArray[np.float64]
    explained_baseline: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class IntraSentence:
    """How much the words of a sentence are alike at each layer: mean over sentences, shape (layers + 1,), and the random baseline."""

    similarity: NDArray[np.float64]
    baseline: NDArray[np.float64]
    sentences: int
