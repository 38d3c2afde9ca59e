"""Inflected forms of a word (ключ, ключа, ключом; mouse, mice), by the `simplemma` library, words of a foreign script, function words.

Function words are listed in function_words.toml, one form of each lemma.

German wants a noun's capital: simplemma reads lower-cased schloss as a form of schließen. So a
lower-cased German word that is no base form of its own (haus, unlike gehen) but is the base form of
a noun when capitalised is that noun; every other word is read as it is written. A lemma keeps the ss
of a word that is spelled with ss, where simplemma answers Schloß.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from embeddings.configuration import check_choice
from embeddings.optional import optional

LEMMA_LANGUAGES = (
    *("en", "ru", "de", "ar", "ast", "bg", "ca", "cs", "cy", "da", "el", "enm", "eo", "es", "et"),
    *("fa", "fi", "fr", "ga", "gd", "gl", "grc", "gv", "hbs", "he", "hi", "hu", "hy", "id", "is"),
    *("it", "ka", "la", "lb", "lt", "lv", "mk", "ml", "ms", "nb", "nl", "nn", "pl", "pt", "ro"),
    *("se", "sk", "sl", "sq", "sv", "sw", "tl", "tr", "uk"),
)
"""Codes of the languages that simplemma has a dictionary of."""
SCRIPTS = {
    **dict.fromkeys(("ru", "uk", "bg", "mk"), "CYRILLIC"),
    **dict.fromkeys(("el", "grc"), "GREEK"),
    **dict.fromkeys(("ar", "fa"), "ARABIC"),
    **{"he": "HEBREW", "hi": "DEVANAGARI", "hy": "ARMENIAN", "ka": "GEORGIAN", "ml": "MALAYALAM"},
}
"""Beginning of the letters' names in Unicode; all others: LATIN."""


def lemma(word: str, language: str) -> str:
    """Return the base form of ``word`` in the dictionary's case; an unknown word is its own.

    Parameters
    ----------
    word : str
        One word, in any case.
    language : str
        One of `LEMMA_LANGUAGES`.

    Examples
    --------
    >>> lemma("ключом", "ru"), lemma("mice", "en"), lemma("schlosses", "de")
    ('ключ', 'mouse', 'Schloss')
    """
    check_choice("language", language, LEMMA_LANGUAGES)
    return _lemma(word, language)


@lru_cache(maxsize=1 << 17)
def _lemma(word: str, language: str) -> str:
    """Look ``word`` up; German by the rules above."""
    with optional():
        from simplemma import lemmatize

    base = str(lemmatize(word, lang=language))
    if language != "de":
        return base
    noun = word.capitalize()
    if word.islower() and base != word:
        reading = _spelled(str(lemmatize(noun, lang=language)), noun)
        base = reading if reading == noun else base
    return _spelled(base, word)


def _spelled(base: str, word: str) -> str:
    """Write ß as ss if ``word`` does: Schloß for Schlosses becomes Schloss, Fuß for Füße stays."""
    return base.replace("ß", "ss") if "ss" in word and "ß" not in word else base


def lemma_key(word: str, language: str) -> str:
    """Return what the forms of one word share: the lemma without case, ß as ss (daß, dass).

    Examples
    --------
    >>> lemma_key("Schlösser", "de")
    'schloss'
    """
    return _lemma(word, language).lower().replace("ß", "ss")


def same_word(first: str, second: str, language: str) -> bool:
    """Whether two words share their lemma, or are spelled alike but for case.

    Examples
    --------
    >>> same_word("Ключом", "ключ", "ru"), same_word("ключик", "ключ", "ru")
    (True, False)
    """
    check_choice("language", language, LEMMA_LANGUAGES)
    if first.lower() == second.lower():
        return True
    return lemma_key(first, language) == lemma_key(second, language)


@lru_cache(maxsize=8)
def _families(words: tuple[str, ...], language: str) -> dict[str, tuple[str, ...]]:
    """Forms by lemma, each in the order of ``words``."""
    families: dict[str, list[str]] = {}
    for word in words:
        families.setdefault(lemma_key(word, language), []).append(word)
    return {key: tuple(forms) for key, forms in families.items()}


def forms_among(word: str, words: Iterable[str], language: str) -> tuple[str, ...]:
    """Return all of ``words`` that share the lemma of ``word``, in their order.

    The table of lemmas is made once for a tuple of words (30 000 Russian ones take about 1.2 s) and
    remembered for the last eight.

    Examples
    --------
    >>> forms_among("ключ", ("дом", "ключа", "ключом", "ключи"), "ru")
    ('ключа', 'ключом', 'ключи')
    """
    check_choice("language", language, LEMMA_LANGUAGES)
    return _families(tuple(words), language).get(lemma_key(word, language), ())


def lemmas_of(words: Sequence[bytes], language: str) -> Iterator[str]:
    """Yield the lemma of each of UTF-8 ``words``, looked up in their own case; nothing is remembered."""
    return (_lemma.__wrapped__(word.decode("utf-8"), language) for word in words)


def foreign(words: Iterable[str], language: str) -> tuple[str, ...]:
    """Return the words whose letters are all of other scripts than that of ``language``, each once, in their order.

    Examples
    --------
    >>> foreign(["ключ", "bank", "USB-ключ", "銀行", "2024"], "ru")
    ('bank', '銀行')
    """
    script = SCRIPTS.get(language, "LATIN")
    return tuple(word for word in dict.fromkeys(words) if _is_foreign(word, script))


def _is_foreign(word: str, script: str) -> bool:
    """Whether ``word`` has letters, and none belongs to ``script`` by its name in Unicode."""
    letters = [sign for sign in word if sign.isalpha()]
    return bool(letters) and not any(
        unicodedata.name(letter, "").startswith(script) for letter in letters
    )


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
