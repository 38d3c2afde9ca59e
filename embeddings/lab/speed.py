"""Speed against peers: what this project and a known program take for the same work, from all benchmarks that are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from embeddings.errors import MissingFileError
from embeddings.lab.result_files import Told, machine_of, read_told
from embeddings.results.experiment import (
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Race:
    """One work done by both: ``ours`` and ``theirs`` in ``unit``, ``size`` a remark on how much, ``remark`` a code."""

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


def speed() -> Experiment:
    """Return the races of every file of results that is there."""
    races: list[Race] = []
    read: list[Told] = []
    for name, (command, run) in SOURCES.items():
        with suppress(MissingFileError):
            told = read_told(name, command)
            races += run(told)
            read.append(told)
    if not read:
        shown = "benchmarks/results/word2vec.json"
        command = SOURCES["word2vec"][0]
        raise MissingFileError("experiment_missing", path=shown, command=command)
    columns = (
        Column("work", "term"),
        Column("size", "term"),
        Column("ours", digits=3),
        Column("theirs", digits=3),
        Column("unit", "term"),
        Column("peer", "text"),
        Column("ratio", digits=1),
        Column("remark", "term"),
    )
    rows = tuple(
        (r.work, r.size, r.ours, r.theirs, r.unit, r.peer, r.ratio, r.remark) for r in races
    )
    bars = Series(
        "ratio",
        tuple("|".join(filter(None, (r.work, r.size))) for r in races),
        tuple(r.ratio for r in races),
    )
    return Experiment(
        "speed",
        (Table("races", columns, rows),),
        (Drawing("ratios", "bars", "work", "ratio", (bars,), 1, log=True),),
        _verdicts(races),
        tuple(dict.fromkeys(told.command for told in read)),
        tuple(told.file for told in read),
        machine=next(filter(None, (machine_of(told) for told in read)), ""),
    )


def _verdicts(races: list[Race]) -> tuple[Verdict, ...]:
    """Whether every work is done at least as fast, and whether what is trained faster is as good."""
    slowest = min(races, key=lambda race: race.ratio)
    outcome = "yes" if slowest.ratio >= 1 else "partly" if any(r.ratio > 1 for r in races) else "no"
    fields = (
        ("faster", Measured(sum(race.ratio > 1 for race in races))),
        ("all", Measured(len(races))),
        ("work", slowest.work),
        ("size", slowest.size),
        ("ratio", Measured(slowest.ratio, 2)),
    )
    return (Verdict("fastest", outcome, fields),)


def _text(told: Told) -> Iterator[Race]:
    for language, systems in told["results"].items():
        ours, theirs = (
            systems[system]["words_per_second"].positive() / 1e6
            for system in ("klyuch", "gensim_scan_vocab")
        )
        yield Race("encode", language, "gensim", "M words/s", ours, theirs, "only_counts")


def _word2vec(told: Told) -> Iterator[Race]:
    rates = {
        (row["system"].text(), row["method"].text()): row["words_per_second"].positive() / 1e6
        for row in told["rows"].each()
    }
    for (system, method), ours in rates.items():
        if system == "klyuch" and ("gensim", method) in rates:
            yield Race(method, "", "gensim", "M words/s", ours, rates["gensim", method])


def _glove(told: Told) -> Iterator[Race]:
    theirs = told["against_c"]["c_program"]
    for work, part, key in (
        ("glove_count", "cooccurrence", "words_per_second"),
        ("glove_train", "training", "pairs_per_second"),
    ):
        unit = "M words/s" if part == "cooccurrence" else "M pairs/s"
        both = (told[part][key].positive() / 1e6, theirs[key].positive() / 1e6)
        yield Race(work, "", "GloVe (C)", unit, *both, "indirect")


def _bert(told: Told) -> Iterator[Race]:
    ours, theirs = (
        told[f"{system}_tokens_per_second"].positive() / 1e3 for system in ("ours", "transformers")
    )
    yield Race("bert", "", "transformers", "k tokens/s", ours, theirs, "same_steps")


def _shape(rows: Told, columns: Told) -> str:
    """Rows and columns, thousands parted by a narrow space."""
    both = (
        f"{one.number():,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}") for one in (rows, columns)
    )
    return " × ".join(both)


def _pca(told: Told) -> Iterator[Race]:
    for row in told["rows"].each():
        size = _shape(row["rows"], row["columns"])
        both = (row["klyuch_seconds"].positive(), row["sklearn_seconds"].positive())
        yield Race("pca", size, "scikit-learn", "s", *both)


def _search(told: Told) -> Iterator[Race]:
    for row in told["files"].each():
        theirs = row.get("gensim_read_s")
        if theirs is not None:
            size = _shape(row["words"], row["vector_size"])
            work = "read_" + row["format"].text().replace("-", "_")
            yield Race(work, size, "gensim", "s", row["read_s"].positive(), theirs.positive())


SOURCES: dict[str, tuple[str, Callable[[Told], Iterator[Race]]]] = {
    "text": ("python -m benchmarks.text_speed CORPORA", _text),
    "word2vec": ("python -m benchmarks.word2vec_speed", _word2vec),
    "glove": ("python -m benchmarks.glove_speed", _glove),
    "bert_speed": ("python benchmarks/bert_speed.py", _bert),
    "search": ("python benchmarks/search_speed.py", _search),
    "pca": ("python -m benchmarks.pca_speed", _pca),
}
