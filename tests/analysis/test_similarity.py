"""Neighbours, pairs, odd one out, axes: by hand and equal to gensim's."""

import json

import numpy as np
import pytest

from embeddings import Vectors, to_gensim
from embeddings.analysis.similarity import (
    axis,
    mean_similarities,
    neighbour_table,
    neighbours,
    odd_one_out,
    similarity,
    similarity_matrix,
)
from embeddings.errors import InputError, UnknownWordError
from tests.tables import at_degrees, drawn, numbered

ANGLES = {"ключ": 0, "ключа": 5, "дверь": 20, "двери": 10, "замок": 30, "h2o": 40, "вода": 90}


@pytest.fixture
def fan():
    """Words at known angles in degrees, so that cosines are known."""
    counts = np.array([70, 60, 50, 40, 30, 20, 10])
    return Vectors(tuple(ANGLES), 3 * at_degrees(*ANGLES.values()), counts)


def names(near_words):
    return [near.word for near in near_words]


def base(word):
    return {"ключа": "ключ", "двери": "дверь"}.get(word, word)


def test_neighbours_by_hand(fan):
    found = neighbours(fan, "Ключ", 3)
    assert names(found) == ["ключа", "двери", "дверь"]
    assert found[2].similarity == pytest.approx(np.cos(np.radians(20)), abs=1e-6)
    assert found[2].count == 50


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"pattern": "^д"}, ["двери", "дверь"]),
        ({"pattern": "^В"}, ["вода"]),
        ({"min_count": 30}, ["ключа", "двери", "дверь", "замок"]),
        ({"only_letters": True, "pattern": "o|о"}, ["замок", "вода"]),
        ({"pattern": "nothing"}, []),
    ],
)
def test_filters_hold_before_the_cut(fan, filters, expected):
    assert names(neighbours(fan, "ключ", 4, **filters)) == expected


def test_forms_fold_under_their_lemma_before_the_cut(fan):
    found = neighbours(fan, "ключ", 2, fold=base)
    assert names(found) == ["дверь", "замок"]
    assert found[0].forms == ("двери",)
    assert found[0].similarity == pytest.approx(np.cos(np.radians(10)), abs=1e-6)
    assert names(neighbours(fan, "ключ", 9, fold=base)) == ["дверь", "замок", "h2o", "вода"]


def test_forms_of_russian_words_are_folded_unless_asked_otherwise_and_those_of_other_languages_if_asked():
    words = ("ключ", "дверь", "двери", "замок")
    table = at_degrees(0, 10, 12, 40)
    russian, german = (Vectors(words, table, language=language) for language in ("ru", "de"))
    assert names(neighbours(russian, "ключ", 9)) == ["дверь", "замок"]
    assert names(neighbours(russian, "ключ", 9, fold=False)) == ["дверь", "двери", "замок"]
    assert names(neighbours(german, "ключ", 9)) == ["дверь", "двери", "замок"]


def test_a_lemma_that_the_model_lacks_leaves_the_nearest_form():
    table = Vectors(["a", "goes", "went"], np.array([[1, 0], [2, 1], [1, 1]], np.float32))
    found = neighbours(table, "a", 5, fold=lambda w: "go" if w != "a" else w)
    assert [(near.word, near.forms) for near in found] == [("goes", ("went",))]


