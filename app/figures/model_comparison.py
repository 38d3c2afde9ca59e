"""Models and texts compared: overlap and movement of words, both models' words on one map, scores as dots, ranges over trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from statistics import fmean
from typing import Any

import numpy as np

from app.figures.label_placement import draw_arrows, draw_paths, fit_plane, place_labels
from app.figures.palette import BROWN, GREY, ORANGE, PURPLE
from app.figures.plain_figure import Figure, panels
from app.figures.shares import decimal, percent
from embeddings.analysis.comparison_answers import (
    CommonMap,
    ComparedWord,
    NeighbourSpread,
    WordChange,
)
from embeddings.analysis.score_answers import AnalogyScore

PLOT = (430, 480)  # pixels of the map beside the bars
ARROW = "rgba(138,138,138,0.75)"


def agreement_figure(
    words: Sequence[ComparedWord], titles: tuple[str, str], separators: str = ".,"
) -> Figure:
    """Draw one row per word, in the order given: overlap at the left, movement at the right."""
    figure = panels(1, 2, shared_yaxes=True, horizontal_spacing=0.06, titles=titles)
    rows = list(range(len(words)))
    names = [escape(word.word) for word in words]
    shares = [percent(word.overlap, 0, separators) for word in words]
    movements = [decimal(word.movement, 2, separators) for word in words]
    sides = (
        ([100 * word.overlap for word in words], PURPLE, shares),
        ([word.movement for word in words], ORANGE, movements),
    )
    for column, (values, colour, labels) in enumerate(sides, 1):
        figure.draw(
            "bar",
            x=values,
            y=rows,
            width=0.6,
            marker={"color": colour},
            orientation="h",
            text=labels,
            textposition="outside",
            cliponaxis=False,
            customdata=names,
            hovertemplate="%{customdata}<br>%{text}<extra></extra>",
            col=column,
        )
        reach = 1.2 * (max(values, default=0.0) or 1.0)
        # Each bar has its number; those of the two axes would touch where the panels meet.
        spare = {"showticklabels": False, "showgrid": False}
        figure.update_xaxes(range=[0, reach], fixedrange=True, **spare, col=column)
    figure.lay_out(90 + 24 * max(4, len(words)), margin={"t": 44})
    figure.name_rows(names)
    figure.update_annotations(font={"size": 14}, yshift=6)
    return figure


def movement_figure(
    common: CommonMap,
    names: tuple[str, str],
    colours: tuple[str, str],
    axes: Sequence[str] = ("", ""),
) -> Figure:
    """Draw both models' words in one plane, an arrow from the first model's place to the second's."""
    words, count = [escape(word) for word in common.words], len(common.words)
    stacked = np.vstack([common.second, common.first])
    lines = [(row, count + row) for row in range(count)]
    text_positions = place_labels(stacked, [*common.words, *[""] * count], PLOT, lines=lines)
    figure = Figure()
    sides = (
        (common.first, "markers", 7, "circle-open"),
        (common.second, "markers+text", 9, "circle"),
    )
    for (coordinates, mode, size, symbol), name, colour in zip(sides, names, colours, strict=True):
        figure.draw(
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
    figure.lay_out(620, showlegend=True, margin={"t": 40})
    ends = [(*b, *a) for a, b in zip(common.first, common.second, strict=True)]
    draw_arrows(figure, ends, arrowwidth=1.3, arrowcolor=ARROW, standoff=5, startstandoff=4)
    fit_plane(figure, stacked, axes, 0.08, showticklabels=False)
    return figure


ROW = 27  # pixels of a line


def draw_row_dots(
    figure: Figure,
    values: Sequence[float],
    texts: Sequence[str],
    look: Mapping[str, Any],
    hover: str,
    rows: Sequence[float] = (),
    **options: Any,
) -> None:
    """Draw a dot in each row, or in those that ``rows`` says, with its text on hover; ``look`` is its colour, size and symbol."""
    at = rows or list(range(len(values)))
    figure.draw(
        "scatter",
        x=values,
        y=at,
        mode="markers",
        marker=look,
        text=texts,
        hovertemplate=hover,
        **options,
    )


def changes_figure(words: Sequence[WordChange], titles: tuple[str, str]) -> Figure:
    """Draw words from the surest down: a dot at the movement, a ring at that of retraining, named by ``titles``."""
    names = [escape(word.word) for word in words]
    movements = [word.movement for word in words]
    retrainings = [word.retraining for word in words]
    figure = Figure()
    pairs = enumerate(zip(retrainings, movements, strict=True))
    paths = (((start, row), (end, row)) for row, (start, end) in pairs)
    draw_paths(figure, paths, {"color": BROWN, "width": 1.5}, opacity=0.5)
    ring = {"color": GREY, "size": 9, "symbol": "circle-open", "line": {"width": 2}}
    dot = {"color": BROWN, "size": 11}
    for title, values, marker in zip(titles, (movements, retrainings), (dot, ring), strict=True):
        draw_row_dots(figure, values, names, marker, "%{text}<br>%{x:.3f}", name=escape(title))
    figure.lay_out(100 + ROW * max(len(words), 3), showlegend=True)
    figure.update_xaxes(rangemode="tozero", tickformat=".2f", fixedrange=True)
    figure.name_rows(names)
    return figure


def dots_by_model(
    values: Mapping[str, Sequence[tuple[str, float, str]]], colours: Mapping[str, str], hover: str
) -> tuple[Figure, list[str]]:
    """Draw a row for each name, the one of the largest mean on top, and a dot for each model (a key); return the names too.

    Parameters
    ----------
    values : mapping of str to sequence of (str, float, str)
        By model: name of the row, value, text on hover.
    colours : mapping of str to str
        By model.
    hover : str
        How Plotly writes value and text on hover.
    """
    by_name: dict[str, list[float]] = {}
    for name, value, _ in (row for rows in values.values() for row in rows):
        by_name.setdefault(name, []).append(value)
    order = sorted(by_name, key=lambda name: -fmean(by_name[name]))
    figure = Figure()
    for model, rows in values.items():
        values_of_model = [value for _, value, _ in rows]
        texts = [escape(text) for _, _, text in rows]
        look = {"size": 12, "color": colours[model], "opacity": 0.85}
        at = [order.index(name) for name, _, _ in rows]
        draw_row_dots(figure, values_of_model, texts, look, hover, at, name=escape(model))
    return figure, order


def category_scores_figure(
    scores: Mapping[str, AnalogyScore],
    colours: Mapping[str, str],
    names: Mapping[str, str],
    hover: str,
) -> Figure:
    """Draw the share of right answers of each model (a key) in each category, best category on top.

    ``names`` says what a category is called, ``hover`` has the fields ``{correct}``, ``{covered}``
    and ``{total}``.
    """
    values = {
        model: [
            (
                row.name,
                row.correct / row.covered,
                hover.format(correct=row.correct, covered=row.covered, total=row.total),
            )
            for row in score.sections
            if row.covered
        ]
        for model, score in scores.items()
    }
    figure, order = dots_by_model(values, colours, "%{x:.1%}<br>%{text}")
    look = {"showlegend": len(scores) > 1, "margin": {"r": 16, "t": 40}}
    figure.lay_out(90 + ROW * max(3, len(order)), **look)
    figure.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", fixedrange=True)
    figure.name_rows([escape(names.get(name, name)) for name in order], showgrid=True)
    return figure


def ranges_figure(neighbours: Sequence[NeighbourSpread], colour: str) -> Figure:
    """Draw neighbours from the nearest down: a dot at the mean, a bar from the lowest to the highest cosine of the runs."""
    names = [escape(near.word) for near in neighbours]
    spans = [near.cosine for near in neighbours]
    bar = {"type": "data", "symmetric": False, "color": colour, "thickness": 2, "width": 4}
    above = [span.highest - span.mean for span in spans]
    below = [span.mean - span.lowest for span in spans]
    figure = Figure()
    draw_row_dots(
        figure,
        [span.mean for span in spans],
        names,
        {"size": 9, "color": colour},
        "%{text}<br>%{x:.3f} (%{customdata[0]:.3f} – %{customdata[1]:.3f})<extra></extra>",
        error_x={**bar, "array": above, "arrayminus": below},
        customdata=[(span.lowest, span.highest) for span in spans],
    )
    figure.lay_out(60 + ROW * max(len(neighbours), 3))
    figure.update_xaxes(tickformat=".2f", fixedrange=True)
    figure.name_rows(names)
    return figure
