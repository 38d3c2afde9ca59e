"""Two models, or two texts, compared: overlap and movement a word, both models' words on one map, the words that changed most."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from app.figures.label_placement import place_labels
from app.figures.palette import BROWN, GREY, ORANGE, PURPLE, lay_out, name_rows
from app.figures.plain_figure import Figure, make_trace, panels
from app.figures.shares import percent, share_ticks
from embeddings.results.vector_answers import CommonMap, ComparedWord, WordChange

PLOT = (430, 480)  # pixels of the map beside the bars
ARROW = "rgba(138,138,138,0.75)"


def agreement_figure(
    words: Sequence[ComparedWord], titles: tuple[str, str], separators: str = ".,"
) -> Figure:
    """Draw one row per word, in the order given: overlap at the left, movement at the right."""
    figure = panels(1, 2, shared_yaxes=True, horizontal_spacing=0.06, titles=titles)
    rows = list(range(len(words)))
    overlaps, movements = [word.overlap for word in words], [word.movement for word in words]
    decimal_point = separators[0]
    sides = (
        (overlaps, PURPLE, [percent(share, 0, separators) for share in overlaps]),
        (movements, ORANGE, [f"{value:z.2f}".replace(".", decimal_point) for value in movements]),
    )
    for column, (values, colour, labels) in enumerate(sides, 1):
        bar = {"width": 0.6, "marker": {"color": colour}, "orientation": "h"}
        figure.add_trace(
            make_trace(
                "bar",
                x=values,
                y=rows,
                text=labels,
                textposition="outside",
                cliponaxis=False,
                customdata=[escape(word.word) for word in words],
                hovertemplate="%{customdata}<br>%{text}<extra></extra>",
                **bar,
            ),
            1,
            column,
        )
        reach = 1.2 * (max(values, default=0.0) or 1.0)
        figure.update_xaxes(range=[0, reach], fixedrange=True, nticks=4, row=1, col=column)
    figure.update_xaxes(**share_ticks(max(overlaps, default=0.0) or 1.0, separators), col=1)
    figure.update_xaxes(tickformat=".2f", col=2)
    lay_out(figure, 90 + 24 * max(4, len(words)), separators)
    name_rows(figure, [escape(word.word) for word in words])
    figure.update_annotations(font={"size": 14}, yshift=6)
    figure.update_layout(margin={"t": 44})
    return figure


def movement_figure(
    common: CommonMap,
    names: tuple[str, str],
    colours: tuple[str, str],
    axes: Sequence[str] = ("", ""),
    separators: str = ".,",
) -> Figure:
    """Draw both models' words in one plane, an arrow from the first model's place to the second's."""
    words, count = [escape(word) for word in common.words], len(common.words)
    stacked = np.vstack([common.second, common.first])
    lines = [(row, count + row) for row in range(count)]
    text_positions = place_labels(stacked, [*common.words, *[""] * count], *PLOT, lines=lines)
    figure = Figure()
    sides = (
        (common.first, "markers", 7, "circle-open"),
        (common.second, "markers+text", 9, "circle"),
    )
    for (coordinates, mode, size, symbol), name, colour in zip(sides, names, colours, strict=True):
        figure.add_trace(
            make_trace(
                "scatter",
                x=coordinates[:, 0],
                y=coordinates[:, 1],
                mode=mode,
                name=escape(name),
                text=words,
                textposition=text_positions[:count],
                textfont={"size": 13},
                marker={"size": size, "color": colour, "symbol": symbol, "line": {"width": 2}},
                hovertemplate=f"%{{text}}<extra>{escape(name)}</extra>",
                cliponaxis=False,
            )
        )
    lay_out(figure, 620, separators)
    arrow_style = {
        "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "", "showarrow": True,
        "arrowhead": 2, "arrowsize": 1, "arrowwidth": 1.3, "arrowcolor": ARROW,
        "standoff": 5, "startstandoff": 4,
    }  # fmt: skip
    ends = [(*b, *a) for a, b in zip(common.first, common.second, strict=True)]
    figure.update_layout(
        annotations=[{**arrow_style, "x": x, "y": y, "ax": ax, "ay": ay} for x, y, ax, ay in ends],
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
    )
    for update, column, title in (
        (figure.update_xaxes, 0, axes[0]),
        (figure.update_yaxes, 1, axes[1]),
    ):
        low, high = stacked[:, column].min(), stacked[:, column].max()
        room = 0.08 * ((high - low) or 1.0)
        update(range=[low - room, high + room], title=title, showticklabels=False)
    return figure


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
