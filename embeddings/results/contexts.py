"""Results on words in contexts: their vectors by layer, what stands near them, what could stand in their place.

`app/figures/` draws from these alone. Layer 0 is the embedding output, layer k the output of the k-th layer; cosines lie in [-1, 1],
probabilities in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class WordStates:
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

    vectors: NDArray[np.float32]
    truncated: NDArray[np.bool_]
    unknown: NDArray[np.bool_]
    tokens: tuple[tuple[str, ...], ...]

    @property
    def layers(self) -> int:
        """Layers of the network; there is one vector more."""
        return int(self.vectors.shape[1]) - 1


@dataclass(frozen=True, slots=True)
class Guess:
    """A token that could stand somewhere: ``probability`` among the whole vocabulary."""

    token: str
    probability: float


@dataclass(frozen=True, slots=True)
class AskedWord:
    """What the network gives a word of one's own choosing at a mask.

    Attributes
    ----------
    word : str
    tokens : tuple of str
        Its WordPiece tokens. Several stand at as many masks: the probability is then the product of each one's,
        read from left to right with those before it in place.
    probability : float
    rank : int
        1 for the likeliest token of the whole vocabulary; 0 for a word of several tokens, which has none.
    by_layer : tuple of float
        Probability at every layer by the logit lens; empty for a word of several tokens.
    """

    word: str
    tokens: tuple[str, ...]
    probability: float
    rank: int
    by_layer: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FilledMask:
    """What belongs at one [MASK].

    Attributes
    ----------
    start, end : int
        Characters of the mask in its text.
    segment : int
        0 in the first sentence, 1 in the second.
    guesses : tuple of Guess
        The likeliest tokens of the last layer, falling.
    by_layer : tuple of tuple of Guess
        The same at every layer by the logit lens, layer 0 first; the last equals ``guesses``.
    trace : NDArray of float64, shape (layers + 1, guesses)
        Probability of each of ``guesses`` at every layer.
    entropy : NDArray of float64, shape (layers + 1,)
        Nats: how undecided each layer is; log(vocabulary) if it knows nothing.
    asked : tuple of AskedWord
    """

    start: int
    end: int
    segment: int
    guesses: tuple[Guess, ...]
    by_layer: tuple[tuple[Guess, ...], ...]
    trace: NDArray[np.float64]
    entropy: NDArray[np.float64]
    asked: tuple[AskedWord, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """A text (and a ``second`` one, or "") with its masks in their order.

    ``unknown``: what [UNK] stands for, in the texts and among the words asked for.
    """

    text: str
    second: str
    masks: tuple[FilledMask, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Substitutes:
    """What the network would put in the place of a word, for each of n contexts.

    Attributes
    ----------
    ids : NDArray of int32, shape (n, topn)
        Tokens, the likeliest first.
    probabilities : NDArray of float32, shape (n, topn)
        Among all tokens allowed, so that a row sums to at most 1.
    tokens : tuple of str
        The whole vocabulary: ``tokens[id]`` is the word.
    truncated : NDArray of bool, shape (n,)
        True where the text was cut around the word.
    """

    ids: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    tokens: tuple[str, ...]
    truncated: NDArray[np.bool_]

    def guesses(self, row: int, topn: int = 10) -> tuple[Guess, ...]:
        """Return the likeliest substitutes of one context."""
        pairs = zip(self.ids[row, :topn], self.probabilities[row, :topn], strict=True)
        return tuple(Guess(self.tokens[i], float(p)) for i, p in pairs)


@dataclass(frozen=True, slots=True)
class Reduction:
    """How a table of vectors changed by being made smaller.

    Attributes
    ----------
    vector_size, before : int
        Numbers a word, now and before.
    variance : float
        Share of the variance that is kept.
    overlap : float
        Share of each word's 10 nearest that stay among the 10 nearest, mean over words.
    """

    vector_size: int
    before: int
    variance: float
    overlap: float
