"""Cached answers on words in contexts: sentences, their vectors in a network, baselines, substitutes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from app import resources
from embeddings import library
from embeddings.errors import KlyuchError
from embeddings.library import Entry
from embeddings.results.concordance import Line, WordForm
from embeddings.text.concordance import Concordance
from embeddings.text.contexts import Context, read_contexts
from embeddings.text.forms import lemma_key

if TYPE_CHECKING:
    from embeddings.analysis.senses import WordSpace
    from embeddings.probing.neighbours import ContextTable
    from embeddings.results.context_map import ContextMap
    from embeddings.results.contexts import Substitutes, WordStates
    from embeddings.results.likeness import Baseline, LikenessMatrix, Separation

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


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=BY_HASH)
def states(asked: Question) -> WordStates:
    """Return the vector of each context at every layer, of the kind that is asked for."""
    from embeddings.probing.around import context_states
    from embeddings.probing.blanks import blanked
    from embeddings.probing.states import word_states

    reader, places = resources.reader(asked.entry), asked.occurrences
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
    from embeddings.probing.around import context_baseline
    from embeddings.probing.baseline import baseline_of
    from embeddings.probing.blanks import blank_baseline

    if vector == "word":
        states, owners = random_words(entry, language)
        return baseline_of(states.vectors, owners)
    reader = resources.reader(entry)
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
    from embeddings.probing import baseline
    from embeddings.probing.states import word_states

    drawn, owners = baseline.random_words(_some(language), words=WORDS)
    return word_states(resources.reader(entry), drawn), owners


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def maps(asked: Question, rows: tuple[int, ...]) -> tuple[ContextMap, ...]:
    """Return a map of every layer, its axes fitted on ``rows``."""
    from embeddings.analysis.contextual import context_maps

    return context_maps(states(asked).vectors, rows)


@st.cache_resource(max_entries=48, show_spinner=False, hash_funcs=BY_HASH)
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
    return separation(part, [groups[row] for row in chosen], baseline(asked))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_HASH)
def likeness(asked: Question, layer: int) -> LikenessMatrix:
    """Return the cosines of all contexts with each other at one layer, beside the random ones."""
    from embeddings.probing.baseline import likeness_matrix

    return likeness_matrix(states(asked), layer, baseline(asked))


@st.cache_resource(max_entries=64, show_spinner=False)
def substitutes(entry: Entry, occurrence: Occurrence) -> Substitutes:
    """Return what the network would put in the place of a word in one sentence."""
    from embeddings.probing.substitutes import substitutes as ask

    return ask(resources.reader(entry), [occurrence], STANDINS)


@st.cache_resource(max_entries=12, show_spinner=False)
def table(entry: Entry, language: str) -> ContextTable | None:
    """Return the network's table of type-averaged vectors on the shelf, if there is one."""
    from embeddings.probing.neighbours import check_network, open_table

    for other in resources.static_models():
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
