"""Depth: networks of one to four layers at equal parameters and at equal operations, beside the source's tables 2 and 3."""

from __future__ import annotations

from embeddings.lab.result_files import (
    Told,
    frame_of,
    read_findings,
    read_points,
    read_table,
    read_told,
)
from embeddings.results.experiment import (
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
    Verdict,
)

COMMAND = "python -m benchmarks.depth --work WORK"
EQUAL = ("equal_parameters", "equal_operations")
COLUMNS = {
    "layers": 0,
    "hidden_size": 0,
    "parameters": 0,
    "operations": 0,
    "steps": 0,
    "nsp_accuracy": 1,
    "nsp_standard_error": 1,
    "total_loss": 2,
    "mlm_loss": 2,
    "train_seconds": 0,
    "wall_seconds": 0,
    "test_seconds": 1,
}
PRINTED = {
    "nsp_accuracy": ("source_accuracy", 100),
    "total_loss": ("source_loss", 1),
    "minutes": ("source_minutes", 1),
}


def depth() -> Experiment:
    """Return both tables, each beside the source's, the curves, and whether deeper wins."""
    told = read_told("depth", COMMAND)
    tables = tuple(_table(told, name) for name in EQUAL)
    bars = tuple(_bars(told, name) for name in EQUAL)
    curves = tuple(
        Drawing(key, "lines", "steps", axis, _curves(told, key, times), reference)
        for key, axis, times, reference in (
            ("sentence_accuracy", "sentence_accuracy", 100, 50),
            ("mlm_loss", "loss", 1, None),
        )
    )
    return Experiment(
        "depth",
        tables,
        (*bars, *curves),
        _verdicts(told, tables),
        (told.text_at("command") or COMMAND,),
        **frame_of(told),  # type: ignore[arg-type]
    )


def _table(told: Told, name: str) -> Table:
    """The rows measured here, and behind them what the source printed for the same sizes."""
    own = read_table(told["tables"][name], name, COLUMNS)
    printed = {
        (row["layers"].number(), row["hidden_size"].number()): row
        for row in told["source"][name].each()
    }
    columns, rows = list(own.columns), [list(row) for row in own.rows]
    for key, (head, times) in PRINTED.items():
        values = []
        for row in rows:
            row_of = printed.get((row[0], row[1]))  # type: ignore[arg-type]
            value = None if row_of is None else row_of.number_at(key)
            values.append(None if value is None else times * value)
        if any(value is not None for value in values):
            columns.append(Column(head, digits=1 if key == "minutes" else 2 * (times == 1)))
            rows = [[*row, value] for row, value in zip(rows, values, strict=True)]
    return Table(name, tuple(columns), tuple(tuple(row) for row in rows))


def _shape(row: Told) -> str:
    """Layers and hidden size."""
    return f"{row['layers'].number():.0f} × {row['hidden_size'].number():.0f}"


def _bars(told: Told, name: str) -> Drawing:
    """NSP accuracy of each shape, with its standard error, beside the source's."""
    own, printed = told["tables"][name].each(), told["source"][name].each()
    here = Series(
        "here",
        tuple(_shape(row) for row in own),
        tuple(100 * row["nsp_accuracy"].number() for row in own),
        tuple(100 * row["nsp_standard_error"].number() for row in own),
    )
    there = Series(
        "source",
        tuple(_shape(row) for row in printed),
        tuple(100 * row["nsp_accuracy"].number() for row in printed),
    )
    return Drawing(name, "bars", "shape", "sentence_accuracy", (here, there), 50)


def _curves(told: Told, key: str, times: float) -> tuple[Series, ...]:
    """Held-out curves of every shape's first run."""
    found = []
    for name, points in told["curves"].items():
        shape, _, score = name.partition(".seed1.")
        if score == key:
            found.append(read_points(points, shape.replace("x", " × "), times))
    return tuple(found)


def _verdicts(told: Told, tables: tuple[Table, ...]) -> tuple[Verdict, ...]:
    """Deepest against shallowest, in accuracy and in loss; and which of the four was best."""
    findings, verdicts = read_findings(told), []
    for table in tables:
        names = [column.name for column in table.columns]
        best = max(table.rows, key=lambda row: float(row[names.index("nsp_accuracy")] or 0))
        for kind, times, digits in (("nsp", 100, 1), ("loss", 1, 2)):
            one = findings.get(f"deeper_{kind}_{table.name}")
            if one is None:
                continue
            error = None if one.standard_error is None else times * one.standard_error
            fields = (
                ("gain", Measured(times * one.value, digits)),
                ("error", Measured(error, digits)),
                ("best", Measured(float(best[0] or 0))),
            )
            verdicts.append(Verdict(f"deeper_{kind}_{table.name}", one.outcome(), fields))
    return tuple(verdicts)
