"""Shelf: the card of one model, the Python that opens it, and the scores of all models."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from app import access, shelf_models
from app.widgets import outputs
from app.widgets.frame import PageState
from app.widgets.model_answers import scores_of
from app.wording import Wording
from embeddings.analysis.score_answers import ModelScore
from embeddings.shelf import Entry, model_scores

FACTS = ("command", "seed", "commit", "machine", "created", "steps", "note")
NAMED_MEASURES = (  # that have words
    *("accuracy", "spearman", "heldout_loss", "heldout_accuracy", "heldout_bleu"),
    *("heldout_mlm_loss", "heldout_mlm_accuracy", "heldout_sentence_loss"),
    "heldout_sentence_accuracy",
)


def show_card(page: PageState, entry: Entry) -> None:
    """Show the origin and scores on the card, and the card as it is."""
    say, card = page.say, shelf_models.card(entry)
    st.header(outputs.plain(entry.name), anchor=False)
    facts: dict[str, object] = {}
    for group in ("corpus", "origin"):
        for name, value in _single_values(card.get(group)).items():
            label = say.get(f"shelf_card.{group}_{name}", name)
            if group == "corpus" and isinstance(value, int):
                value = say.number(value)
            facts[f"{say(f'shelf_card.{group}')}: {label}"] = value
    facts |= {say(f"shelf_card.{name}"): card[name] for name in FACTS if card.get(name) is not None}
    if "created" in card:
        facts[say("shelf_card.created")] = say.date(str(card["created"]))
    about, scored = st.columns(2)
    with about:
        if facts:
            written = {name: access.without_folders(str(value)) for name, value in facts.items()}
            outputs.facts_table(say, written)
        else:
            st.caption(say("shelf_card.none"))
    with scored:
        show_scores(page, entry)
    with st.expander(say("shelf_card.whole"), icon=":material/data_object:"):
        whole = json.dumps(card, ensure_ascii=False, default=str)
        st.json(access.without_folders(whole), expanded=1)


def show_scores(page: PageState, entry: Entry) -> None:
    """Show the model's own scores, and offer to compute those that are missing."""
    say = page.say
    scores = list(model_scores([entry]))
    if entry.kind == "static":
        known = {score.test_set for score in scores}
        by_set = scores_of(page, [entry])[entry]
        scores += [score for name, score in by_set.items() if name not in known]
    if not scores:
        st.caption(say("shelf_card.no_scores"))
        return
    _show_table(say, scores, "shelf-card-scores", {})


def _single_values(part_of_card: object) -> dict[str, object]:
    """Return the single values of a part of a card; lists and checksums are in the whole card."""
    items = part_of_card.items() if isinstance(part_of_card, Mapping) else ()
    return {
        str(key): value
        for key, value in items
        if isinstance(value, str | int | float) and value != ""
    }


def show_all_scores(say: Wording) -> None:
    """Show all scores as a table."""
    scores = model_scores()
    if not scores:
        st.info(say("shelf_scores.none"))
        return
    st.markdown(say("shelf_scores.lead"))
    named = {say("shelf.name"): "model", say("shelf.language"): "language"}
    _show_table(say, scores, "shelf-scores-table", named)
    st.caption(say("shelf_scores.note"))


def _show_table(
    say: Wording, scores: Sequence[ModelScore], key: str, first: outputs.Columns
) -> None:
    """Show scores, a line each, after some first columns."""
    columns: outputs.Columns = {
        **first,
        say("shelf_scores.set"): lambda score: outputs.title_of_test_set(say, score.test_set),
        say("shelf_scores.measure"): lambda score: measure_name(say, score.measure),
        say("shelf_scores.value"): "value",
        say("shelf_scores.covered"): _coverage,
        say("compare.total"): lambda score: float(score.total) if score.total else math.nan,
    }
    forms = {say("shelf_scores.covered"): partial(_written_share, say)}
    outputs.table(say, outputs.rows_of(scores, columns), key, forms=forms)


def measure_name(say: Wording, measure: str) -> str:
    """Return what a measure is called, with the language of the texts where the name ends in one: heldout_sentence_accuracy_de.

    A measure without words has the name that the card gives.
    """
    if measure in NAMED_MEASURES:
        return say(f"shelf_scores.{measure}")
    whole, _, language = measure.rpartition("_")
    name = say.get(f"language.{language}")
    return f"{measure_name(say, whole)}: {name}" if name and whole in NAMED_MEASURES else measure


def _coverage(score: ModelScore) -> float:
    """Return the share of a test set that a score rests on; NaN where the card does not say."""
    return math.nan if score.covered is None or not score.total else score.covered / score.total


def _written_share(say: Wording, share: float) -> str:
    """Return a share in percent."""
    return "–" if math.isnan(share) else f"{say.number(100 * share, 1)} %"
