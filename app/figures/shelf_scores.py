"""Scores of all models: one row a test set, one dot a model, a diamond for a rank correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from app.figures.palette import lay_out, method_colour
from embeddings.results.shelf import ModelScore

SYMBOLS = {"accuracy": "circle", "spearman": "diamond"}


def shelf_scores_figure(
    scores: Sequence[ModelScore], words: Mapping[str, str], separators: str = ".,"
) -> go.Figure:
    """Draw every score at its test set, in the colour of its method; the model's name and coverage at the pointer.

    ``words`` say "accuracy", "spearman" and "covered".
    """
    sets = list(dict.fromkeys(score.test_set for score in scores))[::-1]
    methods = list(dict.fromkeys(score.method for score in scores))
    figure = go.Figure()
    for place, method in enumerate(methods):
        chosen = [score for score in scores if score.method == method]
        figure.add_trace(
            go.Scatter(
                x=[score.value for score in chosen],
                y=[sets.index(score.test_set) for score in chosen],
                mode="markers",
                name=escape(method or "–"),
                marker={
                    "size": 12,
                    "color": method_colour(method, place),
                    "symbol": [SYMBOLS.get(score.measure, "circle") for score in chosen],
                    "opacity": 0.85,
                },
                text=[_label(score, words) for score in chosen],
                hovertemplate="%{text}<br>%{x:.3f}<extra></extra>",
            )
        )
    lay_out(figure, 90 + 27 * max(3, len(sets)), separators)
    figure.update_layout(showlegend=len(methods) > 1, margin={"l": 8, "r": 16, "t": 40, "b": 8})
    figure.update_layout(legend={"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0})
    low = min(0.0, *(score.value for score in scores)) - 0.02
    title = f"{words['accuracy']} ●  {words['spearman']} ◆"
    figure.update_xaxes(range=[low, 1.02], fixedrange=True, title=title)
    figure.update_yaxes(
        tickvals=list(range(len(sets))),
        ticktext=[escape(name) for name in sets],
        range=[-0.6, len(sets) - 0.4],
        fixedrange=True,
    )
    return figure


def _label(score: ModelScore, words: Mapping[str, str]) -> str:
    """Model, measure and coverage of a dot."""
    measure = words.get(score.measure, score.measure)
    covered = f", {words['covered']} {score.covered}/{score.total}" if score.total else ""
    return f"{escape(score.model)}: {escape(measure)}{covered}"
