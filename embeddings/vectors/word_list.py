"""Words in the order of their folded spelling, found by binary search; those that begin with given letters; those like an unknown one.

`fold_order` sorts a vocabulary once. `WordList` is a vocabulary of millions that stays in its file: ``words.txt`` memory-mapped, where
each line begins, and that order. Nothing is decoded but the words that are asked for.

Spelled like an unknown word are those that differ by case, й and и, ö and oe, one or two slips: letters put in, left out, exchanged or
swapped with their neighbour (Damerau), after folding what people type for one another; what folding hid costs half a letter.
`commoner_spelling` finds another spelling of a known word, by the rule of its language.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Int32s, Int64s, slices
from embeddings.results import Value
from embeddings.text.spelling_rules import respell, rule_of_language
from embeddings.text.words import normalize

if TYPE_CHECKING:
    from embeddings.vectors.table import Vectors

WORDS_AT_A_TIME = 1 << 16  # words that are decoded at one time
JOINED = 1 << 20  # words that are folded at one time


def fold_case(text: str) -> str:
    """Return text as it is sorted and compared by its first letters: in NFC, without the difference of capitals.

    Examples
    --------
    >>> fold_case("Straße") == fold_case("STRASSE")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def folded(words: Sequence[str]) -> list[str]:
    """Return `fold_case` of each word, many at a time."""
    listed: list[str] = []
    for part in slices(len(words), JOINED):
        keys = fold_case("\n".join(words[part])).split("\n")
        listed += keys if len(keys) == len(words[part]) else map(fold_case, words[part])
    return listed


def fold_order(words: Sequence[str]) -> Int32s:
    """Return the rows of words by their folded spelling, equal ones by row, shape (words,).

    Examples
    --------
    >>> fold_order(["pear", "Apple", "apple"]).tolist()
    [1, 2, 0]
    """
    keys = folded(words)
    return np.fromiter(sorted(range(len(keys)), key=keys.__getitem__), np.int32, len(keys))


def find_word(words: Sequence[str], order: Int32s, word: str) -> int | None:
    """Return the row of ``word`` by binary search; None if there is none."""
    key = fold_case(word)
    for at in range(bisect_left(order, key, key=lambda row: fold_case(words[row])), len(order)):
        spelling = words[order[at]]
        if spelling == word:
            return int(order[at])
        if fold_case(spelling) != key:
            break
    return None


def rows_beginning(words: Sequence[str], order: Int32s, letters: str, limit: int) -> Int32s:
    """Return the first ``limit`` rows of words that begin with ``letters``, in whatever case, rising.

    Two binary searches, and the least rows between them: those of the commonest words.

    Examples
    --------
    >>> words = ["pear", "Apple", "apt", "peach"]
    >>> rows_beginning(words, fold_order(words), "AP", 5).tolist()
    [1, 2]
    """
    key = fold_case(letters)
    low = bisect_left(order, key, key=lambda row: fold_case(words[row]))
    high = bisect_right(order, key, key=lambda row: fold_case(words[row])[: len(key)])
    rows: Int32s = np.array(order[low:high], np.int32)
    if len(rows) > limit:
        rows = np.partition(rows, limit)[:limit]
    return np.sort(rows)


class WordList(Sequence[str]):
    """Words of a file, one per line, decoded when they are asked for.

    Parameters
    ----------
    path : Path
        UTF-8 text; each line a word, and behind a tab its count where counts are known.
    starts : NDArray of int64, shape (words + 1,)
        Where each line begins, rising; last the size of the file.
    order : NDArray of int32, shape (words,)
        As `fold_order` returns it.
    """

    def __init__(self, path: Path, starts: Int64s, order: Int32s) -> None:
        self.order = order
        self._starts = starts
        self._text = np.memmap(path, np.uint8, mode="r")

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, key: SupportsIndex) -> str: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[str, ...]: ...

    def __getitem__(self, key: SupportsIndex | slice) -> str | tuple[str, ...]:
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return tuple(self._decoded(start, stop))
            return tuple(self[row] for row in range(start, stop, step))
        row = int(key)
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self)} words")
        row %= len(self)
        line = self._bytes(row, row + 1)
        return line.partition(b"\t")[0].decode(errors="replace")

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), WORDS_AT_A_TIME):
            yield from self._decoded(start, min(start + WORDS_AT_A_TIME, len(self)))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordList | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def find(self, word: str) -> int | None:
        """Return the row of a word as it is spelled; None if there is none."""
        return find_word(self, self.order, word)

    def _bytes(self, start: int, stop: int) -> bytes:
        """Return the lines of some rows without the last line end."""
        return self._text[int(self._starts[start]) : int(self._starts[stop]) - 1].tobytes()

    def _decoded(self, start: int, stop: int) -> list[str]:
        """Return the words of some rows."""
        if start >= stop:
            return []
        text = self._bytes(start, stop)
        lines = text.decode(errors="replace").split("\n")
        return [line.partition("\t")[0] for line in lines] if b"\t" in text else lines


FOLDS = str.maketrans(
    {"й": "и", "ё": "е", "ß": "ss", "ö": "oe", "ä": "ae", "ü": "ue", "-": "", "_": ""}
)
SEARCHED = 200_000  # the most frequent words; a slip is rarely for a rarer one
FAR_COMMONER = 3  # times as frequent as the spelling that was asked for
LONGER = 4  # letters by which two spellings of a word may differ
MAX_SPELLING = 32  # letters; longer words are compared by their folds alone


