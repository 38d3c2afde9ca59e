"""Speed of the vectors: reading and writing files beside gensim, neighbours exact and by index.

Run it alone on the machine: ``python -m benchmarks.research.search_speed`` writes
``benchmarks/results/search.json``. The vectors are synthetic: 30 latent dimensions and noise, which
is about how trained vectors lie (random ones have no neighbours that an index could find).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from benchmarks.result_files import RESULTS, Measurements, head_of_run
from benchmarks.speed import Race, in_turn, seconds_of, shape, write_races
from embeddings import Vectors
from embeddings.vectors.formats import read, write
from embeddings.vectors.hnsw_index import NearIndex
from embeddings.vectors.cosine_search import nearest
from embeddings.vectors.word_list import close_spellings

QUESTION = "How fast are vectors read and searched?"
ROUNDS = 3


def vectors_of(words: int, size: int) -> Vectors:
    rng = np.random.default_rng(0)
    basis = rng.standard_normal((30, size), dtype=np.float32)
    matrix = rng.standard_normal((words, 30), dtype=np.float32) @ basis / 30**0.5
    for start in range(0, words, 65536):
        part = matrix[start : start + 65536]
        part += 0.5 * rng.standard_normal(part.shape, dtype=np.float32)
    return Vectors([f"слово{i}" for i in range(words)], matrix)


def seconds(action, times: int = 3) -> float:
    """Median of several runs; the first, which compiles or fills caches, is not counted."""
    taken = []
    for _ in range(times + 1):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[1:])


def files(words: int, size: int, folder: Path) -> list[dict[str, object]]:
    vectors = vectors_of(words, size)
    rows = []
    for kind, binary in (("word2vec", False), ("word2vec-binary", True)):
        path = folder / f"{kind}.{words}"
        writing = seconds(lambda path=path, kind=kind: write(vectors, path, format=kind), 1)
        readers = {
            "klyuch": partial(read, path),
            "gensim": partial(KeyedVectors.load_word2vec_format, path, binary=binary),
        }
        for reader in readers.values():  # the first of each fills caches
            reader()
        timed = in_turn({name: partial(seconds_of, call) for name, call in readers.items()}, ROUNDS)
        rows.append(
            {
                "format": kind,
                "words": words,
                "vector_size": size,
                "read_s": timed.median("klyuch"),
                "gensim_read_s": timed.median("gensim"),
                "times_gensim": timed.ratio("gensim", "klyuch"),
                "times_gensim_quartiles": timed.ratio_quartiles("gensim", "klyuch"),
                "load": timed.load(),
                "rounds": timed.rows(),
                "write_s": writing,
            }
        )
    path = folder / f"native.{words}"
    writing = seconds(lambda: write(vectors, path, format="native"), 1)
    rows.append(
        {
            "format": "native int8",
            "words": words,
            "vector_size": size,
            "read_s": seconds(lambda: read(path)),
            "write_s": writing,
        }
    )
    return rows


def exact(vectors: Vectors, queries: int = 30) -> dict[str, object]:
    start = time.perf_counter()
    nearest(vectors, vectors.matrix[0], 10)
    first = time.perf_counter() - start
    taken = []
    for row in range(queries):
        start = time.perf_counter()
        nearest(vectors, vectors.matrix[row * 1000 % len(vectors)], 10, excluded=[row])
        taken.append(time.perf_counter() - start)
    return {
        "words": len(vectors),
        "vector_size": vectors.vector_size,
        "first_query_ms": 1000 * first,
        "median_ms": 1000 * statistics.median(taken),
        "slowest_ms": 1000 * max(taken),
    }


def by_index(vectors: Vectors, folder: Path, queries: int = 200) -> dict[str, object]:
    start = time.perf_counter()
    index = NearIndex(vectors, folder / "index.usearch")
    building = time.perf_counter() - start
    taken, hits = [], 0
    for row in range(queries):
        query = vectors.matrix[row * 4999 % len(vectors)]
        start = time.perf_counter()
        rows, _ = index.nearest(query, 10)
        taken.append(time.perf_counter() - start)
        hits += len(np.intersect1d(rows, nearest(vectors, query, 10)[0]))
    return {
        "words": len(vectors),
        "vector_size": vectors.vector_size,
        "build_s": building,
        "median_ms": 1000 * statistics.median(taken),
        "recall_at_10": hits / (10 * queries),
        "bytes": index.path.stat().st_size,
    }


def races(measured: Measurements) -> list[Race]:
    """Reading the formats that gensim reads too."""
    return [
        Race(
            "read_" + row["format"].replace("-", "_"),
            shape(row["words"], row["vector_size"]),
            "gensim",
            "s",
            row["read_s"],
            row["gensim_read_s"],
        )
        for row in measured["files"]
        if row.get("gensim_read_s") is not None
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=RESULTS / "search.json")
    parser.add_argument("--words", type=int, default=1_000_000, help="rows of the large table")
    parser.add_argument("--index-words", type=int, default=1_000_000, help="rows of the index")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result: Measurements = {
            **head_of_run("python -m benchmarks.research.search_speed"),
            "cores": os.cpu_count(),
        }
        result["files"] = [*files(30_000, 100, folder), *files(400_000, 100, folder)]
        small = vectors_of(30_000, 200)
        close_spellings("слава", small)
        result["spellings_ms"] = 1000 * seconds(lambda: close_spellings("слово12x", small))
        large = vectors_of(options.words, 300)
        result["exact"] = [exact(small), exact(large)]
        if options.index_words != options.words:
            large = vectors_of(options.index_words, 300)
        result["index"] = [by_index(large, folder)]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_races(options.output, QUESTION, races(result), result)
    print(json.dumps(result, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
