"""Compiled loops over UTF-8 bytes: check a block, split it into words. Threads run side by side.

The tokenizer follows `embeddings.text.words.split_words` exactly; a test compares the two on random
Unicode. A block is UTF-8 whose lines that NFC might change were normalised before (`check` finds
them). Entries of a block: words, with ends of sentences and documents between them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from embeddings.text import characters
from embeddings.text.words import ELIDED, LONGEST_ELIDED

F = TypeVar("F", bound=Callable[..., object])
FINE, INVALID, NUL, COMPOSING = range(4)
SENTENCE_END, DOCUMENT_END = -1, -2
_SENTENCE, _DOCUMENT = np.uint64(1), np.uint64(2)  # in place of a hash; hashes have bit 2 set
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_LETTER, _DIGIT, _MARK, _SPACE, _DROPPED = (
    characters.LETTER, characters.DIGIT, characters.MARK, characters.SPACE, characters.DROPPED
)  # fmt: skip
_HYPHEN, _POINT, _APOSTROPHE = characters.HYPHEN, characters.POINT, characters.APOSTROPHE
_SHIFT, _KINDS, _POINT_BITS = (
    characters.KIND_SHIFT,
    characters.KIND_MASK,
    (1 << characters.KIND_SHIFT) - 1,
)
_VOWEL, _COMPOSING, _ELIDING = characters.VOWEL, characters.COMPOSING, characters.ELIDING
_MIDDLE_DOT = characters.MIDDLE_DOT
_ELIDED = np.array(  # length, then letters
    [(len(word), *word.encode().ljust(LONGEST_ELIDED)) for word in sorted(ELIDED)], np.uint8
)


def compiled(function: F) -> F:
    """Compile without the interpreter's lock, cached on disk."""
    return cast("F", numba.njit(cache=True, nogil=True)(function))


@compiled
def decode_strictly(data: NDArray[np.uint8], i: int) -> tuple[np.int64, int]:
    """Read a character past ASCII at ``i``; returns it and its length, 0 if it is not UTF-8."""
    lead = np.int64(data[i])
    length = 2 if lead < 0xE0 else (3 if lead < 0xF0 else 4)
    if lead < 0xC2 or lead > 0xF4 or i + length > len(data):
        return lead, 0
    point = lead & (0x7F >> length)
    for k in range(1, length):
        byte = np.int64(data[i + k])
        if byte & 0xC0 != 0x80:
            return lead, 0
        point = (point << 6) | (byte & 0x3F)
    low = 0x80 if length == 2 else (0x800 if length == 3 else 0x10000)
    if point < low or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        return lead, 0
    return point, length


@compiled
def check(data: NDArray[np.uint8], start: int, table: NDArray[np.uint32]) -> tuple[int, int]:
    """Find the first character from ``start`` that needs care; returns (status, position).

    The status is INVALID (not UTF-8), NUL, COMPOSING (NFC may change the line), or FINE at the end.
    """
    size, i, vowel = len(data), start, False
    while i < size:
        if data[i] < 0x80:
            if data[i] == 0:
                return NUL, i
            vowel = False
            i += 1
            continue
        point, length = decode_strictly(data, i)
        if length == 0:
            return INVALID, i
        entry = np.int64(table[point])
        stress = point == 0x300 or point == 0x301
        if entry & _COMPOSING and not (stress and vowel):
            return COMPOSING, i
        vowel = entry & _VOWEL != 0 or (stress and vowel)
        i += length
    return FINE, size


@compiled
def decode(data: NDArray[np.uint8], i: int) -> tuple[np.int64, int]:
    """Read the code point at ``i`` of valid UTF-8 and return it with the position behind it."""
    point = np.int64(data[i])
    if point < 0x80:
        return point, i + 1
    if point < 0xE0:
        return (point & 0x1F) << 6 | np.int64(data[i + 1]) & 0x3F, i + 2
    point = (point & 0x0F) << 6 | np.int64(data[i + 1]) & 0x3F
    point = point << 6 | np.int64(data[i + 2]) & 0x3F
    if data[i] < 0xF0:
        return point, i + 3
    return (point & 0x7FFF) << 6 | np.int64(data[i + 3]) & 0x3F, i + 4


@compiled
def write_utf8(point: np.int64, letters: NDArray[np.uint8], at: int) -> int:
    """Write a code point as UTF-8 and return the position behind it."""
    if point < 0x80:
        letters[at] = point
        return at + 1
    if point < 0x800:
        letters[at] = 0xC0 | point >> 6
        letters[at + 1] = 0x80 | point & 0x3F
        return at + 2
    if point < 0x10000:
        letters[at] = 0xE0 | point >> 12
        letters[at + 1] = 0x80 | point >> 6 & 0x3F
        letters[at + 2] = 0x80 | point & 0x3F
        return at + 3
    letters[at] = 0xF0 | point >> 18
    letters[at + 1] = 0x80 | point >> 12 & 0x3F
    letters[at + 2] = 0x80 | point >> 6 & 0x3F
    letters[at + 3] = 0x80 | point & 0x3F
    return at + 4


