"""Contexts: one sentence looked at alone: what could stand there, and what is near the word in it."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from app.figures.palette import PURPLE
from app.figures.word_similarities import neighbours_figure
from app.loaders import context_answers
from app.loaders.context_answers import Question
from app.views.contexts.context_choice import Asked
from app.views.contexts.sense_groups import bold
from app.widgets import address, outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.results import Neighbour
from embeddings.shelf import Entry
from embeddings.text.lemmas import forms_among

NEAR = 10  # words near


def show(page: PageState, question: Question, asked: Asked, selected: list[int]) -> int:
    """Show one context, the one selected on the map if there is one; return its row."""
    say = page.say
    st.header(say("contexts.one"), anchor=False)
    numbers = [str(row + 1) for row in range(len(asked.contexts))]
    if selected and selected != st.session_state.get("_contexts_selected"):
        address.put(contexts_one=numbers[selected[0]])
    st.session_state["_contexts_selected"] = selected
    address.keep("contexts_one", numbers[0], numbers)
    texts = [context.text for context in asked.contexts]
    number = st.selectbox(
        say("contexts_one.label"),
        numbers,
        format_func=lambda own: f"{own}. {texts[int(own) - 1]}",
        key="contexts_one",
        help=say("contexts_one.help"),
    )
    row = int(number) - 1
    st.markdown(bold(asked, row))
    left, right = st.columns(2, gap="large")
    with left:
        _substitutes(page, question.entry, asked, row)
    with right:
        _neighbours(page, question, asked, row)
    return row


def _substitutes(page: PageState, entry: Entry, asked: Asked, row: int) -> None:
    """List what the network would put in the word's place."""
    say = page.say
    st.subheader(say("contexts.substitutes"), anchor=False)
    try:
        guesses = context_answers.substitutes(entry, asked.occurrences[row]).guesses(0)
    except KlyuchError as error:  # a network without a token head
        outputs.refuse(say, error)
        return
    table = pd.DataFrame(
        {
            say("common.word"): [guess.token for guess in guesses],
            say("contexts.probability"): [guess.probability for guess in guesses],
        }
    )
    percent = {say("contexts.probability"): lambda share: f"{say.number(100 * share, 2)} %"}
    outputs.table(say, table, "contexts-substitutes", forms=percent)
    st.caption(say("contexts.substitutes_note"))


def _neighbours(page: PageState, question: Question, asked: Asked, row: int) -> None:
    """List the words whose type-averaged vectors are nearest to the word in this context."""
    say = page.say
    st.subheader(say("contexts.near"), anchor=False)
    table = context_answers.table(question.entry, page.language)
    if table is None:
        st.info(say("contexts.no_table", language=say(f"language.{page.language}")))
        return
    from embeddings.probing.contextual_neighbours import beside_random, near

    own = forms_among(asked.word, table.vectors.words, page.language)
    states = context_answers.states(replace(question, vector="word")).vectors[row]
    found: tuple[Neighbour, ...] = near(table, states, NEAR, without=own)
    drawn = neighbours_figure(
        found,
        title="",
        colour=PURPLE,
        shared={neighbour.word for neighbour in found},
        notes=["" for _ in found],
        separators=say.separators,
    )
    words = ", ".join(neighbour.word for neighbour in found)
    alt = say("contexts.near_alt", word=asked.word, words=words)
    outputs.figure(say, drawn, "contexts-near", alt)
    st.caption(say("contexts.near_note"))
    if found:
        random, _ = context_answers.random_words(question.entry, page.language)
        first = beside_random(table, states, found[:1], random.vectors)[0]
        numbers = {
            name: say.number(value, 2)
            for name, value in (
                ("centred", first.centred),
                ("random_centred", first.centred_baseline),
                ("plain", first.cosine),
                ("random", first.baseline),
            )
        }
        st.caption(outputs.plain(say("contexts.near_random", word=first.word, **numbers)))
