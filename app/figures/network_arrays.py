"""A network's arrays as cells with their numbers; position waves, words exchanged, costs by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from app.figures import palette
from app.figures.plain_figure import SPARE, Figure
from app.figures.shares import decimal

PART_COLOURS = {  # of a network, by their names in `embeddings.analysis.network_costs`
    "embeddings": palette.GREEN, "attention": palette.ORANGE, "feed_forward": palette.SKY, "pooler": palette.YELLOW,
    "projections": palette.BROWN, "tokens": palette.INDIGO,
}  # fmt: skip
MEANINGS = {  # what a colour of the page Inside stands for: one thing each; shares are ochre
    "below zero": palette.BLUE, "above zero": palette.VERMILION, "frame": palette.GREY,
    "wave": palette.PURPLE, "cosine": palette.WINE, **PART_COLOURS,
}  # fmt: skip


MANY_COLUMNS = 40  # of more, not every one is named


@dataclass(frozen=True)
class CellStyle:
    """How cells are drawn.

    ``share``: shaded from 0 to 1, else blue below zero and red above, or, ``blue_above``, the other way
    round. ``numbers``: written into the cells. ``every``: columns between upright lines (heads side by side).
    """

    title: str = ""
    share: bool = False
    numbers: bool = True
    digits: int = 2
    every: int = 0
    blue_above: bool = False


def cells_figure(
    values: NDArray[np.floating],
    rows: Sequence[str],
    columns: Sequence[str],
    style: CellStyle,
    separators: str = ".,",
    texts: Sequence[Sequence[str]] = (),
) -> Figure:
    """Draw a matrix, shape (rows, columns), the first row on top; labels may repeat.

    ``texts`` are written into the cells instead of the numbers. Minus infinity, what a mask leaves, is an empty cell with that sign.
    """
    masked = np.argwhere(np.isneginf(values))
    values = np.where(np.isneginf(values), np.nan, values)
    reach = 1.0 if style.share else float(np.nanmax(np.abs(values))) or 1.0
    across, down = list(range(values.shape[1])), list(range(values.shape[0]))
    hover_names = [[f"{escape(row)}, {escape(column)}" for column in columns] for row in rows]
    is_narrow = values.shape[1] <= MANY_COLUMNS
    figure = Figure().draw("heatmap",
        z=values, x=across, y=down, zmin=0 if style.share else -reach, zmax=reach,
        colorscale=palette.OCHRE_SHADES if style.share else palette.BOTH_WAYS, showscale=False,
        reversescale=style.blue_above,
        xgap=2 if is_narrow else 0, ygap=2, customdata=hover_names,
        hovertemplate="%{customdata}<br>%{z:.4f}<extra></extra>",
        text=texts or [[decimal(v, style.digits, separators) for v in row] for row in values],
        texttemplate="%{text}" if style.numbers else None,
    )  # fmt: skip
    figure.lay_out(76 + (30 if style.numbers else 24) * len(rows))
    step = 1 if is_narrow else max(1, len(columns) // 8)
    figure.update_xaxes(
        side="top", tickvals=across[::step], ticktext=[escape(c) for c in columns[::step]],
        tickangle=0 if style.title else None, **SPARE,
    )  # fmt: skip
    figure.name_rows([escape(row) for row in rows])
    if style.title:
        title = {"text": escape(style.title), "x": 0, "y": 1, "yanchor": "top", "pad": {"t": 6}}
        figure.update_layout(title={**title, "font": {"size": 15}}, margin={"t": 58})
    for row, column in masked:
        figure.add_annotation(x=column, y=row, text="−∞", showarrow=False)
    for column in range(style.every, values.shape[1], style.every) if style.every else ():
        figure.add_vline(x=column - 0.5, line={"color": MEANINGS["frame"], "width": 1.5})
    return figure


def position_waves_figure(
    table: NDArray[np.floating], titles: tuple[str, str], marked: int
) -> Figure:
    """Draw the waves, shape (positions, columns), as shades with a ``marked`` pair of columns outlined; ``titles``: of rows, columns."""
    figure = Figure().draw("heatmap",
        z=table, zmin=-1, zmax=1, colorscale=palette.BOTH_WAYS, showscale=False,
        hovertemplate="%{y}, %{x}<br>%{z:.3f}<extra></extra>",
    )  # fmt: skip
    figure.lay_out(400)
    figure.update_xaxes(title=titles[1], **SPARE)
    figure.update_yaxes(title=titles[0], autorange="reversed", **SPARE)
    edges = {"type": "rect", "x0": marked - 0.5, "x1": marked + 1.5, "y0": -0.5}
    figure.add_shape(**edges, y1=len(table) - 0.5, line={"color": MEANINGS["frame"], "width": 2})
    return figure


def wave_curves_figure(lines: NDArray[np.floating], names: Sequence[str], title: str) -> Figure:
    """Draw columns of an array, shape (positions, 2), as two curves over the positions."""
    figure = Figure()
    for column, (name, dash) in enumerate(zip(names, ("solid", "dash"), strict=True)):
        figure.draw("scatter",
            y=lines[:, column], mode="lines+markers", name=escape(name),
            line={"color": MEANINGS["wave"], "width": 2, "dash": dash}, marker={"size": 4},
        )  # fmt: skip
    figure.lay_out(260, showlegend=True)
    figure.update_xaxes(title=title, fixedrange=True)
    figure.update_yaxes(range=[-1.1, 1.1], fixedrange=True)
    return figure


def word_swap_figure(
    tokens: Sequence[str], series: Sequence[tuple[str, NDArray[np.floating]]], title: str
) -> Figure:
    """Draw a row a token and a dot a series: the cosine with itself in the other order."""
    rows = list(range(len(tokens)))
    figure = Figure()
    colour = MEANINGS["cosine"]
    for (name, values), symbol in zip(series, ("circle", "diamond-open"), strict=True):
        figure.draw("scatter",
            x=values, y=rows, mode="markers", name=escape(name),
            marker={"size": 12, "symbol": symbol, "color": colour, "line": {"width": 2}},
            hovertemplate="%{x:.4f}",
        )  # fmt: skip
    figure.lay_out(120 + 28 * len(tokens), showlegend=True, margin={"r": 24})
    lowest = min(float(values.min()) for _, values in series)
    figure.update_xaxes(title=title, range=[min(0.9, lowest - 0.05), 1.02], fixedrange=True)
    figure.name_rows([escape(token) for token in tokens], showgrid=True)
    return figure


def network_costs_figure(
    costs: Mapping[str, Mapping[str, int]], names: Mapping[str, str]
) -> Figure:
    """Draw a bar a network (a key of ``costs``), stacked from its parts, in millions or milliards."""
    figure, networks = Figure(), list(costs)
    parts: Sequence[str] = list(next(iter(costs.values())))
    largest = max(sum(parts_of_network.values()) for parts_of_network in costs.values())
    unit, power = (1e9, "10⁹") if largest >= 1e9 else (1e6, "10⁶")
    for part in parts:
        values = [costs[network][part] / unit for network in networks]
        figure.draw("bar",
            x=values, y=networks, orientation="h", name=escape(names[part]),
            marker={"color": PART_COLOURS[part]}, hovertemplate=f"%{{x:,.2f}} · {power}",
        )  # fmt: skip
    look = {"barmode": "stack", "bargap": 0.35, "margin": {"t": 70}, "showlegend": True}
    figure.lay_out(250, **look, legend={"traceorder": "normal"})
    figure.update_xaxes(ticksuffix=f" · {power}", fixedrange=True, nticks=6)
    figure.update_yaxes(autorange="reversed", tickfont={"size": 15}, fixedrange=True)
    return figure
