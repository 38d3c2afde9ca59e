"""Labels and arrows on a plane: positions next to the points, chosen so that few labels overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.figures.palette import GREY
from app.figures.plain_figure import Figure

LABEL_POSITIONS = {
    "top center": (0.0, 1.0),
    "bottom center": (0.0, -1.0),
    "middle right": (0.5, 0.0),
    "middle left": (-0.5, 0.0),
    "top right": (0.5, 1.0),
    "top left": (-0.5, 1.0),
    "bottom right": (0.5, -1.0),
    "bottom left": (-0.5, -1.0),
}
LETTER_WIDTH, LINE_HEIGHT = 0.57, 1.3  # width and height of a letter as shares of its size


def place_labels(
    coordinates: NDArray[np.float64],
    words: Sequence[str],
    plot: tuple[float, float] = (900, 560),
    size: float = 13,
    lines: Sequence[tuple[int, int]] = (),
    order: Sequence[int] = (),
) -> list[str]:
    """Return a Plotly ``textposition`` for each word, taken greedily.

    Parameters
    ----------
    coordinates : NDArray, shape (words, 2)
    words : sequence of str
    plot : (float, float)
        Width and height of the plot, in pixels.
    size : float
        Of the letters, in pixels.
    lines : sequence of pairs of rows
        Lines between points, which labels keep off.
    order : sequence of int, optional
        Rows as they are placed: an important word should come early. By default as they are given.
    """
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    points = (coordinates - low) / span * plot
    along = np.linspace(0, 1, 40)[:, None]
    line_points = [points[a] + along * (points[b] - points[a]) for a, b in lines]
    obstacles = np.vstack([points, *line_points])
    boxes = np.empty((len(words), 4))  # left, right, lower and upper edge of the labels placed
    letter, line = LETTER_WIDTH * size, LINE_HEIGHT * size
    names, sides = list(LABEL_POSITIONS), np.array([*LABEL_POSITIONS.values()])
    chosen = [""] * len(words)
    for number, row in enumerate(order or range(len(words))):
        point, half = points[row], letter * len(words[row]) / 2
        x = point[0] + 2 * sides[:, 0] * (half + 9)
        y = point[1] + sides[:, 1] * line * 0.9
        candidates = np.stack([x - half, x + half, y - line / 2, y + line / 2], axis=1)
        across = np.abs(obstacles[:, 0] - x[:, None]) < half + 4
        down = np.abs(obstacles[:, 1] - y[:, None]) < line / 2 + 5
        outside = np.maximum(0.0, half - x) + np.maximum(0.0, x + half - plot[0])
        cost = _covered_area(candidates, boxes[:number])
        cost += 60 * (across & down).sum(axis=1) + 20 * outside
        best = int(cost.argmin())
        chosen[row] = names[best]
        boxes[number] = candidates[best]
    return chosen


def choose_labelled_rows(
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
    chosen: list[int] = []
    for row in order:
        least_distance = np.full((len(chosen), points.shape[1]), 1 / 7)
        if points.shape[1] == 2:
            letters = lengths[chosen] + lengths[row] + 2
            least_distance[:, 0] = LETTER_WIDTH * 13 * letters / 2 / 900
            least_distance[:, 1] = LINE_HEIGHT * 13 / 560
        if not (np.abs(points[chosen] - points[row]) < least_distance).all(axis=1).any():
            chosen.append(row)
        if len(chosen) == most:
            break
    return chosen


def draw_arrows(figure: Figure, ends: Sequence[Sequence[float]], **look: Any) -> None:
    """Draw an arrow for each ``(x, y, x, y)`` of its point and its tail."""
    common = {"xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "", "showarrow": True}
    common |= {"arrowhead": 2, "arrowcolor": GREY} | look
    arrows = [{**common, "x": x, "y": y, "ax": ax, "ay": ay} for x, y, ax, ay in ends]
    figure.update_layout(annotations=arrows)


def draw_paths(
    figure: Figure,
    paths: Iterable[Sequence[tuple[float, float]]],
    line: Mapping[str, object],
    **look: Any,
) -> None:
    """Draw a line along the points (x, y) of each path, all paths as one trace that says nothing on hover."""
    points: list[tuple[float | None, float | None]] = []
    for path in paths:
        points += [*path, (None, None)]
    x, y = ([point[axis] for point in points] for axis in (0, 1))
    figure.draw(
        "scatter", x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False, **look
    )


def fit_plane(
    figure: Figure,
    points: NDArray[np.float64],
    titles: Sequence[str],
    room: float,
    **look: Any,
) -> None:
    """Name the axes of a plane and let them hold ``points``, shape (points, 2), with ``room`` around, a share of their spread."""
    low, high = points.min(axis=0), points.max(axis=0)
    spare = room * np.where(high > low, high - low, 1.0)
    for update, axis in ((figure.update_xaxes, 0), (figure.update_yaxes, 1)):
        ends = [low[axis] - spare[axis], high[axis] + spare[axis]]
        update(title=titles[axis], range=ends, **look)


def _covered_area(
    candidates: NDArray[np.float64], boxes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the pixels of each candidate, shape (candidates, 4), that boxes cover."""
    lower, upper = [0, 2], [1, 3]  # edges along both axes
    ends = np.minimum(candidates[:, None, upper], boxes[:, upper])
    sides = (ends - np.maximum(candidates[:, None, lower], boxes[:, lower])).clip(0)
    covered: NDArray[np.float64] = sides.prod(axis=2).sum(axis=1)
    return covered
