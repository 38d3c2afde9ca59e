"""The index beside a large model: built once, its recall measured, refused and built anew where it does not match the vectors."""

import json
import math
import shutil
import sys

import numpy as np
import pytest

from embeddings import Vectors, shelf
from embeddings.analysis.similarity import neighbours
from embeddings.errors import InputError
from embeddings.shelf import neighbour_indexes
from embeddings.vectors.cosine_search import nearest
from embeddings.vectors.formats import write
from embeddings.vectors.hnsw_index import NearIndex


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
    ["a byte", "cut", "gone", "stamp", "about", "numbers", "endless", "list", "empty"],
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
    else:
        changes = {"stamp": {"stamp": "x"}, "numbers": {"recall": "all"}}
        about |= changes.get(damage, {"words": math.inf} if damage == "endless" else {})
        text = {"about": "{", "list": "[]"}.get(damage) or json.dumps(about)
        (folder / "about.json").write_text(text)
    vectors = shelf.load_vectors("large")
    assert shelf.open_index(large, vectors) is None
    assert "near_index" not in vars(vectors)


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
    index = NearIndex(vectors, tmp_path / "stamp.usearch")
    assert index.nearest(vectors.matrix[9], 1)[0].tolist() == [9]
    assert (tmp_path / "stamp.usearch").read_bytes() != content


def test_small_models_and_files_get_no_index(large, home, monkeypatch):
    with pytest.raises(InputError, match="Import it first"):
        shelf.build_index(shelf.find(home / "v.bin"))
    monkeypatch.setattr(neighbour_indexes, "INDEXED_PAST", 2000)
    with pytest.raises(InputError, match="1500 words; an index is built from 2000"):
        shelf.build_index(large)
    assert not (large.path / ".neighbours").exists()


def test_a_renamed_model_keeps_its_index(large):
    built = shelf.build_index(large)
    entry = shelf.rename("large", "renamed")
    assert shelf.open_index(entry, shelf.load_vectors("renamed")) == built
