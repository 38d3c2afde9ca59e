"""Contexts: the senses that were found, as cards, and how they agree with the marked ones."""

from __future__ import annotations

import streamlit as st

from app.views.sections.contexts_groups import Found, gloss
from app.views.sections.contexts_map import untaught
from app.views.sections.contexts_sentences import Asked
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.analysis.sense_files import adjusted_rand_index

SHOWN = 4  # sentences of a card before the fold


def show(here: Here, asked: Asked, found: Found) -> None:
    """Show the senses, two cards a row."""
    say = here.say
    st.header(say("contexts.senses"), anchor=False)
    if found.induction is None:
        if found.refusal is not None:
            outputs.refuse(say, found.refusal)
        return
    st.markdown(say("contexts.senses_lead", number=found.induction.number))
    _agreement(here, asked, found)
    labels = [int(label) for label in found.induction.labels]
    for first in range(0, found.induction.number, 2):
        columns = st.columns(2)
        for column, label in zip(columns, (first, first + 1), strict=True):
            if label < found.induction.number:
                rows = [row for row, own in enumerate(labels) if own == label]
                with column.container(border=True):
                    _card(here, asked, found, label, rows)


def _card(here: Here, asked: Asked, found: Found, label: int, rows: list[int]) -> None:
    """Show one sense: its name, what of the marked senses is in it, its sentences."""
    say = here.say
    st.subheader(outputs.plain(found.name(here, label)), anchor=False)
    counts: dict[str, int] = {}
    for row in rows:
        sense = asked.contexts[row].gold
        if sense:
            name = gloss(here, asked, sense)
            counts[name] = counts.get(name, 0) + 1
    parts = [f"{name} {count}" for name, count in sorted(counts.items(), key=lambda p: -p[1])]
    about = say("contexts.card", contexts=len(rows))
    st.caption(outputs.plain(f"{about} {'; '.join(parts)}" if parts else about))
    if words := found.around[label]:
        st.caption(outputs.plain(say("contexts.words_around", words=", ".join(words))))
    lines = [f"{row + 1}\\. {bold(asked, row)}" for row in rows]
    st.markdown("\n\n".join(lines[:SHOWN]))
    if lines[SHOWN:]:
        with st.expander(say("contexts.more", contexts=len(lines) - SHOWN)):
            st.markdown("\n\n".join(lines[SHOWN:]))


def bold(asked: Asked, row: int) -> str:
    """Return a sentence as Markdown, the word bold."""
    text, (start, end) = asked.occurrences[row]
    plain = outputs.plain
    return f"{plain(text[:start])}**{plain(text[start:end])}**{plain(text[end:])}"


def _agreement(here: Here, asked: Asked, found: Found) -> None:
    """Say how well the senses found agree with those marked, the untaught ones apart."""
    say, marked = here.say, [context.gold for context in asked.contexts]
    if found.induction is None or not all(marked):
        return
    labels = [int(label) for label in found.induction.labels]
    apart = set(untaught(asked))
    rows = [row for row in range(len(marked)) if row not in apart]
    kinds = len({marked[row] for row in rows})
    left, middle, right = st.columns(3)
    left.metric(
        say("contexts.number"), f"{found.induction.number}", help=say("contexts.number_help")
    )
    if kinds > 1:
        ari = adjusted_rand_index([marked[row] for row in rows], [str(labels[row]) for row in rows])
        middle.metric(say("contexts.ari"), say.number(ari, 2), help=say("contexts.ari_help"))
    if apart:
        ari = adjusted_rand_index(marked, [str(label) for label in labels])
        right.metric(say("contexts.ari_all"), say.number(ari, 2), help=say("contexts.ari_help"))
        names = "; ".join(dict.fromkeys(gloss(here, asked, marked[row]) for row in sorted(apart)))
        st.info(outputs.plain(say("contexts.untaught", senses=names)), icon=":material/info:")
