"""Inside: why a plain index would not do, the waves, and the positions that the network learned."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import network_resources
from app.figures.inside import likeness_figure, lines_figure, waves_figure
from app.views.sections.inside_cells import At
from app.widgets import inputs, outputs
from embeddings.analysis.waves import cosines, wave_length, waves, ways

SHOWN = 64  # positions of the figures
SHORT, LONG = 5, 9  # tokens of two sentences


def show(at: At) -> None:
    """Draw the three parts."""
    _plain(at)
    _waves(at)
    _likeness(at)


def _plain(at: At) -> None:
    """Compare an index, a share of the sentence, and a wave."""
    say = at.here.say
    st.subheader(say("inside.plain_title"), anchor=False)
    st.markdown(say("inside.plain", short=SHORT, long=LONG))
    rows = [
        {
            say("inside.position"): index,
            say("inside.index"): str(index),
            say("inside.share_of", tokens=SHORT): say.number(first, 2),
            say("inside.share_of", tokens=LONG): say.number(second, 2),
            say("inside.wave"): say.number(wave, 2),
        }
        for index, first, second, wave in ways(SHORT, LONG, 64)
    ]
    st.table(pd.DataFrame(rows).set_index(say("inside.position")))


def _waves(at: At) -> None:
    """Draw the waves as cells, and one pair of columns as curves."""
    say, size = at.here.say, network_resources.position_table(at.entry).table.shape[1]
    st.subheader(say("inside.waves_title"), anchor=False)
    pair = inputs.number(say, "inside_wave", 4, 0, max(1, (size - 1) // 2))
    table = waves(SHOWN, size)
    titles = (say("inside.position"), say("inside.column"))
    drawn = waves_figure(table, titles, 2 * pair, say.separators)
    outputs.figure(say, drawn, "inside-waves", say("inside.waves_alt", size=size))
    names = (say("inside.sine", column=2 * pair), say("inside.cosine", column=2 * pair + 1))
    two = table[:, 2 * pair : 2 * pair + 2]
    curves = lines_figure(two, names[: two.shape[1]], titles[0], say.separators)
    outputs.figure(say, curves, "inside-curves", say("inside.curves_alt", column=2 * pair))
    length = say.number(wave_length(2 * pair, size), 1)
    st.caption(say("inside.waves_note", size=size, column=2 * pair, length=length))
    outputs.csv(say, pd.DataFrame(table), "inside-waves")


def _likeness(at: At) -> None:
    """Draw the cosines of positions: of the waves, and of the table that the network learned."""
    say, own = at.here.say, network_resources.position_table(at.entry)
    st.subheader(say("inside.likeness_title"), anchor=False)
    count = min(SHOWN, len(own.table))
    sides = [("inside.of_waves", cosines(waves(count, own.table.shape[1])))]
    if own.learned:
        sides.append(("inside.of_learned", cosines(own.table)[:count, :count]))
    for column, (key, near) in zip(st.columns(len(sides)), sides, strict=True):
        with column:
            title = say(key, model=at.entry.name)
            drawn = likeness_figure(near, title, say("inside.position"), say.separators)
            outputs.figure(
                say, drawn, key.replace(".", "-"), say("inside.likeness_alt", what=title)
            )
    st.caption(say("inside.likeness_learned" if own.learned else "inside.likeness_waves"))
