"""Numbers of a word's contexts: their cosines as a matrix, and how far senses lie apart layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.figures.palette import BOTH_WAYS, BROWN, GREY, INDIGO, escape_label, lay_out
from app.figures.plain_figure import Figure, make_trace, panels
from embeddings.results.sentence_answers import Separation

NUMBERED = 60  # rows that carry their number
ROOM = 0.2  # of the silhouette, at least, on its axis


@dataclass(frozen=True)
class MatrixOrder:
    """Rows of the matrix in the order in which they are drawn, the size of each group among them."""

    rows: Sequence[int]
    sizes: Sequence[int]


@dataclass(frozen=True)
class SeparationNames:
    """What the curves and the axis of `separation_figure` are called.

    ``within``: pairs within a sense. ``between``: pairs between senses. ``random``: random pairs.
    """

    silhouette: str
    within: str
    between: str
    random: str
    layer: str


def similarity_figure(
    cosines: NDArray[np.floating],
    baseline: float,
    order: MatrixOrder,
    sentences: Sequence[str],
    separators: str = ".,",
) -> Figure:
    """Draw contexts by contexts, white where two are as alike as two random words (``baseline``).

    Parameters
    ----------
    cosines : NDArray, shape (contexts, contexts)
    baseline : float
        Mean cosine of random pairs at the same layer.
    order : MatrixOrder
    sentences : sequence of str
        Shown on hover.
    separators : str
        Decimal and thousands separator.
    """
    rows = list(order.rows)
    matrix = np.array(np.asarray(cosines, np.float64)[np.ix_(rows, rows)])
    off_diagonal = matrix[~np.eye(len(rows), dtype=bool)]
    reach = max(float(np.abs(off_diagonal - baseline).max(initial=0.0)), 0.05)
    np.fill_diagonal(matrix, np.nan)
    hover_texts = [f"{row + 1}. {escape_label(_shorten(sentences[row]))}" for row in rows]
    figure = Figure(
        make_trace(
            "heatmap",
            z=matrix,
            zmin=baseline - reach,
            zmax=baseline + reach,
            colorscale=BOTH_WAYS,
            customdata=[[f"{across}<br>{down}" for across in hover_texts] for down in hover_texts],
            hovertemplate="%{customdata}<br><b>%{z:.3f}</b><extra></extra>",
            xgap=1,
            ygap=1,
            colorbar={"thickness": 10, "outlinewidth": 0, "tickformat": ".2f"},
        )
    )
    lay_out(figure, max(360, min(760, 120 + 15 * len(rows))), separators)
    ticks = list(range(len(rows))) if len(rows) <= NUMBERED else []
    axis_style = {
        "tickvals": ticks,
        "ticktext": [str(rows[tick] + 1) for tick in ticks],
        "tickfont": {"size": 10},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    figure.update_xaxes(side="top", constrain="domain", **axis_style)
    figure.update_yaxes(autorange="reversed", scaleanchor="x", constrain="domain", **axis_style)
    figure.update_layout(hoverlabel={"align": "left"}, dragmode=False)
    start = 0
    for size in order.sizes:
        corner = {"x0": start - 0.5, "y0": start - 0.5}
        start += size
        figure.add_shape(
            type="rect", **corner, x1=start - 0.5, y1=start - 0.5, line={"width": 2, "color": GREY}
        )
    return figure


def separation_figure(
    separation: Separation, names: SeparationNames, centred: bool, separators: str = ".,"
) -> Figure:
    """Draw separation by layer at the left, mean cosines of pairs by layer at the right."""
    pair_title = f"{names.within} · {names.between}"
    figure = panels(1, 2, horizontal_spacing=0.09, titles=(names.silhouette, pair_title))
    layers = list(range(len(separation.silhouette)))
    within = separation.centred_within if centred else separation.within
    between = separation.centred_between if centred else separation.between
    baseline = separation.centred_baseline if centred else separation.baseline
    lines = (
        (separation.silhouette, names.silhouette, GREY, "solid", 1),
        (within, names.within, INDIGO, "solid", 2),
        (between, names.between, BROWN, "dash", 2),
        (baseline, names.random, GREY, "dot", 2),
    )
    x_title = escape_label(names.layer)
    for values, name, colour, dash, column in lines:
        figure.add_trace(
            make_trace(
                "scatter",
                x=layers,
                y=[None if np.isnan(value) else float(value) for value in values],
                name=escape_label(name),
                mode="lines+markers",
                line={"color": colour, "dash": dash, "width": 2.5},
                marker={"size": 8},
                showlegend=column == 2,
                hovertemplate=f"{x_title} %{{x}}<br>%{{y:.3f}}<extra>{escape_label(name)}</extra>",
            ),
            1,
            column,
        )
    lay_out(figure, 330, separators)
    figure.update_xaxes(title=names.layer, tickvals=layers, fixedrange=True)
    figure.update_yaxes(fixedrange=True, tickformat=".2f")
    figure.update_yaxes(range=_axis_range(separation.silhouette), col=1)
    figure.layout["annotations"][1]["text"] = ""
    figure.update_annotations(font={"size": 14})
    legend = {"orientation": "h", "y": 1.04, "yanchor": "bottom", "x": 1, "xanchor": "right"}
    figure.update_layout(showlegend=True, legend=legend, margin={"t": 50})
    return figure


def _axis_range(values: NDArray[np.floating]) -> tuple[float, float] | None:
    """Return the ends of an axis at least `ROOM` long, so that a tiny change looks tiny."""
    finite = np.asarray(values, np.float64)
    finite = finite[~np.isnan(finite)]
    if not finite.size:
        return None
    low, high = float(finite.min()), float(finite.max())
    half = max(0.55 * (high - low), ROOM / 2)
    return (low + high) / 2 - half, (low + high) / 2 + half


def _shorten(sentence: str, most: int = 70) -> str:
    """Cut a sentence for a hover."""
    return sentence if len(sentence) <= most else sentence[: most - 1] + "…"
