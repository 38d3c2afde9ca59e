"""A word's contexts on a map, at one layer and at all, and the tree of the senses that they fall into."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from app.figures.palette import GREY, escape_label, lay_out
from app.figures.plain_figure import Figure, Trace, make_trace, panels
from embeddings.results.induced_senses import SenseFrequencies, SenseTree
from embeddings.results.sentence_answers import ContextMap

NUMBERED = 80  # up to so many points carry their number
ACROSS = 5  # small maps in a row at most
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
    layer_map: ContextMap,
    marks: ContextMarks,
    star: str,
    axes: Sequence[str] = ("", ""),
    separators: str = ".,",
) -> Figure:
    """Draw one layer; ``star`` names the static point, which lies at the contexts' mean."""
    figure = Figure()
    for group in _present_groups(marks):
        rows = [row for row, row_group in enumerate(marks.groups) if row_group == group]
        figure.add_trace(
            make_trace(
                "scatter",
                x=layer_map.coordinates[rows, 0],
                y=layer_map.coordinates[rows, 1],
                mode="markers+text" if len(marks.groups) <= NUMBERED else "markers",
                name=escape_label(group),
                text=[str(row + 1) for row in rows],
                textposition="top center",
                textfont={"size": 10},
                customdata=rows,
                hovertext=[marks.hovers[row] for row in rows],
                hovertemplate="%{hovertext}<extra></extra>",
                marker=_marker(marks, rows, [marks.colours[group]] * len(rows), 11),
                cliponaxis=False,
            )
        )
    figure.add_trace(_star_trace(star, 20))
    lay_out(figure, 580, separators)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemsizing": "constant"}
    figure.update_layout(
        showlegend=True,
        legend=legend,
        margin={"l": 8, "r": 8, "t": 60, "b": 8},
        hoverlabel={"align": "left"},
    )
    low, high = _axis_ranges([layer_map])
    figure.update_xaxes(title=axes[0], showticklabels=False, zeroline=True)
    figure.update_yaxes(title=axes[1], showticklabels=False, zeroline=True)
    for update, column in ((figure.update_xaxes, 0), (figure.update_yaxes, 1)):
        update(range=[low[column], high[column]])
    return figure


