"""Accuracy by category of an analogy set: one row a category, one dot a model."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from app.figures.palette import lay_out
from embeddings.results import AnalogyScore


def scores_figure(
    scores: Mapping[str, AnalogyScore],
    colours: Mapping[str, str],
    names: Mapping[str, str],
    hover: str,
    separators: str = ".,",
) -> go.Figure:
    """Draw the share of right answers of each model (a key) in each category, best category on top.

    ``names`` says what a category is called, ``hover`` has the fields ``{correct}``, ``{covered}``
    and ``{total}``.
    """
    shares: dict[str, list[float]] = {}
    for section in (s for score in scores.values() for s in score.sections if s.covered):
        shares.setdefault(section.name, []).append(section.correct / section.covered)
    order = sorted(shares, key=lambda name: sum(shares[name]) / len(shares[name]))
    figure = go.Figure()
    for model, score in scores.items():
        rows = [section for section in score.sections if section.covered]
        figure.add_trace(
            go.Scatter(
                x=[row.correct / row.covered for row in rows],
                y=[order.index(row.name) for row in rows],
                mode="markers",
                name=escape(model),
                marker={"size": 12, "color": colours[model], "opacity": 0.85},
                text=[
                    hover.format(correct=row.correct, covered=row.covered, total=row.total)
                    for row in rows
                ],
                hovertemplate="%{x:.1%}<br>%{text}",
            )
        )
    lay_out(figure, 90 + 27 * max(3, len(order)), separators)
    figure.update_layout(showlegend=len(scores) > 1, margin={"l": 8, "r": 16, "t": 40, "b": 8})
    figure.update_layout(legend={"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0})
    figure.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", fixedrange=True)
    figure.update_yaxes(
        tickvals=list(range(len(order))),
        ticktext=[escape(names.get(name, name)) for name in order],
        range=[-0.6, len(order) - 0.4],
        fixedrange=True,
    )
    return figure
