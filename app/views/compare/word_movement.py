"""Compare: overlap and movement word by word, on a map, and over the whole common vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.figures.model_agreement import agreement_figure, movement_figure
from app.loaders import shelf_models, word_answers
from app.views.compare import model_pairs
from app.views.compare.model_pairs import ModelPair
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.analysis.model_comparison import common_map
from embeddings.errors import KlyuchError
from embeddings.results.vector_answers import ComparedWord, Comparison

EXPLORE = "views/explore/explore.py"
MAX_DRAWN_WORDS = 40  # words of the figure; the table has all
MAX_MAP_WORDS = 60  # words of the map
ORDERS = {
    "movement": lambda word: -word.movement,
    "overlap": lambda word: word.overlap,
    "given": lambda _: 0,
}


def show_word_by_word(
    page: PageState, pair: ModelPair, words: tuple[str, ...], topn: int, order: str
) -> list[str]:
    """Show how far two models agree on some words, next to the map of both; return the words that both know."""
    say = page.say
    if not words:
        st.info(say("compare.empty"))
        raise outputs.Halt
    try:
        comparison = model_pairs.show_agreement(page, pair, words, topn)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    ordered = sorted(comparison.words, key=ORDERS[order])
    left, right = st.columns(2, gap="medium")
    with left:
        _draw_agreement(page, ordered, pair, topn, "compare-words")
    with right:
        _show_movement_map(page, comparison, pair)
    model_pairs.note_limits(page, comparison)
    _show_overlap_of_runs(page, pair)
    rows = partial(compared_rows, page, ordered, (page.label(pair[0]), page.label(pair[1])))
    forms = number_formats(page)
    outputs.box(
        say,
        "common.as_table",
        "compare-words",
        ":material/table_rows:",
        lambda: outputs.table(say, rows(), "compare-words", forms=forms),
    )
    if len(page.entries) > 2:
        list_pairs = partial(model_pairs.list_all_pairs, page, words, topn)
        icon = ":material/compare_arrows:"
        outputs.box(say, "compare.all_pairs", "compare-pairs", icon, list_pairs)
    known = [word.word for word in comparison.words]
    if known:
        label = f"{say('compare.near')} {known[0]}"
        st.page_link(EXPLORE, label=outputs.plain(label), query_params={"word": known[0]})
    return known


def show_most_moved(page: PageState, pair: ModelPair, topn: int) -> list[str]:
    """Show the words that differ most among the commonest of both models, and return them."""
    say = page.say
    with st.spinner(say("compare.aligning")):
        alignment = word_answers.alignment(*pair)
    among = int(inputs.choice(say, "compared_among", ("500", "2000", "10000")))
    moved = word_answers.moved_words(*pair, topn, among)
    labels = (page.label(pair[0]), page.label(pair[1]))
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _draw_agreement(page, moved, pair, topn, "compare-moved")
    with right:
        st.caption(say("compare.moved_note", among=min(among, len(alignment.words))))
        rows = compared_rows(page, moved, labels)
        outputs.table(say, rows, "compare-moved", forms=number_formats(page))
    return [word.word for word in moved]


def _draw_agreement(
    page: PageState, words: Sequence[ComparedWord], pair: ModelPair, topn: int, key: str
) -> None:
    """Draw a row for each word: the overlap of its neighbours and its shift."""
    say, labels = page.say, (page.label(pair[0]), page.label(pair[1]))
    titles = (say("compare.overlap_axis", n=topn), say("compare.movement_axis"))
    figure = agreement_figure(words[:MAX_DRAWN_WORDS], titles, say.separators)
    alt = "compare.words_alt" if key == "compare-words" else "compare.moved_alt"
    outputs.figure(say, figure, key, say(alt, first=labels[0], second=labels[1]))
    st.caption(say("compare.words_note", first=labels[0], second=labels[1], n=topn))


def _show_movement_map(page: PageState, comparison: Comparison, pair: ModelPair) -> None:
    """Draw the map of the compared words."""
    say = page.say
    words = [word.word for word in comparison.words][:MAX_MAP_WORDS]
    if len(words) < 2:
        st.info(say("compare.map_few"))
        return
    common = common_map(word_answers.alignment(*pair), words)
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
    outputs.csv(say, partial(_map_rows, page, pair, words), "compare-map")


def _map_rows(page: PageState, pair: ModelPair, words: Sequence[str]) -> pd.DataFrame:
    """Return where each word is on the map, for both models."""
    common = common_map(word_answers.alignment(*pair), list(words))
    return pd.DataFrame(
        [
            {
                page.say("common.model"): page.label(entry),
                page.say("common.word"): word,
                "x": x,
                "y": y,
            }
            for entry, coordinates in zip(pair, (common.first, common.second), strict=True)
            for word, (x, y) in zip(common.words, coordinates, strict=True)
        ]
    )


def _show_overlap_of_runs(page: PageState, pair: ModelPair) -> None:
    """Say how far two trainings of each model agree, where that was measured: only a smaller overlap says something."""
    say = page.say
    for entry in pair:
        try:
            overlap = shelf_models.overlap_of_runs(entry)
        except KlyuchError as error:
            outputs.refuse(say, error, models=[page.label(entry)])
            continue
        if overlap:
            share = say.number(overlap.share, 2)
            text = say("compare.runs", model=page.label(entry), overlap=share, n=overlap.nearest)
            st.caption(outputs.plain(text))


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
