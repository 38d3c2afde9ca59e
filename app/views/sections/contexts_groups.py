"""Contexts: the groups that colour the points: marked senses, senses found, forms of the word."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app import context_resources, sense_resources
from app.context_resources import Question
from app.figures.contexts import ContextMarks, hover_text
from app.figures.palette import CATEGORIES
from app.views.sections.contexts_sentences import Asked
from app.widgets.frame import Here
from embeddings.errors import KlyuchError
from embeddings.results.likeness import Separation
from embeddings.results.senses import SenseInduction

WAYS = ("together", "around", "inside")  # the best measured first
NAMED = 3  # words of a sense's name in the legend


@dataclass(frozen=True)
class Found:
    """Senses found in the contexts, or why there are none."""

    induction: SenseInduction | None
    refusal: KlyuchError | None = None
    around: tuple[tuple[str, ...], ...] = ()  # words of the contexts that tell the senses apart

    def name(self, here: Here, label: int) -> str:
        """Return what a sense is called: its number and its most telling words."""
        words = self.induction.names[label][:NAMED] if self.induction else ()
        title = here.say("contexts.sense", number=label + 1)
        return f"{title}: {', '.join(words)}" if words else title


def find(question: Question, asked: Asked, by: str, layer: int) -> Found:
    """Find the senses by one of `WAYS` and name them by substitutes; why not, where it cannot be."""
    static, plain = question.static, replace(question, vector="word")  # asked once for all kinds
    try:
        if by == "inside":
            found = sense_resources.found_inside(question, layer)
        elif by == "around" and static is not None:
            found = sense_resources.found_around(static, question.language, asked.contexts)
        else:
            found = sense_resources.found_together(plain)
    except KlyuchError as error:  # too few contexts, or a damaged model
        return Found(None, error)
    labels = tuple(int(label) for label in found.labels)
    told = sense_resources.names(plain, labels)
    around = found.names
    if static is not None:
        around = sense_resources.words_around(static, question.language, asked.contexts, labels)
    names = tuple(own or other for own, other in zip(told, around, strict=True))
    return Found(replace(found, names=names), around=around)


def groups_of(here: Here, asked: Asked, found: Found, colour: str) -> list[str]:
    """Return the group of each context by what the points are coloured by."""
    if colour == "marked":
        return [gloss(here, asked, context.gold) for context in asked.contexts]
    if colour == "found" and found.induction is not None:
        return [found.name(here, int(label)) for label in found.induction.labels]
    return [form_of(asked, row) for row in range(len(asked.contexts))]


def gloss(here: Here, asked: Asked, sense: str) -> str:
    """Return the gloss of a marked sense in the screen's language."""
    known = asked.senses.get(sense)
    return known.gloss[here.say.language] if known else sense or here.say("contexts.unmarked")


def form_of(asked: Asked, row: int) -> str:
    """Return the word as it stands in a context, in small letters."""
    start, end = asked.contexts[row].positions[0]
    return asked.contexts[row].text[start:end].lower()


def marks(here: Here, asked: Asked, groups: list[str], truncated: np.ndarray) -> ContextMarks:
    """Return how the contexts are drawn; those of a sense that the corpora do not teach are rings."""
    names = list(dict.fromkeys(sorted(groups, key=lambda group: -groups.count(group))))
    colours = {name: CATEGORIES[place % len(CATEGORIES)] for place, name in enumerate(names)}
    rings = [not asked.taught(row) for row in range(len(groups))]
    hovers = []
    for row, context in enumerate(asked.contexts):
        about = [groups[row], asked.places[row] if asked.places else ""]
        about += [here.say("contexts.untaught_short")] if rings[row] else []
        about += [here.say("contexts.cut_short")] if truncated[row] else []
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
    return context_resources.sweep(question, tuple(groups), chosen)


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
