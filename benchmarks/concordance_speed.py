"""Speed of the concordance: building it, and asking it.

``python -m benchmarks.concordance_speed TEXT... --words 20000000`` indexes so many words of the
texts in a temporary place and writes ``benchmarks/results/concordance.json``. Seconds are those of
the clock; beside them stands how busy the machine was, and the processor's own seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from embeddings.corpora.concordance import Concordance, build_concordance
from embeddings.corpora.text_files import documents
from embeddings.vectors.formats.card import machine

RESULTS = Path(__file__).parent / "results" / "concordance.json"
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


def asked(concordance: Concordance, language: str) -> list[dict[str, object]]:
    """Ask each word; seconds of the first time and the median of more."""
    rows: list[dict[str, object]] = []
    for word in ASKED[language]:
        taken, own = [], []
        for _ in range(TIMES):
            began, cpu = time.perf_counter(), time.process_time()
            lines = concordance.find(word, language, 200)
            taken.append(time.perf_counter() - began)
            own.append(time.process_time() - cpu)
        paragraphs = sum(form.paragraphs for form in concordance.forms(word, language))
        rows.append(
            {
                "word": word,
                "forms": len(concordance.forms(word, language)),
                "paragraphs": paragraphs,
                "lines": len(lines),
                "first_ms": round(1000 * taken[0], 1),
                "median_ms": round(1000 * sorted(taken)[TIMES // 2], 1),
                "processor_ms": round(1000 * sorted(own)[TIMES // 2], 1),
            }
        )
    return rows


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--language", default="ru", choices=ASKED)
    parser.add_argument("--words", type=int, default=20_000_000)
    parser.add_argument("--conditions", default="alone on the machine")
    parser.add_argument("--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text, path = Path(folder) / "text.txt", Path(folder) / "c.sqlite"
        words = copied(given.texts, given.words, text)
        load, began, cpu = os.getloadavg()[0], time.perf_counter(), time.process_time()
        paragraphs, distinct = build_concordance([text], path)
        seconds, own = time.perf_counter() - began, time.process_time() - cpu
        result = {
            "machine": machine(),
            "conditions": given.conditions,
            "load_average": [round(load, 1), round(os.getloadavg()[0], 1)],
            "language": given.language,
            "words": words,
            "paragraphs": paragraphs,
            "distinct_words": distinct,
            "text_bytes": text.stat().st_size,
            "index_bytes": path.stat().st_size,
            "seconds": round(seconds, 1),
            "processor_seconds": round(own, 1),
            "queries": asked(Concordance.open(path), given.language),
        }
    given.output.write_text(json.dumps(result, ensure_ascii=False, indent=2) + "\n", "utf-8")
    print(json.dumps(result, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
