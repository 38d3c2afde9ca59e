"""Speed of the concordance: building it, and asking it.

``python -m benchmarks.research.concordance_speed TEXT... --words 20000000`` indexes so many words of the
texts in a temporary place and writes ``benchmarks/results/concordance.json``. Seconds are those of
the clock; beside them stands how busy the machine was before each word, and the processor's own seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.speed import Load, load_summary, read_load
from embeddings.corpora.concordance import Concordance, build_concordance
from embeddings.corpora.concordance_search import ConcordanceQuery, search
from embeddings.corpora.text_files import documents
from embeddings.lab.experiment import Experiment

QUESTION = "How fast is a concordance built and asked?"
COLUMNS = {
    "word": 0,
    "forms": 0,
    "paragraphs": 0,
    "lines": 0,
    "first_ms": 1,
    "median_ms": 1,
    "processor_ms": 1,
}
ASKED = {
    "ru": ("ключ", "замок", "человек", "и", "кто-то"),
    "en": ("bank", "spring", "man", "the", "well-known"),
    "de": ("Schloss", "Leiter", "Mensch", "und", "Bank"),
}
TIMES = 5


def copied(sources: Sequence[Path], words: int, target: Path) -> int:
    """Copy whole documents of the sources, in order, until ``words`` words are reached."""
    done = 0
    with target.open("w", encoding="utf-8") as file:
        for document in _documents(sources):
            file.write("\n".join(document) + "\n\n")
            done += sum(len(paragraph.split()) for paragraph in document)
            if done >= words:
                break
    return done


def _documents(sources: Sequence[Path]) -> Iterator[list[str]]:
    """Yield the documents of all sources."""
    for source in sources:
        yield from documents(source)


def time_queries(
    concordance: Concordance, language: str
) -> tuple[list[dict[str, object]], list[Load]]:
    """Ask each word; seconds of the first time and the median of more; and the load before each word."""
    rows: list[dict[str, object]] = []
    loads = []
    for word in ASKED[language]:
        loads.append(read_load())
        taken, processor = [], []
        for _ in range(TIMES):
            began, cpu = time.perf_counter(), time.process_time()
            answer = search(concordance, ConcordanceQuery(word, language))
            taken.append(time.perf_counter() - began)
            processor.append(time.process_time() - cpu)
        paragraphs = sum(form.paragraphs for form in answer.forms)
        rows.append(
            {
                "word": word,
                "forms": len(answer.forms),
                "paragraphs": paragraphs,
                "lines": len(answer.lines),
                "first_ms": round(1000 * taken[0], 1),
                "median_ms": round(1000 * sorted(taken)[TIMES // 2], 1),
                "processor_ms": round(1000 * sorted(processor)[TIMES // 2], 1),
            }
        )
    return rows, loads


def concordance_experiment(measured: Measurements) -> Experiment:
    """Return the questions as a table."""
    table = table_of("queries", measured["queries"], COLUMNS, {"word": ""})
    return Experiment("concordance", QUESTION, (), (table,), (), **about(measured, "concordance"))


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--language", default="ru", choices=ASKED)
    parser.add_argument("--words", type=int, default=20_000_000)
    parser.add_argument("--conditions", default="alone on the machine")
    parser.add_argument("--output", type=Path, default=RESULTS / "concordance.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text, path = Path(folder) / "text.txt", Path(folder) / "c.sqlite"
        words = copied(options.texts, options.words, text)
        before, began, cpu = read_load(), time.perf_counter(), time.process_time()
        paragraphs, distinct = build_concordance([text], path)
        seconds, processor = time.perf_counter() - began, time.process_time() - cpu
        queries, loads = time_queries(Concordance.open(path), options.language)
        result: Measurements = {
            **head_of_run("python -m benchmarks.research.concordance_speed TEXT... --words WORDS"),
            "conditions": options.conditions,
            "load": load_summary([before, *loads]),
            "language": options.language,
            "words": words,
            "paragraphs": paragraphs,
            "distinct_words": distinct,
            "text_bytes": text.stat().st_size,
            "index_bytes": path.stat().st_size,
            "build_seconds": round(seconds, 1),
            "processor_seconds": round(processor, 1),
            "queries": queries,
        }
    write_results(options.output, concordance_experiment(result), result)
    print(json.dumps(result, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
