"""Answers of static models: neighbours, formulas, scores, associations, shared contexts, ranges over trainings, words that changed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from embeddings.arrays import Float32s, Float64s
from embeddings.results import Pair, Result, Rows, Table, Value, html_table, map_figure

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


class ModelScore(Value):
    """A model's score on a test set, as its card tells it.

    ``measure``: "accuracy" (a fraction), "spearman" (in [-1, 1]) or the name that the card gives;
    ``covered`` of ``total`` questions or pairs have all their words in the model (None: not recorded).
    """

    model: str
    kind: str
    method: str
    language: str
    test_set: str
    measure: str
    value: float
    covered: int | None = None
    total: int | None = None


class ComparedWord(Value):
    """One word in two models.

    ``overlap``: Jaccard index of its two neighbourhoods, in [0, 1]. ``movement``: 1 - cosine of its
    two vectors after the alignment, in [0, 2]. ``shared`` neighbours are named by both models, the
    others by one; each list is ordered by nearness, ``shared`` in that of the first model.
    """

    word: str
    overlap: float
    movement: float
    shared: tuple[str, ...] = ()
    first_only: tuple[str, ...] = ()
    second_only: tuple[str, ...] = ()


class Comparison(Result):
    """Two models over some words.

    ``overlap`` is the mean over ``words``; ``procrustes_error`` the mean movement of all ``common``
    words; ``spearman`` the rank correlation of the two models' cosines over all pairs of ``words``
    (NaN for fewer than three words); ``missing`` words are not in both vocabularies.
    """

    first: str
    second: str
    topn: int
    common: int
    dimensions: tuple[int, int]
    overlap: float
    procrustes_error: float
    spearman: float
    words: tuple[ComparedWord, ...]
    missing: tuple[str, ...] = ()


class CommonMap(Result):
    """Words of two models in one plane: ``first`` and ``second`` of shape (words, 2), PCA's share of variance each."""

    words: tuple[str, ...]
    first: Float64s
    second: Float64s
    explained_variance_ratio: tuple[float, ...]

    def table(self) -> Table:
        """Return a line a word, with its place in both models."""
        places = np.hstack([self.first, self.second]).tolist()
        columns = ["word", "first x", "first y", "second x", "second y"]
        return columns, [[word, *place] for word, place in zip(self.words, places, strict=True)]


class Neighbour(Pair):
    """A word near something: ``similarity`` is a cosine (or the 3CosMul score), ``forms`` the inflected forms folded into it."""

    word: str
    similarity: float
    count: int | None = None
    forms: tuple[str, ...] = ()


