"""Lessons on contexts: a point for a word of many senses and a point a sentence; what context changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from app.figures.shares import guess_bars_figure
from app.loaders import context_answers, shelf_models
from app.loaders.context_answers import ContextAnswer, Question
from app.views.contexts import layer_maps, sense_groups
from app.views.contexts.chosen_contexts import EXAMPLE_WORDS, ChosenContexts
from app.views.contexts.context_choice import shipped_contexts
from app.views.learn.lesson_step import (
    Choice,
    Step,
    binned,
    labels,
    network,
    ranked,
    static_model,
    with_models,
)
from app.widgets import model_answers, outputs
from app.widgets.frame import PageState
from app.wording import lesson_examples
from embeddings.analysis.sense_induction import adjusted_rand_index
from embeddings.analysis.similarity import neighbours
from embeddings.probing.sentence_answers import FilledMask
from embeddings.shelf import Entry
from embeddings.verbs import NetworkVerbs

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
    baseline = context_answers.reader(question).baseline(question.vector).cosine
    mean = float(baseline[-1])
    golds = tuple(context.gold for context in read.chosen.contexts)
    separation = context_answers.in_contexts(question).separation(
        golds, question.vector, read.chosen.attested_rows
    )

    def show() -> None:
        layer_maps.show_curves(page, read.chosen, separation)

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
    truncated = np.asarray(context_answers.in_contexts(question).states(question.vector).truncated)
    names = [say("fill.layer", number=layer) for layer in range(len(separation.silhouette))]
    names[0] = say("fill.input")
    choice = ranked(
        names,
        [float(value) for value in separation.silhouette],
        lambda value: say("learn.separation", value=say.number(value, 2)),
    )

    def show() -> None:
        maps = context_answers.in_contexts(question).maps(
            question.vector, read.chosen.attested_rows
        )
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
    filled = shelf_models.ask(
        NetworkVerbs.fill, entry, text, 20, second=second, words=words, only_words=True
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


NOTABLE, STRONG = 0.2, 0.7  # adjusted Rand index


@dataclass(frozen=True)
class ReadContexts:
    """A word in its annotated sentences as the page Contexts reads them, and what it answers."""

    chosen: ChosenContexts
    question: Question
    answer: ContextAnswer

    @property
    def layer(self) -> int:
        """The layer that tells the senses apart best."""
        return self.answer.best_layer


def rows_by_sense(chosen: ChosenContexts) -> dict[str, list[int]]:
    """Return the rows of each gold sense, by its id."""
    rows: dict[str, list[int]] = {}
    for row, context in enumerate(chosen.contexts):
        rows.setdefault(context.gold, []).append(row)
    return rows


def read_contexts(page: PageState) -> ReadContexts:
    """Return the example word of the language in the sentences that ship, read by the network."""
    chosen = shipped_contexts(page.language, EXAMPLE_WORDS[page.language])
    static = shelf_models.companion(page.language)
    kind = "both" if static else "around"
    question = Question(network(page), page.language, chosen.contexts, kind, static)
    answer = context_answers.answer(question, chosen.attested_rows)
    return ReadContexts(chosen, question, answer)


def one_vector(page: PageState) -> Step:
    """Ask how many vectors a static model has for the word."""
    entry = static_model(page, "skipgram")
    sentences = shipped_contexts(page.language, EXAMPLE_WORDS[page.language])
    word, vectors = sentences.word, shelf_models.vectors(entry)
    count = sum(spelling == word for spelling in vectors.words)
    nearest = {entry: neighbours(vectors, word, 10)}

    def show() -> None:
        chosen = with_models(page, entry)
        model_answers.lists(chosen, nearest, "neighbours", "explore.neighbours_alt", word)

    return Step(
        _how_many(page, sentences, "learn_senses.1", count),
        show=show,
        page="explore",
        settings={"word": word, "models": entry.name},
        fields={**_counts(sentences), "model": page.label(entry)},
    )


def one_a_sentence(page: PageState) -> Step:
    """Ask how many different vectors a network has for the word in the sentences."""
    read = read_contexts(page)
    states = context_answers.in_contexts(read.question).states("word")
    count = len(np.unique(states.vectors[:, -1], axis=0))
    groups = [sense_groups.gloss(page, read.chosen, c.gold) for c in read.chosen.contexts]

    def show() -> None:
        truncated = np.asarray(read.answer.states.truncated)
        marks = sense_groups.mark_contexts(page, read.chosen, groups, truncated)
        figure, alt = layer_maps.context_map(page, read.chosen, read.answer.maps, marks, read.layer)
        outputs.figure(page.say, figure, "contexts", alt)
        st.caption(page.say("learn.map_read"))

    return Step(
        _how_many(page, read.chosen, "learn_senses.2", count),
        show=show,
        page="contexts",
        settings=_settings(read),
        fields=_counts(read.chosen),
    )


def tightest_sense(page: PageState) -> Step:
    """Ask which sense's sentences are most alike."""
    say, read = page.say, read_contexts(page)
    word = context_answers.in_contexts(read.question)
    cosines = word.similarity(read.layer, read.question.vector).centred
    groups = [sense_groups.gloss(page, read.chosen, c.gold) for c in read.chosen.contexts]
    names, means = [], []
    for sense, rows in rows_by_sense(read.chosen).items():
        block = cosines[np.ix_(rows, rows)]
        names.append(sense_groups.gloss(page, read.chosen, sense))
        means.append(float(block[~np.eye(len(rows), dtype=bool)].mean()))
    choice = ranked(names, means, lambda mean: say("learn.cosine", value=say.number(mean, 2)))

    def show() -> None:
        layer_maps.show_context_matrix(
            page, read.question, read.chosen, groups, read.layer, centred=True
        )

    return Step(choice, show, "contexts", _settings(read), _counts(read.chosen))


