"""The laboratory's curves and bars: a series looks the same in all drawings of an experiment, and no two look alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import Any

from app.figures.palette import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INDIGO,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    WINE,
    YELLOW,
)
from app.figures.plain_figure import Figure, Trace, make_trace
from embeddings.lab.experiment import Drawing, Series

DASHES = ("solid", "dash", "dot", "dashdot")
MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, YELLOW, WINE, BROWN, INDIGO)  # grey: chance
LINE = 22  # pixels of a line of the legend
WIDE = 27  # letters of a bar's label before it breaks


Look = tuple[str, str, str]  # colour of a series, and dash and mark of its line


def series_looks(drawings: Sequence[Drawing]) -> dict[str, Look]:
    """Return a look for each series of an experiment by its name.

    Those that show at first come first and have a colour each while there are colours; past them dash and mark differ.
    """
    series = [each for drawing in drawings for each in drawing.series]
    names = dict.fromkeys(each.name for each in sorted(series, key=lambda each: not each.main))
    # A line of ten colours is shifted by one against the dashes and marks of the line before it.
    rounds = [(number, number + number // len(COLOURS)) for number in range(len(names))]
    cycled = [
        (COLOURS[number % len(COLOURS)], DASHES[shifted % len(DASHES)], MARKS[shifted % len(MARKS)])
        for number, shifted in rounds
    ]
    return dict(zip(names, cycled, strict=True))


def lab_figure(
    drawing: Drawing,
    names: Callable[[str], str],
    axes: tuple[str, str],
    looks: Mapping[str, Look],
) -> Figure:
    """Draw curves over an axis, or bars one below the other.

    Parameters
    ----------
    drawing : Drawing
    names : callable
        What a code of a series or bar is called.
    axes : (str, str)
        Titles of the axes of places and of values; for bars only that of the values is written.
    looks : mapping of str to Look
        Those of all drawings that are shown next to this one.
    """
    figure = Figure()
    for series in drawing.series:
        figure.add_trace(_trace(drawing, series, names, looks[series.name]))
    legend = len(drawing.series) > 1
    height = _figure_height(drawing)
    figure.lay_out(
        height + legend * LINE * len(drawing.series),
        showlegend=legend,
        legend={"orientation": "v", "y": -64 / height, "yanchor": "top"},
        margin={"r": 40 if drawing.kind == "bars" else 12, "t": 12},
        dragmode="zoom",
    )
    line = {"color": GREY, "width": 1, "dash": "dot"}
    if drawing.kind == "lines":
        figure.update_xaxes(title=escape(axes[0]))
        figure.update_yaxes(title=escape(axes[1]))
        if drawing.reference is not None:
            figure.add_hline(y=drawing.reference, line=line)
        return figure
    figure.update_layout(bargap=0.3)
    figure.update_xaxes(title=escape(axes[1]), fixedrange=True)
    labels = [wrap(names(str(label)), WIDE) for label in drawing.series[0].x]
    rows = ["<br>".join(map(escape, lines)) for lines in labels]
    figure.name_rows(rows, showgrid=drawing.kind == "dots", tickfont=None)
    if drawing.reference is not None:
        figure.add_vline(x=drawing.reference, line=line)
    return figure


def _figure_height(drawing: Drawing) -> int:
    """Return the pixels of a figure without its legend."""
    if drawing.kind == "lines":
        return 380
    rows, bars = len(drawing.series[0].x), len(drawing.series) if drawing.kind == "bars" else 1
    return 110 + (30 if bars == 1 else 24 * bars) * rows


def _trace(drawing: Drawing, series: Series, names: Callable[[str], str], look: Look) -> Trace:
    """Return a line, a mark in each row, or bars with their values."""
    colour, dash, mark = look
    errors = {"type": "data", "array": series.spread, "color": GREY, "thickness": 1.5}
    common: dict[str, Any] = {"name": escape(names(series.name))}
    error_bars = errors if series.spread else None
    if drawing.kind == "lines":
        return make_trace(
            "scatter",
            x=series.x,
            y=series.y,
            mode="lines+markers",
            visible=True if series.main else "legendonly",
            line={"color": colour, "width": 2, "dash": dash},
            marker={"color": colour, "size": 6, "symbol": mark},
            error_y=error_bars,
            hovertemplate="%{x:,.4~g}<br>%{y:.2f}",
            **common,
        )
    common["y"] = list(range(len(series.x)))
    common["hovertext"] = [escape(names(str(label))) for label in series.x]
    if drawing.kind == "dots":
        marker = {"color": colour, "symbol": mark, "size": 11, "opacity": 0.85}
        hover = "%{hovertext}<br>%{x:.3f}"
        return make_trace(
            "scatter", x=series.y, mode="markers", marker=marker, hovertemplate=hover, **common
        )
    return make_trace(
        "bar",
        x=series.y,
        orientation="h",
        marker={"color": colour},
        error_x=error_bars,
        texttemplate="%{x:.1f}",
        textposition="none" if series.spread else "outside",
        cliponaxis=False,
        hovertemplate="%{hovertext}<br>%{x:.3f}",
        **common,
    )
