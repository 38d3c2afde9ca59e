"""Compare: every test set in one table, a column a model, each score with its coverage."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.widgets import outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.results.vector_answers import SetScore
from embeddings.shelf import Entry

Scores = dict[Entry, dict[str, SetScore]]


def show(page: PageState) -> None:
    """Write the table; scores that no card brings are computed when asked for."""
    say = page.say
    st.header(say("compare.sets"), anchor=False)
    scores: Scores = {entry: shelf_models.recorded_scores(entry) for entry in page.entries}
    files = {
        path.name: path
        for found in (shelf_models.analogy_set, shelf_models.similarity_sets)
        for path in found(page.language)
    }
    names = list(dict.fromkeys([*(n for of in scores.values() for n in of), *files]))
    if not names:
        st.info(say("compare.sets_none", language=page.language))
        return
    lacking = [(entry, files[n]) for entry in scores for n in files if n not in scores[entry]]
    if lacking and st.button(say("compare.sets_start"), key="compare-score"):
        _score(page, scores, lacking)
    rows = [
        {say("compare.set"): say.get(f"testset.{Path(name).stem}", name)}
        | {page.label(entry): _cell(page, scores[entry].get(name)) for entry in scores}
        for name in names
    ]
    st.table(pd.DataFrame(rows).set_index(say("compare.set")))
    st.caption(say("compare.sets_note"))
    plain = [
        {
            say("common.model"): entry.name,
            say("compare.set"): score.name,
            say("compare.measure"): score.measure,
            say("compare.score"): score.value,
            say("compare.covered"): score.covered,
            say("compare.total"): score.total,
        }
        for entry, of in scores.items()
        for score in of.values()
    ]
    outputs.csv(say, pd.DataFrame(plain), "compare-sets")


def _score(page: PageState, scores: Scores, lacking: list[tuple[Entry, Path]]) -> None:
    """Compute what is lacking."""
    for entry, path in lacking:
        with st.spinner(page.say("set.running", model=page.label(entry))):
            try:
                scores[entry][path.name] = shelf_models.set_score(entry, path)
            except KlyuchError as error:
                outputs.refuse(page.say, error)


def _cell(page: PageState, score: SetScore | None) -> str:
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
