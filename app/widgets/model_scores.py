"""Scores of models on test sets: those on their cards, and on a button those that no card has."""

from __future__ import annotations

import os
from collections.abc import Sequence

import streamlit as st

from app import access
from app.loaders import evaluation_scores
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.shelf_states import ModelScore
from embeddings.shelf import Entry, data, home
from embeddings.sources.catalogue import CatalogueEntry, read_catalogue
from embeddings.sources.fetching import fetch

ASKED = "_scores_asked"  # stamps of the models that this session has scored
Scores = dict[Entry, dict[str, ModelScore]]


def scores_of(page: PageState, entries: Sequence[Entry]) -> Scores:
    """Return the scores of static models by test set, and offer to compute those that are missing.

    One click downloads the test sets that are not here and scores every model of ``entries`` on all sets of its language.
    """
    say = page.say
    scores: Scores = {entry: evaluation_scores.recorded_scores(entry) for entry in entries}
    asked: set[str] = st.session_state.setdefault(ASKED, set())
    lacking = [entry for entry in entries if entry.stamp not in asked and _lacks(page, entry)]
    if lacking:
        languages = dict.fromkeys(_language(page, entry) for entry in lacking)
        sets = [each for name in languages for each in sets_to_fetch(name)]
        sets = sets if access.may_change() else []
        st.button(
            say("scores.start"),
            key="compare-score",
            type="primary",
            icon=":material/leaderboard:",
            help=say("scores.help"),
            on_click=asked.update,
            args=([entry.stamp for entry in lacking],),
        )
        if sets:
            size = say.size(sum(each.size or 0 for each in sets))
            licences = say.list(dict.fromkeys(each.licence for each in sets))
            st.caption(outputs.plain(say("scores.fetches", size=size, licences=licences)))
    for entry in entries:
        if entry.stamp in asked:
            _fetch_sets(page, sets_to_fetch(_language(page, entry)))
            _compute(page, entry, scores[entry])
    return scores


def sets_to_fetch(language: str) -> tuple[CatalogueEntry, ...]:
    """Return the test sets of a language that can be downloaded and are not here."""
    have = {
        f"analogies-{language}": evaluation_scores.analogy_set(language),
        f"similarity-{language}": evaluation_scores.similarity_sets(language),
    }
    catalogue = read_catalogue(data() / "catalogue.toml")
    return tuple(entry for entry in catalogue if not have.get(entry.name, True))


def _language(page: PageState, entry: Entry) -> str:
    """Return the language whose test sets a model is scored on."""
    return entry.language or page.language


def _lacks(page: PageState, entry: Entry) -> bool:
    """Whether there is a test set, here or to download, that a model has no score on."""
    language, recorded = _language(page, entry), evaluation_scores.recorded_scores(entry)
    if evaluation_scores.installed_sets(language).keys() - recorded.keys():
        return True
    return not recorded and bool(sets_to_fetch(language)) and access.may_change()


def _fetch_sets(page: PageState, sets: Sequence[CatalogueEntry]) -> None:
    """Download test sets once in a session."""
    tried: set[str] = st.session_state.setdefault("_sets_tried", set())
    new = [each for each in sets if each.name not in tried]
    if new and access.may_change():
        tried.update(each.name for each in new)
        get_sets(page.say, new)


def get_sets(say: Wording, sets: Sequence[CatalogueEntry]) -> bool:
    """Download test sets; one that cannot be had is named, and the others are fetched all the same. Return whether all came."""
    came = True
    with st.spinner(say("set.getting")):
        for each in sets:
            try:
                fetch(each, home() / "corpora", mirror=os.environ.get("KLYUCH_MIRROR", ""))
            except KlyuchError as error:
                outputs.refuse(say, error)
                came = False
    return came


def _compute(page: PageState, entry: Entry, scores: dict[str, ModelScore]) -> None:
    """Add the scores that a model lacks."""
    sets = evaluation_scores.installed_sets(_language(page, entry))
    for name, path in sets.items():
        if name in scores:
            continue
        with st.spinner(page.say("set.running", model=outputs.plain(page.label(entry)))):
            try:
                scores[name] = evaluation_scores.set_score(entry, path)
            except KlyuchError as error:
                outputs.refuse(page.say, error)
