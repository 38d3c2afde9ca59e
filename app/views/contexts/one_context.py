"""Contexts: one sentence: substitutes of the word and neighbours of its vector; two, which are too few for a map: their cosine too."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from app import shelf_models
from app.answers import cached
from app.views.contexts.chosen_contexts import ReadContexts, bracketed
from app.views.contexts.sense_groups import bold_word
from app.views.contexts.word_in_contexts import BY_VALUE, Question, in_contexts
from app.widgets import address, inputs, outputs
from app.widgets.model_answers import list_words
from embeddings.analysis.vector_answers import Neighbour
from embeddings.errors import KlyuchError
from embeddings.probing.sentence_answers import NearWord
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma_key

if TYPE_CHECKING:
    from embeddings.probing.contextual_neighbours import ContextTable

MAX_SUBSTITUTES = 12  # forms of the word itself are left out
MANY_ENDINGS = 5  # neighbours with the word's last letter, from which on the page warns


def show_one_context(read: ReadContexts) -> None:
    """Show one context, the one selected on the map if there is one."""
    say, contexts = read.page.say, read.chosen.contexts
    numbers = [str(row + 1) for row in range(len(contexts))]
    address.keep("contexts_one", numbers[0], numbers)
    number = st.selectbox(
        **inputs.named(say, "contexts_one"),
        options=numbers,
        format_func=lambda choice: f"{choice}. {bracketed(contexts[int(choice) - 1])}",
    )
    row = int(number) - 1
    st.markdown(bold_word(read, row))
    left, right = st.columns(2, gap="large")
    with left:
        _list_substitutes(read, row)
    with right:
        _list_neighbours(read, row)


def _list_substitutes(read: ReadContexts, row: int) -> None:
    """List what the network would put in the word's place."""
    say, language = read.page.say, read.page.language
    st.subheader(say("contexts.substitutes"), anchor=False)
    try:
        guesses = read.word.substitutes(row, MAX_SUBSTITUTES)
    except KlyuchError as error:  # a network without an MLM head
        outputs.refuse(say, error)
        return
    itself = lemma_key(read.chosen.word, language)
    others = (guess for guess in guesses if lemma_key(guess.token, language) != itself)
    rows = ((guess.token, guess.probability) for guess in others)
    table = say.table(rows, "common.word", "contexts.probability")
    forms = {say("contexts.probability"): partial(say.percent, digits=2)}
    outputs.table(say, table, f"contexts-substitutes-{row}", forms=forms)
    st.caption(say("contexts.substitutes_note"))


def table_of(entry: Entry, language: str) -> Entry | None:
    """Return the model on the shelf that holds the network's type-averaged vectors, if there is one."""
    for model in shelf_models.static_models():
        is_table = isinstance(shelf_models.card(model).get("network"), dict)
        if model.language == language and is_table and _opened_table(model, entry) is not None:
            return model
    return None


@cached(12)
def _opened_table(static: Entry, network: Entry) -> ContextTable | None:
    from embeddings.probing.contextual_neighbours import check_network, open_table

    try:
        opened = open_table(static.path)
        check_network(opened, network.path)
    except (KlyuchError, OSError):  # of another network, or damaged
        return None
    return opened


@cached(64, BY_VALUE, is_heavy=True)
def neighbours(question: Question, row: int, table_entry: Entry) -> tuple[NearWord, ...]:
    """Return the words of a table of type-averaged vectors nearest to the word in one context, each next to random words."""
    averaged = _opened_table(table_entry, question.entry)
    return () if averaged is None else in_contexts(question).neighbours(row, averaged)


def _list_neighbours(read: ReadContexts, row: int) -> None:
    """List the words whose type-averaged vectors are nearest to the word in this context."""
    say, language = read.page.say, read.page.language
    st.subheader(say("contexts.near"), anchor=False)
    table = table_of(read.question.entry, language)
    if table is None:
        st.info(say("contexts.no_table", language=say(f"language.{language}")))
        return
    nearest = neighbours(read.question, row, table)
    rows = [Neighbour(near.word, near.centred) for near in nearest]
    words = ", ".join(near.word for near in nearest)
    alt = say("contexts.near_alt", word=read.chosen.word, words=words)
    list_words(say, {say("common.word"): rows}, alt)
    st.caption(say("contexts.near_note"))
    ending = read.chosen.contexts[row].word[-1]
    alike = sum(neighbour.word.endswith(ending) for neighbour in nearest)
    if alike >= MANY_ENDINGS:
        note = say("contexts.near_endings", count=alike, total=len(nearest), ending=ending)
        st.info(outputs.plain(note), icon=":material/info:")
    if nearest:
        first = nearest[0]
        numbers = {
            "centred": say.number(first.centred, 2),
            "random_centred": say.number(first.centred_baseline, 2),
            "plain": say.number(first.cosine, 2),
            "random": say.number(first.baseline, 2),
        }
        st.caption(outputs.plain(say("contexts.near_random", word=first.word, **numbers)))


def show_few_contexts(read: ReadContexts, layer: int) -> None:
    """Show the cosine of two contexts, then substitutes and neighbours of each."""
    count = len(read.chosen.contexts)
    if count == 2:
        _show_pair(read, layer)
    for row, column in enumerate(st.columns(count, gap="large")):
        with column:
            st.markdown(bold_word(read, row))
            _list_substitutes(read, row)
            _list_neighbours(read, row)
    st.caption(read.page.say("contexts.few"))


def _show_pair(read: ReadContexts, layer: int) -> None:
    """Say how similar the word's two vectors are at a layer next to two random words."""
    say = read.page.say
    likeness = read.word.similarity(layer, read.question.vector)
    numbers = {
        "cosine": likeness.cosine[0, 1],
        "random": likeness.baseline,
        "centred": likeness.centred[0, 1],
        "random_centred": likeness.centred_baseline,
    }
    written = {name: say.number(float(value), 2) for name, value in numbers.items()}
    st.subheader(say("contexts.pair", layer=layer, **written), anchor=False)
