"""Text to ids: words per second of `encode`, of Python's split and Counter, of gensim's counting.

Run ``python -m benchmarks.text_speed CORPORA`` where CORPORA holds the texts, plain or as .xz. Each system
reads the same first 10^8 bytes of real text in a process of its own, twice; the faster run counts.
Words are those that `encode` finds, for all systems, so that ratios are ratios of time. Ours
normalises, splits, counts, encodes, writes and syncs, and loads its compiled code; Python splits at
white space, counts and encodes into one array on disk; gensim splits at white space and counts.
``cpu_seconds`` (imports included) and ``load_average`` tell how quiet the machine was: discard a
run with a load far above two.
"""

from __future__ import annotations

import json
import lzma
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

SIZE = 10**8
TEXTS = {
    "en": ("en_wikipedia.1.txt",),
    "ru": ("ru_literature.txt",),
    "de": ("de_literature.txt", "de_parliament.txt"),
}
RESULTS = Path(__file__).parent / "results" / "text.json"


def ours(path: Path, folder: Path) -> dict[str, int]:
    from embeddings.corpora.encoded_corpus import EncodingConfig, encode

    corpus = encode([path], folder / "ids", EncodingConfig(min_count=5))
    about = json.loads((folder / "ids" / "config.json").read_text(encoding="utf-8"))
    return {"words": about["words_of_text"], "vocabulary": len(corpus.vocabulary)}


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
    found = {"seconds": round(seconds, 3), "cpu_seconds": round(used.ru_utime + used.ru_stime, 3)}
    found |= {"load_average": round(os.getloadavg()[0], 1), "memory_mb": used.ru_maxrss // 1024}
    print(json.dumps(found | figures))


def _read(path: Path) -> bytes:
    """The beginning of a text, plain or packed as ``.xz`` beside it."""
    if path.exists():
        with path.open("rb") as plain:
            return plain.read(SIZE)
    with lzma.open(path.with_name(path.name + ".xz")) as packed:
        return packed.read(SIZE)


def first_bytes(corpora: Path, names: tuple[str, ...], target: Path) -> None:
    """Write the first `SIZE` bytes of the texts, up to a line's end."""
    data = b"".join(_read(corpora / name) for name in names)[:SIZE]
    target.write_bytes(data[: data.rindex(b"\n") + 1])


def best_of(name: str, path: Path, runs: int = 2) -> dict[str, float]:
    """Return the figures of the fastest of several runs."""
    command = [sys.executable, "-m", "benchmarks.text_speed", "--one", name, str(path)]
    outputs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for _ in range(runs)
    ]
    return min((json.loads(output) for output in outputs), key=lambda found: found["seconds"])


def machine() -> dict[str, object]:
    """Say what the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(": ")[1] for line in lines if line.startswith("model name")), "")
    packages = {name: version(name) for name in ("numpy", "numba", "gensim")}
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version(), **packages}


def main(corpora: Path) -> None:
    """Measure every system on every language and write the results."""
    results: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for language, names in TEXTS.items():
            path = Path(folder) / f"{language}.txt"
            first_bytes(corpora, names, path)
            found = {name: best_of(name, path) for name in SYSTEMS}
            words = found["klyuch"]["words"]
            for figures in found.values():
                figures["words_per_second"] = round(words / figures["seconds"])
                ratio = figures["seconds"] / found["klyuch"]["seconds"]
                figures["times_slower_than_klyuch"] = round(ratio, 2)
            results[language] = found
            path.unlink()
            print(language, json.dumps(found))
    about = {
        "command": "python -m benchmarks.text_speed CORPORA",
        "bytes": SIZE,
        "texts": TEXTS,
        "machine": machine(),
        "results": results,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        run_one(sys.argv[2], Path(sys.argv[3]))
    else:
        main(Path(sys.argv[1]))
