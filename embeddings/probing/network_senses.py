"""Senses of a word, induced with a network: what its states say of the words around, beside what static vectors say.

A context is the weighted mean of the states of the words around the word in question, at one layer,

    c = sum over words w of a / (a + p(w)) / sqrt(d(w)) * (h(w) - m) / |h(w) - m|

with m the mean over all words around (p, a, d as in `embeddings.analysis.sense_induction`), unit length. With a static companion the
two vectors of a context stand side by side, the network's times ``share``. The word's own state is left out: in a small network
it says more of its form and place in the sentence than of its sense (benchmarks/results/senses.json). Senses are named
by the words around where a companion knows them, else by substitutes: the tokens that the network would put there, likelier in the
sense's contexts than in the others; with a companion, words that it knows (so no parts of words, and none of another language), each
by how close it stands to the sense's contexts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.clustering import DEFAULT, ConsensusConfig
from embeddings.analysis.sense_induction import (
    VIEWS,
    Closeness,
    WordSpace,
    check_enough,
    closeness,
    context_vectors,
    induce_from,
    telling_words,
    word_weights,
)
from embeddings.configuration import check_range
from embeddings.corpora.sense_contexts import Context, surroundings
from embeddings.probing.context_states import check_layer
from embeddings.probing.network_with_tokenizer import Reader
from embeddings.probing.substitutes import SubstitutesConfig, substitutes
from embeddings.probing.surrounding_states import SHARE, first_span, surrounding_states
from embeddings.results.induced_senses import SenseInduction
from embeddings.results.word_contexts import Substitutes
from embeddings.text.byte_names import HEAD
from embeddings.text.lemmas import lemma, lemma_key
from embeddings.vectors.table import normalize_rows

NAMED = 5  # words a sense


@dataclass(frozen=True, slots=True)
class NetworkSensesConfig:
    """What a context's vector is made of."""

    layer: int = field(default=-1, metadata={"help": "0 is the embedding output; -1 the last."})
    share: float = field(
        default=SHARE, metadata={"help": "Length of the network's part beside a static one of 1."}
    )
    topn: int = field(default=200, metadata={"help": "Substitutes per context, for the names."})

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
    check_enough(len(contexts), contexts[0].word if contexts else "")
    beside = [surroundings(context, language, strict=False) for context in contexts]
    surrounding = surrounding_states(reader, contexts, beside, language)
    weights = [word_weights(near, space) for near in surrounding.words]
    points = surrounding.means(weights)[:, check_layer(reader, config.layer)]
    method = f"states of the words of the context, {reader.name}"
    views: list[NDArray[np.float32]] = []
    if space is not None:
        word, network_part = contexts[0].word, config.share * points
        views = [
            normalize_rows(np.hstack([context_vectors(beside, space, word, v), network_part]))
            for v in VIEWS
        ]
        points = normalize_rows(np.hstack([context_vectors(beside, space), network_part]))
        method += f" x {config.share}, beside {space.name}"
    induced = induce_from(points, consensus, views)
    near = closeness(beside, induced.labels, space) if space else None
    names = _names(reader, contexts, induced.labels, (language, near), config.topn)
    if space is not None:
        words = telling_words(beside, induced.labels, space)
        names = tuple(around or instead for around, instead in zip(words, names, strict=True))
    cut, unknown = int(surrounding.truncated.sum()), int((~points.any(1)).sum())
    return replace(induced, names=names, method=method, truncated=cut, unknown=unknown)


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
    weights = SubstitutesConfig(masked=1.0, embedding=0.5)
    best = substitutes(reader, occurrences, topn, weights, language=language)
    word_key = lemma_key(contexts[0].word, language)
    known_labels = labels[[row for row, _ in located]]
    return telling_substitutes(best, known_labels, number, language, {word_key}, near)


def telling_substitutes(
    substituted: Substitutes,
    labels: NDArray[np.int64],
    number: int,
    language: str,
    left_out: Collection[str] = (),
    near: Closeness | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Up to five substitutes a sense, of highest P(s | sense) log(P(s | sense) / P(s | the other senses)) c(s, sense).

    P(s | sense) is the mean over its contexts, forms of a lemma together; c is 1 without ``near``.

    Parameters
    ----------
    substituted : Substitutes
        Of each context.
    labels : NDArray of int64
        Sense of each context, below ``number``.
    number : int
        Senses; one without a context here gets no name.
    language : str
        Of the lemmas.
    left_out : collection of str
        Keys of lemmas that do not count, as the word's own.
    near : Closeness, optional
        Of the words of a static companion: what it lacks does not count, nor what says nothing (a
        two-thousandth of its corpus), and c is the closeness to the sense's contexts.
    """
    totals: dict[str, NDArray[np.float64]] = {}
    shown: dict[str, str] = {}
    close: dict[str, NDArray[np.float32] | None] = {}
    for row, label in enumerate(labels):
        for token, chance in zip(substituted.ids[row], substituted.probabilities[row], strict=True):
            text = substituted.tokens[token].removeprefix(HEAD)
            if not text.isalpha() or (key := lemma_key(text, language)) in left_out:
                continue
            if near is not None and key not in close:
                close[key] = near.of((key, text.lower()))
            if near is not None and close[key] is None:
                continue
            shown.setdefault(key, lemma(text, language))
            totals.setdefault(key, np.zeros(number))[label] += chance
    if not totals:
        return ((),) * number
    keys = list(totals)
    sizes = np.bincount(labels, minlength=number)
    sums = np.array([totals[key] for key in keys])
    inside = sums / np.maximum(sizes, 1)
    outside = (sums.sum(1, keepdims=True) - sums) / np.maximum(sizes.sum() - sizes, 1)
    scores = inside * np.log((inside + 1e-5) / (outside + 1e-5))
    if near is not None:
        scores *= np.array([close[key] for key in keys])
    order = np.argsort(-scores, axis=0, kind="stable")[:NAMED]
    return tuple(
        tuple(shown[keys[i]] for i in order[:, label] if scores[i, label] > 0)
        for label in range(number)
    )
