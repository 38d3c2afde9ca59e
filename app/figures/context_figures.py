"""A word's contexts: a map of one layer and of all, the tree and frequencies of senses, cosines as a matrix, separation by layer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.figures.label_placement import draw_paths
from app.figures.palette import BOTH_WAYS, BROWN, GREY, INDIGO, escape_label
from app.figures.plain_figure import SPARE, Figure, Trace, make_trace, panels
from app.figures.shares import cut
from embeddings.analysis.context_answers import ContextMap, SenseFrequencies, SenseTree, Separation

NUMBERED = 80  # up to so many points carry their number
ACROSS = 5  # small maps in a row at most
HOVER_LETTERS = 70  # letters of a sentence in the hover of a matrix
LINE = 56  # letters of a sentence in a line of the hover
ROOM = 0.12  # around the points, as a share of their spread
FLAT = 0.5  # of the longer axis is the shorter one at least: next to no variance looks like none


@dataclass(frozen=True)
class ContextMarks:
    """How contexts are marked: a group each (a colour a group), the text on hover, which are hollow."""

    groups: Sequence[str]
    colours: Mapping[str, str]
    hovers: Sequence[str]
    hollow: Sequence[bool]


def hover_text(sentence: str, spans: Sequence[tuple[int, int]], about: Sequence[str] = ()) -> str:
    """Return a sentence for a hover: in short lines, the word bold, ``about`` in lines below it."""
    parts, end_of_last = [], 0
    for start, end in spans:
        parts += [sentence[end_of_last:start], "\x01", sentence[start:end], "\x02"]
        end_of_last = end
    lines = wrap("".join([*parts, sentence[end_of_last:]]), LINE)
    sentence_html = "<br>".join(escape_label(line) for line in lines)
    sentence_html = sentence_html.replace("\x01", "<b>").replace("\x02", "</b>")
    return "<br>".join([sentence_html, *(f"<i>{escape_label(line)}</i>" for line in about if line)])


def context_map_figure(
    layer_map: ContextMap, marks: ContextMarks, star: str, axes: Sequence[str] = ("", "")
) -> Figure:
    """Draw one layer; ``star`` names the static point, which lies at the contexts' mean."""
    figure = Figure()
    for group in (group for group in marks.colours if group in set(marks.groups)):
        rows = [row for row, row_group in enumerate(marks.groups) if row_group == group]
        figure.draw(
            "scatter",
            mode="markers+text" if len(marks.groups) <= NUMBERED else "markers",
            name=escape_label(group),
            text=[str(row + 1) for row in rows],
            textposition="top center",
            textfont={"size": 10},
            customdata=rows,
            cliponaxis=False,
            **_points(layer_map, marks, rows, 11),
        )
    figure.add_trace(_star_trace(star, 20))
    figure.lay_out(
        580,
        showlegend=True,
        legend={"itemsizing": "constant"},
        margin={"t": 60},
        hoverlabel={"align": "left"},
    )
    low, high = _axis_ranges([layer_map])
    axis_style = {"showticklabels": False, "zeroline": True}
    figure.update_xaxes(title=axes[0], range=[low[0], high[0]], **axis_style)
    figure.update_yaxes(title=axes[1], range=[low[1], high[1]], **axis_style)
    return figure


