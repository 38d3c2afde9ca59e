"""The laboratory's curves and bars: a series looks the same in all drawings of an experiment, and no two look alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
PATTERNS = ("", "/", ".", "x")
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, YELLOW, WINE, BROWN, INDIGO)  # grey: chance
LINE = 22  # pixels of a line of the legend
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)  # of a logarithmic axis
WIDE = 27  # letters of a bar's label before it breaks


@dataclass(frozen=True, slots=True)
class SeriesLook:
    """How a series is drawn: colour, and by the kind of drawing dash, mark or pattern."""

    colour: str
    dash: str
    mark: str
    pattern: str


def series_looks(drawings: Sequence[Drawing]) -> dict[str, SeriesLook]:
    """Return a look for each series of an experiment by its name.

    Those that show at first come first and have a colour each while there are colours; past them dash, mark and pattern differ.
    """
    series = [each for drawing in drawings for each in drawing.series]
    shown = [each.name for each in series if each.main]
    looks = {}
    for index, name in enumerate(dict.fromkeys([*shown, *(each.name for each in series)])):
        again = index // len(COLOURS)
        looks[name] = SeriesLook(
            COLOURS[index % len(COLOURS)],
            DASHES[(index + again) % len(DASHES)],
            MARKS[(index + again) % len(MARKS)],
            PATTERNS[(index + again) % len(PATTERNS)],
        )
    return looks


def lab_figure(
    drawing: Drawing,
    names: Callable[[str], str],
    axes: tuple[str, str],
    looks: Mapping[str, SeriesLook] | None = None,
) -> Figure:
    """Draw curves over an axis, or bars one below the other.

    Parameters
    ----------
    drawing : Drawing
    names : callable
        What a code of a series or bar is called.
    axes : (str, str)
        Titles of the axes of places and of values; for bars only that of the values is written.
    looks : mapping of str to SeriesLook, optional
        Those of all drawings that are shown next to this one; by default those of this one alone.
    """
    looks = series_looks([drawing]) if looks is None else looks
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
    scale = "log" if drawing.log else "linear"
    line = {"color": GREY, "width": 1, "dash": "dot"}
    if drawing.kind == "lines":
        figure.update_xaxes(title=escape(axes[0]))
        figure.update_yaxes(title=escape(axes[1]), type=scale)
        if drawing.reference is not None:
            figure.add_hline(y=drawing.reference, line=line)
        return figure
    figure.update_layout(bargap=0.3)
    ticks = TICKS if drawing.log else None
    figure.update_xaxes(title=escape(axes[1]), type=scale, fixedrange=True, tickvals=ticks)
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


def _trace(
    drawing: Drawing, series: Series, names: Callable[[str], str], look: SeriesLook
) -> Trace:
    """Return a line, a mark in each row, or bars with their values, which on a logarithmic axis start at the reference."""
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
            line={"color": look.colour, "width": 2, "dash": look.dash},
            marker={"color": look.colour, "size": 6, "symbol": look.mark},
            error_y=error_bars,
            hovertemplate="%{x:,.4~g}<br>%{y:.2f}",
            **common,
        )
    common["y"] = list(range(len(series.x)))
    common["hovertext"] = [escape(names(str(label))) for label in series.x]
    if drawing.kind == "dots":
        marker = {"color": look.colour, "symbol": look.mark, "size": 11, "opacity": 0.85}
        hover = "%{hovertext}<br>%{x:.3f}"
        return make_trace(
            "scatter", x=series.y, mode="markers", marker=marker, hovertemplate=hover, **common
        )
    base = drawing.reference if drawing.log and drawing.reference else 0
    return make_trace(
        "bar",
        x=[None if value is None else value - base for value in series.y],
        base=base,
        orientation="h",
        marker={
            "color": look.colour,
            "pattern": {"shape": look.pattern, "fillmode": "overlay"},
        },
        error_x=error_bars,
        customdata=series.y,
        texttemplate="%{customdata:.1f}",
        textposition="none" if series.spread else "outside",
        cliponaxis=False,
        hovertemplate="%{hovertext}<br>%{customdata:.3f}",
        **common,
    )
