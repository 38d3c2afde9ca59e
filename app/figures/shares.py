"""Shares in percent: written with a space and the decimal sign of the language, as ticks, as bars."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from html import escape

from app.figures.palette import BLUE, VERMILION, lay_out
from app.figures.plain_figure import Figure, make_trace

STEPS = (1, 2, 5)  # times a power of ten: ticks that are easily read
TICKS = 5  # ticks behind 0 at most
SPACE = "\N{NO-BREAK SPACE}"


def percent(share: float, digits: int = 0, separators: str = ".,") -> str:
    r"""Return a share in percent.

    Examples
    --------
    >>> percent(0.125, 1, ",.")
    '12,5\xa0%'
    """
    return f"{100 * share:.{digits}f}{SPACE}%".replace(".", separators[0])


def share_ticks(largest: float, separators: str = ".,") -> dict[str, list[float] | list[str]]:
    r"""Return where an axis from 0 to ``most`` has its ticks, and what they are labelled.

    Examples
    --------
    >>> share_ticks(0.1)["ticktext"]
    ['0\xa0%', '2\xa0%', '4\xa0%', '6\xa0%', '8\xa0%', '10\xa0%']
    """
    if not largest > 0:
        return {"tickvals": [0.0], "ticktext": [percent(0.0)]}
    power = math.floor(math.log10(100 * largest / TICKS))
    steps = (factor * 10.0**exponent for exponent in (power, power + 1) for factor in STEPS)
    step = next(step for step in steps if TICKS * step >= 100 * largest * (1 - 1e-9))
    ticks = [step * number / 100 for number in range(int(100 * largest / step * (1 + 1e-9)) + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return {
        "tickvals": ticks,
        "ticktext": [percent(tick, digits, separators) for tick in ticks],
    }


def share_bars(
    rows: Sequence[tuple[str, float]],
    marked: Collection[str],
    axis: str,
    separators: str = ".,",
    colour: str = BLUE,
) -> Figure:
    """Draw a bar for each label and share in [0, 1], in the order given, the marked labels in vermilion.

    Parameters
    ----------
    rows : sequence of (str, float)
        A label may occur more than once.
    marked : collection of str
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    colour : str
        Of the labels that are not marked.
    """
    figure = Figure(
        make_trace(
            "bar",
            x=[probability for _, probability in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [VERMILION if label in marked else colour for label, _ in rows]},
            text=[_bar_label(probability, separators) for _, probability in rows],
            textposition="outside",
            cliponaxis=False,
            customdata=[escape(label) for label, _ in rows],
            hovertemplate="%{customdata}<br>%{x:.6f}<extra></extra>",
        )
    )
    lay_out(figure, 70 + 30 * len(rows), separators)
    largest = max((probability for _, probability in rows), default=1.0)
    figure.update_layout(margin={"l": 8, "r": 56, "t": 8, "b": 48}, bargap=0.3)
    figure.update_xaxes(
        title=escape(axis), fixedrange=True, range=[0, largest * 1.06],
        **share_ticks(largest, separators),
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=[escape(label) for label, _ in rows],
        range=[len(rows) - 0.5, -0.5], tickfont={"size": 15}, fixedrange=True,
        showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def _bar_label(probability: float, separators: str) -> str:
    """Return a probability in percent, small ones with enough digits to be more than 0."""
    share = 100 * probability
    text = f"{share:.1f} %" if share >= 0.1 else f"{share:.1g} %" if share >= 1e-4 else "< 0.0001 %"
    return text.replace(".", separators[0])
