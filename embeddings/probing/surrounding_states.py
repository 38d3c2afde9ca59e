"""What a network makes of the words around a word: their states, averaged context by context, at every layer.

    c_l = unit(sum over words w around of weight(w) * unit(h_l(w) - m_l))

with h_l(w) the state of a word around at layer l, m_l the mean of all that are read, unit(x) = x / |x|, and the weights of
`embeddings.analysis.sense_induction`: rare words, near ones and those akin to the word in question weigh more. The word's own state is
left out: in a small network it says more of its form and place than of its sense. With a static companion, whose context
vector s is the same mean of static vectors, the two stand side by side: (s, share * c_l).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np

from embeddings.analysis.context_answers import WordStates
from embeddings.analysis.sense_induction import View, WordSpace, context_vectors, word_weights
from embeddings.arrays import Bools, Float32s
from embeddings.corpora.corpus_answers import Surroundings, SurroundingWord
from embeddings.corpora.sense_contexts import Context, spans_of, surroundings
from embeddings.probing.context_states import Occurrence, token_span, word_states
from embeddings.probing.network import Network
from embeddings.results import Value
from embeddings.text.word_positions import words_at
from embeddings.vectors.vector_rows import normalize_rows

SHARE = 0.5  # length of the network's part beside a static one of 1
AKIN = View(0.5, 1)  # nearness to the word in question counts


class SurroundingStates(Value, eq=False):
    """States of the words around, in each of n contexts.

    Attributes
    ----------
    contexts : sequence of Context
        With the words in question.
    beside : Surroundings
        All words around.
    words : tuple of tuple of SurroundingWord
        Those of each context that the network reads together with the word in question.
    truncated : NDArray of bool, shape (n,)
        Where a context was longer than the network takes.
    unknown : NDArray of bool, shape (n,)
        Where the vocabulary lacks a letter of the word in question, so that [UNK] stands for it.
    occurrences : list of (text, (start, end))
        Where the words are, context by context.
    states : NDArray of float32, shape (all words, layers + 1, hidden_size)
        Less their mean at each layer, unit length; of no words until they are read.
    """

    contexts: Sequence[Context]
    beside: Surroundings
    words: tuple[tuple[SurroundingWord, ...], ...]
    truncated: Bools
    unknown: Bools
    occurrences: list[Occurrence]
    states: Float32s = field(default_factory=lambda: np.zeros((0, 0, 0), np.float32))

    def read(self, vectors: Float32s, mean: Float32s | None = None) -> SurroundingStates:
        """Return the same with the states of the words, shape (all words, layers + 1, hidden_size), centred and of unit length."""
        if len(vectors):
            vectors = normalize_rows(vectors - (vectors.mean(0) if mean is None else mean))
        return replace(self, states=vectors)

    def means(self, weights: Sequence[Float32s]) -> Float32s:
        """Weighted means of each context at every layer, unit rows of shape (n, layers + 1, hidden_size).

        ``weights`` has one array per context, one number per word. A context without words is zero.
        """
        rows = np.zeros((len(self.words), *self.states.shape[1:]), np.float32)
        owners = np.repeat(np.arange(len(self.words)), [*map(len, self.words)])
        if len(owners):
            np.add.at(rows, owners, self.states * np.concatenate(weights)[:, None, None])
        return normalize_rows(rows)

    def of_contexts(self, space: WordSpace | None = None, *, alone: bool = False) -> WordStates:
        """Return the vector of each context from the states of the words around.

        Parameters
        ----------
        space : WordSpace, optional
            The static companion: it knows how common and how akin words are, and its vector of the context comes
            first, the same at every layer, the network's behind it at half its length.
        alone : bool, default False
            Whether the network's part stands alone.
        """
        words = [context.word for context in self.contexts]
        pairs = zip(self.words, words, strict=True)
        weights = [word_weights(near, space, word, AKIN) for near, word in pairs]
        vectors = self.means(weights)
        if space is not None and not alone:
            around = zip(self.beside, words, strict=True)
            static = [context_vectors([near], space, word, AKIN)[0] for near, word in around]
            static_part = np.repeat(np.array(static)[:, None], vectors.shape[1], axis=1)
            vectors = np.concatenate([static_part, SHARE * vectors], axis=2)
        tokens = tuple(tuple(word.word for word in near) for near in self.words)
        return WordStates(vectors, self.truncated, self.unknown, tokens)


def readable_words(
    reader: Network, contexts: Sequence[Context], beside: Surroundings, language: str
) -> SurroundingStates:
    """Find the surrounding words that fit with the word into the network's length, the others are left out; nothing is read yet."""
    occurrences: list[Occurrence] = []
    words: list[tuple[SurroundingWord, ...]] = []
    cut: list[bool] = []
    unknown: list[bool] = []
    for context, near in zip(contexts, beside, strict=True):
        (start, end), spelled = _window(reader, context, language)
        readable = tuple(word for word in near if start <= word.span[0] and word.span[1] <= end)
        text = context.text[start:end]
        occurrences += [(text, (w.span[0] - start, w.span[1] - start)) for w in readable]
        words.append(readable)
        cut.append(text != context.text)
        unknown.append(not spelled)
    flags = (np.array(cut, bool), np.array(unknown, bool))
    return SurroundingStates(contexts, beside, tuple(words), *flags, occurrences)


def context_states(
    reader: Network,
    contexts: Sequence[Context],
    language: str,
    mean: Float32s | None = None,
) -> WordStates:
    """Return the vector of each context, by the words around its word, at every layer.

    Parameters
    ----------
    reader : Network
        The network.
    contexts : sequence of Context
        Of one word or of many.
    language : str
        "en", "ru" or "de".
    mean : NDArray of float32, shape (layers + 1, hidden_size), optional
        Subtracted from the states of the words around, so that contexts read in several calls can be compared; the mean of the
        words of this call, if left out.

    Returns
    -------
    WordStates
        ``vectors`` of shape (n, layers + 1, hidden_size); ``tokens`` are the words around.
    """
    beside = [surroundings(context, language, strict=False) for context in contexts]
    readable = readable_words(reader, contexts, beside, language)
    read = word_states(reader, readable.occurrences)
    return readable.read(read.vectors, mean).of_contexts()


def first_span(context: Context, language: str) -> tuple[int, int] | None:
    """First place of the word in its context, None where it is absent."""
    return next(iter(spans_of(context, language)), None)


def _window(reader: Network, context: Context, language: str) -> tuple[tuple[int, int], bool]:
    """Characters of the context that the network reads at once, around the word, and whether it can spell the word."""
    whole = (0, len(context.text))
    if not (words := words_at(context.text)):
        return whole, True
    span = first_span(context, language)
    located = token_span(reader, context.text, span or words[0][1:])
    spelled = not span or all(
        located.tokens.ids[i] != reader.wordpiece.unk_id for i in located.positions
    )
    if not located.truncated:
        return whole, spelled
    inside = [offset for offset in located.tokens.offsets if offset[0] < offset[1]]
    return (inside[0][0], inside[-1][1]), spelled
