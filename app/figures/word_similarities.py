"""Cosines of words: words on an axis; and co-occurrence ratios on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

from app.figures.model_comparison import dots_by_model, draw_row_dots
from app.figures.palette import GREEN, GREY, ORANGE, end_labels
from app.figures.plain_figure import Figure
from embeddings.analysis.vector_answers import AxisPosition, Ratios


def axis_figure(
    positions: Mapping[str, tuple[AxisPosition, ...]],
    colours: Mapping[str, str],
    ends: tuple[str, str],
) -> Figure:
    """Draw the positions that each model (a key) gives, words sorted by their mean position."""
    values = {
        model: [(row.word, row.position, row.word) for row in rows]
        for model, rows in positions.items()
    }
    figure, order = dots_by_model(values, colours, "%{text}<br>%{x:.4f}")
    legend = {"y": -0.08, "yanchor": "top"}
    look = {"showlegend": len(positions) > 1, "margin": {"t": 64, "b": 30}, "legend": legend}
    figure.lay_out(110 + 28 * max(3, len(order)), **look)
    reach = 1.1 * max((abs(at) for rows in values.values() for _, at, _ in rows), default=1.0)
    figure.update_xaxes(range=[-reach, reach], tickformat=".2f", zerolinewidth=2, fixedrange=True)
    figure.name_rows([escape(word) for word in order], showgrid=True)
    figure.update_layout(annotations=end_labels(f"← {ends[0]}", f"{ends[1]} →"))
    figure.add_vline(x=0, line={"color": GREY, "width": 1})
    return figure


def ratios_figure(
    ratios: Ratios,
    *,
    names: tuple[str, str, str],
    title: str,
    source: Mapping[str, float] | None = None,
    separators: str = ".,",
) -> Figure:
    """Draw a row a probe; 1 in the middle is a probe that goes with both words or with neither.

    Parameters
    ----------
    ratios : Ratios
    names : tuple of str
        Names of the corpus', the vectors' and the source's marks.
    title : str
        Of the axis.
    source : Mapping of str to float, optional
        Printed ratios by probe, drawn in grey.
    separators : str
        Decimal and thousands separator.
    """
    probes = [row.probe for row in ratios.rows]
    series = [
        (names[0], [row.ratio for row in ratios.rows], ORANGE, "circle"),
        (names[1], [row.predicted_ratio for row in ratios.rows], GREEN, "diamond"),
    ]
    if source:
        series.append((names[2], [source.get(p, math.nan) for p in probes], GREY, "x"))
    shift = dict(zip((name for name, *_ in series), (-0.14, 0.06, 0.26), strict=False))
    figure = Figure()
    for name, values, colour, symbol in series:
        points = [(v, i) for i, v in enumerate(values) if math.isfinite(v) and v > 0]
        at = [row + shift[name] for _, row in points]
        texts = [escape(probes[row]) for _, row in points]
        look = {"size": 13, "color": colour, "symbol": symbol}
        shown = [value for value, _ in points]
        draw_row_dots(figure, shown, texts, look, "%{text}<br>%{x:.3g}", at, name=escape(name))
    figure.lay_out(150 + 60 * len(probes))
    magnitudes = [
        abs(math.log10(v))
        for _, values, _, _ in series
        for v in values
        if math.isfinite(v) and v > 0
    ]
    reach = max([1.0, *magnitudes]) * 1.1
    _draw_edge_arrows(figure, ratios, 10.0 ** (0.98 * reach), shift[names[0]])
    figure.update_layout(
        showlegend=True,
        legend={"y": -70 / (26 + 60 * len(probes)), "yanchor": "top"},
        margin={"l": 8, "r": 16, "t": 40, "b": 84},
    )
    powers = range(-math.ceil(reach), math.ceil(reach) + 1)
    figure.update_xaxes(
        type="log", range=[-reach, reach], title=escape(title), fixedrange=True,
        tickvals=[10.0**power for power in powers],
        ticktext=[_format_power(power, separators[0]) for power in powers],
    )  # fmt: skip
    figure.name_rows([escape(probe) for probe in probes], tickfont={"size": 16}, showgrid=True)
    figure.add_vline(x=1, line={"color": GREY, "width": 1.5})
    figure.update_layout(annotations=end_labels(f"← {ratios.second}", f"{ratios.first} →"))
    return figure


def _format_power(exponent: int, point: str) -> str:
    """Return 10 to ``exponent`` as a short number: 0.01, 1, 100."""
    if -3 <= exponent <= 4:
        return f"{10.0**exponent:g}".replace(".", point)
    return f"10<sup>{exponent}</sup>"


def _draw_edge_arrows(figure: Figure, ratios: Ratios, edge: float, shift: float) -> None:
    """Draw arrows at the edges for ratios of infinity and zero: one of the counts is zero."""
    rows = [(i, row) for i, row in enumerate(ratios.rows) if row.ratio in (0.0, math.inf)]
    symbols = ["triangle-right" if row.ratio else "triangle-left" for _, row in rows]
    texts = [f"{escape(row.probe)}<br>{'∞' if row.ratio else '0'}" for _, row in rows]
    at, places = [i + shift for i, _ in rows], [edge if row.ratio else 1 / edge for _, row in rows]
    look = {"size": 13, "color": ORANGE, "symbol": symbols}
    more = {"showlegend": False, "cliponaxis": False}
    draw_row_dots(figure, places, texts, look, "%{text}<extra></extra>", at, **more)
