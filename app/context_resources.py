"""Cached answers on words in contexts: sentences, their vectors in a network, baselines, substitutes."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from app import resources
from embeddings import library
from embeddings.errors import KlyuchError
from embeddings.library import Entry
from embeddings.results.concordance import Line, WordForm
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
STANDINS = 12  # substitutes of one context


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
def states(entry: Entry, occurrences: tuple[Occurrence, ...]) -> WordStates:
    """Return the vector of a word in each of its sentences, at every layer."""
    from embeddings.probing.states import word_states

    return word_states(resources.reader(entry), occurrences)


@st.cache_resource(max_entries=12, show_spinner=False)
def baseline(entry: Entry, language: str) -> Baseline:
    """Return what random words of the project's own sentences have in common in a network."""
    from embeddings.probing.baseline import random_baseline

    texts = [context.text for context in shipped(language)]
    step = max(1, len(texts) // SENTENCES)
    return random_baseline(resources.reader(entry), texts[::step], words=WORDS)


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

    beside = [surroundings(context, language, strict=False) for context in contexts]
    return induce(beside, space(static, language), contexts[0].word)


@st.cache_resource(max_entries=24, show_spinner=False)
def found_inside(
    entry: Entry, language: str, occurrences: tuple[Occurrence, ...], layer: int
) -> SenseInduction:
    """Return the senses that the network's own vectors tell at one layer, random words' mean taken out."""
    from embeddings.analysis.consensus import unit
    from embeddings.analysis.senses import induce_from

    centre = baseline(entry, language).mean[layer]
    return induce_from(unit(states(entry, occurrences).vectors[:, layer] - centre))


@st.cache_resource(max_entries=24, show_spinner=False)
def maps(entry: Entry, occurrences: tuple[Occurrence, ...]) -> tuple[ContextMap, ...]:
    """Return a map of every layer."""
    from embeddings.analysis.contextual import context_maps

    return context_maps(states(entry, occurrences).vectors)


@st.cache_resource(max_entries=24, show_spinner=False)
def sweep(
    entry: Entry,
    language: str,
    occurrences: tuple[Occurrence, ...],
    groups: tuple[str, ...],
    rows: tuple[int, ...],
) -> Separation:
    """Return how far groups of contexts lie apart at every layer, looking at ``rows`` alone."""
    from embeddings.probing.baseline import separation

    found, chosen_rows = states(entry, occurrences), list(rows)
    chosen = replace(
        found,
        vectors=found.vectors[chosen_rows],
        truncated=found.truncated[chosen_rows],
        unknown=found.unknown[chosen_rows],
        tokens=tuple(found.tokens[row] for row in rows),
    )
    return separation(chosen, [groups[row] for row in rows], baseline(entry, language))


@st.cache_resource(max_entries=24, show_spinner=False)
def likeness(
    entry: Entry, language: str, occurrences: tuple[Occurrence, ...], layer: int
) -> LikenessMatrix:
    """Return the cosines of all contexts with each other at one layer, beside the random ones."""
    from embeddings.probing.baseline import likeness_matrix

    return likeness_matrix(states(entry, occurrences), layer, baseline(entry, language))
