"""The plane of a formula: its words, its answers and the sum, by PCA.

A projection is affine, so a - b + c and its words stay a true parallelogram in the plane: the sum
is drawn before it is scaled to length one.
"""

from __future__ import annotations

import numpy as np

from embeddings.analysis.pca import PCA
from embeddings.results import Analogy, Projection
from embeddings.vectors.table import Vectors


def parallelogram(vectors: Vectors, analogy: Analogy, answers: int = 3) -> Projection:
    """Return the formula's words, then its first answers, last the sum itself.

    Parameters
    ----------
    vectors : Vectors
        The table that answered.
    analogy : Analogy
        As `embeddings.analysis.analogies.solve` returns it.
    answers : int, default 3
        How many answers to draw; they and the formula's words are what the plane is fitted to, the
        sum is only placed in it.

    Returns
    -------
    Projection
        ``explained_variance_ratio`` is the share of those words' variance that the plane shows.
    """
    inputs = [term.word for term in analogy.terms]
    found = [near.word for near in analogy.answers if near.word not in inputs][:answers]
    words = [*inputs, *found]
    rows = vectors.unit[[vectors.row(word) for word in words]]
    weights = np.array([term.weight for term in analogy.terms], dtype=np.float32)
    total = weights @ rows[: len(inputs)]
    plane = PCA(n_components=2, standardize=False).fit(rows)
    places = plane.transform(np.vstack([rows, total]))
    return Projection(
        words=(*words, analogy.expression),
        coordinates=np.asarray(places, dtype=np.float64),
        method="pca",
        explained_variance_ratio=tuple(float(r) for r in plane.explained_variance_ratio_),
    )
