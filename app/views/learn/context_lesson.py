"""Lesson: what context changes: a guess at a blank, random words, layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from app.figures.shares import guess_bars_figure
from app.loaders import context_answers, shelf_models
from app.views.contexts import layer_maps, sense_groups
from app.views.learn.lesson_models import network
from app.views.learn.lesson_step import Choice, Step, binned, labels, ranked
from app.views.learn.senses_lesson import read_contexts
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import lesson_examples
from embeddings.results.sentence_answers import Filled, FilledMask
from embeddings.shelf import Entry

UNRELATED, ALIKE = 0.1, 0.4  # mean cosines of random words


def likeliest_word(page: PageState) -> Step:
    """Ask which of some words the network finds likeliest in a blank."""
    entry = network(page)
    text, _, *options = lesson_examples(page.language)["blank"].split(" | ")
    mask = _filled(entry, text, "", tuple(options))
    shares = [word.probability for word in mask.requested]
    choice = ranked(options, shares, lambda share: _percent(page, share))
    return Step(
        choice,
        lambda: _show_guesses(page, mask, text),
        "fill",
        {"network": entry.name, "fill_first": text},
        {"text": text, "best": mask.guesses[0].token},
    )


def with_more_context(page: PageState) -> Step:
    """Ask what a sentence that follows does to the probability of a word."""
    say, entry = page.say, network(page)
    text, second, *options = lesson_examples(page.language)["blank"].split(" | ")
    word = options[0]
    alone = _filled(entry, text, "", (word,)).requested[0].probability
    mask = _filled(entry, text, second, (word,))
    followed = mask.requested[0].probability
    right = 0 if followed > alone else 1
    return Step(
        Choice(tuple(labels(say, "learn_context.2", 2)), right),
        lambda: _show_guesses(page, mask, text),
        "fill",
        {"network": entry.name, "fill_first": text, "fill_second": second},
        {
            "text": text,
            "second": second,
            "word": word,
            "alone": _percent(page, alone),
            "followed": _percent(page, followed),
        },
    )


def random_words(page: PageState) -> Step:
    """Ask how alike two random words are at the last layer."""
    say, read = page.say, read_contexts(page)
    question = replace(read.question, vector="word")
    baseline = context_answers.baseline(question).cosine
    mean = float(baseline[-1])
    golds = tuple(context.gold for context in read.chosen.contexts)
    separation = context_answers.sweep(question, golds, read.chosen.attested_rows)

    def show() -> None:
        layer_maps.show_curves(page, read.chosen, separation, centred=False)

    return Step(
        binned(labels(say, "learn_context.3"), (UNRELATED, ALIKE), mean),
        show,
        "contexts",
        {
            "network": question.entry.name,
            "contexts_word": read.chosen.word,
            "contexts_vector": "word",
        },
        {
            "word": read.chosen.word,
            "random": say.number(mean, 2),
            "within": say.number(float(separation.within[-1]), 2),
            "between": say.number(float(separation.between[-1]), 2),
        },
    )


def best_layer(page: PageState) -> Step:
    """Ask at which layer the senses lie furthest apart."""
    say, read = page.say, read_contexts(page)
    question = replace(read.question, vector="around")  # of the network alone
    golds = [context.gold for context in read.chosen.contexts]
    groups = [sense_groups.gloss(page, read.chosen, gold) for gold in golds]
    separation = sense_groups.measure_separation(question, read.chosen, groups, "marked")
    truncated = np.asarray(context_answers.states(question).truncated)
    names = [say("fill.layer", number=layer) for layer in range(len(separation.silhouette))]
    names[0] = say("fill.input")
    choice = ranked(
        names,
        [float(value) for value in separation.silhouette],
        lambda value: say("learn.separation", value=say.number(value, 2)),
    )

    def show() -> None:
        maps = context_answers.maps(question, read.chosen.attested_rows)
        marks = sense_groups.mark_contexts(page, read.chosen, groups, truncated)
        comparison = layer_maps.LayerComparison(maps, marks, separation)
        layer_maps.show_layer_maps(page, question, read.chosen, comparison)

    settings = {
        "network": question.entry.name,
        "contexts_word": read.chosen.word,
        "contexts_vector": "around",
    }
    return Step(choice, show, "contexts", settings, {"word": read.chosen.word})


def _filled(entry: Entry, text: str, second: str, words: tuple[str, ...]) -> FilledMask:
    """Return what the network puts in the blank of a text."""
    filled: Filled = shelf_models.ask(
        "fill_mask.fill", entry, text, 20, second=second, words=words, only_words=True
    )
    return filled.masks[0]


def _show_guesses(page: PageState, mask: FilledMask, text: str) -> None:
    """Draw the likeliest words of a blank."""
    say = page.say
    figure = guess_bars_figure(mask, say("fill.probability"), say.separators)
    outputs.figure(say, figure, "fill-1", say("fill.alt", text=text))
    st.caption(say("fill.bars_read"))


def _percent(page: PageState, share: float) -> str:
    """Return a probability in percent."""
    return f"{page.say.number(100 * share, 2)} %"


CONTEXT = (likeliest_word, with_more_context, random_words, best_layer)
