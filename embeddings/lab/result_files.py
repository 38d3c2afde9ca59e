"""A value of a result file together with the way to it, so that a damaged file is refused by its very place.

Curves read and compared: values at a place, and where a value is reached first.
Files of results in the common shape: ``tables`` of rows that name their cells, ``curves`` of points, ``findings`` beside a source.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from embeddings.errors import FormatError, MissingFileError
from embeddings.results.experiment import Cell, Column, Measured, Series, Table, Verdict
from embeddings.shelf.locations import data


@dataclass(frozen=True, slots=True)
class Told:
    """What a result file says at a place; each reading checks its kind.

    Raises
    ------
    FormatError
        From every method but `get`, where the value is of another kind or not there.
    """

    value: object
    file: str
    command: str
    place: str = ""

    def __getitem__(self, key: str | int) -> Told:
        """The value under a key or at a number of a list."""
        found = self.get(key)
        if found is None:
            raise self._step(key, None).damaged()
        return found

    def get(self, key: str | int) -> Told | None:
        """The value under a key, None where there is none or it is null."""
        if isinstance(self.value, dict) and isinstance(key, str):
            value = self.value.get(key)
        elif isinstance(self.value, list) and isinstance(key, int):
            value = self.value[key] if -len(self.value) <= key < len(self.value) else None
        else:
            raise self.damaged()
        return None if value is None else self._step(key, value)

    def each(self) -> list[Told]:
        """The members of a list that has some."""
        if not isinstance(self.value, list) or not self.value:
            raise self.damaged()
        return [self._step(place, value) for place, value in enumerate(self.value)]

    def items(self) -> Iterator[tuple[str, Told]]:
        """Keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.damaged()
        return ((key, self._step(key, value)) for key, value in self.value.items())

    def number(self) -> float:
        """A finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.damaged()
        try:
            found = float(self.value)
        except OverflowError as error:  # JSON knows no largest integer
            raise self.damaged() from error
        if not math.isfinite(found):
            raise self.damaged()
        return found

    def positive(self) -> float:
        """A number above 0."""
        if (found := self.number()) <= 0:
            raise self.damaged()
        return found

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.damaged()
        return self.value

    def number_at(self, key: str) -> float | None:
        """The number under a key, None where there is none."""
        found = self.get(key)
        return None if found is None else found.number()

    def text_at(self, key: str) -> str:
        """The text under a key, "" where there is none."""
        found = self.get(key)
        return "" if found is None else found.text()

    def damaged(self) -> FormatError:
        """The refusal that names this place."""
        place = self.place or "{}"
        return FormatError("experiment_damaged", path=self.file, place=place, command=self.command)

    def _step(self, key: str | int, value: object) -> Told:
        """One step further in."""
        step = f"[{key}]" if isinstance(key, int) else f".{key}" if self.place else key
        return Told(value, self.file, self.command, self.place + step)


def folder() -> Path:
    """Where results lie: within what ships with a wheel, else beside the package in a clone."""
    inside = data() / "experiments"
    return inside if inside.is_dir() else data().parent / "benchmarks" / "results"


def read_told(name: str, command: str) -> Told:
    """Return what a file of results says.

    Parameters
    ----------
    name : str
        The file's name without its ending.
    command : str
        What makes it.

    Raises
    ------
    MissingFileError
        Where there is none: the sentence says which command makes it.
    FormatError
        Where it is not JSON.
    """
    path = folder() / f"{name}.json"
    shown = f"benchmarks/results/{name}.json"
    if not path.is_file():
        raise MissingFileError("experiment_missing", path=shown, command=command)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(
            "experiment_damaged", path=shown, place="JSON", command=command
        ) from error
    return Told(value, shown, command)


def machine_of(told: Told) -> str:
    """Return the machine in a line, however a file tells it; "" where it does not."""
    found = told.get("machine")
    if found is None:
        return ""
    if isinstance(found.value, str):
        return found.value
    cores = found.number_at("cores")
    parts = [found.text_at("cpu"), f"{cores:.0f} cores" if cores else ""]
    return ", ".join(filter(None, parts))


def frame_of(told: Told) -> dict[str, object]:
    """Return what the head of a file of results says: commit, machine, date, seconds, whether it was a short run."""
    short = told.get("short")
    if short is not None and not isinstance(short.value, bool):
        raise short.damaged()
    return {
        "files": (told.file,),
        "commit": told.text_at("commit"),
        "machine": machine_of(told),
        "created": told.text_at("created")[:10],
        "seconds": told.number_at("seconds"),
        "short": bool(short and short.value),
    }


@dataclass(frozen=True, slots=True)
class Curve:
    """Values ``y`` at growing places ``x``."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    @property
    def millions(self) -> tuple[float, ...]:
        """The places in millions."""
        return tuple(place / 1e6 for place in self.x)

    @property
    def end(self) -> float:
        """The last place."""
        return self.x[-1]

    def at(self, place: float) -> float:
        """The value at a place, that of the nearest end outside.

        Examples
        --------
        >>> Curve((0, 10), (4, 2)).at(5)
        3.0
        """
        return float(np.interp(place, self.x, self.y))

    def falls_to(self, value: float) -> float | None:
        """The first place where the curve is at or below a value, None if it never is.

        Examples
        --------
        >>> Curve((0, 10, 20), (4, 2, 1)).falls_to(3)
        5.0
        """
        if self.y[0] <= value:
            return self.x[0]
        pairs = list(zip(self.x, self.y, strict=True))
        for (x0, y0), (x1, y1) in pairwise(pairs):
            if y1 <= value:
                return float(x0 + (x1 - x0) * (y0 - value) / (y0 - y1))
        return None


def read_curve(points: Told, x: str, y: str) -> Curve:
    """Return the curve of two keys of a list of points, those without ``y`` left out; places must grow.

    Raises
    ------
    FormatError
        If a place does not grow, or no point has ``y``.
    """
    found: list[tuple[float, float]] = []
    for point in points.each():
        value = point.number_at(y)
        if value is not None:
            place = point[x].number()
            if found and place <= found[-1][0]:
                raise point[x].damaged()
            found.append((place, value))
    if not found:
        raise points.damaged()
    return Curve(tuple(p for p, _ in found), tuple(v for _, v in found))


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