def test_folding_asks_for_more_rows_until_enough_lemmas_are_there():
    table = numbered(at_degrees(*np.linspace(0, 80, 400)))
    found = neighbours(table, "w0", 3, fold=lambda w: "w" + str(-(-int(w[1:]) // 100)))
    assert names(found) == ["w1", "w2", "w3"]
    assert [len(near.forms) for near in found] == [99, 100, 100]


def test_a_vector_has_the_nearest_words_and_excludes_none(fan):
    word = fan.words[0]
    nearest = neighbours(fan, fan[word] * 3, 4)
    assert nearest[0].word == word
    assert nearest[0].similarity == pytest.approx(1)
    assert nearest[1:] == neighbours(fan, word, 3)
    with pytest.raises(InputError, match="a vector of"):
        neighbours(fan, np.ones(fan.vector_size + 1))
    with pytest.raises(InputError, match="this one is list"):
        neighbours(fan, [word])


def test_table_of_a_list_tells_missing_words(fan):
    table = neighbour_table(fan, ["вода", "нет", "вода"], 1)
    assert [(word, names(near)) for word, near in table.rows] == [("вода", ["h2o"])]
    assert table.missing == ("нет",)


def test_pair_and_matrix(fan):
    assert similarity(fan, "ключ", "вода") == pytest.approx(0, abs=1e-6)
    answer = similarity_matrix(fan, ["ключ", "дверь", "вода"])
    matrix = np.asarray(answer)
    assert answer.to_frame().iloc[1].tolist() == ["дверь", *matrix[1].tolist()]
    assert json.loads(answer.to_json())["cosines"] == matrix.tolist()
    np.testing.assert_allclose(matrix, matrix.T)
    np.testing.assert_allclose(np.diag(matrix), 1, atol=1e-6)


def test_odd_one_out_and_why(fan):
    words = ["ключ", "вода", "дверь"]
    assert odd_one_out(fan, words) == "вода"
    why = mean_similarities(fan, words)
    assert names(why) == ["дверь", "ключ", "вода"]
    assert why[1].similarity == pytest.approx(np.cos(np.radians(20)) / 2, abs=1e-6)


def test_odd_one_out_equals_gensim():
    table, random = drawn(30, 6), np.random.default_rng(5)
    keyed = to_gensim(table)
    for _ in range(20):
        chosen = random.choice(table.words, 5, replace=False).tolist()
        assert odd_one_out(table, chosen) == keyed.doesnt_match(chosen)


def test_axis_by_hand(fan):
    # ключ (1, 0) to вода (0, 1): the direction is (-1, 1) / sqrt 2
    found = axis(fan, "ключ", "вода", ["вода", "ключ", "замок"])
    assert [at.word for at in found] == ["ключ", "замок", "вода"]
    half = 2**-0.5
    expected = (np.sin(np.radians(30)) - np.cos(np.radians(30))) * half
    assert [at.position for at in found] == pytest.approx([-half, expected, half], abs=1e-6)


def test_axis_without_words_takes_the_outermost(fan):
    found = axis(fan, "ключ", "вода", topn=1)
    assert [at.word for at in found] == ["ключ", "вода"]


def matching(words, pattern):
    """Return the words that a pattern lets through, in their order."""
    table = Vectors(["asked", *words], np.ones((1 + len(words), 2), np.float32))
    return names(neighbours(table, "asked", pattern=pattern))


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda v: neighbours(v, "ключ", 0), "topn=0 is out of range"),
        (
            lambda v: neighbours(v, "ключ", pattern="a("),
            r"“a\(” is not .* at character 2 is not closed",
        ),
        (lambda v: neighbours(v, "ключ", pattern="a*a*a*a*a*b"), "forever"),
        (lambda v: neighbours(v, "ключ", pattern="(ab){9}"), "forever"),
        (lambda v: odd_one_out(v, ["ключ", "вода"]), "“ключ, вода” are too few"),
        (lambda v: odd_one_out(v, ["ключ", "вода", "Ключ"]), "are too few"),
        (lambda v: axis(v, "ключ", "Ключ"), "“ключ” and “Ключ” have the same vector"),
        (lambda v: axis(v, "ключ", "вода", topn=0), "topn=0 is out of range"),
    ],
)
def test_questions_without_an_answer_are_refused(fan, ask, sentence):
    with pytest.raises(InputError, match=sentence):
        ask(fan)


def test_unknown_word_is_refused(fan):
    with pytest.raises(UnknownWordError, match="“река” is not among the 7 words"):
        similarity(fan, "ключ", "река")


def test_repeats_of_single_signs_and_escaped_brackets_are_fine():
    words = ["running", "(a)+", "ran"]
    assert matching(words, "^r.*n+") == ["running", "ran"]
    assert matching(words, r"\)+") == ["(a)+"]
