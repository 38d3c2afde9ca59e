"""Two models of words side by side: one rotated onto the other, how far they agree, and which words changed beyond chance and retraining.

Decisions:
- only words that both models know count, at most ``restrict_vocab`` of them, the commonest of the
  first model;
- for the alignment each row is scaled to length one, the mean of the common rows subtracted, and
  the row scaled again; where the models differ in dimension the narrower is padded with zeros;
- the rotation (or reflection) is the orthogonal matrix nearest to carrying one set of rows onto
  the other: it changes no distance within a model;
- agreement is measured by shared neighbours, movement, and the correlation of similarities;
- a word's movement between two corpora is 1 - cosine after that rotation (Hamilton, Leskovec and Jurafsky 2016);
- the null of two corpora: all documents are shuffled between the two sides, as many to each as before, both are trained again, and
  movements measured (Dubossarsky, Weinshall and Grossman 2017 show that rare words move most under it); the null of documents left out
  is another seed on the whole corpus;
- each word's movement is standardised by its own movements under the null, so that words of all frequencies can be compared, and p is the
  share of all words' null movements, each standardised by the others of its word, that are at least as large;
- p values are corrected for many words by Benjamini and Hochberg (1995).

Schönemann (1966), "A generalized solution of the orthogonal Procrustes problem"; for words over
time Hamilton, Leskovec and Jurafsky (2016), section 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.analysis.comparison_answers import CommonMap, ComparedWord, Comparison, WordChange
from embeddings.analysis.evaluation import spearman
from embeddings.analysis.projection import on_components
from embeddings.arrays import Float32s, Float64s, Floats, Int64s, slices
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.results import Rows, Value
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

NEIGHBOURHOOD = 10  # nearest words that are compared where no number is asked for
COMMONEST = 1_000  # common words that are compared where none are named
MOST_DIFFERENT_AMONG = (
    500  # commonest words of both models among which those that differ most are sought
)
MIN_COMMON_WORDS = 5  # common words below which a comparison says nothing


class Alignment(Value, eq=False):
    """Two models over their common words, the first rotated onto the second.

    Attributes
    ----------
    first, second : Vectors
    words : tuple of str
        The common words as the first model spells them, by its order.
    rows : tuple of NDArray of int64, shape (words,)
        Their rows in either model.
    units : tuple of NDArray of float32, shape (words, vector_size)
        Rows of length one, of either model: what cosines and neighbours are taken from.
    means : tuple of NDArray of float32, shape (vector_size,)
        Of the ``units`` of either model.
    rotation : NDArray of float32, shape (wider vector_size, wider vector_size)
        Carries the first model's centred rows onto the second's.
    movement : NDArray of float64, shape (words,)
        1 - cosine of a word's two aligned rows.
    """

    first: Vectors
    second: Vectors
    words: tuple[str, ...]
    rows: tuple[Int64s, Int64s]
    units: tuple[Float32s, Float32s]
    means: tuple[Float32s, Float32s]
    rotation: Float32s
    movement: Float64s

    @property
    def error(self) -> float:
        """Mean movement of the common words: half the mean squared distance that is left over."""
        return float(self.movement.mean())

    def aligned(self, positions: Sequence[int]) -> tuple[Float32s, Float32s]:
        """Centred rows of length one of some words, of either model: the first's are rotated onto the second's.

        All of them would take as much memory as the models; shape (positions, wider vector_size) each.
        """
        first, second = (
            _centred(unit[positions], mean, len(self.rotation))
            for unit, mean in zip(self.units, self.means, strict=True)
        )
        return first @ self.rotation, second

    def find(self, word: str) -> int | None:
        """Position of a word among the common ones, in either model's casing; None if it is not."""
        sides = zip((self.first, self.second), self.rows, strict=True)
        for vectors, rows in sides:
            row = vectors.find(word)
            positions = np.flatnonzero(rows == (-1 if row is None else row))
            if len(positions):
                return int(positions[0])
        return None

    def positions(self, words: Sequence[str]) -> list[int]:
        """Positions of the words that are common, each once."""
        found = (self.find(word) for word in words)
        return list(dict.fromkeys(position for position in found if position is not None))


