"""Contexts: a word and the sentences that are read, those that ship, pasted ones, lines of a corpus or a file; and how they are shown."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from app import access, shelf_models
from app.answers import cached
from app.views.contexts import word_in_contexts
from app.views.contexts.word_in_contexts import Question
from app.widgets import address, inputs, network_inputs, outputs
from app.widgets.frame import PageState
from app.widgets.inputs import corpus_labels, say_if_sample
from app.widgets.paste_and_upload import copied_upload, receive_text
from app.wording import Wording
from embeddings.corpora.concordance import line_contexts
from embeddings.corpora.concordance_search import READ_CONTEXTS, ConcordanceQuery, search
from embeddings.corpora.sense_contexts import Context, by_word, spans_of
from embeddings.corpora.sense_files import read_senses
from embeddings.errors import InputError
from embeddings.probing.sentence_answers import VECTORS, WORD
from embeddings.shelf.locations import concordances, data
from embeddings.shelf.own_corpora import concordance_of, corpora
from embeddings.text.lemmas import foreign
from embeddings.text.word_positions import is_word, occurrences

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator
    from embeddings.probing.contexts import WordInContexts


EXAMPLE_WORDS = {"en": "bank", "ru": "ключ", "de": "Schloss"}  # in a lesson, and to be searched for
# The network separates their attested senses.
FIRST_WORDS = {"en": "rock", "ru": "ключ", "de": "Bank"}
HARD_WORDS = {"en": "bank", "ru": "мир", "de": "Schloss"}  # adjusted Rand index below 0.5
MAX_OCCURRENCES = 400  # occurrences that the page reads


@dataclass(frozen=True)
class Sense:
    """A gold sense: its gloss by screen language, whether the corpora attest it."""

    gloss: dict[str, str]
    attested: bool


@dataclass(frozen=True)
class ChosenContexts:
    """A word and its contexts, one occurrence each."""

    word: str
    source: str
    contexts: tuple[Context, ...]
    senses: Mapping[str, Sense] = field(default_factory=dict)

    @property
    def is_annotated(self) -> bool:
        """Whether every context has its sense annotated."""
        return all(context.gold for context in self.contexts)

    @property
    def key(self) -> int:
        """What these contexts, with the senses that a file gives them, are known by in a session."""
        return hash(self.contexts)

    @property
    def attested_rows(self) -> tuple[int, ...]:
        """The contexts whose annotated sense the corpora attest often enough."""
        return tuple(row for row in range(len(self.contexts)) if self.is_attested(row))

    @property
    def unattested_rows(self) -> list[int]:
        """The other contexts."""
        return [row for row in range(len(self.contexts)) if not self.is_attested(row)]

    def is_attested(self, row: int) -> bool:
        """Whether the corpora attest the annotated sense of a context often enough."""
        sense = self.senses.get(self.contexts[row].gold)
        return sense is None or sense.attested


@dataclass(frozen=True)
class ReadContexts:
    """The contexts of a word as a page reads them, and what it asks the network of them."""

    page: PageState
    chosen: ChosenContexts
    question: Question

    @property
    def word(self) -> WordInContexts:
        """The word as the network reads it."""
        return word_in_contexts.in_contexts(self.question)

    @property
    def golds(self) -> list[str]:
        """The annotated sense of each context, "" where there is none."""
        return [context.gold for context in self.chosen.contexts]

    def gloss(self, sense: str) -> str:
        """Return the gloss of an annotated sense in the screen's language."""
        say, annotated = self.page.say, self.chosen.senses.get(sense)
        if annotated is None:
            return sense or say("contexts.unmarked")
        return annotated.gloss.get(say.language, annotated.gloss["en"])

    def glosses(self) -> list[str]:
        """Return the gloss of each context's sense."""
        return [self.gloss(gold) for gold in self.golds]


def bracketed(context: Context, around: int | None = None) -> str:
    """Return a context as plain text with the occurrence in brackets, cut to so many characters on either side.

    Examples
    --------
    >>> bracketed(Context("1", "bank", "", "", ((6, 10),), "Bank, bank!"))
    'Bank, [bank]!'
    """
    text, (start, end) = context.text, context.positions[0]
    before, after = text[:start], text[end:]
    if around is not None:
        before = before if len(before) <= around else f"…{before[-around:]}"
        after = after if len(after) <= around else f"{after[:around]}…"
    return f"{before}[{text[start:end]}]{after}"


