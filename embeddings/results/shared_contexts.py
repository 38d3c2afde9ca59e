"""Why two words are near: the contexts that they share, and what each adds to their cosine."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.results.display import Result


@dataclass(frozen=True, slots=True)
class SharedContext:
    """One context word: ``contribution`` to the cosine of the PPMI rows, ``count_first`` and ``count_second`` meetings with each word."""

    context: str
    contribution: float
    count_first: int
    count_second: int


@dataclass(frozen=True, slots=True)
class FirstOrder:
    """How the two words stand together: ``count`` meetings within the window, ``expected`` by chance.

    ``pmi``: log(count / expected), nats; None where they never met or meet too rarely to be kept.
    """

    count: int
    expected: float
    pmi: float | None


@dataclass(frozen=True, slots=True)
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
