"""Association tests: the Word Embedding Association Test (WEAT) of Caliskan, Bryson and Narayanan (2017).

Decisions:
- a target's association is its mean cosine with the attributes A minus that with B;
- the effect size is the difference of the two sets' means over the standard deviation of all targets, with n - 1;
- a p value counts the observed partition too, so that it is never 0 (Phipson and Smyth 2010), and partitions as extreme count;
- all partitions are counted up to `MOST_PARTITIONS`, otherwise some are drawn at random;
- sets of unequal size are allowed: partitions keep the sizes, and the statistic is a difference of means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, combinations, islice

import numpy as np

from embeddings.analysis.vector_answers import (
    AssociationSets,
    AssociationTest,
    CoveredSet,
    FourSets,
    PermutationP,
    WordAssociation,
)
from embeddings.arrays import Float64s
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.vectors.table import Vectors

MOST_PARTITIONS = 400_000  # counted one by one: ten and ten words have 184 756
MIN_KNOWN_WORDS = 2  # words of a set that a model must know
PARTITIONS_AT_A_TIME = 20_000  # partitions at a time
ROUNDING = 1e-9  # of the statistic: partitions of equal sums are as extreme


def association_test(
    vectors: Vectors, sets: AssociationSets, draws: int = 100_000, seed: int = 1
) -> AssociationTest:
    """Return how much nearer the targets X are to the attributes A, rather than B, than the targets Y are.

    Parameters
    ----------
    vectors : Vectors
        The model to ask.
    sets : AssociationSets
        In any case if the model is lower-cased; words without a vector are left out and named.
    draws : int, default 100 000
        Random partitions, where all are too many to count.
    seed : int, default 1
        Of the random partitions.

    Raises
    ------
    InputError
        If a set has fewer than two words with a vector, or a word is in both sets of targets.

    References
    ----------
    Caliskan, Bryson and Narayanan (2017), "Semantics derived automatically from language corpora contain human-like biases".
    """
    check_range("draws", draws, 1, 10**8)
    covered = _covered(vectors, sets)
    first, second = covered[0].words, covered[1].words
    if shared := next((word for word in first if word in second), None):
        raise InputError("weat_shared", word=shared, first=sets.titles[0], second=sets.titles[1])
    scores = association_scores(vectors, covered)
    statistic = float(scores[: len(first)].mean() - scores[len(first) :].mean())
    one_sided, two_sided, partitions, is_exact = permutation_test(scores, len(first), draws, seed)
    titles = [sets.titles[0]] * len(first) + [sets.titles[1]] * len(second)
    return AssociationTest(
        sets.name,
        vectors.name,
        effect_size(scores, len(first)),
        statistic,
        one_sided,
        two_sided,
        partitions,
        is_exact,
        covered,
        tuple(map(WordAssociation, first + second, titles, scores.tolist())),
    )


def association_scores(vectors: Vectors, covered: FourSets) -> Float64s:
    """Return the association of each target with A rather than B, X then Y; shape (targets,)."""
    targets, first, second = (
        vectors.rows_of(words, unit=True).astype(np.float64)
        for words in (covered[0].words + covered[1].words, covered[2].words, covered[3].words)
    )
    return targets @ (first.mean(axis=0) - second.mean(axis=0))


def effect_size(scores: Float64s, size: int) -> float:
    """Return the difference of means of the first ``size`` scores and the others, over the standard deviation of all; NaN if that is 0."""
    deviation = float(scores.std(ddof=1))
    if deviation <= ROUNDING * max(float(np.abs(scores).max()), 1e-300):
        return math.nan
    return float(scores[:size].mean() - scores[size:].mean()) / deviation


def permutation_test(
    scores: Float64s, size: int, draws: int, seed: int
) -> tuple[PermutationP, PermutationP, int, bool]:
    """Return the p values of a difference of means, one-sided and two-sided, the partitions looked at, and whether these are all.

    Parameters
    ----------
    scores : NDArray of float64, shape (words,)
        Those of the first set, then those of the second.
    size : int
        Words of the first set.
    draws, seed : int
        As `association_test` takes them.
    """
    # sums of the first set then have the difference's sign and order
    centred = scores - scores.mean()
    observed = float(centred[:size].sum())
    rounding = ROUNDING * max(float(np.abs(centred).sum()), 1e-300)
    every = math.comb(len(scores), size)
    is_exact = every <= MOST_PARTITIONS
    sums = _every_sum(centred, size) if is_exact else _drawn_sums(centred, size, draws, seed)
    greater = beyond = 0
    for block in sums:
        greater += int((block >= observed - rounding).sum())
        beyond += int((np.abs(block) >= abs(observed) - rounding).sum())
    if is_exact:
        return PermutationP(greater / every, None), PermutationP(beyond / every, None), every, True
    return _sampled(greater, draws), _sampled(beyond, draws), draws, False


def _sampled(count: int, draws: int) -> PermutationP:
    """Return the p value of random partitions, the observed one among them."""
    p = (count + 1) / (draws + 1)
    return PermutationP(p, math.sqrt(p * (1 - p) / draws))


def _every_sum(values: Float64s, size: int) -> Iterator[Float64s]:
    """Yield the sums of all subsets of ``size`` values, in blocks."""
    subsets = combinations(range(len(values)), size)
    while block := list(islice(subsets, PARTITIONS_AT_A_TIME)):
        rows = np.fromiter(chain.from_iterable(block), np.int64, len(block) * size)
        yield values[rows].reshape(-1, size).sum(axis=1)


def _drawn_sums(values: Float64s, size: int, draws: int, seed: int) -> Iterator[Float64s]:
    """Yield the sums of random subsets of ``size`` values, in blocks."""
    generator = np.random.default_rng(seed)
    for start in range(0, draws, PARTITIONS_AT_A_TIME):
        rows = np.tile(values, (min(PARTITIONS_AT_A_TIME, draws - start), 1))
        yield generator.permuted(rows, axis=1)[:, :size].sum(axis=1)


def _covered(vectors: Vectors, sets: AssociationSets) -> FourSets:
    """Return the words of each set that have vectors, as the model spells them, and those that have none."""
    covered = []
    for title, words in zip(sets.titles, sets.words, strict=True):
        known: dict[str, None] = {}
        missing = []
        for word in words:
            row = vectors.find(word)
            if row is None and not vectors.has_vector(word):
                missing.append(word)
            else:
                known[word if row is None else vectors.words[row]] = None
        if len(known) < MIN_KNOWN_WORDS:
            raise InputError(
                "weat_few",
                set=title,
                known=len(known),
                least=MIN_KNOWN_WORDS,
                model=vectors.name or repr(vectors),
                missing=", ".join(missing) or "–",
            )
        covered.append(CoveredSet(title, tuple(known), tuple(missing)))
    return covered[0], covered[1], covered[2], covered[3]
