"""Co-occurrence ratios: which words stand near ice rather than steam, in the corpus and as the vectors have it.

P(k given i) = X_ik / X_i. A probe k near i only has a large ratio P(k given i) / P(k given j), one near j only a small one, and one near
both or neither has about 1. Pennington, Socher and Manning (2014), section 3 and table 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.analysis.vector_answers import Ratio, Ratios
from embeddings.vectors.cooccurrence_table import CooccurrenceTable, load_cooccurrence

__all__ = ["CooccurrenceTable", "load_cooccurrence", "ratios"]


def ratios(table: CooccurrenceTable, first: str, second: str, probes: Sequence[str]) -> Ratios:
    """Compare two words by how often each probe stands near them.

    The prediction is exp((w_i - w_j) . w~_k + b_i - b_j) X_j / X_i: what the model takes for log X in place of the counts.

    Parameters
    ----------
    table : CooccurrenceTable
        Of a GloVe model.
    first, second : str
        The words i and j.
    probes : sequence of str
        The words k.

    Returns
    -------
    Ratios
        Words as the model spells them; a row for each probe, in the order given. ``ratio`` = ``p_first / p_second``; NaN where both are
        zero, infinite where only the second is.

    Raises
    ------
    UnknownWordError
        If a word is not in the table (code ``word_uncounted``: the model may well have a vector for it).

    Examples
    --------
    >>> one = np.ones((2, 1), np.float32)
    >>> counts = np.array([[0, 2], [2, 1]], np.float32)
    >>> table = CooccurrenceTable(("a", "b"), counts, np.array([4.0, 8.0]), one, one, one[:, 0], one[:, 0])
    >>> ratios(table, "a", "b", ["b"]).rows[0].ratio
    4.0
    """
    i, j, *others = (table.vectors.row(word, "word_uncounted") for word in (first, second, *probes))
    ks = np.array(others, np.int64)
    counts = table.counts[[[i], [j]], ks].astype(np.float64)  # (2, probes)
    shares = counts / table.sums[[[i], [j]]]
    difference = table.words_matrix[i].astype(np.float64) - table.words_matrix[j]
    bias = float(table.word_bias[i]) - float(table.word_bias[j])
    predicted = np.exp(table.context_matrix[ks] @ difference + bias)
    predicted *= table.sums[j] / table.sums[i]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = shares[0] / shares[1]
    columns = (column.tolist() for column in (*shares, ratio, predicted, *counts))
    rows = tuple(map(Ratio, (table.words[k] for k in others), *columns))
    return Ratios(table.words[i], table.words[j], rows)
