"""Cosines of words: ranked lists of neighbours, words on an axis, each word with each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from app.figures.palette import GREY, OCHRE_SHADES, end_labels, lay_out, name_rows
from app.figures.plain_figure import Figure, make_trace
from embeddings.results import AxisPosition, Neighbour

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
) -> Figure:
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
    rows = list(range(len(words)))
    fill_colours = [colour if n.word in shared else "rgba(0,0,0,0)" for n in neighbours]
    hover_texts = [", ".join(map(escape, (n.word, *n.forms))) for n in neighbours]
    lines_x = [end for value in values for end in (0, value, None)]
    lines_y = [end for row in rows for end in (row, row, None)]
    figure = Figure(
        [
            make_trace(
                "scatter",
                x=lines_x,
                y=lines_y,
                mode="lines",
                line={"color": colour, "width": 1.5},
                opacity=0.45,
                hoverinfo="skip",
            ),
            make_trace(
                "scatter",
                x=values,
                y=rows,
                mode="markers+text",
                marker={"size": 10, "color": fill_colours, "line": {"color": colour, "width": 2}},
                text=[str(value) for value in values],
                texttemplate="%{text:.2f}",
                textposition="middle right",
                customdata=list(zip(hover_texts, notes or [""] * len(words), strict=True)),
                hovertemplate="%{customdata[0]}<br>%{x:.4f}<br>%{customdata[1]}<extra></extra>",
                cliponaxis=False,
            ),
        ]
    )
    lay_out(figure, 60 + 27 * max(len(words), 3), separators)
    note_width = max(
        (sum(DOT if sign in "●○" else LETTER for sign in note) for note in notes), default=0
    )
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
        margin={"r": NUMBER + note_width},
    )
    highest = max([abs(v) for v in values], default=1.0)
    lowest = min([0.0, *values])
    figure.update_xaxes(visible=False, range=[1.05 * lowest, 1.04 * highest], fixedrange=True)
    name_rows(figure, words)
    return figure


def axis_figure(
    positions: Mapping[str, tuple[AxisPosition, ...]],
    colours: Mapping[str, str],
    ends: tuple[str, str],
    separators: str = ".,",
) -> Figure:
    """Draw the positions that each model (a key) gives, words sorted by their mean position."""
    by_word: dict[str, list[float]] = {}
    for row in (row for rows in positions.values() for row in rows):
        by_word.setdefault(row.word, []).append(row.position)
    order = sorted(by_word, key=lambda word: float(np.mean(by_word[word])))
    figure = Figure()
    for model, rows in positions.items():
        figure.add_trace(
            make_trace(
                "scatter",
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


def cosine_matrix_figure(
    words: Sequence[str], cosines: NDArray[np.floating], separators: str = ".,"
) -> Figure:
    """Draw the matrix, shape (words, words), with numbers in the cells of up to 15 words."""
    labels = [escape(word) for word in words]
    figure = Figure(
        make_trace("heatmap",
            z=cosines, x=labels, y=labels, zmin=0, zmax=1, colorscale=OCHRE_SHADES, showscale=False,
            xgap=2, ygap=2, hovertemplate="%{y}, %{x}<br>%{z:.4f}<extra></extra>",
            texttemplate="%{z:.2f}" if len(words) <= 15 else None,
        )
    )  # fmt: skip
    lay_out(figure, 90 + 34 * len(words), separators)
    figure.update_xaxes(side="top", showgrid=False, fixedrange=True, type="category")
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True, type="category")
    return figure
