"""Analogies: what is nearest to king - man + woman, by 3CosAdd or 3CosMul, with every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from embeddings.analysis.analogy_formulas import parse_formula, write_formula
from embeddings.analysis.similarity import as_neighbours, fold_ranking, lemmas_of
from embeddings.analysis.vector_answers import Analogy, AnalogyStep, Neighbour, Term
from embeddings.arrays import Float32s, Float64s, Floats, Int64s, slices
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.results import Rows
from embeddings.vectors.cosine_search import nearest
from embeddings.vectors.table import Vectors

ANALOGY_METHODS = ("add", "mul")
EPSILON = 0.001  # Levy and Goldberg (2014), section 4
STEP_WORDS = 5
ROWS_AT_A_TIME = 65_536  # rows scored at once


def solve(
    vectors: Vectors,
    formula: str | tuple[Term, ...],
    *,
    method: str = "add",
    topn: int = 10,
    include_inputs: bool = False,
    fold: Callable[[str], str] | bool | None = None,
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
    fold : callable or bool, optional
        Gives a word's lemma: forms of one lemma are one answer, under the lemma where the model has it,
        and forms of the formula's words are left out unless they may answer. True: lemmas of the model's language, None: where its
        lemmas are known. Nothing is folded where the formula asks for a form (`asks_for_form`).

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
    >>> import numpy as np
    >>> table = Vectors(
    ...     ["man", "woman", "king", "queen"],
    ...     np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32),
    ... )
    >>> solve(table, "king - man + woman").answers[0].word
    'queen'
    """
    check_choice("method", method, ANALOGY_METHODS)
    check_range("topn", topn, 1, np.inf)
    terms = parse_formula(formula, vectors) if isinstance(formula, str) else tuple(formula)
    if not terms:
        raise InputError("formula_empty")
    vectors = vectors.with_senses(term.word for term in terms)
    rows = [vectors.row(term.word) for term in terms]
    terms = tuple(Term(vectors.words[r], t.weight) for r, t in zip(rows, terms, strict=True))
    fold = lemmas_of(vectors, fold)
    fold = None if fold is None or asks_for_form(terms, fold) else fold
    weights = np.array([term.weight for term in terms], dtype=np.float32)
    total = weights @ vectors.unit_rows(rows)
    length = float(np.linalg.norm(total))
    if length < 1e-6 * float(np.abs(weights).sum()):
        raise InputError("formula_zero", formula=write_formula(terms))
    ranked = partial(_ranked, vectors, include_inputs=include_inputs, fold=fold)
    steps = Rows(
        AnalogyStep(write_formula(terms[:n]), ranked(rows[:n], weights[:n], "add", STEP_WORDS))
        for n in range(1, len(terms))
    )
    return Analogy(
        expression=write_formula(terms),
        terms=terms,
        method=method,
        include_inputs=include_inputs,
        answers=ranked(rows, weights, method, topn),
        steps=steps,
        vector=np.asarray(total / length, dtype=np.float32),
        is_folded=fold is not None,
    )


def asks_for_form(terms: Sequence[Term], fold: Callable[[str], str]) -> bool:
    """Whether two words of a formula are forms of one, as in walking - walk + swim.

    Examples
    --------
    >>> asks_for_form((Term("walking"), Term("walk", -1.0)), {"walking": "walk", "walk": "walk"}.get)
    True
    """
    words = {term.word for term in terms}
    return len({fold(word) for word in words}) < len(words)


