"""What senses are found with: which words are function words, the map from contexts to vectors, the contexts in clusters.

How unevenly a word is spread over a text, residual inverse document frequency, tells words of content: function words stand about
wherever chance would have them, words of content together where they are the subject. The measure is the inverse document frequency
observed, less the one that a Poisson distribution of as many uses has (Church and Gale 1995). A text of plays and manuals is not a text
of one kind, so chance is computed for each part of it, with the uses that the word has there.

One linear map takes the mean of contexts to a vector of a static model's space (à la carte embeddings, Khodak et al. 2018).

Clusters are Ward's (1963), merged until they lie apart; small ones are dissolved, then contexts move to the nearest mean.
"""

from __future__ import annotations

import numpy as np

from embeddings.arrays import Bools, Float32s, Float64s, Int64s, slices
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.results import Value
from embeddings.static.settings import SensesConfig
from embeddings.vectors.sense_table import SMOOTH
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

FEWEST = 20  # contexts of a word that is clustered
SMALLEST = 15  # contexts of a sense
CLUSTERED = 1500  # contexts of a word that are clustered at most; the others join the nearest
ALIKE = 0.6  # cosine of two contexts past which they repeat each other
MOVES = 3  # times that contexts move to the nearest mean: without, another draw of the uses finds other senses
CONTEXTS_AT_A_TIME = 1000  # contexts compared with all at once


def cluster_contexts(points: Float32s, config: SensesConfig, rng: np.random.Generator) -> Int64s:
    """Return the sense of each context of a word, numbered from 0 by falling size.

    Parameters
    ----------
    points : NDArray of float32, shape (n, d)
        Unit rows; a context that says nothing is a row of zeros, and has the commonest sense.
    """
    labels = np.zeros(len(points), np.int64)
    telling = points.any(axis=1)
    if telling.sum() < FEWEST:
        return labels
    chosen = points[telling]
    sample = thinned(chosen, config.max_repeats, rng) if config.max_repeats else chosen
    if len(sample) > CLUSTERED:
        sample = sample[np.sort(rng.choice(len(sample), CLUSTERED, replace=False))]
    means = _merged_means(sample, _ward(sample, config.clusters), config)
    nearest = np.argmax(chosen @ means.T, axis=1)
    for _ in range(MOVES):
        means = normalize_rows(totals_of(chosen, nearest, len(means)))
        nearest = np.argmax(chosen @ means.T, axis=1)
    order = np.argsort(-np.bincount(nearest, minlength=len(means)), kind="stable")
    labels[telling] = np.argsort(order)[nearest]
    return labels


def thinned(points: Float32s, alike: int, rng: np.random.Generator) -> Float32s:
    """Drop most of the contexts that repeat each other.

    Parameters
    ----------
    points : NDArray of float32, shape (n, d)
        Unit rows.
    alike : int
        A row that m rows repeat, itself among them, is kept with the probability alike / m.
    rng : numpy.random.Generator
        Draws.

    Returns
    -------
    NDArray of float32, shape (kept, d)
        All rows where too few would be left to cluster.
    """
    parts = slices(len(points), CONTEXTS_AT_A_TIME)
    repeats = np.concatenate([(points[part] @ points.T > ALIKE).sum(1) for part in parts])
    kept = points[rng.random(len(points)) * repeats < alike]
    return kept if len(kept) >= FEWEST else points


def _ward(points: Float32s, clusters: int) -> Int64s:
    """Cluster unit vectors by Ward's method (1963) into at most so many; return the cluster of each, from 0."""
    from scipy.cluster.hierarchy import fcluster, linkage

    tree = linkage(points.astype(np.float64), "ward")
    return np.asarray(fcluster(tree, clusters, "maxclust") - 1, np.int64)


def totals_of(rows: Float32s, labels: Int64s, clusters: int) -> Float32s:
    """Sum the rows of each cluster."""
    members = np.zeros((clusters, len(rows)), np.float32)
    members[labels, np.arange(len(rows))] = 1
    return members @ rows


def _merged_means(points: Float32s, labels: Int64s, config: SensesConfig) -> Float32s:
    """Merge the nearest two clusters until all lie apart; return the means of those that are large enough."""
    sizes = np.bincount(labels, minlength=config.clusters)
    totals = totals_of(points, labels, config.clusters)[sizes > 0]
    sizes = sizes[sizes > 0]
    while len(totals) > 1:
        means = normalize_rows(totals)
        cosines = means @ means.T
        np.fill_diagonal(cosines, -2)
        first, second = np.unravel_index(int(cosines.argmax()), cosines.shape)
        if cosines[first, second] < config.max_cosine_of_senses:
            break
        totals[first] += totals[second]
        sizes[first] += sizes[second]
        totals, sizes = np.delete(totals, second, axis=0), np.delete(sizes, second)
    large = sizes >= max(config.min_share * len(points), SMALLEST)
    large[sizes.argmax()] = True
    return np.asarray(normalize_rows(totals[large]), np.float32)


