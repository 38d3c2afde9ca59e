"""Contexts: groups that colour the points, and the senses: induced or arranged by hand, as cards, next to the annotated ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app.figures.context_figures import ContextMarks, hover_text
from app.figures.palette import CATEGORIES
from app.loaders import context_answers
from app.loaders.context_answers import ContextAnswer, Question
from app.views.contexts.chosen_contexts import ChosenContexts
from app.widgets import outputs, saved_files
from app.widgets.frame import PageState
from embeddings.analysis.context_answers import OVERLAPPING, SenseInduction, Separation
from embeddings.analysis.sense_induction import adjusted_rand_index, b_cubed
from embeddings.corpora.corpus_answers import SenseGrouping
from embeddings.errors import KlyuchError

NAME_WORDS = 3  # words of a sense's name in the legend
SENTENCES_A_CARD = 2  # sentences of a card before the fold
CARDS_HEIGHT = 560  # pixels in which the cards scroll
UNGROUPED = SenseGrouping((), ())


@dataclass(frozen=True)
class FoundSenses:
    """Senses of the contexts, or why there are none.

    ``induction`` is what the contexts say, ``grouping`` how they are grouped on the page: the same until somebody asks for
    another number or arranges them by hand. ``around`` and ``substitutes`` are the telling words of each sense of ``grouping``.
    """

    induction: SenseInduction | None
    refusal: KlyuchError | None = None
    grouping: SenseGrouping = UNGROUPED
    around: tuple[tuple[str, ...], ...] = ()
    substitutes: tuple[tuple[str, ...], ...] = ()

    @property
    def agreement(self) -> NDArray[np.float32]:
        """How often each two contexts fall together in the clusterings; only of senses that were found."""
        assert self.induction is not None
        return self.induction.agreement

    def title(self, page: PageState, label: int) -> str:
        """Return what a sense is called: by hand, or its number and its most telling words, those around before substitutes."""
        if self.grouping.names[label]:
            return self.grouping.names[label]
        words = (self.around[label] or self.substitutes[label])[:NAME_WORDS]
        number = page.say("contexts.sense", number=label + 1)
        return f"{number}: {', '.join(words)}" if words else number

    def titles(self, page: PageState) -> list[str]:
        """Return what each sense is called."""
        return [self.title(page, label) for label in range(self.grouping.number)]


@dataclass(frozen=True)
class ShownSenses:
    """Senses as a page shows them: the contexts, their senses, and how their points are marked."""

    page: PageState
    chosen: ChosenContexts
    found: FoundSenses
    marks: ContextMarks

    @property
    def titles(self) -> list[str]:
        """What each sense is called."""
        return self.found.titles(self.page)


def find_senses(answer: ContextAnswer) -> FoundSenses:
    """Return the senses of an answer; hold the refusal."""
    found = answer.induction
    if found is None:
        return FoundSenses(None, answer.refusal)
    labels, number = found.division()
    return FoundSenses(found, None, SenseGrouping(tuple(labels.tolist()), ("",) * number))


def name_senses(question: Question, senses: FoundSenses, grouping: SenseGrouping) -> FoundSenses:
    """Return senses grouped in another way, named by the words around and by substitutes."""
    word = context_answers.in_contexts(question)
    substitutes = word.substitute_names(grouping.labels)
    around = word.words_around(grouping.labels)
    return replace(senses, grouping=grouping, around=around, substitutes=substitutes)


def measure_separation(
    question: Question, chosen: ChosenContexts, groups: list[str], colour: str
) -> Separation:
    """Return separation by layer; of annotated senses only those that the corpora attest."""
    rows = chosen.attested_rows if colour == "marked" else tuple(range(len(groups)))
    return context_answers.in_contexts(question).separation(groups, question.vector, rows)


def group_contexts(
    page: PageState, chosen: ChosenContexts, senses: FoundSenses, colour: str
) -> list[str]:
    """Return the group of each context by what the points are coloured by."""
    if colour == "marked":
        return [gloss(page, chosen, context.gold) for context in chosen.contexts]
    if colour == "found" and senses.induction is not None:
        titles = senses.titles(page)
        return [titles[label] for label in senses.grouping.labels]
    return [word_form(chosen, row) for row in range(len(chosen.contexts))]


def gloss(page: PageState, chosen: ChosenContexts, sense: str) -> str:
    """Return the gloss of an annotated sense in the screen's language."""
    annotated = chosen.senses.get(sense)
    return (
        annotated.gloss.get(page.say.language, annotated.gloss["en"])
        if annotated
        else sense or page.say("contexts.unmarked")
    )


def word_form(chosen: ChosenContexts, row: int) -> str:
    """Return the word as written in a context, in lower case."""
    start, end = chosen.contexts[row].positions[0]
    return chosen.contexts[row].text[start:end].lower()


def mark_contexts(
    page: PageState, chosen: ChosenContexts, groups: list[str], truncated: np.ndarray
) -> ContextMarks:
    """Return how the contexts are drawn; those of an unattested sense are rings."""
    colours = colours_by_size(groups)
    rings = [not chosen.is_attested(row) for row in range(len(groups))]
    hovers = []
    for row, context in enumerate(chosen.contexts):
        notes = [groups[row], chosen.places[row] if chosen.places else ""]
        notes += [page.say("contexts.unattested_short")] if rings[row] else []
        notes += [page.say("contexts.cut_short")] if truncated[row] else []
        hovers.append(
            hover_text(f"{row + 1}. {context.text}", shift_spans(context.positions, row), notes)
        )
    return ContextMarks(groups, colours, hovers, rings)


