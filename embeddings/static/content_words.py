"""Which words of a GloVe model keep their counts: the commonest that carry content, and the examples of the pages.

A stop word is common and stands near everything: of the commonest words (300, or a tenth of a small vocabulary) the half whose contexts
are most like the whole text, by Kullback-Leibler divergence, are left out; so are numbers and single letters. The rule knows no language.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from embeddings.static.cooccurrence import Cooccurrences
from embeddings.static.glove import GloveModel
from embeddings.vectors.cooccurrence_table import CooccurrenceTable

COMMON = 300
EXAMPLES = {
    "en": "ice steam solid gas water fashion hot cold king queen man woman",
    "ru": "лёд лед льда пар пара твёрдый твердый твёрдое твердое газ вода воды мода моды холодный горячий",
    "de": "eis dampf fest feste gas wasser mode kalt heiß flüssig",
}


def cooccurrence_table(
    cooccurrences: Cooccurrences,
    model: GloveModel,
    *,
    size: int = 2000,
    examples: Iterable[str] = (),
) -> CooccurrenceTable:
    """Return the counts, row sums and weights of ``size`` content words and the ``examples`` that the model has."""
    sums = cooccurrences.row_sums()
    chosen = content_words(cooccurrences, sums, model.vectors.words, size)
    found = (model.vectors.find(word) for word in examples)
    rows = np.union1d(chosen, np.array([row for row in found if row is not None], np.int64))
    counts = np.zeros((len(rows), len(rows)), np.float32)
    for place, row in enumerate(rows):
        columns, values = cooccurrences.row(int(row))
        kept = np.isin(columns, rows, assume_unique=True)
        counts[place, np.searchsorted(rows, columns[kept])] = values[kept]
    return CooccurrenceTable(
        tuple(model.vectors.words[row] for row in rows),
        counts,
        sums[rows],
        model.words_matrix[rows],
        model.context_matrix[rows],
        model.word_bias[rows],
        model.context_bias[rows],
        lower=model.vectors.is_lower,
    )


def content_words(
    cooccurrences: Cooccurrences, sums: NDArray[np.float64], words: tuple[str, ...], size: int
) -> NDArray[np.int64]:
    """Rows of the ``size`` commonest words that are no stop words, numbers or single letters; ``sums`` are the row sums."""
    common = min(COMMON, len(words) // 10)
    divergence = np.array([_divergence(cooccurrences, sums, row) for row in range(common)])
    stop = set(np.argsort(divergence, kind="stable")[: common // 2].tolist())
    kept = (
        row
        for row, word in enumerate(words)
        if row not in stop and len(word) > 1 and any(letter.isalpha() for letter in word)
    )
    return np.fromiter((row for row, _ in zip(kept, range(size), strict=False)), np.int64)


def _divergence(cooccurrences: Cooccurrences, sums: NDArray[np.float64], row: int) -> float:
    """Divergence of a word's contexts from all contexts, in nats; 0 for a word that stands near everything alike."""
    columns, values = cooccurrences.row(row)
    if len(values) == 0:
        return np.inf
    share = values.astype(np.float64) / values.sum(dtype=np.float64)
    return float(share @ np.log(share * sums.sum() / sums[columns]))
