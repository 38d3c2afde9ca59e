"""Where a label stands beside its point so that few labels cover each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SPOTS = {
    "top center": (0.0, 1.0),
    "bottom center": (0.0, -1.0),
    "middle right": (0.5, 0.0),
    "middle left": (-0.5, 0.0),
    "top right": (0.5, 1.0),
    "top left": (-0.5, 1.0),
    "bottom right": (0.5, -1.0),
    "bottom left": (-0.5, -1.0),
}
LETTER, LINE = 0.57, 1.3  # width and height of a letter as shares of its size


def place_labels(
    coordinates: NDArray[np.float64],
    words: Sequence[str],
    width: float = 900,
    height: float = 560,
    size: float = 13,
    lines: Sequence[tuple[int, int]] = (),
) -> list[str]:
    """Return a Plotly ``textposition`` for each word, taken greedily in the order given.

    Parameters
    ----------
    coordinates : NDArray, shape (words, 2)
    words : sequence of str
        The first are placed first; an important word should come early.
    width, height : float
        Pixels of the plot.
    size : float
        Of the letters, in pixels.
    lines : sequence of pairs of rows
        Lines between points, which labels keep off.
    """
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    points = (coordinates - low) / span * (width, height)
    along = np.linspace(0, 1, 40)[:, None]
    drawn = [points[a] + along * (points[b] - points[a]) for a, b in lines]
    solid = np.vstack([points, *drawn])
    boxes = np.empty((0, 4))
    letter, line = LETTER * size, LINE * size
    chosen: list[str] = []
    for point, word in zip(points, words, strict=True):
        half = letter * len(word) / 2
        tries = []
        for name, (right, up) in SPOTS.items():
            x = point[0] + 2 * right * (half + 9)
            y = point[1] + up * line * 0.9
            box = np.array([x - half, x + half, y - line / 2, y + line / 2])
            dots = (abs(solid[:, 0] - x) < half + 4) & (abs(solid[:, 1] - y) < line / 2 + 5)
            outside = max(0.0, -box[0]) + max(0.0, box[1] - width)
            tries.append((_covered(box, boxes) + 60 * dots.sum() + 20 * outside, name, box))
        best = min(tries, key=lambda t: t[0])
        chosen.append(best[1])
        boxes = np.vstack([boxes, best[2]])
    return chosen


def spread(
    coordinates: NDArray[np.float64], words: Sequence[str], order: Sequence[int], most: int = 120
) -> list[int]:
    """Return rows of ``order``, each taken where its label covers none taken before.

    Parameters
    ----------
    coordinates : NDArray, shape (words, 2) or (words, 3)
        In three dimensions labels keep a seventh of the cube apart, as any side may be in front.
    words : sequence of str
    order : sequence of int
        Rows, the first to be labelled first.
    most : int
        Rows at most.
    """
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    points = (coordinates - low) / np.where(high > low, high - low, 1.0)
    lengths = np.array([len(word) for word in words])
    taken: list[int] = []
    for row in order:
        near = np.full((len(taken), points.shape[1]), 1 / 7)
        if points.shape[1] == 2:
            near[:, 0] = LETTER * 13 * (lengths[taken] + lengths[row] + 2) / 2 / 900
            near[:, 1] = LINE * 13 / 560
        if not (np.abs(points[taken] - points[row]) < near).all(axis=1).any():
            taken.append(row)
        if len(taken) == most:
            break
    return taken


def _covered(box: NDArray[np.float64], boxes: NDArray[np.float64]) -> float:
    """Pixels of ``box`` that earlier boxes cover."""
    across = np.minimum(box[1], boxes[:, 1]) - np.maximum(box[0], boxes[:, 0])
    down = np.minimum(box[3], boxes[:, 3]) - np.maximum(box[2], boxes[:, 2])
    return float((across.clip(0) * down.clip(0)).sum())
