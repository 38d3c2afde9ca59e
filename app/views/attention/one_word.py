"""Attention: what one word attends to in every head."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from app.figures.network_arrays import CellStyle, cells_figure
from app.widgets import address, attention_heads, outputs
from app.widgets.frame import PageState
from embeddings.attention_view.payload import Panel, ViewState
from embeddings.results.network_answers import AttentionMap

NUMBERED = 16  # words up to which the cells carry their numbers
MOST_HEADS = 32  # rows of the figure; a network with more heads is shown a layer at a time


def show(page: PageState, panel: Panel, view_state: ViewState) -> None:
    """Let a word be chosen, and draw its weights in all heads, a row each; in those of one layer where there are many."""
    say, shown = page.say, panel.shown
    units = range(len(shown.from_side))
    if st.session_state["attention_word"] < 0:
        address.put(attention_word=default_word(shown, view_state))
    word = st.pills(
        say("attention_word.label"),
        list(units),
        format_func=lambda unit: outputs.plain(shown.from_side.labels[unit]),
        key="attention_word",
        help=say("attention_word.help"),
        required=True,
    )
    unit = int(word or 0)
    numbers = [head for head in shown.heads if head.isdigit()]
    heads = [(layer, head) for layer in range(1, shown.layers + 1) for head in numbers]
    if len(heads) > MOST_HEADS:
        st.slider(say("attention_shown.layer"), 1, shown.layers, key="attention_layer")
        heads = [(view_state.layer, head) for head in numbers]
    weights = np.array([shown.head_weights(layer, head)[unit] for layer, head in heads])
    patterns = {(p.layer, p.head): p.pattern for p in panel.profiles}
    names = []
    for layer, head in heads:
        pattern = patterns.get((layer, head), "")
        named = say("attention.head_name", layer=str(layer), head=head)
        names.append(f"{named} · {say(f'attention_shown.{pattern}')}" if pattern else named)
    label = shown.from_side.labels[unit]
    style = CellStyle(share=True, numbers=weights.shape[1] <= NUMBERED)
    figure = cells_figure(weights, names, shown.to_side.labels, style, say.separators)
    outputs.figure(say, figure, "attention-word", say("attention.word_alt", word=label))
    st.caption(outputs.plain(say("attention.word_read", word=label)))
    if panel.shown.shared:
        st.caption(say("attention.shared"))

    def rows() -> pd.DataFrame:
        table = pd.DataFrame(weights, columns=attention_heads.distinct(shown.to_side.labels))
        table.insert(0, say("attention_shown.head"), names)
        return table

    outputs.csv(say, rows, "attention-word")


def default_word(shown: AttentionMap, view_state: ViewState) -> int:
    """Return the unit that attends most to one other unit at least two places away in the head that is open."""
    weights = shown.head_weights(view_state.layer, view_state.head)
    distance = np.abs(np.subtract.outer(np.arange(weights.shape[0]), np.arange(weights.shape[1])))
    keep = np.logical_and.outer(
        ~np.array(shown.from_side.special), ~np.array(shown.to_side.special)
    )
    return int((weights * keep * (distance > 1)).max(1).argmax())
