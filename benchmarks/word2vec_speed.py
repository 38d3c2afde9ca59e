"""Word2Vec against gensim: the same text, settings and machine, one trainer at a time.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.word2vec_speed [--quick]

Text: the first 10^8 bytes of en_wikipedia.1, encoded by this project (words with at least 5 uses);
gensim reads the same words as lines from a plain file (``corpus_file``, its fastest way). Each run
is a process of its own; rates are of training alone, in words of the text a second; cpu_seconds are
those of all threads, reading and tables included, and say what a busy machine hides; memory is the
peak of the process. Where a trainer is quick, the median of several runs stands. Written to
``benchmarks/results/word2vec.json``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.text_speed import machine
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig, encode
from embeddings.errors import MissingFileError
from embeddings.files import write_json
from embeddings.static.word2vec import Word2VecConfig, train_word2vec
from embeddings.vectors.formats.card import current_commit
from embeddings.vectors.table import Vectors

RESULT = Path(__file__).parent / "results" / "word2vec.json"
SETTINGS = {"vector_size": 100, "window": 5, "negative": 5, "sample": 1e-4, "seed": 1, "workers": 2}
SIZES = {"full": (10**8, 5), "quick": (10**7, 1)}  # bytes of text, epochs
RUNS = {
    ("klyuch", "skipgram"): 3,
    ("klyuch", "cbow"): 3,
    ("gensim", "cbow"): 1,
    ("gensim", "skipgram"): 1,
}


def mirror(*parts: str) -> Path:
    """Find a file of the mirror, or say in a sentence how to name it."""
    path = Path(os.environ.get("KLYUCH_MIRROR", "KLYUCH_MIRROR"), *parts)
    if not path.exists():
        way = "Set KLYUCH_MIRROR to the folder that holds corpora/ and evaluation/."
        raise MissingFileError("file_missing", path=path, way_out=way)
    return path


def prepare(folder: Path, size: int) -> EncodedCorpus:
    """Encode the first ``size`` bytes, and write the same words as lines for gensim."""
    with lzma.open(mirror("corpora", "en_wikipedia.1.txt.xz")) as file:
        text = file.read(size)
    (folder / "text.txt").write_bytes(text[: text.rindex(b"\n")])
    corpus = encode([folder / "text.txt"], folder / "ids", EncodingConfig(min_count=5))
    with (folder / "lines.txt").open("w", encoding="utf-8") as lines:
        lines.writelines(" ".join(sentence) + "\n" for sentence in corpus.sentences())
    return corpus


def train_klyuch(folder: Path, sg: bool, epochs: int) -> tuple[np.ndarray, float]:
    """Return vectors in the order of the vocabulary, and the seconds of training alone."""
    corpus = EncodedCorpus.open(folder / "ids")
    rates: list[float] = []
    config = Word2VecConfig(sg=sg, epochs=epochs, **SETTINGS)
    model = train_word2vec(corpus, config, report=lambda at: rates.append(at.per_second))
    return model.vectors.matrix, len(corpus.ids) * epochs / rates[-1]


def train_gensim(folder: Path, sg: bool, epochs: int) -> tuple[np.ndarray, float]:
    """Do the same with gensim."""
    from gensim.models import Word2Vec

    model = Word2Vec(sg=int(sg), epochs=epochs, min_count=5, **SETTINGS)
    lines = str(folder / "lines.txt")
    model.build_vocab(corpus_file=lines)
    begun = time.perf_counter()
    model.train(
        corpus_file=lines,
        total_words=model.corpus_total_words,
        total_examples=model.corpus_count,
        epochs=epochs,
    )
    seconds = time.perf_counter() - begun
    words = EncodedCorpus.open(folder / "ids").vocabulary.words
    return model.wv[list(words)], seconds


def run_alone(folder: Path, system: str, method: str, epochs: int) -> None:
    """Train in this process; leave vectors in the folder and print time and memory."""
    train = {"klyuch": train_klyuch, "gensim": train_gensim}[system]
    begun = time.process_time()
    matrix, seconds = train(folder, method == "skipgram", epochs)
    processor = time.process_time() - begun
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    np.save(folder / "vectors.npy", matrix)
    print(json.dumps({"seconds": seconds, "cpu_seconds": processor, "memory_mb": peak}))


def measure(folder: Path, system: str, method: str, epochs: int) -> dict:
    """Make one run in a process of its own, and score it."""
    command = [
        sys.executable,
        "-m",
        __spec__.name,
        "--alone",
        str(folder),
        system,
        method,
        str(epochs),
    ]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    row = json.loads(done.stdout.splitlines()[-1])
    corpus = EncodedCorpus.open(folder / "ids")
    vectors = Vectors(corpus.vocabulary.words, np.load(folder / "vectors.npy"))
    similar = mirror("evaluation", "similarity_en")
    analogies = evaluate_analogies(
        vectors, mirror("evaluation", "analogies_en", "questions-words.txt"), 30_000
    )
    return {
        "system": system,
        "method": method,
        "words_per_second": len(corpus.ids) * epochs / row["seconds"],
        **row,
        "analogies": analogies.accuracy,
        "analogies_covered": analogies.covered,
        "wordsim353": evaluate_pairs(vectors, similar / "EN-WS-353-ALL.txt").spearman,
        "simlex999": evaluate_pairs(vectors, similar / "EN-SIMLEX-999.txt").spearman,
    }


def middle(rows: list[dict]) -> dict:
    """Return the medians of several runs."""
    text = {key: rows[0][key] for key in ("system", "method")}
    numbers = [key for key in rows[0] if key not in text]
    found = {key: statistics.median(row[key] for row in rows) for key in numbers}
    return text | {key: round(value, 4) for key, value in found.items()} | {"runs": len(rows)}


def compare(size: int, epochs: int) -> dict:
    """Make all runs and set them against each other."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = prepare(folder, size)
        rows = []
        for (system, method), runs in RUNS.items():
            row = middle([measure(folder, system, method, epochs) for _ in range(runs)])
            print(json.dumps(row), flush=True)
            rows.append(row)
        about = {"words": len(corpus.ids), "vocabulary": len(corpus.vocabulary), "bytes": size}
    found = {(row["system"], row["method"]): row for row in rows}
    ratios = {
        method: {
            "speed": found["klyuch", method]["words_per_second"]
            / found["gensim", method]["words_per_second"],
            "cpu": found["gensim", method]["cpu_seconds"] / found["klyuch", method]["cpu_seconds"],
            "analogies": found["klyuch", method]["analogies"]
            - found["gensim", method]["analogies"],
        }
        for method in ("skipgram", "cbow")
    }
    return {
        "corpus": about,
        "epochs": epochs,
        "settings": SETTINGS,
        "rows": rows,
        "against_gensim": ratios,
    }


def main() -> None:
    """Compare, print, and write the result unless it was quick."""
    if sys.argv[1:2] == ["--alone"]:
        folder, system, method, epochs = sys.argv[2:]
        run_alone(Path(folder), system, method, int(epochs))
        return
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument(
        "--quick", action="store_true", help="a tenth of the text, one epoch, nothing written"
    )
    quick = ask.parse_args().quick
    found = compare(*SIZES["quick" if quick else "full"])
    about = {
        "command": "python -m benchmarks.word2vec_speed",
        "commit": current_commit(),
        "machine": machine(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    print(json.dumps(found["against_gensim"]))
    if not quick:
        write_json(RESULT, about | found)


if __name__ == "__main__":
    main()
