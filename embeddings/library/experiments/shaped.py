"""Files of results in the common shape: ``tables`` of rows that name their cells, ``curves`` of points, ``findings`` beside a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from embeddings.library.experiments.told import Told
from embeddings.results.experiments import Cell, Column, Measured, Series, Table, Verdict

NONE: Mapping[str, str] = {}
SURE = 2.0  # standard errors that a difference must be away from 0


def read_table(
    told: Told, name: str, columns: Mapping[str, int], terms: Mapping[str, str] = NONE
) -> Table:
    """Return a list of row objects as a table.

    Parameters
    ----------
    told : Told
        A list of objects.
    name : str
    columns : mapping
        Digits after the point by column, in order; one that ends in ``_accuracy`` or ``_error`` is a share in the file and percent
        in the table, one in ``_bytes`` becomes millions of them. Columns that no row has are left out.
    terms : mapping, optional
        Those of them that are codes, with what goes before a code.
    """
    rows = told.each()
    known = [key for key in columns if any(row.get(key) is not None for row in rows)]
    heads = tuple(Column(key, "term" if key in terms else "number", columns[key]) for key in known)
    cells = tuple(tuple(_cell(row, key, terms.get(key)) for key in known) for row in rows)
    return Table(name, heads, cells)


def _cell(row: Told, key: str, prefix: str | None) -> Cell:
    """A cell of a row, None where it is not told."""
    found = row.get(key)
    if found is None:
        return None
    if prefix is not None:
        return prefix + found.text()
    return found.number() * _times(key)


def _times(key: str) -> float:
    """What a number in a file is multiplied by for a table."""
    if key.endswith(("_accuracy", "_error")):
        return 100
    return 1e-6 if key.endswith("_bytes") else 1


def read_points(told: Told, name: str, times: float = 1) -> Series:
    """Return a list of pairs of a place and a value as a series, values multiplied by ``times``."""
    pairs = [(point[0].number(), times * point[1].number()) for point in told.each()]
    return Series(name, tuple(x for x, _ in pairs), tuple(y for _, y in pairs))


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference that an experiment measured, its standard error (None: not told), and the source's own (None: not printed)."""

    value: float
    standard_error: float | None
    source: float | None

    def outcome(self, least: float = 0.0) -> str:
        """Whether the difference is above ``least``: "yes", "no", or "open" within two standard errors or without one."""
        away = self.value - least
        if self.standard_error is None or abs(away) <= SURE * self.standard_error:
            return "open"
        return "yes" if away > 0 else "no"


def read_findings(told: Told) -> dict[str, Finding]:
    """Return the findings of a file that are one difference, by their names."""
    found = {}
    for one in told["findings"].each():
        ours, source = one["ours"], one.get("source")
        if isinstance(ours.value, dict) and "value" in ours.value:
            printed = source.number() if source and isinstance(source.value, int | float) else None
            error = ours.number_at("standard_error")
            found[one["id"].text()] = Finding(ours["value"].number(), error, printed)
    return found


def gap(claim: str, one: Finding | None, kind: str) -> Verdict:
    """Return the verdict on a difference: ``kind`` "loss" (nats) or "share" (points)."""
    if one is None:
        return Verdict(claim, "open")
    times, digits = (100, 1) if kind == "share" else (1, 3)
    error = None if one.standard_error is None else times * one.standard_error
    fields = (("gain", Measured(times * one.value, digits)), ("error", Measured(error, digits)))
    return Verdict(claim, one.outcome(), fields, f"{kind}_gap")
