"""Lessons on contexts: a point for a word of many senses and a point a sentence; what context changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import streamlit as st

from app import shelf_models
from app.views.contexts import layer_maps, sense_groups, word_in_contexts
from app.views.contexts.chosen_contexts import (
    EXAMPLE_WORDS,
    ChosenContexts,
    ReadContexts,
    shipped_contexts,
)
from app.views.contexts.word_in_contexts import ContextAnswer, Question
from app.views.fill import blank_answers
from app.views.learn import word_lessons
from app.views.learn.lesson_step import (
    Choice,
    Step,
    binned,
    labels,
    network,
    ranked,
    static_model,
)
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import lesson_examples
from embeddings.analysis.sense_induction import adjusted_rand_index
from embeddings.probing.sentence_answers import FilledMask
from embeddings.shelf import Entry
from embeddings.verbs import NetworkVerbs

UNRELATED, ALIKE = 0.1, 0.4  # mean cosines of random words


def likeliest_word(page: PageState) -> Step:
    """Ask which of some words the network finds likeliest in a blank."""
    say, entry = page.say, network(page)
    text, _, *options = lesson_examples(page.language)["blank"].split(" | ")
    mask = _filled(entry, text, "", tuple(options))
    shares = {each.word: each.probability for each in mask.requested}
    choice = ranked(shares, partial(say.percent, digits=2))
    return _on_fill(page, choice, mask, {"fill_first": text}, text=text, best=mask.guesses[0].token)


def with_more_context(page: PageState) -> Step:
    """Ask what a sentence that follows does to the probability of a word."""
    say, entry = page.say, network(page)
    text, second, *options = lesson_examples(page.language)["blank"].split(" | ")
    word = options[0]
    alone = _filled(entry, text, "", (word,)).requested[0].probability
    mask = _filled(entry, text, second, (word,))
    followed = mask.requested[0].probability
    choice = Choice(tuple(labels(say, "context", 2, count=2)), 0 if followed > alone else 1)
    shares = {"alone": say.percent(alone, 2), "followed": say.percent(followed, 2)}
    asked = {"fill_first": text, "fill_second": second}
    return _on_fill(page, choice, mask, asked, text=text, second=second, word=word, **shares)


def random_words(page: PageState) -> Step:
    """Ask how alike two random words are at the last layer."""
    say, read = page.say, read_contexts(page, "word")
    baseline = word_in_contexts.reader(read.question).baseline("word").cosine
    separation = read.word.separation(read.golds, "word", read.chosen.attested_rows)
    means = {
        "random": float(baseline[-1]),
        "within": float(separation.within[-1]),
        "between": float(separation.between[-1]),
    }
    return _on_contexts(
        read,
        binned(labels(say, "context", 3), (UNRELATED, ALIKE), means["random"]),
        partial(layer_maps.show_curves, read, separation),
        {name: say.number(mean, 2) for name, mean in means.items()},
    )


def best_layer(page: PageState) -> Step:
    """Ask at which layer the senses lie furthest apart."""
    say, read = page.say, read_contexts(page, "around")  # of the network alone
    groups = read.glosses()
    separation = sense_groups.measure_separation(read, groups, "marked")
    names = [say("fill.layer", number=layer) for layer in range(len(separation.silhouette))]
    names[0] = say("fill.input")
    choice = ranked(
        dict(zip(names, separation.silhouette.tolist(), strict=True)),
        lambda value: say("learn.separation", value=say.number(value, 2)),
    )

    def show() -> None:
        maps = read.word.maps("around", read.chosen.attested_rows)
        marks = sense_groups.mark_contexts(read, groups)
        layer_maps.show_layer_maps(read, maps, marks, separation)

    return _on_contexts(read, choice, show, {})


def _filled(entry: Entry, text: str, second: str, words: tuple[str, ...]) -> FilledMask:
    """Return what the network puts in the blank of a text."""
    filled = shelf_models.ask(
        NetworkVerbs.fill, entry, text, 20, second=second, words=words, only_words=True
    )
    return filled.masks[0]


def _on_fill(
    page: PageState, choice: Choice, mask: FilledMask, asked: Mapping[str, str], **fields: object
) -> Step:
    """Return a step that draws the likeliest words of a blank."""
    show = partial(blank_answers.draw_guesses, page.say, mask, "fill-1", str(fields["text"]))
    return Step(choice, show, "fill", {"network": network(page).name, **asked}, fields)


CONTEXT = (likeliest_word, with_more_context, random_words, best_layer)


NOTABLE, STRONG = 0.2, 0.7  # adjusted Rand index


def rows_by_sense(chosen: ChosenContexts) -> dict[str, list[int]]:
    """Return the rows of each gold sense, by its id."""
    rows: dict[str, list[int]] = {}
    for row, context in enumerate(chosen.contexts):
        rows.setdefault(context.gold, []).append(row)
    return rows


def read_contexts(page: PageState, vector: str = "") -> ReadContexts:
    """Return the example word of the language in the sentences that ship, in a kind of vectors; without one, as the page combines them."""
    chosen = shipped_contexts(page.language, EXAMPLE_WORDS[page.language])
    static = shelf_models.companion(page.language)
    kind = vector or ("both" if static else "around")
    question = Question(network(page), page.language, chosen.contexts, kind, static)
    return ReadContexts(page, chosen, question)


def _answer(read: ReadContexts) -> ContextAnswer:
    """Return what the page answers."""
    return word_in_contexts.answer(read.question, read.chosen.attested_rows)


def _on_contexts(
    read: ReadContexts, choice: Choice, show: Callable[[], object], fields: Mapping[str, object]
) -> Step:
    """Return a step on the word in its sentences."""
    settings = {
        "network": read.question.entry.name,
        "contexts_word": read.chosen.word,
        "contexts_vector": read.question.vector,
    }
    named = {"word": read.chosen.word, **_counts(read.chosen), **fields}
    return Step(choice, show, "contexts", settings, named)


def one_vector(page: PageState) -> Step:
    """Ask how many vectors a static model has for the word."""
    entry = static_model(page)
    sentences = shipped_contexts(page.language, EXAMPLE_WORDS[page.language])
    word = sentences.word
    count = sum(spelling == word for spelling in shelf_models.vectors(entry).words)
    choice = _how_many(page, sentences, 1, count)
    fields = {**_counts(sentences), "model": page.label(entry)}
    show = word_lessons.nearest_lists(page, word, entry)
    return word_lessons.on_explore(choice, show, word, entry, **fields)


def one_a_sentence(page: PageState) -> Step:
    """Ask how many different vectors a network has for the word in the sentences."""
    read = read_contexts(page)
    count = len(np.unique(read.word.states("word").vectors[:, -1], axis=0))

    def show() -> None:
        answer, marks = _answer(read), sense_groups.mark_contexts(read, read.glosses())
        layer = answer.best_layer
        figure, alt = layer_maps.context_map(read, answer.maps[layer], marks, layer)
        outputs.figure(page.say, figure, "contexts", alt)
        st.caption(page.say("learn.map_read"))

    return _on_contexts(read, _how_many(page, read.chosen, 2, count), show, {})


def tightest_sense(page: PageState) -> Step:
    """Ask which sense's sentences are most alike."""
    say, read = page.say, read_contexts(page)
    layer = _answer(read).best_layer
    cosines = read.word.similarity(layer, read.question.vector).centred
    means = {}
    for sense, rows in rows_by_sense(read.chosen).items():
        block = cosines[np.ix_(rows, rows)]
        means[read.gloss(sense)] = float(block[~np.eye(len(rows), dtype=bool)].mean())
    choice = ranked(means, lambda mean: say("learn.cosine", value=say.number(mean, 2)))
    show = partial(layer_maps.show_context_matrix, read, read.glosses(), layer, centred=True)
    return _on_contexts(read, choice, show, {})


