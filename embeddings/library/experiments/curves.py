"""Curves read and compared: values at a place, and where a value is reached first. Lines between the points are straight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from embeddings.library.experiments.told import Told


@dataclass(frozen=True, slots=True)
class Curve:
    """Values ``y`` at growing places ``x``."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    @property
    def end(self) -> float:
        """The last place."""
        return self.x[-1]

    def at(self, place: float) -> float:
        """The value at a place, that of the nearest end outside.

        Examples
        --------
        >>> Curve((0, 10), (4, 2)).at(5)
        3.0
        """
        return float(np.interp(place, self.x, self.y))

    def falls_to(self, value: float) -> float | None:
        """The first place where the curve is at or below a value, None if it never is.

        Examples
        --------
        >>> Curve((0, 10, 20), (4, 2, 1)).falls_to(3)
        5.0
        """
        if self.y[0] <= value:
            return self.x[0]
        pairs = list(zip(self.x, self.y, strict=True))
        for (x0, y0), (x1, y1) in pairwise(pairs):
            if y1 <= value:
                return float(x0 + (x1 - x0) * (y0 - value) / (y0 - y1))
        return None


def read_curve(points: Told, x: str, y: str) -> Curve:
    """Return the curve of two keys of a list of points, those without ``y`` left out; places must grow.

    Raises
    ------
    FormatError
        If a place does not grow, or no point has ``y``.
    """
    found: list[tuple[float, float]] = []
    for point in points.each():
        value = point.number_at(y)
        if value is not None:
            place = point[x].number()
            if found and place <= found[-1][0]:
                raise point[x].damaged()
            found.append((place, value))
    if not found:
        raise points.damaged()
    return Curve(tuple(p for p, _ in found), tuple(v for _, v in found))


def ranks_alike(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's correlation of two sequences without ties in the first, ties in the second averaged.

    Examples
    --------
    >>> ranks_alike([1, 2, 3, 4], [66, 63, 74, 77])
    0.8
    """
    a, b = (_ranks(values) for values in (first, second))
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return round(float(a @ b) / scale, 10) if scale else 0.0


def _ranks(values: Sequence[float]) -> np.ndarray:
    """Ranks from 0, equal values sharing the mean of theirs."""
    array = np.asarray(values, dtype=float)
    below = (array[:, None] > array[None, :]).sum(axis=1)
    equal = (array[:, None] == array[None, :]).sum(axis=1)
    return below + (equal - 1) / 2
