"""Analogies: what is nearest to king - man + woman, by 3CosAdd or 3CosMul, with every step.

Decisions: all vectors have length one before they are added, in each step as in the end; the words
of the formula are excluded from the answers unless asked for; 3CosMul works on shifted cosines.
Mikolov et al. (2013); Levy and Goldberg (2014), equations 1, 3 and 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.formulas import parse_formula, write_formula
from embeddings.analysis.similarity import as_neighbours
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.results import Analogy, AnalogyStep, Neighbour, Term
from embeddings.vectors.search import nearest
from embeddings.vectors.table import Vectors

__all__ = ["METHODS", "parse_formula", "solve", "write_formula"]

METHODS = ("add", "mul")
EPSILON = 0.001  # Levy and Goldberg (2014), section 4
STEP_WORDS = 5


def solve(
    vectors: Vectors,
    formula: str | tuple[Term, ...],
    *,
    method: str = "add",
    topn: int = 10,
    include_inputs: bool = False,
) -> Analogy:
    """Return the words nearest to a formula.

    "add" ranks words x by cos(x, sum of weight times unit vector). "mul" ranks them by the product
    of s(x, p) ** weight over the positive words p, divided by that over the negative ones plus
    0.001, where s = (1 + cos) / 2.

    Parameters
    ----------
    vectors : Vectors
        The table.
    formula : str or tuple of Term
        Read by `parse_formula`, or already read.
    method : {"add", "mul"}
        3CosAdd or 3CosMul.
    topn : int, default 10
        Number of answers.
    include_inputs : bool, default False
        Whether the formula's own words may answer.

    Returns
    -------
    Analogy
        ``steps`` are the sums before the last, each with its five nearest words by cosine (a quotient of few factors ranks noise first),
        the words summed so far excluded likewise.

    Raises
    ------
    InputError, UnknownWordError
        A formula that cannot be read or whose words cancel; a word without a vector.

    Examples
    --------
    >>> table = Vectors(
    ...     ["man", "woman", "king", "queen"],
    ...     np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32),
    ... )
    >>> solve(table, "king - man + woman").answers[0].word
    'queen'
    """
    check_choice("method", method, METHODS)
    check_range("topn", topn, 1, np.inf)
    terms = parse_formula(formula, vectors) if isinstance(formula, str) else tuple(formula)
    if not terms:
        raise InputError("formula_empty")
    rows = [vectors.row(term.word) for term in terms]
    terms = tuple(Term(vectors.words[r], t.weight) for r, t in zip(rows, terms, strict=True))
    weights = np.array([term.weight for term in terms], dtype=np.float32)
    total = weights @ vectors.unit_rows(rows)
    length = float(np.linalg.norm(total))
    if length < 1e-6 * float(np.abs(weights).sum()):
        raise InputError("formula_zero", formula=write_formula(terms))
    steps = tuple(
        AnalogyStep(
            write_formula(terms[:n]),
            _ranked(vectors, rows[:n], weights[:n], "add", STEP_WORDS, include_inputs),
        )
        for n in range(1, len(terms))
    )
    return Analogy(
        expression=write_formula(terms),
        terms=terms,
        method=method,
        include_inputs=include_inputs,
        answers=_ranked(vectors, rows, weights, method, topn, include_inputs),
        steps=steps,
        vector=np.asarray(total / length, dtype=np.float32),
    )


def _ranked(
    vectors: Vectors,
    rows: list[int],
    weights: NDArray[np.float32],
    method: str,
    topn: int,
    include_inputs: bool,
) -> tuple[Neighbour, ...]:
    """Rank all words by ``method``; nothing where the words cancel."""
    excluded = [] if include_inputs else rows
    if method == "add":
        total = weights @ vectors.unit_rows(rows)
        if np.linalg.norm(total) < 1e-6 * np.abs(weights).sum():
            return ()
        return as_neighbours(vectors, *nearest(vectors, total, topn, excluded=excluded))
    scores = _products(vectors, rows, weights)
    scores[excluded] = -1  # products are not negative
    best = np.argsort(-scores, kind="stable")[:topn]
    best = best[scores[best] >= 0]
    return as_neighbours(vectors, best, scores[best])


def _products(
    vectors: Vectors, rows: list[int], weights: NDArray[np.float32]
) -> NDArray[np.float64]:
    """3CosMul of every word, float64, shape (words,)."""
    shifted = (1 + np.clip(vectors.unit @ vectors.unit_rows(rows).T, -1, 1)) / 2
    powers: NDArray[np.float64] = shifted.astype(np.float64) ** np.abs(weights)
    above, below = powers[:, weights > 0].prod(axis=1), powers[:, weights < 0].prod(axis=1)
    scores: NDArray[np.float64] = above / (below + EPSILON) if (weights < 0).any() else above
    return scores
