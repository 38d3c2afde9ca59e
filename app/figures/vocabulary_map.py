"""Tens of thousands of words on a map, drawn by WebGL; of those in the part that is looked at, the commonest carry their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.figures.label_placement import choose_labelled_rows
from app.figures.palette import FALL, escape_label, lay_out
from app.figures.plain_figure import Figure, make_trace
from embeddings.results import Projection

NAMED = 90  # words that carry their names
TRIED = 1_500  # commonest words in sight that may be named
Window = tuple[float, float, float, float]  # least and most x, least and most y


def rows_in(projection: Projection, window: Window | None) -> list[int]:
    """Return the words that lie in a part of the map, all without one, in the order of the projection."""
    if window is None:
        return list(range(len(projection.words)))
    x, y = projection.coordinates.T
    inside = (x >= window[0]) & (x <= window[1]) & (y >= window[2]) & (y <= window[3])
    return [int(row) for row in np.flatnonzero(inside)]


def vocabulary_figure(
    projection: Projection,
    magnitudes: Sequence[float] | None,
    window: Window | None,
    names: tuple[str, str, str],
    separators: str = ".,",
) -> Figure:
    """Draw a vocabulary.

    Parameters
    ----------
    projection : Projection
        Two dimensions, the commonest words first.
    magnitudes : sequence of float, optional
        Decimal logarithms of the words' counts, which colour the points.
    window : tuple of float, optional
        The part that is looked at.
    names : (str, str, str)
        Titles of both axes and of the colours.
    separators : str
        Decimal and thousands separator.
    """
    rows = rows_in(projection, window)
    points = projection.coordinates[rows]
    words = [projection.words[row] for row in rows]
    named = set(
        choose_labelled_rows(points, words, range(min(len(rows), TRIED)), NAMED) if rows else ()
    )
    labels = [escape_label(word) if at in named else "" for at, word in enumerate(words)]
    marker: dict[str, Any] = {"size": 3 if len(rows) > 3_000 else 6, "opacity": 0.6}
    if magnitudes is not None:
        marker |= {"color": [magnitudes[row] for row in rows], "coloraxis": "coloraxis"}
    figure = Figure(
        make_trace(
            "scattergl",
            x=points[:, 0],
            y=points[:, 1],
            mode="markers+text",
            text=labels,
            textposition="top center",
            textfont={"size": 12},
            customdata=[[word] for word in words],
            hovertext=[escape_label(word) for word in words],
            hovertemplate="%{hovertext}<extra></extra>",
            marker=marker,
        )
    )
    lay_out(figure, 680, separators)
    figure.update_layout(dragmode="select", margin={"t": 20})
    if magnitudes is not None:
        bar = {"title": {"text": names[2], "side": "right"}, "thickness": 10, "outlinewidth": 0}
        bar |= {
            "tickvals": [0, 1, 2, 3, 4, 5, 6],
            "ticktext": ["1", "10", "100", "10³", "10⁴", "10⁵", "10⁶"],
        }
        figure.update_layout(coloraxis={"colorscale": FALL, "colorbar": bar})
    style = {"showticklabels": False, "zeroline": False}
    figure.update_xaxes(title=names[0], **style)
    figure.update_yaxes(title=names[1], **style)
    if window is not None:
        figure.update_xaxes(range=window[:2])
        figure.update_yaxes(range=window[2:])
    return figure
