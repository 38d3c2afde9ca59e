"""What a training has learned so far: the vectors in its checkpoint, and the film of a map over its passes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
from safetensors import safe_open

from embeddings.analysis.pca import PCA
from embeddings.errors import InputError
from embeddings.jobs.job_answers import Film, Job
from embeddings.method_registry import METHODS, network_methods
from embeddings.run_folder import CHECKPOINT, SNAPSHOTS, read_snapshot, taken
from embeddings.static.static_checkpoint import DAMAGES, read_state
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

MOST = 30_000  # commonest words whose vectors are looked at while a training runs
MAX_ANIMATED_WORDS = 40  # words of a film for which nobody asked
LOGGED = 20  # steps of a network between two snapshots' numbers: its --log-every


def learned(job: Job) -> tuple[Vectors, int] | None:
    """Return the vectors after the last whole pass, and how many passes (steps, of a network) that are.

    Of a network they are the rows of the token embedding matrix that are words. None before the first epoch.
    """
    if (job.run / CHECKPOINT).exists() and job.method != "fasttext":  # its words are n-grams
        return _from_checkpoint(job)
    passes = taken(job.run)
    if not passes:
        return None
    words, matrix = read_snapshot(job.run, passes[-1])
    return Vectors(words, matrix, method=job.method), passes[-1] * _scale(job)


def stamp(job: Job) -> int:
    """Return a number that changes when `learned` or `film` would say something new."""
    path = job.run / CHECKPOINT
    folder = path if path.exists() else job.run / SNAPSHOTS
    return folder.stat().st_mtime_ns if folder.exists() else 0


def film(job: Job, words: Sequence[str] = ()) -> Film:
    """Return a map of words over the passes, all frames on one basis.

    PCA is fitted to the last frame's rows, scaled to length one, and every frame is placed on its two components:
    so points move because vectors do, not because the basis turns.

    Parameters
    ----------
    words : sequence of str
        Words of the snapshots; those that are not in them are left out. None: common ones.

    Raises
    ------
    InputError
        If there are no two frames, or fewer than three words.
    """
    passes = taken(job.run)
    if len(passes) < 2:
        raise InputError("film_frames")
    vocabulary, last = read_snapshot(job.run, passes[-1])
    rows = _chosen(vocabulary, words)
    if len(rows) < 3:
        raise InputError("film_words", words=len(rows))
    pca = PCA(2).fit(normalize_rows(last[rows]))
    tables = (read_snapshot(job.run, done)[1] for done in passes)
    frames = [pca.transform(normalize_rows(table[rows])) for table in tables]
    unit = METHODS[job.method].passes.removesuffix("s") if job.method in METHODS else "epoch"
    return Film(
        tuple(vocabulary[row] for row in rows),
        tuple(done * _scale(job) for done in passes),
        np.stack(frames).astype(np.float64),
        tuple(float(share) for share in pca.explained_variance_ratio_),
        unit,
    )


def snapshot_words(job: Job) -> tuple[str, ...]:
    """Return the words of which the training keeps snapshots; none where there are no two of them yet."""
    passes = taken(job.run)
    return read_snapshot(job.run, passes[-1])[0] if len(passes) > 1 else ()


def film_words(job: Job, watched: Sequence[str], near: int = 5) -> tuple[str, ...]:
    """Return the watched words that the film knows, and what is nearest to each in its last frame."""
    passes = taken(job.run)
    if not passes:
        return ()
    words, matrix = read_snapshot(job.run, passes[-1])
    unit, index = normalize_rows(matrix), {word: row for row, word in enumerate(words)}
    shown: dict[str, None] = {}
    for word in watched:
        if (row := index.get(word)) is not None:
            order = np.argsort(-(unit @ unit[row]), kind="stable")[: near + 1]
            shown |= dict.fromkeys([word, *(words[other] for other in order)])
    return tuple(shown)


def _chosen(vocabulary: Sequence[str], words: Sequence[str]) -> list[int]:
    """Rows of the words asked for; without any, of common words of four letters and more."""
    index = {word: row for row, word in enumerate(vocabulary)}
    if words:
        return [index[word] for word in dict.fromkeys(words) if word in index]
    long = [row for row, word in enumerate(vocabulary) if len(word) > 3 and word.isalpha()]
    return (long if len(long) >= 3 else [*range(len(vocabulary))])[:MAX_ANIMATED_WORDS]


def _from_checkpoint(job: Job) -> tuple[Vectors, int] | None:
    """Read the commonest words' vectors of Word2Vec (inputs) or GloVe (W + W~)."""
    words = _vocabulary(job)
    try:
        state = read_state(job.run / CHECKPOINT)
        with safe_open(job.run / CHECKPOINT, framework="numpy") as file:
            name = "inputs" if state["kind"] == "word2vec" else "parameters"
            table = file.get_slice(name)
            rows = min(MOST, table.get_shape()[0 if name == "inputs" else 1])
            if name == "inputs":
                matrix = table[:rows]
            else:
                both = table[:, :rows, 0, :]
                matrix = (both[0] + both[1])[:, : int(state["settings"]["vector_size"])]
            passes = len(state["losses"])
    except DAMAGES:
        return None
    if len(words) < len(matrix) or matrix.ndim != 2:
        return None
    return Vectors(words[: len(matrix)], matrix, method=job.method), passes


def _vocabulary(job: Job) -> list[str]:
    """Words of the job's encoded corpus, as far as they are looked at."""
    for path in job.folder.glob("*.ids/words.txt"):
        with path.open(encoding="utf-8") as file:
            return [line.split("\t")[0] for line in islice(file, MOST)]
    return []


def _scale(job: Job) -> int:
    """Return how many passes a snapshot's number stands for."""
    return LOGGED if job.method in network_methods() else 1


def words_with_vectors(vectors: Vectors, words: Sequence[str]) -> tuple[str, ...]:
    """Return those of the words that have a vector."""
    rows = dict.fromkeys(vectors.find(word) for word in words)
    return tuple(vectors.words[row] for row in rows if row is not None)
