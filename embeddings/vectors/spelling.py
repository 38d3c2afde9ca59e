"""Words of a model that are spelled like an unknown one: case, й and и, ö and oe, one or two slips.

The distance counts letters put in, left out, exchanged or swapped with their neighbour (Damerau),
after folding what people type for one another; what folding hid costs half a letter.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from embeddings.vectors.table import Vectors

FOLDS = str.maketrans(
    {"й": "и", "ё": "е", "ß": "ss", "ö": "oe", "ä": "ae", "ü": "ue", "’": "'", "-": "", "_": ""}
)
SEARCHED = 200_000  # the most frequent words; a slip is rarely for a rarer one
LONGEST = 32  # letters; longer words are compared by their folds alone


@dataclass(frozen=True, slots=True)
class Spellings:
    """Folded words: ``letters`` code points, shape (words, LONGEST), and ``lengths``."""

    words: tuple[str, ...]
    letters: NDArray[np.uint32]
    lengths: NDArray[np.int64]

    @classmethod
    def build(cls, words: Sequence[str]) -> Spellings:
        """Fold the words once."""
        kept = tuple(words[:SEARCHED])
        folded = [fold(word) for word in kept]
        lengths = np.array([len(word) for word in folded], dtype=np.int64)
        table = np.array([word[:LONGEST] for word in folded], dtype=f"<U{LONGEST}")
        return cls(kept, table.view(np.uint32).reshape(len(kept), LONGEST), lengths)


def fold(word: str) -> str:
    """Lower case in NFC, with й as и, ё as е, ß as ss, ö as oe, and no hyphens."""
    return unicodedata.normalize("NFC", word).lower().translate(FOLDS)


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
    if not target or len(target) > LONGEST or not len(vectors):
        return ()
    if not any(sign.isalnum() for sign in target):  # an emoji is no misspelled letter
        return ()
    spellings = vectors.spellings
    slips = 2 if len(target) > 4 else 1
    rows = np.flatnonzero(np.abs(spellings.lengths - len(target)) <= slips)
    rows = rows[spellings.lengths[rows] <= LONGEST]
    distances = _distances(target, spellings.letters[rows], spellings.lengths[rows])
    close = np.flatnonzero(distances <= slips)
    ranked = []
    for at in close[np.argsort(distances[close], kind="stable")][: 8 * limit].tolist():
        spelling = spellings.words[rows[at]]
        hidden = 0.0 if spelling.lower() == word.lower() else 0.5
        ranked.append((distances[at] + hidden, int(rows[at]), spelling))
    return tuple(spelling for _, _, spelling in sorted(ranked)[:limit] if spelling != word)


def _distances(
    target: str, letters: NDArray[np.uint32], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
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