def found_senses(page: PageState) -> Step:
    """Ask how well senses that are found agree with the annotated ones."""
    say, read = page.say, read_contexts(page)
    induction = _answer(read).induction
    grouping = sense_groups.found_grouping(induction)
    senses = sense_groups.name_senses(read, induction, grouping)
    rows, clusters = read.chosen.attested_rows, [str(label) for label in grouping.labels]
    agreement = adjusted_rand_index(
        [read.golds[row] for row in rows], [clusters[row] for row in rows]
    )

    def show() -> None:
        groups = sense_groups.group_contexts(read, senses, "found")
        marks = sense_groups.mark_contexts(read, groups)
        sense_groups.show_senses(sense_groups.ShownSenses(read, senses, marks), by_hand=False)

    choice = binned(labels(say, "senses", 4), (NOTABLE, STRONG), agreement)
    fields = {"ari": say.number(agreement, 2), "found": grouping.number}
    return _on_contexts(read, choice, show, fields).at(contexts_colour="found")


def _how_many(page: PageState, chosen: ChosenContexts, step: int, count: int) -> Choice:
    """Return the options one, one a sense, one a sentence."""
    counts = _counts(chosen)
    return binned(labels(page.say, "senses", step, **counts), (2, counts["senses"] + 1), count)


def _counts(chosen: ChosenContexts) -> dict[str, int]:
    """Return how many senses and sentences there are, which all steps name."""
    return {"senses": len(rows_by_sense(chosen)), "sentences": len(chosen.contexts)}


SENSES = (one_vector, one_a_sentence, tightest_sense, found_senses)
