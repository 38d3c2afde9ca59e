"""Contexts: groups that colour the points, and the senses: induced or arranged by hand, as cards, next to the annotated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import streamlit as st

from app.figures.context_figures import ContextMarks, hover_text
from app.figures.palette import CATEGORIES
from app.views.contexts.chosen_contexts import ReadContexts
from app.widgets import outputs, saved_files
from embeddings.analysis.context_answers import OVERLAPPING, SenseInduction, Separation
from embeddings.analysis.sense_induction import adjusted_rand_index, b_cubed
from embeddings.corpora.corpus_answers import SenseGrouping

NAME_WORDS = 3  # words of a sense's name in the legend
SENTENCES_A_CARD = 2  # sentences of a card before the fold
CARDS_HEIGHT = 560  # pixels in which the cards scroll


@dataclass(frozen=True)
class FoundSenses:
    """Senses of the contexts.

    ``induction`` is what the contexts say, ``grouping`` how they are grouped on the page: the same until somebody asks for
    another number or arranges them by hand. ``around`` and ``substitutes`` are the telling words of each sense of ``grouping``;
    ``titles`` what each is called: by hand, or its number and its most telling words, those around before substitutes.
    """

    induction: SenseInduction
    grouping: SenseGrouping
    around: tuple[tuple[str, ...], ...]
    substitutes: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]


@dataclass(frozen=True)
class ShownSenses:
    """Senses as a page shows them: the contexts, their senses, and how their points are marked."""

    read: ReadContexts
    found: FoundSenses
    marks: ContextMarks


def found_grouping(induction: SenseInduction) -> SenseGrouping:
    """Return how contexts are grouped by the senses that were found."""
    labels, number = induction.division()
    return SenseGrouping(tuple(labels.tolist()), ("",) * number)


def name_senses(
    read: ReadContexts, induction: SenseInduction, grouping: SenseGrouping
) -> FoundSenses:
    """Return the senses of a grouping, named by the words around and by substitutes."""
    substitutes = read.word.substitute_names(grouping.labels)
    around = read.word.words_around(grouping.labels)
    titles = []
    for label, name in enumerate(grouping.names):
        words = (around[label] or substitutes[label])[:NAME_WORDS]
        number = read.page.say("contexts.sense", number=label + 1)
        titles.append(name or (f"{number}: {', '.join(words)}" if words else number))
    return FoundSenses(induction, grouping, around, substitutes, tuple(titles))


def measure_separation(read: ReadContexts, groups: list[str], colour: str) -> Separation:
    """Return separation by layer; of annotated senses only those that the corpora attest."""
    rows = read.chosen.attested_rows if colour == "marked" else tuple(range(len(groups)))
    return read.word.separation(groups, read.question.vector, rows)


def group_contexts(read: ReadContexts, senses: FoundSenses, colour: str) -> list[str]:
    """Return the group of each context by what the points are coloured by: its sense, annotated or found, or the word as it is written."""
    if colour == "marked":
        return read.glosses()
    if colour == "found":
        return [senses.titles[label] for label in senses.grouping.labels]
    return [context.text[slice(*context.positions[0])].lower() for context in read.chosen.contexts]


def mark_contexts(read: ReadContexts, groups: list[str]) -> ContextMarks:
    """Return how the contexts are drawn: colours in the order of the groups' sizes, those of an unattested sense as rings."""
    say, chosen = read.page.say, read.chosen
    names = [name for name, _ in Counter(groups).most_common()]
    colours = {name: CATEGORIES[index % len(CATEGORIES)] for index, name in enumerate(names)}
    rings = [not chosen.is_attested(row) for row in range(len(groups))]
    truncated = read.word.states(read.question.vector).truncated
    hovers = []
    for row, context in enumerate(chosen.contexts):
        source = dict(context.further)
        is_placed = source.keys() >= {"file", "document"}
        notes = [groups[row], say("contexts.place", **source) if is_placed else ""]
        notes += [say("contexts.unattested_short")] if rings[row] else []
        notes += [say("contexts.cut_short")] if truncated[row] else []
        number = f"{row + 1}. "
        spans = [(start + len(number), end + len(number)) for start, end in context.positions]
        hovers.append(hover_text(f"{number}{context.text}", spans, notes))
    return ContextMarks(groups, colours, hovers, rings)


def show_senses(shown: ShownSenses, *, by_hand: bool, only: Collection[int] = ()) -> None:
    """Say how many senses there are, and show a card of each in the colour of its points; with the sentences ``only``, if there are any."""
    say, senses = shown.read.page.say, shown.found
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


def _show_agreement(shown: ShownSenses) -> None:
    """Show how the senses agree with those annotated, with and without the unattested ones."""
    read, say, annotated = shown.read, shown.read.page.say, shown.read.golds
    if not read.chosen.is_annotated:
        return
    labels = [str(label) for label in shown.found.grouping.labels]
    unattested, rows = read.chosen.unattested_rows, read.chosen.attested_rows
    gold, found = [annotated[row] for row in rows], [labels[row] for row in rows]
    parts = []
    if len(set(gold)) > 1:
        parts.append(say("contexts.ari", ari=say.number(adjusted_rand_index(gold, found), 2)))
        f1, one = b_cubed(gold, found), b_cubed(gold, [""] * len(gold))
        parts.append(say("contexts.b_cubed", value=say.number(f1, 2), one=say.number(one, 2)))
    if unattested:
        ari = adjusted_rand_index(annotated, labels)
        names = dict.fromkeys(read.gloss(annotated[row]) for row in unattested)
        parts.append(say("contexts.ari_all", ari=say.number(ari, 2)))
        parts.append(outputs.plain(say("contexts.unattested", senses="; ".join(names))))
    if parts:
        st.caption(saved_files.note(" ".join(parts)), help=say("contexts.ari_help"))


def _show_card(shown: ShownSenses, label: int, rows: list[int], listed: list[int]) -> None:
    """Show one sense: its name, how many of which annotated senses it has, telling words, sentences ``listed`` of ``rows``."""
    read, say, senses = shown.read, shown.read.page.say, shown.found
    title = senses.titles[label]
    colour = shown.marks.colours.get(title, "")
    dot = f':color[●]{{foreground="{colour}"}} ' if colour else ""
    st.markdown(f"{dot}**{outputs.plain(title)}**")
    counts = Counter(read.gloss(read.golds[row]) for row in rows if read.golds[row])
    parts = [f"{name} {count}" for name, count in counts.most_common()]
    about = [" ".join([say("contexts.card", contexts=len(rows)), "; ".join(parts)])]
    for sentence, words in (
        ("contexts.words_around", senses.around[label]),
        ("contexts.words_instead", senses.substitutes[label]),
    ):
        if words:
            about.append(say(sentence, words=say.list(words)))
    st.caption(outputs.plain("  \n".join(about)))
    lines = [f"{row + 1}\\. {bold_word(read, row)}" for row in listed]
    st.markdown("\n\n".join(lines[:SENTENCES_A_CARD]))
    if lines[SENTENCES_A_CARD:]:
        with st.expander(say("contexts.more", contexts=len(lines) - SENTENCES_A_CARD)):
            st.markdown("\n\n".join(lines[SENTENCES_A_CARD:]))


def bold_word(read: ReadContexts, row: int) -> str:
    """Return a sentence as Markdown, the word bold."""
    context = read.chosen.contexts[row]
    return outputs.marked(context.text, context.positions[:1])
