"""HNSW indexes beside large models of the shelf: built once, with the recall that was measured, refused where they do not match.

A folder ``.neighbours`` in the model's own holds the index and ``about.json``: the stamp of what it was built from (sha256 of the
vectors, settings of the graph), the sha256 of the index and its recall. Being hidden, it comes neither out of an archive nor into an
export. An index is code for a library that does not check what it reads: only those whose sha256 is the name of a file in the user's
folder ``indexes`` are opened, which are those that were built there. A building under way leaves a note there, with the refusal if it
fails; where one stands and nobody builds, the building has failed, and is not begun again for a day.

Malkov and Yashunin (2018), by the usearch library.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

import numpy as np

from embeddings.errors import InputError, KlyuchError, messages, refusals
from embeddings.files import read_json, sha256, whole_folder, write_json
from embeddings.results import Report
from embeddings.results.index_report import IndexReport
from embeddings.shelf.entries import Entry, load_vectors, read_card
from embeddings.shelf.locations import home
from embeddings.shelf.model_folders import recorded
from embeddings.vectors.formats.native_folder import INDEXES
from embeddings.vectors.formats.native_rows import VECTORS
from embeddings.vectors.hnsw_index import DTYPE, IndexConfig, NearIndex
from embeddings.vectors.search import nearest_many
from embeddings.vectors.table import Vectors

try:
    import fcntl
except ImportError:  # Windows has no such locks: there two may build at a time
    fcntl = None  # type: ignore[assignment]

INDEXED_PAST = 300_000  # words; over fewer, exact search is quick enough
ABOUT, BUILT = "about.json", "indexes"
SAMPLED, TOPN = 200, 10
LOWEST = 19  # priority in the background
AGAIN = 24 * 3600  # seconds after which a building that failed is begun again in the background
_started: dict[str, subprocess.Popen[bytes]] = {}  # by the stamp of the model: who builds its index


def open_index(entry: Entry, vectors: Vectors) -> IndexReport | None:
    """Let ``vectors`` of a model search by its index, and return what was measured of it; None where there is none that matches.

    After it `Vectors.most_similar` and `nearest` with ``approximate=True`` ask that index.
    """
    folder = entry.path / INDEXES
    if not (folder / ABOUT).exists():
        return None
    stamp = _stamp(entry)
    try:
        about = read_json(folder / ABOUT)
        path = folder / f"{stamp}.usearch"
        digest = sha256(path)
        if (
            about.get("stamp") != stamp
            or digest != about.get("sha256")
            or not _built(digest).exists()
        ):
            return None
        report = _parse(about)
        loaded = vars(vectors).get("near_index")
        if report is not None and (not isinstance(loaded, NearIndex) or loaded.path != path):
            vectors.near_index = NearIndex(vectors, folder, stamp=stamp, only_open=True)
    except (KlyuchError, OSError):  # damaged, or gone in this moment: as if there were none
        return None
    return report


def build_index(entry: Entry, report: Report | None = None) -> IndexReport:
    """Build the index of a model, measure its recall, and put it beside the vectors; an older one is replaced.

    Parameters
    ----------
    entry : Entry
        A static model on the shelf.
    report : callable, optional
        Called with `Progress` in words.

    Raises
    ------
    InputError
        If the model has no card or no more than `INDEXED_PAST` words, if an index of it is being built, or if the disk refuses.
    """
    if VECTORS not in recorded(read_card(entry)):
        raise InputError("index_no_card", name=entry.name)
    stamp, begun = _stamp(entry), time.monotonic()  # before the vectors: they may be replaced now
    vectors = load_vectors(entry.path)
    if len(vectors) <= INDEXED_PAST:
        raise InputError("index_small", name=entry.name, words=len(vectors), bound=INDEXED_PAST)
    with (
        _locked(entry),
        _noted(entry.name, stamp),
        refusals(),
        whole_folder(entry.path / INDEXES) as new,
    ):
        index = NearIndex(vectors, new, stamp=stamp, report=report)
        seconds = time.monotonic() - begun
        path = new / f"{stamp}.usearch"
        size, recall = path.stat().st_size, measure_recall(vectors, index)
        measured = IndexReport(len(vectors), recall, SAMPLED, TOPN, seconds, size)
        digest = sha256(path)
        write_json(new / ABOUT, {"stamp": stamp, "sha256": digest, **asdict(measured)})
        _built(digest).parent.mkdir(parents=True, exist_ok=True)
        _built(digest).touch()
    return measured


def measure_recall(vectors: Vectors, index: NearIndex, seed: int = 1) -> float:
    """Return the share of the `TOPN` exact neighbours of `SAMPLED` random words that the index finds, in [0, 1].

    A word itself does not count as its neighbour.
    """
    count = min(SAMPLED, len(vectors))
    drawn = np.sort(np.random.default_rng(seed).permutation(len(vectors))[:count])
    queries = vectors.unit_rows(drawn)
    exact = nearest_many(vectors, queries, TOPN, excluded=[[row] for row in drawn.tolist()])
    hits = total = 0
    for row, query, (expected, _) in zip(drawn.tolist(), queries, exact, strict=True):
        answered = set(index.nearest(query, TOPN + 1)[0].tolist()) - {row}
        hits += len(answered & set(expected.tolist()))
        total += len(expected)
    return hits / max(total, 1)


def start_building(entry: Entry) -> bool:
    """Build the index of a model in a process of its own at the lowest priority, once; return whether one was started now."""
    if _is_started(entry) or is_building(entry) or index_failure(entry) is not None:
        return False
    command = [sys.executable, "-P", "-m", "embeddings.cli", "models", "index", str(entry.path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    nothing = subprocess.DEVNULL
    with refusals():
        _started[entry.stamp] = subprocess.Popen(
            [*command, "--low-priority"],
            env=environment,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
        )
    return True


def index_failure(entry: Entry) -> KlyuchError | None:
    """Return why the index of a model was not built in the last day; None where that was not tried, is under way, or went well."""
    process = _started.get(entry.stamp)
    if _is_started(entry) or is_building(entry):
        return None
    if (note := _read_note(_note(_stamp(entry)))) is not None:
        return note
    if (
        process is not None and process.returncode
    ):  # it left no word: the disk is full, or it never began
        return InputError("index_ended", name=entry.name)
    return None


def _is_started(entry: Entry) -> bool:
    """Whether a process that was started from here is still alive."""
    process = _started.get(entry.stamp)
    return process is not None and process.poll() is None


@contextmanager
def _noted(name: str, stamp: str) -> Iterator[None]:
    """Leave a note while an index is being built, and after it if that fails: also where the process is killed."""
    path = _note(stamp)
    _write_note(path, InputError("index_ended", name=name))
    try:
        yield
    except KlyuchError as error:
        _write_note(path, error)
        raise
    except KeyboardInterrupt:
        path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)


def _write_note(path: Path, error: KlyuchError) -> None:
    """Write a refusal down by code and fields; where the disk refuses, there is no note."""
    fields = {key: str(value) for key, value in error.fields.items()}
    with suppress(OSError):
        write_json(path, {"code": error.code, "fields": fields})


def _read_note(path: Path) -> KlyuchError | None:
    """Return the refusal of a note that is younger than `AGAIN`."""
    try:
        if time.time() - path.stat().st_mtime > AGAIN:
            return None
        note = read_json(path)
    except (KlyuchError, OSError):
        return None
    code, fields = note.get("code"), note.get("fields")
    if not isinstance(code, str) or code not in messages() or not isinstance(fields, dict):
        return None
    with suppress(KeyError, TypeError):  # other fields than the sentence has
        return InputError(code, **fields)
    return None


def _note(stamp: str) -> Path:
    """Return the file that says that an index is being built, or was not built."""
    return home() / BUILT / f"{stamp}.json"


def is_building(entry: Entry) -> bool:
    """Whether a process builds the index of a model now."""
    try:
        with _locked(entry):
            return False
    except InputError:
        return True
    except OSError:
        return False


@contextmanager
def _locked(entry: Entry) -> Iterator[None]:
    """Hold the model's folder for one builder.

    Raises
    ------
    InputError
        If another process holds it.
    """
    if not fcntl:
        yield
        return
    handle = os.open(entry.path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("index_busy", name=entry.name) from None
        yield
    finally:
        os.close(handle)


def _stamp(entry: Entry) -> str:
    """Return what an index of a model is built from: the vectors' sha256 and the settings of the graph."""
    digest = recorded(read_card(entry)).get(VECTORS, "")
    settings = IndexConfig()
    return f"{digest[:32]}-{settings.connectivity}-{settings.expansion_add}-{DTYPE}"


def _built(digest: str) -> Path:
    """Return the file that says that an index of this sha256 was built by this user."""
    return home() / BUILT / digest


def _parse(about: dict[str, object]) -> IndexReport | None:
    """Return what was measured; None if that is not what stands there."""
    numbers = [about.get(name) for name in IndexReport.__slots__]
    if not all(
        type(number) in (int, float) and math.isfinite(float(str(number))) for number in numbers
    ):
        return None
    values: dict[str, float] = {
        name: float(str(number))
        for name, number in zip(IndexReport.__slots__, numbers, strict=True)
    }
    words, sampled, topn, size = (int(values[n]) for n in ("words", "sampled", "topn", "size"))
    return IndexReport(words, values["recall"], sampled, topn, values["seconds"], size)