class Spellings(Value):
    """Folded words: ``letters`` code points, shape (words, MAX_SPELLING), and ``lengths``."""

    words: tuple[str, ...]
    letters: NDArray[np.uint32]
    lengths: Int64s

    @classmethod
    def build(cls, words: Sequence[str]) -> Spellings:
        """Fold the words once."""
        kept = tuple(words[:SEARCHED])
        folded = [fold(word) for word in kept]
        lengths = np.array([len(word) for word in folded], dtype=np.int64)
        table = np.array([word[:MAX_SPELLING] for word in folded], dtype=f"<U{MAX_SPELLING}")
        return cls(kept, table.view(np.uint32).reshape(len(kept), MAX_SPELLING), lengths)


def fold(word: str) -> str:
    """Lower case in NFC, with й as и, ё as е, ß as ss, ö as oe, and no hyphens."""
    return normalize(word).translate(FOLDS)


def close_spellings(word: str, vectors: Vectors, limit: int = 3) -> tuple[str, ...]:
    """Return up to ``limit`` words of the model spelled like ``word``, nearest first, then by row.

    Two slips are allowed from five letters on, one below; signs without a letter or digit (an emoji)
    have no close spelling. Over 30 000 words it takes milliseconds.

    Examples
    --------
    >>> from embeddings.vectors.table import Vectors
    >>> table = Vectors(["ключ", "замок", "йод"], np.eye(3, dtype=np.float32))
    >>> close_spellings("иод", table), close_spellings("клчю", table)
    (('йод',), ('ключ',))
    """
    target = fold(word)
    if not target or len(target) > MAX_SPELLING or not len(vectors):
        return ()
    if not any(sign.isalnum() for sign in target):  # an emoji is no misspelled letter
        return ()
    spellings = vectors.spellings
    slips = 2 if len(target) > 4 else 1
    rows = np.flatnonzero(np.abs(spellings.lengths - len(target)) <= slips)
    rows = rows[spellings.lengths[rows] <= MAX_SPELLING]
    distances = _distances(target, spellings.letters[rows], spellings.lengths[rows])
    close = np.flatnonzero(distances <= slips)
    ranked = []
    for at in close[np.argsort(distances[close], kind="stable")][: 8 * limit].tolist():
        spelling = spellings.words[rows[at]]
        hidden = 0.0 if spelling.lower() == word.lower() else 0.5
        ranked.append((distances[at] + hidden, int(rows[at]), spelling))
    return tuple(spelling for _, _, spelling in sorted(ranked)[:limit] if spelling != word)


def commoner_spelling(word: str, vectors: Vectors) -> str:
    """Return the model's word that is the same by the spelling rule of its language and is far more frequent in its text; "" if none does.

    A model whose text was respelled has one spelling for each word. Words that a capital distinguishes (Floß, floß) are two words.

    Examples
    --------
    >>> from embeddings.vectors.table import Vectors
    >>> counts = np.array([90, 30])
    >>> table = Vectors(["tür", "thür"], np.eye(2, dtype=np.float32), counts, language="de")
    >>> commoner_spelling("Thür", table), commoner_spelling("Tür", table)
    ('tür', '')
    """
    rule, row = rule_of_language(vectors.language), vectors.find(word)
    if vectors.spelling or not rule or row is None or vectors.counts is None:
        return ""
    present = vectors.words[row]
    spelled = _one_spelling(present, rule)
    least = FAR_COMMONER * int(vectors.counts[row])
    # words are in descending order of frequency
    end = int(np.searchsorted(-vectors.counts, -least, side="right"))
    for other in vectors.words[:end] if spelled else ():
        near = other[:1] == present[:1] and abs(len(other) - len(spelled)) < LONGER
        if near and other != present and _one_spelling(other, rule) == spelled:
            return other
    return ""


def _one_spelling(word: str, rule: str) -> str:
    """Return how a rule spells a word, lower-cased; "" where that depends on its capital."""
    lowered = word.lower()
    spelled = respell(lowered, rule)
    return spelled if respell(lowered.capitalize(), rule).lower() == spelled else ""


def _distances(target: str, letters: NDArray[np.uint32], lengths: Int64s) -> Int64s:
    """Damerau's distance (adjacent swaps count one) from ``target`` to every row at once."""
    codes = [ord(letter) for letter in target]
    width = len(codes) + 3
    letters = np.ascontiguousarray(letters[:, :width].T)  # (position, words)
    older = np.zeros((0, 0), dtype=np.int8)
    previous = np.repeat(np.arange(len(letters) + 1, dtype=np.int8)[:, None], len(lengths), axis=1)
    for i, code in enumerate(codes):
        current = np.empty_like(previous)
        current[0] = i + 1
        differs = (letters != code).astype(np.int8)
        for j in range(len(letters)):
            best = np.minimum(previous[j] + differs[j], previous[j + 1] + 1)
            np.minimum(best, current[j] + 1, out=best)
            if i and j:
                swapped = (letters[j - 1] == code) & (letters[j] == codes[i - 1])
                np.minimum(best, np.where(swapped, older[j - 1] + 1, best), out=best)
            current[j + 1] = best
        older, previous = previous, current
    return previous[lengths, np.arange(len(lengths))].astype(np.int64)
