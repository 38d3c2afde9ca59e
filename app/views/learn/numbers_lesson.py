"""Lesson: what a number is worth: coverage, chance, seeds, the size of a test set."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app.figures.model_comparison import category_scores_figure
from app.loaders import evaluation_scores
from app.views.analogies import question_set
from app.views.compare import scores_by_set
from app.views.grammar import score_sections
from app.views.lab import experiment_sections
from app.views.learn.lesson_step import (
    Step,
    binned,
    labels,
    needed,
    ranked,
    static_model,
    with_models,
)
from app.widgets import outputs
from app.widgets.frame import PageState
from embeddings.lab import read_experiment
from embeddings.results import AnalogyScore
from embeddings.results.vector_answers import standard_error
from embeddings.shelf import Entry

Z95 = 1.96  # standard errors on either side within which 95 of 100 samples lie
ANALOGIES = {"en": "questions-words.txt", "ru": "ru.txt", "de": "syntactic.questions"}
FEWEST = 20  # questions of a category that is asked about
EXPERIMENT, ARM = "sst2", "arm_pretrained"


def coverage(page: PageState) -> Step:
    """Ask what remains of an accuracy when questions with unknown words count as wrong."""
    say, entry = page.say, static_model(page, "skipgram")
    scores = evaluation_scores.recorded_scores(entry)
    score = needed(page, scores.get(ANALOGIES[page.language]))
    of_all = score.value * score.covered / score.total
    numbers = sorted((of_all, score.value, score.covered / score.total))
    choice = ranked(
        [_percent(page, number) for number in numbers],
        [abs(number - of_all) for number in numbers],
        lambda _: "",
        smallest=True,
    )
    return Step(
        choice,
        lambda: scores_by_set.show_scores_by_set(with_models(page, entry)),
        "compare",
        {"models": entry.name, "view": "sets"},
        {
            "model": entry.name,
            "test_set": outputs.title_of_test_set(say, score.name),
            "accuracy": _percent(page, score.value),
            "covered": score.covered,
            "total": score.total,
            "of_all": _percent(page, of_all),
        },
    )


def chance(page: PageState) -> Step:
    """Ask how many standard errors an accuracy on pairs lies above that of a coin."""
    say = page.say
    scored = score_sections.scored_sets(score_sections.SETS[page.language])
    table, pairs = needed(page, scored[0] if scored else None)
    accuracy = float(str(table.rows[0][1])) / 100
    error = standard_error(0.5, pairs)
    distance = (accuracy - 0.5) / error
    return Step(
        binned(labels(say, "learn_numbers.2"), (2, 5), distance),
        partial(score_sections.show_benchmarks, page),
        "grammar",
        {"network": table.columns[1].name},
        {
            "model": table.columns[1].name,
            "accuracy": _percent(page, accuracy),
            "pairs": pairs,
            "error": say.number(100 * error, 1),
            "distance": say.number(distance, 1),
        },
    )


def seeds(page: PageState) -> Step:
    """Ask how far apart the accuracies of the same training with other seeds lie."""
    say = page.say
    experiment = read_experiment(EXPERIMENT)
    runs = next(table for table in experiment.tables if table.name == "runs")
    column = [column.name for column in runs.columns].index("best_accuracy")
    accuracies = [float(str(row[column])) for row in runs.rows if row[0] == ARM]
    spread = max(accuracies) - min(accuracies)
    return Step(
        binned(labels(say, "learn_numbers.3"), (0.5, 1.5), spread),
        partial(experiment_sections.show_drawing, say, experiment, experiment.drawings[0]),
        "lab",
        {"lab_experiment": EXPERIMENT},
        {
            "runs": len(accuracies),
            "spread": say.number(spread, 1),
            "lowest": say.number(min(accuracies), 1),
            "highest": say.number(max(accuracies), 1),
        },
    )


def small_sets(page: PageState) -> Step:
    """Ask how exact an accuracy on the smallest category of a test set is."""
    say, entry = page.say, static_model(page, "skipgram")
    recorded = evaluation_scores.recorded_categories(entry, ANALOGIES[page.language])
    score = needed(page, recorded)
    large = [section for section in score.sections if section.covered >= FEWEST]
    section = needed(page, min(large, key=lambda each: each.covered, default=None))
    share = section.correct / section.covered
    half_width = 100 * Z95 * standard_error(share, section.covered)
    return Step(
        binned(labels(say, "learn_numbers.4"), (2, 8), half_width),
        partial(_show_categories, page, entry, score),
        "analogies",
        {"models": entry.name, "view": "sets"},
        {
            "category": question_set.category_name(say, section.name),
            "correct": section.correct,
            "covered": section.covered,
            "accuracy": _percent(page, share),
            "half_width": say.number(half_width, 1),
        },
    )


def _show_categories(page: PageState, entry: Entry, score: AnalogyScore) -> None:
    """Draw the accuracy by category."""
    say, label = page.say, page.label(entry)
    scores = {label: score}
    names = question_set.name_categories(say, [score])
    colours = {label: page.colour(entry)}
    figure = category_scores_figure(scores, colours, names, say("set.hover"), say.separators)
    outputs.figure(say, figure, "set", say("set.alt", models=label))
    st.caption(say("set.note_counts"))


def _percent(page: PageState, share: float) -> str:
    """Return a share in percent."""
    return f"{page.say.number(100 * share, 1)} %"


STEPS = (coverage, chance, seeds, small_sets)
