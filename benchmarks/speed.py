"""What the speed benchmarks share: their text, programs timed in turn, the load of the machine, peak memory, and races.

A round times every program once, one after the other, so that a busy moment meets them all. Before it the load average is noted, and in
a short pause how many cores others use. A round that begins on a busy machine is marked and made again, a bounded number of times.
Ratios are those of medians; their spread is that of the ratios within rounds.

A race is one work done by this project and by a known program. Each benchmark writes its own file with a table of races and then calls
`write_speed`, which joins these files to ``speed.json``.
"""

from __future__ import annotations

import gc
import lzma
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.result_files import RESULTS, Measurements, about, head_of_run, write_results
from benchmarks.verdict_rules import all_at_least, make_claim
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.errors import MissingFileError
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

PAUSE = 0.5  # seconds in which others are watched
OTHERS = 0.5  # cores that others may use in a quiet round
WAITED = 5.0  # seconds between two looks at a busy machine
FEWEST = 3  # quiet rounds from which on busy ones are left out
PROCESS = Path("/proc/self")
BEGIN_ANEW = "5"  # of proc(5), clear_refs: the peak becomes what is resident now
RACE_FILES = ("bench", "text", "word2vec", "glove", "bert_speed", "search", "pca")  # in this order
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

Figures = dict[str, float]


def mirror(*parts: str) -> Path:
    """Find a file of the mirror, or say in a sentence how to name it."""
    path = Path(os.environ.get("KLYUCH_MIRROR", "KLYUCH_MIRROR"), *parts)
    if not path.exists():
        way_out = "Set KLYUCH_MIRROR to the folder that holds corpora/ and evaluation/."
        raise MissingFileError("file_missing", path=path, way_out=way_out)
    return path


def read_text(corpora: Path, size: int) -> bytes:
    """The first bytes of the English Wikipedia of the corpora, whole lines."""
    with lzma.open(corpora / "en_wikipedia.1.txt.xz") as file:
        data = file.read(size)
    return data[: data.rfind(b"\n") + 1]


def prepare(folder: Path, text: bytes) -> EncodedCorpus:
    """Write the input of all programs: the text, its ids (words with at least 5 uses), and the same words as lines for gensim."""
    (folder / "text.txt").write_bytes(text)
    corpus = encode([folder / "text.txt"], folder / "ids", EncodingConfig(min_count=5))
    with (folder / "lines.txt").open("w", encoding="utf-8") as lines:
        lines.writelines(" ".join(sentence) + "\n" for sentence in corpus.sentences())
    return corpus


