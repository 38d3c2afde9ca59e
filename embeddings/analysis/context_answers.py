"""Answers about a word in contexts: where its vectors lie, how alike they are, whether senses separate, how sure a score is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from embeddings.arrays import Bools, Float32s, Float64s, Int64s
from embeddings.corpora.corpus_answers import ConcordanceLine
from embeddings.optional import is_installed
from embeddings.results import Result, Rows, Table, Value

MIN_CLARITY = -0.48
"""Least clarity of groups that count as senses: 13 % of 60 everyday words of one meaning reach it (docs/results/senses.md)."""
OVERLAPPING = 0.05
"""Mean silhouette below which groups of contexts count as overlapping."""


class SenseNames(Rows[tuple[str, ...]]):
    """Words that name each sense."""

    __slots__ = ()

    def table(self) -> Table:
        """Return a line a sense, numbered from 1."""
        return ["sense", "words"], [[sense, words] for sense, words in enumerate(self, 1)]


class SenseInduction(Result, eq=False):
    """Induced senses of the n contexts of one word.

    Attributes
    ----------
    labels : NDArray of int64, shape (n,)
        Sense of each context, from 0 by falling size.
    number : int
        How many senses were found.
    agreement : NDArray of float32, shape (n, n)
        Share of the clusterings in which two contexts stand together.
    vectors : NDArray of float32, shape (n, vector_size)
        What was clustered: unit length.
    names : tuple of tuple of str
        The most telling words of each sense.
    method : str
        What the vectors come from.
    truncated : int
        Contexts that were longer than the network takes and cut around their word.
    unknown : int
        Contexts that say nothing, all zeros among the vectors: a network reads no word around, a static model knows none.
    silhouette : float
        Mean silhouette of the senses in ``vectors``; 0 of a single one.
    clarity : float
        How clearly the contexts fall into senses (`embeddings.analysis.sense_induction.clarity`); NaN without a static model.
    """

    labels: Int64s
    number: int
    agreement: Float32s
    vectors: Float32s
    names: SenseNames
    method: str
    truncated: int = 0
    unknown: int = 0
    silhouette: float = 0.0
    clarity: float = float("nan")

    @property
    def separates(self) -> bool:
        """Whether several groups do not overlap, and are clearer than those of words of one meaning, as far as that was measured."""
        overlaps = self.number > 1 and self.silhouette < OVERLAPPING
        return not overlaps and not self.clarity < MIN_CLARITY

    def division(self) -> tuple[Int64s, int]:
        """Return the sense of each context and how many senses there are: one where the groups do not separate."""
        if self.separates:
            return self.labels, self.number
        return np.zeros_like(self.labels), 1

    def table(self) -> Table:
        """Return a line a sense, numbered from 1."""
        return ["sense", "contexts", "words"], [
            [sense + 1, int((self.labels == sense).sum()), words]
            for sense, words in enumerate(self.names)
        ]


class WordSenses(Value):
    """One word of a file: senses found, their names, and agreement with the marked ones.

    ``ari`` and ``b_cubed`` (F1), and those of one sense for all contexts, are None where no sense is marked; ``absent`` counts contexts
    that lack the word, ``truncated`` those that were longer than the network takes and cut around it, ``unknown`` those that say nothing
    to the model. ``separates`` is False where one sense is given because the contexts do not fall into senses.
    """

    word: str
    contexts: int
    number: int
    names: SenseNames
    ari: float | None = None
    absent: int = 0
    truncated: int = 0
    unknown: int = 0
    b_cubed: float | None = None
    one_sense_ari: float | None = None
    one_sense_b_cubed: float | None = None
    separates: bool = True


class SensesOfFile(Value):
    """All words of a file; ``ari``, ``b_cubed`` and those of one sense are their means weighted by contexts, as RUSSE 2018 takes them.

    ``language``: of the contexts; ``method``: what the contexts' vectors come from.
    """

    words: tuple[WordSenses, ...]
    ari: float | None
    language: str
    method: str
    b_cubed: float | None = None
    one_sense_ari: float | None = None
    one_sense_b_cubed: float | None = None


class SenseTree(Value):
    """The tree of some contexts by average linkage over their agreement.

    Attributes
    ----------
    leaves : tuple of int
        Contexts in the order of the tree.
    links : tuple of tuple of (float, float)
        Four corners of each link: position among ``leaves`` from 0, and disagreement, the share of the clusterings
        in which the two branches stand apart, in [0, 1].
    members : tuple of tuple of int
        Contexts below each link.
    """

    leaves: tuple[int, ...]
    links: tuple[tuple[tuple[float, float], ...], ...]
    members: tuple[tuple[int, ...], ...]


class SenseAgreement(Value):
    """How two annotations of the same contexts agree.

    Attributes
    ----------
    contexts : int
        Contexts that both annotate.
    lacking : int
        Contexts of the first that the second does not annotate.
    ari, v_measure, kappa : float
        Adjusted Rand index in [-1, 1]; V-measure in [0, 1]; Cohen's kappa in [-1, 1].
    matching : tuple of (str, str)
        Sense of the first and label of the second that count as the same for kappa.
    senses, labels : tuple of str
        Rows and columns of ``table``.
    table : tuple of tuple of int
        Contexts by sense and label.
    b_cubed, one_sense_b_cubed : float
        B-cubed F1 in [0, 1], and that of one sense for all contexts (whose ARI is 0 if there are several labels).
    """

    contexts: int
    lacking: int
    ari: float
    v_measure: float
    kappa: float
    matching: tuple[tuple[str, str], ...]
    senses: tuple[str, ...]
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    b_cubed: float
    one_sense_b_cubed: float


class SenseFrequencies(Result):
    """How often each sense occurs in each group of contexts, a document or a date.

    Attributes
    ----------
    values : tuple of str
        The groups.
    counts : tuple of tuple of int
        A row for each group, in it the contexts of each sense.
    shares : tuple of tuple of float
        Their shares among the contexts of the group, from 0 to 1.
    words : tuple of int
        How many words each group's text has; () if not known.
    per_10_000 : tuple of tuple of float
        Contexts of each sense in 10 000 words of the group's text; () if its words are not known.
    """

    values: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    shares: tuple[tuple[float, ...], ...]
    words: tuple[int, ...] = ()
    per_10_000: tuple[tuple[float, ...], ...] = ()

    def table(self) -> Table:
        """Return a line for each group and sense, numbered from 1; None where the words are not known."""
        lines: list[list[object]] = []
        for row, value in enumerate(self.values):
            for sense, count in enumerate(self.counts[row]):
                by_words = (
                    (self.per_10_000[row][sense], self.words[row]) if self.words else (None, None)
                )
                lines.append([value, sense + 1, count, self.shares[row][sense], *by_words])
        return ["group", "sense", "contexts", "share", "per 10 000 words", "words"], lines


class ContextMap(Result, eq=False):
    """The contexts of a word at one layer, along the two directions in which they differ most.

    Attributes
    ----------
    coordinates : NDArray of float64, shape (contexts, 2)
        In units of the contexts' mean length, so that layers can be compared; the mean of those that the axes were
        fitted on is (0, 0), which is where the one static vector lies.
    explained_variance_ratio : tuple of float
        Share of their variance along each of the two.
    draw : callable, optional
        Makes the picture that a notebook with anywidget displays.
    """

    coordinates: Float64s
    explained_variance_ratio: tuple[float, ...]
    draw: Callable[[ContextMap], Any] | None = field(default=None, repr=False)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Show the contexts with their senses; without anywidget the numbers alone."""
        if self.draw is None or not is_installed("anywidget"):
            return {}
        return self.draw(self)._repr_mimebundle_(**options)


