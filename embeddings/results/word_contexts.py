"""Results on words in contexts: lines of a concordance, vectors by layer, guesses at a mask, substitutes, similarities.

`app/figures/` draws from these alone. Layer 0 is the embedding output, layer k the output of the k-th layer; cosines lie in [-1, 1],
probabilities in [0, 1]. Similarities
are next to what random words of the same layer have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.results.display import Pair, Result, Table

VECTORS = ("both", "around", "word", "blank")  # the one that separates senses best first
AROUND = VECTORS[:2]  # from the words around, not from the word
INDUCTION_METHODS = ("together", "around", "inside")  # the best measured first


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """A piece of a paragraph that has the word at ``spans``: (start, end) in characters of ``text``.

    ``file`` is the name of the text file, ``document`` the number of the document in it, from 1.
    ``is_cut``: the paragraph is longer, and ``text`` are the sentences around the word.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    file: str
    document: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class WordForm:
    """A form of a word in small letters, and in how many paragraphs it stands."""

    form: str
    paragraphs: int


@dataclass(frozen=True, slots=True, eq=False)
class ContextMap(Result):
    """The contexts of a word at one layer, along the two directions in which they differ most.

    Attributes
    ----------
    coordinates : NDArray of float64, shape (contexts, 2)
        In units of the contexts' mean length, so that layers can be compared; the mean of those that the axes were
        fitted on is (0, 0), which is where the one static vector lies.
    explained_variance_ratio : tuple of float
        Share of their variance along each of the two.
    """

    coordinates: NDArray[np.float64]
    explained_variance_ratio: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WordStates(Result):
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
class Guess(Pair):
    """A token that a network would put somewhere, with its ``probability`` among the whole vocabulary, in [0, 1]."""

    token: str
    probability: float


@dataclass(frozen=True, slots=True)
class RequestedWord:
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
    trace: NDArray[np.float64]
    entropy: NDArray[np.float64]
    requested: tuple[RequestedWord, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Lens(Result):
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

    jacobians: NDArray[np.float32]
    means: NDArray[np.float32]
    kl: NDArray[np.float32]
    same: NDArray[np.float32]
    positions: int
    heldout_positions: int
    weights: str

    def table(self) -> Table:
        """Return a line a layer: KL in nats and share of equal first guesses, by the logit lens and by the Jacobian lens."""
        names = ["layer", "KL logit", "KL Jacobian", "same guess logit", "same guess Jacobian"]
        columns = np.concatenate([self.kl, self.same]).astype(float).T.tolist()
        return names, [[layer, *line] for layer, line in enumerate(columns)]


@dataclass(frozen=True, slots=True, eq=False)
class Filled(Result):
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


@dataclass(frozen=True, slots=True, eq=False)
class WordRemovals(Result):
    """What each word of a text does for the network's guess at its blank, next to the attention that it gets from there.

    Attributes
    ----------
    text : str
        With one [MASK].
    word : str
        The word whose probability at the mask is followed.
    words : tuple of str
        The other words of the text, n of them.
    effects : NDArray of float64, shape (n,)
        Nats by which log p(word) falls when that word is masked too; below 0 where it rises.
    attention : NDArray of float64, shape (n,)
        Weight from the blank, mean over all layers and heads, in [0, 1]; what is missing to 1 goes to [CLS], [SEP], signs and
        the blank itself.
    spearman : float
        Rank correlation of the two; NaN where one of them is constant.
    """

    text: str
    word: str
    words: tuple[str, ...]
    effects: NDArray[np.float64]
    attention: NDArray[np.float64]
    spearman: float


@dataclass(frozen=True, slots=True, eq=False)
class Substitutes(Result):
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
        Dimensions, now and before.
    variance : float
        Share of the variance that is kept.
    overlap : float
        Share of each word's 10 nearest that stay among the 10 nearest, mean over words.
    """

    vector_size: int
    before: int
    variance: float
    overlap: float


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
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

    cosine: NDArray[np.float64]
    centred: NDArray[np.float64]
    mean: NDArray[np.float32]
    words: int
    sentences: int


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word of a table next to a word in its sentence: ``cosine``, and ``centred``, with the table's mean subtracted.

    ``baseline`` and ``centred_baseline``: the mean of each over random words in sentences and all words of the table.
    """

    word: str
    cosine: float
    baseline: float
    centred: float
    centred_baseline: float


@dataclass(frozen=True, slots=True, eq=False)
class LikenessMatrix(Result):
    """Cosines of all occurrences at one layer, shape (n, n), and the random baseline of each kind."""

    layer: int
    cosine: NDArray[np.float32]
    baseline: float
    centred: NDArray[np.float32]
    centred_baseline: float

    def table(self) -> Table:
        """Return a line a pair of occurrences, numbered from 1."""
        return ["first", "second", "cosine", "centred"], [
            [row + 1, column + 1, self.cosine[row, column], self.centred[row, column]]
            for row in range(len(self.cosine))
            for column in range(row + 1, len(self.cosine))
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Separation(Result):
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
    ari : NDArray of float64
        Adjusted Rand index of the clusters given for each layer; NaN where none were.
    best : int
        The layer of the largest silhouette, the embeddings left out: they know a word's form and place, not its company.
    """

    within: NDArray[np.float64]
    between: NDArray[np.float64]
    baseline: NDArray[np.float64]
    centred_within: NDArray[np.float64]
    centred_between: NDArray[np.float64]
    centred_baseline: NDArray[np.float64]
    silhouette: NDArray[np.float64]
    ari: NDArray[np.float64]
    best: int
