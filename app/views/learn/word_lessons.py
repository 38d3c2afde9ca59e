"""Lessons on words: what is near, analogies and when they fail, and why ratios of co-occurrence work."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from app import shelf_models
from app.views.analogies import analogy_views
from app.views.learn.lesson_step import (
    Choice,
    Step,
    binned,
    labels,
    ranked,
    static_model,
    with_models,
)
from app.views.ratios import ratio_table
from app.widgets import inputs, model_answers, near_words
from app.widgets.frame import PageState
from app.wording import lesson_examples
from embeddings.analysis.analogies import answer_rank, solve
from embeddings.analysis.similarity import neighbours, similarity
from embeddings.analysis.vector_answers import Analogy, Ratios
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma
from embeddings.vectors.table import Vectors

RANKS = (11, 101)  # from which on a word is no longer among the 10, the 100 nearest
LESSON_NEIGHBOURS = 10
FAR = 100  # neighbours looked through for one whose contexts are kept
CONTEXTS = (0, 3, 6, 9)  # places of the contexts that are offered, by what they contribute


def which_is_nearest(page: PageState) -> Step:
    """Ask which of some words is nearest."""
    say, (entry, vectors) = page.say, _skipgram(page)
    word, *options = _examples(page, "near")
    cosines = {option: similarity(vectors, word, option) for option in options}
    choice = ranked(cosines, lambda value: say("learn.cosine", value=say.number(value, 2)))
    show = nearest_lists(page, word, entry)
    return on_explore(choice, show, word, entry, model=page.label(entry))


def opposites(page: PageState) -> Step:
    """Ask at which rank the opposite of a word is."""
    entry, vectors = _skipgram(page)
    word, opposite = _examples(page, "opposites")
    rank = answer_rank(vectors, solve(vectors, word, fold=False), opposite) or 0
    choice = binned(labels(page.say, "near", 2), RANKS, rank)
    show = nearest_lists(page, word, entry)
    return on_explore(choice, show, word, entry, opposite=opposite, rank=rank)


def which_context(page: PageState) -> Step:
    """Ask which shared context counts most for a word and its nearest neighbour that has contexts and is no form of it."""
    say, (entry, vectors) = page.say, _skipgram(page)
    word = _examples(page, "near")[0]
    contexts = shelf_models.contexts(entry)
    form_of = lemma(word, page.language)
    near = next(
        neighbour.word
        for neighbour in neighbours(vectors, word, FAR)
        if neighbour.word in contexts.vectors and lemma(neighbour.word, page.language) != form_of
    )
    answer = vectors.why_near(word, near, contexts=contexts)
    offered = [answer.shared[place] for place in CONTEXTS if place < len(answer.shared)]
    offered.sort(key=lambda shared: shared.context)
    shares = {shared.context: shared.contribution / answer.ppmi_cosine for shared in offered}
    choice = ranked(shares, say.percent)
    show = partial(near_words.show_shared, page, entry, answer)
    return on_explore(choice, show, word, entry, near=near).at(view="why", why=near)


def two_methods(page: PageState) -> Step:
    """Ask how many of the ten nearest words two methods have in common."""
    first, second = static_model(page), static_model(page, "glove")
    word = _examples(page, "near")[0]
    lists = [
        {near.word for near in neighbours(shelf_models.vectors(entry), word, LESSON_NEIGHBOURS)}
        for entry in (first, second)
    ]
    common = len(lists[0] & lists[1])
    choice = binned(labels(page.say, "near", 4), (3, 7), common)
    names = {"first": page.label(first), "second": page.label(second)}
    show = nearest_lists(page, word, first, second)
    return on_explore(choice, show, word, first, second, common=common, **names)


def _skipgram(page: PageState) -> tuple[Entry, Vectors]:
    """Return the skip-gram model of the models' language, opened."""
    entry = static_model(page)
    return entry, shelf_models.vectors(entry)


def _examples(page: PageState, name: str) -> list[str]:
    """Return what a lesson asks about, in the models' language."""
    return lesson_examples(page.language)[name].split(" | ")


