"""Results on words and static vectors, of one model and of two that are compared.

`app/figures/` draws from these alone. Similarities are cosines in [-1, 1]; accuracies are fractions; counts are occurrences in the training
corpus, None where a file did not bring them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.results.display import Pair, Result, Rows, Table, html_table, map_figure

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


@dataclass(frozen=True, slots=True)
class ComparedWord:
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class CommonMap(Result):
    """Words of two models in one plane: ``first`` and ``second`` of shape (words, 2), PCA's share of variance each."""

    words: tuple[str, ...]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    explained_variance_ratio: tuple[float, ...]

    def table(self) -> Table:
        """Return a line a word, with its place in both models."""
        places = np.hstack([self.first, self.second]).tolist()
        columns = ["word", "first x", "first y", "second x", "second y"]
        return columns, [[word, *place] for word, place in zip(self.words, places, strict=True)]


@dataclass(frozen=True, slots=True)
class SetScore:
    """A model's score on a test set: ``measure`` is "accuracy" (a fraction) or "spearman"; NaN where nothing is covered."""

    name: str
    measure: str
    value: float
    covered: int
    total: int


@dataclass(frozen=True, slots=True)
class Neighbour(Pair):
    """A word near something: ``similarity`` is a cosine (or the 3CosMul score), ``forms`` the inflected forms folded into it."""

    word: str
    similarity: float
    count: int | None = None
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Ngram:
    """An n-gram of a word, with the < and > that the word stands between.

    ``share``: what its row adds to the word's vector, as a share of the vector's length (its projection on the vector; negative where
    it points the other way); ``is_known`` is False for an n-gram that the training never met, whose row is zeros.
    """

    text: str
    share: float
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class WordParts(Result):
    """What a word's vector is the mean of: the n-grams, and for a word of the vocabulary a row of its own.

    ``is_composed``: the word is outside the vocabulary, so that its vector comes from n-grams alone. ``word_share`` is what the
    n-grams leave: the share of the word's own row, and of n-grams that a shortened model does not keep; 0 for a composed word. It and the
    shares of ``ngrams`` add up to 1. An n-gram that a word has twice counts twice in
    its share and is listed once.
    """

    word: str
    is_composed: bool
    word_share: float
    ngrams: tuple[Ngram, ...]

    def title(self) -> str:
        """Return the word, and whether the vocabulary has it."""
        note = "composed: not in the vocabulary" if self.is_composed else "in the vocabulary"
        return f"{self.word}: {note}"


@dataclass(frozen=True, slots=True)
class Term:
    """One signed word of a formula: ``weight`` times the unit-length vector of ``word``."""

    word: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class AnalogyStep:
    """An intermediate sum, as ``king - man``, and what is nearest to it."""

    expression: str
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
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
    vector: NDArray[np.float32]
    is_folded: bool = False

    def __iter__(self) -> Iterator[Neighbour]:
        return iter(self.answers)

    def table(self) -> Table:
        """Return the answers."""
        return Rows(self.answers).table()

    def title(self) -> str:
        """Return the formula."""
        return f"{self.expression} ≈"


@dataclass(frozen=True, slots=True)
class Projection(Result):
    """Words on a map: ``coordinates`` of shape (words, dimensions); PCA also tells the share of variance per component."""

    words: tuple[str, ...]
    coordinates: NDArray[np.float64]
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


@dataclass(frozen=True, slots=True)
class Ratio:
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


@dataclass(frozen=True, slots=True)
class Ratios(Result):
    """Co-occurrence ratios of two words over several probes (Pennington et al. 2014, table 1)."""

    first: str
    second: str
    rows: tuple[Ratio, ...]


@dataclass(frozen=True, slots=True)
class SectionScore:
    """One category of an analogy set: ``covered`` of ``total`` questions have all four words in the model."""

    name: str
    correct: int
    covered: int
    total: int


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class PairScore(Result):
    """Spearman's rank correlation of the model's cosines with people's judgements, over the ``covered`` of ``total`` pairs."""

    file: str
    spearman: float
    covered: int
    total: int


@dataclass(frozen=True, slots=True)
class AxisPosition(Pair):
    """A word on the semantic axis from ``low`` to ``high``: cosine with ``high - low`` (unit vectors)."""

    word: str
    position: float
    count: int | None = None
