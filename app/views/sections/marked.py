"""Explore: how the words of the map are marked, by model, group or frequency, and found on it."""

from __future__ import annotations

import streamlit as st

from app.figures.palette import CATEGORIES, GREY, QUERY, method_colour
from app.figures.word_map import Marks
from app.views.sections.frequency import note
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.clusters import cluster
from embeddings.analysis.frequency import magnitudes
from embeddings.analysis.similarity import matching
from embeddings.errors import KlyuchError
from embeddings.library import Entry
from embeddings.vectors.table import Vectors

Named = dict[str, tuple[Entry, ...]]


def marks(
    here: Here, vectors: Vectors, named: Named, colour: str, strong: tuple[str, ...]
) -> Marks:
    """Return groups and colours of the words."""
    say, words = here.say, tuple(named)
    notes = [note(say, vectors, vectors.count(vectors.row(word))) for word in words]
    if colour == "frequency" and vectors.counts is not None:
        values = magnitudes(vectors, words)
        return Marks([""] * len(words), {}, values, say("common.count"), (), strong, notes)
    if colour == "cluster":
        numbers = cluster(vectors, words)
        names = [say("map.cluster", number=n + 1) for n in range(max(numbers) + 1)]
        colours = dict(zip(names, CATEGORIES, strict=False))
        groups = [names[n] for n in numbers]
        return Marks(groups, colours, strong=strong, notes=notes)
    labels = [
        here.label(entries[0]) if len(entries) == 1 else say("map.several")
        for entries in named.values()
    ]
    groups = [say("map.query") if w in strong else g for w, g in zip(words, labels, strict=True)]
    colours = {here.label(e): method_colour(e.method, i) for i, e in enumerate(here.entries)}
    colours |= {say("map.several"): GREY, say("map.query"): QUERY}
    return Marks(groups, colours, strong=strong, notes=notes)


def found(here: Here, plain: Marks, words: tuple[str, ...]) -> Marks:
    """Let a regular expression bring words to the front."""
    pattern = inputs.line(here.say, "find", "")
    if not pattern:
        return plain
    try:
        kept = matching(words, pattern)
    except KlyuchError as error:
        outputs.refuse(here.say, error)
        return plain
    st.caption(here.say("map.matches", found=len(kept), words=len(words)))
    return plain.faded_but(words, kept)
