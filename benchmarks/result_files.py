"""What every benchmark writes: an experiment in the shape that the page Lab reads, with its further measurements in the same file."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from benchmarks.source_tree import ROOT, source_commit
from benchmarks.verdict_rules import corrected, difference, make_claim
from embeddings.configuration import are_pairs
from embeddings.files import atomic_file, read_json
from embeddings.lab.experiment import Cell, Claim, Column, Experiment, Measured, Series, Table
from embeddings.lab.experiment_files import MEASUREMENTS, parse
from embeddings.model_card import machine

RESULTS = ROOT / "benchmarks" / "results"
Measurements = dict[str, Any]
PLAIN_LIST = re.compile(r"\[\n\s+([^\[\]{}]*?)\n\s+\]")
HEADER_KEYS = ("command", "commands", "commit", "created", "seconds", "short")


def write_results(path: Path, experiment: Experiment, measured: Mapping[str, object]) -> None:
    """Write an experiment and what was measured, each list of plain values on one line.

    Parameters
    ----------
    path : Path
        ``benchmarks/results/NAME.json``, as a rule.
    experiment : Experiment
    measured : mapping
        Everything else; what stands in the experiment's own fields is left out.
    """
    rest = {key: value for key, value in measured.items() if key not in HEADER_KEYS}
    if isinstance(rest.get("machine"), str):
        del rest["machine"]
    experiment = replace(experiment, claims=corrected(experiment.claims))
    value = to_json(experiment, rest)
    parse(json.loads(json.dumps(value)))  # what is written can be read
    text = json.dumps(value, ensure_ascii=False, indent=1)
    text = PLAIN_LIST.sub(lambda match: "[" + re.sub(r",\n\s+", ", ", match[1]) + "]", text)
    with atomic_file(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


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
        if are_pairs(kind):
            inner = get_args(get_args(kind)[0])[1]
            return {name: _encode(inner, item) for name, item in value}
        inner = get_args(kind)[0] if get_origin(kind) is tuple else Any
        return [_encode(inner, item) for item in value]
    return value


def read_results(name: str, folder: Path = RESULTS) -> Measurements:
    """Return what a benchmark measured, with ``command``, ``commit``, ``machine`` and so on, as it gave it to `write_results`."""
    experiment, measurements = parse(read_json(folder / f"{name}.json"))
    return {**head_of(experiment), **measurements}


def head_of(experiment: Experiment) -> Measurements:
    """Return commands, commit, machine, date, seconds of an experiment, those that are known."""
    head: Measurements = {"commands": list(experiment.commands)}
    head |= {key: getattr(experiment, key) for key in ("commit", "machine", "created")}
    return head | {"seconds": experiment.seconds, "short": experiment.short}


def head_of_run(
    command: str, begun: float | None = None, *, commit: str | None = None
) -> Measurements:
    """Return the head of what a benchmark measured in this run: command, commit, machine, and the moment now.

    Parameters
    ----------
    command : str
        What measures it again.
    begun : float, optional
        When the run began, by `time.monotonic`: its seconds are in the head, too.
    commit : str, optional
        By default that of the working tree.
    """
    head: Measurements = {
        "command": command,
        "commit": source_commit() if commit is None else commit,
        "machine": machine(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return head if begun is None else {**head, "seconds": time.monotonic() - begun}


def about(measured: Measurements, name: str) -> dict[str, Any]:
    """Return the fields of an `Experiment` that say how it was made, from the head of what was measured."""
    commands = measured.get("commands") or [measured.get("command")]
    machine = measured.get("machine") or ""
    if not isinstance(machine, str):
        cores = machine.get("cores")
        machine = ", ".join(filter(None, [machine.get("cpu"), f"{cores} cores" if cores else ""]))
    return {
        "commands": tuple(filter(None, commands)),
        "files": (f"benchmarks/results/{name}.json",),
        "commit": measured.get("commit") or "",
        "machine": machine,
        "created": (measured.get("created") or "")[:10],
        "seconds": measured.get("seconds"),
        "short": bool(measured.get("short")),
    }


def table_of(
    name: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Mapping[str, int],
    terms: Mapping[str, str] | None = None,
) -> Table:
    """Return row objects as a table.

    Parameters
    ----------
    name : str
    rows : iterable of mapping
    columns : mapping
        Digits after the point by column, in order; one that ends in ``_accuracy`` or ``_error`` is a share in the row and percent
        in the table, one in ``_bytes`` becomes megabytes. Columns that no row has are left out.
    terms : mapping, optional
        Those of them that are codes, with what goes before a code.
    """
    rows, terms = list(rows), terms or {}
    filled = [key for key in columns if any(row.get(key) is not None for row in rows)]
    heads = tuple(Column(key, "term" if key in terms else "number", columns[key]) for key in filled)
    cells = tuple(tuple(_cell(row.get(key), key, terms) for key in filled) for row in rows)
    return Table(name, heads, cells)


def _cell(value: Any, key: str, terms: Mapping[str, str]) -> Cell:
    """A cell of a row, None where there is none."""
    if value is None:
        return None
    if key in terms:
        return f"{terms[key]}{value}"
    if key.endswith(("_accuracy", "_error")):
        return 100 * value
    return value * 1e-6 if key.endswith("_bytes") else value


def series_of(name: str, points: Sequence[Sequence[float]], times: float = 1) -> Series:
    """Return pairs of a place and a value as a series, values multiplied by ``times``."""
    return Series(name, tuple(x for x, _ in points), tuple(times * y for _, y in points))


def gap(name: str, finding: Mapping[str, Any] | None, kind: str, source: str = "") -> Claim:
    """Return the claim that a difference is above 0: ``kind`` "loss" (nats) or "share" (points of percent).

    Parameters
    ----------
    name : str
    finding : mapping or None
        ``ours`` with ``value`` and ``standard_error``, and ``source``, the difference that was published.
    kind : str
    source : str
        Citation.
    """
    if finding is None:
        return make_claim(name, difference, {"gain": None, "standard_error": None}, source=source)
    times, digits = (100, 1) if kind == "share" else (1, 3)
    gain, error = (
        None if value is None else times * value
        for value in (finding["ours"]["value"], finding["ours"]["standard_error"])
    )
    degrees = finding["ours"].get("degrees")  # of freedom, where a few runs gave the error
    published = finding.get("source")
    return make_claim(
        name,
        difference,
        {"gain": gain, "standard_error": error} | ({"degrees": degrees} if degrees else {}),
        {"gain": Measured(gain, digits), "error": Measured(error, digits)},
        sentence=f"{kind}_gap",
        source=source,
        published=None if published is None else times * published,
        ours=gain,
    )


def markdown_table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
