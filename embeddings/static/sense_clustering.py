"""Contexts of one word in clusters: by Ward's method, merged until they lie apart, small ones dissolved; then moved to the nearest mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embeddings.static.senses_config import SensesConfig
from embeddings.vectors.table import normalize_rows

FEWEST = 20  # contexts of a word that is clustered
SMALLEST = 15  # contexts of a sense
CLUSTERED = 1500  # contexts of a word that are clustered at most; the others join the nearest
ALIKE = 0.6  # cosine of two contexts past which they repeat each other
MOVES = 3  # times that contexts move to the nearest mean: without, another draw of the uses finds other senses
PIECE = 1000  # contexts compared with all at once
Rows = NDArray[np.float32]


def cluster_contexts(
    points: Rows, config: SensesConfig, rng: np.random.Generator
) -> NDArray[np.int64]:
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


def thinned(points: Rows, alike: int, rng: np.random.Generator) -> Rows:
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
    pieces = (points[start : start + PIECE] for start in range(0, len(points), PIECE))
    repeats = np.concatenate([(piece @ points.T > ALIKE).sum(1) for piece in pieces])
    kept = points[rng.random(len(points)) * repeats < alike]
    return kept if len(kept) >= FEWEST else points


def _ward(points: Rows, clusters: int) -> NDArray[np.int64]:
    """Cluster unit vectors by Ward's method (1963) into at most so many; return the cluster of each, from 0."""
    from scipy.cluster.hierarchy import fcluster, linkage

    tree = linkage(points.astype(np.float64), "ward")
    return np.asarray(fcluster(tree, clusters, "maxclust") - 1, np.int64)


def totals_of(rows: Rows, labels: NDArray[np.int64], clusters: int) -> Rows:
    """Sum the rows of each cluster."""
    members = np.zeros((clusters, len(rows)), np.float32)
    members[labels, np.arange(len(rows))] = 1
    totals: Rows = members @ rows
    return totals


def _merged_means(points: Rows, labels: NDArray[np.int64], config: SensesConfig) -> Rows:
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
    large = sizes >= max(config.share * len(points), SMALLEST)
    large[sizes.argmax()] = True
    return np.asarray(normalize_rows(totals[large]), np.float32)


def coherence(points: Rows, labels: NDArray[np.int64]) -> NDArray[np.float64]:
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
    means: NDArray[np.float64] = (squares - sizes) / np.maximum(sizes * (sizes - 1), 1)
    return np.where(sizes > 1, means, 0.0)


def dissolved(
    points: Rows, labels: NDArray[np.int64], kept: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the labels after the contexts of senses that are not kept have joined the nearest that are, numbered from 0 in order."""
    if kept.all() or not kept.any():
        return labels if kept.all() else np.zeros_like(labels)
    means = normalize_rows(totals_of(points, labels, len(kept))[kept])
    nearest = np.argmax(points @ means.T, axis=1)
    return np.where(kept[labels], (np.cumsum(kept) - 1)[labels], nearest)