def coherence(points: Float32s, labels: Int64s) -> Float64s:
    """Return the mean cosine of two different contexts of each sense, shape (senses,); 0 for a sense of one context.

    Parameters
    ----------
    points : NDArray of float32, shape (n, d)
        Unit rows.
    labels : NDArray of int64, shape (n,)
        Sense of each.
    """
    sizes = np.bincount(labels).astype(np.float64)
    squares = np.square(totals_of(points, labels, len(sizes))).sum(1)
    means: Float64s = (squares - sizes) / np.maximum(sizes * (sizes - 1), 1)
    return np.where(sizes > 1, means, 0.0)


def dissolved(points: Float32s, labels: Int64s, kept: Bools) -> Int64s:
    """Return the labels after the contexts of senses that are not kept have joined the nearest that are, numbered from 0 in order."""
    if kept.all() or not kept.any():
        return labels if kept.all() else np.zeros_like(labels)
    means = normalize_rows(totals_of(points, labels, len(kept))[kept])
    nearest = np.argmax(points @ means.T, axis=1)
    return np.where(kept[labels], (np.cumsum(kept) - 1)[labels], nearest)


def expected_stretches(counts: Int64s, lengths: Int64s) -> Float64s:
    """Return in how many stretches of a text words would stand by chance, shape (words,).

    Parameters
    ----------
    counts : NDArray of int64, shape (words,)
        Uses of each word.
    lengths : NDArray of int64, shape (stretches,)
        Words of each stretch: a long one has a use of a word more probably than a short one.
    """
    sizes, number = np.unique(lengths, return_counts=True)
    shares = sizes / lengths.sum()
    different, place = np.unique(counts, return_inverse=True)
    expected = np.array([-np.expm1(-count * shares) @ number for count in different.tolist()])
    return expected[place]


def residual_idf(expected: Float64s, stretches_with: Int64s) -> Float64s:
    """Return the residual inverse document frequency of words, in bits, shape (words,); 0 for a word without uses.

    Parameters
    ----------
    expected : NDArray of float64, shape (words,)
        Stretches in which each would occur by chance, the sum of all parts of the text.
    stretches_with : NDArray of int64, shape (words,)
        Stretches in which each occurs.
    """
    used = stretches_with > 0
    bits = np.zeros(len(expected))
    bits[used] = np.log2(expected[used] / stretches_with[used])
    return bits


FITTED = 50  # least uses of a word from which the map is fitted


class ContextMap(Value, eq=False):
    """What makes a vector of the model's space from contexts.

    Attributes
    ----------
    rows : NDArray of float32, shape (words of the corpus + 1, d + 1)
        Weighted unit vectors, and the weights; zeros for a word that the model lacks, and last for no word.
    transform : NDArray of float32, shape (d + 1, d)
        The map; its last row is added to all.
    """

    rows: Float32s
    transform: Float32s

    def place(self, ids: Int64s) -> Float32s:
        """Return the vector of contexts by the words in them, shape (d,); zeros where none is known."""
        words, counts = np.unique(ids, return_counts=True)
        total = counts.astype(np.float32) @ self.rows[words]
        if not total[-1] > 0:
            return np.zeros(self.transform.shape[1], np.float32)
        return (total / total[-1]) @ self.transform


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


def check_shared(corpus: EncodedCorpus, known: Bools, size: int) -> None:
    """Refuse a model of ``size`` dimensions that knows too few of the corpus's words, of shape (words,).

    Raises
    ------
    InputError
        If they are fewer than twice its dimensions.
    """
    words = int((known & (corpus.vocabulary.counts >= FITTED)).sum())
    if words < 2 * size:
        raise InputError("senses_corpus", words=words, least=2 * size, uses=FITTED)


def rows_in(vectors: Vectors, corpus: EncodedCorpus) -> Int64s:
    """Row in the model of each word of the corpus, -1 for one that it lacks."""
    rows = (vectors.find(word) for word in corpus.vocabulary.words)
    return np.array([-1 if row is None else row for row in rows], np.int64)
