"""Cached answers on words in contexts: sentences, their vectors in a network, baselines, substitutes."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import resources
from embeddings import library
from embeddings.errors import KlyuchError
from embeddings.library import Entry
from embeddings.results.concordance import Line, WordForm
from embeddings.results.senses import Beside
from embeddings.text.concordance import Concordance
from embeddings.text.contexts import Context, read_contexts
from embeddings.text.forms import lemma_key
from embeddings.text.surroundings import surroundings

if TYPE_CHECKING:
    from embeddings.analysis.senses import WordSpace
    from embeddings.probing.neighbours import ContextTable
    from embeddings.results.context_map import ContextMap
    from embeddings.results.contexts import Substitutes, WordStates
    from embeddings.results.likeness import Baseline, LikenessMatrix, Separation
    from embeddings.results.senses import SenseInduction

Occurrence = tuple[str, tuple[int, int]]  # a text, and the characters of a word in it
SENTENCES, WORDS = 80, 3  # read for the baseline: so many, and so many words of each
STANDINS, NAMING = 12, 200  # substitutes shown of one context, and read to name senses


@dataclass(frozen=True)
class Question:
    """What the network is asked: a word in its places, its vector there or (``blank``) that of a mask."""

    entry: Entry
    language: str
    occurrences: tuple[Occurrence, ...]
    blank: bool


@dataclass(frozen=True)
class Sense:
    """A marked sense: its gloss by screen language, whether the corpora teach it."""

    gloss: dict[str, str]
    taught: bool


@st.cache_resource(show_spinner=False)
def shipped(language: str) -> tuple[Context, ...]:
    """Return the project's own sentences of a language, their senses marked."""
    return read_contexts(library.data() / "contexts" / f"{language}.tsv")


@st.cache_resource(show_spinner=False)
def senses(language: str, word: str) -> dict[str, Sense]:
    """Return the marked senses of a word by their ids; nothing for a word that is not shipped."""
    path = library.data() / "contexts" / "senses.toml"
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
) -> tuple[tuple[WordForm, ...], tuple[Line, ...]]:
    """Return the forms of a word in the corpus, and lines that have it."""
    opened = Concordance.open(path)
    return opened.forms(word, language), opened.find(word, language, limit)


@st.cache_resource(max_entries=12, show_spinner=False)
def states(asked: Question) -> WordStates:
    """Return the vector of a word in each of its sentences, or of the blank there, at every layer."""
    from embeddings.probing.blanks import blanked
    from embeddings.probing.states import word_states

    reader, places = resources.reader(asked.entry), asked.occurrences
    return word_states(reader, blanked(reader, places) if asked.blank else places)


@st.cache_resource(max_entries=12, show_spinner=False)
def baseline(entry: Entry, language: str, blank: bool) -> Baseline:
    """Return what random words (or blanks) of the project's own sentences have in common."""
    from embeddings.probing.baseline import random_baseline
    from embeddings.probing.blanks import blank_baseline

    texts, reader = [context.text for context in shipped(language)], resources.reader(entry)
    if blank:
        return blank_baseline(reader, texts)
    return random_baseline(reader, texts[:: max(1, len(texts) // SENTENCES)], words=WORDS)


@st.cache_resource(max_entries=24, show_spinner=False)
def maps(asked: Question) -> tuple[ContextMap, ...]:
    """Return a map of every layer."""
    from embeddings.analysis.contextual import context_maps

    return context_maps(states(asked).vectors)


@st.cache_resource(max_entries=48, show_spinner=False)
def sweep(asked: Question, groups: tuple[str, ...], rows: tuple[int, ...]) -> Separation:
    """Return how far groups of contexts lie apart at every layer, looking at ``rows`` alone."""
    from embeddings.probing.baseline import separation

    found, chosen = states(asked), list(rows)
    part = replace(
        found,
        vectors=found.vectors[chosen],
        truncated=found.truncated[chosen],
        unknown=found.unknown[chosen],
        tokens=tuple(found.tokens[row] for row in chosen),
    )
    return separation(part, [groups[row] for row in chosen], _base(asked))


@st.cache_resource(max_entries=24, show_spinner=False)
def likeness(asked: Question, layer: int) -> LikenessMatrix:
    """Return the cosines of all contexts with each other at one layer, beside the random ones."""
    from embeddings.probing.baseline import likeness_matrix

    return likeness_matrix(states(asked), layer, _base(asked))


def _base(asked: Question) -> Baseline:
    """Return the baseline of the vectors that are asked for."""
    return baseline(asked.entry, asked.language, asked.blank)


@st.cache_resource(max_entries=64, show_spinner=False)
def substitutes(entry: Entry, occurrence: Occurrence) -> Substitutes:
    """Return what the network would put in the place of a word in one sentence."""
    from embeddings.probing.substitutes import substitutes as ask

    return ask(resources.reader(entry), [occurrence], STANDINS)


@st.cache_resource(max_entries=12, show_spinner=False)
def table(entry: Entry, language: str) -> ContextTable | None:
    """Return the network's table of type-averaged vectors on the shelf, if there is one."""
    from embeddings.probing.neighbours import check_network, open_table

    for other in resources.shelf():
        if other.language == language and isinstance(resources.card(other).get("network"), dict):
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
    from embeddings.analysis.senses import word_space

    return word_space(resources.vectors(entry), lambda form: lemma_key(form, language))


@st.cache_resource(max_entries=24, show_spinner=False)
def found_around(static: Entry, language: str, contexts: tuple[Context, ...]) -> SenseInduction:
    """Return the senses that the words around tell, by a static model."""
    from embeddings.analysis.senses import induce

    return induce(_beside(contexts, language), space(static, language), contexts[0].word)


@st.cache_resource(max_entries=24, show_spinner=False)
def found_together(
    asked: Question, static: Entry | None, contexts: tuple[Context, ...]
) -> SenseInduction:
    """Return the senses that the words around tell, as the network reads them, beside a static model."""
    from embeddings.probing.senses import induce_with

    companion = space(static, asked.language) if static else None
    return induce_with(resources.reader(asked.entry), contexts, asked.language, companion)


@st.cache_resource(max_entries=24, show_spinner=False)
def found_inside(asked: Question, layer: int) -> SenseInduction:
    """Return the senses that the network's own vectors of the word (or its blank) tell at a layer."""
    from embeddings.analysis.consensus import unit
    from embeddings.analysis.senses import check_enough, induce_from

    check_enough(len(asked.occurrences), "")
    return induce_from(unit(states(asked).vectors[:, layer] - _base(asked).mean[layer]))


@st.cache_resource(max_entries=24, show_spinner=False)
def names(
    asked: Question, static: Entry | None, word: str, labels: tuple[int, ...]
) -> tuple[tuple[str, ...], ...]:
    """Return the substitutes that tell some senses apart, none of them a function word."""
    from embeddings.probing.senses import telling_substitutes

    try:
        found = _many_substitutes(asked.entry, asked.language, asked.occurrences)
    except KlyuchError:  # a network without a token head
        return ((),) * (max(labels) + 1)
    common = space(static, asked.language).common_keys() if static else ()
    left_out = {lemma_key(word, asked.language), *common}
    rows = np.array(labels)
    return telling_substitutes(found, rows, max(labels) + 1, asked.language, left_out)


@st.cache_resource(max_entries=24, show_spinner=False)
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
