"""Provisional ids to ids by falling frequency, and the bounds beside them, block by block."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from embeddings.results import Progress
from embeddings.text.encoded_files import DOCUMENTS, IDS, SENTENCES
from embeddings.text.tokenizer_kernel import SENTENCE_END, compiled


class _Growing:
    """A one-dimensional .npy file written piece by piece, its header set right at the end."""

    def __init__(self, path: Path, kind: type[np.generic]) -> None:
        self._file = path.open("w+b")
        self._kind = np.dtype(kind)
        self._length = 0
        self._header()

    def _header(self) -> None:
        """Write the header for the present length; numpy leaves room for any length."""
        self._file.seek(0)
        about = {"descr": self._kind.str, "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(self._file, about)

    def append(self, array: NDArray[np.generic]) -> None:
        """Write ``array`` behind what is there."""
        array.astype(self._kind, copy=False).tofile(self._file)
        self._length += len(array)

    def __enter__(self) -> _Growing:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._header()
        self._file.close()


@compiled
def _renumber(
    entries: NDArray[np.int32],
    ranks: NDArray[np.int32],
    state: NDArray[np.int64],
    ids: NDArray[np.int32],
    sentences: NDArray[np.int64],
    documents: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Turn provisional ids into ids and bounds; returns how many of each were written.

    ``state``: ids so far, the last sentence's end, sentences so far, the last document's end.
    Sentences and documents without words are left out.
    """
    n = s = d = 0
    for entry in entries:
        if entry >= 0:
            rank = ranks[entry]
            ids[n] = rank
            n += rank >= 0
        elif entry == SENTENCE_END:
            if state[0] + n > state[1]:
                state[1] = state[0] + n
                sentences[s] = state[1]
                s += 1
        elif state[2] + s > state[3]:
            state[3] = state[2] + s
            documents[d] = state[3]
            d += 1
    state[0] += n
    state[2] += s
    return n, s, d


def renumber(
    provisional: Path,
    pieces: Sequence[tuple[int, int]],
    ranks: Sequence[NDArray[np.int32]],
    folder: Path,
    report: Callable[[Progress], None] | None,
) -> int:
    """Write ids and bounds into ``folder`` and return the number of ids.

    ``pieces``: table and length of each block in the file ``provisional``. ``ranks``: for each
    table the final id of each of its ids, -1 where the word is left out.
    """
    longest = max((length for _, length in pieces), default=0)
    ids = np.empty(longest + 1, np.int32)
    sentences, documents = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    state = np.zeros(4, np.int64)
    begun = time.perf_counter()
    with (
        provisional.open("rb") as file,
        _Growing(folder / IDS, np.int32) as all_ids,
        _Growing(folder / SENTENCES, np.int64) as all_sentences,
        _Growing(folder / DOCUMENTS, np.int64) as all_documents,
    ):
        all_sentences.append(np.zeros(1, np.int64))
        all_documents.append(np.zeros(1, np.int64))
        for number, (table, length) in enumerate(pieces, 1):
            entries = np.fromfile(file, np.int32, length)
            n, s, d = _renumber(entries, ranks[table], state, ids, sentences, documents)
            all_ids.append(ids[:n])
            all_sentences.append(sentences[:s])
            all_documents.append(documents[:d])
            if report is not None:
                seconds = max(time.perf_counter() - begun, 1e-9)
                left = seconds * (len(pieces) - number) / number
                rate = int(state[0]) / seconds
                report(Progress("number", 0, number, len(pieces), math.nan, rate, left))
    return int(state[0])
