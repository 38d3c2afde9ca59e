"""Words by Unicode, and the vocabulary of a corpus.

Decisions: text is NFC; soft hyphens and other invisible characters go; stress accents U+0300 and
U+0301 on a Cyrillic vowel go (за́мок is замок; й and ё are letters of their own and stay); lower
case, never ``casefold`` (ß stays ß); ’ is '. A word is a run of letters, marks and decimal digits.
Inside it, a hyphen joins (кто-то, well-known) unless digits stand on both sides (1914-1918 is two
words), an apostrophe joins (don't), and a point or comma joins two digits (3.14, 1,000). At a
word's edge none of these belongs to it. ², ½ and _ separate.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from embeddings.text import characters

_INVISIBLE = dict.fromkeys(map(ord, characters.INVISIBLE))
_STRESS = re.compile(f"(?<=[{characters.CYRILLIC_VOWELS}])[{characters.STRESS}]+")
_SPELLING = str.maketrans(
    dict.fromkeys(characters.HYPHENS, "-") | dict.fromkeys(characters.APOSTROPHES, "'")
)


def normalize(text: str, *, lower: bool = True) -> str:
    r"""Return ``text`` in the spelling that words are counted in: NFC, lower case, no stress marks.

    Examples
    --------
    >>> normalize("За\u0301мок, Straße, и\u0306од, ’tis")
    "замок, straße, йод, 'tis"
    """
    text = unicodedata.normalize("NFC", text.translate(_INVISIBLE)).translate(characters.STRESSED)
    if lower:
        text = characters.lower_case(text)
    while (plain := unicodedata.normalize("NFC", _STRESS.sub("", text))) != text:
        text = plain  # a mark that is gone may bring its letter and the next mark together
    return unicodedata.normalize("NFC", text.translate(_SPELLING))


def split_words(text: str, *, lower: bool = True) -> list[str]:
    """Words of ``text`` in order: the readable reference that the compiled tokenizer is held to.

    Parameters
    ----------
    text : str
        Any text; line ends separate words.
    lower : bool, default True
        Whether words are lower-cased.

    Examples
    --------
    >>> split_words("Don’t pay 1,000 in 1914-1918, кто-то сказал: «за\u0301мок».")
    ["don't", 'pay', '1,000', 'in', '1914', '1918', 'кто-то', 'сказал', 'замок']
    """
    words: list[str] = []
    word = ""
    joiner = ""  # seen behind ``word``, waits for what follows
    before = characters.OTHER  # kind of the last character of ``word``
    for character in normalize(text, lower=lower) + "\n":
        kind = characters.kind(character)
        if kind in (characters.LETTER, characters.DIGIT):
            if joiner and not _joins(joiner, before, kind):
                words.append(word)
                word = ""
            word += joiner + character if word else character
            joiner, before = "", kind
        elif kind == characters.MARK and word and not joiner:
            word, before = word + character, characters.LETTER
        elif (
            kind in (characters.HYPHEN, characters.APOSTROPHE, characters.POINT)
            and word
            and not joiner
        ):
            joiner = character
        elif word:
            words.append(word)
            word, joiner = "", ""
    return words


def _joins(joiner: str, before: int, after: int) -> bool:
    """Whether ``joiner`` holds a letter or digit before it and one after it together."""
    between_digits = before == characters.DIGIT and after == characters.DIGIT
    if joiner in characters.POINTS:
        return between_digits
    return joiner == "'" or not between_digits


@dataclass(frozen=True)
class Vocabulary:
    """Words of a corpus by falling frequency, ties by code points.

    ``counts``: int64, shape (words,), occurrences in the corpus.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]

    @cached_property
    def index(self) -> dict[str, int]:
        """Id of each word."""
        return {word: row for row, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index