def orthogonal_procrustes(rows: Floats, targets: Floats) -> Float64s:
    """Return the orthogonal matrix R for which the sum of squares of ``rows @ R - targets`` is least.

    With the singular value decomposition rows' targets = U S V', R = U V'.

    Parameters
    ----------
    rows, targets : NDArray, shape (rows, columns)

    Returns
    -------
    NDArray of float64, shape (columns, columns)
        R'R is the identity; R may reflect.

    References
    ----------
    Schönemann (1966).

    Examples
    --------
    >>> quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> np.allclose(orthogonal_procrustes(np.eye(2), quarter), quarter)
    True
    """
    left, _, right = np.linalg.svd((rows.T @ targets).astype(np.float64))
    return left @ right


def align(first: Vectors, second: Vectors, restrict_vocab: int = 30_000) -> Alignment:
    """Rotate the first model onto the second over the words that both know.

    Parameters
    ----------
    first, second : Vectors
        Of any method and dimension. A word is the same if it is spelled the same; where only one
        of the two models is lower-cased, capitals count as small letters.
    restrict_vocab : int, default 30 000
        Common words at most, the commonest of the first model.

    Raises
    ------
    InputError
        If the models are of different languages, or fewer than `MIN_COMMON_WORDS` words are common.
    """
    check_range("restrict_vocab", restrict_vocab, MIN_COMMON_WORDS, np.inf)
    names = {"first": first.name or repr(first), "second": second.name or repr(second)}
    if first.language and second.language and first.language != second.language:
        languages = {"first_language": first.language, "second_language": second.language}
        raise InputError("compare_languages", **names, **languages)
    rows_of = _common(first, second, restrict_vocab)
    if len(rows_of[0]) < MIN_COMMON_WORDS:
        raise InputError("compare_common", **names, words=len(rows_of[0]), least=MIN_COMMON_WORDS)
    units = (_units(first, rows_of[0]), _units(second, rows_of[1]))
    means = (units[0].mean(axis=0), units[1].mean(axis=0))
    rotation, movement = _rotated(units, means, max(first.vector_size, second.vector_size))
    words = tuple(first.words[row] for row in rows_of[0])
    return Alignment(first, second, words, rows_of, units, means, rotation, movement)


def _rotated(
    units: tuple[Float32s, Float32s], means: tuple[Float32s, Float32s], width: int
) -> tuple[Float32s, Float64s]:
    """Return the rotation of the first centred rows onto the second, and how far each row is from its target after it."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):  # on a busy machine two threads take seconds
        rows, targets = (
            _centred(unit, mean, width) for unit, mean in zip(units, means, strict=True)
        )
        rotation = orthogonal_procrustes(rows, targets).astype(np.float32)
        cosines = np.einsum("ij,ij->i", rows @ rotation, targets, dtype=np.float64)
    movement: Float64s = np.clip(1 - cosines, 0.0, 2.0)
    return rotation, movement


def common_map(alignment: Alignment, words: Sequence[str]) -> CommonMap:
    """Place the words of both models in one plane, the first model rotated onto the second.

    PCA, not standardised, is fitted to both models' aligned rows of these words together.

    Raises
    ------
    InputError
        If fewer than two of the words are common.
    """
    positions = alignment.positions(words)
    if len(positions) < 2:
        raise InputError("projection_words", words=len(positions), method="pca", least=2)
    rows = np.vstack(alignment.aligned(positions))
    coordinates, shares = on_components(rows, rows)
    return CommonMap(
        tuple(alignment.words[position] for position in positions),
        coordinates[: len(positions)],
        coordinates[len(positions) :],
        shares,
    )


def _common(first: Vectors, second: Vectors, most: int) -> tuple[Int64s, Int64s]:
    """Rows of the common words in either model, in the order of the first."""
    if first.words == second.words:
        both = np.arange(min(most, len(first)))
        return both, both
    fold = first.is_lower != second.is_lower
    rows: dict[str, int] = {}
    for row, word in enumerate(second.words):
        rows.setdefault(word.lower() if fold else word, row)
    pairs: dict[int, int] = {}  # row of the second: row of the first
    for row, word in enumerate(first.words):
        other = rows.get(word.lower() if fold else word)
        if other is not None:
            pairs.setdefault(other, row)
        if len(pairs) == most:
            break
    return np.array([*pairs.values()], np.int64), np.array([*pairs], np.int64)


def _units(vectors: Vectors, rows: Int64s) -> Float32s:
    """Rows of length one; the table's own where all are wanted in its order."""
    whole = len(rows) == len(vectors) and np.array_equal(rows, np.arange(len(rows)))
    return vectors.unit if whole else vectors.unit_rows(rows)


