"""Contexts: one sentence: substitutes of the word in it, and the neighbours of its vector."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.palette import PURPLE
from app.figures.word_similarities import neighbours_figure
from app.loaders import context_answers
from app.loaders.context_answers import Question
from app.views.contexts.chosen_contexts import ChosenContexts
from app.views.contexts.sense_groups import bold_word
from app.widgets import address, outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry


def show_one_context(
    page: PageState, question: Question, chosen: ChosenContexts, selected: list[int]
) -> int:
    """Show one context, the one selected on the map if there is one; return its row."""
    say = page.say
    st.header(say("contexts.one"), anchor=False)
    numbers = [str(row + 1) for row in range(len(chosen.contexts))]
    if selected and selected != st.session_state.get("_contexts_selected"):
        address.put(contexts_one=numbers[selected[0]])
    st.session_state["_contexts_selected"] = selected
    address.keep("contexts_one", numbers[0], numbers)
    texts = [context.text for context in chosen.contexts]
    number = st.selectbox(
        say("contexts_one.label"),
        numbers,
        format_func=lambda choice: f"{choice}. {texts[int(choice) - 1]}",
        key="contexts_one",
        help=say("contexts_one.help"),
    )
    row = int(number) - 1
    st.markdown(bold_word(chosen, row))
    left, right = st.columns(2, gap="large")
    with left:
        _list_substitutes(page, question.entry, chosen, row)
    with right:
        _list_neighbours(page, question, chosen, row)
    return row


def _list_substitutes(page: PageState, entry: Entry, chosen: ChosenContexts, row: int) -> None:
    """List what the network would put in the word's place."""
    say = page.say
    st.subheader(say("contexts.substitutes"), anchor=False)
    try:
        guesses = context_answers.substitutes(entry, chosen.occurrences[row]).guesses(0)
    except KlyuchError as error:  # a network without an MLM head
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


def _list_neighbours(page: PageState, question: Question, chosen: ChosenContexts, row: int) -> None:
    """List the words whose type-averaged vectors are nearest to the word in this context."""
    say = page.say
    st.subheader(say("contexts.near"), anchor=False)
    table = context_answers.table(question.entry, page.language)
    if table is None:
        st.info(say("contexts.no_table", language=say(f"language.{page.language}")))
        return
    nearest, first = context_answers.neighbours(question, row, table)
    figure = neighbours_figure(
        nearest,
        title="",
        colour=PURPLE,
        shared={neighbour.word for neighbour in nearest},
        notes=["" for _ in nearest],
        separators=say.separators,
    )
    words = ", ".join(neighbour.word for neighbour in nearest)
    alt = say("contexts.near_alt", word=chosen.word, words=words)
    outputs.figure(say, figure, "contexts-near", alt)
    st.caption(say("contexts.near_note"))
    if first is not None:
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
