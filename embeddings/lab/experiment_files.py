"""Files of experiments: the one shape in which ``benchmarks/`` writes what it measured, written, read and checked.

A file is a JSON object with the fields of `embeddings.results.experiment.Experiment` and ``measurements``: whatever else was measured.
Pairs of a name and a value (`Claim.numbers`, `Claim.fields`) are objects; what is as ever is left out.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from embeddings.errors import FormatError, MissingFileError
from embeddings.files import stamp
from embeddings.lab.verdict_rules import apply_rule
from embeddings.results.experiment import Cell, Claim, Drawing, Experiment, Measured, Table
from embeddings.shelf.locations import experiments

LARGEST = 8 << 20  # bytes of a file that is read
MEASUREMENTS = "measurements"
DRAWN = ("lines", "dots", "bars")
KINDS = ("term", "text", "number")  # of columns
MOST_DIGITS = 10  # after the point of a number on screen
TAKEN = (
    "self",
    "key",
)  # what no field of a sentence is called: `app.wording.Wording` has them itself
T = TypeVar("T")


class DamagedExperimentError(Exception):
    """A value of another kind than its place asks for; the message is the place."""


def read_file(name: str, command: str) -> tuple[Experiment, dict[str, Any]]:
    """Return what a file of `embeddings.shelf.locations.experiments` holds: the experiment, and its further measurements.

    Parameters
    ----------
    name : str
        The file's name without its suffix.
    command : str
        What makes it.

    Raises
    ------
    MissingFileError
        If there is none; the sentence says which command makes it.
    FormatError
        If it is no such file, holds another experiment, or a verdict is not the one that its numbers give; the sentence says where.
    """
    path = experiments() / f"{name}.json"
    shown = f"benchmarks/results/{name}.json"
    if not path.is_file():
        raise MissingFileError("experiment_missing", path=shown, command=command)
    try:
        experiment = _experiment(path, stamp(path))
        if experiment.name != name:
            raise DamagedExperimentError("name")
        _, measurements = _halves(_load(path))
    except DamagedExperimentError as error:
        raise FormatError(
            "experiment_damaged", path=shown, place=str(error), command=command
        ) from error
    return experiment, measurements


@lru_cache(maxsize=64)
def _experiment(path: Path, _: str) -> Experiment:
    """Return the experiment of a file, checked once a state of it; its measurements, which can be changed, are read anew."""
    return parse(_load(path))[0]


def _load(path: Path) -> object:
    """The JSON of a file of bounded size."""
    try:
        if path.stat().st_size > LARGEST:
            raise DamagedExperimentError("{}")
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedExperimentError("JSON") from error


def parse(value: object) -> tuple[Experiment, dict[str, Any]]:
    """Return the experiment and the measurements of a JSON object."""
    rest, measurements = _halves(value)
    experiment = decode(Experiment, rest)
    _check(experiment)
    return experiment, measurements


def _halves(value: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of an experiment, and the measurements beside them."""
    if not isinstance(value, dict):
        raise DamagedExperimentError("{}")
    rest = dict(value)
    measurements = rest.pop(MEASUREMENTS, {})
    if not isinstance(measurements, dict):
        raise DamagedExperimentError(MEASUREMENTS)
    return rest, measurements


def _check(experiment: Experiment) -> None:
    """A command, names that differ, and tables, drawings and claims that can be shown."""
    if not experiment.commands:
        raise DamagedExperimentError("commands")
    _check_names((table.name for table in experiment.tables), "tables")
    _check_names((drawing.name for drawing in experiment.drawings), "drawings")
    for number, table in enumerate(experiment.tables):
        _check_table(table, f"tables[{number}]")
    for number, drawing in enumerate(experiment.drawings):
        _check_drawing(drawing, f"drawings[{number}]")
    for number, claim in enumerate(experiment.claims):
        _check_claim(claim, f"claims[{number}]")


def _check_names(names: Iterable[str], start: str) -> None:
    """No two are the same, an underscore being as good as a hyphen."""
    plain_names = set()
    for index, name in enumerate(names):
        if (plain := name.replace("_", "-")) in plain_names:
            raise DamagedExperimentError(f"{start}[{index}].name")
        plain_names.add(plain)


def _check_digits(digits: int, start: str) -> None:
    """As many digits as can be written and read."""
    if not 0 <= digits <= MOST_DIGITS:
        raise DamagedExperimentError(f"{start}.digits")


def _check_table(table: Table, start: str) -> None:
    """Columns of known kinds, and a cell a column in every row, of the column's kind."""
    _check_names((column.name for column in table.columns), f"{start}.columns")
    for index, column in enumerate(table.columns):
        if column.kind not in KINDS:
            raise DamagedExperimentError(f"{start}.columns[{index}].kind")
        _check_digits(column.digits, f"{start}.columns[{index}]")
    for index, row in enumerate(table.rows):
        if len(row) != len(table.columns):
            raise DamagedExperimentError(f"{start}.rows[{index}]")
        for number, (column, value) in enumerate(zip(table.columns, row, strict=True)):
            if value is not None and _is_number(value) != (column.kind == "number"):
                raise DamagedExperimentError(f"{start}.rows[{index}][{number}]")


def _is_number(value: Cell) -> bool:
    """Whether a cell is a number."""
    return isinstance(value, int | float)


