"""Results on senses: the words beside an ambiguous one, its induced senses, and how they agree with marked ones.

`app/figures/` draws from these alone. Cosines and the adjusted Rand index lie in [-1, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SurroundingWord:
    """A word that stands beside the one in question.

    ``word`` is shown; ``keys`` are what it is looked up by, the first that is known counts;
    ``distance`` is in words to the nearest place of the word in question, 5 where that has none;
    ``span`` are its first and past-the-last character in the context.
    """

    word: str
    keys: tuple[str, ...]
    distance: int = 1
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class SenseInduction:
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


@dataclass(frozen=True, slots=True)
class WordSenses:
    """One word of a file: senses found, their names, and agreement with the marked ones.

    ``ari`` is None where no sense is marked; ``absent`` counts contexts that lack the word, ``truncated`` those
    that were longer than the network takes and cut around it, ``unknown`` those that say nothing to the model.
    """

    word: str
    contexts: int
    number: int
    names: tuple[tuple[str, ...], ...]
    ari: float | None
    absent: int = 0
    truncated: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class SensesOfFile:
    """All words of a file; ``ari`` is their mean weighted by contexts, as RUSSE 2018 takes it.

    ``language``: of the contexts; ``method``: what the contexts' vectors come from.
    """

    words: tuple[WordSenses, ...]
    ari: float | None
    language: str
    method: str
