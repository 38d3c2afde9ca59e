"""Ranked words side by side, one list per model with the frequency of each word, and a table of all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from app.figures.word_similarities import neighbours_figure
from app.loaders import shelf_models
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.frequency import per_million, tier
from embeddings.results import Neighbour
from embeddings.shelf import Entry
from embeddings.vectors.table import Vectors

Replacement = Callable[[str], dict[str, object]]
DOTS = ("", "●○○", "●●○", "●●●")


def frequency_note(say: Wording, vectors: Vectors, count: int | None) -> str:
    """Return the tier as dots and the count, ``●●○ 1,234``; nothing where not known."""
    dots = DOTS[tier(per_million(vectors, count))]
    return f"{dots} {say.number(count)}" if dots else ""


def frequency_of(say: Wording, word: str, vectors: Vectors) -> dict[str, object]:
    """Return the first cells of a table's line: a word and its frequency."""
    row = vectors.find(word)  # none for a word that is composed of n-grams
    count = None if row is None else vectors.count(row)
    rate = per_million(vectors, count)
    return {
        say("common.word"): word,
        say("common.count"): count,
        say("common.per_million"): rate,
        say("common.tier"): say.get(f"tier.{tier(rate)}"),
    }


def row_of(
    say: Wording, model: str, rank: int, row: Neighbour, vectors: Vectors, score: str = "similarity"
) -> dict[str, object]:
    """Return a line of a table of neighbours."""
    rate = per_million(vectors, row.count)
    return {
        say("common.model"): model,
        say("common.rank"): rank,
        say("common.word"): row.word,
        say(f"common.{score}"): row.similarity,
        say("common.count"): row.count,
        say("common.per_million"): rate,
        say("common.tier"): say.get(f"tier.{tier(rate)}"),
        say("common.forms"): ", ".join(row.forms),
    }


@dataclass(frozen=True)
class ListStyle:
    """How a list is drawn; the dots of ``shared`` words are filled, ``alt`` is read aloud."""

    title: str
    colour: str
    shared: Collection[str]
    key: str
    alt: str


Ranked = Mapping[Entry, Sequence[Neighbour]]


def lists(page: PageState, ranked: Ranked, key: str, alt: str, about: str) -> None:
    """Draw a column a chosen model that has a list.

    ``alt`` names the sentence for screen readers, ``about`` its subject.
    """
    named = [row.word for rows in ranked.values() for row in rows]
    shared = {word for word in named if named.count(word) > 1}
    columns = [entry for entry in page.entries if entry in ranked]
    for column, entry in zip(st.columns(len(columns)), columns, strict=True):
        with column:
            if rows := ranked[entry]:
                words = ", ".join(row.word for row in rows)
                spoken = page.say(alt, about=about, model=entry.name, words=words)
                style = ListStyle(
                    page.label(entry), page.colour(entry), shared, f"{key}-{entry.name}", spoken
                )
                draw_list(page, entry, rows, style)
            else:
                st.info(outputs.plain(page.say("explore.none_left", model=page.label(entry))))


def draw_list(page: PageState, entry: Entry, rows: Sequence[Neighbour], style: ListStyle) -> None:
    """Draw one list."""
    say, vectors = page.say, shelf_models.vectors(entry)
    drawn = neighbours_figure(
        rows,
        title=style.title,
        colour=style.colour,
        shared=style.shared,
        notes=[frequency_note(say, vectors, row.count) for row in rows],
        separators=say.separators,
    )
    drawn.update_traces(unselected={"marker": {"opacity": 1}})
    event = outputs.figure(
        say, drawn, style.key, style.alt, on_select="rerun", selection_mode="points"
    )
    points = event.selection.points if event else []
    clicked = rows[points[0]["point_index"]].word if points else ""
    if clicked != st.session_state.get(f"_clicked_{style.key}", ""):
        st.session_state[f"_clicked_{style.key}"] = clicked
        if clicked:  # "Why are these near?" below shows it
            st.session_state["why"] = clicked


def as_table(page: PageState, ranked: Ranked, key: str, score: str) -> None:
    """Offer all lists as one table."""

    def fill() -> None:
        lines = [
            row_of(page.say, page.label(entry), rank, row, shelf_models.vectors(entry), score)
            for entry, rows in ranked.items()
            for rank, row in enumerate(rows, 1)
        ]
        outputs.table(page.say, pd.DataFrame(lines), key)

    outputs.box(page.say, "common.as_table", key, ":material/table_rows:", fill)
