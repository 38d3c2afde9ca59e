"""Ratios: the numbers behind the figure, with the source's own where they apply."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.widgets import outputs
from app.wording import Wording
from embeddings.results import Ratios

# Pennington, Socher and Manning (2014), table 1, 6 billion tokens: P(k|ice), P(k|steam), ratio
SOURCE = {
    "solid": (1.9e-4, 2.2e-5, 8.9),
    "gas": (6.6e-5, 7.8e-4, 8.5e-2),
    "water": (3.0e-3, 2.2e-3, 1.36),
    "fashion": (1.7e-5, 1.8e-5, 0.96),
}
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def source_of(two: tuple[str, ...], probes: tuple[str, ...]) -> dict[str, float]:
    """Return the source's ratios where the two words are its own, else nothing."""
    if tuple(word.lower() for word in two) != ("ice", "steam"):
        return {}
    return {probe: SOURCE[probe][2] for probe in probes if probe in SOURCE}


def show(say: Wording, found: Ratios, source: dict[str, float]) -> None:
    """Write the table, a row a probe, and offer it as CSV with full precision."""
    names = {
        "probe": "k",
        "p_first": f"P(k | {found.first})",
        "p_second": f"P(k | {found.second})",
        "ratio": say("ratios.corpus"),
        "predicted_ratio": say("ratios.predicted"),
    }
    plain = pd.DataFrame([{names[n]: getattr(row, n) for n in names} for row in found.rows])
    lines = [
        {
            names["probe"]: row.probe,
            names["p_first"]: small(say, row.p_first),
            names["p_second"]: small(say, row.p_second),
            names["ratio"]: short(say, row.ratio),
            names["predicted_ratio"]: short(say, row.predicted_ratio),
            **({say("ratios.source"): short(say, source.get(row.probe))} if source else {}),
        }
        for row in found.rows
    ]
    st.table(pd.DataFrame(lines).set_index("k"))
    if source:
        st.caption(say("ratios.source_note"))
    outputs.csv(say, plain, "ratios")


def small(say: Wording, value: float) -> str:
    """Return a probability as 1.9 × 10⁻⁴."""
    if not value:
        return "0"
    digits, power = f"{value:.1e}".split("e")
    return f"{say.number(float(digits), 1)} × 10{str(int(power)).translate(POWERS)}"


def short(say: Wording, value: float | None) -> str:
    """Return a ratio with two significant digits or so."""
    if value is None:
        return "–"
    return say.number(
        value, 2 if abs(value) < 10 and abs(value) >= 0.1 else 3 if abs(value) < 0.1 else 1
    )
