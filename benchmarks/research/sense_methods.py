"""Vectors of contexts of every kind that was tried, from the shipped models: what `benchmarks.research.senses` clusters."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.sense_induction import (
    CONTEXT_VIEWS,
    WordSpace,
    context_vectors,
    word_space,
    word_weights,
)
from embeddings.corpora.sense_contexts import Context
from embeddings.probing.context_states import Occurrence, without_form, word_states
from embeddings.probing.network import Network, open_reader
from embeddings.probing.substitutes import substitutes
from embeddings.probing.surrounding_states import SHARE, first_span, readable_words
from embeddings.corpora.corpus_answers import SurroundingWord
from embeddings.shelf import find, load_vectors
from embeddings.text.lemmas import lemma_key
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

NETWORK = "bert-{}"  # of the language
FORMS, LEMMA = "{}-skipgram", "{}-lemmas"
LEMMAS = ("ru", "de")  # English has none: its forms change little
COMMON = 300  # most frequent forms that the reference leaves out
TOPN = 200  # substitutes of a context
Rows = NDArray[np.float32]


@dataclass(eq=False)
class Word:
    """A word's contexts in the set ``name``; ``vectors`` of them, once made, with the seconds that took."""

    name: str
    language: str
    contexts: list[Context]
    beside: list[tuple[SurroundingWord, ...]]
    attested: list[bool]
    vectors: dict[str, tuple[list[Rows], float]] = field(default_factory=dict)

    @property
    def golds(self) -> list[str]:
        """Gold senses."""
        return [context.gold for context in self.contexts]


class Models:
    """The shipped models, opened once."""

    def __init__(self) -> None:
        self.readers: dict[str, Network] = {}
        self.layer = -1  # of the word's own state, see `best_layer`
        self.forms: dict[str, Vectors] = {}
        self.spaces: dict[str, WordSpace] = {}

    def reader(self, language: str) -> Network:
        """The network of the language."""
        if language not in self.readers:
            name = NETWORK.format(language)
            self.readers[language] = open_reader(find(name).path, name)
        return self.readers[language]

    def plain(self, language: str) -> Vectors:
        """Vectors of forms."""
        if language not in self.forms:
            self.forms[language] = load_vectors(FORMS.format(language))
        return self.forms[language]

    def space(self, name: str, language: str) -> WordSpace:
        """Vectors as contexts are averaged from them."""
        if name not in self.spaces:
            self.spaces[name] = word_space(
                load_vectors(name), partial(lemma_key, language=language)
            )
        return self.spaces[name]

    def open_all(self) -> None:
        """Open every model, so that no method is charged for it."""
        for language in ("ru", "de", "en"):
            self.reader(language)
            self.plain(language)
            self.space(FORMS.format(language), language)
            self.companion(language)

    def companion(self, language: str) -> WordSpace:
        """What stands beside the network."""
        return self.space((LEMMA if language in LEMMAS else FORMS).format(language), language)


def log_rank(word: Word, models: Models) -> list[Rows]:
    """The reference: forms as they are spelled, weights log(rank)^2, the commonest left out."""
    vectors = models.plain(word.language)
    rows = np.zeros((len(word.contexts), vectors.vector_size), np.float32)
    for number, near in enumerate(word.beside):
        ranks = [vectors.find(neighbour.keys[-1]) for neighbour in near]
        frequency_ranks = np.array(
            [row for row in ranks if row is not None and row >= COMMON], np.int64
        )
        if len(frequency_ranks):
            weights = np.log(frequency_ranks + 1.0).astype(np.float32) ** 2
            rows[number] = weights @ vectors.unit[frequency_ranks]
    return [normalize_rows(rows)]


def tf_idf(word: Word, space: WordSpace) -> list[Rows]:
    """Means weighted by -log of a word's share of the corpus."""
    rows = np.zeros((len(word.contexts), space.matrix.shape[1]), np.float32)
    for number, near in enumerate(word.beside):
        space_rows = [row for neighbour in near if (row := space.find(neighbour.keys)) is not None]
        if space_rows:
            rows[number] = (
                -np.log(space.shares[space_rows]).astype(np.float32) @ space.matrix[space_rows]
            )
    return [normalize_rows(rows)]


def around(word: Word, models: Models) -> list[Rows]:
    """States of the words around, the last layer."""
    reader = models.reader(word.language)
    readable = readable_words(reader, word.contexts, word.beside, word.language)
    states = readable.read(word_states(reader, readable.occurrences).vectors)
    space = models.companion(word.language)
    return [states.means([word_weights(near, space) for near in states.words])[:, -1]]


def places(word: Word) -> list[tuple[int, Occurrence]]:
    """Rows of the contexts that hold the word, each with its place there."""
    return [
        (row, (context.text, span))
        for row, context in enumerate(word.contexts)
        if (span := first_span(context, word.language))
    ]


def own_states(word: Word, models: Models) -> NDArray[np.float32]:
    """The word's own states at every layer, less the mean of its contexts; zero where it is absent."""
    placed = places(word)
    states = word_states(
        models.reader(word.language), [occurrence for _, occurrence in placed]
    ).vectors
    rows = np.zeros((len(word.contexts), *states.shape[1:]), np.float32)
    rows[[row for row, _ in placed]] = states - states.mean(0)
    return rows


