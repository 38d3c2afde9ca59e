"""Inside: parameters and operations of a network by its sizes, BERT next to ALBERT."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from app.figures.network_arrays import network_costs_figure
from app.views.inside.array_cells import EncoderView
from app.widgets import inputs, outputs
from embeddings.analysis.network_costs import bert_and_albert

WIDTHS = ("128", "256", "512", "768", "1024", "2048")
NARROW = ("64", "128", "256")


def show_network_costs(view: EncoderView) -> None:
    """Ask for the sizes and draw both counts."""
    say = view.page.say
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        hidden = int(inputs.choice(say, "inside_hidden", WIDTHS, "768"))
        narrow = int(inputs.choice(say, "inside_narrow", NARROW, "128"))
    with st.container(horizontal=True, gap="large"):
        layers = inputs.number(say, "inside_layers", 12, 1, 48)
        length = inputs.number(say, "inside_length", 128, 8, 512)
    networks = bert_and_albert(hidden, layers, embedding_size=narrow, sequence_length=length)
    for kind in ("parameters", "operations"):
        st.subheader(say(f"inside.{kind}"), anchor=False)
        totals = {network.name: getattr(network, f"total_{kind}") for network in networks}
        with st.container(horizontal=True):
            for name, count in totals.items():
                st.metric(name, say.number(count))
        counts = {network.name: getattr(network, kind) for network in networks}
        names = {part: say(f"part.{part}") for part in counts["BERT"]}
        figure = network_costs_figure(counts, names, say.separators)
        outputs.figure(say, figure, f"inside-{kind}", say(f"inside.{kind}_alt"))
        st.caption(say(f"inside.{kind}_note", length=length, narrow=narrow))
        outputs.csv(say, partial(_count_rows, counts, names, say("inside.part")), f"inside-{kind}")


def _count_rows(
    counts: Mapping[str, Mapping[str, int]], names: Mapping[str, str], title: str
) -> pd.DataFrame:
    """Return the counts of both networks, a row a part."""
    return pd.DataFrame(counts).rename(index=dict(names)).reset_index(names=title)
