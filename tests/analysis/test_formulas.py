"""The formula parser: what it reads, what it refuses and where."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings import Vectors
from embeddings.analysis.analogy_formulas import (
    parse_formula,
    quote,
    read_proportion,
    write_formula,
)
from embeddings.analysis.vector_answers import Term
from embeddings.errors import InputError, KlyuchError, UnknownWordError

WORDS = ("king", "man", "woman", "ice", "cream", "well-being", "well", "being", "don't", "1984")
WORDS += ("könig", "ключ", "new_york", "mother-in-law", "c++", "said:", "x")
TABLE = Vectors(WORDS, np.eye(len(WORDS), dtype=np.float32))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("king - man + woman", [("king", 1), ("man", -1), ("woman", 1)]),
        ("king−man+woman", [("king", 1), ("man", -1), ("woman", 1)]),
        ("king–man", [("king", 1), ("man", -1)]),
        ("king-man", [("king", 1), ("man", -1)]),
        ("well-being", [("well-being", 1)]),
        ("well - being", [("well", 1), ("being", -1)]),
        ("well−being", [("well", 1), ("being", -1)]),
        ("king-well-being-man", [("king", 1), ("well-being", -1), ("man", -1)]),
        ("mother-in-law-man", [("mother-in-law", 1), ("man", -1)]),
        ("well\u2011being", [("well-being", 1)]),
        ("-man + king", [("man", -1), ("king", 1)]),
        ("don't + don’t", [("don't", 1), ("don't", 1)]),
        ('"well-being" - «ключ»', [("well-being", 1), ("ключ", -1)]),
        ("„König“ + 'x'", [("könig", 1), ("x", 1)]),
        ("'don't' - x", [("don't", 1), ("x", -1)]),
        ('"c++" + "said:"', [("c++", 1), ("said:", 1)]),
        ("0.5*king - 0,25 · man", [("king", 0.5), ("man", -0.25)]),
        ("2 king - 3*man", [("king", 2), ("man", -3)]),
        ("1984 + king", [("1984", 1), ("king", 1)]),
        ("2*1984", [("1984", 2)]),
        ("König + КЛЮЧ", [("könig", 1), ("ключ", 1)]),
        ("new_york", [("new_york", 1)]),
    ],
)
def test_formula_is_read(text, expected):
    assert parse_formula(text, TABLE) == tuple(Term(w, float(v)) for w, v in expected)


@pytest.mark.parametrize(
    ("text", "position", "sentence"),
    [
        ("king man", 6, r"\+ or - is missing before “m”"),
        ("king + ", 8, "a word is missing there"),
        ("king - - man", 8, "a word is missing"),
        ("+", 2, "a word is missing"),
        ("(king - man)", 1, "there are no brackets"),
        ("king + (man)", 8, "there are no brackets"),
        ("king) + man", 5, "there are no brackets"),
        ("king / man", 6, "“/” has no meaning there"),
        ("king + =", 8, "“=” has no meaning there"),
        ("king*2", 5, r"“\*” has no meaning there"),
        ('king + "man', 8, 'the quote " is not closed'),
        ("«»", 1, "a word is missing"),
        ("0*king", 1, "a weight must be more than 0"),
        ("x + 1001*king", 5, "a weight must be"),
    ],
)
def test_formula_is_refused_with_a_caret_under_the_place(text, position, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        parse_formula(text, TABLE)
    assert caught.value.fields["position"] == position
    assert f"at character {position}:" in str(caught.value)
    assert str(caught.value).endswith(f"\n{text}\n{' ' * (position - 1)}^")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "The formula is empty"), (" \n", "is empty"), ("king+" * 201, "1005 characters")],
)
def test_empty_and_endless_formulas_are_refused(text, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_formula(text, TABLE)


def test_unknown_word_is_named():
    with pytest.raises(UnknownWordError, match="“qing” is not among the 17 words"):
        parse_formula("king - qing", TABLE)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_in_a_sentence(text):
    terms = None
    with contextlib.suppress(KlyuchError):
        terms = parse_formula(text, TABLE)
    assert terms != ()


@given(st.lists(st.sampled_from([*WORDS, *" +-−*'\"()2.«»"]), max_size=12).map("".join))
def test_formulas_made_of_known_pieces_never_crash_and_are_written_back(text):
    try:
        terms = parse_formula(text, TABLE)
    except KlyuchError:
        return
    assert parse_formula(write_formula(terms), TABLE) == terms


SPELLING = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1)


@given(SPELLING.filter(lambda word: not set("'’") & set(word)))
def test_quoted_words_come_back(word):
    if all(mark in word for mark in ('"', "»")):
        return
    table = Vectors([word], np.ones((1, 1), np.float32))
    assert parse_formula(quote(word), table) == (Term(word, 1.0),)


@pytest.mark.parametrize(
    ("text", "formula", "expected"),
    [
        ("king : man :: queen : ?", "man - king + queen", ""),
        ("king : man :: queen", "man - king + queen", ""),
        ("king:man::queen:woman", "man - king + queen", "woman"),
        ("king : man = queen : ?", "man - king + queen", ""),
        ("king : man ∷ queen : …", "man - king + queen", ""),
        ("king : man :: ? : woman", "king - man + woman", ""),
        ("king : ? :: queen : woman", "woman - queen + king", ""),
        ("? : man :: queen : woman", "queen - woman + man", ""),
        ("«ice-cream» : ice :: well-being : ?", 'ice - "ice-cream" + "well-being"', ""),
        ("king - man + woman", None, None),
        ("'a:b' + c", None, None),
        ("12:30", None, None),
    ],
)
def test_a_proportion_is_the_formula_that_asks_for_its_unknown(text, formula, expected):
    proportion = read_proportion(text)
    assert proportion == (None if formula is None else (formula, expected))


@pytest.mark.parametrize(
    "text", ["king :: queen", "a : b :: c : d : e", "? : man :: ? : woman", "::"]
)
def test_what_is_no_proportion_of_four_words_is_refused(text):
    with pytest.raises(InputError, match="is no proportion of four words"):
        read_proportion(text)
