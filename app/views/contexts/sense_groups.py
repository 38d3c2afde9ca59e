"""Contexts: the groups that colour the points: marked senses, senses found, forms of the word.

Contexts: the senses that were found, as cards, and how they agree with the marked ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from app.figures.context_points import ContextMarks, hover_text
from app.figures.palette import CATEGORIES
from app.loaders import context_answers
from app.loaders.context_answers import Question
from app.views.contexts.context_choice import Asked
from app.views.contexts.layer_maps import untaught
from app.widgets import outputs
from app.widgets.frame import PageState
from embeddings.analysis.sense_induction import adjusted_rand_index
from embeddings.errors import KlyuchError
from embeddings.results.induced_senses import SenseInduction
from embeddings.results.word_contexts import Separation

WAYS = ("together", "around", "inside")  # the best measured first
NAMED = 3  # words of a sense's name in the legend


@dataclass(frozen=True)
class Found:
    """Senses found in the contexts, or why there are none."""

    induction: SenseInduction | None
    refusal: KlyuchError | None = None
    around: tuple[tuple[str, ...], ...] = ()  # words of the contexts that tell the senses apart

    def name(self, page: PageState, label: int) -> str:
        """Return what a sense is called: its number and its most telling words."""
        words = self.induction.names[label][:NAMED] if self.induction else ()
        title = page.say("contexts.sense", number=label + 1)
        return f"{title}: {', '.join(words)}" if words else title


def find(question: Question, asked: Asked, by: str, layer: int) -> Found:
    """Find the senses by one of `WAYS` and name them by substitutes; why not, where it cannot be."""
    static, plain = question.static, replace(question, vector="word")  # asked once for all kinds
    try:
        if by == "inside":
            found = context_answers.found_inside(question, layer)
        elif by == "around" and static is not None:
            found = context_answers.found_around(static, question.language, asked.contexts)
        else:
            found = context_answers.found_together(plain)
    except KlyuchError as error:  # too few contexts, or a damaged model
        return Found(None, error)
    labels = tuple(int(label) for label in found.labels)
    told = context_answers.sense_names(plain, labels)
    around = found.names
    if static is not None:
        around = context_answers.words_around(static, question.language, asked.contexts, labels)
    names = tuple(own or other for own, other in zip(told, around, strict=True))
    return Found(replace(found, names=names), around=around)


def groups_of(page: PageState, asked: Asked, found: Found, colour: str) -> list[str]:
    """Return the group of each context by what the points are coloured by."""
    if colour == "marked":
        return [gloss(page, asked, context.gold) for context in asked.contexts]
    if colour == "found" and found.induction is not None:
        return [found.name(page, int(label)) for label in found.induction.labels]
    return [form_of(asked, row) for row in range(len(asked.contexts))]


def gloss(page: PageState, asked: Asked, sense: str) -> str:
    """Return the gloss of a marked sense in the screen's language."""
    known = asked.senses.get(sense)
    return known.gloss[page.say.language] if known else sense or page.say("contexts.unmarked")


def form_of(asked: Asked, row: int) -> str:
    """Return the word as it stands in a context, in small letters."""
    start, end = asked.contexts[row].positions[0]
    return asked.contexts[row].text[start:end].lower()


def marks(page: PageState, asked: Asked, groups: list[str], truncated: np.ndarray) -> ContextMarks:
    """Return how the contexts are drawn; those of a sense that the corpora do not teach are rings."""
    names = list(dict.fromkeys(sorted(groups, key=lambda group: -groups.count(group))))
    colours = {name: CATEGORIES[place % len(CATEGORIES)] for place, name in enumerate(names)}
    rings = [not asked.taught(row) for row in range(len(groups))]
    hovers = []
    for row, context in enumerate(asked.contexts):
        about = [groups[row], asked.places[row] if asked.places else ""]
        about += [page.say("contexts.untaught_short")] if rings[row] else []
        about += [page.say("contexts.cut_short")] if truncated[row] else []
        hovers.append(
            hover_text(f"{row + 1}. {context.text}", shifted(context.positions, row), about)
        )
    return ContextMarks(groups, colours, hovers, rings)


def shifted(spans: tuple[tuple[int, int], ...], row: int) -> list[tuple[int, int]]:
    """Return spans behind the number that stands before a sentence."""
    room = len(f"{row + 1}. ")
    return [(start + room, end + room) for start, end in spans]


def sweep_of(question: Question, asked: Asked, groups: list[str], colour: str) -> Separation:
    """Return separation by layer; of marked senses only those that the corpora teach."""
    chosen = asked.taught_rows if colour == "marked" else tuple(range(len(groups)))
    return context_answers.sweep(question, tuple(groups), chosen)


def best_layer(question: Question, asked: Asked, layers: int) -> int:
    """Return the layer where the marked senses lie furthest apart, or else those found."""
    if asked.is_marked:
        golds = [context.gold for context in asked.contexts]
        return sweep_of(question, asked, golds, "marked").best
    found = find(question, asked, WAYS[0], layers)
    if found.induction is None:
        return layers
    labels = [str(label) for label in found.induction.labels]
    return sweep_of(question, asked, labels, "found").best


SHOWN = 4  # sentences of a card before the fold


def show_senses(page: PageState, asked: Asked, found: Found) -> None:
    """Show the senses, two cards a row."""
    say = page.say
    st.header(say("contexts.senses"), anchor=False)
    if found.induction is None:
        if found.refusal is not None:
            outputs.refuse(say, found.refusal)
        return
    st.markdown(say("contexts.senses_lead", number=found.induction.number))
    _agreement(page, asked, found)
    labels = [int(label) for label in found.induction.labels]
    for first in range(0, found.induction.number, 2):
        columns = st.columns(2)
        for column, label in zip(columns, (first, first + 1), strict=True):
            if label < found.induction.number:
                rows = [row for row, own in enumerate(labels) if own == label]
                with column.container(border=True):
                    _card(page, asked, found, label, rows)


def _card(page: PageState, asked: Asked, found: Found, label: int, rows: list[int]) -> None:
    """Show one sense: its name, what of the marked senses is in it, its sentences."""
    say = page.say
    st.subheader(outputs.plain(found.name(page, label)), anchor=False)
    counts: dict[str, int] = {}
    for row in rows:
        sense = asked.contexts[row].gold
        if sense:
            name = gloss(page, asked, sense)
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


def _agreement(page: PageState, asked: Asked, found: Found) -> None:
    """Say how well the senses found agree with those marked, the untaught ones apart."""
    say, marked = page.say, [context.gold for context in asked.contexts]
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
        names = "; ".join(dict.fromkeys(gloss(page, asked, marked[row]) for row in sorted(apart)))
        st.info(outputs.plain(say("contexts.untaught", senses=names)), icon=":material/info:")
