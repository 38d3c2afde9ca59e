"""UMAP in a process of its own gives the map that this process would give, and its end is a sentence."""

import io

import numpy as np
import pytest

from embeddings.analysis import umap_process
from embeddings.analysis.projection import by_umap
from embeddings.analysis.umap_process import REQUEST, UmapProcess, read_rows, serve
from embeddings.errors import InputError, MissingLibraryError

ROWS = np.random.default_rng(1).normal(size=(12, 8)).astype(np.float32)


@pytest.fixture
def quick(monkeypatch):
    """In place of UMAP the first columns, less the seed."""
    monkeypatch.setattr(
        umap_process, "by_umap", lambda rows, dimensions, seed: rows[:, :dimensions] - seed
    )


def test_each_request_is_answered_in_its_order_until_there_are_no_more(quick):
    requests = b"".join(REQUEST.pack(12, 8, *asked) + ROWS.tobytes() for asked in ((2, 1), (3, 4)))
    answers = io.BytesIO()
    serve(io.BytesIO(requests), answers)
    answers.seek(0)
    assert np.array_equal(read_rows(answers, 12, 2), ROWS[:, :2] - 1)
    assert np.array_equal(read_rows(answers, 12, 3), ROWS[:, :3] - 4)
    assert not answers.read()


def test_an_answer_that_breaks_off_is_none():
    with pytest.raises(EOFError):
        read_rows(io.BytesIO(ROWS.tobytes()[:-1]), 12, 8)


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
@pytest.mark.timeout(900)  # where nothing is compiled yet, UMAP compiles for minutes
def test_the_same_seed_gives_the_same_map():
    many = np.random.default_rng(2).normal(size=(40, 8)).astype(np.float32)
    # Fewer than UMAP takes for neighbours; enough to begin with a spectrum.
    for rows in (ROWS[:5], many):
        first, again = (by_umap(rows, 2, 4) for _ in range(2))
        assert np.array_equal(first, again)
        assert first.shape == (len(rows), 2)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_process_gives_the_map_that_this_one_gives():
    umap = UmapProcess()
    assert np.allclose(umap(ROWS, 2, 3), by_umap(ROWS, 2, 3), atol=1e-4)
    assert umap(ROWS, 3, 3).shape == (12, 3)