def nearest_lists(page: PageState, word: str, *entries: Entry) -> Callable[[], object]:
    """Return what draws the nearest words in some models."""
    label = with_models(page, *entries).label
    nearest = {
        label(entry): neighbours(shelf_models.vectors(entry), word, LESSON_NEIGHBOURS)
        for entry in entries
    }
    alt = page.say("explore.lists_alt", about=word)
    return partial(model_answers.list_words, page.say, nearest, alt)


def on_explore(
    choice: Choice, show: Callable[[], object], word: str, *entries: Entry, **fields: object
) -> Step:
    """Return a step on the neighbours of a word in some models."""
    settings = {"word": word, "models": ",".join(entry.name for entry in entries)}
    return Step(choice, show, "explore", settings, {"word": word, **fields})


NEAR = (which_is_nearest, opposites, which_context, two_methods)


def which_answer(page: PageState) -> Step:
    """Ask which of some words ranks highest among the answers."""
    entry, vectors = _skipgram(page)
    formula, *options = _examples(page, "analogy")
    analogy = solve(vectors, formula, fold=_fold(page))
    choice = _ranked_answers(page, vectors, analogy, options)

    def show() -> None:
        _show_answers(page, entry, analogy)
        analogy_views.draw_plane(page, entry, analogy)

    return _on_analogies(choice, show, entry, formula, {"formula": analogy.expression})


def inputs_too(page: PageState) -> Step:
    """Ask which word comes first if those of the formula may answer too."""
    entry, vectors = _skipgram(page)
    formula = _examples(page, "analogy")[0]
    analogy = solve(vectors, formula, include_inputs=True, fold=_fold(page))
    best = solve(vectors, formula, fold=_fold(page)).answers[0].word
    options = [*(term.word for term in analogy.terms), best]
    choice = _ranked_answers(page, vectors, analogy, options)
    show = partial(_show_answers, page, entry, analogy)
    fields = {"formula": analogy.expression, "best": best}
    return _on_analogies(choice, show, entry, formula, fields).at(inputs=1)


def without_subtraction(page: PageState) -> Step:
    """Ask what becomes of the answer when nothing is subtracted."""
    entry, vectors = _skipgram(page)
    whole = solve(vectors, _examples(page, "analogy")[0], fold=_fold(page))
    best = whole.answers[0].word
    added = tuple(term for term in whole.terms if term.weight > 0)
    without = solve(vectors, added, fold=_fold(page))
    rank = answer_rank(vectors, without, best, _fold(page)) or 0
    choice = binned(labels(page.say, "analogy", 3), (2, 11), rank)
    show = partial(analogy_views.show_formula_steps, page, entry, whole)
    fields = {"best": best, "rank": rank}
    return _on_analogies(choice, show, entry, without.expression, fields)


def which_fails(page: PageState) -> Step:
    """Ask which of some formulas misses the answer that people give."""
    say, (entry, vectors) = page.say, _skipgram(page)
    options = _examples(page, "fails")
    pairs = [text.split(" = ") for text in options]
    analogies = [solve(vectors, formula, fold=_fold(page)) for formula, _ in pairs]
    ranks = [
        answer_rank(vectors, analogy, expected, _fold(page)) or 0
        for analogy, (_, expected) in zip(analogies, pairs, strict=True)
    ]
    measured = dict(zip(options, ranks, strict=True))
    choice = ranked(measured, lambda rank: say("learn.rank", rank=int(rank)))
    formula, expected = pairs[choice.right]
    analogy = analogies[choice.right]
    show = partial(_show_answers, page, entry, analogy)
    fields = {"expected": expected, "best": analogy.answers[0].word}
    return _on_analogies(choice, show, entry, formula, fields).at(expected=expected)


def _fold(page: PageState) -> Callable[[str], str]:
    """Return what gives a word's lemma: as on the page Analogies, forms of one word are one answer."""
    return partial(lemma, language=page.language)