def search_corpus(page: PageState) -> ChosenContexts:
    """Take lines that have a word out of a corpus; without one the page ends with what is missing."""
    say = page.say
    texts = [c.path for c in corpora() if c.kind == "text"] if access.may_change() else []
    names = list(inputs.in_language_first(page.language, texts))
    has_own = bool(texts or concordances())
    if access.may_change():
        _bring_text(page, expanded=not has_own)
    if not has_own:
        st.info(say("contexts.no_corpus"))
    if not names:
        raise outputs.Halt
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        name = inputs.pick(say, "contexts_corpus", names, corpus_labels(say, names, page.language))
        word = inputs.line(say, "contexts_asked", EXAMPLE_WORDS[page.language])
        limit = inputs.number(say, "contexts_limit", READ_CONTEXTS, 20, MAX_OCCURRENCES)
    if not word:
        outputs.end(say("contexts.empty_corpus"))
    if len(word.split()) > 1:
        raise InputError("concordance_words", word=word)
    query = ConcordanceQuery(word, page.language, limit=limit, is_exhaustive=True)
    with outputs.progress_bar(say, "contexts.indexing", corpus=outputs.plain(name)) as report:
        path = concordance_of(name, report)
    say_if_sample(say, path)
    answer = shelf_models.ask(search, shelf_models.concordance(path), query)
    forms, lines = answer.forms, answer.lines
    if not lines:
        outputs.end(outputs.plain(say("contexts.nowhere", word=word, corpus=name)))
    hits = sum(len(line.spans) for line in lines)
    listed = say.list(f"{form.form} ({say.number(form.paragraphs)})" for form in forms)
    said = say("contexts.forms", forms=listed or word, lines=len(lines), hits=hits)
    more = "" if answer.is_complete else f" {say('contexts.sampled')}"
    st.caption(outputs.plain(said + more))
    if excerpts := sum(len(line.spans) for line in lines if line.is_cut):
        st.caption(say("contexts.excerpts", count=excerpts))
    return ChosenContexts(word, "corpus", line_contexts(lines, word, MAX_OCCURRENCES))


def _bring_text(page: PageState, *, expanded: bool) -> None:
    """Let a text be brought; one that has just been is chosen, and the form closes."""
    say, state = page.say, st.session_state
    brought = state.get("_contexts_shown", "")
    with st.expander(
        say("contexts.bring"),
        icon=":material/upload_file:",
        expanded=expanded,
        key=f"contexts-bring-{brought}",  # another name, another form: it begins closed
        on_change="rerun",
    ):
        intake = inputs.choice(say, "contexts_intake", ("upload", "paste"))
        stored = receive_text(page, "contexts", intake)
    if stored is not None and stored.name != brought:
        state["_contexts_shown"] = stored.name
        address.put(contexts_corpus=stored.name)
        st.rerun()


def open_file(page: PageState) -> ChosenContexts:
    """Ask for a file and a word of it; without one the page ends with what the file must hold."""
    say = page.say
    contexts = upload_contexts(page, "contexts_file")
    if contexts is None:
        outputs.end(say("contexts.file_empty"))
    rows_of = by_word(contexts)
    words = sorted(rows_of, key=lambda word: -len(rows_of[word]))
    word = inputs.pick(
        say, "contexts_file_word", words, {w: f"{w} ({len(rows_of[w])})" for w in words}
    )
    if foreign([word], page.language):
        language = say(f"language.{page.language}")
        st.warning(outputs.plain(say("contexts.file_language", word=word, language=language)))
    located, lacking = [], []
    for row in rows_of[word]:
        context = contexts[row]
        spans = spans_of(context, page.language)
        if spans:
            located.append(replace(context, positions=spans))
        else:
            lacking.append(context.text)
    return _with_word(say, word, "file", located, lacking)


@cached(4)
def uploaded_contexts(name: str, data: bytes) -> tuple[Context, ...]:
    """Return the contexts of a file that a person uploads; a refusal calls it by its own name."""
    with copied_upload(name, data) as path:
        return read_senses(path)


def upload_contexts(page: PageState, key: str) -> tuple[Context, ...] | None:
    """Ask for a file of contexts; return what it holds, None without one or where it cannot be read."""
    endings = ["tsv", "csv", "json", "txt"]
    upload = st.file_uploader(**inputs.named(page.say, key), type=endings)
    if upload is None:
        return None
    with outputs.refusals_said(page.say):
        return uploaded_contexts(upload.name, upload.getvalue())
    return None