class WordStates(Result, eq=False):
    """The vector of a word in each of n sentences, at every layer: the mean over the word's tokens.

    Attributes
    ----------
    vectors : NDArray of float32, shape (n, layers + 1, hidden_size)
        ``vectors[:, 0]`` is the embedding output, ``vectors[:, -1]`` the last layer.
    truncated : NDArray of bool, shape (n,)
        True where the text was longer than the network takes and was cut around the word.
    unknown : NDArray of bool, shape (n,)
        True where the vocabulary lacks a letter of the word, so that [UNK] stands for it.
    tokens : tuple of tuple of str
        The tokens of each word.
    """

    vectors: Float32s
    truncated: Bools
    unknown: Bools
    tokens: tuple[tuple[str, ...], ...]

    @property
    def layers(self) -> int:
        """Layers of the network; there is one vector more."""
        return int(self.vectors.shape[1]) - 1


class Baseline(Value, eq=False):
    """What random words have in common at each layer of a network.

    Attributes
    ----------
    cosine, centred : NDArray of float64, shape (layers + 1,)
        Mean cosine of two words from different sentences, as they are and with the layer's mean vector subtracted.
    mean : NDArray of float32, shape (layers + 1, hidden_size)
        Mean vector of all words read.
    words, sentences : int
        How many were read.
    """

    cosine: Float64s
    centred: Float64s
    mean: Float32s
    words: int
    sentences: int


