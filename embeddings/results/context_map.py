"""A word's contexts on a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class ContextMap:
    """The contexts of a word at one layer, along the two directions in which they differ most.

    Attributes
    ----------
    coordinates : NDArray of float64, shape (contexts, 2)
        In units of the contexts' mean length, so that layers can be compared; the mean of those that the axes were
        fitted on is (0, 0), which is where the one static vector lies.
    explained_variance_ratio : tuple of float
        Share of their variance along each of the two.
    """

    coordinates: NDArray[np.float64]
    explained_variance_ratio: tuple[float, ...]
