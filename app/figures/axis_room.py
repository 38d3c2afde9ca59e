"""Room beside a figure for the labels of its axes and its legend.

Plotly measures labels once a figure is drawn, and where they need more room than the margins have, it draws all of it again. With enough
room from the start it draws once. What is reserved is estimated from the letters; where it is too little, Plotly makes more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.figures.plain_figure import Figure

EDGE, GAP = 8, 10  # pixels around all, and between a label and its axis with some to spare
LETTER, NARROW, WIDE = 0.54, 0.32, 0.86  # widths of letters as shares of their size
NARROW_LETTERS = frozenset("fijlrtI.,:;'’()[]|-–! ")
WIDE_LETTERS = frozenset("mwMWжмшщыюфЖМШЩЫЮФ@%…")
SIZE = 13  # of letters, unless a figure says otherwise
TICKS, TITLE, LEGEND = 25, 30, 38  # pixels: numbers under a figure, an axis' title, a legend
NUMBER = "0.000"
TAG, SIGN = re.compile(r"<[^>]+>"), re.compile(r"&#?\w+;")


def reserve(figure: Figure) -> None:
    """Widen the margins of a figure with one pair of axes to what its labels will need; any other stays as it is."""
    layout = figure.layout
    if "xaxis2" in layout or "scene" in layout or not {"xaxis", "yaxis"} <= layout.keys():
        return
    needed = {
        "l": _side(figure, "yaxis"),
        "b": max(_foot(layout["xaxis"]), _legend_below(layout)),
        "t": _legend_above(layout),
    }
    margin = layout.setdefault("margin", {})
    margin |= {side: max(room, margin.get(side, EDGE)) for side, room in needed.items()}


def _side(figure: Figure, name: str) -> int:
    """Return the pixels left of a figure."""
    axis = figure.layout[name]
    room = EDGE + TITLE + 4 if _title(axis) else EDGE
    if not _is_labelled(axis):
        return room if axis.get("visible", True) else EDGE
    size = axis.get("tickfont", {}).get("size", SIZE)
    widest = max((_width(label) for label in _labels(figure, name[0], axis)), default=0)
    return room + GAP + round(size * widest)


def _width(label: str) -> float:
    """Return the width of a label as a multiple of its letters' size."""
    narrow, wide = (
        sum(letter in kind for letter in label) for kind in (NARROW_LETTERS, WIDE_LETTERS)
    )
    return NARROW * narrow + WIDE * wide + LETTER * (len(label) - narrow - wide)


def _foot(axis: dict[str, Any]) -> int:
    """Return the pixels under a figure."""
    if not axis.get("visible", True) or axis.get("side") == "top":
        return EDGE
    return EDGE + TICKS * _is_labelled(axis) + TITLE * bool(_title(axis))


def _legend_above(layout: dict[str, Any]) -> int:
    """Return the pixels that a legend above a figure takes, in one row."""
    above = _legend_height(layout) - 1
    return EDGE if above < 0 else LEGEND + round(above * layout.get("height", 0))


def _legend_below(layout: dict[str, Any]) -> int:
    """Return the pixels that a legend below a figure takes, in one row."""
    below = -_legend_height(layout)
    return EDGE if below <= 0 else LEGEND + round(below * layout.get("height", 0))


def _legend_height(layout: dict[str, Any]) -> float:
    """Return where a legend in a row stands, as a share of the figure's height from its foot; 0 where there is none."""
    legend = layout.get("legend", {})
    is_row = layout.get("showlegend") and legend.get("orientation") == "h"
    return float(legend.get("y", 0)) if is_row else 0.0


def _is_labelled(axis: dict[str, Any]) -> bool:
    """Whether labels stand at the ticks of an axis."""
    return bool(axis.get("visible", True) and axis.get("showticklabels", True))


def _title(axis: dict[str, Any]) -> str:
    """Return the title of an axis."""
    title = axis.get("title") or ""
    return str(title.get("text") or "") if isinstance(title, dict) else str(title)


def _labels(figure: Figure, letter: str, axis: dict[str, Any]) -> Sequence[str]:
    """Return the lines of the labels at the ticks: those given, or the names in the data, or numbers."""
    names = axis.get("ticktext")
    if names is None:
        columns = (trace.get(letter) for trace in figure.data)
        values = (
            value for column in columns if isinstance(column, list | tuple) for value in column
        )
        names = [value for value in values if isinstance(value, str)] or [NUMBER]
    lines = (line for name in names for line in str(name).split("<br>"))
    return [SIGN.sub("x", TAG.sub("", line)) for line in lines]
