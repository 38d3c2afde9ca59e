"""The experiment on speed: what this project and a known program take for the same work, joined from the files of the speed benchmarks.

Each of them writes its own file with a table of races and then calls `write_speed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.result_files import RESULTS, Measurements, about, write_results
from benchmarks.verdict_rules import all_at_least, make_claim
from embeddings.files import read_json
from embeddings.lab.experiment import (
    Cell,
    Claim,
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
)
from embeddings.lab.experiment_files import parse

PARTS = ("text", "word2vec", "glove", "bert_speed", "search", "pca")
COLUMNS = (
    Column("work", "term"),
    Column("size", "term"),
    Column("ours", digits=3),
    Column("theirs", digits=3),
    Column("unit", "term"),
    Column("peer", "text"),
    Column("ratio", digits=1),
    Column("remark", "term"),
)


@dataclass(frozen=True, slots=True)
class Race:
    """One work done by both: ``ours`` and ``theirs`` in ``unit``, ``size`` says how much, ``remark`` is a code."""

    work: str
    size: str
    peer: str
    unit: str
    ours: float
    theirs: float
    remark: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster this project is."""
        faster = self.ours / self.theirs
        return 1 / faster if self.unit == "s" else faster

    @property
    def row(self) -> tuple[Cell, ...]:
        """The row of the table, as `COLUMNS`."""
        numbers = (self.ours, self.theirs, self.unit, self.peer, self.ratio)
        return (self.work, self.size, *numbers, self.remark)


def shape(rows: int, columns: int) -> str:
    """Rows and columns, thousands separated by a narrow space."""
    return " × ".join(
        f"{n:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}") for n in (rows, columns)
    )


def races_experiment(
    name: str, question: str, races: Sequence[Race], measured: Measurements
) -> Experiment:
    """Return the experiment of one speed benchmark: a table of its races."""
    table = Table("races", COLUMNS, tuple(race.row for race in races))
    return Experiment(name, question, (), (table,), (), **about(measured, name))


def write_races(path: Path, question: str, races: Sequence[Race], measured: Measurements) -> None:
    """Write the file of one speed benchmark, and the joined one beside it."""
    write_results(path, races_experiment(path.stem, question, races, measured), measured)
    write_speed(path.parent)


def parts(folder: Path = RESULTS) -> list[str]:
    """Return the names of the files of races that are there, that of the one run first."""
    return [name for name in ("bench", *PARTS) if (folder / f"{name}.json").exists()]


def write_speed(folder: Path = RESULTS) -> None:
    """Write ``speed.json``: the races of one run of `benchmarks.bench` and of the others what it lacks.

    Of a work and size that several files have, the first counts; ``bench.json`` goes first.
    """
    paths = [folder / f"{name}.json" for name in parts(folder)]
    write_results(folder / "speed.json", speed([parse(read_json(path))[0] for path in paths]), {})


def speed(experiments: Sequence[Experiment]) -> Experiment:
    """Return all races as one experiment."""
    by_work: dict[tuple[Cell, ...], tuple[Cell, ...]] = {}
    for part in experiments:
        for table in part.tables:
            for row in table.rows if table.name == "races" else ():
                by_work.setdefault(_work_of(row), row)
    rows = tuple(by_work.values())
    ratio = [column.name for column in COLUMNS].index("ratio")
    bars = Series(
        "ratio",
        tuple("|".join(str(cell) for cell in row[:2] if cell) for row in rows),
        tuple(row[ratio] for row in rows),  # type: ignore[misc]
    )
    return Experiment(
        "speed",
        "How fast is this project beside well-known programs?",
        (_fastest(rows, ratio),),
        (Table("races", COLUMNS, rows),),
        (Drawing("ratios", "bars", "work", "ratio", (bars,), 1),),
        tuple(dict.fromkeys(command for part in experiments for command in part.commands)),
        tuple(file for part in experiments for file in part.files),
        machine=next((part.machine for part in experiments if part.machine), ""),
    )


def _work_of(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return work and size of a row; a text in English is the one that has no size."""
    work, size = row[:2]
    return (work, "" if (work, size) == ("encode", "en") else size)


def _fastest(rows: tuple[tuple[Cell, ...], ...], ratio: int) -> Claim:
    """Whether every work is done at least as fast as by the peer."""
    ratios = [float(row[ratio] or 0) for row in rows]
    slowest = min(range(len(rows)), key=ratios.__getitem__)
    fields = {
        "faster": Measured(sum(value > 1 for value in ratios)),
        "all": Measured(len(rows)),
        "work": str(rows[slowest][0]),
        "size": str(rows[slowest][1]),
        "ratio": Measured(ratios[slowest], 2),
    }
    numbers = {"values": ratios, "bound": 1.0}
    return make_claim("fastest", all_at_least, numbers, fields, ours=ratios[slowest])
