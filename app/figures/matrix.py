"""Cosines of each word with each, as shaded cells with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.figures.palette import lay_out

SHADES = ((0.0, "rgba(138,90,0,0)"), (1.0, "rgba(138,90,0,0.85)"))


def matrix_figure(
    words: Sequence[str], cosines: NDArray[np.floating], separators: str = ".,"
) -> go.Figure:
    """Draw the matrix, shape (words, words), with numbers in the cells of up to 15 words."""
    labels = [escape(word) for word in words]
    figure = go.Figure(
        go.Heatmap(
            z=cosines, x=labels, y=labels, zmin=0, zmax=1, colorscale=SHADES, showscale=False,
            xgap=2, ygap=2, hovertemplate="%{y}, %{x}<br>%{z:.4f}<extra></extra>",
            texttemplate="%{z:.2f}" if len(words) <= 15 else None,
        )
    )  # fmt: skip
    lay_out(figure, 90 + 34 * len(words), separators)
    figure.update_xaxes(side="top", showgrid=False, fixedrange=True, type="category")
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True, type="category")
    return figure
