"""Cached answers on words in contexts: sentences, their vectors in a network, baselines, substitutes.

Cached answers on the senses of a word: found in its contexts, and named.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from app.loaders import shelf_models
from embeddings import shelf
from embeddings.corpora.concordance import Concordance
from embeddings.corpora.contexts import Context, read_contexts, surroundings
from embeddings.errors import KlyuchError
from embeddings.results.induced_senses import SurroundingWord
from embeddings.results.word_contexts import ConcordanceLine, WordForm
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma_key

if TYPE_CHECKING:
    from embeddings.analysis.sense_induction import WordSpace
    from embeddings.probing.contextual_neighbours import ContextTable
    from embeddings.results.induced_senses import SenseInduction
    from embeddings.results.word_contexts import (
        Baseline,
        ContextMap,
        LikenessMatrix,
        Separation,
        Substitutes,
        WordStates,
    )


Occurrence = tuple[str, tuple[int, int]]  # a text, and the characters of a word in it
SENTENCES, WORDS = 80, 3  # read for the baseline: so many, and so many words of each
STANDINS = 12  # substitutes shown of one context
VECTORS = (
    "both",
    "around",
    "word",
    "blank",
)  # what a context's vector is; the one that tells senses best first
AROUND = VECTORS[:2]  # from the words around, not from the word


@dataclass(frozen=True)
class Question:
    """What the network is asked: the vectors of a word's contexts, of one of the kinds `VECTORS`.

    ``static`` is the companion that weighs the words around, and stands beside the network where ``vector`` is "both".
    """

    entry: Entry
    language: str
    contexts: tuple[Context, ...]
    vector: str
    static: Entry | None = None

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Text and place of the word in each context."""
        return tuple((context.text, context.positions[0]) for context in self.contexts)


@dataclass(frozen=True)
class Sense:
    """A marked sense: its gloss by screen language, whether the corpora teach it."""

    gloss: dict[str, str]
    taught: bool


BY_HASH: dict[str | type[Any], Callable[[Any], Any]] = {
    Question: hash,
    Context: hash,
}  # hundreds of sentences, looked up many times a page


@st.cache_resource(show_spinner=False)
def shipped(language: str) -> tuple[Context, ...]:
    """Return the project's own sentences of a language, their senses marked."""
    return read_contexts(shelf.data() / "contexts" / f"{language}.tsv")


@st.cache_resource(show_spinner=False)
def senses(language: str, word: str) -> dict[str, Sense]:
    """Return the marked senses of a word by their ids; nothing for a word that is not shipped."""
    path = shelf.data() / "contexts" / "senses.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))["sense"]
    return {
        str(sense["id"]): Sense(sense["gloss"], bool(sense["taught"]))
        for sense in found
        if (sense["language"], sense["word"]) == (language, word)
    }


@st.cache_data(max_entries=32, show_spinner=False)
def concordance_lines(
    path: Path,
    stamp: int,  # noqa: ARG001 - a file that was built anew is asked anew
    word: str,
    language: str,
    limit: int,
) -> tuple[tuple[WordForm, ...], tuple[ConcordanceLine, ...]]:
    """Return the forms of a word in the corpus, and lines that have it."""
    opened = Concordance.open(path)
    return opened.forms(word, language), opened.find(word, language, limit)


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=BY_HASH)
def states(asked: Question) -> WordStates:
    """Return the vector of each context at every layer, of the kind that is asked for."""
    from embeddings.probing.context_states import word_states
    from embeddings.probing.random_baseline import blanked
    from embeddings.probing.surrounding_states import context_states

    reader, places = shelf_models.reader(asked.entry), asked.occurrences
    if asked.vector in AROUND:
        known = space(asked.static, asked.language) if asked.static else None
        alone = asked.vector == "around"
        return context_states(reader, asked.contexts, asked.language, known, alone=alone)
    return word_states(reader, blanked(reader, places) if asked.vector == "blank" else places)


def baseline(asked: Question) -> Baseline:
    """Return what random vectors of the same kind, from the project's own sentences, have in common."""
    return _baseline(asked.entry, asked.language, asked.vector, asked.static)


@st.cache_resource(max_entries=12, show_spinner=False)
def _baseline(entry: Entry, language: str, vector: str, static: Entry | None) -> Baseline:
    """Read random words, blanks or contexts."""
    from embeddings.probing.random_baseline import baseline_of, blank_baseline
    from embeddings.probing.surrounding_states import context_baseline

    if vector == "word":
        states, owners = random_words(entry, language)
        return baseline_of(states.vectors, owners)
    reader = shelf_models.reader(entry)
    if vector == "blank":
        return blank_baseline(reader, [context.text for context in shipped(language)])
    known = space(static, language) if static else None
    return context_baseline(reader, _some(language), language, known, alone=vector == "around")


