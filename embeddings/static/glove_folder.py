"""What a GloVe model's folder holds next to its vectors: counts and weights of its commonest content words, which Ratios shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.static.cooccurrence import Cooccurrences
from embeddings.static.glove import GloveModel
from embeddings.vectors.cooccurrence_table import CooccurrenceTable, save_cooccurrence

if TYPE_CHECKING:
    from embeddings.text.words import Vocabulary


COMMON = 300
EXAMPLES = {
    "en": "ice steam solid gas water fashion",
    "ru": "лёд лед пар твёрдый твердый газ вода мода",
    "de": "eis dampf fest gas wasser mode",
}


def content_words(
    cooccurrences: Cooccurrences, sums: NDArray[np.float64], words: Sequence[str], size: int
) -> NDArray[np.int64]:
    """Rows of the ``size`` commonest content words, rising; ``sums`` are the row sums of the counts."""
    common = min(COMMON, len(words) // 10)
    divergence = [_divergence(cooccurrences, sums, row) for row in range(common)]
    stop = set(np.argsort(divergence, kind="stable")[: common // 2].tolist())
    kept = (
        row
        for row, word in enumerate(words)
        if row not in stop and len(word) > 1 and any(letter.isalpha() for letter in word)
    )
    return np.fromiter((row for row, _ in zip(kept, range(size), strict=False)), np.int64)


def _divergence(cooccurrences: Cooccurrences, sums: NDArray[np.float64], row: int) -> float:
    """Divergence of a word's contexts from those of all words, in nats; 0 for a word that stands near everything alike."""
    columns, values = cooccurrences.row(row)
    if len(values) == 0:
        return np.inf
    share = values.astype(np.float64) / sums[row]
    return float(share @ np.log(share * sums.sum() / sums[columns]))


def ratio_writer(
    cooccurrences: Cooccurrences,
    model: GloveModel,
    vocabulary: Vocabulary,
    examples: Iterable[str] = (),
    size: int = 2000,
) -> Callable[[Path], None]:
    """Return what writes ``cooccurrence.safetensors`` to a folder, as `write_native` takes for ``extra``.

    Parameters
    ----------
    cooccurrences, model, vocabulary
        The counts, what was trained on them, and the words of their rows.
    examples : iterable of str
        Words to keep next to the content words, where the vocabulary has them.
    size : int, default 2000
        Number of content words.
    """
    table = cooccurrence_table(cooccurrences, model, vocabulary, examples, size)
    return lambda folder: save_cooccurrence(table, folder)


def cooccurrence_table(
    cooccurrences: Cooccurrences,
    model: GloveModel,
    vocabulary: Vocabulary,
    examples: Iterable[str] = (),
    size: int = 2000,
) -> CooccurrenceTable:
    """Return the counts of content words and examples among each other, with their row sums and weights."""
    sums = cooccurrences.row_sums()
    chosen = content_words(cooccurrences, sums, vocabulary.words, size)
    example_rows = [row for word in examples if (row := model.vectors.find(word)) is not None]
    rows = np.union1d(chosen, np.array(example_rows, np.int64))
    counts = np.zeros((len(rows), len(rows)), np.float32)
    for number, row in enumerate(rows):
        columns, values = cooccurrences.row(int(row))
        kept = np.isin(columns, rows, assume_unique=True)
        counts[number, np.searchsorted(rows, columns[kept])] = values[kept]
    return CooccurrenceTable(
        tuple(vocabulary.words[row] for row in rows),
        counts,
        sums[rows],
        model.words_matrix[rows],
        model.context_matrix[rows],
        model.word_bias[rows],
        model.context_bias[rows],
        lower=model.vectors.is_lower,
        spelling=model.vectors.spelling,
    )
