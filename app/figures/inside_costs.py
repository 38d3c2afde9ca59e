"""Parameters or operations of networks beside each other, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from app.figures.palette import CATEGORIES, lay_out


def costs_figure(
    costs: Mapping[str, Mapping[str, int]], names: Mapping[str, str], separators: str = ".,"
) -> go.Figure:
    """Draw a bar a network (a key of ``costs``), stacked from its parts, in millions or milliards."""
    figure, networks = go.Figure(), list(costs)
    parts: Sequence[str] = list(next(iter(costs.values())))
    most = max(sum(of.values()) for of in costs.values())
    unit, power = (1e9, "10⁹") if most >= 1e9 else (1e6, "10⁶")
    for part, colour in zip(parts, CATEGORIES, strict=False):
        values = [costs[network][part] / unit for network in networks]
        figure.add_trace(
            go.Bar(
                x=values, y=networks, orientation="h", name=escape(names[part]),
                marker={"color": colour}, hovertemplate=f"%{{x:,.2f}} · {power}",
            )
        )  # fmt: skip
    lay_out(figure, 250, separators)
    figure.update_layout(
        barmode="stack", showlegend=True, bargap=0.35, margin={"t": 70},
        legend={"orientation": "h", "y": 1.04, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )  # fmt: skip
    figure.update_xaxes(ticksuffix=f" · {power}", fixedrange=True, nticks=6)
    figure.update_yaxes(autorange="reversed", tickfont={"size": 15}, fixedrange=True)
    return figure
