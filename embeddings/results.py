"""What every answer is: a frozen value that shows itself as a table in a notebook and on a terminal, as a pandas frame, as JSON.

Pandas and plotly are imported when a frame or a figure is asked for.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from embeddings.optional import optional

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


T = TypeVar("T")
MAX_SHOWN_ROWS = 50  # the rest is counted
WIDE = 3  # numbers of an array that a cell shows; of a larger one its shape
Table = tuple[list[str], list[list[Any]]]


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
class Value:
    """A frozen dataclass, as is every class below it: what answers consist of, and what is handed on together."""

    def __init_subclass__(cls, *, eq: bool = True) -> None:
        """Make the class a dataclass; ``eq=False`` where fields are arrays, whose equality has no single truth."""
        dataclasses.dataclass(frozen=True, eq=eq, repr=False)(cls)

    def __repr__(self) -> str:
        """Write the class and its fields as a dataclass does, in one line: an answer among them by its fields, not as a table."""
        fields = (
            f"{name}={Value.__repr__(value) if isinstance(value, Result) else repr(value)}"
            for name, value in _values(self).items()
        )
        return f"{type(self).__qualname__}({', '.join(fields)})"


class Shown:
    """What prints itself as a table and turns into a pandas frame or JSON.

    The table has a row for each value of the field that holds the answer, or of all fields that are as long as the longest; above it
    are the single values. A class says otherwise by `table` and `title`.
    """

    __slots__ = ()

    def table(self) -> Table:
        """Return names of the columns and cells of the lines."""
        values = _values(self)
        for value in values.values():
            if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
                return _cells(value)
        columns = {name: value for name, value in values.items() if _length(value) > 1}
        longest = max(map(_length, columns.values()), default=0)
        columns = {name: value for name, value in columns.items() if _length(value) == longest}
        if not columns:
            return ["", "value"], [[name, value] for name, value in values.items()]
        return list(columns), [list(line) for line in zip(*columns.values(), strict=True)]

    def title(self) -> str:
        """Return the line above the table: the single values, where they are not the table themselves."""
        values = _values(self)
        if not any(map(_length, values.values())):
            return ""
        return ", ".join(
            f"{name} {cell_text(value)}"
            for name, value in values.items()
            if isinstance(value, int | float | str)
        )

    def to_json(self) -> str:
        """Return all values as JSON; what is not a finite number is null."""
        return json.dumps(plain(self), ensure_ascii=False)

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a pandas frame."""
        with optional():
            import pandas as pd

        names, lines = self.table()
        return pd.DataFrame(lines, columns=names)

    def __repr__(self) -> str:
        names, lines = self.table()
        shown = lines[:MAX_SHOWN_ROWS]
        cells = [[cell_text(cell) for cell in line] for line in shown]
        columns = [[name, *(line[i] for line in cells)] for i, name in enumerate(names)]
        numeric = [all(_is_number(line[i]) for line in shown) for i in range(len(names))]
        widths = [max(map(len, column)) for column in columns]
        drawn = [
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(cells, widths, numeric, strict=True)
            ).rstrip()
            for cells in zip(*columns, strict=True)
        ]
        return "\n".join([*filter(None, [self.title()]), *drawn, *_rest(len(lines))])

    def _repr_html_(self) -> str:
        names, lines = self.table()
        title = f"<p>{escape(self.title())}</p>" if self.title() else ""
        return title + html_table(names, lines[:MAX_SHOWN_ROWS], "".join(_rest(len(lines))))


class Result(Shown, Value, eq=False):
    """An answer of a model."""


class Rows(Shown, tuple[T, ...]):
    """A tuple of results of one kind, which shows itself as a table.

    Examples
    --------
    >>> from embeddings.analysis.vector_answers import Neighbour
    >>> Rows([Neighbour("queen", 0.75, 12)])
    word   similarity  count  forms
    queen      0.7500     12
    """

    __slots__ = ()

    def table(self) -> Table:
        """Return a column a field."""
        return _cells(self)

    def title(self) -> str:
        """Return nothing: the columns say all."""
        return ""

    def __repr__(self) -> str:
        return Shown.__repr__(self) if self else "()"


class Pair(Value, eq=False):
    """A row that unpacks as its first two fields: ``for word, similarity in neighbours(...)``."""

    def __iter__(self) -> Iterator[Any]:
        first, second, *_ = _values(self).values()
        return iter((first, second))


def plain(value: Any) -> Any:
    """Turn dataclasses, numpy values and NaN into what JSON can say (NaN and infinity become null)."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(item) for name, item in _values(value).items()}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)


def html_table(names: Sequence[str], lines: Iterable[Sequence[object]], note: str = "") -> str:
    """Return a table as HTML; every cell is escaped, numbers stand to the right."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{"right" if _is_number(cell) else "left"}">'
            f"{escape(cell_text(cell))}</td>"
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

    values = dict(zip("xyz", zip(*coordinates, strict=True), strict=False))
    titles = {f"{name}axis": {"title": title} for name, title in zip(values, axes, strict=True)}
    common = {"mode": "markers+text", "text": list(words), "textposition": "top center"}
    if len(axes) == 3:
        return go.Figure(go.Scatter3d(**values, **common)).update_layout(height=600, scene=titles)
    return go.Figure(go.Scatter(**values, **common)).update_layout(height=600, **titles)


