"""Models and texts compared: overlap and movement of words, both models' words on one map, scores as dots, ranges over trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from app.figures.label_placement import draw_arrows, fit_plane, place_labels
from app.figures.palette import BROWN, GREY, ORANGE, PURPLE, lay_out, model_colours, name_rows
from app.figures.plain_figure import Figure, panels
from app.figures.shares import percent, share_ticks
from embeddings.analysis.vector_answers import (
    AnalogyScore,
    CommonMap,
    ComparedWord,
    ModelScore,
    NeighbourSpread,
    WordChange,
)

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
        figure.draw(
            "bar",
            x=values,
            y=rows,
            text=labels,
            textposition="outside",
            cliponaxis=False,
            customdata=[escape(word.word) for word in words],
            hovertemplate="%{customdata}<br>%{text}<extra></extra>",
            **bar,
            row=1,
            col=column,
        )
        reach = 1.2 * (max(values, default=0.0) or 1.0)
        figure.update_xaxes(range=[0, reach], fixedrange=True, nticks=4, row=1, col=column)
    figure.update_xaxes(**share_ticks(max(overlaps, default=0.0) or 1.0, separators), col=1)
    figure.update_xaxes(tickformat=".2f", col=2)
    lay_out(figure, 90 + 24 * max(4, len(words)), separators, margin={"t": 44})
    name_rows(figure, [escape(word.word) for word in words])
    figure.update_annotations(font={"size": 14}, yshift=6)
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
    lay_out(figure, 620, separators, showlegend=True, margin={"t": 40})
    ends = [(*b, *a) for a, b in zip(common.first, common.second, strict=True)]
    draw_arrows(figure, ends, arrowwidth=1.3, arrowcolor=ARROW, standoff=5, startstandoff=4)
    fit_plane(figure, stacked, axes, 0.08, showticklabels=False)
    return figure


ROW = 27  # pixels of a line


def changes_figure(
    words: Sequence[WordChange], titles: tuple[str, str], separators: str = ".,"
) -> Figure:
    """Draw words from the surest down: a dot at the movement, a ring at that of retraining, named by ``titles``."""
    rows = list(range(len(words)))
    names = [escape(word.word) for word in words]
    between = [end for word in words for end in (word.retraining, word.movement, None)]
    figure = Figure().draw(
        "scatter",
        x=between,
        y=[end for row in rows for end in (row, row, None)],
        mode="lines",
        line={"color": BROWN, "width": 1.5},
        opacity=0.5,
        hoverinfo="skip",
        showlegend=False,
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
        figure.draw(
            "scatter",
            x=values,
            y=rows,
            mode="markers",
            name=escape(title),
            marker=marker,
            text=names,
            hovertemplate="%{text}<br>%{x:.3f}",
        )
    lay_out(figure, 100 + ROW * max(len(words), 3), separators, showlegend=True)
    figure.update_xaxes(rangemode="tozero", tickformat=".2f", fixedrange=True)
    name_rows(figure, names)
    return figure


MEASURE_SYMBOLS = {"accuracy": "circle", "spearman": "diamond"}


def category_scores_figure(
    scores: Mapping[str, AnalogyScore],
    colours: Mapping[str, str],
    names: Mapping[str, str],
    hover: str,
    separators: str = ".,",
) -> Figure:
    """Draw the share of right answers of each model (a key) in each category, best category on top.

    ``names`` says what a category is called, ``hover`` has the fields ``{correct}``, ``{covered}``
    and ``{total}``.
    """
    shares: dict[str, list[float]] = {}
    for section in (s for score in scores.values() for s in score.sections if s.covered):
        shares.setdefault(section.name, []).append(section.correct / section.covered)
    order = sorted(shares, key=lambda name: -sum(shares[name]) / len(shares[name]))
    figure = Figure()
    for model, score in scores.items():
        rows = [section for section in score.sections if section.covered]
        figure.draw(
            "scatter",
            x=[row.correct / row.covered for row in rows],
            y=[order.index(row.name) for row in rows],
            mode="markers",
            name=escape(model),
            marker={"size": 12, "color": colours[model], "opacity": 0.85},
            text=[
                hover.format(correct=row.correct, covered=row.covered, total=row.total)
                for row in rows
            ],
            hovertemplate="%{x:.1%}<br>%{text}",
        )
    look = {"showlegend": len(scores) > 1, "margin": {"r": 16, "t": 40}}
    lay_out(figure, 90 + ROW * max(3, len(order)), separators, **look)
    figure.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", fixedrange=True)
    name_rows(figure, [escape(names.get(name, name)) for name in order], showgrid=True)
    return figure


def scores_by_set_figure(
    scores: Sequence[ModelScore], words: Mapping[str, str], separators: str = ".,"
) -> Figure:
    """Draw every score in the row of its test set, in the colour of its method; hover names the model.

    ``words`` say "accuracy", "spearman" and "covered".
    """
    sets = list(dict.fromkeys(score.test_set for score in scores))
    methods = list(dict.fromkeys(score.method for score in scores))
    figure = Figure()
    for method, colour in zip(methods, model_colours(methods), strict=True):
        chosen = [score for score in scores if score.method == method]
        figure.draw(
            "scatter",
            x=[score.value for score in chosen],
            y=[sets.index(score.test_set) for score in chosen],
            mode="markers",
            name=escape(method or "–"),
            marker={
                "size": 12,
                "color": colour,
                "symbol": [MEASURE_SYMBOLS.get(score.measure, "circle") for score in chosen],
                "opacity": 0.85,
            },
            text=[_dot_label(score, words) for score in chosen],
            hovertemplate="%{text}<br>%{x:.3f}<extra></extra>",
        )
    look = {"showlegend": len(methods) > 1, "margin": {"r": 16, "t": 40}}
    lay_out(figure, 90 + ROW * max(3, len(sets)), separators, **look)
    low = min(0.0, *(score.value for score in scores)) - 0.02
    title = f"{words['accuracy']} ●  {words['spearman']} ◆"
    figure.update_xaxes(range=[low, 1.02], fixedrange=True, title=title)
    name_rows(figure, [escape(name) for name in sets], showgrid=True)
    return figure


def _dot_label(score: ModelScore, words: Mapping[str, str]) -> str:
    """Return model, measure and coverage of a dot."""
    measure = words.get(score.measure, score.measure)
    covered = f", {words['covered']} {score.covered}/{score.total}" if score.total else ""
    return f"{escape(score.model)}: {escape(measure)}{covered}"


def ranges_figure(
    neighbours: Sequence[NeighbourSpread], colour: str, separators: str = ".,"
) -> Figure:
    """Draw neighbours from the nearest down: a dot at the mean, a bar from the lowest to the highest cosine of the runs."""
    rows = list(range(len(neighbours)))
    means = [near.cosine.mean for near in neighbours]
    below = [near.cosine.mean - near.cosine.lowest for near in neighbours]
    above = [near.cosine.highest - near.cosine.mean for near in neighbours]
    ends = [(near.cosine.lowest, near.cosine.highest) for near in neighbours]
    figure = Figure().draw(
        "scatter",
        x=means,
        y=rows,
        mode="markers",
        marker={"size": 9, "color": colour},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": above,
            "arrayminus": below,
            "color": colour,
            "thickness": 2,
            "width": 4,
        },
        text=[escape(near.word) for near in neighbours],
        customdata=ends,
        hovertemplate="%{text}<br>%{x:.3f} (%{customdata[0]:.3f} – %{customdata[1]:.3f})<extra></extra>",
    )
    lay_out(figure, 60 + ROW * max(len(neighbours), 3), separators)
    figure.update_xaxes(tickformat=".2f", fixedrange=True)
    name_rows(figure, [escape(near.word) for near in neighbours])
    return figure