def _centred(unit: Float32s, mean: Float32s, width: int) -> Float32s:
    """Subtract the mean, scale to length one again, pad with zeros to ``width`` columns."""
    centred = np.zeros((len(unit), width), np.float32)
    np.subtract(unit, mean, out=centred[:, : unit.shape[1]])
    return normalize_rows(centred)


def compare(alignment: Alignment, words: Sequence[str], topn: int = NEIGHBOURHOOD) -> Comparison:
    """Compare the neighbourhoods and the positions of ``words`` in the two models.

    Parameters
    ----------
    alignment : Alignment
    words : sequence of str
        In any case if a model is lower-cased; those that not both models know are ``missing``.
    topn : int, default 10
        Size of a neighbourhood.

    Returns
    -------
    Comparison
        Its words in the order given.

    Raises
    ------
    InputError
        If no word is common, or ``topn`` is less than 1.
    """
    check_range("topn", topn, 1, np.inf)
    positions, words = alignment.positions(words), list(dict.fromkeys(words))
    if not positions:
        raise InputError("compare_words", words=", ".join(words) or "–")
    compared = _words(alignment, positions, topn)
    return Comparison(
        first=alignment.first.name,
        second=alignment.second.name,
        topn=topn,
        common=len(alignment.words),
        dimensions=(alignment.first.vector_size, alignment.second.vector_size),
        overlap=float(np.mean([word.overlap for word in compared])),
        procrustes_error=alignment.error,
        spearman=_agreement(alignment, positions),
        words=compared,
        missing=tuple(word for word in words if alignment.find(word) is None),
    )


def compare_models(
    first: Vectors, second: Vectors, words: Sequence[str] = (), topn: int = NEIGHBOURHOOD
) -> Comparison:
    """Align two models and compare them, as `compare`; without ``words`` over their 1 000 commonest common words."""
    alignment = align(first, second)
    return compare(alignment, words or alignment.words[:COMMONEST], topn)


def most_different(
    first: Vectors,
    second: Vectors,
    words: int = 20,
    topn: int = NEIGHBOURHOOD,
    among: int = MOST_DIFFERENT_AMONG,
) -> Rows[ComparedWord]:
    """Align two models and return the words that differ most, as `most_moved`."""
    return most_moved(align(first, second), words, topn, among)


def joint_map(first: Vectors, second: Vectors, words: Sequence[str]) -> CommonMap:
    """Align two models and place words of both in one plane, as `common_map`."""
    return common_map(align(first, second), words)


def most_moved(
    alignment: Alignment,
    words: int = 20,
    topn: int = NEIGHBOURHOOD,
    among: int = MOST_DIFFERENT_AMONG,
) -> Rows[ComparedWord]:
    """Return the words of the largest movement, falling, among the ``among`` commonest."""
    movement = alignment.movement[:among]
    positions = np.argsort(-movement, kind="stable")[:words]
    return Rows(_words(alignment, [int(position) for position in positions], topn))


def _words(alignment: Alignment, positions: list[int], topn: int) -> tuple[ComparedWord, ...]:
    """Compare the two neighbourhoods of each position."""
    from threadpoolctl import threadpool_limits

    # on a busy machine two threads take ten times as long
    with threadpool_limits(1, user_api="blas"):
        first, second = (_nearest(unit, positions, topn) for unit in alignment.units)
    return tuple(
        _word(alignment, position, a, b)
        for position, a, b in zip(positions, first, second, strict=True)
    )


def _word(alignment: Alignment, position: int, first: Int64s, second: Int64s) -> ComparedWord:
    """Name the neighbours of one word: shared, the first model's alone, the second's alone."""
    names, near_first, near_second = alignment.words, first.tolist(), second.tolist()
    shared = [near for near in near_first if near in near_second]
    union = len(near_first) + len(near_second) - len(shared)
    return ComparedWord(
        word=names[position],
        overlap=len(shared) / union,
        movement=float(alignment.movement[position]),
        shared=tuple(names[near] for near in shared),
        first_only=tuple(names[near] for near in near_first if near not in shared),
        second_only=tuple(names[near] for near in near_second if near not in shared),
    )


