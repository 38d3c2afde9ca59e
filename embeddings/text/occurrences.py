"""Words of a text with their places, and the places of one word in all its forms."""

from __future__ import annotations

import re

from embeddings.configuration import check_choice
from embeddings.text.forms import LANGUAGES, same_word
from embeddings.text.words import normalize

_TOKEN = re.compile(  # of letters with their marks, which stand apart in a text that is not NFC
    r"[^\W_](?:[\w\u0300-\u036f\u00ad]|[-'’\u2010\u2011](?=[^\W_]))*"
)
_VOWELS_ETC = "аеиоуыэюяйь"
_ENDING = re.compile("[ауюяеиыо]|[оеё]м|[ое]в|[ое]й|ью|[ая]ми?|[ая]х")


def occurrences(text: str, word: str, language: str) -> tuple[tuple[int, int], ...]:
    """Where ``word`` stands in ``text``, in every inflected form: (start, end) in characters.

    A capital asked for is kept in German: Schloss does not find the verb schloss. Where no Russian
    form is known, the word with another ending counts (луками, known as a form of лука, for лук).

    Examples
    --------
    >>> occurrences("Связка ключей; ключом отперли дверь.", "ключ", "ru")
    ((7, 13), (15, 21))
    """
    check_choice("language", language, LANGUAGES)
    word = normalize(word.strip(), lower=False)
    if not word:
        return ()
    words = [
        (token, (start, end))
        for token, start, end in words_at(text)
        if not (language == "de" and word[:1].isupper() and token[:1].islower())
    ]
    exact = tuple(place for token, place in words if same_word(token, word, language))
    if exact or language != "ru":
        return exact
    return tuple(place for token, place in words if _inflected(token.lower(), word.lower()))


def is_word(text: str) -> bool:
    """Whether a text is one word: nothing around it, and nothing that parts it.

    Examples
    --------
    >>> [is_word(text) for text in ("don't", "river bank", "...")]
    [True, False, False]
    """
    return [place for _, *place in words_at(text)] == [[0, len(text)]]


def words_at(text: str) -> list[tuple[str, int, int]]:
    """Words of ``text`` in its own case, without stress marks, each with start and end."""
    return [
        (normalize(found.group(), lower=False), found.start(), found.end())
        for found in _TOKEN.finditer(text)
    ]


def _inflected(found: str, word: str) -> bool:
    """Whether a lower-cased Russian word is another with a case ending, its last vowel exchanged."""
    stem = word.rstrip(_VOWELS_ETC)
    return len(stem) > 2 and found.startswith(stem) and bool(_ENDING.fullmatch(found[len(stem) :]))