@compiled
def finish(value: np.uint64) -> np.uint64:
    """Mix the hash of a word so that its low and its high half are both good; never 1 or 2."""
    value ^= value >> np.uint64(29)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    return (value ^ value >> np.uint64(32)) | np.uint64(4)


@compiled
def is_elided(letters: NDArray[np.uint8], point: np.int64) -> bool:
    """Do what `words.is_elided` does: the UTF-8 of a word, and the Latin vowel or h that follows."""
    size = len(letters)
    first, after = letters[0] | 0x20, point | 0x20
    if size == 1 and ((first == 0x63 and after == 0x68) or (first == 0x64 and after == 0x79)):
        return False  # c'h, d'y
    for row in _ELIDED:
        if row[0] == size:
            k = 0
            while k < size and letters[k] < 0x80 and letters[k] | 0x20 == row[k + 1]:
                k += 1
            if k == size:
                return True
    return False


@compiled
def joins(
    joiner: np.int64, word: NDArray[np.uint8], between_digits: bool, point: np.int64, elides: bool
) -> bool:
    """Do what `words._joins` does."""
    if joiner == 0x27:
        return not (elides and is_elided(word, point))
    if joiner == 0xB7:
        return bool(word[-1] | 0x20 == 0x6C and point | 0x20 == 0x6C)
    return between_digits if joiner == 0x2C or joiner == 0x2E else not between_digits


@compiled
def tokenize(  # noqa: C901, PLR0915 - one state machine, unrolled for speed
    data: NDArray[np.uint8],
    table: NDArray[np.uint32],
    letters: NDArray[np.uint8],
    ends: NDArray[np.int64],
    hashes: NDArray[np.uint64],
) -> int:
    """Split valid UTF-8 into words, written side by side into ``letters``; returns the entries.

    ``ends[k]`` is where entry k ends in ``letters``; ``hashes[k]`` its hash, or 1 at a sentence's
    and 2 at a document's end. ``letters`` must hold 2 bytes, the others 1 entry per byte of
    ``data``, and 4 more.
    """
    size, i, entries = len(data), 0, 0
    at = word = 0  # where the next letter goes, where the current word starts
    joiner, before, vowel = np.int64(0), np.int64(0), False
    value = _SEED
    blank, has_words = True, False
    while i < size:
        point, i = decode(data, i)
        entry = np.int64(table[point])
        kind = entry >> _SHIFT & _KINDS
        becomes = entry & _POINT_BITS
        if kind in (_LETTER, _DIGIT):
            if joiner:
                digits = before == _DIGIT and kind == _DIGIT
                elides = entry & _ELIDING != 0
                if joins(joiner, letters[word:at], digits, becomes, elides):
                    at = write_utf8(joiner, letters, at)
                    value = (value ^ np.uint64(joiner)) * _FACTOR
                else:
                    ends[entries], hashes[entries] = at, finish(value)
                    entries += 1
                    word, value = at, _SEED
                joiner = np.int64(0)
            at = write_utf8(becomes, letters, at)
            value = (value ^ np.uint64(becomes)) * _FACTOR
            before, vowel = kind, entry & _VOWEL != 0
            continue
        if kind == _DROPPED:
            continue
        inside = at > word
        if inside and not joiner:
            if kind == _MARK:
                if not (vowel and (point == 0x300 or point == 0x301)):
                    at = write_utf8(becomes, letters, at)
                    value = (value ^ np.uint64(becomes)) * _FACTOR
                    before, vowel = np.int64(_LETTER), False
                continue
            if kind in (_HYPHEN, _APOSTROPHE, _POINT, _MIDDLE_DOT):
                joiner = becomes
                continue
        if inside:
            ends[entries], hashes[entries] = at, finish(value)
            entries += 1
            word, value, joiner = at, _SEED, np.int64(0)
            has_words = True
        if point == 10 or (point == 13 and (i == size or data[i] != 10)):
            if has_words or blank:
                ends[entries] = at
                hashes[entries] = _SENTENCE if has_words else _DOCUMENT
                entries += 1
            blank, has_words = True, False
        elif kind != _SPACE:
            blank = False
    if at > word:
        ends[entries], hashes[entries] = at, finish(value)
        entries += 1
        has_words = True
    if has_words:
        ends[entries], hashes[entries] = at, _SENTENCE
        entries += 1
    return entries
