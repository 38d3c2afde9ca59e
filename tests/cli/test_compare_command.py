"""``klyuch words compare``: the printed shapes, and refusals on exit code 2."""

from functools import partial

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.vectors.formats import write

WORDS = [f"w{i}" for i in range(30)]
MATRIX = np.random.default_rng(1).normal(size=(30, 6)).astype(np.float32)


@pytest.fixture
def models(tmp_path):
    """A model, and its copy with two rows swapped."""
    swapped = MATRIX.copy()
    swapped[[3, 9]] = swapped[[9, 3]]
    for name, matrix in (("plain", MATRIX), ("swapped", swapped)):
        write(Vectors(WORDS, matrix, np.arange(30, 0, -1)), tmp_path / f"{name}.txt")
    return tmp_path


@pytest.fixture
def ask(run):
    return partial(run, "words", "compare")


def test_without_a_file_the_common_words_are_compared(ask, models):
    found = ask(models / "plain.txt", models / "plain.txt", "--json").json
    assert [word["word"] for word in found["words"]] == WORDS
    assert found["overlap"] == 1
    assert found["procrustes_error"] == pytest.approx(0, abs=1e-5)


def test_three_models_print_a_list_of_three_pairs(ask, models):
    three = (models / "plain.txt", models / "swapped.txt", models / "plain.txt")
    found = ask(*three, "--json").json
    assert [(one["first"], one["second"]) for one in found] == [
        ("plain", "swapped"), ("plain", "plain"), ("swapped", "plain"),
    ]  # fmt: skip


def test_people_get_a_table_with_the_moved_words_first(ask, models):
    out = ask(models / "plain.txt", models / "swapped.txt").out
    assert "common 30" in out
    places = [out.index(f"{word} ") for word in ("w3", "w9", "w1")]
    assert max(places[:2]) < places[2]
