"""Compare: every test set in one table, a column a model, each score with its coverage."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from app.loaders import evaluation_scores
from app.widgets import outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.results.vector_answers import SetScore
from embeddings.shelf import Entry

Scores = dict[Entry, dict[str, SetScore]]


def show_scores_by_set(page: PageState) -> None:
    """Show the table; scores that no card holds are computed on a button."""
    say = page.say
    st.header(say("compare.sets"), anchor=False)
    scores: Scores = {entry: evaluation_scores.recorded_scores(entry) for entry in page.entries}
    files = {
        path.name: path
        for list_sets in (evaluation_scores.analogy_set, evaluation_scores.similarity_sets)
        for path in list_sets(page.language)
    }
    names = list(
        dict.fromkeys(
            [*(name for scores_of_model in scores.values() for name in scores_of_model), *files]
        )
    )
    if not names:
        st.info(say("compare.sets_none", language=page.language))
        return
    missing = [
        (entry, files[name]) for entry in scores for name in files if name not in scores[entry]
    ]
    if missing and st.button(say("compare.sets_start"), key="compare-score"):
        _compute_scores(page, scores, missing)
    rows = [
        {say("compare.set"): outputs.title_of_test_set(say, name)}
        | {page.label(entry): _format_score(page, scores[entry].get(name)) for entry in scores}
        for name in names
    ]
    outputs.written_table(pd.DataFrame(rows).set_index(say("compare.set")))
    st.caption(say("compare.sets_note"))
    csv_rows = [
        {
            say("common.model"): entry.name,
            say("compare.set"): score.name,
            say("compare.measure"): score.measure,
            say("compare.score"): score.value,
            say("compare.covered"): score.covered,
            say("compare.total"): score.total,
        }
        for entry, scores_of_model in scores.items()
        for score in scores_of_model.values()
    ]
    outputs.csv(say, lambda: pd.DataFrame(csv_rows), "compare-sets")


def _compute_scores(page: PageState, scores: Scores, missing: list[tuple[Entry, Path]]) -> None:
    """Compute the missing scores."""
    for entry, path in missing:
        with st.spinner(page.say("set.running", model=outputs.plain(page.label(entry)))):
            try:
                scores[entry][path.name] = evaluation_scores.set_score(entry, path)
            except KlyuchError as error:
                outputs.refuse(page.say, error)


def _format_score(page: PageState, score: SetScore | None) -> str:
    """Return a score with its coverage."""
    if score is None:
        return "–"
    say = page.say
    value = (
        f"{say.number(100 * score.value, 1)} %"
        if score.measure == "accuracy"
        else f"ρ = {say.number(score.value, 2)}"
    )
    covered, total = say.number(score.covered), say.number(score.total)
    return say("compare.cell", value=value, covered=covered, total=total)
