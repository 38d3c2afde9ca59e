"""Compare: overlap and movement word by word, on a map, and over the whole common vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.figures.model_agreement import agreement_figure, movement_figure
from app.loaders import model_comparisons
from app.views.compare.model_pairs import ModelPair
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.analysis.model_comparison import common_map
from embeddings.results.vector_answers import ComparedWord, Comparison

MAX_DRAWN_WORDS = 40  # words of the figure; the table has all
MAX_MAP_WORDS = 60  # words of the map
ORDERS = {
    "movement": lambda word: -word.movement,
    "overlap": lambda word: word.overlap,
    "given": lambda _: 0,
}


def show_compared_words(page: PageState, comparison: Comparison, pair: ModelPair) -> None:
    """Draw one row per word, those that differ most first unless asked otherwise."""
    say, labels = page.say, (page.label(pair[0]), page.label(pair[1]))
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    left.header(say("compare.words"), anchor=False)
    with right:
        order = inputs.choice(say, "compared_by", list(ORDERS))
    words = sorted(comparison.words, key=ORDERS[order])
    titles = (say("compare.overlap_axis", n=comparison.topn), say("compare.movement_axis"))
    figure = agreement_figure(words[:MAX_DRAWN_WORDS], titles, say.separators)
    alt = say("compare.words_alt", first=labels[0], second=labels[1])
    outputs.figure(say, figure, "compare-words", alt)
    st.caption(say("compare.words_note", first=labels[0], second=labels[1], n=comparison.topn))
    rows = compared_rows(page, words, labels)
    outputs.table(say, rows, "compare-words", forms=number_formats(page))


def show_movement_map(page: PageState, comparison: Comparison, pair: ModelPair) -> None:
    """Draw the map of the compared words."""
    say = page.say
    st.header(say("compare.map"), anchor=False)
    words = [word.word for word in comparison.words][:MAX_MAP_WORDS]
    if len(words) < 2:
        st.info(say("compare.map_few"))
        return
    common = common_map(model_comparisons.alignment(*pair), words)
    shares = common.explained_variance_ratio
    axes = [
        say("map.component_share", number=number, share=say.number(100 * share, 1))
        for number, share in enumerate(shares, 1)
    ]
    labels = (page.label(pair[0]), page.label(pair[1]))
    colours = [page.colour(entry) for entry in pair]
    figure = movement_figure(common, labels, (colours[0], colours[1]), axes, say.separators)
    alt = say("compare.map_alt", first=labels[0], second=labels[1], words=len(words))
    outputs.figure(say, figure, "compare-map", alt)
    share = say.number(100 * sum(shares))
    st.caption(say("compare.map_note", first=labels[0], second=labels[1], share=share))
    rows = [
        {say("common.model"): label, say("common.word"): word, "x": x, "y": y}
        for label, coordinates in zip(labels, (common.first, common.second), strict=True)
        for word, (x, y) in zip(common.words, coordinates, strict=True)
    ]
    outputs.csv(say, lambda: pd.DataFrame(rows), "compare-map")


def show_most_moved(page: PageState, pair: ModelPair, topn: int) -> None:
    """List the words that move most among the commonest of both models."""
    say = page.say
    st.header(say("compare.moved"), anchor=False)
    alignment = model_comparisons.alignment(*pair)
    among = int(inputs.choice(say, "compared_among", ("500", "2000", "10000")))
    moved = model_comparisons.moved_words(*pair, topn, among)
    st.caption(say("compare.moved_note", among=min(among, len(alignment.words))))
    labels = (page.label(pair[0]), page.label(pair[1]))
    rows = compared_rows(page, moved, labels)
    outputs.table(say, rows, "compare-moved", forms=number_formats(page))


def compared_rows(
    page: PageState, words: Sequence[ComparedWord], labels: tuple[str, str]
) -> pd.DataFrame:
    """Return a row for each word, with the neighbours that both or one of the models name."""
    say = page.say
    return pd.DataFrame(
        {
            say("common.word"): [word.word for word in words],
            say("compare.overlap"): [word.overlap for word in words],
            say("compare.movement"): [word.movement for word in words],
            say("compare.shared"): [", ".join(word.shared) for word in words],
            say("compare.only", model=labels[0]): [", ".join(word.first_only) for word in words],
            say("compare.only", model=labels[1]): [", ".join(word.second_only) for word in words],
        }
    )


def number_formats(page: PageState) -> dict[str, Callable[[float], str]]:
    """Return how the two numbers of a row are written."""
    say = page.say
    two_digits = partial(say.number, digits=2)
    return {say("compare.overlap"): two_digits, say("compare.movement"): two_digits}