def _values(result: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are part of the answer."""
    fields = (field.name for field in dataclasses.fields(result) if field.repr)
    return {name: getattr(result, name) for name in fields}


def _length(value: object) -> int:
    """Return how many lines a field fills: a tuple, or an array of one or two axes."""
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim in (1, 2) else 0
    return len(value) if isinstance(value, tuple) else 0


def _cells(rows: Sequence[object]) -> Table:
    """Return names of the columns and cells of the lines; rows are dataclasses or plain values."""
    first = next(iter(rows), None)
    if not dataclasses.is_dataclass(first):
        return ["value"], [[row] for row in rows]
    return list(_values(first)), [list(_values(row).values()) for row in rows]


def cell_text(cell: object) -> str:
    """Write one cell, of a result its first value; a dash for None and NaN."""
    if dataclasses.is_dataclass(cell):
        return cell_text(next(iter(_values(cell).values())))
    if cell is None:
        return "–"
    if isinstance(cell, float | np.floating):
        return "–" if math.isnan(cell) else f"{cell:.4f}"
    if isinstance(cell, np.ndarray) and cell.size > WIDE:
        return " x ".join(map(str, cell.shape))
    if isinstance(cell, tuple) and cell and isinstance(cell[0], tuple):
        return " | ".join(map(cell_text, cell))
    if isinstance(cell, Mapping):  # as settings, whose 1e-12 is not 0.0000
        return ", ".join(
            f"{name} {f'{value:g}' if isinstance(value, float) else cell_text(value)}"
            for name, value in cell.items()
        )
    return (
        ", ".join(map(cell_text, cell))
        if isinstance(cell, tuple | list | np.ndarray)
        else str(cell)
    )


def _is_number(cell: object) -> bool:
    """Whether a cell stands to the right."""
    return isinstance(cell, int | float | np.number) and not isinstance(cell, bool)


def _rest(count: int) -> list[str]:
    """Say how many rows are not shown."""
    return [f"… {count - MAX_SHOWN_ROWS} more of {count}"] if count > MAX_SHOWN_ROWS else []


class Progress(Value):
    """Where a training run stands: ``done`` of ``total`` units of work, the mean ``loss`` since the last report."""

    phase: str  # "count", "encode", "train", "cooccurrence" ...
    epoch: int
    done: int
    total: int
    loss: float
    per_second: float
    seconds_left: float


Report = Callable[[Progress], None]
"""What is called with a `Progress` now and then; a progress bar, the log of a job."""


class Confusion(Result, eq=False):
    """How many texts of each label were given which: ``counts[i, j]`` of ``labels[i]`` were called ``labels[j]``.

    ``truncated``: texts of which the end was not read.
    """

    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    truncated: int = 0

    @property
    def total(self) -> int:
        """Texts."""
        return int(self.counts.sum())

    @property
    def right(self) -> int:
        """Texts that were given their own label."""
        return int(np.trace(self.counts))

    @property
    def accuracy(self) -> float:
        """Share of the texts that were given their own label."""
        return self.right / max(1, self.total)

    def table(self) -> Table:
        """Return a line a label, a column a label that was given."""
        names = ["label", *(f"called {label}" for label in self.labels)]
        lines = zip(self.labels, self.counts.tolist(), strict=True)
        return names, [[label, *row] for label, row in lines]

    def title(self) -> str:
        """Return the accuracy."""
        return f"accuracy {self.accuracy:.4f}, {self.right} of {self.total}"


class BleuScore(Value):
    """BLEU in percent over ``sentences`` pairs, cased and lower-cased, each with sacrebleu's signature."""

    score: float
    signature: str
    lower_score: float
    lower_signature: str
    sentences: int


def progress_of(
    report: Report | None, label: str, total: int, start: int = 0
) -> Callable[..., None]:
    """Return what reports how much of ``total`` (0: not known) is done, with rate and seconds left; ``start`` was done before.

    It takes what is ``done``, and how many units are ``counted`` where the rate is of others: words a second of bytes.
    """
    begun = time.monotonic()

    def advance(done: int, counted: int | None = None) -> None:
        if report:
            seconds = max(time.monotonic() - begun, 1e-9)
            rate = (done - start) / seconds
            left = max(total - done, 0) / rate if rate > 0 else 0.0
            per_second = rate if counted is None else counted / seconds
            report(Progress(label, 0, done, total, 0.0, per_second, left))

    return advance
