"""Compare: both models' words on one map, with the way that each word goes."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import resources
from app.figures.compare import movement_figure
from app.figures.palette import method_colour
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.analysis.alignment import common_map
from embeddings.library import Entry
from embeddings.results.compare import Comparison

MOST = 60  # words of the map


def show(here: Here, found: Comparison, pair: tuple[Entry, Entry]) -> None:
    """Draw the map of the compared words."""
    say = here.say
    st.header(say("compare.map"), anchor=False)
    words = [word.word for word in found.words][:MOST]
    if len(words) < 2:
        st.info(say("compare.map_few"))
        return
    common = common_map(resources.alignment(*pair), words)
    shares = common.explained_variance_ratio
    axes = [
        say("map.component_share", number=i, share=say.number(100 * share, 1))
        for i, share in enumerate(shares, 1)
    ]
    labels = (here.label(pair[0]), here.label(pair[1]))
    colours = [method_colour(entry.method, here.entries.index(entry)) for entry in pair]
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
