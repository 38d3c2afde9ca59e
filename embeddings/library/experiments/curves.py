"""Curves read and compared: values at a place, and where a value is reached first. Lines between the points are straight."""

from __future__ import annotations

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
    def millions(self) -> tuple[float, ...]:
        """The places in millions."""
        return tuple(place / 1e6 for place in self.x)

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
