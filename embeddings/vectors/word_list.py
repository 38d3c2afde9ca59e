"""Words in the order of their folded spelling: found by binary search, and those that begin with given letters.

`fold_order` sorts a vocabulary once. `WordList` is a vocabulary of millions that stays in its file: ``words.txt`` memory-mapped, where
each line begins, and that order. Nothing is decoded but the words that are asked for.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

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
    for start in range(0, len(words), JOINED):
        part = words[start : start + JOINED]
        keys = fold_case("\n".join(part)).split("\n")
        listed += keys if len(keys) == len(part) else map(fold_case, part)
    return listed


def fold_order(words: Sequence[str]) -> NDArray[np.int32]:
    """Return the rows of words by their folded spelling, equal ones by row, shape (words,).

    Examples
    --------
    >>> fold_order(["pear", "Apple", "apple"]).tolist()
    [1, 2, 0]
    """
    keys = folded(words)
    return np.fromiter(sorted(range(len(keys)), key=keys.__getitem__), np.int32, len(keys))


def find_word(words: Sequence[str], order: NDArray[np.int32], word: str) -> int | None:
    """Return the row of ``word`` by binary search; None if there is none."""
    key = fold_case(word)
    for at in range(bisect_left(order, key, key=lambda row: fold_case(words[row])), len(order)):
        spelling = words[order[at]]
        if spelling == word:
            return int(order[at])
        if fold_case(spelling) != key:
            break
    return None


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

    def __init__(self, path: Path, starts: NDArray[np.int64], order: NDArray[np.int32]) -> None:
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
