"""Shares as bars, one below the other, the value written behind each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

import plotly.graph_objects as go

from app.figures.palette import BLUE, VERMILION, lay_out
from app.figures.shares import share_ticks


def share_bars(
    rows: Sequence[tuple[str, float]],
    marked: Collection[str],
    axis: str,
    separators: str = ".,",
) -> go.Figure:
    """Draw a bar for each label and share in [0, 1], in the order given, the marked labels in vermilion.

    Parameters
    ----------
    rows : sequence of (str, float)
        A label may occur more than once.
    marked : collection of str
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    """
    figure = go.Figure(
        go.Bar(
            x=[probability for _, probability in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [VERMILION if word in marked else BLUE for word, _ in rows]},
            text=[_percent(probability, separators) for _, probability in rows],
            textposition="outside",
            cliponaxis=False,
            customdata=[escape(word) for word, _ in rows],
            hovertemplate="%{customdata}<br>%{x:.6f}<extra></extra>",
        )
    )
    lay_out(figure, 70 + 30 * len(rows), separators)
    most = max((probability for _, probability in rows), default=1.0)
    figure.update_layout(margin={"l": 8, "r": 56, "t": 8, "b": 48}, bargap=0.3)
    figure.update_xaxes(
        title=escape(axis), fixedrange=True, range=[0, most * 1.06],
        **share_ticks(most, separators),
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=[escape(word) for word, _ in rows],
        range=[len(rows) - 0.5, -0.5], tickfont={"size": 15}, fixedrange=True,
        showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def _percent(probability: float, separators: str) -> str:
    """Return a probability in percent, small ones with enough digits to be more than 0."""
    share = 100 * probability
    text = f"{share:.1f} %" if share >= 0.1 else f"{share:.1g} %" if share >= 1e-4 else "< 0.0001 %"
    return text.replace(".", separators[0])
