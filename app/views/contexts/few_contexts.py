"""Contexts: one or two sentences, too few for a map: the cosine of the pair, and each sentence by itself."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.loaders import context_answers
from app.loaders.context_answers import Question
from app.views.contexts import one_context
from app.views.contexts.chosen_contexts import ChosenContexts
from app.views.contexts.sense_groups import bold_word
from app.widgets import outputs
from app.widgets.frame import PageState


def show(page: PageState, question: Question, chosen: ChosenContexts, layer: int) -> None:
    """Show the cosine of two contexts, then substitutes and neighbours of each."""
    count = len(chosen.contexts)
    if count == 2:
        _show_pair(page, question, layer)
    for row, column in enumerate(st.columns(count, gap="large")):
        with column:
            st.markdown(bold_word(chosen, row))
            one_context.list_substitutes(page, question, chosen, row)
            one_context.list_neighbours(page, question, chosen, row)
    st.caption(page.say("contexts.few"))


def _show_pair(page: PageState, question: Question, layer: int) -> None:
    """Say how similar the word's two vectors are at a layer next to two random words, and list all layers."""
    say = page.say
    likeness = context_answers.likeness(question, layer)
    numbers = {
        "cosine": likeness.cosine[0, 1],
        "random": likeness.baseline,
        "centred": likeness.centred[0, 1],
        "random_centred": likeness.centred_baseline,
    }
    written = {name: say.number(float(value), 2) for name, value in numbers.items()}
    st.subheader(say("contexts.pair", layer=layer, **written), anchor=False)

    def fill() -> None:
        layers = range(context_answers.states(question).layers + 1)
        each = [context_answers.likeness(question, number) for number in layers]
        columns = {
            say("contexts.layer"): list(layers),
            say("contexts.plain"): [float(one.cosine[0, 1]) for one in each],
            say("contexts.random"): [one.baseline for one in each],
            say("contexts.centred"): [float(one.centred[0, 1]) for one in each],
            say("contexts.random_centred"): [one.centred_baseline for one in each],
        }
        outputs.table(say, pd.DataFrame(columns), "contexts-pair")

    outputs.box(say, "contexts.pair_layers", "contexts-pair", ":material/layers:", fill)
