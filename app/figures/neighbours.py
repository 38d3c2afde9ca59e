"""Nearest words as a ranked list: a dot on a line from zero, filled where models agree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

import plotly.graph_objects as go

from app.figures.palette import GREY, lay_out
from embeddings.results import Neighbour

NUMBER = 42  # pixels for a cosine right of the longest line, with a gap before the note
DOT, LETTER = 7, 6  # pixels of a sign in a note


def neighbours_figure(
    neighbours: Sequence[Neighbour],
    *,
    title: str,
    colour: str,
    shared: Collection[str] = (),
    notes: Sequence[str] = (),
    separators: str = ".,",
) -> go.Figure:
    """Draw neighbours from the nearest down.

    Parameters
    ----------
    neighbours : sequence of Neighbour
    title : str
        The model, in its colour.
    colour : str
        The model's colour.
    shared : collection of str
        Words that another model names too; their dots are filled.
    notes : sequence of str
        One a neighbour, set at the right edge in grey (its frequency).
    separators : str
        Decimal and thousands separator.
    """
    words = [escape(n.word) for n in neighbours]
    values = [n.similarity for n in neighbours]
    places = list(range(len(words)))
    fills = [colour if n.word in shared else "rgba(0,0,0,0)" for n in neighbours]
    hover = [", ".join(map(escape, (n.word, *n.forms))) for n in neighbours]
    lines_x = [end for value in values for end in (0, value, None)]
    lines_y = [end for place in places for end in (place, place, None)]
    figure = go.Figure(
        [
            go.Scatter(
                x=lines_x,
                y=lines_y,
                mode="lines",
                line={"color": colour, "width": 1.5},
                opacity=0.45,
                hoverinfo="skip",
            ),
            go.Scatter(
                x=values,
                y=places,
                mode="markers+text",
                marker={"size": 10, "color": fills, "line": {"color": colour, "width": 2}},
                text=values,
                texttemplate="%{text:.2f}",
                textposition="middle right",
                customdata=list(zip(hover, notes or [""] * len(words), strict=True)),
                hovertemplate="%{customdata[0]}<br>%{x:.4f}<br>%{customdata[1]}<extra></extra>",
                cliponaxis=False,
            ),
        ]
    )
    lay_out(figure, 60 + 27 * max(len(words), 3), separators)
    room = max((sum(DOT if sign in "●○" else LETTER for sign in note) for note in notes), default=0)
    edge = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": NUMBER, "showarrow": False}
    grey = {"size": 11, "color": GREY}
    figure.update_layout(  # all at once: adding one by one takes Plotly ten times as long
        annotations=[{**edge, "y": y, "text": n, "font": grey} for y, n in enumerate(notes)],
        title={
            "text": escape(title),
            "font": {"color": colour, "size": 17},
            "x": 0,
            "xanchor": "left",
        },
        hovermode="closest",
        margin={"r": NUMBER + room},
    )
    top = max([abs(v) for v in values], default=1.0)
    low = min([0.0, *values])
    figure.update_xaxes(visible=False, range=[1.05 * low, 1.04 * top], fixedrange=True)
    figure.update_yaxes(
        tickvals=places,
        ticktext=words,
        tickfont={"size": 14},
        range=[len(words) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    return figure
