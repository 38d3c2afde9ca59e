"""Search: the same rows as brute force, filters before the cut, close spellings, the index's recall."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from embeddings import Vectors
from embeddings.errors import InputError, UnknownWordError
from embeddings.vectors import cosine_search
from embeddings.vectors.cosine_search import nearest, nearest_many
from embeddings.vectors.hnsw_index import NearIndex
from embeddings.vectors.vector_rows import QuantizedRows
from embeddings.vectors.word_list import close_spellings
from tests.tables import drawn


def brute_force(vectors, query, topn, allowed=None, excluded=()):
    """The nearest rows and their cosines, as scikit-learn computes them in float64."""
    cosines = cosine_similarity(np.asarray(vectors.matrix, np.float64), [query])[:, 0]
    left = np.ones(len(vectors), bool) if allowed is None else allowed.copy()
    left[list(excluded)] = False
    rows = [row for row in np.argsort(-cosines, kind="stable") if left[row]][:topn]
    return rows, cosines[rows]


@pytest.fixture(params=["product", "blocks", "blocks of float16"])
def any_path(request, monkeypatch):
    """Tables small enough for brute force, by every way that `nearest` has."""
    if request.param != "product":
        monkeypatch.setattr(cosine_search, "BLOCKS_PAST", 0)
        monkeypatch.setattr(cosine_search, "ROWS_AT_A_TIME", 7)
    return np.float16 if "float16" in request.param else np.float32


def kept_as(vectors, kind):
    """The same words with rows as a large table of that kind has them."""
    matrix = np.asarray(vectors.matrix, np.float32)
    if kind == "int8":
        scale = np.abs(matrix).max(axis=1) / 127
        codes = np.rint(matrix / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8)
        return Vectors(vectors.words, QuantizedRows(codes, scale.astype(np.float32)))
    return Vectors(vectors.words, matrix.astype(kind))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 99),
    topn=st.integers(1, 40),
    size=st.sampled_from([1, 3, 17, 50]),
    words=st.sampled_from([1, 2, 99, 500]),
    block=st.sampled_from([1, 64, 1000]),
)
@pytest.mark.parametrize("kind", ["product", "float32", "float16", "int8"])
def test_nearest_is_brute_force(kind, seed, topn, size, words, block):
    vectors = drawn(words, size, seed)
    if kind != "product":
        vectors = kept_as(vectors, kind)
    rng = np.random.default_rng(seed)
    query, allowed = rng.normal(size=size), rng.random(words) < 0.3
    excluded = [row for row in (1, 2) if row < words]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cosine_search, "BLOCKS_PAST", 0 if kind != "product" else 1 << 40)
        patch.setattr(cosine_search, "ROWS_AT_A_TIME", block)
        rows, cosines = nearest(vectors, query, topn, allowed=allowed, excluded=excluded)
    expected_rows, expected = brute_force(vectors, query, topn, allowed, excluded)
    assert np.allclose(cosines, expected, atol=1e-6)
    if (
        size > 3 and kind != "int8"
    ):  # of few or rounded numbers, cosines may be equal but for rounding
        assert rows.tolist() == expected_rows


def test_ties_are_broken_by_row(any_path):
    matrix = np.tile(np.array([[1, 0], [0, 1], [1, 0]], any_path), (20, 1))
    vectors = Vectors([f"w{i}" for i in range(60)], matrix)
    assert nearest(vectors, np.array([1.0, 0.0]), 5)[0].tolist() == [0, 2, 3, 5, 6]


def test_zero_rows_and_zero_queries_have_cosine_zero(any_path):
    vectors = Vectors(["zero", "minus", "plus"], np.array([[0, 0], [-1, 0], [2, 0]], any_path))
    rows, cosines = nearest(vectors, np.array([1.0, 0.0]), 3)
    assert (rows.tolist(), cosines.tolist()) == ([2, 0, 1], [1.0, 0.0, -1.0])
    assert nearest(vectors, np.zeros(2), 3)[1].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("topn", [0, -1])
def test_no_rows_when_none_are_asked_or_allowed(any_path, topn):
    vectors = drawn(5, 2)
    assert nearest(vectors, np.ones(2), topn)[0].tolist() == []
    assert nearest(vectors, np.ones(2), 3, allowed=np.zeros(5, bool))[0].tolist() == []
    assert nearest_many(vectors, np.ones((1, 2)), topn)[0][0].tolist() == []


def test_many_queries_are_one_after_another(monkeypatch):
    vectors = drawn(500, 20)
    queries = np.random.default_rng(5).normal(size=(17, 20))
    excluded = [[i, 2 * i] for i in range(17)]
    for held in (1, 1500, 1 << 24):
        monkeypatch.setattr(cosine_search, "MANY_NUMBERS", held)
        found = nearest_many(vectors, queries, 6, excluded=excluded)
        for query, rows, (got, cosines) in zip(queries, excluded, found, strict=True):
            expected, values = brute_force(vectors, query, 6, None, rows)
            assert got.tolist() == expected
            assert np.allclose(cosines, values, atol=1e-6)


def test_a_query_of_nothing_and_no_answers_are_refused():
    vectors = drawn(5, 20)
    with pytest.raises(InputError, match="nothing to look for"):
        vectors.most_similar()
    with pytest.raises(InputError, match="nothing to look for"):
        vectors.most_similar([], [])
    assert vectors.most_similar("w1", topn=0) == []
    assert vectors.most_similar("w1", topn=None).shape == (5,)


# Spellings

WORDS = ["ключ", "ключи", "йод", "ёж", "schön", "straße", "König", "the", "their", "receive", "was"]


@pytest.fixture
def spelled():
    return Vectors(WORDS, np.eye(len(WORDS), dtype=np.float32))


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("иод", "йод"),
        ("еж", "ёж"),
        ("schoen", "schön"),
        ("schon", "schön"),
        ("STRASSE", "straße"),
        ("könig", "König"),
        ("koenig", "König"),
        ("recieve", "receive"),
        ("recive", "receive"),
        ("ключь", "ключ"),
        ("teh", "the"),
        ("re-ceive", "receive"),
    ],
)
def test_what_people_type_is_found(spelled, word, first):
    assert close_spellings(word, spelled)[0] == first


@pytest.mark.parametrize("word", ["", "xyzzy", "щщщ", "receiving", "a" * 500, "-"])
def test_nothing_is_found_far_away(spelled, word):
    assert close_spellings(word, spelled) == ()


def test_at_most_three_are_told_nearest_first_then_most_frequent():
    words = ["cart", "cat", "cut", "cot", "coat", "car"]
    vectors = Vectors(words, np.eye(6, dtype=np.float32))
    assert close_spellings("catt", vectors) == ("cart", "cat")
    assert close_spellings("caat", vectors) == ("cart", "cat", "coat")
    assert close_spellings("ct", vectors, limit=2) == ("cat", "cut")


def slow_distance(a, b):
    """Optimal string alignment, cell by cell."""
    d = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(
                d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            )
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[len(a), len(b)]


@settings(max_examples=60, deadline=None)
@given(
    st.text("abc", min_size=1, max_size=9),
    st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, unique=True),
)
def test_distances_are_damerau_levenshtein(word, words):
    vectors = Vectors(words, np.ones((len(words), 1), np.float32))
    slips = 2 if len(word) > 4 else 1
    expected = {other for other in words if 0 < slow_distance(word, other) <= slips}
    assert set(close_spellings(word, vectors, limit=1000)) == expected


def test_an_unknown_word_brings_its_close_spellings(spelled):
    with pytest.raises(UnknownWordError, match="Close spellings: receive") as caught:
        spelled["recieve"]
    assert caught.value.suggestions == ("receive",)
    assert caught.value.count is None


def test_the_words_of_a_model_are_folded_once(monkeypatch):
    """What makes a suggestion quick: the second question folds its own word alone."""
    from embeddings.vectors import word_list as spelling

    vectors = Vectors([f"word{number}" for number in range(500)], np.ones((500, 1), np.float32))
    folded = []
    fold = spelling.fold
    monkeypatch.setattr(spelling, "fold", lambda word: folded.append(word) or fold(word))
    close_spellings("wrod7", vectors)
    assert len(folded) == 501
    folded.clear()
    assert close_spellings("wrod8", vectors)[0] == "word8"
    assert folded == ["wrod8"]


# The index


def clustered(words=4000, size=40):
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(words, 12)) @ rng.normal(size=(12, size)) + rng.normal(
        size=(words, size)
    )
    return Vectors([f"w{i}" for i in range(words)], matrix.astype(np.float32))


def test_the_index_recalls_95_percent_and_is_kept(tmp_path):
    vectors = clustered()
    index = NearIndex(vectors, tmp_path / "i.usearch")
    hits = 0
    for row in range(0, 4000, 40):
        rows, cosines = index.nearest(vectors.matrix[row], 10)
        exact, _ = nearest(vectors, vectors.matrix[row], 10)
        hits += len(set(rows.tolist()) & set(exact.tolist()))
        assert np.all(np.diff(cosines) <= 0)
        true = vectors.unit_rows(rows) @ vectors.unit_rows(np.array([row]))[0]
        np.testing.assert_allclose(cosines, true, atol=1e-6)
    assert hits / 1000 >= 0.95
    kept = [path.name for path in tmp_path.iterdir()]
    assert kept == [index.path.name]
    again = NearIndex(vectors, tmp_path / "i.usearch")
    assert (
        again.nearest(vectors.matrix[0], 10)[0].tolist()
        == index.nearest(vectors.matrix[0], 10)[0].tolist()
    )
    assert [path.name for path in tmp_path.iterdir()] == kept


def test_an_approximate_search_asks_the_index_and_a_filtered_one_stays_exact():
    vectors = clustered()
    for row in range(0, 4000, 500):
        rows, cosines = nearest(vectors, vectors.matrix[row], 10, excluded=[row], approximate=True)
        exact, _ = nearest(vectors, vectors.matrix[row], 10, excluded=[row])
        assert len(rows) == 10
        assert row not in rows
        assert len(set(rows.tolist()) & set(exact.tolist())) >= 8
        np.testing.assert_allclose(
            cosines, vectors.unit_rows(rows) @ vectors.unit_rows([row])[0], atol=1e-6
        )
    assert vectors.near_index.path is None
    even = np.arange(4000) % 2 == 0
    filtered, _ = nearest(vectors, vectors.matrix[0], 10, allowed=even, approximate=True)
    expected, _ = nearest(vectors, vectors.matrix[0], 10, allowed=even)
    assert filtered.tolist() == expected.tolist()


@pytest.mark.parametrize("topn", [0, -1])
def test_an_index_that_is_asked_for_no_rows_returns_none(topn):
    rows, cosines = NearIndex(clustered(50)).nearest(np.ones(40, np.float32), topn)
    assert (rows.shape, cosines.shape) == ((0,), (0,))
