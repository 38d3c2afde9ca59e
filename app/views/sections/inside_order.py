"""Inside: the same sentence with two words exchanged, with and without positions."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import network_resources
from app.figures.inside import swap_figure
from app.views.sections.inside_cells import At
from app.widgets import inputs, outputs


def show(at: At) -> None:
    """Let two words be chosen, and draw how each token's last vector changes."""
    say, words = at.here.say, network_resources.sentence_words(at.entry, at.text)
    if len(words) < 2:
        st.info(say("inside.order_few"))
        return
    labels = {str(i): f"{i + 1} · {word}" for i, word in enumerate(words)}
    with st.container(horizontal=True):
        first = int(inputs.pick(say, "inside_first", [*labels][1:] + [*labels][:1], labels))
        second = int(inputs.pick(say, "inside_second", [*labels][::-1], labels))
    if first == second:
        st.info(say("inside.order_same"))
        return
    found = network_resources.swapped_words(at.entry, at.text, first, second)
    st.markdown(outputs.plain(" ".join(found.tokens[1:-1])))
    st.markdown(outputs.plain(" ".join(found.swapped[1:-1])))
    names = (say("inside.with_positions"), say("inside.without"))
    series = list(zip(names, (found.with_positions, found.without), strict=True))
    drawn = swap_figure(found.tokens, series, say("inside.swap_axis"), say.separators)
    alt = say("inside.swap_alt", first=words[first], second=words[second])
    outputs.figure(say, drawn, "inside-swap", alt)
    st.caption(say("inside.order_note"))
    rows = {say("inside.token"): list(found.tokens), **dict(series)}
    outputs.csv(say, pd.DataFrame(rows), "inside-swap")
