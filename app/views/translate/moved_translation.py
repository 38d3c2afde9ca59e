"""Translate: which words moved each word of the translation, and the translation with heads switched off."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from app.figures.network_arrays import CellStyle, cells_figure
from app.loaders import shelf_models
from app.widgets import inputs, network_parts, outputs, snippets
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.network_answers import (
    TRANSLATOR_KINDS,
    TranslationAttribution,
    TranslatorHeads,
    read_head,
)
from embeddings.shelf import Entry
from embeddings.verbs import TranslatorVerbs


def show_moved_translation(say: Wording, entry: Entry, text: str, beam: int) -> bool:
    """Show what each word adds to each word of the translation; return whether it is shown."""
    st.caption(say("translate.moved_note"))
    try:
        with st.spinner(say("translate.moved_running"), show_time=False):
            attribution = shelf_models.ask_in_queue(TranslatorVerbs.attribute, entry, text, beam)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return False
    method = inputs.choice(say, "translate_by", ("gradients", "occlusion"))
    by_gradients = method == "gradients"
    source = attribution.source_gradients if by_gradients else attribution.source_occlusions
    target = attribution.target_gradients if by_gradients else attribution.target_occlusions
    _show_matrix(say, "source", attribution.target_words, attribution.source_words, source)
    _show_matrix(say, "target", attribution.target_words, attribution.target_words, target)
    st.caption(say(f"translate.{method}_read"))

    def fill() -> None:
        outputs.table(say, _sum_rows(say, attribution), "translate-sums")

    outputs.box(say, "common.as_table", "translate-sums", ":material/table_rows:", fill)
    outputs.csv(
        say, lambda: _cell_rows(say, attribution), "translate-moved", say("translate.moved_cells")
    )
    return True


def _show_matrix(
    say: Wording,
    side: str,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    values: NDArray[np.float64],
) -> None:
    """Show what the words of one side add."""
    st.subheader(say(f"translate.moved_{side}"), anchor=False)
    figure = cells_figure(values, rows, columns, CellStyle(blue_above=True), say.separators)
    outputs.figure(say, figure, f"translate-moved-{side}", say(f"translate.moved_alt_{side}"))


def _sum_rows(say: Wording, attribution: TranslationAttribution) -> pd.DataFrame:
    """Return how log p of each word is made of both sides, the baseline and the residual."""
    return pd.DataFrame(
        {
            say("translate.row"): attribution.target_words,
            say("translate.from_source"): attribution.source_gradients.sum(1),
            say("translate.from_earlier"): attribution.target_gradients.sum(1),
            say("translate.no_words"): attribution.baselines,
            say("translate.residual"): attribution.residuals,
            "log p": attribution.log_probabilities,
        }
    )


def _cell_rows(say: Wording, attribution: TranslationAttribution) -> pd.DataFrame:
    """Return every cell of both matrices by both methods, with full precision."""
    sides = (
        ("source", attribution.source_words, attribution.source_gradients, attribution.source_occlusions),
        ("target", attribution.target_words, attribution.target_gradients, attribution.target_occlusions),
    )  # fmt: skip
    return pd.DataFrame(
        [
            {
                say("translate.row"): word,
                say("translate.side"): say(f"translate.side_{side}"),
                say("translate.column"): column,
                say("attribution.by_gradients"): gradients[i, j],
                say("attribution.by_occlusion"): occlusions[i, j],
            }
            for side, columns, gradients, occlusions in sides
            for i, word in enumerate(attribution.target_words)
            for j, column in enumerate(columns)
        ]
    )


def show(page: PageState, entry: Entry, text: str, beam: int, *, needed_is_blue: bool) -> str:
    """Ask which heads are off and show both translations; return the same in Python, "" where there is no answer.

    ``needed_is_blue``: as `network_parts.show_effects`.
    """
    say = page.say
    st.markdown(say("translate_off.lead"))
    config = shelf_models.open_with_base(entry).network.config
    layers, number = config.num_hidden_layers, config.num_attention_heads
    chosen = {}
    for kind, column in zip(TRANSLATOR_KINDS, st.columns(len(TRANSLATOR_KINDS)), strict=True):
        with column:
            names = network_parts.ask_heads(say, f"translate_off_{kind}", layers, number)
            chosen[kind] = tuple(sorted(map(read_head, names)))
    heads = TranslatorHeads(**chosen)
    try:
        ablation = shelf_models.ask_in_queue(TranslatorVerbs.ablate, entry, text, heads, beam)
        with st.spinner(say("off.running"), show_time=False):
            effects = shelf_models.ask_in_queue(TranslatorVerbs.head_effects, entry, text, beam)
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
    network_parts.show_effects(
        page, effects[kind], title, "translate_off.note", needed_is_blue=needed_is_blue
    )
    return snippets.translation_ablation(entry.name, text, beam, heads)
