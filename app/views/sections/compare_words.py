"""Compare: overlap and movement word by word, drawn and as a table with the neighbours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from app.figures.compare import compared_figure
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.library import Entry
from embeddings.results.compare import ComparedWord, Comparison

DRAWN = 40  # words of the figure; the table has all
ORDERS = {
    "movement": lambda word: -word.movement,
    "overlap": lambda word: word.overlap,
    "given": lambda _: 0,
}


def show(here: Here, found: Comparison, pair: tuple[Entry, Entry]) -> None:
    """Draw a row a word, those that differ most first unless asked otherwise."""
    say, labels = here.say, (here.label(pair[0]), here.label(pair[1]))
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    left.header(say("compare.words"), anchor=False)
    with right:
        order = inputs.choice(say, "compared_by", list(ORDERS))
    words = sorted(found.words, key=ORDERS[order])
    titles = (say("compare.overlap_axis", n=found.topn), say("compare.movement_axis"))
    drawn = compared_figure(words[:DRAWN], titles, say.separators)
    alt = say("compare.words_alt", first=labels[0], second=labels[1])
    outputs.figure(say, drawn, "compare-words", alt)
    st.caption(say("compare.words_note", first=labels[0], second=labels[1], n=found.topn))
    rows = pd.DataFrame([line(here, word, labels) for word in words])
    outputs.table(say, rows, "compare-words", forms=numbers(here))


def line(here: Here, word: ComparedWord, labels: tuple[str, str]) -> dict[str, object]:
    """Return a word's line of a table, with the neighbours that both or one of the models name."""
    say = here.say
    return {
        say("common.word"): word.word,
        say("compare.overlap"): word.overlap,
        say("compare.movement"): word.movement,
        say("compare.shared"): ", ".join(word.shared),
        say("compare.only", model=labels[0]): ", ".join(word.first_only),
        say("compare.only", model=labels[1]): ", ".join(word.second_only),
    }


def numbers(here: Here) -> dict[str, Callable[[float], str]]:
    """Return how the two numbers of a line are written."""
    say = here.say
    two = partial(say.number, digits=2)
    return {say("compare.overlap"): two, say("compare.movement"): two}
