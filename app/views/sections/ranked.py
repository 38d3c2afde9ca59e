"""Ranked words side by side, a list a model, with frequency beside each and a table of them all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from app import resources
from app.figures.neighbours import neighbours_figure
from app.figures.palette import method_colour
from app.views.sections.frequency import note, row_of
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.library import Entry
from embeddings.results import Neighbour


@dataclass(frozen=True)
class Look:
    """How a list is drawn; the dots of ``shared`` words are filled, ``alt`` is read aloud."""

    title: str
    colour: str
    shared: Collection[str]
    key: str
    alt: str


Ranked = Mapping[Entry, Sequence[Neighbour]]


def lists(here: Here, ranked: Ranked, key: str, alt: str, about: str) -> None:
    """Draw a list a model; ``alt`` names the sentence for screen readers, ``about`` its subject."""
    named = [row.word for rows in ranked.values() for row in rows]
    shared = {word for word in named if named.count(word) > 1}
    for place, (column, (entry, rows)) in enumerate(
        zip(st.columns(len(ranked)), ranked.items(), strict=True)
    ):
        with column:
            if rows:
                colour = method_colour(entry.method, place)
                words = ", ".join(row.word for row in rows)
                spoken = here.say(alt, about=about, model=entry.name, words=words)
                look = Look(here.label(entry), colour, shared, f"{key}-{entry.name}", spoken)
                one(here, entry, rows, look)
            else:
                st.info(here.say("explore.none_left"))


def one(here: Here, entry: Entry, rows: Sequence[Neighbour], look: Look) -> None:
    """Draw one list."""
    say, vectors = here.say, resources.vectors(entry)
    drawn = neighbours_figure(
        rows,
        title=look.title,
        colour=look.colour,
        shared=look.shared,
        notes=[note(say, vectors, row.count) for row in rows],
        separators=say.separators,
    )
    outputs.figure(say, drawn, look.key, look.alt)


def as_table(here: Here, ranked: Ranked, key: str, score: str) -> None:
    """Offer all lists as one table."""
    lines = [
        row_of(here.say, here.label(entry), rank, row, resources.vectors(entry), score)
        for entry, rows in ranked.items()
        for rank, row in enumerate(rows, 1)
    ]
    with st.expander(here.say("common.as_table"), icon=":material/table_rows:"):
        outputs.table(here.say, pd.DataFrame(lines), key)