def _check_claim(claim: Claim, start: str) -> None:
    """The verdict is its rule's, and the fields can be put into a sentence."""
    try:
        verdict = apply_rule(claim.rule, claim.numbers)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DamagedExperimentError(f"{start}.numbers") from error
    if verdict != claim.verdict:
        raise DamagedExperimentError(f"{start}.verdict")
    for name, value in claim.fields:
        if not name.isidentifier() or name in TAKEN:
            raise DamagedExperimentError(f"{start}.fields")
        if isinstance(value, Measured):
            _check_digits(value.digits, f"{start}.fields.{name}")


def _check_drawing(drawing: Drawing, start: str) -> None:
    """A kind that can be drawn, and series of as many values as places: numbers for lines, else codes."""
    if drawing.kind not in DRAWN or not drawing.series:
        raise DamagedExperimentError(f"{start}.kind" if drawing.series else f"{start}.series")
    for index, series in enumerate(drawing.series):
        if len(series.x) != len(series.y) or len(series.spread) not in (0, len(series.y)):
            raise DamagedExperimentError(f"{start}.series[{index}]")
        for number, x in enumerate(series.x):
            if x is None or _is_number(x) != (drawing.kind == "lines"):
                raise DamagedExperimentError(f"{start}.series[{index}].x[{number}]")


def to_json(experiment: Experiment, measurements: Mapping[str, object]) -> dict[str, object]:
    """Return an experiment and its measurements as a JSON object."""
    encoded = _encode(Experiment, experiment)
    assert isinstance(encoded, dict)
    return {**encoded, MEASUREMENTS: dict(measurements)} if measurements else encoded


def _encode(kind: Any, value: Any) -> object:
    """A value as JSON; fields of a dataclass that have their default are left out."""
    if is_dataclass(value):
        hints = get_type_hints(type(value))
        return {
            field.name: _encode(hints[field.name], item)
            for field in fields(value)
            if (item := getattr(value, field.name)) != field.default
        }
    if isinstance(value, tuple):
        if _are_pairs(kind):
            inner = get_args(get_args(kind)[0])[1]
            return {name: _encode(inner, item) for name, item in value}
        inner = get_args(kind)[0] if get_origin(kind) is tuple else Any
        return [_encode(inner, item) for item in value]
    return value


def _are_pairs(kind: Any) -> bool:
    """Whether a type is a tuple of pairs of a name and a value."""
    inner = get_args(kind)[0] if get_origin(kind) is tuple else None
    return get_origin(inner) is tuple and len(get_args(inner)) == 2 and get_args(inner)[0] is str


def decode(kind: type[T], value: object, path: str = "") -> T:
    """Return a JSON value as ``kind``: a dataclass, a tuple, a text, a number, a truth value, or a union of them.

    Raises
    ------
    DamagedExperimentError
        Where it is of another kind; the error names the place.
    """
    return _decode(kind, value, path)  # type: ignore[no-any-return]


def _decode(kind: Any, value: object, path: str) -> Any:
    """As `decode`, of any type."""
    if get_origin(kind) in (Union, types.UnionType):
        return _decode_union(kind, value, path)
    if is_dataclass(kind):
        return _decode_dataclass(kind, value, path)
    if get_origin(kind) is tuple:
        return _decode_tuple(kind, value, path)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not _is_sound(value):
            raise DamagedExperimentError(path or "{}")
        return value
    if isinstance(kind, type) and type(value) is kind and _is_sound(value):
        return value
    raise DamagedExperimentError(path or "{}")


def _is_sound(value: object) -> bool:
    """Whether a number is one that a float holds, and a text has no halves of letters; everything else is."""
    try:
        if isinstance(value, str):
            value.encode()
        return not isinstance(value, int | float) or math.isfinite(float(value))
    except (OverflowError, UnicodeEncodeError):  # JSON has no largest integer, and lone surrogates
        return False


def _decode_union(kind: Any, value: object, path: str) -> Any:
    """The first member that fits."""
    if value is None and types.NoneType in get_args(kind):
        return None
    for member in get_args(kind):
        if member is not types.NoneType:
            try:
                return _decode(member, value, path)
            except DamagedExperimentError:
                continue
    raise DamagedExperimentError(path or "{}")


def _decode_dataclass(kind: Any, value: object, path: str) -> Any:
    """A dataclass from an object; keys that it has no field for are passed over."""
    if not isinstance(value, dict):
        raise DamagedExperimentError(path or "{}")
    known: dict[str, Field[Any]] = {field.name: field for field in fields(kind)}
    hints = get_type_hints(kind)
    start = f"{path}." if path else ""
    for name, field in known.items():
        if name not in value and field.default is MISSING:
            raise DamagedExperimentError(f"{start}{name}")
    return kind(
        **{
            name: _decode(hints[name], value[name], f"{start}{name}")
            for name in known
            if name in value
        }
    )


def _decode_tuple(kind: Any, value: object, path: str) -> tuple[Any, ...]:
    """A tuple from a list, or from an object where it holds pairs."""
    inner = get_args(kind)[0]
    if _are_pairs(kind):
        if not isinstance(value, dict):
            raise DamagedExperimentError(path or "{}")
        second = get_args(inner)[1]
        return tuple((key, _decode(second, item, f"{path}.{key}")) for key, item in value.items())
    if not isinstance(value, list):
        raise DamagedExperimentError(path or "{}")
    return tuple(_decode(inner, item, f"{path}[{number}]") for number, item in enumerate(value))
