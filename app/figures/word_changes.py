"""Words that changed: the shift of each, and that of retraining alone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.figures.palette import BROWN, GREY, lay_out, name_rows
from app.figures.plain_figure import Figure, make_trace
from embeddings.results.word_changes import WordChange

ROW = 27  # pixels of a line


def changes_figure(
    words: Sequence[WordChange], titles: tuple[str, str], separators: str = ".,"
) -> Figure:
    """Draw words from the surest down: a dot at the movement, a ring at that of retraining, named by ``titles``."""
    rows = list(range(len(words)))
    names = [escape(word.word) for word in words]
    between = [end for word in words for end in (word.retraining, word.movement, None)]
    figure = Figure(
        make_trace(
            "scatter",
            x=between,
            y=[end for row in rows for end in (row, row, None)],
            mode="lines",
            line={"color": BROWN, "width": 1.5},
            opacity=0.5,
            hoverinfo="skip",
            showlegend=False,
        )
    )
    points = (
        (titles[0], [word.movement for word in words], {"color": BROWN, "size": 11}),
        (
            titles[1],
            [word.retraining for word in words],
            {"color": GREY, "size": 9, "symbol": "circle-open", "line": {"width": 2}},
        ),
    )
    for title, values, marker in points:
        figure.add_trace(
            make_trace(
                "scatter",
                x=values,
                y=rows,
                mode="markers",
                name=escape(title),
                marker=marker,
                text=names,
                hovertemplate="%{text}<br>%{x:.3f}",
            )
        )
    lay_out(figure, 100 + ROW * max(len(words), 3), separators)
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    )
    figure.update_xaxes(rangemode="tozero", tickformat=".2f", fixedrange=True)
    name_rows(figure, names)
    return figure