class NeighbourTable(Result):
    """Neighbours of several words: ``rows`` of word and neighbours; ``missing`` words have no vector."""

    rows: tuple[tuple[str, tuple[Neighbour, ...]], ...]
    missing: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return a line a neighbour."""
        lines = [[word, near.word, near.similarity] for word, rows in self.rows for near in rows]
        return ["word", "neighbour", "similarity"], lines

    def title(self) -> str:
        """Return the words without a vector."""
        return f"without a vector: {', '.join(self.missing)}" if self.missing else ""


class Term(Value):
    """One signed word of a formula: ``weight`` times the unit-length vector of ``word``."""

    word: str
    weight: float = 1.0


class AnalogyStep(Value):
    """An intermediate sum, as ``king - man``, and what is nearest to it."""

    expression: str
    neighbours: tuple[Neighbour, ...]


class Analogy(Result):
    """The answer to a formula.

    ``vector``: the query of shape (vector_size,), unit length, that 3CosAdd compares with; drawn as a point under its formula.
    ``is_folded``: whether forms of one word are one answer.
    """

    expression: str
    terms: tuple[Term, ...]
    method: str  # "add" or "mul"
    include_inputs: bool
    answers: tuple[Neighbour, ...]
    steps: tuple[AnalogyStep, ...]
    vector: Float32s
    is_folded: bool = False

    def __iter__(self) -> Iterator[Neighbour]:
        return iter(self.answers)

    def table(self) -> Table:
        """Return the answers."""
        return Rows(self.answers).table()

    def title(self) -> str:
        """Return the formula."""
        return f"{self.expression} ≈"


class Projection(Result):
    """Words on a map: ``coordinates`` of shape (words, dimensions); PCA also tells the share of variance per component."""

    words: tuple[str, ...]
    coordinates: Float64s
    method: str  # "pca", "tsne" or "umap"
    explained_variance_ratio: tuple[float, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame: one row per word, one column per axis."""
        return Result.to_frame(self).set_index("word").rename_axis(None)

    def table(self) -> Table:
        """Return a line a word, its coordinates as columns."""
        points = zip(self.words, self.coordinates.tolist(), strict=True)
        return ["word", *self._axes()], [[word, *point] for word, point in points]

    def figure(self) -> go.Figure:
        """Return the map as a plotly figure: ``.show()``, ``.write_html("map.html")``."""
        return map_figure(self.words, self.coordinates.tolist(), self._axes())

    def _axes(self) -> list[str]:
        """Names of the axes; those of PCA tell their share of variance."""
        names = [f"{self.method} {i + 1}" for i in range(self.coordinates.shape[1])]
        shares = self.explained_variance_ratio
        return [f"{n} ({s:.1%})" for n, s in zip(names, shares, strict=True)] if shares else names

    def __repr__(self) -> str:
        dimensions = self.coordinates.shape[1]
        return f"<Projection by {self.method}: {len(self.words)} words, {dimensions} dimensions>"

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        """Show the figure where plotly is installed and the notebook draws it, else the table."""
        html = html_table(*self.table())
        shown: dict[str, object] = {"text/plain": repr(self), "text/html": html}
        with suppress(ImportError):
            figure = self.figure()
            shown["application/vnd.plotly.v1+json"] = json.loads(figure.to_json())
            shown |= figure._repr_mimebundle_(include, exclude)
        return shown


class Ratio(Value):
    """One probe k of Ratios: P(k given first), P(k given second), their ratio in the corpus and as the vectors predict it.

    ``ratio`` is NaN where both probabilities are zero and infinite where only the second is. The counts are X_ik and X_jk, sums of
    1 / distance: how much text the ratio rests on (NaN: not known).
    """

    probe: str
    p_first: float
    p_second: float
    ratio: float
    predicted_ratio: float
    count_first: float = float("nan")
    count_second: float = float("nan")


class Ratios(Result):
    """Co-occurrence ratios of two words over several probes (Pennington et al. 2014, table 1)."""

    first: str
    second: str
    rows: tuple[Ratio, ...]


class SectionScore(Value):
    """One category of an analogy set: ``covered`` of ``total`` questions have all four words in the model."""

    name: str
    correct: int
    covered: int
    total: int


class AnalogyScore(Result):
    """``accuracy`` = correct / covered, a fraction (NaN when nothing is covered)."""

    accuracy: float
    covered: int
    total: int
    sections: tuple[SectionScore, ...]

    def table(self) -> Table:
        """Return a line a section."""
        lines = [[part.name, part.correct, part.covered, part.total] for part in self.sections]
        return ["section", "correct", "covered", "total"], lines

    def title(self) -> str:
        """Return accuracy and coverage."""
        return f"<accuracy {self.accuracy:.4f}, {self.covered} of {self.total} questions covered>"


class PairScore(Result):
    """Spearman's rank correlation of the model's cosines with people's judgements, over the ``covered`` of ``total`` pairs."""

    file: str
    spearman: float
    covered: int
    total: int


class AxisPosition(Pair):
    """A word on the semantic axis from ``low`` to ``high``: cosine with ``high - low`` (unit vectors)."""

    word: str
    position: float
    count: int | None = None


