"""Results of comparing two models: how far their neighbourhoods agree, and how far words move between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ComparedWord:
    """One word in two models.

    ``overlap``: Jaccard index of its two neighbourhoods, in [0, 1]. ``movement``: 1 - cosine of its
    two vectors after the alignment, in [0, 2]. ``shared`` neighbours are named by both models, the
    others by one; each list stands in the order of nearness, ``shared`` in that of the first model.
    """

    word: str
    overlap: float
    movement: float
    shared: tuple[str, ...] = ()
    first_only: tuple[str, ...] = ()
    second_only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models over some words.

    ``overlap`` is the mean over ``words``; ``procrustes_error`` the mean movement of all ``common``
    words; ``spearman`` the rank correlation of the two models' cosines over all pairs of ``words``
    (NaN for fewer than three words); ``missing`` words are not in both vocabularies.
    """

    first: str
    second: str
    topn: int
    common: int
    dimensions: tuple[int, int]
    overlap: float
    procrustes_error: float
    spearman: float
    words: tuple[ComparedWord, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommonMap:
    """Words of two models in one plane: ``first`` and ``second`` of shape (words, 2), PCA's share of variance each."""

    words: tuple[str, ...]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    explained_variance_ratio: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SetScore:
    """A model's score on a test set: ``measure`` is "accuracy" (a fraction) or "spearman"; NaN where nothing is covered."""

    name: str
    measure: str
    value: float
    covered: int
    total: int
