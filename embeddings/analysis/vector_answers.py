"""Answers of static models: neighbours, formulas, projections, ratios, associations, shared contexts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.arrays import Float32s, Float64s
from embeddings.results import Pair, Result, Rows, Table, Value, html_table, map_figure

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


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


class SimilarityMatrix(Result, eq=False):
    """Cosines of each word with each: ``cosines`` of shape (words, words), symmetric; numpy takes the answer for this array."""

    words: tuple[str, ...]
    cosines: Float32s

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Float32s:
        """Return the cosines."""
        return np.array(self.cosines, dtype=dtype, copy=copy)

    def __getitem__(self, place: Any) -> Any:
        """Return what the array has at a place: ``[0, 1]`` is the cosine of the first two words."""
        return self.cosines[place]

    def table(self) -> Table:
        """Return a line and a column a word."""
        lines = zip(self.words, self.cosines.tolist(), strict=True)
        return ["", *self.words], [[word, *row] for word, row in lines]


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
