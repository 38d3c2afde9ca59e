"""Numbers of a word's contexts: their cosines as a matrix, and how far senses lie apart layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from app.figures.palette import BLUE, BOTH_WAYS, GREY, VERMILION, lay_out
from embeddings.results.word_contexts import Separation

NUMBERED = 60  # rows that carry their number
ROOM = 0.2  # of the silhouette, at least, on its axis
text = partial(escape, quote=False)


@dataclass(frozen=True)
class MatrixOrder:
    """Rows of the matrix in the order in which they are drawn, the size of each group among them."""

    rows: Sequence[int]
    sizes: Sequence[int]


def similarity_figure(
    cosines: NDArray[np.floating],
    baseline: float,
    order: MatrixOrder,
    sentences: Sequence[str],
    separators: str = ".,",
) -> go.Figure:
    """Draw contexts by contexts, white where two are as alike as two random words (``baseline``).

    Parameters
    ----------
    cosines : NDArray, shape (contexts, contexts)
    baseline : float
        Mean cosine of random pairs at the same layer.
    order : MatrixOrder
    sentences : sequence of str
        Said on hover.
    separators : str
        Decimal and thousands separator.
    """
    rows = list(order.rows)
    shown = np.array(np.asarray(cosines, np.float64)[np.ix_(rows, rows)])
    off = shown[~np.eye(len(rows), dtype=bool)]
    reach = max(float(np.abs(off - baseline).max(initial=0.0)), 0.05)
    np.fill_diagonal(shown, np.nan)
    said = [f"{row + 1}. {text(_short(sentences[row]))}" for row in rows]
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            zmin=baseline - reach,
            zmax=baseline + reach,
            colorscale=BOTH_WAYS,
            customdata=[[f"{across}<br>{down}" for across in said] for down in said],
            hovertemplate="%{customdata}<br><b>%{z:.3f}</b><extra></extra>",
            xgap=1,
            ygap=1,
            colorbar={"thickness": 10, "outlinewidth": 0, "tickformat": ".2f"},
        )
    )
    lay_out(figure, max(360, min(760, 120 + 15 * len(rows))), separators)
    ticks = list(range(len(rows))) if len(rows) <= NUMBERED else []
    look = {
        "tickvals": ticks,
        "ticktext": [str(rows[tick] + 1) for tick in ticks],
        "tickfont": {"size": 10},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    figure.update_xaxes(side="top", constrain="domain", **look)
    figure.update_yaxes(autorange="reversed", scaleanchor="x", constrain="domain", **look)
    figure.update_layout(hoverlabel={"align": "left"}, dragmode=False)
    start = 0
    for size in order.sizes:
        corner = {"x0": start - 0.5, "y0": start - 0.5}
        start += size
        figure.add_shape(
            type="rect", **corner, x1=start - 0.5, y1=start - 0.5, line={"width": 2, "color": GREY}
        )
    return figure


def sweep_figure(
    found: Separation, names: tuple[str, str, str, str, str], centred: bool, separators: str = ".,"
) -> go.Figure:
    """Draw separation by layer at the left, mean cosines of pairs by layer at the right.

    ``names``: of the silhouette, of pairs within a sense, between senses, of random pairs, of the layer.
    """
    silhouette, within, between, random, layer = names
    figure = make_subplots(
        1, 2, horizontal_spacing=0.09, subplot_titles=(silhouette, f"{within} · {between}")
    )
    layers = list(range(len(found.silhouette)))
    lines = (
        (found.silhouette, silhouette, GREY, "solid", 1),
        (found.centred_within if centred else found.within, within, BLUE, "solid", 2),
        (found.centred_between if centred else found.between, between, VERMILION, "dash", 2),
        (found.centred_baseline if centred else found.baseline, random, GREY, "dot", 2),
    )
    for values, name, colour, dash, column in lines:
        figure.add_trace(
            go.Scatter(
                x=layers,
                y=[None if np.isnan(value) else float(value) for value in values],
                name=text(name),
                mode="lines+markers",
                line={"color": colour, "dash": dash, "width": 2.5},
                marker={"size": 8},
                showlegend=column == 2,
                hovertemplate=f"{text(layer)} %{{x}}<br>%{{y:.3f}}<extra>{text(name)}</extra>",
            ),
            1,
            column,
        )
    lay_out(figure, 330, separators)
    figure.update_xaxes(title=layer, tickvals=layers, fixedrange=True)
    figure.update_yaxes(fixedrange=True, tickformat=".2f")
    figure.update_yaxes(range=_room(found.silhouette), col=1)
    figure.layout.annotations[1].text = ""
    figure.update_annotations(font={"size": 14})
    legend = {"orientation": "h", "y": 1.04, "yanchor": "bottom", "x": 1, "xanchor": "right"}
    figure.update_layout(showlegend=True, legend=legend, margin={"t": 50})
    return figure


def _room(values: NDArray[np.floating]) -> tuple[float, float] | None:
    """Return the ends of an axis at least `ROOM` long, so that a tiny change looks tiny."""
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    if not known.size:
        return None
    low, high = float(known.min()), float(known.max())
    half = max(0.55 * (high - low), ROOM / 2)
    return (low + high) / 2 - half, (low + high) / 2 + half


def _short(sentence: str, most: int = 70) -> str:
    """Cut a sentence for a hover."""
    return sentence if len(sentence) <= most else sentence[: most - 1] + "…"
