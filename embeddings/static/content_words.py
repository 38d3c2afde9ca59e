"""Which words of a GloVe model keep their counts: the commonest that carry content.

A stop word is common and stands near everything: of the commonest words (300, or a tenth of a small vocabulary) the half whose contexts
are most like the whole text, by Kullback-Leibler divergence, are left out; so are numbers and single letters. The rule knows no language.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.static.cooccurrence import Cooccurrences

COMMON = 300


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
