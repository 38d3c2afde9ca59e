"""One spelling for each word: named rules that a corpus is encoded by, and queries of its models are read by.

A rule respells single words and does nothing twice: respelling a word again changes nothing. Every rule writes typographic ligatures
as letters (ﬁ, ſ); hyphens and apostrophes are one each already when words are split (`embeddings.text.words`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.text.characters import lower_case
from embeddings.text.english_spelling import TOUCHED as ENGLISH
from embeddings.text.english_spelling import respell_english
from embeddings.text.german_spelling import TOUCHED as GERMAN
from embeddings.text.german_spelling import respell_german
from embeddings.text.russian_spelling import TOUCHED as RUSSIAN
from embeddings.text.russian_spelling import respell_russian

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "ſ": "s"}
)
_NEVER = re.compile("(?!)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class SpellingRule:
    """How words of a language are respelled.

    Attributes
    ----------
    language : str
        "en", "ru" or "de"; "" for a rule of all languages.
    touched : Pattern
        What every lower-cased word has that the rule may change.
    respell : callable
        Takes a lower-cased word without hyphens, and whether it was written with a capital.
    """

    language: str
    touched: re.Pattern[str]
    respell: Callable[[str, bool], str]


RULES = {
    "de-1996": SpellingRule("de", GERMAN, respell_german),
    "en-us": SpellingRule("en", ENGLISH, respell_english),
    "ru-e": SpellingRule("ru", RUSSIAN, respell_russian),
    "ligatures": SpellingRule("", _NEVER, lambda word, _: word),
}


def check_spelling(name: str, language: str = "") -> None:
    """Raise `InputError` unless ``name`` is a rule, or "" for none, and none of another language than ``language``."""
    if name and name not in RULES:
        raise InputError("spelling_unknown", name=name, names=", ".join(RULES))
    if name and language and RULES[name].language not in ("", language):
        raise InputError("spelling_language", name=name, language=language)


def checked_spelling(name: object) -> str:
    """Return ``name`` if it is a rule, or "" for none; else raise ValueError."""
    if not isinstance(name, str) or (name and name not in RULES):
        raise ValueError(f"there is no spelling rule {name}")
    return name


def rule_of_language(language: str) -> str:
    """Return the name of a language's rule, "" if it has none.

    Examples
    --------
    >>> rule_of_language("de"), rule_of_language("fr")
    ('de-1996', '')
    """
    names = (name for name, rule in RULES.items() if language and rule.language == language)
    return next(names, "")


def respell(word: str, name: str) -> str:
    """Return ``word`` as the rule ``name`` has it spelled, in its own case; "" is no rule.

    Raises
    ------
    InputError
        If there is no such rule.

    Examples
    --------
    >>> respell("Schloß", "de-1996"), respell("Maße", "de-1996"), respell("Muth-Thür", "de-1996")
    ('Schloss', 'Maße', 'Mut-Tür')
    """
    check_spelling(name)
    if not name:
        return word
    rule = RULES[name]
    plain = word.translate(_LIGATURES)
    if rule.touched.search(plain.lower()) is None:
        return plain
    return "-".join(_respelled(part, rule) for part in plain.split("-"))


def _respelled(word: str, rule: SpellingRule) -> str:
    """Respell a word until nothing changes; its capital, or its capitals, are kept."""
    spelled = word
    while (again := _once(spelled, rule)) != spelled:
        spelled = again
    return spelled


def _once(word: str, rule: SpellingRule) -> str:
    """Respell a word without hyphens once."""
    lowered, is_capital = word.lower(), word[:1].isupper()
    spelled = rule.respell(lowered, is_capital)
    if spelled == lowered or not spelled:
        return word
    if len(word) > 1 and word.isupper():
        return spelled.upper()
    return spelled[:1].upper() + spelled[1:] if is_capital else spelled


@lru_cache(maxsize=1 << 12)
def read_as(word: str, name: str, *, lower: bool) -> str:
    """Return how a query is spelled in a table of words that the rule ``name`` was applied to."""
    spelled = respell(word, name)
    return lower_case(spelled) if lower else spelled


def respell_text(text: str, name: str) -> str:
    """Return ``text`` with each word as the rule ``name`` has it spelled; all that is no word stays.

    Examples
    --------
    >>> respell_text("Daß das Schloß gut sey, wußte er.", "de-1996")
    'Dass das Schloss gut sei, wusste er.'
    """
    return _WORD.sub(lambda found: _kept_respelling(found[0], name), text) if name else text


@lru_cache(maxsize=1 << 18)
def _kept_respelling(word: str, name: str) -> str:
    """`respell`, kept for the words of a text: most come again."""
    return respell(word, name)


def spelling_groups(
    words: Sequence[bytes], name: str, *, lower: bool
) -> tuple[list[bytes], NDArray[np.int32]]:
    """Return the distinct spellings of UTF-8 ``words``, and for each word the place of its spelling.

    ``lower`` lowers them after respelling, so that a noun was met with its capital.
    """
    group_of: dict[str, int] = {}
    groups = np.empty(len(words), np.int32)
    for row, word in enumerate(words):
        spelled = respell(word.decode("utf-8"), name)
        groups[row] = group_of.setdefault(lower_case(spelled) if lower else spelled, len(group_of))
    return [spelled.encode("utf-8") for spelled in group_of], groups