def machine() -> dict[str, object]:
    """Return what the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(": ")[1] for line in lines if line.startswith("model name")), "")
    packages = {name: version(name) for name in ("numpy", "numba", "gensim")}
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version(), **packages}


def head_of_race(command: str) -> Measurements:
    """Return the head of what is measured in this run, with the versions of the libraries that race."""
    return {**head_of_run(command), "machine": machine()}


@dataclass(frozen=True, slots=True)
class Load:
    """How busy the machine was: the load average of a minute, and the cores that others used in a pause (None: not known)."""

    average: float
    others: float | None

    @property
    def is_busy(self) -> bool:
        """Whether a measurement that begins now is disturbed."""
        if self.others is None:
            return self.average > (os.cpu_count() or 1)
        return self.others > OTHERS


def read_load(pause: float = PAUSE) -> Load:
    """Return the load now; waits for ``pause`` seconds."""
    before, begun = _busy_seconds(), time.perf_counter()
    time.sleep(pause)
    after, taken = _busy_seconds(), time.perf_counter() - begun
    others = None if before is None or after is None else max(0.0, after - before) / taken
    return Load(os.getloadavg()[0], others)


def quiet_load(
    longest: float,
    load: Callable[[], Load] = read_load,
    rest: Callable[[float], object] = time.sleep,
) -> Load:
    """Return the load as soon as nobody else uses the machine; after ``longest`` seconds as it is then.

    ``load`` reads it, ``rest`` waits for some seconds between two readings.
    """
    waited, now = 0.0, load()
    while now.is_busy and waited < longest:
        rest(WAITED)
        waited += WAITED
        now = load()
    return now


def _busy_seconds() -> float | None:
    """Seconds that all cores together were busy since the start, for others on the same host too; None where it is not told."""
    try:
        line = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
        user, nice, system, _idle, _wait, interrupts, soft, steal = map(int, line.split()[1:9])
    except (OSError, ValueError):
        return None
    return (user + nice + system + interrupts + soft + steal) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Round:
    """One round: the load before it, and the figures of each program, ``seconds`` among them."""

    load: Load
    figures: dict[str, Figures]

    def row(self) -> dict[str, object]:
        """As plain values."""
        others = None if self.load.others is None else round(self.load.others, 2)
        return {
            "load_average": round(self.load.average, 1),
            "cores_used_by_others": others,
            "busy": self.load.is_busy,
            "seconds": {
                name: round(figures["seconds"], 4) for name, figures in self.figures.items()
            },
        }


@dataclass(frozen=True, slots=True)
class Timed:
    """Rounds of the same programs."""

    rounds: tuple[Round, ...]

    @property
    def counted(self) -> tuple[Round, ...]:
        """The quiet rounds if there are `FEWEST`, else all."""
        quiet = tuple(each for each in self.rounds if not each.load.is_busy)
        return quiet if len(quiet) >= min(FEWEST, len(self.rounds)) else self.rounds

    def median(self, name: str, key: str = "seconds") -> float:
        """The median of a program's figure over the rounds that count."""
        return statistics.median(each.figures[name][key] for each in self.counted)

    def medians(self, name: str) -> Figures:
        """The medians of all figures of a program."""
        return {key: self.median(name, key) for key in self.counted[0].figures[name]}

    def ratio(self, over: str, under: str, key: str = "seconds") -> float:
        """The median of the ratio of two programs' figures within each round."""
        return round(statistics.median(self._ratios(over, under, key)), 3)

    def ratio_quartiles(self, over: str, under: str, key: str = "seconds") -> list[float]:
        """Lower and upper quartile of the ratio within each round."""
        each = self._ratios(over, under, key)
        return [round(float(value), 3) for value in np.quantile(each, (0.25, 0.75))]

    def _ratios(self, over: str, under: str, key: str) -> list[float]:
        """Return the ratio within each round that counts."""
        return [each.figures[over][key] / each.figures[under][key] for each in self.counted]

    def load(self) -> dict[str, object]:
        """A summary for a table: median load average, rounds made, and how many of those that count began busy."""
        return load_summary([each.load for each in self.counted], rounds_made=len(self.rounds))

    def rows(self) -> list[dict[str, object]]:
        """Every round as plain values, those that do not count too."""
        return [each.row() for each in self.rounds]


def load_summary(loads: Sequence[Load], rounds_made: int | None = None) -> dict[str, object]:
    """Return median load average, rounds made and counted, and how many of the counted began on a busy machine."""
    return {
        "load_average": round(statistics.median(load.average for load in loads), 1),
        "rounds": rounds_made or len(loads),
        "rounds_counted": len(loads),
        "rounds_busy": sum(load.is_busy for load in loads),
    }


def in_turn(
    programs: Mapping[str, Callable[[], Figures]],
    rounds: int = 5,
    again: int | None = None,
    load: Callable[[], Load] = read_load,
) -> Timed:
    """Run every program in turn, ``rounds`` times.

    Parameters
    ----------
    programs : mapping
        What runs a program once and returns its figures, ``seconds`` among them.
    rounds : int
        Quiet rounds that are wanted.
    again : int, optional
        How many busy rounds are made again at most; as many as ``rounds`` if not given.
    load : callable
        Says how busy the machine is.
    """
    left = rounds if again is None else again
    finished: list[Round] = []
    quiet = 0
    while quiet < rounds and len(finished) < rounds + left:
        before = load()
        finished.append(Round(before, {name: run() for name, run in programs.items()}))
        quiet += not before.is_busy
    return Timed(tuple(finished))


def seconds_of(action: Callable[[], object]) -> Figures:
    """The seconds that a call takes."""
    begun = time.perf_counter()
    action()
    return {"seconds": time.perf_counter() - begun}


def reset_peak() -> None:
    """Let the peak of `peak_mb` begin again at what this process holds now: the input, the libraries, what a method has prepared."""
    gc.collect()
    (PROCESS / "clear_refs").write_text(BEGIN_ANEW, encoding="ascii")


def peak_mb() -> float:
    """Return the most memory that this process held since its start or `reset_peak`, in units of 2^20 bytes.

    Linux counts it (VmHWM), mapped files that were read included.
    """
    status = (PROCESS / "status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


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


def write_speed(folder: Path = RESULTS) -> None:
    """Write ``speed.json``: the races of one run of `benchmarks.bench` and of the others what it lacks.

    Of a work and size that several files have, the first counts; ``bench.json`` goes first.
    """
    paths = [folder / f"{name}.json" for name in RACE_FILES]
    experiments = [parse(read_json(path))[0] for path in paths if path.exists()]
    write_results(folder / "speed.json", speed_experiment(experiments), {})


def speed_experiment(experiments: Sequence[Experiment]) -> Experiment:
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
