"""Contexts: which sentences are read, those that ship, pasted ones, lines of a corpus or a file; and how they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import context_answers, shelf_models
from app.views.contexts import sense_reports
from app.views.contexts.chosen_contexts import (
    EXAMPLE_WORDS,
    FIRST_WORDS,
    HARD_WORDS,
    MAX_OCCURRENCES,
    ChosenContexts,
    list_lacking,
    open_file,
    search_corpus,
)
from app.widgets import inputs, network_inputs, outputs
from app.widgets.frame import PageState
from embeddings.corpora.sense_contexts import Context
from embeddings.probing.sentence_answers import VECTORS, WORD
from embeddings.shelf import Entry
from embeddings.text.word_positions import is_word, occurrences

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator


SOURCES = ("shipped", "own", "corpus", "file")
MAX_PASTED = 6000  # characters that a link can hold
EXAMPLES_A_SENSE = 3  # sentences of each sense that the field for pasted ones starts with


def choose_contexts(page: PageState) -> ChosenContexts:
    """Ask for word and sentences; without any the page ends with what is missing."""
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        source = inputs.choice(page.say, "contexts_source", SOURCES)
        if source == "shipped":
            return _choose_shipped(page)
        if source == "own":
            word = inputs.line(page.say, "contexts_asked", EXAMPLE_WORDS[page.language])
    read = {"corpus": search_corpus, "file": open_file}.get(source)
    return read(page) if read else _read_pasted(page, word)


def _choose_shipped(page: PageState) -> ChosenContexts:
    """Let a word be chosen among those whose sentences ship."""
    contexts = context_answers.shipped(page.language)
    words = list(dict.fromkeys(context.word for context in contexts))
    first, hard = FIRST_WORDS[page.language], HARD_WORDS[page.language]
    words.sort(key=[first, hard, *words].index)
    labels = {word: word for word in words} | {hard: page.say("contexts.hard", word=hard)}
    word = inputs.pick(page.say, "contexts_word", words, labels)
    return shipped_contexts(page.language, word)


def shipped_contexts(language: str, word: str) -> ChosenContexts:
    """Return a word with the sentences that ship for it."""
    contexts = tuple(c for c in context_answers.shipped(language) if c.word == word)
    return ChosenContexts(word, "shipped", contexts, senses=context_answers.senses(language, word))


def _read_pasted(page: PageState, word: str) -> ChosenContexts:
    """Find the word in pasted sentences; list those that lack it."""
    say, example = page.say, EXAMPLE_WORDS[page.language]
    sentences = _example_sentences(page.language, example)
    lines = inputs.lines(say, "contexts_lines", sentences, MAX_PASTED, height=100)
    if not word or not lines:
        st.info(say("contexts.empty"))
        raise outputs.Halt
    contexts: list[Context] = []
    lacking: list[str] = []
    for line in lines:
        spans = occurrences(line, word, page.language)
        contexts += [Context(str(len(contexts) + 1), word, "", "", (span,), line) for span in spans]
        lacking += [] if spans else [line]
    if not contexts and not is_word(word):
        st.info(outputs.plain(say("contexts.one_word", word=word)))
        raise outputs.Halt
    if lacking:
        list_lacking(page, word, lacking)
    if not contexts:
        raise outputs.Halt
    if contexts[MAX_OCCURRENCES:]:
        st.warning(say("contexts.most", most=MAX_OCCURRENCES, count=len(contexts)))
    return ChosenContexts(word, "own", tuple(contexts[:MAX_OCCURRENCES]))


def _example_sentences(language: str, word: str) -> str:
    """Return the sentences that the field holds at first."""
    texts_by_sense: dict[str, list[str]] = {}
    for context in context_answers.shipped(language):
        if context.word == word:
            texts_by_sense.setdefault(context.gold, []).append(context.text)
    return "\n".join(text for texts in texts_by_sense.values() for text in texts[:EXAMPLES_A_SENSE])


@dataclass(frozen=True)
class ContextSettings:
    """How contexts are read, grouped and shown; ``static`` is the companion model, None without one."""

    network: Entry
    static: Entry | None
    vector: str
    colour: str
    number: str


def ask_settings(page: PageState, chosen: ChosenContexts, place: DeltaGenerator) -> ContextSettings:
    """Ask for the settings in ``place``, a closed popover."""
    say = page.say
    static = shelf_models.companion(page.language)
    vectors = VECTORS if static else VECTORS[1:]
    colours = ("found", "marked", "form") if chosen.is_annotated else ("found", "form")
    with place:
        number = sense_reports.choose_number(page)
        vector = inputs.choice(say, "contexts_vector", vectors, WORD)
        colour = inputs.choice(say, "contexts_colour", colours)
        network = network_inputs.pick_network(page)
    return ContextSettings(network, static, vector, colour, number)