def _some(language: str) -> list[str]:
    """Return some of the project's own sentences, spread over all of them."""
    texts = [context.text for context in shipped(language)]
    return texts[:: max(1, len(texts) // SENTENCES)]


@st.cache_resource(max_entries=6, show_spinner=False)
def random_words(entry: Entry, language: str) -> tuple[WordStates, list[int]]:
    """Return the states of random words in the project's own sentences, and which sentence each is of."""
    from embeddings.probing import random_baseline
    from embeddings.probing.context_states import word_states

    drawn, owners = random_baseline.random_words(_some(language), words=WORDS)
    return word_states(shelf_models.reader(entry), drawn), owners


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def maps(asked: Question, rows: tuple[int, ...]) -> tuple[ContextMap, ...]:
    """Return a map of every layer, its axes fitted on ``rows``."""
    from embeddings.analysis.projection import context_maps

    return context_maps(states(asked).vectors, rows)


@st.cache_resource(max_entries=48, show_spinner=False, hash_funcs=BY_HASH)
def sweep(asked: Question, groups: tuple[str, ...], rows: tuple[int, ...]) -> Separation:
    """Return how far groups of contexts lie apart at every layer, looking at ``rows`` alone."""
    from embeddings.probing.random_baseline import separation

    found, chosen = states(asked), list(rows)
    part = replace(
        found,
        vectors=found.vectors[chosen],
        truncated=found.truncated[chosen],
        unknown=found.unknown[chosen],
        tokens=tuple(found.tokens[row] for row in chosen),
    )
    return separation(part, [groups[row] for row in chosen], baseline(asked))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def likeness(asked: Question, layer: int) -> LikenessMatrix:
    """Return the cosines of all contexts with each other at one layer, beside the random ones."""
    from embeddings.probing.random_baseline import likeness_matrix

    return likeness_matrix(states(asked), layer, baseline(asked))


@st.cache_resource(max_entries=64, show_spinner=False)
def substitutes(entry: Entry, occurrence: Occurrence) -> Substitutes:
    """Return what the network would put in the place of a word in one sentence."""
    from embeddings.probing.substitutes import substitutes as ask

    return ask(shelf_models.reader(entry), [occurrence], STANDINS)


@st.cache_resource(max_entries=12, show_spinner=False)
def table(entry: Entry, language: str) -> ContextTable | None:
    """Return the network's table of type-averaged vectors on the shelf, if there is one."""
    from embeddings.probing.contextual_neighbours import check_network, open_table

    for other in shelf_models.static_models():
        if other.language == language and isinstance(shelf_models.card(other).get("network"), dict):
            try:
                found = open_table(other.path)
                check_network(found, entry.path)
            except (KlyuchError, OSError):  # of another network, or damaged
                continue
            return found
    return None


@st.cache_resource(max_entries=3, show_spinner=False)
def space(entry: Entry, language: str) -> WordSpace:
    """Return the lemmas of a static model as contexts are averaged from them."""
    from embeddings.analysis.sense_induction import word_space

    return word_space(shelf_models.vectors(entry), lambda form: lemma_key(form, language))


NAMING = 200  # substitutes read to name senses


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def found_around(static: Entry, language: str, contexts: tuple[Context, ...]) -> SenseInduction:
    """Return the senses that the words around tell, by a static model."""
    from embeddings.analysis.sense_induction import induce

    return induce(_beside(contexts, language), space(static, language), contexts[0].word)


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def found_together(asked: Question) -> SenseInduction:
    """Return the senses that the words around tell, as the network reads them, beside a static model."""
    from embeddings.probing.network_senses import induce_with

    companion = space(asked.static, asked.language) if asked.static else None
    return induce_with(shelf_models.reader(asked.entry), asked.contexts, asked.language, companion)


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def found_inside(asked: Question, layer: int) -> SenseInduction:
    """Return the senses that the vectors of the map tell at a layer."""
    from embeddings.analysis.sense_induction import check_enough, induce_from
    from embeddings.vectors.table import normalize_rows

    check_enough(len(asked.contexts), "")
    return induce_from(
        normalize_rows(states(asked).vectors[:, layer] - baseline(asked).mean[layer])
    )


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def sense_names(asked: Question, labels: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the substitutes that tell some senses apart, with a static model words of the language alone."""
    from embeddings.analysis.sense_induction import closeness
    from embeddings.probing.network_senses import telling_substitutes

    try:
        found = _many_substitutes(asked.entry, asked.language, asked.occurrences)
    except KlyuchError:  # a network without a token head
        return ((),) * (max(labels) + 1)
    own, rows, near = lemma_key(asked.contexts[0].word, asked.language), np.array(labels), None
    if asked.static:
        companion = space(asked.static, asked.language)
        near = closeness(_beside(asked.contexts, asked.language), rows, companion)
    return telling_substitutes(found, rows, max(labels) + 1, asked.language, {own}, near)


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def words_around(
    static: Entry, language: str, contexts: tuple[Context, ...], labels: tuple[int, ...]
) -> tuple[tuple[str, ...], ...]:
    """Return the words of the contexts that tell some senses apart, by a static model."""
    from embeddings.analysis.sense_induction import telling_words

    return telling_words(_beside(contexts, language), np.array(labels), space(static, language))


@st.cache_resource(max_entries=12, show_spinner=False)
def _many_substitutes(
    entry: Entry, language: str, occurrences: tuple[Occurrence, ...]
) -> Substitutes:
    """Return enough substitutes of each context to name senses by."""
    from embeddings.probing.reader import whole_words
    from embeddings.probing.substitutes import SubstitutesConfig
    from embeddings.probing.substitutes import substitutes as ask

    reader = shelf_models.reader(entry)
    topn = min(NAMING, int(whole_words(reader).sum()))
    config = SubstitutesConfig(masked=1.0, embedding=0.5)
    return ask(reader, occurrences, topn, config, language=language)


def _beside(contexts: tuple[Context, ...], language: str) -> list[tuple[SurroundingWord, ...]]:
    """Return the words around the word in each context."""
    return [surroundings(context, language, strict=False) for context in contexts]
