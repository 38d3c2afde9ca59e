"""Figures as plain dictionaries, in the form that Plotly's JavaScript reads.

Plotly's own objects look up and check each property as it is set, which takes ten to thirty milliseconds a figure. Nothing is checked here:
the tests hand every figure to Plotly, which refuses what it does not know.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np

Trace = dict[str, Any]
# Arrays that are sent as bytes, and Plotly's name of their type.
TYPED = {"float32": "f4", "float64": "f8"}
MIN_VALUES_AS_BYTES = 2_000  # of an array: Plotly draws a figure with bytes twice
GRID = "rgba(138,138,138,0.22)"
LOOK = {
    "margin": {"l": 8, "r": 8, "t": 34, "b": 8},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "showlegend": False,
    "hoverlabel": {"font": {"size": 13}},
    "font": {"size": 13},
    "dragmode": "pan",
    "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},  # above the plot
}
SPARE = {"showgrid": False, "zeroline": False, "fixedrange": True}  # of an axis of names


class Figure:
    """Traces, layout and frames.

    Parameters
    ----------
    data : Trace or iterable of Trace, optional
        From `make_trace`.
    frames : iterable of dict, optional
        Of an animation.
    """

    def __init__(
        self, data: Trace | Iterable[Trace] = (), frames: Iterable[dict[str, Any]] = ()
    ) -> None:
        self.data: list[Trace] = [data] if isinstance(data, dict) else list(data)
        self.layout: dict[str, Any] = {"xaxis": {}, "yaxis": {}}
        self.frames = list(frames)
        self._columns = 1

    def add_trace(self, trace: Trace, row: int = 1, col: int = 1) -> None:
        """Add a trace, in a figure of `panels` to one of them, counted from 1."""
        number = (row - 1) * self._columns + col
        if number > 1:
            trace |= {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        self.data.append(trace)

    def draw(self, kind: str, *, row: int = 1, col: int = 1, **properties: Any) -> Figure:
        """Add a trace as `make_trace` returns it, and return the figure."""
        self.add_trace(make_trace(kind, **properties), row, col)
        return self

    def update_layout(self, **changes: Any) -> None:
        """Change what is named; of a dictionary the entries that are named."""
        merge(self.layout, changes)

    def update_xaxes(self, row: Any = None, col: Any = None, **changes: Any) -> None:
        """Change the x axes of all panels, or of a row or column of them."""
        self._update_axes("xaxis", row, col, changes)

    def update_yaxes(self, row: Any = None, col: Any = None, **changes: Any) -> None:
        """Change the y axes of all panels, or of a row or column of them."""
        self._update_axes("yaxis", row, col, changes)

    def _update_axes(
        self, kind: str, row: int | None, col: int | None, changes: Mapping[str, Any]
    ) -> None:
        for name, axis in self.layout.items():
            if name.startswith(kind):
                place = divmod(int(name[len(kind) :] or 1) - 1, self._columns)
                if row in (None, place[0] + 1) and col in (None, place[1] + 1):
                    merge(axis, changes)

    def add_annotation(self, **annotation: Any) -> None:
        """Add a note."""
        self.layout.setdefault("annotations", []).append(annotation)

    def update_annotations(self, **changes: Any) -> None:
        """Change all notes."""
        for annotation in self.layout.get("annotations", []):
            merge(annotation, changes)

    def add_shape(self, **shape: Any) -> None:
        """Add a shape."""
        self.layout.setdefault("shapes", []).append(shape)

    def add_vline(self, x: float, line: Mapping[str, Any]) -> None:
        """Add an upright line from edge to edge."""
        self.add_shape(
            type="line", x0=x, x1=x, y0=0, y1=1, xref="x", yref="y domain", line=dict(line)
        )

    def add_hline(self, y: float, line: Mapping[str, Any]) -> None:
        """Add a level line from edge to edge."""
        self.add_shape(
            type="line", x0=0, x1=1, y0=y, y1=y, xref="x domain", yref="y", line=dict(line)
        )

    def add_vrect(self, x0: float, x1: float, **look: Any) -> None:
        """Add a band from edge to edge."""
        self.add_shape(type="rect", x0=x0, x1=x1, y0=0, y1=1, xref="x", yref="y domain", **look)

    def lay_out(self, height: int, **layout: Any) -> Figure:
        """Give the figure the common look, with what ``layout`` says otherwise, and return it."""
        self.update_layout(height=height, **LOOK)
        self.update_layout(**layout)
        self.update_xaxes(gridcolor=GRID, zerolinecolor=GRID, automargin=True)
        self.update_yaxes(gridcolor=GRID, zerolinecolor=GRID, automargin=True)
        return self

    def name_rows(self, names: Sequence[str], **look: Any) -> None:
        """Name the rows of a figure whose traces lie at 0, 1, ...: the first on top, without lines between them."""
        rows = {"tickvals": list(range(len(names))), "ticktext": list(names)}
        span = {"range": [len(names) - 0.4, -0.6], "tickfont": {"size": 14}}
        self.update_yaxes(**{**rows, **span, **SPARE, **look})

    def copy(self) -> Figure:
        """Return a figure whose layout and traces can be changed; values of traces are shared."""
        other = Figure([merge({}, trace) for trace in self.data], self.frames)
        other.layout, other._columns = deepcopy(self.layout), self._columns
        return other

    def to_dict(self) -> dict[str, Any]:
        """Return what Plotly reads, arrays as it takes them in JSON."""
        spec = {"data": _encode(self.data), "layout": _encode(self.layout)}
        return spec | ({"frames": _encode(self.frames)} if self.frames else {})


def make_trace(kind: str, **properties: Any) -> Trace:
    """Return a trace of a kind of Plotly's ("scatter", "bar", "heatmap" ...); properties that are None are left out."""
    return merge({"type": kind}, properties)