def answer_rank(
    vectors: Vectors, analogy: Analogy, word: str, fold: Callable[[str], str] | None = None
) -> int | None:
    """Return the rank of a word among all answers to a formula, from 1.

    Parameters
    ----------
    vectors : Vectors
        The table that answered.
    analogy : Analogy
        Its answer; ranked by the same method, the formula's words left out likewise.
    word : str
        The word that is expected.
    fold : callable, optional
        As `solve` was given; where the answer is folded, lemmas are counted, and any form of ``word`` counts.

    Returns
    -------
    int or None
        None for a word that cannot answer: one of the formula's own, or a form of it.

    Raises
    ------
    UnknownWordError
        The model lacks the word.
    """
    vectors = vectors.with_senses([word, *(term.word for term in analogy.terms)])
    expected = vectors.row(word)
    rows = [vectors.row(term.word) for term in analogy.terms]
    weights = np.array([term.weight for term in analogy.terms], dtype=np.float32)
    scores = formula_scores(vectors, rows, weights, analogy.method)
    given = [] if analogy.include_inputs else _left_out(vectors, rows)
    if fold is None or not analogy.is_folded:
        if expected in given:
            return None
        return 1 + int((np.delete(scores, given) > scores[expected]).sum())
    target, passed_over = fold(vectors.words[expected]), {fold(vectors.words[r]) for r in given}
    if target in passed_over:
        return None
    lemmas: set[str] = set()
    for row in np.argsort(-scores, kind="stable"):
        lemma = fold(vectors.words[row])
        if lemma == target:
            break
        lemmas.add(lemma)
    return 1 + len(lemmas - passed_over)


def _ranked(  # noqa: PLR0913 - what `solve` was asked
    vectors: Vectors,
    rows: list[int],
    weights: Float32s,
    method: str,
    topn: int,
    *,
    include_inputs: bool,
    fold: Callable[[str], str] | None,
) -> Rows[Neighbour]:
    """Rank all words by a method; nothing where the words cancel."""
    excluded = [] if include_inputs else _left_out(vectors, rows)
    total = weights @ vectors.unit_rows(rows)
    if method == "add" and np.linalg.norm(total) < 1e-6 * np.abs(weights).sum():
        return Rows()
    scores = formula_scores(vectors, rows, weights, "mul") if method == "mul" else None

    def ranked(count: int) -> tuple[Int64s, Floats]:
        """Return the first so many rows, and their scores."""
        if scores is None:
            return nearest(vectors, total, count, excluded=excluded)
        scores[excluded] = -1  # products are not negative
        best = np.argsort(-scores, kind="stable")[:count]
        best = best[scores[best] >= 0]
        return best, scores[best]

    if fold is None:
        return as_neighbours(vectors, *ranked(topn))
    lemmas = {fold(vectors.words[row]) for row in excluded}
    return fold_ranking(vectors, ranked, topn, fold, lemmas)


def _left_out(vectors: Vectors, rows: Sequence[int]) -> list[int]:
    """Rows of a formula's words, and of a sense all forms of its word."""
    listed = (row for given in rows for row in vectors.rows_left_out(vectors.words[given]))
    return list(dict.fromkeys(listed))


def formula_scores(vectors: Vectors, rows: Sequence[int], weights: Float32s, method: str) -> Floats:
    """Return the score of every word for a formula, its own words included.

    Parameters
    ----------
    vectors : Vectors
    rows : sequence of int
        The formula's words.
    weights : NDArray of float32, shape (terms,)
    method : {"add", "mul"}

    Returns
    -------
    NDArray, shape (words,)
        Cosines ("add") or products of similarities ("mul").
    """
    given = vectors.unit_rows(rows)
    total = weights @ given
    query = given.T if method == "mul" else total / max(float(np.linalg.norm(total)), 1e-30)
    parts = slices(len(vectors), ROWS_AT_A_TIME)
    cosines = np.concatenate([vectors.unit_rows(part) @ query for part in parts])
    if method == "add":
        return cosines
    shifted = (1 + np.clip(cosines, -1, 1)) / 2
    powers: Float64s = shifted.astype(np.float64) ** np.abs(weights)
    above, below = powers[:, weights > 0].prod(axis=1), powers[:, weights < 0].prod(axis=1)
    return above / (below + EPSILON) if (weights < 0).any() else above