def form_centred(word: Word, models: Models) -> list[Rows]:
    """The word's own states at the last layer, less what their form brings."""
    placed = places(word)
    spans = [occurrence for _, occurrence in placed]
    states = word_states(models.reader(word.language), spans).vectors[:, -1]
    rows = np.zeros((len(word.contexts), states.shape[1]), np.float32)
    forms = [text[slice(*span)] for text, span in spans]
    rows[[row for row, _ in placed]] = normalize_rows(without_form(states, forms))
    return [rows]


def bags(word: Word, models: Models) -> list[Rows]:
    """Lemmas that the network would put in the word's place, as tf-idf over its contexts."""
    language = word.language
    placed = places(word)
    occurrences = [occurrence for _, occurrence in placed]
    proposals = substitutes(models.reader(language), occurrences, TOPN, embedding=0.5)
    columns: dict[str, int] = {}
    cells: dict[tuple[int, int], float] = {}
    for (row, _), ids, chances in zip(placed, proposals.ids, proposals.probabilities, strict=True):
        for token, chance in zip(ids, chances, strict=True):
            if (text := proposals.tokens[token]).isalpha():
                column = columns.setdefault(lemma_key(text, language), len(columns))
                cells[row, column] = cells.get((row, column), 0.0) + float(chance)
    counts = np.zeros((len(word.contexts), len(columns)), np.float32)
    for cell, value in cells.items():
        counts[cell] = np.sqrt(value)
    return [normalize_rows(counts * np.log(len(counts) / (counts > 0).sum(0)))]


def make_vectors(word: Word, models: Models, name: str) -> tuple[list[Rows], float]:
    """Vectors of a kind and what they took, made once."""
    if name not in word.vectors:
        begun = time.perf_counter()
        vectors = KINDS[name](word, models)
        word.vectors[name] = vectors, time.perf_counter() - begun
    return word.vectors[name]


def static(name: str, views: bool = False) -> Callable[[Word, Models], list[Rows]]:
    """Distance-weighted means: in the plain view, or in all."""

    def vectors(word: Word, models: Models) -> list[Rows]:
        space = models.space(name.format(word.language), word.language)
        if not views:
            return [context_vectors(word.beside, space)]
        return [context_vectors(word.beside, space, word.contexts[0].word, v) for v in CONTEXT_VIEWS]

    return vectors


KINDS: dict[str, Callable[[Word, Models], list[Rows]]] = {
    "log_rank": log_rank,
    "forms_tf_idf": lambda word, models: tf_idf(
        word, models.space(FORMS.format(word.language), word.language)
    ),
    "forms_distance": static(FORMS),
    "forms_views": static(FORMS, views=True),
    "lemmas_tf_idf": lambda word, models: tf_idf(
        word, models.space(LEMMA.format(word.language), word.language)
    ),
    "lemmas_distance": static(LEMMA),
    "lemmas_views": static(LEMMA, views=True),
    "companion_views": lambda word, models: make_vectors(
        word, models, "lemmas_views" if word.language in LEMMAS else "forms_views"
    )[0],
    "word_state": lambda word, models: [normalize_rows(own_states(word, models)[:, models.layer])],
    "form_centred": form_centred,
    "around": around,
    "substitutes": bags,
}
# method: what it puts side by side, and its parts' lengths; "given" is told the number of senses and clusters by Ward
METHODS: dict[str, tuple[tuple[str, float], ...]] = {
    "one_sense": (),
    "given_log_rank": (("log_rank", 1),),
    "given_lemmas": (("lemmas_distance", 1),),
    "forms_tf_idf": (("forms_tf_idf", 1),),
    "forms_distance": (("forms_distance", 1),),
    "forms_views": (("forms_views", 1),),
    "lemmas_tf_idf": (("lemmas_tf_idf", 1),),
    "lemmas_distance": (("lemmas_distance", 1),),
    "lemmas_views": (("lemmas_views", 1),),
    "word_state": (("word_state", 1),),
    "around": (("around", 1),),
    "substitutes": (("substitutes", 1),),
    "substitutes_and_static": (("companion_views", 1), ("substitutes", SHARE)),
    "word_state_and_static": (("companion_views", 1), ("word_state", SHARE)),
    "around_and_static": (("companion_views", 1), ("around", SHARE)),
    "form_and_static": (("companion_views", 1), ("form_centred", SHARE)),
}


def views(
    word: Word, models: Models, parts: Sequence[tuple[str, float]]
) -> tuple[list[Rows], float]:
    """What a method clusters: its parts side by side, each of its length, and what making them took."""
    made = [(*make_vectors(word, models, name), length) for name, length in parts]
    count = max(len(vectors) for vectors, _, _ in made)
    wide = [
        [vectors[i % len(vectors)] * length for vectors, _, length in made] for i in range(count)
    ]
    return [normalize_rows(np.hstack(blocks)) for blocks in wide], sum(
        seconds for _, seconds, _ in made
    )