def found_senses(page: PageState) -> Step:
    """Ask how well senses that are found agree with the annotated ones."""
    say, read = page.say, read_contexts(page)
    senses = sense_groups.find_senses(read.answer)
    golds = [context.gold for context in read.chosen.contexts]
    rows = read.chosen.attested_rows
    agreement, count = 0.0, 0
    if senses.induction is not None:
        clusters, count = [str(label) for label in senses.grouping.labels], senses.grouping.number
        agreement = adjusted_rand_index(
            [golds[row] for row in rows], [clusters[row] for row in rows]
        )
        senses = sense_groups.name_senses(read.question, senses, senses.grouping)

    def show() -> None:
        groups = sense_groups.group_contexts(page, read.chosen, senses, "found")
        truncated = np.asarray(read.answer.states.truncated)
        marks = sense_groups.mark_contexts(page, read.chosen, groups, truncated)
        shown = sense_groups.ShownSenses(page, read.chosen, senses, marks)
        sense_groups.show_senses(shown, by_hand=False)

    return Step(
        binned(labels(say, "learn_senses.4"), (NOTABLE, STRONG), agreement),
        show=show,
        page="contexts",
        settings={**_settings(read), "contexts_colour": "found"},
        fields={**_counts(read.chosen), "ari": say.number(agreement, 2), "found": count},
    )


def _how_many(page: PageState, chosen: ChosenContexts, step: str, count: int) -> Choice:
    """Return the options one, one a sense, one a sentence."""
    senses = len(rows_by_sense(chosen))
    options = [
        page.say(f"{step}_option_1"),
        page.say(f"{step}_option_2", count=senses),
        page.say(f"{step}_option_3", count=len(chosen.contexts)),
    ]
    return binned(options, (2, senses + 1), count)


def _counts(chosen: ChosenContexts) -> dict[str, object]:
    """Return what the sentences of all steps name."""
    senses = len(rows_by_sense(chosen))
    return {"word": chosen.word, "senses": senses, "sentences": len(chosen.contexts)}


def _settings(read: ReadContexts) -> dict[str, object]:
    """Return the state of the page Contexts."""
    return {
        "network": read.question.entry.name,
        "contexts_word": read.chosen.word,
        "contexts_vector": read.question.vector,
    }


SENSES = (one_vector, one_a_sentence, tightest_sense, found_senses)
