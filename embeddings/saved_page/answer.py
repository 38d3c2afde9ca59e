"""What a saved file holds: tables, a figure of points, and where the answer comes from.

Numbers are texts already, written as the screen writes them; only the lengths of bars and the places of points are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from embeddings.files import atomic_file
from embeddings.results import Value
from embeddings.saved_page.html_page import labels, saved_page, script, style

Cell = str | tuple[str, str, str] | None


class Row(Value):
    """A line of a table.

    ``item``: what pointing at the line marks elsewhere, "" for nothing. A cell is a text, a text in three parts with the middle one bold,
    or None for the item itself. ``bar``: the length of a bar, or it with the two ends of its error.
    """

    item: str
    cells: tuple[Cell, ...]
    bar: tuple[float, ...] = ()


class Table(Value):
    """Lines under a title; ``walk`` has the lines that take their place when an item is chosen.

    Bars follow the column ``measure``, counted from 0; -1 is the last.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    colour: str = ""
    walk: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    measure: int = -1


class Point(Value):
    """An item at its place; a ``strong`` one is drawn larger."""

    item: str
    x: float
    y: float
    group: str = ""
    strong: bool = False


class Scatter(Value):
    """Points in a plane: ``colours`` by group, ``lines`` between points by number, ``axes`` their titles; unlabelled if texts are long.

    A group that is called by its colour has no name.
    """

    title: str
    points: tuple[Point, ...]
    colours: Mapping[str, str] = field(default_factory=dict)
    axes: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    labelled: bool = True


class Source(Value):
    """Where an answer comes from: citations of models, settings by name, the day, the page's address or the command that gives the same."""

    citations: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    day: str = ""
    address: str = ""
    language: str = "en"
    number: Callable[[float, int], str] = "{:,.{}f}".format  # as the screen writes numbers


class SavedAnswer(Value):
    """All that a file holds; ``notes`` are sentences under the question.

    It is a page to look at and to save, not an answer: its numbers are texts. The answers on it are results of their own (`neighbours`,
    `map`, `senses`), which become frames and JSON.
    """

    title: str
    question: str
    source: Source
    tables: tuple[Table, ...]
    figure: Scatter | None = None
    notes: tuple[str, ...] = ()

    def save(self, path: str | Path) -> None:
        """Write the answer as one HTML file.

        Raises
        ------
        InputError
            If it would be larger than `embeddings.saved_page.html_page.MAX_BYTES`.
        """
        page = saved_page(self)
        with atomic_file(Path(path)) as temporary:
            temporary.write_text(page, encoding="utf-8")

    def __repr__(self) -> str:
        rows = ", ".join(f"{table.title or 'table'}: {len(table.rows)}" for table in self.tables)
        return f"<SavedAnswer {self.title}: {rows}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Show the widget in a notebook that has anywidget, else the first line alone."""
        from embeddings.saved_page.widget import widget_bundle

        return widget_bundle(script(), style(), "drawAnswer", self.payload, **options)

    def payload(self) -> dict[str, object]:
        """Return what the file's script reads, as ``answer.schema.json`` says: items once, elsewhere their numbers."""
        items: dict[str, int] = {}

        def number(item: str) -> int:
            return items.setdefault(item, len(items)) if item else -1

        def lines(rows: Iterable[Row]) -> list[list[object]]:
            return [[number(r.item), r.cells, *([r.bar] if r.bar else [])] for r in rows]

        tables = [
            {
                "title": table.title,
                "columns": table.columns,
                "colour": table.colour,
                "measure": table.measure % max(1, len(table.columns)),
                "rows": lines(table.rows),
                "walk": {str(number(item)): lines(rows) for item, rows in table.walk.items()},
            }
            for table in self.tables
        ]
        figure = None
        if drawn := self.figure:
            used = dict.fromkeys(point.group for point in drawn.points)
            groups = [group for group in drawn.colours if group in used]
            groups += [group for group in used if group not in drawn.colours]
            figure = {
                "title": drawn.title,
                "axes": drawn.axes,
                "groups": [_named(group, drawn.colours.get(group, "")) for group in groups],
                "points": [
                    [number(p.item), round(p.x, 4), round(p.y, 4), groups.index(p.group), p.strong]
                    for p in drawn.points
                ],
                "lines": drawn.lines,
                "labelled": drawn.labelled,
            }
        return {
            "items": list(items),
            "tables": tables,
            "figure": figure,
            "labels": labels(self.source.language),
        }


def _named(group: str, colour: str) -> list[str]:
    """Return a group's name and colour."""
    return ["" if group == colour else group, colour]