def _nearest(unit: Float32s, positions: list[int], topn: int) -> list[Int64s]:
    """Positions of the ``topn`` nearest to each of ``positions``, itself excluded, by falling cosine."""
    most, neighbours = min(topn, len(unit) - 1), []
    for part in slices(len(positions), 64):  # 64 x 30 000 cosines are 8 MB
        block = positions[part]
        cosines = unit[block] @ unit.T
        cosines[np.arange(len(block)), block] = -np.inf
        for line in cosines:
            nearest = np.argpartition(-line, most - 1)[:most]
            neighbours.append(nearest[np.argsort(-line[nearest], kind="stable")])
    return neighbours


def _agreement(alignment: Alignment, positions: list[int]) -> float:
    """Spearman's correlation of the two models' cosines over all pairs of the words."""
    upper = np.triu_indices(len(positions), 1)
    first, second = ((unit[positions] @ unit[positions].T)[upper] for unit in alignment.units)
    return spearman(first, second)


MIN_NULL_TRAININGS = 3  # null movements of a word: the deviation of the others needs two


class Trials(Value):
    """Movements that are no change.

    Attributes
    ----------
    null : NDArray of float64, shape (trainings, words)
        Under the null.
    retraining : NDArray of float64, shape (words,)
        Mean movement between trainings that differ in the seed alone.
    """

    null: Float64s
    retraining: Float64s


def movements(first: Float32s, second: Float32s) -> Float64s:
    """Return how far each word moves from the first table to the second, after the first is rotated onto it; shape (words,).

    Parameters
    ----------
    first, second : NDArray of float32, shape (words, vector_size)
        Rows of length one, of the same words.

    Raises
    ------
    InputError
        If there are fewer than `MIN_COMMON_WORDS` words.
    """
    if len(first) < MIN_COMMON_WORDS:
        raise InputError("change_words", words=len(first), least=MIN_COMMON_WORDS)
    means = first.mean(axis=0), second.mean(axis=0)
    return _rotated((first, second), means, first.shape[1])[1]


def null_p(observed: Float64s, null: Float64s) -> Float64s:
    """Return the p value of each word's movement under the null; shape (words,).

    Parameters
    ----------
    observed : NDArray of float64, shape (words,)
        Movements between the two sides.
    null : NDArray of float64, shape (trainings, words)
        Movements under the null, `MIN_NULL_TRAININGS` trainings or more.
    """
    check_range("null", len(null), MIN_NULL_TRAININGS, np.inf)
    scores = _standardised(observed, null)
    others = [np.delete(null, row, axis=0) for row in range(len(null))]
    null_scores = np.sort(np.concatenate(list(map(_standardised, null, others))))
    greater = len(null_scores) - np.searchsorted(null_scores, scores, side="left")
    return (1 + greater) / (1 + len(null_scores))


def _standardised(values: Float64s, others: Float64s) -> Float64s:
    """Return how many standard deviations of the others each word's value lies above their mean."""
    deviation = others.std(axis=0, ddof=1)
    return (values - others.mean(axis=0)) / np.maximum(deviation, 1e-12)


def corrected(p: Float64s) -> Float64s:
    """Return p values corrected for many words: the false discovery rate at which each would still be called changed."""
    from scipy.stats import false_discovery_control

    return false_discovery_control(p)


def word_changes(
    words: Sequence[str],
    sides: tuple[Float32s, Float32s],
    counts: tuple[Int64s, Int64s],
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
    near = [_nearest(side, list(range(len(words))), topn) for side in sides]
    columns = (movement, trials.retraining, p, q, *counts)
    measured = list(zip(words, *(column.tolist() for column in columns), strict=True))
    changes = []
    for row in np.lexsort((-movement, p)).tolist():
        first, second = (table[row].tolist() for table in near)
        lost = tuple(words[n] for n in first if n not in second)
        gained = tuple(words[n] for n in second if n not in first)
        values = [*measured[row], lost, gained]
        changes.append(WordChange(*values))
    return tuple(changes)
