"""Association tests (WEAT): which of two sets of words a model puts nearer to which of two others, and how surely."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.results.display import Result, Rows, Table


@dataclass(frozen=True, slots=True)
class AssociationSets:
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


@dataclass(frozen=True, slots=True)
class CoveredSet:
    """A list of words as far as a model knows it: ``words`` have vectors, ``missing`` have none."""

    title: str
    words: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PermutationP:
    """A p value of a permutation test; ``standard_error`` of a sampled one, None where all partitions were counted."""

    p: float
    standard_error: float | None


@dataclass(frozen=True, slots=True)
class WordAssociation:
    """A target: mean cosine with the attributes A minus mean cosine with B."""

    word: str
    title: str
    association: float


@dataclass(frozen=True, slots=True)
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
    sets: tuple[CoveredSet, CoveredSet, CoveredSet, CoveredSet]
    targets: tuple[WordAssociation, ...]

    def table(self) -> Table:
        """Return the targets."""
        return Rows(self.targets).table()

    def title(self) -> str:
        """Return effect size and p."""
        return f"d = {self.effect_size:.2f}, p = {self.one_sided.p:.3g} (one-sided), {self.two_sided.p:.3g} (two-sided)"