def colours_by_size(groups: list[str]) -> dict[str, str]:
    """Return a colour for each group, the largest first."""
    names = list(dict.fromkeys(sorted(groups, key=lambda group: -groups.count(group))))
    return {name: CATEGORIES[index % len(CATEGORIES)] for index, name in enumerate(names)}


def shift_spans(spans: tuple[tuple[int, int], ...], row: int) -> list[tuple[int, int]]:
    """Return spans shifted by the number that is written before the sentence."""
    offset = len(f"{row + 1}. ")
    return [(start + offset, end + offset) for start, end in spans]


def show_senses(shown: ShownSenses, *, by_hand: bool, only: Collection[int] = ()) -> None:
    """Say how many senses there are, and show a card of each in the colour of its points; with the sentences ``only``, if there are any."""
    say, senses = shown.page.say, shown.found
    if senses.induction is None:
        refuse_senses(shown)
        return
    number, silhouette = senses.grouping.number, senses.induction.silhouette
    value = say.number(silhouette, 2)
    if by_hand:
        verdict = say("contexts.senses_by_hand", number=number)
    elif silhouette < OVERLAPPING and number == 1:
        verdict = say("contexts.senses_overlap", value=value, bound=say.number(OVERLAPPING, 2))
    elif not senses.induction.separates and number == 1:
        verdict = say("contexts.senses_abstain", value=value)
    else:
        verdict = say("contexts.senses_lead", number=number, value=value)
    st.markdown(saved_files.note(verdict))
    _show_agreement(shown)
    with st.container(height=CARDS_HEIGHT, border=False):
        for label in range(number):
            rows = [row for row, of in enumerate(senses.grouping.labels) if of == label]
            listed = [row for row in rows if row in only] if only else rows
            if listed:
                with st.container(border=True):
                    _show_card(shown, label, rows, listed)


def refuse_senses(shown: ShownSenses) -> None:
    """Say why no senses were found."""
    if shown.found.refusal is not None:
        outputs.refuse(shown.page.say, shown.found.refusal)


def _show_agreement(shown: ShownSenses) -> None:
    """Show how the senses agree with those annotated, with and without the unattested ones."""
    page, chosen, senses = shown.page, shown.chosen, shown.found
    say, annotated = page.say, [context.gold for context in chosen.contexts]
    if not all(annotated):
        return
    labels = [str(label) for label in senses.grouping.labels]
    unattested = set(chosen.unattested_rows)
    rows = [row for row in range(len(annotated)) if row not in unattested]
    kinds = len({annotated[row] for row in rows})
    parts = []
    if kinds > 1:
        gold, found = [annotated[row] for row in rows], [labels[row] for row in rows]
        parts.append(say("contexts.ari", ari=say.number(adjusted_rand_index(gold, found), 2)))
        f1, one = b_cubed(gold, found), b_cubed(gold, [""] * len(gold))
        parts.append(say("contexts.b_cubed", value=say.number(f1, 2), one=say.number(one, 2)))
    if unattested:
        ari = adjusted_rand_index(annotated, labels)
        names = dict.fromkeys(gloss(page, chosen, annotated[row]) for row in sorted(unattested))
        parts.append(say("contexts.ari_all", ari=say.number(ari, 2)))
        parts.append(outputs.plain(say("contexts.unattested", senses="; ".join(names))))
    if parts:
        st.caption(saved_files.note(" ".join(parts)), help=say("contexts.ari_help"))


def _show_card(shown: ShownSenses, label: int, rows: list[int], listed: list[int]) -> None:
    """Show one sense: its name, how many of which annotated senses it has, telling words, sentences ``listed`` of ``rows``."""
    page, chosen, senses = shown.page, shown.chosen, shown.found
    say, title = page.say, shown.titles[label]
    colour = shown.marks.colours.get(title, "")
    dot = f':color[●]{{foreground="{colour}"}} ' if colour else ""
    st.markdown(f"{dot}**{outputs.plain(title)}**")
    counts: dict[str, int] = {}
    for row in rows:
        sense = chosen.contexts[row].gold
        if sense:
            name = gloss(page, chosen, sense)
            counts[name] = counts.get(name, 0) + 1
    parts = [f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: -item[1])]
    about = [" ".join([say("contexts.card", contexts=len(rows)), "; ".join(parts)])]
    for sentence, words in (
        ("contexts.words_around", senses.around[label]),
        ("contexts.words_instead", senses.substitutes[label]),
    ):
        if words:
            about.append(say(sentence, words=say.list(words)))
    st.caption(outputs.plain("  \n".join(about)))
    lines = [f"{row + 1}\\. {bold_word(chosen, row)}" for row in listed]
    st.markdown("\n\n".join(lines[:SENTENCES_A_CARD]))
    if lines[SENTENCES_A_CARD:]:
        with st.expander(say("contexts.more", contexts=len(lines) - SENTENCES_A_CARD)):
            st.markdown("\n\n".join(lines[SENTENCES_A_CARD:]))


def bold_word(chosen: ChosenContexts, row: int) -> str:
    """Return a sentence as Markdown, the word bold."""
    text, (start, end) = chosen.occurrences[row]
    plain = outputs.plain
    return f"{plain(text[:start])}**{plain(text[start:end])}**{plain(text[end:])}"
