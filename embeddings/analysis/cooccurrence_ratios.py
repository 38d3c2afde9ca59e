"""Co-occurrence ratios: which words stand near ice rather than steam, in the corpus and as the vectors have it.

P(k given i) = X_ik / X_i. A probe k near i only has a large ratio P(k given i) / P(k given j), one near j only a small one, and one near
both or neither has about 1. Pennington, Socher and Manning (2014), section 3 and table 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from embeddings.analysis.vector_answers import Ratio, Ratios
from embeddings.errors import UnknownWordError
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
    i, j = _row(table, first), _row(table, second)
    difference = table.words_matrix[i].astype(np.float64) - table.words_matrix[j]
    bias = float(table.word_bias[i]) - float(table.word_bias[j])
    rows = []
    for k in (_row(table, probe) for probe in probes):
        counts = float(table.counts[i, k]), float(table.counts[j, k])
        p_first, p_second = counts[0] / float(table.sums[i]), counts[1] / float(table.sums[j])
        exponent = float(difference @ table.context_matrix[k]) + bias
        predicted = math.exp(exponent) * float(table.sums[j] / table.sums[i])
        ratio = _divide(p_first, p_second)
        rows.append(Ratio(table.words[k], p_first, p_second, ratio, predicted, *counts))
    return Ratios(table.words[i], table.words[j], tuple(rows))


def _row(table: CooccurrenceTable, word: str) -> int:
    """Row of ``word``; a refusal speaks of the counts, not of the model's words."""
    try:
        return table.vectors.row(word)
    except UnknownWordError as error:
        size, near = len(table.words), error.suggestions
        raise UnknownWordError(word, size, near, code="word_uncounted") from None


def _divide(first: float, second: float) -> float:
    """Divide; NaN for 0 / 0, infinity for anything else / 0."""
    if second:
        return first / second
    return math.inf if first else math.nan
