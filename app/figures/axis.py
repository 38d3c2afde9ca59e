"""Words on a semantic axis: one row a word, one dot a model."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
import plotly.graph_objects as go

from app.figures.palette import GREY, end_labels, lay_out
from embeddings.results import AxisPosition


def axis_figure(
    positions: Mapping[str, tuple[AxisPosition, ...]],
    colours: Mapping[str, str],
    ends: tuple[str, str],
    separators: str = ".,",
) -> go.Figure:
    """Draw the positions that each model (a key) gives, words sorted by their mean position."""
    by_word: dict[str, list[float]] = {}
    for row in (row for rows in positions.values() for row in rows):
        by_word.setdefault(row.word, []).append(row.position)
    order = sorted(by_word, key=lambda word: float(np.mean(by_word[word])))
    figure = go.Figure()
    for model, rows in positions.items():
        figure.add_trace(
            go.Scatter(
                x=[row.position for row in rows],
                y=[order.index(row.word) for row in rows],
                mode="markers",
                name=escape(model),
                marker={"size": 12, "color": colours[model], "opacity": 0.85},
                text=[escape(row.word) for row in rows],
                hovertemplate="%{text}<br>%{x:.4f}",
            )
        )
    lay_out(figure, 110 + 28 * max(3, len(order)), separators)
    reach = 1.1 * max([abs(v) for values in by_word.values() for v in values], default=1.0)
    figure.update_layout(showlegend=len(positions) > 1, margin={"l": 8, "r": 8, "t": 64, "b": 30})
    figure.update_layout(legend={"orientation": "h", "y": -0.08, "yanchor": "top", "x": 0})
    figure.update_xaxes(range=[-reach, reach], tickformat=".2f", zerolinewidth=2, fixedrange=True)
    figure.update_yaxes(
        tickvals=list(range(len(order))),
        ticktext=[escape(word) for word in order],
        tickfont={"size": 14},
        range=[-0.6, len(order) - 0.4],
        fixedrange=True,
    )
    figure.update_layout(annotations=end_labels(f"← {ends[0]}", f"{ends[1]} →"))
    figure.add_vline(x=0, line={"color": GREY, "width": 1})
    return figure
