"""UMAP in a process of its own gives the map that this process would give, and its end is a sentence."""

import io

import numpy as np
import pytest

from embeddings.analysis import umap_process
from embeddings.analysis.umap_process import UmapProcess, read_array, serve, write_array
from embeddings.errors import InputError, MissingLibraryError

ROWS = np.random.default_rng(1).normal(size=(12, 8)).astype(np.float32)


@pytest.fixture
def quick(monkeypatch):
    """In place of UMAP the first columns, less the seed."""
    monkeypatch.setattr(
        umap_process, "by_umap", lambda rows, dimensions, seed: rows[:, :dimensions] - seed
    )


def test_each_request_is_answered_in_its_order_until_there_are_no_more(quick):
    requests, answers = io.BytesIO(), io.BytesIO()
    for dimensions, seed in ((2, 1), (3, 4)):
        write_array(requests, np.array([dimensions, seed]))
        write_array(requests, ROWS)
    requests.seek(0)
    serve(requests, answers)
    answers.seek(0)
    assert np.array_equal(read_array(answers), ROWS[:, :2] - 1)
    assert np.array_equal(read_array(answers), ROWS[:, :3] - 4)
    assert not answers.read()


@pytest.mark.parametrize("left", [0, 5, 40])
def test_an_answer_that_breaks_off_is_none(left):
    packed = io.BytesIO()
    write_array(packed, ROWS)
    with pytest.raises(EOFError):
        read_array(io.BytesIO(packed.getvalue()[:left]))


def test_a_process_that_ends_is_a_sentence_and_the_next_map_starts_another(monkeypatch):
    umap = UmapProcess()
    monkeypatch.setattr(umap_process.sys, "executable", "/bin/false")
    for _ in range(2):
        with pytest.raises(InputError, match="12 words"):
            umap(ROWS, 2, 1)


def test_without_the_library_its_name_is_said(monkeypatch):
    monkeypatch.setattr(umap_process, "find_spec", lambda _: None)
    monkeypatch.setitem(umap_process.sys.modules, "umap", None)
    with pytest.raises(MissingLibraryError, match="umap-learn"):
        UmapProcess()(ROWS, 2, 1)


@pytest.mark.slow
def test_the_process_gives_the_map_that_this_one_gives():
    from embeddings.analysis.projection import by_umap

    umap = UmapProcess()
    assert np.allclose(umap(ROWS, 2, 3), by_umap(ROWS, 2, 3), atol=1e-4)
    assert umap(ROWS, 3, 3).shape == (12, 3)
    umap.close()
