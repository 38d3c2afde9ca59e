"""The laboratory's curves and bars: a series looks the same in all drawings of an experiment, and no two look alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

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
    lay_out,
)
from app.figures.plain_figure import Figure
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
    separators: str = ".,",
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
    separators : str
        Decimal and thousands separator.
    looks : mapping of str to SeriesLook, optional
        Those of all drawings that are shown next to this one; by default those of this one alone.
    """
    looks = series_looks([drawing]) if looks is None else looks
    make = {"lines": _draw_lines, "bars": _draw_bars, "dots": _draw_dots}[drawing.kind]
    figure = make(drawing, names, looks)
    legend = len(drawing.series) > 1
    height = _figure_height(drawing)
    lay_out(figure, height + legend * LINE * len(drawing.series), separators)
    figure.update_layout(
        showlegend=legend,
        legend={"orientation": "v", "y": -64 / height, "yanchor": "top", "x": 0},
        margin={"l": 8, "r": 40 if drawing.kind == "bars" else 12, "t": 12, "b": 8},
        dragmode="zoom",
    )
    if drawing.kind != "lines":
        _name_rows(figure, drawing, names, axes[1])
        return figure
    figure.update_xaxes(title=escape(axes[0]))
    figure.update_yaxes(title=escape(axes[1]), type="log" if drawing.log else "linear")
    if drawing.reference is not None:
        figure.add_hline(y=drawing.reference, line={"color": GREY, "width": 1, "dash": "dot"})
    return figure


def _figure_height(drawing: Drawing) -> int:
    """Return the pixels of a figure without its legend."""
    if drawing.kind == "lines":
        return 380
    rows, bars = len(drawing.series[0].x), len(drawing.series) if drawing.kind == "bars" else 1
    return 110 + (30 if bars == 1 else 24 * bars) * rows


def _draw_lines(
    drawing: Drawing, names: Callable[[str], str], looks: Mapping[str, SeriesLook]
) -> Figure:
    """Draw a line a series, each with a colour, dash and mark of its own."""
    figure = Figure()
    for series in drawing.series:
        look = looks[series.name]
        figure.draw(
            "scatter",
            x=series.x,
            y=series.y,
            name=escape(names(series.name)),
            mode="lines+markers",
            visible=True if series.main else "legendonly",
            line={"color": look.colour, "width": 2, "dash": look.dash},
            marker={"color": look.colour, "size": 6, "symbol": look.mark},
            error_y=_error_bars(series),
            hovertemplate="%{x:,.4~g}<br>%{y:.2f}",
        )
    return figure


def _draw_bars(
    drawing: Drawing, names: Callable[[str], str], looks: Mapping[str, SeriesLook]
) -> Figure:
    """Draw a set of bars a series with their values; on a logarithmic axis they start at the reference."""
    figure = Figure()
    base = drawing.reference if drawing.log and drawing.reference else 0
    for series in drawing.series:
        figure.draw(
            "bar",
            x=[None if v is None else v - base for v in series.y],
            base=base,
            y=list(range(len(series.x))),
            orientation="h",
            name=escape(names(series.name)),
            marker={
                "color": looks[series.name].colour,
                "pattern": {"shape": looks[series.name].pattern, "fillmode": "overlay"},
            },
            error_x=_error_bars(series),
            customdata=series.y,
            hovertext=[escape(names(str(label))) for label in series.x],
            texttemplate="%{customdata:.1f}",
            textposition="none" if series.spread else "outside",
            cliponaxis=False,
            hovertemplate="%{hovertext}<br>%{customdata:.3f}",
        )
    return figure


def _draw_dots(
    drawing: Drawing, names: Callable[[str], str], looks: Mapping[str, SeriesLook]
) -> Figure:
    """Draw a row a name, a mark a series."""
    figure = Figure()
    for series in drawing.series:
        figure.draw(
            "scatter",
            x=series.y,
            y=list(range(len(series.x))),
            mode="markers",
            name=escape(names(series.name)),
            marker={
                "color": looks[series.name].colour,
                "symbol": looks[series.name].mark,
                "size": 11,
                "opacity": 0.85,
            },
            hovertext=[escape(names(str(label))) for label in series.x],
            hovertemplate="%{hovertext}<br>%{x:.3f}",
        )
    return figure


def _name_rows(figure: Figure, drawing: Drawing, names: Callable[[str], str], axis: str) -> None:
    """Write the names next to the rows, the first on top."""
    labels = [names(str(label)) for label in drawing.series[0].x]
    figure.update_layout(bargap=0.3)
    figure.update_xaxes(
        title=escape(axis), type="log" if drawing.log else "linear", fixedrange=True,
        tickvals=TICKS if drawing.log else None,
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=["<br>".join(escape(part) for part in wrap(text, WIDE)) for text in labels],
        range=[len(labels) - 0.5, -0.5],
        fixedrange=True,
        showgrid=drawing.kind == "dots",
        zeroline=False,
    )
    if drawing.reference is not None:
        figure.add_vline(x=drawing.reference, line={"color": GREY, "width": 1, "dash": "dot"})


def _error_bars(series: Series) -> dict[str, object] | None:
    """Return error bars, where a spread was measured."""
    if not series.spread:
        return None
    return {"type": "data", "array": series.spread, "color": GREY, "thickness": 1.5}
