"""What a masked network makes of test sentences: blanks, pseudo-log-likelihoods, words in two contexts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.results.display import Result, Table


@dataclass(frozen=True, slots=True)
class BlankScores(Result):
    """How well a network fills blanks.

    Attributes
    ----------
    top1, top3, top5 : float
        Share of the covered sentences with an answer as first guess, or among the first three or five. NaN where none is covered.
    loss : float
        Mean of -log p(answer), nats, over the covered ones; of several answers that are right p is the sum.
    copies : float
        Share of the covered sentences whose first guess is a word of the sentence.
    covered, total : int
        Sentences with an answer that is one token of the vocabulary and which are not longer than the network takes; all sentences.
    too_long : int
        Sentences that the network cannot take whole.
    groups : mapping of str to BlankScores
        The same by group, where the file names groups.
    """

    top1: float
    top3: float
    top5: float
    loss: float
    copies: float
    covered: int
    total: int
    too_long: int
    groups: Mapping[str, BlankScores]


@dataclass(frozen=True, slots=True, eq=False)
class SentenceScore(Result):
    """A sentence's pseudo-log-likelihood, token by token.

    Attributes
    ----------
    text : str
    tokens : tuple of str
        Its tokens, special ones left out.
    spans : tuple of (int, int)
        First and past-the-last character of each token in ``text``.
    log_probabilities : NDArray of float64, shape (layers + 1, tokens)
        Log-probability of each token where it is masked, nats; the last row is the network's answer, the rows above it read each
        layer by the same head (logit lens).
    unknown : int
        Tokens that are [UNK]: the vocabulary lacks what stands there.
    """

    text: str
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    log_probabilities: NDArray[np.float64]
    unknown: int

    def title(self) -> str:
        """Return the sentence, its sum and its mean per token."""
        return f"{self.text}: {self.total:.4f} nats, {self.per_token:.4f} per token"

    def table(self) -> Table:
        """Return a line a token, with its log-probability in nats."""
        last = self.log_probabilities[-1].tolist()
        return ["token", "log probability"], [
            [token, nats] for token, nats in zip(self.tokens, last, strict=True)
        ]

    @property
    def total(self) -> float:
        """Pseudo-log-likelihood, nats: the sum over the tokens."""
        return float(self.log_probabilities[-1].sum())

    @property
    def per_token(self) -> float:
        """The mean over the tokens, nats: for sentences of unequal length."""
        return float(self.log_probabilities[-1].mean())


@dataclass(frozen=True, slots=True)
class GrammarScores(Result):
    """In how many minimal pairs the grammatical sentence has the higher pseudo-log-likelihood.

    Attributes
    ----------
    accuracy : float
        By the sum over the tokens. Chance is 0.5.
    per_token : float
        By the mean over the tokens.
    total : int
        Pairs.
    unknown : int
        Pairs in which the vocabulary lacks something.
    phenomena, paradigms : mapping of str to float
        Accuracy by the sum, of each phenomenon and paradigm.
    standard_error : float
        Of the accuracy, over paradigms, because pairs of one paradigm are alike; NaN of a single paradigm. A pair without a name counts
        as a paradigm of its own.
    """

    accuracy: float
    per_token: float
    total: int
    unknown: int
    phenomena: Mapping[str, float]
    paradigms: Mapping[str, float]
    standard_error: float = math.nan


@dataclass(frozen=True, slots=True)
class LayerAccuracy:
    """Accuracy on pairs of contexts by one kind of vector at one layer.

    Attributes
    ----------
    kind : str
        One of `embeddings.probing.word_in_context.VECTOR_KINDS`.
    layer : int
        0 is the embedding output.
    accuracy : float
        Share of all pairs that are right, each half of the words by the threshold of the other half.
    thresholds : (float, float)
        Cosines from which on the word means the same, chosen on the first and on the second half of the words.
    """

    kind: str
    layer: int
    accuracy: float
    thresholds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class WordInContextScores(Result):
    """How often a cosine tells whether a word means the same in two sentences.

    Attributes
    ----------
    accuracy : float
        Share of all pairs that are right where kind, layer and threshold are those that are best on the half of the words that a pair
        is not of. Chance is the larger share of the two answers.
    standard_error : float
        Of the accuracy, sqrt(p (1 - p) / n), as if all pairs were independent.
    same : float
        Share of pairs whose word means the same.
    total : int
        Pairs.
    words : int
        Different words.
    halves : (int, int)
        Pairs of the first and of the second half of the words.
    chosen : (LayerAccuracy, LayerAccuracy)
        The kind and layer that are best on the first half, and those that are best on the second.
    truncated, unknown : int
        Pairs with a sentence that is longer than the network takes and was cut around the word; with a word that the vocabulary cannot
        spell.
    layers : tuple of LayerAccuracy
        All kinds at all layers.
    """

    accuracy: float
    standard_error: float
    same: float
    total: int
    words: int
    halves: tuple[int, int]
    chosen: tuple[LayerAccuracy, LayerAccuracy]
    truncated: int
    unknown: int
    layers: tuple[LayerAccuracy, ...]
