"""Translate and Inside: the translation again with heads switched off, and which head matters for the translation."""

from __future__ import annotations

import streamlit as st

from app.loaders import network_answers
from app.widgets import inputs, outputs, snippets, switched_parts
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.results.network_answers import TRANSLATOR_KINDS, TranslatorHeads, read_head
from embeddings.shelf import Entry


def show(page: PageState, entry: Entry, text: str, beam: int, *, needed_is_blue: bool) -> str:
    """Ask which heads are off and show both translations; return the same in Python, "" where there is no answer.

    ``needed_is_blue``: as `switched_parts.show_effects`.
    """
    say = page.say
    st.markdown(say("translate_off.lead"))
    config = network_answers.config(entry)
    layers, number = config.num_hidden_layers, config.num_attention_heads
    chosen = {}
    for kind, column in zip(TRANSLATOR_KINDS, st.columns(len(TRANSLATOR_KINDS)), strict=True):
        with column:
            names = switched_parts.ask_heads(say, f"translate_off_{kind}", layers, number)
            chosen[kind] = tuple(sorted(map(read_head, names)))
    heads = TranslatorHeads(**chosen)
    try:
        ablation = network_answers.ablated(entry, text, beam, heads)
        with st.spinner(say("off.running"), show_time=False):
            effects = network_answers.head_effects(entry, text, beam)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return ""
    for name, target, score in (
        ("before", ablation.before, ablation.before_score),
        ("after", ablation.after, ablation.after_score),
    ):
        st.markdown(f"{say(f'translate_off.{name}')}: **{outputs.plain(target) or '–'}**")
        st.caption(say("translate.score", score=say.number(score, 2)))
    if not heads:
        st.info(say("translate_off.nothing_off"))
    kind = inputs.choice(say, "translate_off_shown", TRANSLATOR_KINDS)
    title = say(f"translate_off_shown.{kind}")
    switched_parts.show_effects(
        page, effects[kind], title, "translate_off.note", needed_is_blue=needed_is_blue
    )
    return snippets.translation_ablation(entry.name, text, beam, heads)
