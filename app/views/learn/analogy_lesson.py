"""Lesson: king − man + woman, and when it fails."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.loaders import shelf_models
from app.views.analogies import formula_answers, formula_steps
from app.views.learn.lesson_models import static_model, with_models
from app.views.learn.lesson_step import Step, binned, labels, ranked
from app.widgets import ranked_words
from app.widgets.frame import PageState
from app.wording import lesson_examples
from embeddings.analysis.analogies import answer_rank, solve
from embeddings.results import Analogy
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma


def which_answer(page: PageState) -> Step:
    """Ask which of some words ranks highest among the answers."""
    say, entry = page.say, static_model(page, "skipgram")
    formula, *options = lesson_examples(page.language)["analogy"].split(" | ")
    vectors = shelf_models.vectors(entry)
    analogy = solve(vectors, formula, fold=_fold(page))
    ranks = [float(answer_rank(vectors, analogy, option, _fold(page)) or 0) for option in options]
    choice = ranked(options, ranks, lambda rank: say("learn.rank", rank=int(rank)), smallest=True)

    def show() -> None:
        _show_answers(page, entry, analogy)
        formula_answers.draw_plane(page, entry, analogy)

    return Step(
        choice,
        show=show,
        page="analogies",
        settings={"formula": formula, "models": entry.name},
        fields={"formula": analogy.expression},
    )


def inputs_too(page: PageState) -> Step:
    """Ask which word comes first if those of the formula may answer too."""
    say, entry = page.say, static_model(page, "skipgram")
    formula = lesson_examples(page.language)["analogy"].split(" | ")[0]
    vectors = shelf_models.vectors(entry)
    analogy = solve(vectors, formula, include_inputs=True, fold=_fold(page))
    best = solve(vectors, formula, fold=_fold(page)).answers[0].word
    options = [*(term.word for term in analogy.terms), best]
    ranks = [float(answer_rank(vectors, analogy, option, _fold(page)) or 0) for option in options]
    choice = ranked(options, ranks, lambda rank: say("learn.rank", rank=int(rank)), smallest=True)
    return Step(
        choice,
        show=lambda: _show_answers(page, entry, analogy),
        page="analogies",
        settings={"formula": formula, "models": entry.name, "inputs": 1},
        fields={"formula": analogy.expression, "best": best},
    )


def without_subtraction(page: PageState) -> Step:
    """Ask what becomes of the answer when nothing is subtracted."""
    say, entry = page.say, static_model(page, "skipgram")
    formula = lesson_examples(page.language)["analogy"].split(" | ")[0]
    vectors = shelf_models.vectors(entry)
    whole = solve(vectors, formula, fold=_fold(page))
    best = whole.answers[0].word
    added = tuple(term for term in whole.terms if term.weight > 0)
    without = solve(vectors, added, fold=_fold(page))
    rank = answer_rank(vectors, without, best, _fold(page)) or 0
    return Step(
        binned(labels(say, "learn_analogy.3"), (2, 11), rank),
        show=lambda: formula_steps.show_formula_steps(page, entry, whole),
        page="analogies",
        settings={"formula": without.expression, "models": entry.name},
        fields={"formula": without.expression, "best": best, "rank": rank},
    )


def which_fails(page: PageState) -> Step:
    """Ask which of some formulas misses the answer that people give."""
    say, entry = page.say, static_model(page, "skipgram")
    vectors = shelf_models.vectors(entry)
    pairs = [text.split(" = ") for text in lesson_examples(page.language)["fails"].split(" | ")]
    analogies = [solve(vectors, formula, fold=_fold(page)) for formula, _ in pairs]
    ranks = [
        float(answer_rank(vectors, analogy, expected, _fold(page)) or 0)
        for analogy, (_, expected) in zip(analogies, pairs, strict=True)
    ]
    choice = ranked(
        [f"{formula} = {expected}" for formula, expected in pairs],
        ranks,
        lambda rank: say("learn.rank", rank=int(rank)),
    )
    formula, expected = pairs[choice.right]
    return Step(
        choice,
        show=lambda: _show_answers(page, entry, analogies[choice.right]),
        page="analogies",
        settings={"formula": formula, "models": entry.name, "expected": expected},
        fields={
            "formula": formula,
            "expected": expected,
            "best": analogies[choice.right].answers[0].word,
        },
    )


def _fold(page: PageState) -> Callable[[str], str]:
    """Return what gives a word's lemma: as on the page Analogies, forms of one word are one answer."""
    return partial(lemma, language=page.language)


def _show_answers(page: PageState, entry: Entry, analogy: Analogy) -> None:
    """Draw the answers of a model."""
    chosen = with_models(page, entry)
    answers = {entry: analogy.answers}
    ranked_words.lists(chosen, answers, "answers", "analogies.alt", analogy.expression)


ANALOGY = (which_answer, inputs_too, without_subtraction, which_fails)
