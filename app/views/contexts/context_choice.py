"""Contexts: which sentences are looked at: those that ship, pasted ones, or lines of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from app.loaders import context_answers
from app.loaders.context_answers import Occurrence, Sense
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.corpora.contexts import Context
from embeddings.shelf.locations import concordances
from embeddings.text.word_positions import is_word, occurrences

SOURCES = ("shipped", "own", "corpus")
STARTS = {"en": "bank", "ru": "ключ", "de": "Schloss"}
PASTED = 6000  # characters that a link can hold
MOST = 400  # occurrences that are looked at
FEW = 3  # sentences of each sense that the pasted ones start from


@dataclass(frozen=True)
class Asked:
    """A word and its contexts, one occurrence each; ``places`` says where a line is from."""

    word: str
    source: str
    contexts: tuple[Context, ...]
    places: tuple[str, ...] = ()
    cut: tuple[bool, ...] = ()
    senses: Mapping[str, Sense] = field(default_factory=dict)

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Text and place of each context, as the network is asked."""
        return tuple((context.text, context.positions[0]) for context in self.contexts)

    @property
    def is_marked(self) -> bool:
        """Whether every context has its sense marked."""
        return all(context.gold for context in self.contexts)

    @property
    def taught_rows(self) -> tuple[int, ...]:
        """The contexts whose marked sense the corpora hold enough of."""
        return tuple(row for row in range(len(self.contexts)) if self.taught(row))

    def taught(self, row: int) -> bool:
        """Whether the corpora hold enough of the marked sense of a context."""
        sense = self.senses.get(self.contexts[row].gold)
        return sense is None or sense.taught


def ask(page: PageState) -> Asked:
    """Ask for word and sentences; without any the page ends with what is lacking."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        source = inputs.choice(page.say, "contexts_source", SOURCES)
        asked = _shipped(page) if source == "shipped" else None
    return asked or (_own if source == "own" else _corpus)(page)


def _shipped(page: PageState) -> Asked:
    """Let a word be chosen among those whose sentences ship."""
    known = context_answers.shipped(page.language)
    words = list(dict.fromkeys(context.word for context in known))
    words.sort(key=lambda word: word != STARTS[page.language])
    word = inputs.pick(page.say, "contexts_word", words, {word: word for word in words})
    chosen = tuple(context for context in known if context.word == word)
    return Asked(word, "shipped", chosen, senses=context_answers.senses(page.language, word))


def _own(page: PageState) -> Asked:
    """Find the word in pasted sentences; say which of them lack it."""
    say, start = page.say, STARTS[page.language]
    left, right = st.columns([1, 3])
    with left:
        word = inputs.line(say, "contexts_asked", start)
    with right:
        lines = inputs.lines(say, "contexts_lines", _examples(page.language, start), PASTED)
    if not word or not lines:
        st.info(say("contexts.empty"))
        raise outputs.Halt
    found: list[Context] = []
    lacking: list[str] = []
    for line in lines:
        spans = occurrences(line, word, page.language)
        found += [Context(str(len(found) + 1), word, "", "", (span,), line) for span in spans]
        lacking += [] if spans else [line]
    if not found and not is_word(word):
        st.info(outputs.plain(say("contexts.one_word", word=word)))
        raise outputs.Halt
    if lacking:
        _say_lacking(page, word, lacking)
    if not found:
        raise outputs.Halt
    if found[MOST:]:
        st.warning(say("contexts.most", most=say.number(MOST), count=say.number(len(found))))
    return Asked(word, "own", tuple(found[:MOST]))


def _say_lacking(page: PageState, word: str, lacking: list[str]) -> None:
    """List the sentences that do not have the word."""
    title = page.say("contexts.lacking", word=word, lines=len(lacking))
    with st.expander(outputs.plain(title), icon=":material/info:", expanded=len(lacking) < 4):
        for line in lacking:
            st.markdown(f"- {outputs.plain(line)}")


def _corpus(page: PageState) -> Asked:
    """Take lines from a concordance of the user's."""
    say, there = page.say, concordances()
    if not there:
        st.info(say("contexts.no_corpus"))
        raise outputs.Halt
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        name = inputs.pick(say, "contexts_corpus", list(there), {name: name for name in there})
        word = inputs.line(say, "contexts_asked", STARTS[page.language])
        limit = inputs.number(say, "contexts_limit", 100, 20, MOST)
    if not word:
        st.info(say("contexts.empty"))
        raise outputs.Halt
    stamp = there[name].stat().st_mtime_ns
    forms, lines = context_answers.concordance_lines(there[name], stamp, word, page.language, limit)
    if not lines:
        st.info(outputs.plain(say("contexts.nowhere", word=word, corpus=name)))
        raise outputs.Halt
    listed = ", ".join(f"{form.form} ({say.number(form.paragraphs)})" for form in forms)
    st.caption(outputs.plain(say("contexts.forms", forms=listed or word, lines=len(lines))))
    rows = [(line, span) for line in lines for span in line.spans][:MOST]
    contexts = tuple(
        Context(str(number), word, "", "", (span,), line.text)
        for number, (line, span) in enumerate(rows, 1)
    )
    places = tuple(say("contexts.place", file=r.file, document=r.document) for r, _ in rows)
    return Asked(word, "corpus", contexts, places, tuple(line.is_cut for line, _ in rows))


def _examples(language: str, word: str) -> str:
    """Return the sentences that stand in the field before anybody pastes."""
    taken: dict[str, list[str]] = {}
    for context in context_answers.shipped(language):
        if context.word == word:
            taken.setdefault(context.gold, []).append(context.text)
    return "\n".join(text for texts in taken.values() for text in texts[:FEW])