class AssociationSets(Value):
    """What a test asks: four named lists of words.

    Attributes
    ----------
    name : str
        Of the test.
    titles : tuple of four str
        Names of the lists: two sets of targets X and Y, two sets of attributes A and B.
    words : tuple of four tuples of str
    """

    name: str
    titles: tuple[str, str, str, str]
    words: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class CoveredSet(Value):
    """A list of words as far as a model knows it: ``words`` have vectors, ``missing`` have none."""

    title: str
    words: tuple[str, ...]
    missing: tuple[str, ...]


FourSets = tuple[CoveredSet, CoveredSet, CoveredSet, CoveredSet]
"""Targets X and Y, attributes A and B."""


class PermutationP(Value):
    """A p value of a permutation test; ``standard_error`` of a sampled one, None where all partitions were counted."""

    p: float
    standard_error: float | None


class WordAssociation(Value):
    """A target: mean cosine with the attributes A minus mean cosine with B."""

    word: str
    title: str
    association: float


class AssociationTest(Result):
    """The answer of a model to an association test.

    Attributes
    ----------
    name, model : str
    effect_size : float
        Difference of the two sets' mean associations over the standard deviation (n - 1) of all targets'; NaN where they do not vary.
    statistic : float
        Difference of the mean associations: X minus Y.
    one_sided : PermutationP
        Share of partitions of the targets with at least this difference: X is nearer to A than Y is.
    two_sided : PermutationP
        Share of partitions with at least this difference in either direction.
    partitions : int
        Looked at: all, with ``is_exact``, or so many drawn at random.
    is_exact : bool
    sets : tuple of four CoveredSet
        X, Y, A, B.
    targets : tuple of WordAssociation
        X, then Y.
    """

    name: str
    model: str
    effect_size: float
    statistic: float
    one_sided: PermutationP
    two_sided: PermutationP
    partitions: int
    is_exact: bool
    sets: FourSets
    targets: tuple[WordAssociation, ...]

    def table(self) -> Table:
        """Return the targets."""
        return Rows(self.targets).table()

    def title(self) -> str:
        """Return effect size and p."""
        return f"d = {self.effect_size:.2f}, p = {self.one_sided.p:.3g} (one-sided), {self.two_sided.p:.3g} (two-sided)"


class SharedContext(Value):
    """One context word: ``contribution`` to the cosine of the PPMI rows, ``count_first`` and ``count_second`` meetings with each word."""

    context: str
    contribution: float
    count_first: int
    count_second: int


class FirstOrder(Value):
    """How the two words stand together: ``count`` meetings within the window, ``expected`` by chance.

    ``pmi``: log(count / expected), nats; None where they never met or meet too rarely to be kept.
    """

    count: int
    expected: float
    pmi: float | None


class SharedContexts(Result):
    """What makes two words near.

    Attributes
    ----------
    first, second : str
        As the table spells them.
    cosine : float
        Of the model's vectors; NaN where no model was asked.
    ppmi_cosine : float
        Of the words' PPMI rows as far as they are kept: the sum of all contributions.
    first_order : FirstOrder
        The two next to each other.
    shared : tuple of SharedContext
        The largest contribution first.
    others : int
        Shared contexts that are not listed; ``others_contribution`` is their sum.
    kept : tuple of two floats
        Share of each row's squared length that the table keeps, in [0, 1].
    window : int
        Words on either side.
    """

    first: str
    second: str
    cosine: float
    ppmi_cosine: float
    first_order: FirstOrder
    shared: tuple[SharedContext, ...]
    others: int
    others_contribution: float
    kept: tuple[float, float]
    window: int

    def title(self) -> str:
        """Return both cosines."""
        words = f"{self.first} and {self.second}"
        return f"{words}: cosine {self.cosine:.3f}, of the contexts {self.ppmi_cosine:.3f}"


