"""What each Unicode character does to a word: the table that the compiled tokenizer reads.

One uint32 a code point: the character it becomes (21 bits), its kind, and two flags. The rules
themselves are said in `words.py`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

OTHER, LETTER, DIGIT, MARK, HYPHEN, APOSTROPHE, POINT, SPACE, DROPPED, MIDDLE_DOT = range(10)
KIND_SHIFT = 21
KIND_MASK = 15
VOWEL = 1 << 25  # a Cyrillic vowel: a stress accent behind it is dropped
# its line is normalised by `words.normalize`: NFC may change it or change with it, or it is in NEIGHBOURLY
COMPOSING = 1 << 26
ELIDING = 1 << 27  # a Latin vowel or h: an elided word may stand before it (l'homme)

HYPHENS = "-\u2010\u2011"
APOSTROPHES = "'\u2019\u02bc`\u00b4\uff07"
SPELLING = str.maketrans(dict.fromkeys(HYPHENS, "-") | dict.fromkeys(APOSTROPHES, "'"))
POINTS = ".,"
CATALAN_DOT = "·"  # joins two l: col·legi
NEIGHBOURLY = "Σŀ"  # what becomes of them depends on their neighbours, or is two characters
INVISIBLE = "\u00ad\u2060\ufeff"  # soft hyphen, word joiner, byte order mark
JOINERS = "\u200c\u200d"  # zero-width joiners: part of a word as marks are
STRESS = "\u0300\u0301"
CYRILLIC_VOWELS = "аеёиоуыэюяіїєѣѵѫѧәөүұАЕЁИОУЫЭЮЯІЇЄѢѴѪѦӘӨҮҰ"
STRESSED = str.maketrans("ѐѝЀЍ", "еиЕИ")  # NFC has these two vowels with U+0300 as one character
_ASSIGNED = (range(0x40000), range(0xE0000, 0xE0200))  # nothing is assigned elsewhere that matters


_SPECIAL = {
    **dict.fromkeys(HYPHENS, HYPHEN),
    **dict.fromkeys(APOSTROPHES, APOSTROPHE),
    **dict.fromkeys(POINTS, POINT),
    **dict.fromkeys(INVISIBLE, DROPPED),
    **dict.fromkeys(JOINERS, MARK),
    CATALAN_DOT: MIDDLE_DOT,
}


def lower_case(text: str) -> str:
    """Lower ``text`` so that its length stays: İ becomes i, Σ at a word's end ς; ß is left as it is.

    Examples
    --------
    >>> lower_case("ПОДЪЁМ Straße ΣΙΣΥΦΟΣ İ")
    'подъём straße σισυφος i'
    """
    return text.replace("İ", "i").lower()


def kind(character: str) -> int:
    """Tell what ``character`` does to a word: one of the constants above."""
    if (special := _SPECIAL.get(character)) is not None:
        return special
    category = unicodedata.category(character)
    if category[0] == "L" or category == "Nl":
        return LETTER
    if category == "Nd":
        return DIGIT
    if category[0] == "M":
        return MARK
    return SPACE if character.isspace() else OTHER


@lru_cache(maxsize=2)
def character_table(lower: bool) -> NDArray[np.uint32]:
    """Table of shape (0x110000,), uint32: ``becomes | kind << KIND_SHIFT | VOWEL | COMPOSING``."""
    table = np.zeros(0x110000, np.uint32)
    vowels = {ord(vowel) for vowel in CYRILLIC_VOWELS}
    partners = _second_partners()
    for points in _ASSIGNED:
        text = "".join(map(chr, points))
        kinds = np.fromiter(map(kind, text), np.uint32, len(text))
        becomes = text.translate(STRESSED)
        becomes = (lower_case(becomes) if lower else becomes).translate(SPELLING)
        codes = np.frombuffer(becomes.encode("utf-32-le", "surrogatepass"), np.uint32)
        table[points.start : points.stop] = codes | kinds << np.uint32(KIND_SHIFT)
        for point in points:
            if point in vowels:
                table[point] |= VOWEL
            if _composes(chr(point)) or point in partners or chr(point) in NEIGHBOURLY:
                table[point] |= COMPOSING
            if is_eliding(chr(point)):
                table[point] |= ELIDING
    return table


def is_eliding(character: str) -> bool:
    """Whether an elided word may stand before this letter: a Latin vowel, with any accent, or h."""
    return unicodedata.normalize("NFD", character)[0].lower() in "aeiouyhœæ"


def _composes(character: str) -> bool:
    """Whether NFC reorders or replaces this character."""
    if character < "\u0300" or "\ud800" <= character <= "\udfff":
        return False
    return bool(unicodedata.combining(character)) or not unicodedata.is_normalized("NFC", character)


def _second_partners() -> set[int]:
    """Code points that may melt into the one before: seconds of a canonical pair, Hangul jamo."""
    partners = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}
    for point in _ASSIGNED[0]:
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            partners.add(int(parts[1], 16))
    return partners
