"""Nearness: neighbours with filters, pairs, the odd one out, semantic axes; and how common a word is.

Decisions: filters hold before the cut, so that as many words come back as were asked for; all
cosines are of the vectors as trained; the odd one out is the word with the least mean cosine to the
others, which is the same word as the one farthest from the mean of the unit vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypedDict, Unpack

import numpy as np

from embeddings.analysis.vector_answers import (
    AxisPosition,
    Neighbour,
    NeighbourTable,
    SimilarityMatrix,
)
from embeddings.arrays import Bools, Floats, Int64s
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.optional import is_installed
from embeddings.results import Rows
from embeddings.text.lemmas import LEMMA_LANGUAGES, lemma
from embeddings.text.words import bounded_pattern
from embeddings.vectors.cosine_search import nearest
from embeddings.vectors.table import Vectors

LISTED_NEIGHBOURS = 10  # where no number is asked for
MOST_REPEATS = 4  # of a regular expression over single words

FOLDED_LANGUAGES = ("ru",)  # so rich in forms that unfolded neighbours are mostly forms of one word


class Filters(TypedDict, total=False):
    """Which words may be neighbours.

    ``pattern``: a regular expression that occurs in the word; ``min_count``: least occurrences in
    the training corpus (a table without counts lets all pass); ``only_letters``: no digits,
    hyphens, apostrophes; ``fold``: gives a word's lemma: forms of one lemma are one neighbour; True: by the model's language; if it
    is not given: True for the languages of `FOLDED_LANGUAGES`.
    """

    pattern: str
    min_count: int
    only_letters: bool
    fold: Callable[[str], str] | bool | None


def neighbours(
    vectors: Vectors,
    word: str | Floats,
    topn: int = LISTED_NEIGHBOURS,
    *,
    approximate: bool = False,
    **filters: Unpack[Filters],
) -> Rows[Neighbour]:
    """Return the ``topn`` words nearest to ``word`` by cosine, itself excluded.

    A word outside the vocabulary has neighbours too where its vector can be composed of n-grams (`Vectors.parts` says of which), and so
    has a sense (``bank#2``), the forms of its own word left out.

    Parameters
    ----------
    vectors : Vectors
        The table to search.
    word : str, or NDArray of shape (vector_size,)
        In any case if the model is lower-cased; a vector has the nearest words, none of them excluded.
    topn : int, default 10
        As many come back if so many pass the filters.
    approximate : bool, default False
        Ask the table's HNSW index, as `embeddings.vectors.cosine_search.nearest` says; with a filter the search is exact.
    **filters : Filters
        ``pattern``, ``min_count``, ``only_letters``, ``fold``. A folded neighbour is shown under
        its lemma, where the model has it, with the similarity of its nearest form; ``forms`` are
        those nearer than the first word left out. Forms of ``word`` itself are left out.

    Raises
    ------
    UnknownWordError, InputError
        A word without a vector; ``topn`` below 1; a ``pattern`` that is no regular expression.

    Examples
    --------
    >>> import numpy as np
    >>> table = Vectors(["a", "b", "c"], np.array([[1, 0], [1, 1], [0, 1]], np.float32))
    >>> [near.word for near in neighbours(table, "a", 2)]
    ['b', 'c']
    """
    check_range("topn", topn, 1, np.inf)
    query = vectors.get_vector(word, norm=True)
    excluded = vectors.rows_left_out(word) if isinstance(word, str) else []
    asked = filters.get("fold")
    if asked is None:
        asked = vectors.language in FOLDED_LANGUAGES and is_installed("simplemma")
    allowed, fold = allowed_rows(vectors, filters), lemmas_of(vectors, asked)
    # a filter that all words pass makes a search exact, too
    approximate = approximate and fold is None and not any(filters.values())
    ranked = partial(
        nearest, vectors, query, allowed=allowed, excluded=excluded, approximate=approximate
    )
    if fold is None:
        return as_neighbours(vectors, *ranked(topn))
    own = {fold(_spelled(vectors, word))} if isinstance(word, str) else set[str]()
    return fold_ranking(vectors, ranked, topn, fold, own)


def _spelled(vectors: Vectors, word: str) -> str:
    """Return a word as the table spells it, in lower case where it lacks the word."""
    row = vectors.find(word)
    return word.lower() if row is None else vectors.words[row]


def neighbour_table(
    vectors: Vectors, words: Sequence[str], topn: int = 10, **filters: Unpack[Filters]
) -> NeighbourTable:
    """Return the neighbours of each of ``words``; those that the model lacks are ``missing``."""
    known = [word for word in dict.fromkeys(words) if vectors.has_vector(word)]
    return NeighbourTable(
        rows=tuple((word, neighbours(vectors, word, topn, **filters)) for word in known),
        missing=tuple(word for word in dict.fromkeys(words) if not vectors.has_vector(word)),
    )


def similarity(vectors: Vectors, first: str, second: str) -> float:
    """Cosine of two words, in [-1, 1]."""
    return vectors.similarity(first, second)


def similarity_matrix(vectors: Vectors, words: Sequence[str]) -> SimilarityMatrix:
    """Return the cosines of each word with each."""
    unit = vectors.rows_of(words, unit=True)
    return SimilarityMatrix(tuple(words), np.clip(unit @ unit.T, -1, 1))


def mean_similarities(vectors: Vectors, words: Sequence[str]) -> Rows[Neighbour]:
    """Return each word with its mean cosine to the others, falling: why the last is the odd one.

    Raises
    ------
    InputError
        Fewer than three different words.
    """
    rows = list(dict.fromkeys(vectors.row(word) for word in words))
    if len(rows) < 3:
        raise InputError("similarity_few", words=", ".join(words))
    cosines = similarity_matrix(vectors, [vectors.words[row] for row in rows]).cosines
    means = (cosines.sum(axis=1) - np.diag(cosines)) / (len(rows) - 1)
    order = np.argsort(-means, kind="stable")
    return as_neighbours(vectors, np.array(rows)[order], means[order])


def odd_one_out(vectors: Vectors, words: Sequence[str]) -> str:
    """Return the word that is least like the others; `mean_similarities` says why."""
    return mean_similarities(vectors, words)[-1].word


def axis(
    vectors: Vectors, low: str, high: str, words: Sequence[str] | None = None, topn: int = 10
) -> Rows[AxisPosition]:
    """Place words on the direction from ``low`` to ``high``.

    The position is the cosine of a word with (unit vector of ``high`` - that of ``low``).

    Parameters
    ----------
    vectors : Vectors
        The table.
    low, high : str
        The two ends; they must not have the same vector.
    words : sequence of str, optional
        Words to place; None takes the ``topn`` outermost words of either side.
    topn : int, default 10
        Only where ``words`` is None.

    Returns
    -------
    tuple of AxisPosition
        From the low end to the high one.
    """
    ends = vectors.rows_of([low, high], unit=True)
    direction = ends[1] - ends[0]
    length = float(np.linalg.norm(direction))
    if length < 1e-6:
        raise InputError("axis_point", low=low, high=high)
    if words is None:
        check_range("topn", topn, 1, np.inf)
        outermost = [*nearest(vectors, -direction, topn)[0], *nearest(vectors, direction, topn)[0]]
        rows = list(dict.fromkeys(int(row) for row in outermost))
    else:
        rows = list(dict.fromkeys(vectors.row(word) for word in words))
    positions = np.clip(vectors.unit_rows(rows) @ (direction / length), -1, 1)
    return Rows(
        AxisPosition(vectors.words[rows[i]], float(positions[i]), vectors.count(rows[i]))
        for i in np.argsort(positions, kind="stable")
    )


def lemmas_of(
    vectors: Vectors, fold: Callable[[str], str] | bool | None
) -> Callable[[str], str] | None:
    """Return what gives a word's lemma: as asked for, by the model's language for True.

    For None, by the language if its lemmas are known and simplemma is installed, which the base installation lacks.
    """
    if fold is None:
        fold = vectors.language in LEMMA_LANGUAGES and is_installed("simplemma")
    if isinstance(fold, bool):
        return partial(lemma, language=vectors.language) if fold else None
    return fold


def allowed_rows(vectors: Vectors, filters: Filters) -> Bools | None:
    """Return True for each row that passes the filters; None where all do.

    Capitals count as small letters in a pattern; one that could keep the processor for ever is refused: `bounded_pattern`.
    """
    pattern, least = filters.get("pattern", ""), filters.get("min_count", 0)
    letters = filters.get("only_letters", False)
    allowed = np.ones(len(vectors), dtype=np.bool_)
    if pattern:
        search = bounded_pattern(pattern, MOST_REPEATS).search
        allowed &= np.fromiter((bool(search(w)) for w in vectors.words), np.bool_, len(vectors))
    if letters:
        allowed &= np.fromiter((word.isalpha() for word in vectors.words), np.bool_, len(vectors))
    if least > 0 and vectors.counts is not None:
        allowed &= vectors.counts >= least
    return None if allowed.all() else allowed


def as_neighbours(vectors: Vectors, rows: Int64s, scores: Floats) -> Rows[Neighbour]:
    """Name rows and scores."""
    return Rows(
        Neighbour(vectors.words[row], float(score), vectors.count(int(row)))
        for row, score in zip(rows, scores, strict=True)
    )


def fold_ranking(
    vectors: Vectors,
    ranked: Callable[[int], tuple[Int64s, Floats]],
    topn: int,
    fold: Callable[[str], str],
    excluded: Collection[str],
) -> Rows[Neighbour]:
    """Walk down a ranking until ``topn`` lemmas are complete, asking for more rows as needed.

    Parameters
    ----------
    vectors : Vectors
        The table whose rows are ranked.
    ranked : callable
        Gives the first so many rows of the ranking, and their scores.
    topn : int
        Lemmas that come back, if there are so many.
    fold : callable
        Gives a word's lemma.
    excluded : collection of str
        Lemmas that are passed over.
    """
    depth = 4 * topn + 16
    while True:
        rows, cosines = ranked(depth)
        groups: dict[str, list[int]] = {}
        cut = False
        for rank, near in enumerate(rows):
            lemma = fold(vectors.words[near])
            if lemma in excluded:
                continue
            cut = lemma not in groups and len(groups) == topn
            if cut:
                break
            groups.setdefault(lemma, []).append(rank)
        if cut or len(rows) < depth:
            return Rows(
                _head(vectors, lemma, rows[g], cosines[g[0]]) for lemma, g in groups.items()
            )
        depth *= 4


def _head(vectors: Vectors, lemma: str, rows: Int64s, cosine: float) -> Neighbour:
    """Show a group of forms under its lemma, or under its nearest form if the model lacks that."""
    base = vectors.find(lemma)
    shown = int(rows[0]) if base is None else base
    forms = tuple(vectors.words[form] for form in rows if form != shown)
    return Neighbour(vectors.words[shown], float(cosine), vectors.count(shown), forms)


TIERS = (100.0, 10.0)  # uses per million from which a word is common, less common


def per_million(vectors: Vectors, count: int | None) -> float | None:
    """Return ``count`` per million tokens of the model; None where not known.

    The tokens are the sum of all counts of the model's vocabulary, so rarer words that the
    model dropped are not in it.
    """
    if vectors.counts is None or count is None:
        return None
    return 1e6 * count / max(int(vectors.counts.sum()), 1)


def tier(rate: float | None) -> int:
    """Return 3 from 100 uses per million on, 2 from 10 on, 1 below, 0 where not known."""
    if rate is None:
        return 0
    return 1 + sum(rate >= bound for bound in TIERS)


def magnitudes(vectors: Vectors, words: Sequence[str]) -> tuple[float, ...]:
    """Return the logarithm to base 10 of each word's count (0 where it is not known)."""
    counts = [vectors.count(vectors.row(word)) or 1 for word in words]
    return tuple(math.log10(count) for count in counts)
