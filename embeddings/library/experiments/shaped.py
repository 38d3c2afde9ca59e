"""Files of results in the common shape: ``tables`` of rows that name their cells, ``curves`` of points."""

from __future__ import annotations

from collections.abc import Mapping

from embeddings.library.experiments.told import Told
from embeddings.results.experiments import Cell, Column, Table


def read_table(told: Told, name: str, digits: Mapping[str, int], last: str = "") -> Table:
    """Return a list of row objects as a table; columns stand in the order in which they are first named.

    Parameters
    ----------
    told : Told
        A list of objects of numbers, texts, truths and nulls.
    name : str
    digits : mapping
        Digits after the point by column, 0 for those not in it.
    last : str, optional
        A column of text as it stands; others of text are terms.
    """
    rows = [dict(row.items()) for row in told.each()]
    names = list(dict.fromkeys(key for row in rows for key in row))
    values = [[_cell(row[key]) if key in row else None for key in names] for row in rows]
    columns = []
    for place, key in enumerate(names):
        texts = any(isinstance(row[place], str) for row in values)
        kind = "number" if not texts else "text" if key == last else "term"
        columns.append(Column(key, kind, digits.get(key, 0)))
    return Table(name, tuple(columns), tuple(tuple(row) for row in values))


def _cell(told: Told) -> Cell:
    """A number, a text, "yes" or "no" for a truth, None for null."""
    if told.value is None:
        return None
    if isinstance(told.value, bool):
        return "yes" if told.value else "no"
    return told.value if isinstance(told.value, str) else told.number()
