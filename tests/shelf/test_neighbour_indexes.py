"""The index beside a large model: built once, its recall measured, refused and built anew where it does not match the vectors."""

import errno
import json
import math
import os
import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from embeddings import Vectors, shelf
from embeddings.analysis.similarity import neighbours
from embeddings.errors import InputError, KlyuchError, MissingLibraryError
from embeddings.shelf import neighbour_indexes
from embeddings.vectors.formats import write
from embeddings.vectors.hnsw_index import NearIndex
from embeddings.vectors.search import nearest


def clustered(words=1500, size=24, seed=2):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(words, 6)) @ rng.normal(size=(6, size))
    matrix += 0.2 * rng.normal(size=(words, size))
    return Vectors([f"w{i}" for i in range(words)], matrix.astype(np.float32))


@pytest.fixture
def large(home, monkeypatch):
    """A model on the shelf that counts as large."""
    monkeypatch.setattr(neighbour_indexes, "INDEXED_PAST", 1000)
    write(clustered(), home / "v.bin")
    return shelf.import_model(home / "v.bin", "large")


def test_an_index_answers_with_the_recall_that_was_measured(large):
    built = shelf.build_index(large)
    vectors = shelf.load_vectors("large")
    assert shelf.open_index(large, vectors) == built
    assert (built.words, built.sampled, built.topn) == (1500, 200, 10)
    assert 0.9 <= built.recall <= 1
    hits = 0
    for row in range(0, 1500, 15):
        query = vectors.matrix[row]
        ours, _ = nearest(vectors, query, 10, excluded=[row], approximate=True)
        cosines = vectors.unit @ vectors.unit[row]
        cosines[row] = -2
        hits += len(set(ours.tolist()) & set(np.argsort(-cosines)[:10].tolist()))
    assert abs(hits / 1000 - built.recall) < 0.05
    exact = neighbours(vectors, "w7", 5)
    approximate = neighbours(vectors, "w7", 5, approximate=True)
    assert len({near.word for near in exact} & {near.word for near in approximate}) >= 4
    assert [state.state for state in shelf.verify_model(large)] == ["sound"] * 3


def test_the_recall_counts_what_an_index_misses(large):
    vectors = shelf.load_vectors("large")

    class Half:
        """Finds the five nearest of ten, and the word itself."""

        def nearest(self, query, topn):  # noqa: ARG002
            rows, cosines = nearest(vectors, query, 6)
            return rows, cosines

    assert neighbour_indexes.measure_recall(vectors, Half()) == pytest.approx(0.5)


def test_an_index_that_does_not_match_its_vectors_is_refused_and_built_anew(large, home):
    shelf.build_index(large)
    other = clustered(seed=9)
    write(other, home / "other.bin")
    second = shelf.import_model(home / "other.bin", "second")
    shutil.copytree(large.path / ".neighbours", second.path / ".neighbours")
    vectors = shelf.load_vectors("second")
    assert shelf.open_index(second, vectors) is None
    assert "near_index" not in vars(vectors)
    built = shelf.build_index(second)
    assert shelf.open_index(second, vectors) == built
    rows, _ = vectors.near_index.nearest(other.matrix[3], 1)
    assert rows.tolist() == [3]
    assert len([*(second.path / ".neighbours").glob("*.usearch")]) == 1