MIN_RUNS = 10  # the fewest of which a share of 90 % can be told from all: 9 of 10
MIN_SHARE_OF_RUNS = 0.9  # of the runs that must agree on an order that is called reliable


class RunRange(Value):
    """A number over several trainings: ``lowest`` and ``highest``, ``mean``, and the standard ``deviation`` (n - 1), None of one run."""

    lowest: float
    highest: float
    mean: float
    deviation: float | None
    runs: int

    @classmethod
    def of(cls, values: list[float]) -> RunRange:
        """Return the range of values, one a run.

        Examples
        --------
        >>> RunRange.of([1.0, 3.0])
        RunRange(lowest=1.0, highest=3.0, mean=2.0, deviation=1.4142135623730951, runs=2)
        >>> RunRange.of([1.0]).deviation is None
        True
        """
        mean = math.fsum(values) / len(values)
        squares = math.fsum((value - mean) ** 2 for value in values)
        deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else None
        return cls(min(values), max(values), mean, deviation, len(values))


class RunOverlap(Value):
    """How far two trainings of one model agree: ``share``, the mean Jaccard index of the ``nearest`` words of a word."""

    share: float
    nearest: int


class RunScores(Value):
    """How several trainings of one model score on a test set.

    Attributes
    ----------
    measure : str
        "accuracy" (a fraction) or "spearman".
    values : tuple of float
        One a run; NaN where nothing is covered.
    covered, total : int
        Questions or pairs, of words that all runs have.
    """

    measure: str
    values: tuple[float, ...]
    covered: int
    total: int


class ScoreRange(Value):
    """The range of a score over several trainings of one model.

    Attributes
    ----------
    measure : str
        "accuracy" (a fraction) or "spearman".
    span : RunRange
    total : int
        Questions or pairs of the test set.
    is_resampled : bool
        Whether each training drew its documents again; else the seed alone differed.
    """

    measure: str
    span: RunRange
    total: int
    is_resampled: bool


class NeighbourSpread(Value):
    """A neighbour, or the answer to a formula, over several trainings.

    Attributes
    ----------
    word : str
    cosine : RunRange
        Of the word asked about and this one; of an answer its score.
    lowest_rank, highest_rank : int or None
        Among all words, from 1; None where it is not known.
    agreeing_runs : int or None
        Runs in which this neighbour has a larger cosine than the next of the list; a tie is no agreement. None after the last.
    """

    word: str
    cosine: RunRange
    lowest_rank: int | None
    highest_rank: int | None
    agreeing_runs: int | None

    @property
    def is_reliable(self) -> bool:
        """Whether there are `MIN_RUNS` runs, and `MIN_SHARE_OF_RUNS` of them put this neighbour before the next."""
        runs, agreeing = self.cosine.runs, self.agreeing_runs
        return runs >= MIN_RUNS and agreeing is not None and agreeing / runs >= MIN_SHARE_OF_RUNS


KINDS = ("change", "whatif")
LEVEL = 0.05  # false discovery rate


class WordChange(Value):
    """A word on both sides.

    Attributes
    ----------
    word : str
    movement : float
        1 - cosine of its two vectors after the rotation.
    retraining : float
        Mean movement between two trainings on one side, which differ in the seed alone.
    p, q : float
        p value under the null (documents shuffled between the sides, or another seed alone), and the same corrected for all words
        (Benjamini and Hochberg).
    count_first, count_second : int
        Occurrences on either side.
    lost, gained : tuple of str
        Neighbours on the first side alone, and on the second alone.
    """

    word: str
    movement: float
    retraining: float
    p: float
    q: float
    count_first: int
    count_second: int
    lost: tuple[str, ...]
    gained: tuple[str, ...]


