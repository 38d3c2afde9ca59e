"""Groups of words by k-means over unit vectors, so that nearness is by direction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.vectors.table import Vectors


def cluster(
    vectors: Vectors, words: Sequence[str], clusters: int = 5, *, seed: int = 1
) -> tuple[int, ...]:
    """Return the group of each word, numbered from 0 by falling size, ties by first member.

    Parameters
    ----------
    vectors : Vectors
        The table that holds the words.
    words : sequence of str
        Words to group; at most as many groups as distinct vectors come out.
    clusters : int, default 5
        Number of groups.
    seed : int, default 1
        Of k-means' starting points; the best of ten starts is taken.

    Returns
    -------
    tuple of int
        One number a word.

    Raises
    ------
    UnknownWordError
        If a word has no vector.
    """
    from sklearn.cluster import KMeans

    rows = vectors.unit[[vectors.row(word) for word in words]]
    most = len(np.unique(rows, axis=0))
    if most < 2:
        return (0,) * len(rows)
    found = KMeans(min(clusters, most), n_init=10, random_state=seed).fit(rows).labels_.tolist()
    order = sorted(set(found), key=lambda group: (-found.count(group), found.index(group)))
    return tuple(order.index(group) for group in found)