def _with_word(
    say: Wording, word: str, source: str, contexts: list[Context], lacking: list[str]
) -> ChosenContexts:
    """Return the first contexts of a word, and list the sentences that lack it; without any the page ends."""
    if lacking:
        title = say("contexts.lacking", word=word, lines=len(lacking))
        with st.expander(outputs.plain(title), icon=":material/info:", expanded=len(lacking) < 4):
            for line in lacking:
                st.markdown(f"- {outputs.plain(line)}")
    if not contexts:
        raise outputs.Halt
    if contexts[MAX_OCCURRENCES:]:
        st.warning(say("contexts.most", most=MAX_OCCURRENCES, count=len(contexts)))
    return ChosenContexts(word, source, tuple(contexts[:MAX_OCCURRENCES]))


SOURCES = ("shipped", "own", "corpus", "file")


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
    contexts = word_in_contexts.shipped(page.language)
    words = list(dict.fromkeys(context.word for context in contexts))
    first, hard = FIRST_WORDS[page.language], HARD_WORDS[page.language]
    words.sort(key=[first, hard, *words].index)
    labels = {word: word for word in words} | {hard: page.say("contexts.hard", word=hard)}
    word = inputs.pick(page.say, "contexts_word", words, labels)
    return shipped_contexts(page.language, word)


def senses(language: str, word: str) -> dict[str, Sense]:
    """Return the gold senses of a word by their ids; nothing for a word that is not shipped."""
    return _all_senses(data() / "contexts" / "senses.toml").get((language, word), {})


@cached(1)
def _all_senses(path: Path) -> dict[tuple[str, str], dict[str, Sense]]:
    """Return the gold senses of every shipped word, by language and word."""
    by_word: dict[tuple[str, str], dict[str, Sense]] = {}
    for sense in tomllib.loads(path.read_text(encoding="utf-8"))["sense"]:
        senses_of_word = by_word.setdefault((sense["language"], sense["word"]), {})
        senses_of_word[str(sense["id"])] = Sense(sense["gloss"], bool(sense["attested"]))
    return by_word


def shipped_contexts(language: str, word: str) -> ChosenContexts:
    """Return a word with the sentences that ship for it."""
    contexts = tuple(c for c in word_in_contexts.shipped(language) if c.word == word)
    return ChosenContexts(word, "shipped", contexts, senses=senses(language, word))


def _read_pasted(page: PageState, word: str) -> ChosenContexts:
    """Find the word in pasted sentences; list those that lack it."""
    say = page.say
    shipped = shipped_contexts(page.language, EXAMPLE_WORDS[page.language]).contexts
    examples = "\n".join(context.text for context in shipped[::2])  # half of each sense's
    lines = inputs.lines(say, "contexts_lines", examples, height=100)
    if not word or not lines:
        outputs.end(say("contexts.empty"))
    contexts: list[Context] = []
    lacking: list[str] = []
    for line in lines:
        spans = occurrences(line, word, page.language)
        contexts += [Context(str(len(contexts) + 1), word, "", "", (span,), line) for span in spans]
        lacking += [] if spans else [line]
    if not contexts and not is_word(word):
        outputs.end(outputs.plain(say("contexts.one_word", word=word)))
    return _with_word(say, word, "own", contexts, lacking)


def ask_settings(
    page: PageState, chosen: ChosenContexts, place: DeltaGenerator
) -> tuple[ReadContexts, str, str]:
    """Ask in ``place``, a closed popover, how contexts are read, what colours them and how many senses there are."""
    say = page.say
    static = shelf_models.companion(page.language)
    vectors = VECTORS if static else VECTORS[1:]
    colours = ("found", "marked", "form") if chosen.is_annotated else ("found", "form")
    numbers = {"found": say("contexts_number.found")} | {n: n for n in "12345678"}
    with place:
        number = inputs.pick(say, "contexts_number", list(numbers), numbers)
        vector = inputs.choice(say, "contexts_vector", vectors, WORD)
        colour = inputs.choice(say, "contexts_colour", colours)
        network = network_inputs.pick_network(page)
    question = Question(network, page.language, chosen.contexts, vector, static)
    return ReadContexts(page, chosen, question), colour, number
