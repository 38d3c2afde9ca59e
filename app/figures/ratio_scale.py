"""Co-occurrence ratios on a logarithmic scale: corpus, vectors and source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

from app.figures.palette import GREEN, GREY, ORANGE, end_labels, lay_out
from app.figures.plain_figure import Figure, Trace, make_trace
from embeddings.results import Ratios


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
        figure.add_trace(
            make_trace(
                "scatter",
                x=[value for value, _ in points],
                y=[row + shift[name] for _, row in points],
                mode="markers",
                name=escape(name),
                marker={"size": 13, "color": colour, "symbol": symbol},
                text=[escape(probes[row]) for _, row in points],
                hovertemplate="%{text}<br>%{x:.3g}",
            )
        )
    lay_out(figure, 150 + 60 * len(probes), separators)
    magnitudes = [
        abs(math.log10(v))
        for _, values, _, _ in series
        for v in values
        if math.isfinite(v) and v > 0
    ]
    reach = max([1.0, *magnitudes]) * 1.1
    figure.add_trace(_edge_arrows(ratios, probes, 10.0 ** (0.98 * reach), shift[names[0]]))
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "y": -70 / (26 + 60 * len(probes)), "yanchor": "top", "x": 0},
        margin={"l": 8, "r": 16, "t": 40, "b": 84},
    )
    powers = range(-math.ceil(reach), math.ceil(reach) + 1)
    figure.update_xaxes(
        type="log", range=[-reach, reach], title=escape(title), fixedrange=True,
        tickvals=[10.0**power for power in powers],
        ticktext=[_format_power(power, separators[0]) for power in powers],
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(probes))), ticktext=[escape(p) for p in probes],
        tickfont={"size": 16},
        range=[len(probes) - 0.4, -0.6], zeroline=False, fixedrange=True,
    )  # fmt: skip
    figure.add_vline(x=1, line={"color": GREY, "width": 1.5})
    figure.update_layout(annotations=end_labels(f"← {ratios.second}", f"{ratios.first} →"))
    return figure


def _format_power(exponent: int, point: str) -> str:
    """Return 10 to ``exponent`` as a short number: 0.01, 1, 100."""
    if -3 <= exponent <= 4:
        return f"{10.0**exponent:g}".replace(".", point)
    return f"10<sup>{exponent}</sup>"


def _edge_arrows(ratios: Ratios, probes: list[str], edge: float, shift: float) -> Trace:
    """Return arrows at the edges for ratios of infinity and zero: one of the counts is zero."""
    rows = [(i, row.ratio) for i, row in enumerate(ratios.rows) if row.ratio in (0.0, math.inf)]
    return make_trace(
        "scatter",
        x=[edge if ratio else 1 / edge for _, ratio in rows],
        y=[row + shift for row, _ in rows],
        mode="markers",
        showlegend=False,
        marker={
            "size": 13,
            "color": ORANGE,
            "symbol": ["triangle-right" if ratio else "triangle-left" for _, ratio in rows],
        },
        text=[f"{escape(probes[i])}<br>{'∞' if ratio else '0'}" for i, ratio in rows],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
    )
