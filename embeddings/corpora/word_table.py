"""A hash table from words to provisional ids, in order of first sight.

Open addressing over UTF-8 bytes in compiled loops; it grows between them.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Bytes, Int32s, Int64s
from embeddings.text.tokenizer_kernel import DOCUMENT_END, SENTENCE_END, compiled

S = TypeVar("S", bound=np.generic)

_LOW = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(0xFFFFFFFF00000000)
_TYPES, _USED = 0, 1  # of ``state``: words in the table, bytes of ``letters`` taken


@compiled
def _find(
    word: tuple[Bytes, np.int64, np.int64],
    value: np.uint64,
    slots: NDArray[np.uint64],
    table_letters: Bytes,
    table_ends: Int64s,
) -> tuple[np.int64, np.int64]:
    """Find the slot of a word with hash ``value`` and its row, -1 where the slot is still empty.

    ``word`` is (letters, start, length).
    """
    letters, start, length = word
    mask = len(slots) - 1
    slot = np.int64(value) & mask
    while slots[slot] != 0:
        if (slots[slot] ^ value) & _HIGH == 0:
            row = np.int64(slots[slot] & _LOW) - 1
            first = table_ends[row - 1] if row else np.int64(0)
            if table_ends[row] - first == length:
                k = 0
                while k < length and table_letters[first + k] == letters[start + k]:
                    k += 1
                if k == length:
                    return slot, row
        slot = (slot + 1) & mask
    return slot, np.int64(-1)


@compiled
def _count(
    words: tuple[Bytes, Int64s, NDArray[np.uint64], Int64s],
    begin: int,
    ids: Int32s,
    slots: NDArray[np.uint64],
    rows: tuple[Bytes, Int64s, NDArray[np.uint64], Int64s],
    state: Int64s,
) -> int:
    """Count each entry from ``begin`` and give it its id; returns the one that finds no room.

    ``words`` is (letters, ends, hashes, times), ``times`` empty where each counts once; ``rows``
    the table's own (letters, ends, hashes, counts). When all is done the number of entries comes
    back.
    """
    letters, ends, hashes, times = words
    table_letters, table_ends, table_hashes, counts = rows
    start = ends[begin - 1] if begin else np.int64(0)
    for entry in range(begin, len(ids)):
        end, value = ends[entry], hashes[entry]
        if value < 4:
            ids[entry] = SENTENCE_END if value == 1 else DOCUMENT_END
            continue
        length = end - start
        slot, row = _find((letters, start, length), value, slots, table_letters, table_ends)
        if row < 0:
            row, used = state[_TYPES], state[_USED]
            if 2 * row >= len(slots) or used + length > len(table_letters):
                return entry
            for k in range(length):
                table_letters[used + k] = letters[start + k]
            table_ends[row], table_hashes[row] = used + length, value
            slots[slot] = value & _HIGH | np.uint64(row + 1)
            state[_TYPES], state[_USED] = row + 1, used + length
        counts[row] += times[entry] if len(times) else 1
        ids[entry] = row
        start = end
    return len(ids)


@compiled
def _put_rows(hashes: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Put rows with these hashes into empty ``slots``."""
    mask = len(slots) - 1
    for row in range(len(hashes)):
        slot = np.int64(hashes[row]) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = hashes[row] & _HIGH | np.uint64(row + 1)


class WordTable:
    """Distinct words with their counts; ids in order of first sight.

    Memory is that of the vocabulary: its bytes, and 40 to 80 bytes a word.
    """

    def __init__(self, capacity: int = 1 << 16) -> None:
        self._slots = np.zeros(capacity, np.uint64)
        self._letters = np.zeros(capacity * 8, np.uint8)
        self._ends = np.zeros(capacity // 2 + 1, np.int64)
        self._hashes = np.zeros(capacity // 2 + 1, np.uint64)
        self._counts = np.zeros(capacity // 2 + 1, np.int64)
        self._state = np.zeros(2, np.int64)

    def __len__(self) -> int:
        return int(self._state[_TYPES])

    @property
    def counts(self) -> Int64s:
        """How often each word was added, shape (words,)."""
        return self._counts[: len(self)]

    def add(
        self, letters: Bytes, ends: Int64s, hashes: NDArray[np.uint64], times: Int64s | None = None
    ) -> Int32s:
        """Count entries of `tokenize`; returns their ids, SENTENCE_END and DOCUMENT_END between."""
        ids = np.empty(len(ends), np.int32)
        words = (letters, ends, hashes, np.empty(0, np.int64) if times is None else times)
        begin = 0
        while True:
            rows = (self._letters, self._ends, self._hashes, self._counts)
            begin = _count(words, begin, ids, self._slots, rows, self._state)
            if begin == len(ids):
                return ids
            start = int(ends[begin - 1]) if begin else 0
            self._grow(int(ends[begin]) - start)

    def merge(self, other: WordTable) -> Int32s:
        """Add another table's words with their counts; returns the id here of each of its ids."""
        return self.add(*other.arrays)

    @property
    def arrays(self) -> tuple[Bytes, Int64s, NDArray[np.uint64], Int64s]:
        """All that there is to the words, as `add` takes them: letters, ends, hashes, counts."""
        n, used = len(self), int(self._state[_USED])
        return self._letters[:used], self._ends[:n], self._hashes[:n], self._counts[:n]

    def words(self) -> list[bytes]:
        """All words as UTF-8, by id."""
        letters = self._letters[: int(self._state[_USED])].tobytes()
        ends = self._ends[: len(self)].tolist()
        return [letters[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    def _grow(self, length: int) -> None:
        """Double what is full, so that a new word of ``length`` bytes fits."""
        types, used = len(self), int(self._state[_USED])
        if used + length > len(self._letters):
            self._letters = _resized(self._letters, 2 * (used + length))
        if 2 * types >= len(self._slots):
            capacity = 2 * len(self._slots)
            self._ends = _resized(self._ends, capacity // 2 + 1)
            self._hashes = _resized(self._hashes, capacity // 2 + 1)
            self._counts = _resized(self._counts, capacity // 2 + 1)
            self._slots = np.zeros(capacity, np.uint64)
            _put_rows(self._hashes[:types], self._slots)


def _resized(array: NDArray[S], size: int) -> NDArray[S]:
    """Copy into an array of ``size`` zeros."""
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return larger
