"""The loss of a training as it was said: a point a report, and the mean of each whole pass."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from app.figures.palette import BLUE, ORANGE, lay_out
from embeddings.results.jobs import LossCurve


def curve_figure(
    curve: LossCurve, names: Mapping[str, str], passes: int = 0, separators: str = ".,"
) -> go.Figure:
    """Draw a loss curve.

    Parameters
    ----------
    curve : LossCurve
    names : mapping
        What to call "since" (means between two reports), "pass" (means of whole passes), "loss" and the "unit".
    passes : int
        Passes or steps that the training takes: the axis reaches so far; 0: as far as it came.
    separators : str
        Decimal and thousands separator.
    """
    figure = go.Figure()
    told = curve.means if len(curve.losses) > 1.5 * len(curve.means) else curve.means[:0]
    for x, y, name, colour, mode in (
        (curve.places, curve.losses, names["since"], BLUE, "lines+markers"),
        (curve.passes[: len(told)], told, names["pass"], ORANGE, "markers"),
    ):
        if len(x):
            figure.add_trace(
                go.Scatter(
                    x=x,
                    y=y,
                    name=name,
                    mode=mode,
                    line={"color": colour, "width": 1.5},
                    marker={"color": colour, "size": 4 if mode != "markers" else 7, "opacity": 0.8},
                    hovertemplate=f"{names['unit']} %{{x:.2f}}<br>%{{y:.4f}}<extra>{name}</extra>",
                )
            )
    lay_out(figure, 320, separators)
    figure.update_layout(
        showlegend=len(figure.data) > 1,
        legend={"orientation": "h", "y": -0.25, "yanchor": "top", "x": 0},
        uirevision="curve",
        dragmode="zoom",
    )
    figure.update_xaxes(title=names["unit"], range=[0, passes] if passes else None)
    figure.update_yaxes(title=names["loss"])
    return figure
