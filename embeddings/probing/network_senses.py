"""Senses of a word, induced with a network: what its states say of each context, next to what static vectors say.

With a static companion a context is two vectors side by side: the weighted mean of the static vectors of the words around, and, times
``share``, the state of the word itself at one layer less what its form brings (`embeddings.probing.form_centred_states`). Without one it is
the weighted mean of the states of the words around,

    c = sum over words w of a / (a + p(w)) / sqrt(d(w)) * (h(w) - m) / |h(w) - m|

with m the mean over all words around (p, a, d as in `embeddings.analysis.sense_induction`), unit length: alone, the word's own state
separates senses worse in a small network (benchmarks/results/senses.json). Senses are named
by the words around where a companion knows them, else by substitutes: the tokens that the network would put there, likelier in the
sense's contexts than in the others; with a companion, words that it knows (so no parts of words, and none of another language), each
by how close it stands to the sense's contexts. A network without an MLM head has no substitutes: the words around name its senses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.clustering import DEFAULT, ConsensusConfig
from embeddings.analysis.sense_induction import (
    Closeness,
    Companion,
    NetworkPart,
    WordSpace,
    check_enough,
    closeness,
    induce_beside,
    telling_words,
    word_weights,
)
from embeddings.configuration import check_range
from embeddings.corpora.sense_contexts import Context, surroundings
from embeddings.probing.context_states import check_layer
from embeddings.probing.form_centred_states import form_centred_states
from embeddings.probing.network_with_tokenizer import Reader
from embeddings.probing.substitutes import NAMING, NAMING_TOPN, substitutes, telling_substitutes
from embeddings.probing.surrounding_states import SHARE, first_span, surrounding_states
from embeddings.results.induced_senses import SenseInduction, SurroundingWord
from embeddings.text.function_words import function_words
from embeddings.text.lemmas import lemma_key


@dataclass(frozen=True, slots=True)
class NetworkSensesConfig:
    """What a context's vector is made of."""

    layer: int = field(default=-1, metadata={"help": "0 is the embedding output; -1 the last."})
    share: float = field(
        default=SHARE, metadata={"help": "Length of the network's part beside a static one of 1."}
    )
    topn: int = field(
        default=NAMING_TOPN, metadata={"help": "Substitutes per context, for the names."}
    )

    def __post_init__(self) -> None:
        check_range("share", self.share, 0, 100)
        check_range("topn", self.topn, 1, 100_000)


def induce_with(
    reader: Reader,
    contexts: Sequence[Context],
    language: str,
    space: WordSpace | None = None,
    config: NetworkSensesConfig = NetworkSensesConfig(),
    consensus: ConsensusConfig = DEFAULT,
) -> SenseInduction:
    """Find the senses of one word in its contexts by a network, how many there are, and name them.

    Parameters
    ----------
    reader : Reader
        The network.
    contexts : sequence of Context
        Of one word; a context without it counts with all its words.
    language : str
        "en", "ru" or "de".
    space : WordSpace, optional
        The static companion.
    config, consensus
        Settings.

    Raises
    ------
    InputError
        If there are fewer than three contexts.
    """
    word = contexts[0].word if contexts else ""
    check_enough(len(contexts), word)
    beside = [surroundings(context, language, strict=False) for context in contexts]
    layer = check_layer(reader, config.layer)
    if space is None:
        surrounding = surrounding_states(reader, contexts, beside, language)
        weights = [word_weights(near, space) for near in surrounding.words]
        points, truncated = surrounding.means(weights)[:, layer], surrounding.truncated
        part, companion = NetworkPart(points, np.asarray(points.any(1)), reader.name), None
    else:
        own = form_centred_states(reader, contexts, language)
        points, truncated = own.vectors[:, layer], own.truncated
        is_read, companion = np.array([*map(bool, own.tokens)]), Companion(space, config.share)
        part = NetworkPart(points, is_read, reader.name)
    induced = induce_beside(part, beside, word, companion, consensus)
    near = closeness(beside, induced.labels, space) if space else None
    if reader.network.tokens is None:  # no MLM head, no substitutes: the words around
        names = frequent_words(beside, induced.labels, language)
    else:
        names = _names(reader, contexts, induced.labels, (language, near), config.topn)
    if space is not None:
        words = telling_words(beside, induced.labels, space)
        names = tuple(around or instead for around, instead in zip(words, names, strict=True))
    return replace(induced, names=names, truncated=int(truncated.sum()))


def frequent_words(
    contexts: Sequence[Sequence[SurroundingWord]],
    labels: NDArray[np.int64],
    language: str,
    topn: int = 5,
) -> tuple[tuple[str, ...], ...]:
    """Return the words of each sense's contexts that are commoner there than in the others, the most telling first.

    A word of one context alone says nothing, nor does one of one or two letters.
    The score is P(w | sense) log(P(w | sense) / P(w | the other senses)).
    """
    closed = function_words(language)
    number = int(labels.max()) + 1
    counts = [Counter[str]() for _ in range(number)]
    for words, label in zip(contexts, labels.tolist(), strict=True):
        counts[label].update({near.word.lower() for near in words} - closed)
    sizes = np.bincount(labels, minlength=number)
    total = sum(counts, Counter[str]())
    names = []
    for own, size in zip(counts, sizes.tolist(), strict=True):
        others = max(len(labels) - size, 1)
        scores = {
            word: (count / size)
            * np.log((count / size + 0.01) / ((total[word] - count) / others + 0.01))
            for word, count in own.items()
            if count > 1 and len(word) > 2
        }
        best = sorted(scores, key=lambda word: (-scores[word], word))[:topn]
        names.append(tuple(word for word in best if scores[word] > 0))
    return tuple(names)


def _names(
    reader: Reader,
    contexts: Sequence[Context],
    labels: NDArray[np.int64],
    words: tuple[str, Closeness | None],
    topn: int,
) -> tuple[tuple[str, ...], ...]:
    """Substitutes that tell the senses apart; ``words`` is the language and how close its words stand to the senses."""
    language, near = words
    number = int(labels.max()) + 1
    located = [
        (row, span)
        for row, context in enumerate(contexts)
        if (span := first_span(context, language))
    ]
    if not located:
        return ((),) * number
    occurrences = [(contexts[row].text, span) for row, span in located]
    best = substitutes(reader, occurrences, topn, NAMING)
    word_key = lemma_key(contexts[0].word, language)
    known_labels = labels[[row for row, _ in located]]
    return telling_substitutes(best, known_labels, number, language, {word_key}, near)
