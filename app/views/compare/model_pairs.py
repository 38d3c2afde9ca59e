"""Compare: which two models, and how far each pair of the chosen ones agrees over all."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.results.vector_answers import Comparison
from embeddings.shelf import Entry

Pair = tuple[Entry, Entry]


def pick(page: PageState) -> Pair:
    """Let a pair of the chosen models be picked, from the first to the second."""
    pairs = {f"{a.name}~{b.name}": (a, b) for a, b in combinations(page.entries, 2)}
    labels = {key: f"{page.label(a)} → {page.label(b)}" for key, (a, b) in pairs.items()}
    if len(pairs) == 1:
        return next(iter(pairs.values()))
    return pairs[inputs.pick(page.say, "compared_pair", list(pairs), labels)]


def show(page: PageState, pair: Pair, words: tuple[str, ...], topn: int) -> Comparison:
    """Say in four numbers how far the two agree; of more than two models list every pair."""
    say = page.say
    with st.spinner(say("compare.aligning")):
        found = shelf_models.comparison(*pair, words, topn)
    with st.container(horizontal=True):
        numbers = _numbers(page, found)
        for name, text in numbers.items():
            st.metric(say(f"compare.{name}"), text, help=say(f"compare.{name}_help", n=topn))
    if found.missing:
        lacking = say("compare.missing", words=", ".join(found.missing))
        st.info(outputs.plain(lacking), icon=":material/info:")
    if len(set(found.dimensions)) > 1:
        narrow, wide = sorted(found.dimensions)
        st.caption(say("compare.padded", narrow=narrow, wide=wide))
    if found.common <= 2 * max(found.dimensions):
        st.caption(say("compare.few", common=found.common, size=max(found.dimensions)))
    if len(page.entries) > 2:
        _all(page, words, topn)
    return found


def _all(page: PageState, words: tuple[str, ...], topn: int) -> None:
    """List every pair of the chosen models."""
    say, rows = page.say, []
    for first, second in combinations(page.entries, 2):
        one = shelf_models.comparison(first, second, words, topn)
        name = f"{page.label(first)} → {page.label(second)}"
        told = {say(f"compare.{key}"): text for key, text in _numbers(page, one).items()}
        rows.append({say("compare.pair"): name, **told})
    st.table(pd.DataFrame(rows).set_index(say("compare.pair")))


def _numbers(page: PageState, found: Comparison) -> dict[str, str]:
    """Return the four numbers as text."""
    say = page.say
    return {
        "overlap": f"{say.number(100 * found.overlap)} %",
        "error": say.number(found.procrustes_error, 2),
        "spearman": say.number(found.spearman, 2),
        "common": say.number(found.common),
    }
