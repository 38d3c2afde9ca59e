"""Compare: every test set in one table, a column a model, each score with its coverage."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.widgets import model_scores, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.vector_answers import RunRange, ScoreRange, SetScore
from embeddings.shelf import Entry


def show_scores_by_set(page: PageState) -> None:
    """Show the table, and the button that computes scores that no card has."""
    say = page.say
    scores = model_scores.scores_of(page, page.entries)
    names = list(dict.fromkeys(name for by_set in scores.values() for name in by_set))
    if not names:
        st.info(say("compare.sets_none"))
        return
    ranges = {entry: _ranges(page, entry, by_set) for entry, by_set in scores.items()}
    rows = [
        {say("compare.set"): outputs.title_of_test_set(say, name)}
        | {page.label(entry): _format_score(page, scores[entry].get(name)) for entry in scores}
        | {
            say("compare.retrained", model=page.label(entry)): _format_range(
                page, ranges[entry].get(name)
            )
            for entry in scores
            if ranges[entry]
        }
        for name in names
    ]
    outputs.written_table(pd.DataFrame(rows).set_index(say("compare.set")))
    st.caption(say("compare.sets_note"))
    for entry, ranges_of_model in ranges.items():
        if ranges_of_model:
            st.caption(outputs.plain(_about_ranges(page, entry, ranges_of_model)))
    csv_rows = [
        {
            say("common.model"): entry.name,
            say("compare.set"): score.name,
            say("compare.measure"): score.measure,
            say("compare.score"): score.value,
            say("compare.covered"): score.covered,
            say("compare.total"): score.total,
            **_exact_range(say, _span(ranges[entry], score.name)),
        }
        for entry, scores_of_model in scores.items()
        for score in scores_of_model.values()
    ]
    outputs.csv(say, lambda: pd.DataFrame(csv_rows), "compare-sets")


def _ranges(page: PageState, entry: Entry, scores: dict[str, SetScore]) -> dict[str, ScoreRange]:
    """Return how the trainings of a model score on the sets that it has scores on; nothing for a model that was trained once.

    A damaged spread is said and counts as none; one on a set of that name and another size is of another set.
    """
    try:
        ranges = shelf_models.score_ranges(entry)
    except KlyuchError as error:
        outputs.refuse(page.say, error, models=[page.label(entry)])
        return {}
    return {
        name: ranges[name]
        for name, score in scores.items()
        if name in ranges
        and ranges[name].span.deviation is not None
        and (ranges[name].measure, ranges[name].total) == (score.measure, score.total)
    }


def _span(ranges: dict[str, ScoreRange], name: str) -> RunRange | None:
    """Return the range of a model's score on a test set."""
    return ranges[name].span if name in ranges else None


def _about_ranges(page: PageState, entry: Entry, ranges: dict[str, ScoreRange]) -> str:
    """Return what ± means, with the range of the trainings on the model's first set."""
    say = page.say
    name, of_set = next(iter(ranges.items()))
    return say(
        "compare.sets_range" if of_set.is_resampled else "compare.sets_range_seed",
        model=page.label(entry),
        runs=of_set.span.runs,
        set=outputs.title_of_test_set(say, name),
        mean=_value(page, of_set.measure, of_set.span.mean),
        lowest=_value(page, of_set.measure, of_set.span.lowest),
        highest=_value(page, of_set.measure, of_set.span.highest),
    )


def _exact_range(say: Wording, span: RunRange | None) -> dict[str, object]:
    """Return the columns of a score's range for the file; nothing where the model was trained once."""
    if span is None:
        return {}
    return {
        say("spread.mean"): span.mean,
        say("compare.deviation"): span.deviation,
        say("spread.lowest"): span.lowest,
        say("spread.highest"): span.highest,
    }


def _format_score(page: PageState, score: SetScore | None) -> str:
    """Return a score with its coverage."""
    if score is None:
        return "–"
    say = page.say
    value = _value(page, score.measure, score.value)
    covered, total = say.number(score.covered), say.number(score.total)
    return say("compare.cell", value=value, covered=covered, total=total)


def _format_range(page: PageState, of_set: ScoreRange | None) -> str:
    """Return the mean of several trainings and their standard deviation; both are of other trainings than the model."""
    if of_set is None or of_set.span.deviation is None:
        return "–"
    say, is_share = page.say, of_set.measure == "accuracy"
    step = say.number(of_set.span.deviation * (100 if is_share else 1), 1 if is_share else 3)
    return say(
        "compare.deviating", value=_value(page, of_set.measure, of_set.span.mean), deviation=step
    )


def _value(page: PageState, measure: str, value: float) -> str:
    """Return a score as text."""
    say = page.say
    return (
        f"{say.number(100 * value, 1)} %"
        if measure == "accuracy"
        else f"ρ = {say.number(value, 2)}"
    )
