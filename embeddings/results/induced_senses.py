"""Results on senses: the words next to an ambiguous one, its induced senses, and how they agree with marked ones.

`app/figures/` draws from these alone. Cosines and the adjusted Rand index lie in [-1, 1].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embeddings.results.display import Result, Table, Value


class SurroundingWord(Value):
    """A word that is next to the one in question.

    ``word`` is shown; ``keys`` are what it is looked up by, the first that is known counts;
    ``distance`` is in words to the nearest place of the word in question, 5 where that has none;
    ``span`` are its first and past-the-last character in the context.
    """

    word: str
    keys: tuple[str, ...]
    distance: int = 1
    span: tuple[int, int] = (0, 0)


MIN_CLARITY = -0.48
"""Least clarity of groups that count as senses: 13 % of 60 everyday words of one meaning reach it (docs/results/senses.md)."""


class SenseInduction(Result, eq=False):
    """Induced senses of the n contexts of one word.

    Attributes
    ----------
    labels : NDArray of int64, shape (n,)
        Sense of each context, from 0 by falling size.
    number : int
        How many senses were found.
    silhouettes : tuple of (int, float)
        Mean silhouette (cosine) by the number of senses asked for.
    lifetimes : tuple of (int, float)
        By the number of senses: how far agreement can fall before two of so many merge, over the
        root of the number. The longest-lived number is the one found.
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
    clarity : float
        How clearly the contexts fall into senses (`embeddings.analysis.sense_induction.clarity`); NaN without a static model.
    """

    labels: NDArray[np.int64]
    number: int
    silhouettes: tuple[tuple[int, float], ...]
    lifetimes: tuple[tuple[int, float], ...]
    agreement: NDArray[np.float32]
    vectors: NDArray[np.float32]
    names: tuple[tuple[str, ...], ...]
    method: str
    truncated: int = 0
    unknown: int = 0
    clarity: float = float("nan")

    @property
    def separates(self) -> bool:
        """Whether the groups are clearer than those of words of one meaning, as far as that was measured."""
        return not self.clarity < MIN_CLARITY

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
    names: tuple[tuple[str, ...], ...]
    ari: float | None
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


class SenseGrouping(Value):
    """Senses of n contexts, as they were induced or as a person arranged them.

    Attributes
    ----------
    labels : tuple of int
        Sense of each context, from 0; no sense is empty.
    names : tuple of str
        What a person calls each sense, "" for a sense that has no such name.
    """

    labels: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def number(self) -> int:
        """How many senses there are."""
        return len(self.names)


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
    ari, homogeneity, completeness, v_measure, kappa : float
        Adjusted Rand index in [-1, 1]; homogeneity, completeness and their harmonic mean in [0, 1]; Cohen's kappa in [-1, 1].
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
    homogeneity: float
    completeness: float
    v_measure: float
    kappa: float
    matching: tuple[tuple[str, str], ...]
    senses: tuple[str, ...]
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    b_cubed: float
    one_sense_b_cubed: float


class SenseFrequencies(Value):
    """How often each sense occurs in each group of contexts, a document or a date.

    ``counts`` has a row for each of ``values`` and a column for each sense.
    """

    values: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
