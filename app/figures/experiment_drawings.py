"""The laboratory's curves and bars, in colours, dashes and marks that differ one by one."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from textwrap import wrap

from app.figures.palette import CATEGORIES, GREY, lay_out
from app.figures.plain_figure import Figure, make_trace
from embeddings.results.experiment import Drawing, Series

DASHES = ("solid", "dash", "dot", "dashdot")
MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
LINE = 22  # pixels of a line of the legend
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)  # of a logarithmic axis
WIDE = 27  # letters of a bar's label before it breaks


def lab_figure(
    drawing: Drawing, names: Callable[[str], str], axes: tuple[str, str], separators: str = ".,"
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
    """
    make = {"lines": _draw_lines, "bars": _draw_bars, "dots": _draw_dots}[drawing.kind]
    figure = make(drawing, names)
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


def _draw_lines(drawing: Drawing, names: Callable[[str], str]) -> Figure:
    """Draw a line a series, each with a colour, dash and mark of its own."""
    figure = Figure()
    for index, series in enumerate(drawing.series):
        colour = CATEGORIES[index % len(CATEGORIES)]
        figure.add_trace(
            make_trace(
                "scatter",
                x=series.x,
                y=series.y,
                name=escape(names(series.name)),
                mode="lines+markers",
                visible=True if series.main else "legendonly",
                line={"color": colour, "width": 2, "dash": DASHES[index % len(DASHES)]},
                marker={"color": colour, "size": 6, "symbol": MARKS[index % len(MARKS)]},
                error_y=_error_bars(series),
                hovertemplate="%{x:,.4~g}<br>%{y:.2f}",
            )
        )
    return figure


def _draw_bars(drawing: Drawing, names: Callable[[str], str]) -> Figure:
    """Draw a set of bars a series with their values; on a logarithmic axis they start at the reference."""
    figure = Figure()
    base = drawing.reference if drawing.log and drawing.reference else 0
    for index, series in enumerate(drawing.series):
        figure.add_trace(
            make_trace(
                "bar",
                x=[None if v is None else v - base for v in series.y],
                base=base,
                y=list(range(len(series.x))),
                orientation="h",
                name=escape(names(series.name)),
                marker={
                    "color": CATEGORIES[index % len(CATEGORIES)],
                    "pattern": {"shape": ("", "/", ".", "x")[index % 4], "fillmode": "overlay"},
                },
                error_x=_error_bars(series),
                customdata=series.y,
                hovertext=[escape(names(str(label))) for label in series.x],
                texttemplate="%{customdata:.1f}",
                textposition="none" if series.spread else "outside",
                cliponaxis=False,
                hovertemplate="%{hovertext}<br>%{customdata:.3f}",
            )
        )
    return figure


def _draw_dots(drawing: Drawing, names: Callable[[str], str]) -> Figure:
    """Draw a row a name, a mark a series."""
    figure = Figure()
    for index, series in enumerate(drawing.series):
        figure.add_trace(
            make_trace(
                "scatter",
                x=series.y,
                y=list(range(len(series.x))),
                mode="markers",
                name=escape(names(series.name)),
                marker={
                    "color": CATEGORIES[index % len(CATEGORIES)],
                    "symbol": MARKS[index % len(MARKS)],
                    "size": 11,
                    "opacity": 0.85,
                },
                hovertext=[escape(names(str(label))) for label in series.x],
                hovertemplate="%{hovertext}<br>%{x:.3f}",
            )
        )
    return figure


def _name_rows(figure: Figure, drawing: Drawing, names: Callable[[str], str], axis: str) -> None:
    """Write the names beside the rows, the first on top."""
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
