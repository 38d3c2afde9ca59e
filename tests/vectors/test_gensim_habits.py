"""`Vectors` answer as gensim's KeyedVectors do: same names, arguments and numbers."""

import logging

import numpy as np
import pytest

from embeddings import Vectors, to_gensim
from embeddings.errors import InputError, UnknownWordError
from embeddings.vectors.formats import read

WORDS = [f"w{number}" for number in range(40)]
TABLE = Vectors(
    WORDS,
    np.random.default_rng(4).normal(size=(40, 7)).astype(np.float32),
    np.arange(40, 0, -1),
)
KEYED = to_gensim(TABLE)


def pairs(neighbours):
    return [word for word, _ in neighbours], pytest.approx(
        [value for _, value in neighbours], abs=1e-5
    )


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("most_similar", (["w1", "w2"],), {"negative": ["w3"], "topn": 5}),
        ("most_similar", ("w1",), {"topn": 5, "restrict_vocab": 9}),
        ("most_similar_cosmul", (["w1", "w2"], ["w3"]), {"topn": 5}),
        ("most_similar_cosmul", ("w1",), {}),
        ("similar_by_word", ("w1",), {"topn": 3}),
        ("similar_by_vector", (TABLE.matrix[3] * 2,), {"topn": 3}),
    ],
)
@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")  # gensim's own calls
def test_rankings_are_gensims(name, arguments, options):
    found = pairs(getattr(TABLE, name)(*arguments, **options))
    expected = getattr(KEYED, name)(*arguments, **options)
    assert found[0] == [word for word, _ in expected]
    assert [value for _, value in expected] == found[1]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("similarity", ("w1", "w2")),
        ("distance", ("w1", "w2")),
        ("n_similarity", (["w1", "w2"], ["w3", "w4", "w5"])),
        ("rank", ("w1", "w9")),
        ("get_vecattr", ("w3", "count")),
        ("get_index", ("w3",)),
    ],
)
def test_numbers_are_gensims(name, arguments):
    found, expected = (getattr(one, name)(*arguments) for one in (TABLE, KEYED))
    assert found == pytest.approx(float(expected), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("doesnt_match", (["w1", "w2", "w3", "w30"],)),
        ("closer_than", ("w1", "w2")),
        ("most_similar_to_given", ("w1", ["w5", "w6", "w7"])),
        ("has_index_for", ("w1",)),
        ("has_index_for", ("nothing",)),
    ],
)
def test_answers_are_gensims(name, arguments):
    assert getattr(TABLE, name)(*arguments) == getattr(KEYED, name)(*arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("get_vector", ("w4",), {}),
        ("get_vector", ("w4",), {"norm": True}),
        ("get_mean_vector", (["w1", "w2"],), {}),
        ("get_mean_vector", (["w1", "w2"],), {"weights": [2.0, -1.0], "post_normalize": True}),
        ("get_mean_vector", (["w1", "w2"],), {"pre_normalize": False}),
        ("distances", ("w1",), {}),
        ("distances", ("w1", ["w2", "w3"]), {}),
    ],
)
def test_arrays_are_gensims(name, arguments, options):
    found, expected = (getattr(one, name)(*arguments, **options) for one in (TABLE, KEYED))
    assert np.allclose(found, expected, atol=1e-5)


def test_attributes_are_called_as_in_gensim():
    assert TABLE.index_to_key == KEYED.index_to_key
    assert TABLE.key_to_index == KEYED.key_to_index
    assert np.array_equal(TABLE.vectors, KEYED.vectors)
    assert TABLE.vector_size == KEYED.vector_size
    assert ("w1" in TABLE) == ("w1" in KEYED)
    assert np.array_equal(TABLE["w1"], KEYED["w1"])


def test_words_by_centrality_are_gensims():
    found, expected = (one.rank_by_centrality(WORDS[:5]) for one in (TABLE, KEYED))
    assert [word for _, word in found] == [word for _, word in expected]


def test_the_odd_one_out_leaves_unknown_words_out(caplog):
    with caplog.at_level(logging.WARNING):
        assert TABLE.doesnt_match(["w1", "nothing", "w2", "w30"]) == KEYED.doesnt_match(
            ["w1", "w2", "w30"]
        )
    assert "nothing" in caplog.text


@pytest.mark.parametrize("binary", [False, True])
def test_word2vec_files_are_written_by_gensims_name(tmp_path, binary):
    TABLE.save_word2vec_format(tmp_path / "v", binary=binary)
    assert read(tmp_path / "v").matrix.tobytes() == TABLE.matrix.tobytes()


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (lambda: TABLE.similarity("w1", "x"), UnknownWordError, "«x» is not among"),
        (lambda: TABLE.most_similar_cosmul([]), InputError, "nothing to look for"),
        (lambda: TABLE.doesnt_match(["x"]), InputError, "nothing to look for"),
        (lambda: TABLE.get_vecattr("w1", "x"), InputError, "Choose one of: count"),
        (lambda: TABLE.most_similar("w1", restrict_vocab=0), InputError, "restrict_vocab=0"),
        (
            lambda: Vectors(["a"], np.ones((1, 2), np.float32)).get_vecattr("a", "count"),
            InputError,
            "have no counts",
        ),
    ],
)
def test_misuse_is_a_sentence(ask, error, sentence):
    with pytest.raises(error, match=sentence):
        ask()


def test_a_table_shows_itself_and_becomes_a_frame():
    html = TABLE._repr_html_()
    assert "<th>word</th>" in html
    assert "40 words, 7 dimensions" in html
    assert html.count("<tr>") == 11
    frame = TABLE.to_frame()
    assert frame.shape == (40, 7)
    assert np.array_equal(frame.loc["w3"].to_numpy(), TABLE["w3"])
