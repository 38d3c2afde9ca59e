"""Compare: the words of the whole common vocabulary that differ most."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import resources
from app.views.sections.compare_words import line, numbers
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.library import Entry


def show(here: Here, pair: tuple[Entry, Entry], topn: int) -> None:
    """List the words that move most among the commonest of both models."""
    say = here.say
    st.header(say("compare.moved"), anchor=False)
    alignment = resources.alignment(*pair)
    among = int(inputs.choice(say, "compared_among", ("500", "2000", "10000")))
    found = resources.moved(*pair, topn, among)
    st.caption(say("compare.moved_note", among=say.number(min(among, len(alignment.words)))))
    labels = (here.label(pair[0]), here.label(pair[1]))
    rows = pd.DataFrame([line(here, word, labels) for word in found])
    outputs.table(say, rows, "compare-moved", forms=numbers(here))
