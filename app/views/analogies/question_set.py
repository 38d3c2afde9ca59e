"""Analogies: a whole test set by category, scored when asked."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

from app.figures.palette import method_colour
from app.figures.score_dots import category_scores_figure
from app.loaders import evaluation_scores
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError


def show_question_set(page: PageState) -> None:
    """Offer the set of the models' language, and its scores once they are asked for."""
    say = page.say
    st.header(say("set.title"), anchor=False)
    files = evaluation_scores.analogy_set(page.language)
    if not files:
        st.info(say(f"set.missing_{page.language}"))
        return
    st.markdown(say(f"set.lead_{page.language}"))
    scored = st.session_state.setdefault("_scored", set())
    language_and_models = (page.language, *(entry.name for entry in page.entries))
    if language_and_models not in scored:
        icon = ":material/play_arrow:"
        st.button(
            say("set.start"),
            key="score",
            type="primary",
            icon=icon,
            on_click=scored.add,
            args=(language_and_models,),
        )
        return
    scores = {}
    try:
        for entry in page.entries:
            with st.spinner(say("set.running", model=page.label(entry))):
                scores[page.label(entry)] = evaluation_scores.analogy_score(entry, files)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    colours = {
        page.label(entry): method_colour(entry.method, index)
        for index, entry in enumerate(page.entries)
    }
    with st.container(horizontal=True):
        for label, score in scores.items():
            counts = {"covered": say.number(score.covered), "total": say.number(score.total)}
            percent = f"{say.number(100 * score.accuracy, 1)} %"
            st.metric(label, percent, help=say("set.covered", **counts))
    names = {
        section.name: _category_name(say, section.name)
        for score in scores.values()
        for section in score.sections
    }
    figure = category_scores_figure(scores, colours, names, say("set.hover"), say.separators)
    outputs.figure(say, figure, "set", say("set.alt", models=", ".join(scores)))
    models_by_coverage: dict[str, list[str]] = {}  # models of one vocabulary are named together
    for label, score in scores.items():
        counts = {"covered": say.number(score.covered), "total": say.number(score.total)}
        models_by_coverage.setdefault(say("set.covered", **counts), []).append(label)
    coverage = [
        f"{', '.join(labels)}: {sentence}" for sentence, labels in models_by_coverage.items()
    ]
    st.caption(f"{outputs.plain(' '.join(coverage))} {say('set.note')}")
    rows = [
        {
            say("common.model"): label,
            say("set.category"): section.name,
            say("set.correct"): section.correct,
            say("set.answered"): section.covered,
            say("set.total"): section.total,
        }
        for label, score in scores.items()
        for section in score.sections
    ]
    outputs.csv(say, pd.DataFrame(rows), "analogy-set")


def _category_name(say: Wording, name: str) -> str:
    """Return a category's name as a person would write it."""
    plain = re.sub(r"^gram\d+-", "", name).replace("-", " ")
    return say.get(f"category.{name}", plain)