def layer_maps_figure(
    maps: Sequence[ContextMap], marks: ContextMarks, titles: Sequence[str], star: str
) -> Figure:
    """Draw every layer small and on one scale, so that the spread itself can be compared."""
    rows = math.ceil(len(maps) / ACROSS)
    across = math.ceil(len(maps) / rows)
    figure = panels(
        rows,
        across,
        titles=[escape_label(title).replace("\n", "<br>") for title in titles],
        horizontal_spacing=0.02,
        vertical_spacing=0.2 / max(1, rows - 0.5),
    )
    all_rows = list(range(len(marks.groups)))
    for layer, layer_map in enumerate(maps):
        dots = make_trace("scatter", mode="markers", **_points(layer_map, marks, all_rows, 6))
        for trace in (dots, _star_trace(star, 11)):
            figure.add_trace(trace, layer // across + 1, layer % across + 1)
    figure.lay_out(50 + 210 * rows)
    low, high = _axis_ranges(maps)
    axis_style = {"showticklabels": False, "fixedrange": True, "ticks": ""}
    figure.update_xaxes(range=[low[0], high[0]], **axis_style)
    figure.update_yaxes(range=[low[1], high[1]], **axis_style)
    figure.update_annotations(font={"size": 13})
    figure.update_layout(hoverlabel={"align": "left"}, dragmode=False, margin={"t": 50})
    return figure


def _points(
    layer_map: ContextMap, marks: ContextMarks, rows: Sequence[int], size: int
) -> dict[str, Any]:
    """Return places, texts on hover and look of some points, each in its group's colour; a hollow one is a ring."""
    colours = [marks.colours[marks.groups[row]] for row in rows]
    hollow = [marks.hollow[row] for row in rows]
    lines = [c if is_ring else GREY for c, is_ring in zip(colours, hollow, strict=True)]
    return {
        "x": layer_map.coordinates[rows, 0],
        "y": layer_map.coordinates[rows, 1],
        "hovertext": [marks.hovers[row] for row in rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {
            "size": size,
            "color": colours,
            "symbol": ["circle-open" if is_ring else "circle" for is_ring in hollow],
            "opacity": 0.9,
            "line": {"width": [2 if is_ring else 0.5 for is_ring in hollow], "color": lines},
        },
    }


def _star_trace(name: str, size: int) -> Trace:
    """Return the static point."""
    return make_trace(
        "scatter",
        x=[0.0],
        y=[0.0],
        mode="markers",
        name=escape_label(name),
        hovertemplate=f"{escape_label(name)}<extra></extra>",
        marker={
            "symbol": "star",
            "size": size,
            "color": "#ffffff",
            "line": {"width": 1.8, "color": "#22201c"},
        },
    )


def _axis_ranges(maps: Sequence[ContextMap]) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest coordinates of all maps, with room around them."""
    points = np.vstack([np.zeros((1, 2)), *(layer_map.coordinates for layer_map in maps)])
    low, high = points.min(axis=0), points.max(axis=0)
    spread = high - low
    extent = np.maximum(spread, FLAT * spread.max()) if spread.any() else np.ones(2)
    half = (0.5 + ROOM) * extent
    return (low + high) / 2 - half, (low + high) / 2 + half


ROW = 18  # pixels of a context
TALLEST = 900  # pixels of a tree; more contexts stand closer
LABELLED = 60  # contexts up to which each has its number on an axis
BAR = 26  # pixels of a document
MAX_DRAWN_DOCUMENTS = 25  # documents that are drawn
LONGEST_DOCUMENT_NAME = 40  # letters of its name: a longer one would leave no room for the bars


def sense_tree_figure(tree: SenseTree, marks: ContextMarks, axis: str) -> Figure:
    """Draw a tree with its leaves on the left; a branch of one sense has the colour of the sense.

    Parameters
    ----------
    tree : SenseTree
    marks : ContextMarks
        Groups are senses.
    axis : str
        Title of the axis.
    """
    groups, colours = marks.groups, marks.colours
    figure = Figure()
    for group in (*colours, ""):
        paths = []
        for corners, members in zip(tree.links, tree.members, strict=True):
            inside = {groups[row] for row in members}
            if (inside.pop() if len(inside) == 1 else "") == group:
                paths.append([(height, place) for place, height in corners])
        if paths:
            line = {"color": colours.get(group, GREY), "width": 2 if group else 1.4}
            draw_paths(figure, paths, line)
    for group, colour in colours.items():
        places = [place for place, row in enumerate(tree.leaves) if groups[row] == group]
        if places:
            figure.draw(
                "scatter",
                x=[0.0] * len(places),
                y=places,
                mode="markers",
                name=escape_label(group),
                marker={"color": colour, "size": 9},
                hovertext=[marks.hovers[tree.leaves[place]] for place in places],
                hovertemplate="%{hovertext}<extra></extra>",
                cliponaxis=False,
            )
    look = {"showlegend": True, "margin": {"t": 60}, "hoverlabel": {"align": "left"}}
    figure.lay_out(min(TALLEST, 110 + ROW * len(tree.leaves)), **look, dragmode=False)
    numbers = [str(row + 1) for row in tree.leaves]
    figure.name_rows(numbers, showticklabels=len(numbers) <= LABELLED, tickfont={"size": 12})
    figure.update_xaxes(title=axis, range=[-0.02, 1.02], zeroline=False, fixedrange=True)
    return figure


def sense_frequencies_figure(
    frequencies: SenseFrequencies, colours: Mapping[str, str], hovers: Sequence[str], axis: str
) -> Figure:
    """Draw a bar for each of the first documents or dates, in parts of the senses' colours, as long as uses in 10 000 words, or uses.

    ``colours`` are by sense, in order. ``hovers`` are the texts on hover: of all senses of the first document, then of the next.
    """
    values = frequencies.values[:MAX_DRAWN_DOCUMENTS]
    lengths = (frequencies.per_10_000 or frequencies.counts)[:MAX_DRAWN_DOCUMENTS]
    figure = Figure()
    for sense, (title, colour) in enumerate(colours.items()):
        name = escape_label(title)
        of_sense = zip(values, hovers[sense :: len(colours)], strict=False)
        figure.draw(
            "bar",
            x=[row[sense] for row in lengths],
            y=list(range(len(values))),
            orientation="h",
            name=name,
            marker={"color": colour},
            customdata=[f"{escape_label(value)}<br>{name}<br>{hover}" for value, hover in of_sense],
            hovertemplate="%{customdata}<extra></extra>",
        )
    look = {"barmode": "stack", "showlegend": True, "margin": {"t": 60}, "dragmode": False}
    figure.lay_out(110 + BAR * len(values), **look, legend={"traceorder": "normal"})
    figure.name_rows([escape_label(cut(value, LONGEST_DOCUMENT_NAME)) for value in values])
    figure.update_xaxes(title=axis, rangemode="tozero", fixedrange=True)
    return figure


LEAST_AXIS = 0.2  # of the silhouette, at least, on its axis


@dataclass(frozen=True)
class MatrixOrder:
    """Rows of the matrix in the order in which they are drawn, the size of each group among them."""

    rows: Sequence[int]
    sizes: Sequence[int]


def similarity_figure(
    cosines: NDArray[np.floating], baseline: float, order: MatrixOrder, sentences: Sequence[str]
) -> Figure:
    """Draw contexts by contexts, white where two are as alike as two random words (``baseline``).

    Parameters
    ----------
    cosines : NDArray, shape (contexts, contexts)
    baseline : float
        Mean cosine of random pairs at the same layer.
    order : MatrixOrder
    sentences : sequence of str
        Shown on hover.
    """
    rows = list(order.rows)
    matrix = np.array(np.asarray(cosines, np.float64)[np.ix_(rows, rows)])
    off_diagonal = matrix[~np.eye(len(rows), dtype=bool)]
    reach = max(float(np.abs(off_diagonal - baseline).max(initial=0.0)), 0.05)
    np.fill_diagonal(matrix, np.nan)
    hover_texts = [f"{row + 1}. {escape_label(cut(sentences[row], HOVER_LETTERS))}" for row in rows]
    figure = Figure().draw(
        "heatmap",
        z=matrix,
        zmin=baseline - reach,
        zmax=baseline + reach,
        colorscale=BOTH_WAYS,
        customdata=[[f"{across}<br>{down}" for across in hover_texts] for down in hover_texts],
        hovertemplate="%{customdata}<br><b>%{z:.3f}</b><extra></extra>",
        xgap=1,
        ygap=1,
        colorbar={"thickness": 10, "outlinewidth": 0, "tickformat": ".2f"},
    )
    height = max(360, min(760, 120 + 15 * len(rows)))
    figure.lay_out(height, hoverlabel={"align": "left"}, dragmode=False)
    ticks = list(range(len(rows))) if len(rows) <= LABELLED else []
    numbers = {"tickvals": ticks, "ticktext": [str(rows[tick] + 1) for tick in ticks]}
    axis_style = {**numbers, "tickfont": {"size": 10}, "constrain": "domain", **SPARE}
    figure.update_xaxes(side="top", **axis_style)
    figure.update_yaxes(autorange="reversed", scaleanchor="x", **axis_style)
    start = 0
    for size in order.sizes:
        corner = {"x0": start - 0.5, "y0": start - 0.5}
        start += size
        figure.add_shape(
            type="rect", **corner, x1=start - 0.5, y1=start - 0.5, line={"width": 2, "color": GREY}
        )
    return figure


def separation_figure(separation: Separation, names: Mapping[str, str]) -> Figure:
    """Draw separation by layer at the left, mean cosines of pairs by layer at the right.

    ``names`` has what the axis ("layer") and the curves are called: "silhouette"; pairs "within" a sense, "between" senses, at "random".
    """
    pair_title = f"{names['within']} · {names['between']}"
    figure = panels(1, 2, horizontal_spacing=0.09, titles=(names["silhouette"], pair_title))
    layers = list(range(len(separation.silhouette)))
    lines = (
        (separation.silhouette, "silhouette", GREY, "solid", 1),
        (separation.within, "within", INDIGO, "solid", 2),
        (separation.between, "between", BROWN, "dash", 2),
        (separation.baseline, "random", GREY, "dot", 2),
    )
    x_title = escape_label(names["layer"])
    for values, key, colour, dash, column in lines:
        name = escape_label(names[key])
        figure.draw(
            "scatter",
            x=layers,
            y=[None if np.isnan(value) else float(value) for value in values],
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"size": 8},
            showlegend=column == 2,
            hovertemplate=f"{x_title} %{{x}}<br>%{{y:.3f}}<extra>{name}</extra>",
            col=column,
        )
    legend = {"y": 1.04, "x": 1, "xanchor": "right"}
    figure.lay_out(330, showlegend=True, legend=legend, margin={"t": 50})
    figure.update_xaxes(title=names["layer"], tickvals=layers, fixedrange=True)
    figure.update_yaxes(fixedrange=True, tickformat=".2f")
    figure.update_yaxes(range=_axis_range(separation.silhouette), col=1)
    figure.layout["annotations"][1]["text"] = ""
    figure.update_annotations(font={"size": 14})
    return figure


def _axis_range(values: NDArray[np.floating]) -> tuple[float, float] | None:
    """Return the ends of an axis at least `LEAST_AXIS` long, so that a tiny change looks tiny."""
    finite = np.asarray(values, np.float64)
    finite = finite[~np.isnan(finite)]
    if not finite.size:
        return None
    low, high = float(finite.min()), float(finite.max())
    half = max(0.55 * (high - low), LEAST_AXIS / 2)
    return (low + high) / 2 - half, (low + high) / 2 + half