class ChangeReport(Value):
    """All that was measured between two sides.

    Attributes
    ----------
    kind : str
        "change": two corpora; "whatif": a corpus, and the same with documents left out or swapped.
    first, second : str
        Names of the sides.
    documents, tokens : tuple of two int
        Of either side.
    permutations, retrainings : int
        How often documents were shuffled (0 of a "whatif"), and how often a side was trained again with another seed.
    words : tuple of WordChange
        By rising p and falling movement.
    settings : dict
        Of the trainings.
    alone : tuple of two tuples of str, or None
        The commonest words that the first side has and the second lacks, and the other way round: they cannot be compared. None of a
        report that was made before they were recorded.
    undated : int
        Rows of a table of texts that were left out, without a year or a text.
    """

    kind: str
    first: str
    second: str
    documents: tuple[int, int]
    tokens: tuple[int, int]
    permutations: int
    retrainings: int
    words: tuple[WordChange, ...]
    settings: dict[str, object]
    alone: tuple[tuple[str, ...], tuple[str, ...]] | None = ((), ())
    undated: int = 0

    def smallest_p(self, measured: int) -> tuple[float, float]:
        """Return the smallest p value that a word can have, and the same corrected where no other word changed.

        Parameters
        ----------
        measured : int
            Words measured: p is a share of the null movements of all of them.
        """
        p = 1 / (1 + measured * (self.permutations or self.retrainings))
        return p, min(1.0, measured * p)

    def largest(self, most: int) -> tuple[WordChange, ...]:
        """Return the words that moved furthest, significant or not."""
        return tuple(sorted(self.words, key=lambda word: -word.movement)[:most])

    def changed(self, level: float = LEVEL) -> tuple[WordChange, ...]:
        """Return the significant words: those whose q is at most ``level``."""
        return tuple(word for word in self.words if word.q <= level)


def standard_error(share: float, count: int) -> float:
    """Return the standard error of a share that was counted over ``count`` independent trials.

    Parameters
    ----------
    share : float
        In [0, 1].
    count : int
        At least 1.

    Examples
    --------
    >>> standard_error(0.5, 10_000)
    0.005
    """
    return math.sqrt(share * (1 - share) / count)


def sign_test(successes: int, count: int) -> float:
    """Return the two-sided p value of so many successes in independent trials that succeed by chance in one of two.

    The exact binomial test; 1 for no trials.

    Parameters
    ----------
    successes : int
        From 0 to ``count``.
    count : int
        Trials without ties.

    Examples
    --------
    >>> sign_test(6, 6)
    0.03125
    """
    extreme = max(successes, count - successes)
    tail = sum(math.comb(count, number) for number in range(extreme, count + 1))
    return min(1.0, float(2 * tail / 2**count))


def clustered_standard_error(shares: Sequence[float], counts: Sequence[int]) -> float:
    """Return the standard error of a share whose trials are alike within clusters, such as the pairs of one template.

    Miller (2024), section 2.2, with the correction G / (G - 1) for few clusters; NaN of fewer than two.

    Parameters
    ----------
    shares : sequence of float
        The share within each cluster.
    counts : sequence of int
        The trials of each cluster, at least 1.

    Examples
    --------
    >>> clustered_standard_error([1.0, 0.0], [2, 2])
    0.5
    >>> round(clustered_standard_error([1.0, 0.0, 1.0, 0.0], [1, 1, 1, 1]), 3)
    0.289
    """
    clusters, total = len(shares), sum(counts)
    if clusters < 2:
        return math.nan
    pairs = list(zip(shares, counts, strict=True))
    mean = math.fsum(share * count for share, count in pairs) / total
    squares = math.fsum((count * (share - mean)) ** 2 for share, count in pairs)
    return math.sqrt(squares * clusters / (clusters - 1)) / total


class IndexReport(Value):
    """An index as it was measured when it was built.

    ``recall``: share of the ``topn`` exact neighbours of ``sampled`` words, drawn at random, that the index finds; ``words``: rows in
    it; ``seconds``: time it took to build, ``size``: bytes of its file.
    """

    words: int
    recall: float
    sampled: int
    topn: int
    seconds: float
    size: int
