"""Contexts: which sentences are read: those that ship, pasted ones, or lines of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from app.loaders import context_answers
from app.loaders.context_answers import Occurrence, Sense
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.corpora.sense_contexts import Context
from embeddings.shelf.locations import concordances
from embeddings.text.word_positions import is_word, occurrences

SOURCES = ("shipped", "own", "corpus")
EXAMPLE_WORDS = {"en": "bank", "ru": "ключ", "de": "Schloss"}
MAX_PASTED = 6000  # characters that a link can hold
MAX_OCCURRENCES = 400  # occurrences that the page reads
EXAMPLES_A_SENSE = 3  # sentences of each sense that the field for pasted ones starts with


@dataclass(frozen=True)
class ChosenContexts:
    """A word and its contexts, one occurrence each; ``places`` says where a line is from."""

    word: str
    source: str
    contexts: tuple[Context, ...]
    places: tuple[str, ...] = ()
    cut: tuple[bool, ...] = ()
    senses: Mapping[str, Sense] = field(default_factory=dict)

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Text and span of the word in each context, as the network is asked."""
        return tuple((context.text, context.positions[0]) for context in self.contexts)

    @property
    def is_annotated(self) -> bool:
        """Whether every context has its sense annotated."""
        return all(context.gold for context in self.contexts)

    @property
    def attested_rows(self) -> tuple[int, ...]:
        """The contexts whose annotated sense the corpora attest often enough."""
        return tuple(row for row in range(len(self.contexts)) if self.is_attested(row))

    @property
    def unattested_rows(self) -> list[int]:
        """The contexts whose annotated sense the corpora do not attest often enough."""
        return sorted(set(range(len(self.contexts))) - set(self.attested_rows))

    def is_attested(self, row: int) -> bool:
        """Whether the corpora attest the annotated sense of a context often enough."""
        sense = self.senses.get(self.contexts[row].gold)
        return sense is None or sense.attested


def choose_contexts(page: PageState) -> ChosenContexts:
    """Ask for word and sentences; without any the page ends with what is missing."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        source = inputs.choice(page.say, "contexts_source", SOURCES)
        chosen = _choose_shipped(page) if source == "shipped" else None
    return chosen or (_read_pasted if source == "own" else _search_corpus)(page)


def _choose_shipped(page: PageState) -> ChosenContexts:
    """Let a word be chosen among those whose sentences ship."""
    contexts = context_answers.shipped(page.language)
    words = list(dict.fromkeys(context.word for context in contexts))
    words.sort(key=lambda word: word != EXAMPLE_WORDS[page.language])
    word = inputs.pick(page.say, "contexts_word", words, {word: word for word in words})
    contexts_of_word = tuple(context for context in contexts if context.word == word)
    return ChosenContexts(
        word, "shipped", contexts_of_word, senses=context_answers.senses(page.language, word)
    )


def _read_pasted(page: PageState) -> ChosenContexts:
    """Find the word in pasted sentences; list those that lack it."""
    say, example = page.say, EXAMPLE_WORDS[page.language]
    left, right = st.columns([1, 3])
    with left:
        word = inputs.line(say, "contexts_asked", example)
    with right:
        lines = inputs.lines(
            say, "contexts_lines", _example_sentences(page.language, example), MAX_PASTED
        )
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
        _list_lacking(page, word, lacking)
    if not contexts:
        raise outputs.Halt
    if contexts[MAX_OCCURRENCES:]:
        st.warning(say("contexts.most", most=MAX_OCCURRENCES, count=len(contexts)))
    return ChosenContexts(word, "own", tuple(contexts[:MAX_OCCURRENCES]))


def _list_lacking(page: PageState, word: str, lacking: list[str]) -> None:
    """List the sentences that do not have the word."""
    title = page.say("contexts.lacking", word=word, lines=len(lacking))
    with st.expander(outputs.plain(title), icon=":material/info:", expanded=len(lacking) < 4):
        for line in lacking:
            st.markdown(f"- {outputs.plain(line)}")


def _search_corpus(page: PageState) -> ChosenContexts:
    """Take lines from one of the user's concordances."""
    say, corpora = page.say, concordances()
    if not corpora:
        st.info(say("contexts.no_corpus"))
        raise outputs.Halt
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        name = inputs.pick(say, "contexts_corpus", list(corpora), {name: name for name in corpora})
        word = inputs.line(say, "contexts_asked", EXAMPLE_WORDS[page.language])
        limit = inputs.number(say, "contexts_limit", 100, 20, MAX_OCCURRENCES)
    if not word:
        st.info(say("contexts.empty"))
        raise outputs.Halt
    forms, lines = context_answers.concordance_lines(corpora[name], word, page.language, limit)
    if not lines:
        st.info(outputs.plain(say("contexts.nowhere", word=word, corpus=name)))
        raise outputs.Halt
    listed = say.list(f"{form.form} ({say.number(form.paragraphs)})" for form in forms)
    st.caption(outputs.plain(say("contexts.forms", forms=listed or word, lines=len(lines))))
    rows = [(line, span) for line in lines for span in line.spans][:MAX_OCCURRENCES]
    contexts = tuple(
        Context(str(number), word, "", "", (span,), line.text)
        for number, (line, span) in enumerate(rows, 1)
    )
    places = tuple(say("contexts.place", file=row.file, document=row.document) for row, _ in rows)
    return ChosenContexts(word, "corpus", contexts, places, tuple(line.is_cut for line, _ in rows))


def _example_sentences(language: str, word: str) -> str:
    """Return the sentences that the field holds at first."""
    texts_by_sense: dict[str, list[str]] = {}
    for context in context_answers.shipped(language):
        if context.word == word:
            texts_by_sense.setdefault(context.gold, []).append(context.text)
    return "\n".join(text for texts in texts_by_sense.values() for text in texts[:EXAMPLES_A_SENSE])
