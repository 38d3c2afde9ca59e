"""How results show themselves: rows as a table in a notebook and on a terminal, or as a pandas frame.

Nothing is imported until it is asked for: pandas for `Rows.to_frame`, plotly for figures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar

from embeddings.optional import optional

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

T = TypeVar("T")
SHOWN = 50  # rows that are shown; the rest is counted


class Rows(tuple[T, ...]):
    """A tuple of results of one kind, which shows itself as a table.

    Examples
    --------
    >>> from embeddings.results import Neighbour
    >>> Rows([Neighbour("queen", 0.75, 12)])
    word   similarity  count  forms
    queen      0.7500     12
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with a column a field."""
        with optional():
            import pandas as pd

        names, lines = _cells(self)
        return pd.DataFrame(lines, columns=names)

    def __repr__(self) -> str:
        if not self:
            return "()"
        names, lines = _cells(self[:SHOWN])
        columns = [[name, *(_text(line[i]) for line in lines)] for i, name in enumerate(names)]
        numeric = [all(_is_number(line[i]) for line in lines) for i in range(len(names))]
        widths = [max(map(len, column)) for column in columns]
        drawn = [
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(cells, widths, numeric, strict=True)
            ).rstrip()
            for cells in zip(*columns, strict=True)
        ]
        return "\n".join([*drawn, *_rest(len(self))])

    def _repr_html_(self) -> str:
        names, lines = _cells(self[:SHOWN])
        return html_table(names, lines, "".join(_rest(len(self))))


class Pair:
    """A row that unpacks as its first two fields: ``for word, similarity in neighbours(...)``."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        first, second, *_ = dataclasses.fields(self)  # type: ignore[arg-type]
        return iter((getattr(self, first.name), getattr(self, second.name)))


class Framed:
    """A result that shows itself as one table, and turns into a pandas frame."""

    __slots__ = ()

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[object]], str]:
        """Names of the columns, lines, and a note on the whole."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame of the table."""
        with optional():
            import pandas as pd

        names, lines, _ = self._table()
        return pd.DataFrame(lines, columns=list(names))

    def _repr_html_(self) -> str:
        return html_table(*self._table())


def html_table(names: Sequence[str], lines: Iterable[Sequence[object]], note: str = "") -> str:
    """Return a table as HTML; every cell is escaped, numbers stand to the right."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{"right" if _is_number(cell) else "left"}">'
            f"{escape(_text(cell))}</td>"
            for cell in line
        )
        + "</tr>"
        for line in lines
    )
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def map_figure(
    words: Sequence[str], coordinates: Sequence[Sequence[float]], axes: Sequence[str]
) -> go.Figure:
    """Draw words at their places in two or three dimensions, as a plotly figure.

    Raises
    ------
    ImportError
        If plotly is not installed.
    """
    with optional():
        import plotly.graph_objects as go

    axis_values = list(zip(*coordinates, strict=True))
    common = {"mode": "markers+text", "text": list(words), "textposition": "top center"}
    if len(axes) == 3:
        trace = go.Scatter3d(x=axis_values[0], y=axis_values[1], z=axis_values[2], **common)
        named = dict(zip(("xaxis_title", "yaxis_title", "zaxis_title"), axes, strict=True))
        return go.Figure(trace).update_layout(height=600, scene=_scene(named))
    figure = go.Figure(go.Scatter(x=axis_values[0], y=axis_values[1], **common))
    return figure.update_layout(height=600, xaxis_title=axes[0], yaxis_title=axes[1])


def _scene(named: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return titles of the axes as a 3-D scene wants them."""
    return {name.removesuffix("_title"): {"title": title} for name, title in named.items()}


def _cells(rows: Sequence[object]) -> tuple[list[str], list[list[object]]]:
    """Return names of the columns and cells of the lines; rows are dataclasses or plain values."""
    first = next(iter(rows), None)
    if not dataclasses.is_dataclass(first):
        return ["value"], [[row] for row in rows]
    names = [field.name for field in dataclasses.fields(first)]
    return names, [[getattr(row, name) for name in names] for row in rows]


def _text(cell: object) -> str:
    """Write one cell."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return ", ".join(map(_text, cell)) if isinstance(cell, tuple) else str(cell)


def _is_number(cell: object) -> bool:
    """Whether a cell stands to the right."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _rest(count: int) -> list[str]:
    """Say how many rows are not shown."""
    return [f"… {count - SHOWN} more of {count}"] if count > SHOWN else []