@pytest.mark.parametrize(
    "damage",
    ["a byte", "cut", "gone", "stamp", "about", "numbers", "endless", "list", "empty", "stranger"],
)
def test_a_damaged_index_is_as_none(large, damage):
    shelf.build_index(large)
    folder = large.path / ".neighbours"
    (index,) = folder.glob("*.usearch")
    about = json.loads((folder / "about.json").read_text())
    data = bytearray(index.read_bytes())
    if damage == "a byte":
        data[len(data) // 2] ^= 1
        index.write_bytes(data)
    elif damage in ("cut", "empty"):
        index.write_bytes(data[: len(data) // 2] if damage == "cut" else b"")
    elif damage == "gone":
        index.unlink()
    elif damage == "stranger":  # all fits, and nobody here built it
        shutil.rmtree(shelf.home() / "indexes")
    else:
        changes = {"stamp": {"stamp": "x"}, "numbers": {"recall": "all"}}
        about |= changes.get(damage, {"words": math.inf} if damage == "endless" else {})
        text = {"about": "{", "list": "[]"}.get(damage) or json.dumps(about)
        (folder / "about.json").write_text(text)
    vectors = shelf.load_vectors("large")
    assert shelf.open_index(large, vectors) is None
    assert "near_index" not in vars(vectors)


def test_an_index_that_the_library_cannot_read_is_not_built_while_somebody_waits(
    large, monkeypatch
):
    shelf.build_index(large)
    monkeypatch.setattr(NearIndex, "_view", lambda *_: None)  # as one of another version
    monkeypatch.setattr(NearIndex, "_build", lambda *_: pytest.fail("it is built"))
    assert shelf.open_index(large, shelf.load_vectors("large")) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of files is Linux's")
def test_a_full_disk_is_a_sentence_and_leaves_no_index(large):
    import resource

    bounds = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, bounds[1]))
    try:
        with pytest.raises(InputError, match="neighbours cannot be read or written"):
            shelf.build_index(large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, bounds)
    assert not (large.path / ".neighbours").exists()


@pytest.mark.parametrize("content", [b"", b"no index at all", b"usearch" + bytes(200)])
def test_a_file_that_is_no_index_is_built_over(tmp_path, content):
    vectors = clustered(200)
    (tmp_path / "stamp.usearch").write_bytes(content)
    index = NearIndex(vectors, tmp_path, stamp="stamp")
    assert index.nearest(vectors.matrix[9], 1)[0].tolist() == [9]
    assert (tmp_path / "stamp.usearch").read_bytes() != content


def test_an_index_of_fewer_rows_is_built_over(tmp_path):
    NearIndex(clustered(150), tmp_path, stamp="stamp")
    index = NearIndex(clustered(200), tmp_path, stamp="stamp")
    assert index.nearest(clustered(200).matrix[180], 1)[0].tolist() == [180]


def test_small_models_and_files_get_no_index(large, home, monkeypatch):
    with pytest.raises(InputError, match="Import it first"):
        shelf.build_index(shelf.find(home / "v.bin"))
    monkeypatch.setattr(neighbour_indexes, "INDEXED_PAST", 2000)
    with pytest.raises(InputError, match="1500 words; an index is built from 2000"):
        shelf.build_index(large)
    assert not (large.path / ".neighbours").exists()


def process(returncode):
    """A process that has ended so, or that runs (None)."""
    return SimpleNamespace(poll=lambda: returncode, returncode=returncode)


def test_one_index_is_built_at_a_time_and_asked_for_once(large, monkeypatch):
    started = []

    def start(command, **_):
        started.append(command)
        return process(None)

    monkeypatch.setattr(neighbour_indexes.subprocess, "Popen", start)
    with neighbour_indexes._locked(large):
        assert neighbour_indexes.is_building(large)
        assert not shelf.start_building(large)
        with pytest.raises(InputError, match="building the index of large"):
            shelf.build_index(large)
    assert [shelf.start_building(large), shelf.start_building(large)] == [True, False]
    assert [command[3:] for command in started] == [
        ["embeddings.cli", "models", "index", str(large.path), "--low-priority"]
    ]


def test_a_renamed_model_keeps_its_index(large):
    built = shelf.build_index(large)
    entry = shelf.rename("large", "renamed")
    assert shelf.open_index(entry, shelf.load_vectors("renamed")) == built


def fail_to_build(monkeypatch, error):
    def build(*_, **__):
        raise error

    monkeypatch.setattr(NearIndex, "_build", build)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "x.usearch"), "file_room"),
        (MissingLibraryError("library_missing", library="usearch", extra="app"), "library_missing"),
        (MemoryError(), "index_ended"),  # and where the system kills the process
    ],
)
def test_a_building_that_failed_is_remembered_and_not_begun_again_for_a_day(
    large, monkeypatch, error, code
):
    started = []
    monkeypatch.setattr(neighbour_indexes.subprocess, "Popen", lambda *a, **_: started.append(a))
    assert shelf.index_failure(large) is None
    with monkeypatch.context() as patch:
        fail_to_build(patch, error)
        with pytest.raises((KlyuchError, MemoryError)):
            shelf.build_index(large)
    failure = shelf.index_failure(large)
    assert failure.code == code
    assert not shelf.start_building(large)
    assert not started
    (note,) = (shelf.home() / "indexes").glob("*.json")
    old = note.stat().st_mtime - 25 * 3600
    os.utime(note, (old, old))
    assert shelf.index_failure(large) is None
    assert shelf.start_building(large)
    shelf.build_index(large)
    assert shelf.index_failure(large) is None
    assert not note.exists()


def test_a_building_that_a_person_stops_is_no_failure(large, monkeypatch):
    fail_to_build(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        shelf.build_index(large)
    assert shelf.index_failure(large) is None


def test_a_builder_that_ended_without_a_word_has_failed(large, monkeypatch):
    monkeypatch.setattr(neighbour_indexes.subprocess, "Popen", lambda *_, **__: process(None))
    assert shelf.start_building(large)
    assert shelf.index_failure(large) is None
    neighbour_indexes._started[large.stamp] = process(-9)
    assert shelf.index_failure(large).code == "index_ended"
    assert not shelf.start_building(large)


def test_a_damaged_note_of_a_failure_is_as_none(large):
    with neighbour_indexes._noted("large", neighbour_indexes._stamp(large)):
        (note,) = (shelf.home() / "indexes").glob("*.json")
        for text in (
            "{",
            "[]",
            "{}",
            '{"code": "no such", "fields": {}}',
            '{"code": "index_ended"}',
            '{"code": "index_ended", "fields": {}}',
            '{"code": "index_ended", "fields": {"code": "x"}}',
            '{"code": ["index_ended"], "fields": {}}',
        ):
            note.write_text(text)
            assert shelf.index_failure(large) is None


def test_the_command_says_once_that_no_index_could_be_built(large, monkeypatch, capsys):
    from embeddings.cli.words_commands import _open_index

    with monkeypatch.context() as patch:
        fail_to_build(patch, MemoryError())
        with pytest.raises(MemoryError):
            shelf.build_index(large)
    assert not _open_index("large", shelf.load_vectors("large"))
    said = capsys.readouterr().err
    assert said.count("index of large ended before the index was whole") == 1
    assert "being built" not in said
