"""Answers about words in sentences: contexts, senses found, guesses for a blank, labels, scores of sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from embeddings.arrays import Bools, Float32s, Float64s, Int32s
from embeddings.results import Pair, Result, Table, Value

VECTORS = ("both", "around", "word")  # the one that separates senses best first
WORD = "word"  # the network's own vector of the word: the kind that is meant if none is named
AROUND = VECTORS[:2]  # from the words around, not from the word


class Guess(Pair):
    """A token that a network would put somewhere, with its ``probability`` among the whole vocabulary, in [0, 1]."""

    token: str
    probability: float


class RequestedWord(Value):
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


class FilledMask(Value, eq=False):
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
        The same at every layer by the logit lens (or the lens that was asked for), layer 0 first; the last equals ``guesses``.
    trace : NDArray of float64, shape (layers + 1, guesses)
        Probability of each of ``guesses`` at every layer.
    entropy : NDArray of float64, shape (layers + 1,)
        Nats: how undecided each layer is; log(vocabulary) if it knows nothing.
    requested : tuple of RequestedWord
    """

    start: int
    end: int
    segment: int
    guesses: tuple[Guess, ...]
    by_layer: tuple[tuple[Guess, ...], ...]
    trace: Float64s
    entropy: Float64s
    requested: tuple[RequestedWord, ...] = ()


class Lens(Result, eq=False):
    """The Jacobian lens of a network (`embeddings.probing.jacobian_lens`), and how far it agrees with the last layer.

    Attributes
    ----------
    jacobians : NDArray of float32, shape (layers, hidden_size, hidden_size)
        By layer, the embedding output first: the mean derivative of the last layer's state by that layer's.
    means : NDArray of float32, shape (layers + 1, hidden_size)
        Mean states, the last layer's last.
    kl, same : NDArray of float32, shape (2, layers)
        Of held-out positions: mean Kullback-Leibler divergence from the last layer's probabilities in nats, and share of first
        guesses that are the last layer's; by the logit lens, then by the Jacobian lens.
    positions, heldout_positions : int
        Masked positions that Jacobians were averaged over, and that agreement was measured on.
    weights : str
        sha256 of the network's weights; "" of a network in memory.
    """

    jacobians: Float32s
    means: Float32s
    kl: Float32s
    same: Float32s
    positions: int
    heldout_positions: int
    weights: str

    def table(self) -> Table:
        """Return a line a layer: KL in nats and share of equal first guesses, by the logit lens and by the Jacobian lens."""
        names = ["layer", "KL logit", "KL Jacobian", "same guess logit", "same guess Jacobian"]
        columns = np.concatenate([self.kl, self.same]).astype(float).T.tolist()
        return names, [[layer, *line] for layer, line in enumerate(columns)]


class Filled(Result, eq=False):
    """A text (and a ``second`` one, or "") with its masks in their order.

    ``unknown``: what [UNK] stands for, in the texts and among the words asked for.
    """

    text: str
    second: str
    masks: tuple[FilledMask, ...]
    unknown: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return a line a guess, the masks numbered from 1."""
        return ["mask", "token", "probability"], [
            [number, guess.token, guess.probability]
            for number, mask in enumerate(self.masks, 1)
            for guess in (*mask.guesses, *(Guess(w.word, w.probability) for w in mask.requested))
        ]


class Substitutes(Result, eq=False):
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

    ids: Int32s
    probabilities: Float32s
    tokens: tuple[str, ...]
    truncated: Bools

    def guesses(self, row: int, topn: int = 10) -> tuple[Guess, ...]:
        """Return the likeliest substitutes of one context."""
        pairs = zip(self.ids[row, :topn], self.probabilities[row, :topn], strict=True)
        return tuple(Guess(self.tokens[i], float(p)) for i, p in pairs)

    def table(self) -> Table:
        """Return a line a substitute; contexts are numbered from 1."""
        rows, topn = self.ids.shape
        return ["context", "token", "probability"], [
            [row + 1, *guess] for row in range(rows) for guess in self.guesses(row, topn)
        ]


class Reduction(Value):
    """How a table of vectors changed by being made smaller.

    Attributes
    ----------
    vector_size, before : int
        Dimensions, now and before.
    variance : float
        Share of the variance that is kept.
    """

    vector_size: int
    before: int
    variance: float


class NearWord(Value):
    """A word of a table next to a word in its sentence: ``cosine``, and ``centred``, with the table's mean subtracted.

    ``baseline`` and ``centred_baseline``: the mean of each over random words in sentences and all words of the table.
    """

    word: str
    cosine: float
    baseline: float
    centred: float
    centred_baseline: float


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


class WordShare(Value):
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


class SentenceScore(Result, eq=False):
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
    log_probabilities: Float64s
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

    @property
    def by_layer(self) -> Float64s:
        """The sum over the tokens at each layer, nats."""
        return np.asarray(self.log_probabilities.sum(axis=1))


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


class LayerAccuracy(Value):
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
