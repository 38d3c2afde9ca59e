"""Cached classifications: models, one text with what moved the model, the confusion table of a card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from embeddings.results.predictions import Attribution, Confusion, Prediction
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.probing.label_prediction import Classifier


def labels(entry: Entry) -> dict[str, str]:
    """Return a classifier's labels, and what each is called on screen."""
    config = _classifier(entry, _changed(entry)).network.config
    return dict(zip(config.labels, config.names, strict=True))


def predicted(entry: Entry, text: str) -> Prediction:
    """Return what a classifier says of a text."""
    return _predicted(entry, _changed(entry), text)


def attributed(entry: Entry, text: str, label: str) -> Attribution:
    """Return what each word of a text adds to the log-odds of a label."""
    return _attributed(entry, _changed(entry), text, label)


def confusion(entry: Entry, card: Mapping[str, object]) -> dict[str, Confusion]:
    """Return the confusion tables that a card brings, by test set; what is of no known shape is left out."""
    import numpy as np

    names = tuple(labels(entry))
    scores = card.get("scores")
    found = {}
    for name, told in scores.items() if isinstance(scores, Mapping) else ():
        try:
            counts = np.array(told["confusion"], np.int64)
        except (KeyError, TypeError, ValueError):
            continue
        if counts.shape == (len(names), len(names)):
            found[str(name)] = Confusion(names, counts)
    return found


def _changed(entry: Entry) -> int:
    """When a model's card was written: one of the same name that came later is another model."""
    card = entry.path / "card.json"
    return card.stat().st_mtime_ns if card.exists() else 0


@st.cache_resource(max_entries=2, show_spinner=False)
def _classifier(entry: Entry, changed: int) -> Classifier:  # noqa: ARG001
    from embeddings.shelf.loading import load_classifier  # torch: seconds

    return load_classifier(entry.path)


@st.cache_resource(max_entries=64, show_spinner=False)
def _predicted(entry: Entry, changed: int, text: str) -> Prediction:
    from embeddings.probing.label_prediction import predict

    return predict(_classifier(entry, changed), [text])[0]


@st.cache_resource(max_entries=64, show_spinner=False)
def _attributed(entry: Entry, changed: int, text: str, label: str) -> Attribution:
    from embeddings.probing.attribution import attribute

    return attribute(_classifier(entry, changed), text, label)
