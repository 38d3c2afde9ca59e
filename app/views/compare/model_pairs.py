"""Compare: which two models, and how far each pair of the chosen ones agrees over all."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import streamlit as st

from app.loaders import word_answers
from app.widgets import inputs, outputs, saved_files
from app.widgets.frame import PageState
from app.widgets.model_refusals import say_missing
from embeddings.results.vector_answers import Comparison
from embeddings.shelf import Entry

ModelPair = tuple[Entry, Entry]


def choose_pair(page: PageState) -> ModelPair:
    """Let a pair of the chosen models be picked, from the first to the second."""
    pairs = {f"{a.name}~{b.name}": (a, b) for a, b in combinations(page.entries, 2)}
    labels = {key: f"{page.label(a)} → {page.label(b)}" for key, (a, b) in pairs.items()}
    if len(pairs) == 1:
        return next(iter(pairs.values()))
    return pairs[inputs.pick(page.say, "compared_pair", list(pairs), labels)]


def show_agreement(
    page: PageState, pair: ModelPair, words: tuple[str, ...], topn: int
) -> Comparison:
    """Show in four numbers how far the two agree."""
    say = page.say
    with st.spinner(say("compare.aligning")):
        comparison = word_answers.comparison(*pair, words, topn)
    with st.container(horizontal=True):
        measures = _format_measures(page, comparison)
        for name, text in measures.items():
            st.metric(say(f"compare.{name}"), text, help=say(f"compare.{name}_help", n=topn))
            saved_files.note(f"{say(f'compare.{name}')}: {text}")
    say_missing(page, comparison.missing, pair)
    return comparison


def note_limits(page: PageState, comparison: Comparison) -> None:
    """Say what makes the numbers of two models less sure: sizes that differ, and few common words."""
    say = page.say
    if len(set(comparison.dimensions)) > 1:
        narrow, wide = sorted(comparison.dimensions)
        st.caption(say("compare.padded", narrow=narrow, wide=wide))
    if comparison.common <= 2 * max(comparison.dimensions):
        st.caption(say("compare.few", common=comparison.common, size=max(comparison.dimensions)))


def list_all_pairs(page: PageState, words: tuple[str, ...], topn: int) -> None:
    """List in how far every pair of the chosen models agrees."""
    say, rows = page.say, []
    for first, second in combinations(page.entries, 2):
        comparison = word_answers.comparison(first, second, words, topn)
        name = f"{page.label(first)} → {page.label(second)}"
        measures = {
            say(f"compare.{key}"): text for key, text in _format_measures(page, comparison).items()
        }
        rows.append({say("compare.pair"): name, **measures})
    outputs.written_table(pd.DataFrame(rows).set_index(say("compare.pair")))


def _format_measures(page: PageState, comparison: Comparison) -> dict[str, str]:
    """Return the four numbers as text."""
    say = page.say
    return {
        "overlap": f"{say.number(100 * comparison.overlap)} %",
        "error": say.number(comparison.procrustes_error, 2),
        "spearman": say.number(comparison.spearman, 2),
        "common": say.number(comparison.common),
    }
