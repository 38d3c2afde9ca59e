"""Compare: overlap and movement word by word, drawn and as a table with the neighbours.

Compare: both models' words on one map, with the way that each word goes.
Compare: the words of the whole common vocabulary that differ most.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from app.figures.model_agreement import agreement_figure, movement_figure
from app.figures.palette import method_colour
from app.loaders import shelf_models
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.analysis.model_comparison import common_map
from embeddings.results.vector_answers import ComparedWord, Comparison
from embeddings.shelf import Entry

MOST = 60  # words of the map


def show_map(page: PageState, found: Comparison, pair: tuple[Entry, Entry]) -> None:
    """Draw the map of the compared words."""
    say = page.say
    st.header(say("compare.map"), anchor=False)
    words = [word.word for word in found.words][:MOST]
    if len(words) < 2:
        st.info(say("compare.map_few"))
        return
    common = common_map(shelf_models.alignment(*pair), words)
    shares = common.explained_variance_ratio
    axes = [
        say("map.component_share", number=i, share=say.number(100 * share, 1))
        for i, share in enumerate(shares, 1)
    ]
    labels = (page.label(pair[0]), page.label(pair[1]))
    colours = [method_colour(entry.method, page.entries.index(entry)) for entry in pair]
    drawn = movement_figure(common, labels, (colours[0], colours[1]), axes, say.separators)
    alt = say("compare.map_alt", first=labels[0], second=labels[1], words=len(words))
    outputs.figure(say, drawn, "compare-map", alt)
    share = say.number(100 * sum(shares))
    st.caption(say("compare.map_note", first=labels[0], second=labels[1], share=share))
    rows = [
        {say("common.model"): label, say("common.word"): word, "x": x, "y": y}
        for label, places in zip(labels, (common.first, common.second), strict=True)
        for word, (x, y) in zip(common.words, places, strict=True)
    ]
    outputs.csv(say, pd.DataFrame(rows), "compare-map")


DRAWN = 40  # words of the figure; the table has all
ORDERS = {
    "movement": lambda word: -word.movement,
    "overlap": lambda word: word.overlap,
    "given": lambda _: 0,
}


def show_words(page: PageState, found: Comparison, pair: tuple[Entry, Entry]) -> None:
    """Draw a row a word, those that differ most first unless asked otherwise."""
    say, labels = page.say, (page.label(pair[0]), page.label(pair[1]))
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    left.header(say("compare.words"), anchor=False)
    with right:
        order = inputs.choice(say, "compared_by", list(ORDERS))
    words = sorted(found.words, key=ORDERS[order])
    titles = (say("compare.overlap_axis", n=found.topn), say("compare.movement_axis"))
    drawn = agreement_figure(words[:DRAWN], titles, say.separators)
    alt = say("compare.words_alt", first=labels[0], second=labels[1])
    outputs.figure(say, drawn, "compare-words", alt)
    st.caption(say("compare.words_note", first=labels[0], second=labels[1], n=found.topn))
    rows = pd.DataFrame([line(page, word, labels) for word in words])
    outputs.table(say, rows, "compare-words", forms=numbers(page))


def line(page: PageState, word: ComparedWord, labels: tuple[str, str]) -> dict[str, object]:
    """Return a word's line of a table, with the neighbours that both or one of the models name."""
    say = page.say
    return {
        say("common.word"): word.word,
        say("compare.overlap"): word.overlap,
        say("compare.movement"): word.movement,
        say("compare.shared"): ", ".join(word.shared),
        say("compare.only", model=labels[0]): ", ".join(word.first_only),
        say("compare.only", model=labels[1]): ", ".join(word.second_only),
    }


def numbers(page: PageState) -> dict[str, Callable[[float], str]]:
    """Return how the two numbers of a line are written."""
    say = page.say
    two = partial(say.number, digits=2)
    return {say("compare.overlap"): two, say("compare.movement"): two}


def show_most_moved(page: PageState, pair: tuple[Entry, Entry], topn: int) -> None:
    """List the words that move most among the commonest of both models."""
    say = page.say
    st.header(say("compare.moved"), anchor=False)
    alignment = shelf_models.alignment(*pair)
    among = int(inputs.choice(say, "compared_among", ("500", "2000", "10000")))
    found = shelf_models.moved(*pair, topn, among)
    st.caption(say("compare.moved_note", among=say.number(min(among, len(alignment.words)))))
    labels = (page.label(pair[0]), page.label(pair[1]))
    rows = pd.DataFrame([line(page, word, labels) for word in found])
    outputs.table(say, rows, "compare-moved", forms=numbers(page))