def layer_maps_figure(
    maps: Sequence[ContextMap],
    marks: ContextMarks,
    titles: Sequence[str],
    star: str,
    separators: str = ".,",
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
    colours = [marks.colours[group] for group in marks.groups]
    for layer, layer_map in enumerate(maps):
        dots = make_trace(
            "scatter",
            x=layer_map.coordinates[:, 0],
            y=layer_map.coordinates[:, 1],
            mode="markers",
            hovertext=marks.hovers,
            hovertemplate="%{hovertext}<extra></extra>",
            marker=_marker(marks, all_rows, colours, 6),
        )
        for trace in (dots, _star_trace(star, 11)):
            figure.add_trace(trace, layer // across + 1, layer % across + 1)
    lay_out(figure, 50 + 210 * rows, separators)
    low, high = _axis_ranges(maps)
    axis_style = {"showticklabels": False, "fixedrange": True, "ticks": ""}
    figure.update_xaxes(range=[low[0], high[0]], **axis_style)
    figure.update_yaxes(range=[low[1], high[1]], **axis_style)
    figure.update_annotations(font={"size": 13})
    figure.update_layout(hoverlabel={"align": "left"}, dragmode=False, margin={"t": 50})
    return figure


def _present_groups(marks: ContextMarks) -> list[str]:
    """Return the groups that have a context, in the order of their colours."""
    return [group for group in marks.colours if group in set(marks.groups)]


def _marker(
    marks: ContextMarks, rows: Sequence[int], colours: Sequence[str], size: int
) -> dict[str, Any]:
    """Return the look of some points, each of its colour; a hollow one is a ring."""
    symbols = ["circle-open" if marks.hollow[row] else "circle" for row in rows]
    width = [2 if marks.hollow[row] else 0.5 for row in rows]
    coloured_rows = zip(rows, colours, strict=True)
    lines = [colour if marks.hollow[row] else GREY for row, colour in coloured_rows]
    style = {"size": size, "color": list(colours), "symbol": symbols, "opacity": 0.9}
    return {**style, "line": {"width": width, "color": lines}}


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
LABELLED = 60  # contexts up to which each has its number on the axis
BAR = 26  # pixels of a document
SHOWN = 25  # documents that are drawn


def sense_tree_figure(
    tree: SenseTree,
    groups: Sequence[str],
    colours: Mapping[str, str],
    hovers: Sequence[str],
    axis: str,
    separators: str = ".,",
) -> Figure:
    """Draw a tree with its leaves on the left; a branch of one sense has the colour of the sense.

    Parameters
    ----------
    tree : SenseTree
    groups : sequence of str
        Sense of each context.
    colours : mapping of str to str
        By sense.
    hovers : sequence of str
        Text of each context on hover.
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    """
    figure = Figure()
    for group in (*colours, ""):
        xs: list[float | None] = []
        ys: list[float | None] = []
        for corners, members in zip(tree.links, tree.members, strict=True):
            inside = {groups[row] for row in members}
            if (inside.pop() if len(inside) == 1 else "") == group:
                xs += [*(height for _, height in corners), None]
                ys += [*(place for place, _ in corners), None]
        if xs:
            line = {"color": colours.get(group, GREY), "width": 2 if group else 1.4}
            figure.add_trace(
                make_trace(
                    "scatter",
                    x=xs,
                    y=ys,
                    mode="lines",
                    line=line,
                    hoverinfo="skip",
                    showlegend=False,
                )
            )
    for group, colour in colours.items():
        places = [place for place, row in enumerate(tree.leaves) if groups[row] == group]
        if places:
            figure.add_trace(
                make_trace(
                    "scatter",
                    x=[0.0] * len(places),
                    y=places,
                    mode="markers",
                    name=escape_label(group),
                    marker={"color": colour, "size": 9},
                    hovertext=[hovers[tree.leaves[place]] for place in places],
                    hovertemplate="%{hovertext}<extra></extra>",
                    cliponaxis=False,
                )
            )
    lay_out(figure, min(TALLEST, 110 + ROW * len(tree.leaves)), separators)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}
    figure.update_layout(
        showlegend=True,
        legend=legend,
        margin={"t": 60},
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    numbered = len(tree.leaves) <= LABELLED
    figure.update_yaxes(
        tickvals=list(range(len(tree.leaves))) if numbered else [],
        ticktext=[str(row + 1) for row in tree.leaves] if numbered else [],
        range=[len(tree.leaves) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        ticks="",
        fixedrange=True,
    )
    figure.update_xaxes(title=axis, range=[-0.02, 1.02], zeroline=False, fixedrange=True)
    return figure


def sense_frequencies_figure(
    frequencies: SenseFrequencies,
    titles: Sequence[str],
    colours: Mapping[str, str],
    axis: str,
    separators: str = ".,",
) -> Figure:
    """Draw a bar for each of the first documents or dates, in parts of the senses' colours."""
    values, counts = frequencies.values[:SHOWN], frequencies.counts[:SHOWN]
    bars = [
        make_trace(
            "bar",
            x=[row[sense] for row in counts],
            y=list(range(len(values))),
            orientation="h",
            name=escape_label(title),
            marker={"color": colours[title]},
            customdata=[escape_label(value) for value in values],
            hovertemplate=f"%{{customdata}}<br>{escape_label(title)}: %{{x}}<extra></extra>",
        )
        for sense, title in enumerate(titles)
    ]
    figure = Figure(bars)
    lay_out(figure, 110 + BAR * len(values), separators)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
    figure.update_layout(barmode="stack", showlegend=True, legend=legend, margin={"t": 60})
    figure.update_layout(dragmode=False)
    figure.update_yaxes(
        tickvals=list(range(len(values))),
        ticktext=[escape_label(_shortened(value)) for value in values],
        range=[len(values) - 0.4, -0.6],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_xaxes(title=axis, rangemode="tozero", tickformat=",d", fixedrange=True)
    return figure


def _shortened(value: str, most: int = 40) -> str:
    """Cut a name that would leave no room for the bars, in its middle."""
    return value if len(value) <= most else f"{value[: most // 2]}…{value[-most // 2 + 1 :]}"
