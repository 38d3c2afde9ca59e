"""Tokenisation and encoding: words per second of `encode`, of Python's split and Counter, of gensim's counting.

Run ``python -m benchmarks.text_speed CORPORA`` where CORPORA holds the texts, plain or as .xz. Each system reads the same first 10^8
bytes of real text in a process of its own, in turn, for `ROUNDS` rounds; rounds that begin on a busy machine are made again and marked
(`benchmarks.speed`). Medians are held against medians; words are those that `encode` finds, for all systems, so that ratios are ratios of
time. Ours normalises, splits, counts, encodes, writes and syncs, and loads its compiled code; Python splits at white space, counts and
encodes into one array on disk; gensim splits at white space and counts. ``cpu_seconds`` hold the imports too.
"""

from __future__ import annotations

import json
import lzma
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.result_files import RESULTS, Measurements
from benchmarks.speed import Figures, Race, Timed, head_of_race, in_turn, write_races

SIZE = 10**8
ROUNDS = 5
TEXTS = {
    "en": ("en_wikipedia.1.txt",),
    "ru": ("ru_literature.txt",),
    "de": ("de_literature.txt", "de_parliament.txt"),
}
QUESTION = "How fast is text turned into ids?"


def ours(path: Path, folder: Path) -> dict[str, int]:
    from embeddings.corpora.corpus_encoding import encode
    from embeddings.corpora.encoded_corpus import EncodingConfig

    corpus = encode([path], folder / "ids", EncodingConfig(min_count=5))
    config = json.loads((folder / "ids" / "config.json").read_text(encoding="utf-8"))
    return {"words": config["words_of_text"], "vocabulary": len(corpus.vocabulary)}


def python_counter(path: Path, folder: Path) -> dict[str, int]:
    from collections import Counter

    import numpy as np

    with path.open(encoding="utf-8") as file:
        lines = [line.lower().split() for line in file]
    counts = Counter(word for line in lines for word in line)
    kept = [word for word, count in counts.most_common() if count >= 5]
    index = {word: number for number, word in enumerate(kept)}
    ids = np.array([index[word] for line in lines for word in line if word in index], np.int32)
    np.save(folder / "ids.npy", ids)
    return {"words": sum(counts.values()), "vocabulary": len(kept)}


def gensim_counts(path: Path, _folder: Path) -> dict[str, int]:
    from gensim.models.word2vec import Word2Vec

    model = Word2Vec(min_count=5, workers=2)
    total, _ = model.scan_vocab(corpus_file=str(path))
    kept = sum(count >= 5 for count in model.raw_vocab.values())
    return {"words": int(total), "vocabulary": kept}


SYSTEMS = {
    "klyuch": ours,
    "python_split_counter": python_counter,
    "gensim_scan_vocab": gensim_counts,
}


def run_one(name: str, path: Path) -> None:
    """Run one system in this process and print its figures as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        figures = SYSTEMS[name](path, Path(folder))
        seconds = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_SELF)
    timed = {"seconds": round(seconds, 3), "cpu_seconds": round(used.ru_utime + used.ru_stime, 3)}
    print(json.dumps({**timed, "memory_mb": used.ru_maxrss // 1024, **figures}))


def run_alone(name: str, path: Path) -> Figures:
    """Run one system in a process of its own and return its figures."""
    command = [sys.executable, "-m", "benchmarks.text_speed", "--one", name, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def _read(path: Path) -> bytes:
    """The beginning of a text, plain or packed as ``.xz`` beside it."""
    if path.exists():
        with path.open("rb") as plain:
            return plain.read(SIZE)
    with lzma.open(path.with_name(path.name + ".xz")) as packed:
        return packed.read(SIZE)


def first_bytes(corpora: Path, names: tuple[str, ...], target: Path) -> None:
    """Write the first `SIZE` bytes of the texts, up to a line's end."""
    content = b"".join(_read(corpora / name) for name in names)[:SIZE]
    target.write_bytes(content[: content.rindex(b"\n") + 1])


def figures_of(timed: Timed) -> Measurements:
    """Return the medians of every system, its rate, and how many times slower than ours it is, with the quartiles of the rounds."""
    words = timed.median("klyuch", "words")
    systems = {}
    for name in timed.rounds[0].figures:
        medians = timed.medians(name)
        systems[name] = {
            **{key: round(value, 3) for key, value in medians.items()},
            "words_per_second": round(words / medians["seconds"]),
            "times_slower_than_klyuch": round(timed.ratio(name, "klyuch"), 2),
            "times_slower_quartiles": timed.ratio_quartiles(name, "klyuch"),
        }
    return systems


def races(measured: Measurements) -> list[Race]:
    """Against gensim, which only counts."""
    compared = []
    for language, systems in measured["results"].items():
        rates = [
            systems[name]["words_per_second"] / 1e6 for name in ("klyuch", "gensim_scan_vocab")
        ]
        compared.append(Race("encode", language, "gensim", "M words/s", *rates, "only_counts"))
    return compared


def main(corpora: Path) -> None:
    """Measure every system on every language and write the results."""
    measured: Measurements = {
        **head_of_race("python -m benchmarks.text_speed CORPORA"),
        "bytes": SIZE,
        "texts": TEXTS,
        "results": {},
        "loads": {},
        "rounds": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        for language, names in TEXTS.items():
            path = Path(folder) / f"{language}.txt"
            first_bytes(corpora, names, path)
            timed = in_turn({name: partial(run_alone, name, path) for name in SYSTEMS}, ROUNDS)
            measured["results"][language] = figures_of(timed)
            measured["loads"][language] = timed.load()
            measured["rounds"][language] = timed.rows()
            path.unlink()
            print(language, json.dumps(measured["results"][language]), timed.load())
    write_races(RESULTS / "text.json", QUESTION, races(measured), measured)


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        run_one(sys.argv[2], Path(sys.argv[3]))
    else:
        main(Path(sys.argv[1]))