def panels(rows: int, columns: int, titles: Sequence[str] = (), **options: Any) -> Figure:
    """Return a figure of several pairs of axes, in rows from the top.

    Parameters
    ----------
    rows, columns : int
    titles : sequence of str, optional
        One a panel, above it.
    options
        Of `plotly.subplots.make_subplots`.
    """
    figure = Figure()
    has_title = tuple(map(bool, titles))
    layout = _panel_layout(rows, columns, has_title, tuple(sorted(options.items())))
    figure.layout, figure._columns = deepcopy(layout), columns
    written = [title for title in titles if title]
    for annotation, title in zip(figure.layout.get("annotations", []), written, strict=True):
        annotation["text"] = title
    return figure


@cache
def _panel_layout(
    rows: int, columns: int, has_title: tuple[bool, ...], options: tuple[tuple[str, Any], ...]
) -> dict[str, Any]:
    """Return the axes and the places of titles."""
    from plotly.subplots import make_subplots  # not before a page needs it

    titles = ["title" if written else "" for written in has_title] or None
    figure = make_subplots(rows, columns, subplot_titles=titles, **dict(options))
    layout: dict[str, Any] = figure.to_dict()["layout"]
    layout.pop("template", None)
    return layout


def merge(target: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Write changes into nested dictionaries and return the outermost; None removes an entry."""
    for key, value in changes.items():
        if value is None:
            target.pop(key, None)
        elif key == "title" and isinstance(value, str):
            merge(target.setdefault(key, {}), {"text": value})
        elif isinstance(value, Mapping):
            merge(target.setdefault(key, {}), value)
        else:
            target[key] = value
    return target


def _encode(value: Any) -> Any:
    """Return nested dictionaries and lists with arrays as Plotly's JSON has them: those of many floating numbers as bytes, others as lists.

    Streamlit hands Plotly each figure twice. Plotly draws it again where bytes are decoded again, not where lists stand as before.
    """
    if isinstance(value, dict):
        return {key: _encode(inner) for key, inner in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_encode(inner) for inner in value]
    if not isinstance(value, np.ndarray):
        return value
    kind = TYPED.get(str(value.dtype))
    if kind is None:
        return value.tolist()
    if value.size < MIN_VALUES_AS_BYTES:  # of 32 bits as many digits as they have
        return (value.astype("U32").astype(float) if kind == "f4" else value).tolist()
    spec = {"dtype": kind, "bdata": b64encode(value.tobytes()).decode("ascii")}
    return spec | ({"shape": ", ".join(map(str, value.shape))} if value.ndim > 1 else {})
