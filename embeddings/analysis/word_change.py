"""Which words changed between two corpora, beyond what chance and retraining do.

Decisions:
- the vectors of one side are rotated onto those of the other (orthogonal Procrustes over all words measured), and a word's movement is
  1 - cosine (Hamilton, Leskovec and Jurafsky 2016);
- the null of two corpora: all documents are shuffled between the two sides, as many to each as before, both are trained again, and
  movements measured (Dubossarsky, Weinshall and Grossman 2017 show that rare words move most under it); the null of documents left out
  is another seed on the whole corpus;
- each word's movement is standardised by its own movements under the null, so that words of all frequencies can be compared, and p is the
  share of all words' null movements, each standardised by the others of its word, that are at least as large;
- p values are corrected for many words by Benjamini and Hochberg (1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.model_comparison import orthogonal_procrustes
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.results.vector_answers import WordChange
from embeddings.vectors.table import normalize_rows

LEAST_NULL = 3  # null movements of a word: the deviation of the others needs two
LEAST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Trials:
    """Movements that are no change.

    Attributes
    ----------
    null : NDArray of float64, shape (trainings, words)
        Under the null.
    retraining : NDArray of float64, shape (words,)
        Mean movement between trainings that differ in the seed alone.
    """

    null: NDArray[np.float64]
    retraining: NDArray[np.float64]


def movements(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return how far each word moves from the first table to the second, after the first is rotated onto it; shape (words,).

    Parameters
    ----------
    first, second : NDArray of float32, shape (words, vector_size)
        Rows of length one, of the same words.

    Raises
    ------
    InputError
        If there are fewer than `LEAST_WORDS` words.
    """
    if len(first) < LEAST_WORDS:
        raise InputError("change_words", words=len(first), least=LEAST_WORDS)
    centred = [normalize_rows(side - side.mean(axis=0)) for side in (first, second)]
    rotated = centred[0] @ orthogonal_procrustes(*centred).astype(np.float32)
    cosines = np.einsum("ij,ij->i", rotated, centred[1], dtype=np.float64)
    movement: NDArray[np.float64] = np.clip(1 - cosines, 0.0, 2.0)
    return movement


def null_p(observed: NDArray[np.float64], null: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p value of each word's movement under the null; shape (words,).

    Parameters
    ----------
    observed : NDArray of float64, shape (words,)
        Movements between the two sides.
    null : NDArray of float64, shape (trainings, words)
        Movements under the null, `LEAST_NULL` trainings or more.
    """
    check_range("null", len(null), LEAST_NULL, np.inf)
    scores = _standardised(observed, null)
    others = [np.delete(null, row, axis=0) for row in range(len(null))]
    null_scores = np.sort(np.concatenate(list(map(_standardised, null, others))))
    greater = len(null_scores) - np.searchsorted(null_scores, scores, side="left")
    p: NDArray[np.float64] = (1 + greater) / (1 + len(null_scores))
    return p


def _standardised(values: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many standard deviations of the others each word's value lies above their mean."""
    deviation = others.std(axis=0, ddof=1)
    scores: NDArray[np.float64] = (values - others.mean(axis=0)) / np.maximum(deviation, 1e-12)
    return scores


def corrected(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p values corrected for many words: the false discovery rate at which each would still be called changed."""
    from scipy.stats import false_discovery_control

    q: NDArray[np.float64] = false_discovery_control(p)
    return q


def word_changes(
    words: Sequence[str],
    sides: tuple[NDArray[np.float32], NDArray[np.float32]],
    counts: tuple[NDArray[np.int64], NDArray[np.int64]],
    trials: Trials,
    topn: int = 10,
) -> tuple[WordChange, ...]:
    """Return what happened to each word, those that are surest to have changed first.

    Parameters
    ----------
    words : sequence of str
    sides : tuple of two NDArray of float32, shape (words, vector_size)
        Rows of length one of either side.
    counts : tuple of two NDArray of int64, shape (words,)
        Occurrences on either side.
    trials : Trials
        What chance and retraining do.
    topn : int, default 10
        Size of a neighbourhood.
    """
    movement = movements(*sides)
    p = null_p(movement, trials.null)
    q = corrected(p)
    near = [_nearest(side, topn) for side in sides]
    changes = []
    for row in np.lexsort((-movement, p)).tolist():
        first, second = (table[row].tolist() for table in near)
        changes.append(
            WordChange(
                words[row],
                float(movement[row]),
                float(trials.retraining[row]),
                float(p[row]),
                float(q[row]),
                int(counts[0][row]),
                int(counts[1][row]),
                tuple(words[n] for n in first if n not in second),
                tuple(words[n] for n in second if n not in first),
            )
        )
    return tuple(changes)


def _nearest(unit: NDArray[np.float32], topn: int) -> NDArray[np.int64]:
    """Return the nearest of every word, by falling cosine; shape (words, topn)."""
    most = min(topn, len(unit) - 1)
    lists = np.empty((len(unit), most), np.int64)
    for start in range(0, len(unit), 256):
        cosines = unit[start : start + 256] @ unit.T
        own = np.arange(len(cosines))
        cosines[own, start + own] = -np.inf
        lists[start : start + 256] = np.argsort(-cosines, axis=1, kind="stable")[:, :most]
    return lists
