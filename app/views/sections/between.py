"""Explore: words on an axis between two, by every chosen model."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import resources
from app.figures.axis import axis_figure
from app.figures.palette import method_colour
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.similarity import axis
from embeddings.errors import KlyuchError


def show(here: Here) -> None:
    """Place words between two ends."""
    say = here.say
    st.subheader(say("pairs.axis"), anchor=False)
    left, right = st.columns([1, 3])
    with left:
        ends = inputs.split_list(inputs.line(say, "ends", here.examples["ends"]))
    with right:
        text = inputs.line(say, "between", here.examples["between"])
    words = inputs.split_list(text)
    if len(ends) != 2 or not words:
        st.info(say("pairs.need_two"))
        return
    try:
        found = {e: axis(resources.vectors(e), *ends, words=words) for e in here.entries}
    except KlyuchError as error:
        outputs.refuse(say, error, inputs.swapped({"ends": ends, "between": words}, error), "axis")
        return
    positions = {here.label(entry): rows for entry, rows in found.items()}
    colours = {here.label(e): method_colour(e.method, i) for i, e in enumerate(found)}
    alt = say("pairs.axis_alt", low=ends[0], high=ends[1], model=", ".join(positions))
    drawn = axis_figure(positions, colours, (ends[0], ends[1]), say.separators)
    outputs.figure(say, drawn, "axis", alt)
    st.caption(say("pairs.axis_note", low=ends[0], high=ends[1]))
    rows = [
        {
            say("common.model"): model,
            say("common.word"): row.word,
            say("common.similarity"): row.position,
        }
        for model, line in positions.items()
        for row in line
    ]
    outputs.csv(say, pd.DataFrame(rows), "axis")
