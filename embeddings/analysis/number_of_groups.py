"""How many groups there are, and which: of words by k-means, of contexts by what many clusterings agree on.

Words are grouped by k-means over unit vectors, so that nearness is by direction.

Contexts are grouped by evidence accumulation (Fred and Jain 2005, "Combining multiple clusterings
using evidence accumulation", sections 3 and 4): the points are clustered many times, each time in a
random half of their dimensions, in one of the views given, centred, by average linkage over cosine
distances, into 2, 3, 4 or 5 groups. How often two points fall together is their agreement; average
linkage over it makes the tree, and the number of clusters is the one that lives longest: over which
agreement falls furthest before two clusters merge. A single clustering of a few dozen contexts
depends on details; what most of them share does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from embeddings.arrays import Float32s, Float64s, Floats, Int32s, Int64s, Ints
from embeddings.optional import optional
from embeddings.results import Rows, Value
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

GROUPS = (2, 3, 4, 5)  # numbers of groups that are compared


OVERLAPPING_WORDS = 0.08
"""Mean silhouette below which groups of words count as overlapping: the best grouping of 20 to 100 random directions has .03 to .08."""


def cluster(vectors: Vectors, words: Sequence[str]) -> Rows[int]:
    """Return the group of each word, numbered from 0 by falling size, ties by first member.

    The number of groups is the one from 2 to 5 whose groups lie furthest apart, by the mean silhouette (Rousseeuw 1987).

    Parameters
    ----------
    vectors : Vectors
        The table that holds the words.
    words : sequence of str
        Words to group; at most as many groups as distinct vectors come out.

    Returns
    -------
    Rows of int
        One number a word.

    Raises
    ------
    UnknownWordError
        If a word has no vector.
    """
    with optional():
        from sklearn.cluster import KMeans

    rows = vectors.unit_rows([vectors.row(word) for word in words])
    most = len(np.unique(rows, axis=0))
    if most < 2:
        return Rows((0,) * len(rows))
    found = [
        KMeans(number, n_init=10, random_state=1).fit(rows).labels_
        for number in dict.fromkeys(min(number, most) for number in GROUPS)
    ]
    groups = by_size(max(found, key=lambda labels: silhouette(rows, labels)))
    return Rows(groups.tolist())


ROUNDS = 144  # clusterings that are compared
MOST_CLUSTERS = 8  # the largest number that is tried
DRAWN_SHARE = 0.5  # of the dimensions, drawn for each clustering
SMALLEST_SHARE = 0.08  # of the points; a smaller cluster is dissolved


class Cut(Value, eq=False):
    """Clusters of n points.

    ``labels``: shape (n,), from 0 by falling size, ties by first member; ``lifetimes``: by number
    of clusters, weighted by one over its root; ``by_number``: the labels at every number.
    """

    labels: Int64s
    lifetimes: tuple[tuple[int, float], ...]
    by_number: dict[int, Int64s]


def agreement(views: Sequence[Float32s], rounds: int = ROUNDS) -> Float32s:
    """Share of the clusterings in which two points stand together, shape (n, n); 1 on the diagonal.

    Parameters
    ----------
    views : sequence of NDArray of float32, shape (n, d)
        The same points, at least three, as unit rows; rounds go through the views in turn.
    rounds : int
        Clusterings.
    """
    together = np.zeros((len(views[0]), len(views[0])), np.float32)
    for labels in _clusterings(views, rounds):
        together += labels[:, None] == labels
    return np.asarray(together / rounds, np.float32)


def _clusterings(views: Sequence[Float32s], rounds: int) -> Iterator[Int32s]:
    """Cluster the points again and again by average linkage, each view once with each number of groups."""
    from scipy.cluster.hierarchy import fcluster, linkage

    rng = np.random.default_rng(1)
    for turn in range(rounds):
        points = views[turn // len(GROUPS) % len(views)]
        drawn = max(1, round(points.shape[1] * DRAWN_SHARE))
        part = normalize_rows(points[:, rng.choice(points.shape[1], drawn, replace=False)])
        part = normalize_rows(part - part.mean(0))
        tree = linkage(1 - _pairs(np.clip(part @ part.T, -1, 1)), "average")
        yield fcluster(tree, min(GROUPS[turn % len(GROUPS)], len(points) - 1), "maxclust")


def cut(together: Float32s, most: int = MOST_CLUSTERS) -> Cut:
    """Find how many clusters an agreement matrix holds, and which.

    Lifetime of k clusters: the agreement at which k become k - 1, below that at which k + 1 became
    k, over the root of k. Clusters too small are dissolved: each member goes where it agrees most.

    Parameters
    ----------
    together : NDArray of float32, shape (n, n)
        From `agreement`.
    most : int
        Largest number of clusters.
    """
    from scipy.cluster.hierarchy import fcluster

    # `linkage` joins n single points in n - 1 steps, each at a height (1 - agreement) that never falls. Written behind a 0:
    #
    #    heights      0    h1      h2     ...   h(n-1)
    #    index        0    1       2            n - 1
    #    clusters     n   n-1     n-2             1        <- how many are left from this height on
    #
    # So k clusters exist from heights[n - k], where k + 1 became k, to heights[n - k + 1], where k become k - 1.
    count = len(together)
    tree = tree_of(together)
    heights = np.concatenate([[0.0], tree[:, 2]])
    lifetimes = tuple(
        (k, float((heights[count - k + 1] - heights[count - k]) / np.sqrt(k)))
        for k in range(2, min(most, count - 1) + 1)
    )
    # never more than a quarter of the points and, in the field's small sets, three
    least = max(min(3, count // 4), SMALLEST_SHARE * count)
    by_number = {
        k: by_size(_dissolve(together, fcluster(tree, k, "maxclust"), least)) for k, _ in lifetimes
    }
    several = [(life, -k) for k, life in lifetimes if by_number[k].any()]
    if not several or together.min() > 1 - 1e-6:  # no clustering ever separated two points
        return Cut(np.zeros(count, np.int64), lifetimes, by_number)
    return Cut(by_number[-max(several)[1]], lifetimes, by_number)


def silhouette(points: Float32s, labels: Ints) -> float:
    """Mean silhouette by cosine distance, in [-1, 1], as scikit-learn has it; 0 for a point alone or a single cluster.

    Distances are held in pieces of at most 1 GiB, whatever the number of points.

    Parameters
    ----------
    points : NDArray of float32, shape (n, d)
    labels : NDArray of int, shape (n,)
        The cluster of each point.

    References
    ----------
    Rousseeuw (1987), section 2.
    """
    from sklearn.metrics import silhouette_score

    if not 1 < len(np.unique(labels)) < len(labels):  # scikit-learn refuses both
        return 0.0
    return float(silhouette_score(points.astype(np.float64), labels, metric="cosine"))


def by_size(labels: Ints) -> Int64s:
    """Number clusters from 0 by falling size, ties by first member."""
    numbers, first, inverse, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(numbers), np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(numbers))
    return rank[inverse]


def tree_of(together: Float32s) -> Float64s:
    """Return the tree of an agreement matrix by average linkage, as scipy describes it."""
    from scipy.cluster.hierarchy import linkage

    return linkage(1 - _pairs(together), "average")


def _pairs(matrix: Floats) -> Float64s:
    """Upper triangle of a square matrix, row by row, as scipy wants distances."""
    return np.asarray(matrix[np.triu_indices(len(matrix), 1)], np.float64)


def _dissolve(together: Float32s, labels: Int32s, least: float) -> Int32s:
    """Give the members of clusters below ``least`` points, the smallest first, to the others."""
    while True:
        numbers, sizes = np.unique(labels, return_counts=True)
        if len(numbers) < 2 or sizes.min() >= least:
            return labels
        gone = labels == numbers[sizes.argmin()]
        kept = np.delete(numbers, sizes.argmin())
        nearness = np.stack([together[:, labels == number].mean(1) for number in kept], axis=1)
        labels = np.where(gone, kept[nearness.argmax(1)], labels)
