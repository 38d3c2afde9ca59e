"""Function words of a language; they are listed in function_words.toml, one form of each lemma."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from embeddings.text.lemmas import lemma


def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language, lower-cased, one form of each lemma; none for a language without a list.

    Examples
    --------
    >>> "among" in function_words("en"), "bank" in function_words("en")
    (True, False)
    """
    return frozenset(_listed().get(language, "").split())


def is_function_word(word: str, language: str) -> bool:
    """Whether a word, in any of its forms, is a function word of a language.

    Examples
    --------
    >>> is_function_word("Ее", "ru"), is_function_word("keys", "en")
    (True, False)
    """
    return lemma(word.lower(), language) in _lemmas(language)


@cache
def _listed() -> dict[str, str]:
    """Return the words by language."""
    path = Path(__file__).with_name("function_words.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _lemmas(language: str) -> frozenset[str]:
    """Return the lemmas of the function words of a language, with the words themselves."""
    words = function_words(language)
    return words | {lemma(word, language) for word in words}
