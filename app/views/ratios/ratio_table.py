"""Ratios: the numbers behind the figure, with the source's own where they apply."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.widgets import outputs
from app.wording import Wording
from embeddings.errors import UnknownWordError
from embeddings.results import Ratio, Ratios
from embeddings.shelf import Entry
from embeddings.vectors.search import nearest

# Pennington, Socher and Manning (2014), table 1, 6 billion tokens: P(k|ice), P(k|steam), ratio
SOURCE = {
    "solid": (1.9e-4, 2.2e-5, 8.9),
    "gas": (6.6e-5, 7.8e-4, 8.5e-2),
    "water": (3.0e-3, 2.2e-3, 1.36),
    "fashion": (1.7e-5, 1.8e-5, 0.96),
}
FEW = 5  # weighted count (sum of 1 / distance) below which chance has a large part in a ratio
OFFERED = 3  # words in place of one without counts
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
        "count_first": f"X({found.first}, k)",
        "count_second": f"X({found.second}, k)",
        "ratio": say("ratios.corpus"),
        "predicted_ratio": say("ratios.predicted"),
    }
    plain = pd.DataFrame([{names[n]: getattr(row, n) for n in names} for row in found.rows])
    if source:
        plain[say("ratios.source")] = [source.get(row.probe) for row in found.rows]
    lines = [
        {
            names["probe"]: row.probe,
            names["p_first"]: small(say, row.p_first),
            names["p_second"]: small(say, row.p_second),
            names["count_first"]: say.number(row.count_first, 1),
            names["count_second"]: say.number(row.count_second, 1),
            names["ratio"]: short(say, row.ratio),
            names["predicted_ratio"]: short(say, row.predicted_ratio),
            **({say("ratios.source"): short(say, source.get(row.probe))} if source else {}),
        }
        for row in found.rows
    ]
    st.table(pd.DataFrame(lines).set_index("k"))
    for line in evidence(say, found, source):
        st.caption(outputs.plain(line))
    if source:
        st.caption(say("ratios.source_note"))
    outputs.csv(say, plain, "ratios")


def evidence(say: Wording, found: Ratios, source: dict[str, float]) -> list[str]:
    """Return what to hold of ratios that rest on little text: never together, or seldom."""
    lines, few = [], []
    for row in found.rows:
        lacking = _never(found, row)
        if len(lacking) == 1 and row.probe in source:
            near = short(say, source[row.probe])
            lines.append(say("ratios.never_source", k=row.probe, word=lacking[0], ratio=near))
        elif lacking:
            lines.append(say("ratios.never", k=row.probe, word=", ".join(lacking)))
        elif min(row.count_first, row.count_second) < FEW:
            few.append(row.probe)
    if few:
        lines.append(say("ratios.few", words=", ".join(few), least=FEW))
    return lines


def _never(found: Ratios, row: Ratio) -> list[str]:
    """Return which of the two words the corpus never has near the probe."""
    pairs = ((found.first, row.p_first), (found.second, row.p_second))
    return [word for word, probability in pairs if not probability]


def uncounted(
    say: Wording,
    entry: Entry,
    error: UnknownWordError,
    replace: Callable[[str], dict[str, object]],
) -> None:
    """Refuse a word without counts; offer what the model has nearest to it among those with."""
    words = shelf_models.cooccurrence(entry).words
    near = _nearest_of(entry, error.word, words)
    if not near:
        outputs.refuse(say, error, replace, "ratios")
        return
    alone = UnknownWordError(error.word, len(words), code=error.code)
    outputs.refuse(say, alone)
    st.caption(say("ratios.nearest"))
    outputs.instead(say, near, replace, "ratios")


def _nearest_of(entry: Entry, word: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the nearest of ``words`` to a word that the model knows; nothing for another."""
    vectors = shelf_models.vectors(entry)
    row = vectors.find(word)
    if row is None:
        return ()
    allowed = np.zeros(len(vectors), bool)
    allowed[[place for w in words if (place := vectors.find(w)) is not None]] = True
    rows, _ = nearest(vectors, vectors.unit_rows([row])[0], OFFERED, allowed=allowed)
    return tuple(vectors.words[near] for near in rows)


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
