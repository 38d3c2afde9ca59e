"""Analogies: planted, by hand, and equal to gensim's."""

import numpy as np
import pytest

from embeddings import Vectors, to_gensim
from embeddings.analysis.analogies import answer_rank, solve
from embeddings.analysis.vector_answers import Term
from embeddings.errors import InputError
from tests.tables import drawn

MANY = drawn(200, 10)
KEYED = to_gensim(MANY)


def assert_answers_are(expected, answers, **tolerance):
    """The words and scores of gensim."""
    assert [near.word for near in answers] == [word for word, _ in expected]
    scores = [score for _, score in expected]
    np.testing.assert_allclose([near.similarity for near in answers], scores, **tolerance)


@pytest.mark.parametrize("method", ["add", "mul"])
def test_planted_parallelogram_gives_queen(royal, method):
    answer = solve(royal, "King − man + woman", method=method, topn=2)
    assert [near.word for near in answer.answers] == ["queen", "apple"]
    assert answer.answers[0].count == 6
    assert answer.expression == "king - man + woman"


def test_cosine_and_query_by_hand(royal):
    # king = (1, 0, 1) / sqrt 2; king - man + woman = (.7071 - 1, 1, .7071)
    query = np.array([2**-0.5 - 1, 1, 2**-0.5])
    answer = solve(royal, "king - man + woman")
    np.testing.assert_allclose(answer.vector, query / np.linalg.norm(query), atol=1e-6)
    expected = (1 + 2**-0.5) / 2**0.5 / np.linalg.norm(query)
    assert answer.answers[0].similarity == pytest.approx(expected, abs=1e-6)


def test_product_by_hand(royal):
    # shifted cosines with queen: king (1 + .5) / 2, woman (1 + .7071) / 2, man (1 + 0) / 2
    best = solve(royal, "king - man + woman", method="mul").answers[0]
    assert best.similarity == pytest.approx(0.75 * (1 + 2**-0.5) / 2 / (0.5 + 0.001), abs=1e-6)


def test_inputs_answer_only_when_asked(royal):
    without = solve(royal, "king - man", topn=9)
    assert {near.word for near in without.answers} == {"woman", "queen", "apple"}
    with_inputs = solve(royal, "king - man", topn=9, include_inputs=True)
    assert len(with_inputs.answers) == 5
    assert len(solve(royal, "king - man", method="mul", topn=9).answers) == 3


def test_steps_are_the_sums_on_the_way_scaled_alike(royal):
    answer = solve(royal, "king - man + woman")
    assert [step.expression for step in answer.steps] == ["king", "king - man"]
    assert answer.steps[1].neighbours == solve(royal, "king - man", topn=5).answers
    assert answer.steps[0].neighbours[0].word == "man"


def test_a_step_that_cancels_has_no_neighbours(royal):
    answer = solve(royal, "king - king + man")
    assert answer.steps[1].neighbours == ()
    assert answer.vector == pytest.approx([1, 0, 0])


def test_terms_may_be_given_ready(royal):
    terms = (Term("King", 2.0), Term("man", -1.0))
    assert solve(royal, terms).expression == "2*king - man"


@pytest.mark.parametrize(
    ("plus", "minus", "formula"),
    [
        (["w1", "w2"], ["w3", "w4"], "w1 + w2 - w3 - w4"),
        ([("w1", 0.5), ("w2", 2.0)], ["w3"], "0.5*w1 + 2 w2 - w3"),
    ],
)
def test_add_equals_gensim(plus, minus, formula):
    expected = KEYED.most_similar(positive=plus, negative=minus, topn=7)
    assert_answers_are(expected, solve(MANY, formula, topn=7).answers, atol=1e-5)


@pytest.mark.filterwarnings("ignore:Call to deprecated `init_sims`:DeprecationWarning")
@pytest.mark.parametrize(
    ("plus", "minus"), [(["w1", "w2"], ["w3"]), (["w5"], []), (["w9"], ["w8"])]
)
def test_mul_equals_gensim_but_for_the_papers_epsilon(plus, minus):
    expected = KEYED.most_similar_cosmul(positive=plus, negative=minus, topn=5)
    formula = " + ".join(plus) + "".join(f" - {word}" for word in minus)
    answers = solve(MANY, formula, method="mul", topn=5).answers
    assert_answers_are(expected, answers, rtol=0.02)


@pytest.mark.parametrize(
    ("formula", "settings", "sentence"),
    [
        ("king - king", {}, "“king - king” adds up to nothing"),
        ("king", {"method": "div"}, "method=div is not known. Choose one of: add, mul"),
        ("king", {"topn": 0}, "topn=0 is out of range"),
        ((), {}, "The formula is empty"),
    ],
)
def test_what_has_no_answer_is_refused(royal, formula, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        solve(royal, formula, **settings)


LEMMAS = {"kings": "king", "queens": "queen", "men": "man"}
FORMS = ["man", "woman", "king", "queen", "kings", "queens", "men", "duke"]


def lemma_of(word):
    return LEMMAS.get(word, word)


@pytest.fixture
def inflected():
    """The royal four, with forms beside them: kings nearer to the sum than queen is, then queens."""
    rows = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1], [0, 1, 1.001], [0.1, 1, 1], [1, 0.1, 0]]
    rows = [*rows, [0.3, 1, 1]]
    rows[3] = [0, 1, 0.8]
    return Vectors(FORMS, np.array(rows, np.float32))


@pytest.mark.parametrize("method", ["add", "mul"])
def test_forms_of_the_formulas_words_are_no_answers_and_forms_of_one_word_are_one(
    inflected, method
):
    plain = solve(inflected, "king - man + woman", method=method)
    assert "kings" in [near.word for near in plain.answers]
    assert not plain.is_folded
    folded = solve(inflected, "king - man + woman", method=method, fold=lemma_of)
    assert [near.word for near in folded.answers] == ["queen", "duke"]
    assert folded.answers[0].forms == ("queens",)
    assert folded.is_folded
    score = {near.word: near.similarity for near in plain.answers}
    assert folded.answers[0].similarity == max(score["queen"], score["queens"])


def test_the_formulas_own_forms_answer_where_its_words_may(inflected):
    folded = solve(inflected, "king - man + woman", include_inputs=True, fold=lemma_of)
    assert {near.word for near in folded.answers} == {"king", "man", "woman", "queen", "duke"}


def test_a_formula_that_asks_for_a_form_is_not_folded(inflected):
    answer = solve(inflected, "kings - king + queen", fold=lemma_of)
    assert not answer.is_folded
    assert "queens" in [near.word for near in answer.answers]  # though it is a form of queen


@pytest.mark.parametrize("method", ["add", "mul"])
def test_the_rank_of_a_word_is_its_place_among_all_answers(inflected, method):
    answer = solve(inflected, "king - man + woman", method=method, topn=99)
    for place, near in enumerate(answer.answers, 1):
        assert answer_rank(inflected, answer, near.word) == place
    assert answer_rank(inflected, answer, "man") is None
    folded = solve(inflected, "king - man + woman", method=method, topn=99, fold=lemma_of)
    assert [answer_rank(inflected, folded, w, lemma_of) for w in ("queens", "duke")] == [1, 2]
    assert answer_rank(inflected, folded, "men", lemma_of) is None


def test_a_proportion_is_answered_as_its_formula(royal):
    assert solve(royal, "king : man :: queen : ?").answers[0].word == "woman"
