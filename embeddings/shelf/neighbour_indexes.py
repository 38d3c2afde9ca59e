"""HNSW indexes of large models on the shelf: built once on request, saved in the model's folder, with their measured recall.

The hidden folder ``.neighbours`` of a model holds the index and ``about.json``: a stamp of what it was built from (sha256 of the vectors,
settings of the graph), the sha256 of the index and its recall. Archives and exports leave it out. usearch does not check the files that it
opens, so an index whose sha256 differs is not opened.

Malkov and Yashunin (2018), by the usearch library.
"""

from __future__ import annotations

import time
from dataclasses import asdict

import numpy as np

from embeddings.analysis.vector_answers import IndexReport
from embeddings.configuration import ShapeError, decode
from embeddings.errors import InputError, KlyuchError, refusals
from embeddings.files import atomic_folder, read_json, sha256, write_json
from embeddings.model_card import checksums
from embeddings.results import Report
from embeddings.shelf.entries import Entry, load_vectors, read_card
from embeddings.vectors.cosine_search import nearest_many
from embeddings.vectors.formats.native_folder import INDEXES
from embeddings.vectors.formats.native_rows import VECTORS
from embeddings.vectors.hnsw_index import INDEX_SETTINGS, NearIndex
from embeddings.vectors.table import Vectors

INDEXED_PAST = 300_000  # words; over fewer, exact search is quick enough
ABOUT = "about.json"
SAMPLED_WORDS, TESTED_NEIGHBOURS = 200, 10


def open_index(entry: Entry, vectors: Vectors) -> IndexReport | None:
    """Let ``vectors`` of a model search by its index, and return what was measured of it; None where there is none that matches.

    After it `Vectors.neighbours` and `nearest` with ``approximate=True`` ask that index.
    """
    folder = entry.path / INDEXES
    if not (folder / ABOUT).exists():
        return None
    stamp = _stamp(entry)
    try:
        about = read_json(folder / ABOUT)
        path = folder / f"{stamp}.usearch"
        if about.get("stamp") != stamp or about.get("sha256") != sha256(path):
            return None
        report = decode(IndexReport, about)
        loaded = vars(vectors).get("near_index")
        if not isinstance(loaded, NearIndex) or loaded.path != path:
            vectors.near_index = NearIndex(vectors, path, only_open=True)
    except (KlyuchError, OSError, ShapeError):
        # damaged, or gone in this moment: as if there were none
        return None
    return report


def build_index(entry: Entry, report: Report | None = None) -> IndexReport:
    """Build the index of a model, measure its recall, and put it next to the vectors; an older one is replaced.

    Parameters
    ----------
    entry : Entry
        A static model on the shelf.
    report : callable, optional
        Called with `Progress` in words.

    Raises
    ------
    InputError
        If the model has no card or no more than `INDEXED_PAST` words, or if the disk refuses.
    """
    if VECTORS not in checksums(read_card(entry)):
        raise InputError("index_no_card", name=entry.name)
    stamp, begun = _stamp(entry), time.monotonic()  # before the vectors: they may be replaced now
    vectors = load_vectors(entry.path)
    if len(vectors) <= INDEXED_PAST:
        raise InputError("index_small", name=entry.name, words=len(vectors), bound=INDEXED_PAST)
    with refusals(), atomic_folder(entry.path / INDEXES) as new:
        path = new / f"{stamp}.usearch"
        index = NearIndex(vectors, path, report=report)
        seconds = time.monotonic() - begun
        size, recall = path.stat().st_size, measure_recall(vectors, index)
        measured = IndexReport(
            len(vectors), recall, SAMPLED_WORDS, TESTED_NEIGHBOURS, seconds, size
        )
        write_json(new / ABOUT, {"stamp": stamp, "sha256": sha256(path), **asdict(measured)})
    return measured


def measure_recall(vectors: Vectors, index: NearIndex) -> float:
    """Return the share of the `TESTED_NEIGHBOURS` exact neighbours of `SAMPLED_WORDS` random words that the index finds, in [0, 1].

    A word itself does not count as its neighbour.
    """
    count = min(SAMPLED_WORDS, len(vectors))
    drawn = np.sort(np.random.default_rng(1).permutation(len(vectors))[:count])
    queries = vectors.unit_rows(drawn)
    rows = drawn.tolist()
    exact = nearest_many(vectors, queries, TESTED_NEIGHBOURS, excluded=[[row] for row in rows])
    hits = total = 0
    for row, query, (expected, _) in zip(rows, queries, exact, strict=True):
        answered = set(index.nearest(query, TESTED_NEIGHBOURS + 1)[0].tolist()) - {row}
        hits += len(answered & set(expected.tolist()))
        total += len(expected)
    return hits / max(total, 1)


def _stamp(entry: Entry) -> str:
    """Return what an index of a model is built from: the vectors' sha256 and the settings of the graph."""
    digest = checksums(read_card(entry)).get(VECTORS, "")
    return f"{digest[:32]}-{INDEX_SETTINGS}"
