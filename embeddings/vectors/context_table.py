"""What a static model keeps of its words' contexts: the strongest of each common word, with their counts.

The file ``contexts.safetensors``. From it `embeddings.analysis.shared_contexts` says which contexts two words share. A context's
strength is its positive pointwise mutual information with the word, the distribution of contexts smoothed by the power 0.75 (Levy,
Goldberg and Dagan 2015, section 3.1): PPMI(w, c) = max(0, log(n_wc / n_w) - log(n_c^0.75 / sum_k n_k^0.75)).

Rows are sparse and cut to their strongest entries; the squared length of the whole row is kept next to them, so that one sees how much
of it the file has.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float64s, Int64s, bounds_of
from embeddings.errors import clause
from embeddings.results import Value
from embeddings.text.spelling_rules import checked_spelling
from embeddings.vectors.packed_arrays import (
    check_numbers,
    check_shapes,
    from_planes,
    load_packed,
    pack_words,
    save_packed,
    to_planes,
    unpack_words,
)
from embeddings.vectors.table import Vectors

CONTEXTS_FILE = "contexts.safetensors"
CONTEXTS_FORMAT = "klyuch-contexts-1"
ABOUT = (
    "lower",
    "spelling",
    "window",
    "total",
    "meetings",
)  # what stands in the header of the file
SMOOTHING = 0.75
MOST_WORDS, MOST_ENTRIES = 65_536, 20_000_000  # what a file may claim: 160 MB of entries


class ContextTable(Value):
    """Contexts of the commonest words of a corpus.

    Attributes
    ----------
    words : tuple of str
        All context words; the first ``len(starts) - 1`` of them have rows.
    starts : NDArray of int64, shape (rows + 1,)
        Entries of row i are ``[starts[i]:starts[i + 1]]``.
    columns : NDArray of uint16, shape (entries,)
        Context words, rising within a row.
    counts : NDArray of uint32, shape (entries,)
        How often the two stood within the window.
    sums : NDArray of float64, shape (words,)
        Meetings of each word with any word of the vocabulary.
    total : float
        Sum of the smoothed meetings n_c^0.75 over the whole vocabulary.
    meetings : float
        Sum of all meetings n_c over the whole vocabulary.
    squares : NDArray of float64, shape (rows,)
        Squared length of the whole PPMI row, of which the stored entries are a part.
    window : int
        Words on either side.
    lower : bool
        Whether the words are in lower case.
    spelling : str
        Rule that the words were respelled by, "" for none.
    """

    words: tuple[str, ...]
    starts: Int64s
    columns: NDArray[np.uint16]
    counts: NDArray[np.uint32]
    sums: Float64s
    total: float
    meetings: float
    squares: Float64s
    window: int
    lower: bool = True
    spelling: str = ""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def vectors(self) -> Vectors:
        """The words that have rows, to be found in the table's casing, or with a word on which are close."""
        return Vectors(
            self.words[: len(self)],
            np.zeros((len(self), 1), np.float32),
            method="contexts",
            lower=self.lower,
            spelling=self.spelling,
        )

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Column of each context word."""
        return {word: column for column, word in enumerate(self.words)}

    def row(self, word: int) -> tuple[NDArray[np.uint16], NDArray[np.uint32], Float64s]:
        """Columns, counts and PPMI of a word's kept contexts."""
        entries = slice(self.starts[word], self.starts[word + 1])
        columns, counts = self.columns[entries], self.counts[entries]
        return columns, counts, ppmi(counts, float(self.sums[word]), self.sums[columns], self.total)

    def stored_share(self, word: int) -> float:
        """Share of a row's squared length that its kept entries have, in [0, 1]."""
        strengths = self.row(word)[2]
        return float(strengths @ strengths / self.squares[word]) if self.squares[word] else 0.0


def ppmi(counts: NDArray[np.generic], own: float, others: Float64s, total: float) -> Float64s:
    """Return the positive pointwise mutual information of a word with contexts.

    Parameters
    ----------
    counts : NDArray, shape (contexts,)
        Meetings of the two, n_wc > 0.
    own : float
        Meetings of the word with any, n_w.
    others : NDArray of float64, shape (contexts,)
        Meetings of each context with any, n_c.
    total : float
        Sum of n_k^0.75 over all contexts.

    Examples
    --------
    >>> ppmi(np.array([4.0]), 8.0, np.array([16.0]), 16.0).round(4).tolist()  # log(4 / 8 * 16 / 16 ** 0.75)
    [0.0]
    >>> ppmi(np.array([8.0]), 8.0, np.array([16.0]), 16.0).round(4).tolist()
    [0.6931]
    """
    chance = others**SMOOTHING / total
    pmi = np.log(counts.astype(np.float64) / own) - np.log(chance)
    return np.maximum(pmi, 0.0)


def save_contexts(table: ContextTable, folder: Path) -> None:
    """Write the table to ``folder / "contexts.safetensors"``, whole or not at all."""
    columns = table.columns.astype(np.int32)
    steps = np.diff(columns, prepend=0)
    first = table.starts[:-1][np.diff(table.starts) > 0]
    steps[first] = columns[first]
    tensors: dict[str, NDArray[Any]] = {
        "words": pack_words(table.words),
        "sizes": np.diff(table.starts).astype(np.uint32),
        "sums": table.sums,
        "squares": table.squares,
    }
    tensors |= to_planes("columns", steps, "<u2") | to_planes("counts", table.counts, "<u4")
    about = {name: getattr(table, name) for name in ABOUT} | {"entries": len(table.columns)}
    save_packed(folder / CONTEXTS_FILE, CONTEXTS_FORMAT, tensors, about)


def load_contexts(folder: Path) -> ContextTable:
    """Read the table of a model's folder.

    Raises
    ------
    MissingFileError
        If the folder has none.
    FormatError
        If the file is damaged or contradicts itself.
    CheckpointError
        If it does not have the sha256 of the folder's card.
    """
    way_out = clause("count_contexts")
    return load_packed(folder / CONTEXTS_FILE, CONTEXTS_FORMAT, _table, way_out)


def _table(tensors: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> ContextTable:
    """Put the arrays together; ValueError says what does not fit."""
    entries = int(about["entries"])
    check_numbers("entries", entries, 0, MOST_ENTRIES)
    words = unpack_words(tensors["words"], MOST_WORDS)
    sizes, sums = tensors["sizes"].astype(np.int64), tensors["sums"].astype(np.float64)
    squares = tensors["squares"].astype(np.float64)
    check_shapes(tensors, sums=(len(words),), sizes=(sizes.size,), squares=(sizes.size,))
    if len(sizes) > len(words) or sizes.sum() != entries:
        raise ValueError(clause("rows_unfit", words=len(words), entries=entries))
    starts = bounds_of(sizes)
    steps = from_planes(tensors, "columns", entries, "<u2").astype(np.int64)
    columns = np.cumsum(steps) if entries else steps
    before = np.concatenate([np.zeros(1, np.int64), columns])[starts[:-1]]
    columns -= np.repeat(before, sizes)
    check_numbers("columns", columns, 0, len(words) - 1)
    counts = from_planes(tensors, "counts", entries, "<u4")
    return ContextTable(
        words,
        starts,
        columns.astype(np.uint16),
        counts,
        sums,
        float(about["total"]),
        float(about["meetings"]),
        squares,
        int(about["window"]),
        bool(about["lower"]),
        checked_spelling(about.get("spelling", "")),
    )
