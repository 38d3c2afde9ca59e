"""Words by Unicode, the vocabulary of a corpus, and regular expressions over words, of a form that cannot search forever.

Decisions: text is NFC; soft hyphens and other invisible characters go; stress accents U+0300 and
U+0301 on a Cyrillic vowel go (за́мок is замок; й and ё are letters of their own and stay); lower
case, never ``casefold`` (ß stays ß); ’ is '. A word is a run of letters, marks and decimal digits.
Inside it, a hyphen joins (кто-то, well-known) unless digits stand on both sides (1914-1918 is two
words), an apostrophe joins (don't) unless the word before it is elided (l'homme is l and homme, as
in Lucene's elision filters; aujourd'hui is whole), a middle dot joins two l (col·legi), and a point
or comma joins two digits (3.14, 1,000). At a word's edge none of these belongs to it. ², ½ and _
separate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.text import characters

_INVISIBLE = dict.fromkeys(map(ord, characters.INVISIBLE))
_STRESS = re.compile(f"(?<=[{characters.CYRILLIC_VOWELS}])[{characters.STRESS}]+")
_JOINERS = (characters.HYPHEN, characters.APOSTROPHE, characters.POINT, characters.MIDDLE_DOT)
ELIDED = frozenset(
    (
        *("c", "d", "j", "l", "m", "n", "s", "t", "v", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"),
        *("un", "gl", "all", "dall", "dell", "nell", "sull", "coll", "pell"),
        *("agl", "dagl", "degl", "negl", "sugl"),
    )
)
"""Words of French, Italian and Catalan that lose their vowel before another."""
LONGEST_ELIDED = max(map(len, ELIDED))
_NO_ELISION = {("c", "h"), ("d", "y")}  # Breton c'hoar, English d'you


def is_elided(word: str, after: str) -> bool:
    """Whether an apostrophe behind ``word`` ends it, ``after`` being the next letter.

    Examples
    --------
    >>> is_elided("L", "h"), is_elided("don", "t"), is_elided("d", "y")
    (True, False, False)
    """
    head = word.lower()
    return (
        head in ELIDED and characters.is_eliding(after) and (head, after.lower()) not in _NO_ELISION
    )


def without_elision(word: str) -> str:
    """Return a word without the elided one that is written before it.

    Examples
    --------
    >>> [without_elision(word) for word in ("l'homme", "don't", "aujourd'hui")]
    ['homme', "don't", "aujourd'hui"]
    """
    head, _, rest = word.partition("'")
    return rest if rest and is_elided(head, rest[0]) else word


def normalize(text: str, *, lower: bool = True) -> str:
    r"""Return ``text`` in the spelling that words are counted in: NFC, lower case, no stress marks.

    Examples
    --------
    >>> normalize("За\u0301мок, Straße, и\u0306од, ’tis")
    "замок, straße, йод, 'tis"
    """
    text = unicodedata.normalize("NFC", text.translate(_INVISIBLE)).translate(characters.STRESSED)
    text = text.replace("ŀ", "l·")
    if lower:
        text = characters.lower_case(text)
    while (plain := unicodedata.normalize("NFC", _STRESS.sub("", text))) != text:
        text = plain  # a mark that is gone may bring its letter and the next mark together
    return unicodedata.normalize("NFC", text.translate(characters.SPELLING))


def split_words(text: str, *, lower: bool = True) -> list[str]:
    """Words of ``text`` in order: the readable reference of the compiled tokenizer.

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
            if joiner and not _joins(joiner, word, before, character):
                words.append(word)
                word = ""
            word += joiner + character if word else character
            joiner, before = "", kind
        elif kind == characters.MARK and word and not joiner:
            word, before = word + character, characters.LETTER
        elif kind in _JOINERS and word and not joiner:
            joiner = character
        elif word:
            words.append(word)
            word, joiner = "", ""
    return words


def _joins(joiner: str, word: str, before: int, character: str) -> bool:
    """Whether ``joiner`` holds ``word``, whose last character is of kind ``before``, and the next character together."""
    between_digits = before == characters.DIGIT == characters.kind(character)
    if joiner in characters.POINTS:
        return between_digits
    if joiner == characters.CATALAN_DOT:
        return word[-1] in "lL" and character in "lL"
    return not is_elided(word, character) if joiner == "'" else not between_digits


def groups_of(
    spellings: Iterable[str], words: int, *, lower: bool
) -> tuple[list[bytes], NDArray[np.int32]]:
    """Return the distinct spellings of so many words as UTF-8, and for each word the place of its spelling.

    ``lower`` lowers them, so that a noun was spelled with its capital.
    """
    group_of: dict[str, int] = {}
    groups = np.empty(words, np.int32)
    for row, spelled in enumerate(spellings):
        name = characters.lower_case(spelled) if lower else spelled
        groups[row] = group_of.setdefault(name, len(group_of))
    return [spelled.encode("utf-8") for spelled in group_of], groups


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


_REPEATED_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\)[*+{]")
_REPEATS = re.compile(r"(?<!\\)(?:\\\\)*[*+{]")
_OPTIONAL = re.compile(r"(?<![\\(*+?}])(?:\\\\)*\?")
MOST_OPTIONAL, LONGEST_PATTERN = 8, 100


def bounded_pattern(pattern: str, most_repeats: int) -> re.Pattern[str]:
    """Compile a regular expression that searches in any case.

    Python's matcher tries one way after another: a repeated group takes time exponential in the text, n repeats take its n-th power, and
    n optional parts 2 to the n-th. So groups are not repeated, and repeats and optional parts are few.

    Parameters
    ----------
    pattern : str
    most_repeats : int
        Repeats (``*``, ``+``, ``{``) at most: time grows by this power of the text's length.

    Raises
    ------
    InputError
        If it could search for ever (a repeated bracket, too many repeats, optional parts or signs), or is no regular expression.
    """
    slow = _REPEATED_GROUP.search(pattern) or len(_REPEATS.findall(pattern)) > most_repeats
    slow = slow or len(_OPTIONAL.findall(pattern)) > MOST_OPTIONAL
    if slow or len(pattern) > LONGEST_PATTERN:
        raise InputError(
            "pattern_slow", pattern=pattern, repeats=most_repeats, signs=LONGEST_PATTERN
        )
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        position = (getattr(error, "pos", None) or 0) + 1
        raise InputError("pattern_invalid", pattern=pattern, position=position) from error
