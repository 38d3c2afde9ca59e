"""Cached answers on the senses of a word: found in its contexts, and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import resources
from app.context_resources import BY_HASH, Occurrence, Question, baseline, space, states
from embeddings.errors import KlyuchError
from embeddings.library import Entry
from embeddings.results.senses import Beside
from embeddings.text.contexts import Context
from embeddings.text.forms import lemma_key
from embeddings.text.surroundings import surroundings

if TYPE_CHECKING:
    from embeddings.results.contexts import Substitutes
    from embeddings.results.senses import SenseInduction

NAMING = 200  # substitutes read to name senses


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def found_around(static: Entry, language: str, contexts: tuple[Context, ...]) -> SenseInduction:
    """Return the senses that the words around tell, by a static model."""
    from embeddings.analysis.senses import induce

    return induce(_beside(contexts, language), space(static, language), contexts[0].word)


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def found_together(asked: Question) -> SenseInduction:
    """Return the senses that the words around tell, as the network reads them, beside a static model."""
    from embeddings.probing.senses import induce_with

    companion = space(asked.static, asked.language) if asked.static else None
    return induce_with(resources.reader(asked.entry), asked.contexts, asked.language, companion)


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def found_inside(asked: Question, layer: int) -> SenseInduction:
    """Return the senses that the vectors of the map tell at a layer."""
    from embeddings.analysis.consensus import unit
    from embeddings.analysis.senses import check_enough, induce_from

    check_enough(len(asked.contexts), "")
    return induce_from(unit(states(asked).vectors[:, layer] - baseline(asked).mean[layer]))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def names(asked: Question, labels: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the substitutes that tell some senses apart, with a static model words of the language alone."""
    from embeddings.analysis.senses import closeness
    from embeddings.probing.senses import telling_substitutes

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
    from embeddings.analysis.senses import telling_words

    return telling_words(_beside(contexts, language), np.array(labels), space(static, language))


@st.cache_resource(max_entries=12, show_spinner=False)
def _many_substitutes(
    entry: Entry, language: str, occurrences: tuple[Occurrence, ...]
) -> Substitutes:
    """Return enough substitutes of each context to name senses by."""
    from embeddings.probing.substitutes import SubstitutesConfig
    from embeddings.probing.substitutes import substitutes as ask
    from embeddings.probing.vocabulary import whole_words

    reader = resources.reader(entry)
    topn = min(NAMING, int(whole_words(reader).sum()))
    config = SubstitutesConfig(masked=1.0, embedding=0.5)
    return ask(reader, occurrences, topn, config, language=language)


def _beside(contexts: tuple[Context, ...], language: str) -> list[tuple[Beside, ...]]:
    """Return the words around the word in each context."""
    return [surroundings(context, language, strict=False) for context in contexts]
