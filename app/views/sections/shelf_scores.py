"""Shelf: every model on every test set, as the cards tell it, with coverage."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.shelf_scores import shelf_scores_figure
from app.views.sections.shelf_card import coverage
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.library import model_scores
from embeddings.results.shelf import ModelScore


def show(here: Here) -> None:
    """Show the figure, a table a language, and all as CSV."""
    say = here.say
    scores = model_scores()
    if not scores:
        st.info(say("shelf_scores.none"))
        return
    st.markdown(say("shelf_scores.lead"))
    tests = [score for score in scores if score.test_set]
    if tests:
        words = {name: say(f"shelf_scores.{name}") for name in ("accuracy", "spearman", "covered")}
        drawn = shelf_scores_figure(tests, words, say.separators)
        models = ", ".join(dict.fromkeys(score.model for score in tests))
        outputs.figure(say, drawn, "shelf-scores", say("shelf_scores.alt", models=models))
    for language in dict.fromkeys(score.language for score in tests):
        st.subheader(say.get(f"language.{language}", language or "–"), anchor=False)
        chosen = [score for score in tests if score.language == language]
        st.table(_pivot(here, chosen))
    st.subheader(say("shelf_scores.all"), anchor=False)
    outputs.table(say, pd.DataFrame([_row(here, score) for score in scores]), "shelf-scores-table")
    st.caption(say("shelf_scores.note"))


def _pivot(here: Here, scores: list[ModelScore]) -> pd.DataFrame:
    """One line a test set, one column a model: the score, and behind it the share covered."""
    say = here.say
    sets = list(dict.fromkeys((score.test_set, score.measure) for score in scores))
    table = pd.DataFrame(
        "–",
        index=[f"{name} ({say(f'shelf_scores.{measure}')})" for name, measure in sets],
        columns=list(dict.fromkeys(score.model for score in scores)),
    )
    for score in scores:
        share = (
            f" · {say.number(100 * score.covered / score.total)} %"
            if score.total and score.covered is not None
            else ""
        )
        row = sets.index((score.test_set, score.measure))
        table.iloc[row, table.columns.get_loc(score.model)] = f"{say.number(score.value, 3)}{share}"
    return table


def _row(here: Here, score: ModelScore) -> dict[str, object]:
    """One line of the long table, in full precision."""
    say = here.say
    return {
        say("shelf.name"): score.model,
        say("shelf.language"): score.language,
        say("shelf_scores.set"): score.test_set,
        say("shelf_scores.measure"): say.get(f"shelf_scores.{score.measure}", score.measure),
        say("shelf_scores.value"): score.value,
        say("shelf_scores.covered"): coverage(say, score.covered, score.total),
    }
