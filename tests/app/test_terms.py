"""Klyuch says the terms of the field: a word of banned_terms.toml stands in no sentence, refusal, help text, docstring or document."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from app.wording import LANGUAGES, wording
from tests.app.wording_keys import ROOT, texts_of
from tests.wording_check import forms

TERMS = tomllib.loads((Path(__file__).parent / "banned_terms.toml").read_text(encoding="utf-8"))
DOCUMENTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "data/README.md", "Makefile")


def inflected(term):
    """A term as an expression: a star for any ending, a space for any white space; in small letters also with capitals."""
    text = re.escape(term).replace(r"\ ", r"\s+").replace(r"\*", r"\w*")
    return f"(?i:{text})" if term == term.lower() else text


def whole(*terms):
    """What finds any of some terms as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(inflected, terms))})(?!\w)")


@cache
def banned(language):
    """All terms at once, which is quick, and what to use for each."""
    uses = TERMS.get(language, {})
    return whole(*uses), tuple((whole(term), use) for term, use in uses.items())


def literals():
    """Every text of several words in the code: help, docstrings, messages."""
    for path, node in (*texts_of("embeddings"), *texts_of("app")):
        if isinstance(node, ast.Constant) and " " in str(node.value):
            yield path, node


def texts():
    """Every text that a person reads, with its place and language: wording, refusals, help and docstrings, documents."""
    for language in LANGUAGES:
        for key, by_category in forms(wording(language)).items():
            for sentence in by_category.values():
                yield key, language, sentence
    for path, node in literals():
        yield f"{path.relative_to(ROOT)}:{node.lineno}", "en", str(node.value)
    for path in [*(ROOT / name for name in DOCUMENTS), *sorted((ROOT / "docs").rglob("*.md"))]:
        yield str(path.relative_to(ROOT)), "en", path.read_text(encoding="utf-8")


def test_no_text_that_a_person_reads_has_a_banned_term():
    places = [
        f"{place}: «{match.group()}»; say {use}"
        for place, language, text in texts()
        if banned(language)[0].search(text)
        for term, use in banned(language)[1]
        if (match := term.search(text))
    ]
    assert places == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_term_to_use_is_itself_banned(language):
    uses = TERMS.get(language, {}).values()
    assert [use for use in uses if banned(language)[0].search(use)] == []


@pytest.mark.parametrize(
    ("language", "text", "is_banned"),
    [
        ("en", "A hidden\nword.", True),
        ("en", "The hidden wordings.", False),
        ("en", "Rows of the token tables.", True),
        ("en", "Two inhabitants: no habitat.", False),
        ("en", "A second sentence (On demand).", True),
        ("en", "Scores are computed on demand.", False),
        ("ru", "Со счётчиками встречаемости.", True),
        ("ru", "Считывание, пересчёт.", False),
        ("ru", "Маска декодера.", True),
        ("ru", "Маска декодировщика.", False),
        ("de", "Die Testsätzen gemeinsamen Wörter.", True),
        ("de", "Der Test: Sätze mit einer Lücke.", False),
        ("de", "In der Korpusgröße zählt jedes Wort.", False),
        ("de", "Mit Skip-gram trainiert.", True),
        ("de", "Mit Skip-Gram trainiert.", False),
    ],
)
def test_whole_words_and_their_inflected_forms_are_searched(language, text, is_banned):
    assert bool(banned(language)[0].search(text)) == is_banned
