"""Shelf: the card of one model, and the Python that reaches it.

Shelf: every model on every test set, as the cards tell it, with coverage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.figures.score_dots import scores_by_set_figure
from app.loaders import shelf_models
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.results.shelf_states import ModelScore
from embeddings.shelf import Entry, model_scores

FACTS = ("command", "seed", "commit", "machine", "created", "steps", "note")
MOST = 700  # signs of a value in the table; the whole card stands below it


def show_card(page: PageState, entry: Entry) -> None:
    """Show what the card says: where the model comes from, its settings and scores."""
    say, card = page.say, shelf_models.card(entry)
    st.header(outputs.plain(entry.name), anchor=False)
    facts: dict[str, object] = {}
    for group in ("corpus", "origin"):
        for name, value in _plain(card.get(group)).items():
            called = say.get(f"shelf_card.{group}_{name}", name)
            if group == "corpus" and isinstance(value, int):
                value = say.number(value)
            facts[f"{say(f'shelf_card.{group}')}: {called}"] = value
    facts |= {say(f"shelf_card.{name}"): card[name] for name in FACTS if card.get(name) is not None}
    settings = card.get("settings")
    parts = [settings, *(settings.values() if isinstance(settings, Mapping) else ())]
    set_to = [f"{name} {value}" for part in parts for name, value in _plain(part).items()]
    if set_to:
        facts[say("shelf_card.settings")] = ", ".join(set_to)
    if facts:
        rows = [(name, outputs.plain(_short(value))) for name, value in facts.items()]
        columns = [say("shelf_card.fact"), say("shelf_card.value")]
        st.table(pd.DataFrame(rows, columns=columns).set_index(columns[0]))
    else:
        st.caption(say("shelf_card.none"))
    _scores(page, entry)
    with st.expander(say("shelf_card.whole"), icon=":material/data_object:"):
        st.json(json.dumps(card, ensure_ascii=False, default=str), expanded=1)


def card_code(entry: Entry) -> str:
    """Return the Python that opens the model and reads its card."""
    opened = {
        "static": f"vectors = embeddings.load({entry.name!r})\nprint(vectors)\n",
        "network": f"reader = embeddings.load({entry.name!r})\nprint(reader.config)\n",
    }
    return (
        "import embeddings\n\nprint(embeddings.list_models())\n"
        + opened.get(entry.kind, "")
        + f"print(embeddings.card({entry.name!r}))\n"
        + f"print(embeddings.shelf.verify_model(embeddings.shelf.find({entry.name!r})))\n"
    )


def _scores(page: PageState, entry: Entry) -> None:
    """Show the model's own scores."""
    say = page.say
    scores = model_scores([entry])
    if not scores:
        st.caption(say("shelf_card.no_scores"))
        return
    rows = [
        {
            say("shelf_scores.set"): score.test_set or score.measure,
            say("shelf_scores.measure"): say.get(f"shelf_scores.{score.measure}", score.measure),
            say("shelf_scores.value"): say.number(score.value, 3),
            say("shelf_scores.covered"): coverage(say, score.covered, score.total),
        }
        for score in scores
    ]
    st.table(pd.DataFrame(rows).set_index(say("shelf_scores.set")))


def coverage(say: Wording, covered: int | None, total: int | None) -> str:
    """Return how many questions or pairs a score rests on."""
    if covered is None or not total:
        return "–"
    return f"{say.number(covered)} / {say.number(total)}"


def _plain(told: object) -> dict[str, object]:
    """Return what a part of a card says in single values; lists and checksums stand in the whole card."""
    items = told.items() if isinstance(told, Mapping) else ()
    return {str(k): v for k, v in items if isinstance(v, str | int | float) and v != ""}


def _short(value: object) -> str:
    """Return a value in one line, cut where it is long."""
    text = str(value)
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


def show_scores(page: PageState) -> None:
    """Show the figure, a table a language, and all as CSV."""
    say = page.say
    scores = model_scores()
    if not scores:
        st.info(say("shelf_scores.none"))
        return
    st.markdown(say("shelf_scores.lead"))
    tests = [score for score in scores if score.test_set]
    if tests:
        words = {name: say(f"shelf_scores.{name}") for name in ("accuracy", "spearman", "covered")}
        drawn = scores_by_set_figure(tests, words, say.separators)
        models = ", ".join(dict.fromkeys(score.model for score in tests))
        outputs.figure(say, drawn, "shelf-scores", say("shelf_scores.alt", models=models))
    for language in dict.fromkeys(score.language for score in tests):
        st.subheader(say.get(f"language.{language}", language or "–"), anchor=False)
        chosen = [score for score in tests if score.language == language]
        st.table(_pivot(page, chosen))
    st.subheader(say("shelf_scores.all"), anchor=False)
    outputs.table(say, pd.DataFrame([_row(page, score) for score in scores]), "shelf-scores-table")
    st.caption(say("shelf_scores.note"))


def _pivot(page: PageState, scores: list[ModelScore]) -> pd.DataFrame:
    """One line a test set, one column a model: the score, and behind it the share covered."""
    say = page.say
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


def _row(page: PageState, score: ModelScore) -> dict[str, object]:
    """One line of the long table, in full precision."""
    say = page.say
    return {
        say("shelf.name"): score.model,
        say("shelf.language"): score.language,
        say("shelf_scores.set"): score.test_set,
        say("shelf_scores.measure"): say.get(f"shelf_scores.{score.measure}", score.measure),
        say("shelf_scores.value"): score.value,
        say("shelf_scores.covered"): coverage(say, score.covered, score.total),
    }
