"""gensim's own tests of KeyedVectors, from the installed package, over `Vectors`: the adapter only renames."""

import gensim.models
import gensim.models.keyedvectors
import numpy as np
import pytest
from gensim.test import test_keyedvectors

from embeddings import Vectors


class Renamed:
    """``KeyedVectors(vector_size)`` makes an empty table; the readers have one name."""

    def __new__(cls, vector_size):
        return Vectors([], np.empty((0, vector_size), np.float32))

    load_word2vec_format = Vectors.load_word2vec_format
    load = Vectors.load


def load(cls, fname, binary, limit, binary_chunk_size):
    return cls.load_word2vec_format(fname, binary=binary, limit=limit)


DIFFERENT = {
    "test_load_model_and_vocab_file_strict": "an error of this project names the file and the line",
    "test_vectors_for_all_with_copy_vecattrs": "a file without counts has no counts: gensim makes them up",
    "test_vectors_for_all_without_copy_vecattrs": "as above",
    "Gensim320Test.test": "a pickle is not opened",
}
TESTS = [
    (case, name)
    for case in (
        test_keyedvectors.TestKeyedVectors,
        test_keyedvectors.Gensim320Test,
        test_keyedvectors.LoadWord2VecFormatTest,
    )
    for name in dir(case)
    if name.startswith("test")
    and name not in DIFFERENT
    and f"{case.__name__}.{name}" not in DIFFERENT
]


def test_all_but_four_of_them_are_run():
    assert len(TESTS) >= 28
    assert len(DIFFERENT) == 4


@pytest.mark.parametrize(("case", "name"), TESTS, ids=[name for _, name in TESTS])
def test_gensims_test_passes(case, name, monkeypatch):
    monkeypatch.setattr(test_keyedvectors, "KeyedVectors", Renamed)
    monkeypatch.setattr(gensim.models, "KeyedVectors", Renamed)
    monkeypatch.setattr(gensim.models.keyedvectors, "_load_word2vec_format", load)
    test = case(name)
    test.setUp()
    getattr(test, name)()
    test.tearDown()