class LikenessMatrix(Result, eq=False):
    """Cosines of all occurrences at one layer, shape (n, n), and the random baseline of each kind."""

    layer: int
    cosine: Float32s
    baseline: float
    centred: Float32s
    centred_baseline: float

    def table(self) -> Table:
        """Return a line a pair of occurrences, numbered from 1."""
        return ["first", "second", "cosine", "centred"], [
            [row + 1, column + 1, self.cosine[row, column], self.centred[row, column]]
            for row in range(len(self.cosine))
            for column in range(row + 1, len(self.cosine))
        ]


class Separation(Result, eq=False):
    """How far the senses of labelled occurrences lie apart at each layer; arrays of shape (layers + 1,).

    Attributes
    ----------
    within, between : NDArray of float64
        Mean cosine of two occurrences of one sense, and of two senses; NaN where there is no such pair.
    baseline : NDArray of float64
        Mean cosine of two random words.
    centred_within, centred_between, centred_baseline : NDArray of float64
        The same with the layer's mean vector subtracted.
    silhouette : NDArray of float64
        Mean silhouette of the centred vectors by cosine distance, in [-1, 1]; NaN with fewer than two senses.
    best : int
        The layer of the largest silhouette, the embeddings left out: they know a word's form and place, not its company.
    """

    within: Float64s
    between: Float64s
    baseline: Float64s
    centred_within: Float64s
    centred_between: Float64s
    centred_baseline: Float64s
    silhouette: Float64s
    best: int


class ContextSentence(Value):
    """A line with ``word``; ``context`` is the context word near it, "" where the line has the word alone."""

    word: str
    context: str
    line: ConcordanceLine


class ReliabilityBin(Value):
    """Texts whose probability of the predicted label lies in (``low``, ``high``].

    ``confidence``: their mean probability; ``accuracy``: the share of them that is right.
    """

    low: float
    high: float
    texts: int
    confidence: float
    accuracy: float


class Calibration(Result):
    """How far the probabilities of a classifier can be taken at their word (Guo et al. 2017).

    Attributes
    ----------
    temperature : float
        What its logits are divided by.
    fitted, measured : int
        Texts that the temperature was fitted on, and the others that the figures are of.
    error_before, error : float
        Expected calibration error without and with the temperature, in [0, 1].
    bins_before, bins : tuple of ReliabilityBin
        Without and with it.
    """

    temperature: float
    fitted: int
    measured: int
    error_before: float
    error: float
    bins_before: tuple[ReliabilityBin, ...]
    bins: tuple[ReliabilityBin, ...]
