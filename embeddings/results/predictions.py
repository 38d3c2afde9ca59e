"""Results on classification, and what moved an answer. Probabilities lie in [0, 1] and sum to 1 over the labels; log-odds are in nats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.results.display import Result


@dataclass(frozen=True, slots=True)
class Prediction(Result):
    """A text and what a classifier says of it.

    ``probabilities``: by label, in the classifier's order, calibrated where the classifier is; ``truncated``: tokens at the end
    that it did not read; ``distance``: from the texts it was trained on, in units of what lies at the edge of them (`TextDomain`),
    None where that is not known.
    """

    text: str
    label: str
    probabilities: dict[str, float]
    truncated: int = 0
    distance: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Confusion(Result):
    """How many texts of each label were given which: ``counts[i, j]`` of ``labels[i]`` were called ``labels[j]``.

    ``truncated``: texts of which the end was not read.
    """

    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    truncated: int = 0

    @property
    def total(self) -> int:
        """Texts."""
        return int(self.counts.sum())

    @property
    def right(self) -> int:
        """Texts that were given their own label."""
        return int(np.trace(self.counts))

    @property
    def accuracy(self) -> float:
        """Share of the texts that were given their own label."""
        return self.right / max(1, self.total)


@dataclass(frozen=True, slots=True)
class WordShare:
    """A word and what it adds to an answer, in nats.

    ``start``, ``end``: characters of the text; ``attribution``: by integrated gradients; ``attention``: share of the last layer's
    attention that it gets, mean over the heads and over all tokens that are read off; ``occlusion``: by how much the answer falls
    when this word alone is masked.
    """

    word: str
    start: int
    end: int
    attribution: float
    attention: float
    occlusion: float


@dataclass(frozen=True, slots=True)
class Attribution(Result):
    """What moved a classifier, word by word, by integrated gradients.

    ``baseline + sum of the words' attributions + residual`` is ``log_odds``, log(p / (1 - p)) of ``label``.

    Attributes
    ----------
    text, label : str
    log_odds : float
        Of the text as it is.
    baseline : float
        Of the text with [MASK] in the place of each token.
    words : tuple of WordShare
    special_attention : float
        Share of attention that [CLS] and [SEP] get.
    residual : float
        What the sum over the steps misses.
    steps : int
        Points of the path at which gradients were taken.
    """

    text: str
    label: str
    log_odds: float
    baseline: float
    words: tuple[WordShare, ...]
    special_attention: float
    residual: float
    steps: int


@dataclass(frozen=True, slots=True)
class GuessAttribution(Result):
    """What moved a network's guess at a blank, word by word, by integrated gradients.

    ``baseline + sum of the words' attributions + residual`` is ``log_probability``.

    Attributes
    ----------
    text : str
        The text, and behind a space the one that follows it; characters of ``words`` count in it.
    blank : tuple of int
        Characters of ``text`` where the blank is.
    guess : str
    tokens : tuple of str
        Of the guess.
    log_probability : float
        log p of the guess at the blank, nats; of several tokens, the sum over them from left to right.
    baseline : float
        The same with [MASK] in the place of each token.
    words : tuple of WordShare
        Of the text, without the blanks; their attention comes from the blank.
    other_attention : float
        Share of attention that special tokens and blanks get.
    residual : float
        What the sum over the steps misses.
    steps : int
        Points of the path at which gradients were taken; of several tokens, the most that one of them took.
    """

    text: str
    blank: tuple[int, int]
    guess: str
    tokens: tuple[str, ...]
    log_probability: float
    baseline: float
    words: tuple[WordShare, ...]
    other_attention: float
    residual: float
    steps: int


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Texts whose probability of the predicted label lies in (``low``, ``high``].

    ``confidence``: their mean probability; ``accuracy``: the share of them that is right.
    """

    low: float
    high: float
    texts: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
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
