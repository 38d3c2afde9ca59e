"""Ratios: the numbers of the figure, next to the published ones where they apply."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import streamlit as st

from app.figures.word_similarities import ratios_figure
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.vector_answers import Ratios

# Pennington, Socher and Manning (2014), table 1, 6 billion tokens: P(k|ice) / P(k|steam)
PUBLISHED = {"solid": 8.9, "gas": 8.5e-2, "water": 1.36, "fashion": 0.96}
MIN_COUNT = 5  # weighted count (sum of 1 / distance) below which chance has a large part in a ratio
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _published(ratios: Ratios) -> dict[str, float]:
    """Return the published ratios where the two words are the paper's, else nothing."""
    if (ratios.first.lower(), ratios.second.lower()) != ("ice", "steam"):
        return {}
    return {row.probe: PUBLISHED[row.probe] for row in ratios.rows if row.probe in PUBLISHED}


def show_ratio_figure(page: PageState, ratios: Ratios) -> None:
    """Draw the ratios on a logarithmic scale, with the published ones where they apply."""
    say, words = page.say, {"first": ratios.first, "second": ratios.second}
    figure = ratios_figure(
        ratios,
        names=(say("ratios.corpus"), say("ratios.predicted"), say("ratios.source")),
        title=say("ratios.axis", **words),
        source=_published(ratios),
        separators=say.separators,
    )
    outputs.figure(say, figure, "ratios", say("ratios.alt", **words))
    st.caption(say("ratios.note", **words))


def show_ratio_table(say: Wording, ratios: Ratios) -> None:
    """Write the table, a row a probe, and offer it as CSV with full precision."""
    words = {"first": ratios.first, "second": ratios.second}
    shares = {f"P(k | {word})": f"p_{place}" for place, word in words.items()}
    counts = {f"X({word}, k)": f"count_{place}" for place, word in words.items()}
    as_ratio = {say("ratios.corpus"): "ratio", say("ratios.predicted"): "predicted_ratio"}
    published = _published(ratios)
    rows = outputs.rows_of(ratios.rows, {"k": "probe", **shares, **counts, **as_ratio})
    if published:
        rows[say("ratios.source")] = [published.get(row.probe, math.nan) for row in ratios.rows]
    forms: dict[str, Callable[[float], str]] = {
        **dict.fromkeys(shares, partial(format_probability, say)),
        **dict.fromkeys(counts, partial(say.number, digits=1)),
        **dict.fromkeys([*as_ratio, say("ratios.source")], partial(format_ratio, say)),
    }
    outputs.table(say, rows, "ratios", forms=forms)
    for caveat in list_caveats(say, ratios):
        st.caption(outputs.plain(caveat))
    if published:
        st.caption(say("ratios.source_note"))


def list_caveats(say: Wording, ratios: Ratios) -> list[str]:
    """Return caveats on ratios that rest on little text: probes never or seldom counted."""
    lines, rare = [], []
    for row in ratios.rows:
        pairs = ((ratios.first, row.p_first), (ratios.second, row.p_second))
        if missing := [word for word, probability in pairs if not probability]:
            lines.append(say("ratios.never", k=row.probe, word=say.list(missing)))
        elif min(row.count_first, row.count_second) < MIN_COUNT:
            rare.append(row.probe)
    if rare:
        lines.append(say("ratios.few", words=say.list(rare), least=MIN_COUNT))
    return lines


def format_probability(say: Wording, value: float) -> str:
    """Return a probability as 1.9 × 10⁻⁴."""
    if not value:
        return "0"
    digits, power = f"{value:.1e}".split("e")
    return f"{say.number(float(digits), 1)} × 10{str(int(power)).translate(POWERS)}"


def format_ratio(say: Wording, value: float) -> str:
    """Return a ratio with two significant digits or so; a dash where it is not known."""
    if math.isnan(value):
        return "–"
    return say.significant(value) if abs(value) < 10 else say.number(value, 1)