def _ranked_answers(
    page: PageState, vectors: Vectors, analogy: Analogy, options: Sequence[str]
) -> Choice:
    """Return words by their rank among the answers."""
    ranks = {word: answer_rank(vectors, analogy, word, _fold(page)) or 0 for word in options}
    return ranked(ranks, lambda rank: page.say("learn.rank", rank=int(rank)), smallest=True)


def _show_answers(page: PageState, entry: Entry, analogy: Analogy) -> None:
    """List the answers of a model."""
    answers = {with_models(page, entry).label(entry): analogy.answers}
    alt = page.say("explore.lists_alt", about=analogy.expression)
    model_answers.list_words(page.say, answers, alt)


def _on_analogies(
    choice: Choice,
    show: Callable[[], object],
    entry: Entry,
    formula: str,
    fields: Mapping[str, object],
) -> Step:
    """Return a step on a formula."""
    settings = {"formula": formula, "models": entry.name}
    return Step(choice, show, "analogies", settings, {"formula": formula, **fields})


ANALOGY = (which_answer, inputs_too, without_subtraction, which_fails)


LITTLE, MUCH = 1.1, 2.0  # factors by which one more meeting changes a ratio


def which_prefers(page: PageState) -> Step:
    """Ask which probe prefers the first word most."""
    answer, step = _counted(page)
    choice = ranked(_met_by_both(answer), partial(ratio_table.format_ratio, page.say))
    return step(choice, partial(ratio_table.show_ratio_figure, page, answer))


def which_says_nothing(page: PageState) -> Step:
    """Ask which probe is nearest to 1."""
    say, (answer, step) = page.say, _counted(page)
    factors = {probe: max(ratio, 1 / ratio) for probe, ratio in _met_by_both(answer).items()}
    choice = ranked(
        factors, lambda factor: say("learn.factor", factor=say.number(factor, 1)), smallest=True
    )
    return step(choice, partial(ratio_table.show_ratio_table, say, answer))


def same_side(page: PageState) -> Step:
    """Ask for how many probes the vectors predict the side of 1 that the corpus shows."""
    answer, step = _counted(page)
    agreeing = sum((row.ratio > 1) == (row.predicted_ratio > 1) for row in answer.rows)
    count = len(answer.rows)
    choice = binned(labels(page.say, "ratios", 3), (count / 2, count), agreeing)
    show = partial(ratio_table.show_ratio_figure, page, answer)
    return step(choice, show, agreeing=agreeing, count=count)


def one_more(page: PageState) -> Step:
    """Ask how far one more meeting would change the ratio that rests on the least text."""
    say, (answer, step) = page.say, _counted(page)
    rarest = min(answer.rows, key=lambda row: row.count_first)
    factor = 1 + 1 / rarest.count_first if rarest.count_first else math.inf
    choice = binned(labels(say, "ratios", 4), (LITTLE, MUCH), factor)
    fields = {
        "probe": rarest.probe,
        "met": say.number(rarest.count_first, 1),
        "factor": say.number(factor, 2),
    }
    return step(choice, partial(ratio_table.show_ratio_table, say, answer), **fields)


def _counted(page: PageState) -> tuple[Ratios, Callable[..., Step]]:
    """Return the ratios of the page's own example in a GloVe model's counts, and what makes a step on them."""
    entry = static_model(page, "glove")
    first, second = inputs.split_list(page.examples["two"])
    probes = inputs.split_list(page.examples["probes"])
    asked = {name: page.examples[name] for name in ("two", "probes")}

    def step(choice: Choice, show: Callable[[], object], **fields: object) -> Step:
        settings = {**asked, "counts": entry.name}
        return Step(choice, show, "ratios", settings, {"first": first, "second": second, **fields})

    counts = shelf_models.cooccurrence(entry)
    return shelf_models.vectors(entry).ratios(first, second, probes, counts=counts), step


def _met_by_both(answer: Ratios) -> dict[str, float]:
    """Return the ratios of the probes that the corpus has near both words; those of the others are 0 or infinite."""
    return {row.probe: row.ratio for row in answer.rows if row.p_first and row.p_second}


RATIOS = (which_prefers, which_says_nothing, same_side, one_more)
