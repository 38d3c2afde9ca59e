"""Ratios: the numbers of the figure, next to the published ones where they apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import streamlit as st

from app.figures.word_similarities import ratios_figure
from app.loaders import shelf_models
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.vector_answers import Ratio, Ratios
from embeddings.errors import UnknownWordError
from embeddings.shelf import Entry
from embeddings.vectors.search import nearest

# Pennington, Socher and Manning (2014), table 1, 6 billion tokens: P(k|ice), P(k|steam), ratio
PUBLISHED = {
    "solid": (1.9e-4, 2.2e-5, 8.9),
    "gas": (6.6e-5, 7.8e-4, 8.5e-2),
    "water": (3.0e-3, 2.2e-3, 1.36),
    "fashion": (1.7e-5, 1.8e-5, 0.96),
}
MIN_COUNT = 5  # weighted count (sum of 1 / distance) below which chance has a large part in a ratio
MAX_OFFERED = 3  # words in place of one without counts
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def published_ratios(pair: tuple[str, ...], probes: tuple[str, ...]) -> dict[str, float]:
    """Return the published ratios where the two words are the paper's, else nothing."""
    if tuple(word.lower() for word in pair) != ("ice", "steam"):
        return {}
    return {probe: PUBLISHED[probe][2] for probe in probes if probe in PUBLISHED}


def show_ratio_figure(page: PageState, ratios: Ratios) -> None:
    """Draw the ratios on a logarithmic scale, with the published ones where they apply."""
    say, words = page.say, {"first": ratios.first, "second": ratios.second}
    figure = ratios_figure(
        ratios,
        names=(say("ratios.corpus"), say("ratios.predicted"), say("ratios.source")),
        title=say("ratios.axis", **words),
        source=published_ratios(
            (ratios.first, ratios.second), tuple(row.probe for row in ratios.rows)
        ),
        separators=say.separators,
    )
    outputs.figure(say, figure, "ratios", say("ratios.alt", **words))
    st.caption(say("ratios.note", **words))


def show_ratio_table(say: Wording, ratios: Ratios, published: dict[str, float]) -> None:
    """Write the table, a row a probe, and offer it as CSV with full precision."""
    names = {
        "probe": "k",
        "p_first": f"P(k | {ratios.first})",
        "p_second": f"P(k | {ratios.second})",
        "count_first": f"X({ratios.first}, k)",
        "count_second": f"X({ratios.second}, k)",
        "ratio": say("ratios.corpus"),
        "predicted_ratio": say("ratios.predicted"),
    }
    rows = [
        {
            names["probe"]: row.probe,
            names["p_first"]: format_probability(say, row.p_first),
            names["p_second"]: format_probability(say, row.p_second),
            names["count_first"]: say.number(row.count_first, 1),
            names["count_second"]: say.number(row.count_second, 1),
            names["ratio"]: format_ratio(say, row.ratio),
            names["predicted_ratio"]: format_ratio(say, row.predicted_ratio),
            **(
                {say("ratios.source"): format_ratio(say, published.get(row.probe))}
                if published
                else {}
            ),
        }
        for row in ratios.rows
    ]
    outputs.written_table(pd.DataFrame(rows).set_index("k"))
    for caveat in list_caveats(say, ratios, published):
        st.caption(outputs.plain(caveat))
    if published:
        st.caption(say("ratios.source_note"))
    source = say("ratios.source") if published else ""
    outputs.csv(say, lambda: _exact_rows(ratios, names, published, source), "ratios")


def _exact_rows(
    ratios: Ratios, names: Mapping[str, str], published: Mapping[str, float], source: str
) -> pd.DataFrame:
    """Return the table with full precision, the published ratios under ``source`` if it has a name."""
    rows = pd.DataFrame(
        [{names[name]: getattr(row, name) for name in names} for row in ratios.rows]
    )
    if source:
        rows[source] = [published.get(row.probe) for row in ratios.rows]
    return rows


def list_caveats(say: Wording, ratios: Ratios, published: dict[str, float]) -> list[str]:
    """Return caveats on ratios that rest on little text: probes never or seldom counted."""
    lines, rare = [], []
    for row in ratios.rows:
        missing = _never_counted(ratios, row)
        if len(missing) == 1 and row.probe in published:
            published_ratio = format_ratio(say, published[row.probe])
            lines.append(
                say("ratios.never_source", k=row.probe, word=missing[0], ratio=published_ratio)
            )
        elif missing:
            lines.append(say("ratios.never", k=row.probe, word=say.list(missing)))
        elif min(row.count_first, row.count_second) < MIN_COUNT:
            rare.append(row.probe)
    if rare:
        lines.append(say("ratios.few", words=say.list(rare), least=MIN_COUNT))
    return lines


def _never_counted(ratios: Ratios, row: Ratio) -> list[str]:
    """Return which of the two words the corpus never has near the probe."""
    pairs = ((ratios.first, row.p_first), (ratios.second, row.p_second))
    return [word for word, probability in pairs if not probability]


def refuse_uncounted(
    page: PageState,
    entry: Entry,
    error: UnknownWordError,
    replace: Callable[[str], dict[str, object]],
) -> None:
    """Refuse a word without counts; offer what the model has nearest to it among those with."""
    say, labels = page.say, [page.label(entry)]
    words = shelf_models.cooccurrence(entry).words
    nearest_words = _nearest_counted(entry, error.word, words)
    if not nearest_words:
        outputs.refuse(say, error, replace, "ratios", models=labels)
        return
    refusal = UnknownWordError(error.word, len(words), code=error.code)
    outputs.refuse(say, refusal, models=labels)
    st.caption(say("ratios.nearest"))
    outputs.instead(say, nearest_words, replace, "ratios")


def _nearest_counted(entry: Entry, word: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the nearest of ``words`` to a word that the model knows; nothing for another."""
    vectors = shelf_models.vectors(entry)
    row = vectors.find(word)
    if row is None:
        return ()
    allowed = np.zeros(len(vectors), bool)
    allowed[
        [
            counted_row
            for counted_word in words
            if (counted_row := vectors.find(counted_word)) is not None
        ]
    ] = True
    rows, _ = nearest(vectors, vectors.unit_rows([row])[0], MAX_OFFERED, allowed=allowed)
    return tuple(vectors.words[nearest_row] for nearest_row in rows)


def format_probability(say: Wording, value: float) -> str:
    """Return a probability as 1.9 × 10⁻⁴."""
    if not value:
        return "0"
    digits, power = f"{value:.1e}".split("e")
    return f"{say.number(float(digits), 1)} × 10{str(int(power)).translate(POWERS)}"


def format_ratio(say: Wording, value: float | None) -> str:
    """Return a ratio with two significant digits or so."""
    if value is None:
        return "–"
    return say.number(
        value, 2 if abs(value) < 10 and abs(value) >= 0.1 else 3 if abs(value) < 0.1 else 1
    )
