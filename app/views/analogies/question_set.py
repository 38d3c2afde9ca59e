"""Analogies: a whole evaluation set by category, the language's or one's own, scored when asked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app import access
from app.figures.model_comparison import category_scores_figure
from app.loaders import evaluation_scores
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results import AnalogyScore
from embeddings.shelf import Entry, data, home
from embeddings.sources.catalogue import CatalogueEntry, read_catalogue
from embeddings.sources.fetching import fetch

MAX_SIZE = 4_000_000  # bytes of a file of questions: some 100 000 of them
Score = Callable[[Entry], AnalogyScore]


def show_question_set(page: PageState) -> None:
    """Offer the set of the models' language or a file of one's own, and its scores once they are asked for."""
    say = page.say
    source = inputs.choice(say, "questions", ("set", "own"))
    chosen = _choose_own_file(say) if source == "own" else _choose_language_set(page)
    if chosen is None:
        return
    name, score = chosen
    scored = st.session_state.setdefault("_scored", set())
    asked = (name, *(entry.name for entry in page.entries))
    if asked not in scored:
        icon = ":material/play_arrow:"
        st.button(
            say("set.start"),
            key="score",
            type="primary",
            icon=icon,
            on_click=scored.add,
            args=(asked,),
        )
        return
    scores = {}
    try:
        for entry in page.entries:
            with st.spinner(say("set.running", model=outputs.plain(page.label(entry)))):
                scores[page.label(entry)] = score(entry)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    _show_scores(page, scores)


def _choose_language_set(page: PageState) -> tuple[str, Score] | None:
    """Return the set of the models' language; without one offer to get it."""
    say = page.say
    files = evaluation_scores.analogy_set(page.language)
    if not files:
        st.info(say(f"set.missing_{page.language}"))
        _offer_download(page)
        return None
    st.markdown(say(f"set.lead_{page.language}"))
    return page.language, lambda entry: evaluation_scores.analogy_score(entry, files)


def _offer_download(page: PageState) -> None:
    """Offer to download the set of the language, where the catalogue has one."""
    say, name = page.say, f"analogies-{page.language}"
    entries = [e for e in read_catalogue(data() / "catalogue.toml") if e.name == name]
    if not entries or not access.may_change():
        return
    entry = entries[0]
    size = say.size(entry.size or 0)
    label = say("set.get", size=size, licence=entry.licence)
    if st.button(label, key="get-set", type="primary", icon=":material/cloud_download:"):
        _download(say, entry)


def _download(say: Wording, entry: CatalogueEntry) -> None:
    """Get the files and draw the page again; what hinders it is said."""
    try:
        access.check_change()
        with st.spinner(say("set.getting")):
            fetch(entry, home() / "corpora", mirror=os.environ.get("KLYUCH_MIRROR", ""))
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    st.rerun()


def _choose_own_file(say: Wording) -> tuple[str, Score] | None:
    """Ask for a file of questions; None until there is one of a size that is read."""
    bound = say.size(MAX_SIZE)
    upload = st.file_uploader(
        say("set.upload"), key="questions-file", help=say("set.upload_help", size=bound)
    )
    st.caption(say("set.upload_help", size=bound))
    if upload is None:
        return None
    if upload.size > MAX_SIZE:
        st.info(outputs.plain(say("set.too_large", name=upload.name, size=bound)))
        return None
    content = upload.getvalue()
    score = partial(evaluation_scores.own_analogy_score, content=content, name=upload.name)
    return f"{upload.name} {hash(content)}", score


def _show_scores(page: PageState, scores: dict[str, AnalogyScore]) -> None:
    """Show the accuracy of each model, and by category with its counts."""
    say = page.say
    colours = {page.label(entry): page.colour(entry) for entry in page.entries}
    with st.container(horizontal=True):
        for label, score in scores.items():
            counts = {"covered": score.covered, "total": score.total}
            percent = f"{say.number(100 * score.accuracy, 1)} %"
            st.metric(outputs.plain(label), percent, help=say("set.covered", **counts))
    names = name_categories(say, list(scores.values()))
    figure = category_scores_figure(scores, colours, names, say("set.hover"), say.separators)
    outputs.figure(say, figure, "set", say("set.alt", models=say.list(scores)))
    models_by_coverage: dict[str, list[str]] = {}  # models of one vocabulary are named together
    for label, score in scores.items():
        counts = {"covered": score.covered, "total": score.total}
        models_by_coverage.setdefault(say("set.covered", **counts), []).append(label)
    coverage = [
        f"{', '.join(labels)}: {sentence}" for sentence, labels in models_by_coverage.items()
    ]
    notes = f"{say('set.note_counts')} {say('set.note')}"
    st.caption(f"{outputs.plain(' '.join(coverage))} {notes}")
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
    outputs.csv(say, lambda: pd.DataFrame(rows), "analogy-set")


def name_categories(say: Wording, scores: Sequence[AnalogyScore]) -> dict[str, str]:
    """Return what each category is called, with the questions that the models could answer of all.

    Where models differ in coverage, the least and the most are given, as 3–12.
    """
    covered: dict[str, list[int]] = {}
    totals: dict[str, int] = {}
    for section in (section for score in scores for section in score.sections):
        covered.setdefault(section.name, []).append(section.covered)
        totals[section.name] = section.total
    names = {}
    for name, counts in covered.items():
        ends = dict.fromkeys((say.number(min(counts)), say.number(max(counts))))
        counted = {"covered": "–".join(ends), "total": say.number(totals[name])}
        names[name] = say("set.counted", name=category_name(say, name), **counted)
    return names


def category_name(say: Wording, name: str) -> str:
    """Return a category's name as a person would write it."""
    plain = re.sub(r"^gram\d+-", "", name).replace("-", " ")
    return say.get(f"category.{name}", plain)
