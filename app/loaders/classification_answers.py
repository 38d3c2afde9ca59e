"""Cached classifications: models, one text with what moved the model, the confusion table of a card.

A classifier is two models: its own layers, and the BERT on the shelf that its card names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from embeddings.results.ablations import ClassAblation, HeadEffects, Parts, Replacement
from embeddings.results.predictions import Attribution, Calibration, Confusion, Prediction
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.probing.label_prediction import Classifier


def labels(entry: Entry) -> dict[str, str]:
    """Return a classifier's labels, and what each is called on screen."""
    config = _classifier(entry, _base(entry)).network.config
    return dict(zip(config.labels, config.names, strict=True))


def predicted(entry: Entry, text: str) -> Prediction:
    """Return what a classifier says of a text."""
    return _predicted(entry, _base(entry), text)


def attributed(entry: Entry, text: str, label: str) -> Attribution:
    """Return what each word of a text adds to the log-odds of a label."""
    return _attributed(entry, _base(entry), text, label)


def words_of_text(entry: Entry, text: str) -> tuple[str, ...]:
    """Return the words of a text as `ablated` counts them, signs included."""
    from embeddings.probing.ablated_answers import words_of_class_text

    return words_of_class_text(_classifier(entry, _base(entry)), text)


def layers_and_heads(entry: Entry) -> tuple[int, int]:
    """Return how many layers a classifier has, and how many heads a layer."""
    config = _classifier(entry, _base(entry)).network.encoder.config
    return config.num_hidden_layers, config.num_attention_heads


def ablated(entry: Entry, text: str, parts: Parts, replacement: Replacement) -> ClassAblation:
    """Return what a classifier says of a text with all parts on and with some off."""
    return _ablated(entry, _base(entry), text, parts, replacement)


def head_effects(entry: Entry, text: str, replacement: Replacement) -> HeadEffects:
    """Return how much each head matters for the label that a classifier gives a text."""
    return _head_effects(entry, _base(entry), text, replacement)


def confusion(entry: Entry, card: Mapping[str, object]) -> dict[str, Confusion]:
    """Return the confusion tables that a card brings, by test set; what is of no known shape is left out."""
    import numpy as np

    names = tuple(labels(entry))
    scores = card.get("scores")
    by_set = {}
    for test_set, score in scores.items() if isinstance(scores, Mapping) else ():
        try:
            counts = np.array(score["confusion"], np.int64)
        except (KeyError, TypeError, ValueError):
            continue
        if counts.shape == (len(names), len(names)):
            by_set[str(test_set)] = Confusion(names, counts)
    return by_set


def temperature(entry: Entry) -> float:
    """Return what a classifier's logits are divided by."""
    return _classifier(entry, _base(entry)).temperature


def calibration(card: Mapping[str, object]) -> Calibration | None:
    """Return the calibration that a card brings, None where there is none."""
    from embeddings.shelf.calibrating import read_calibration

    recorded = read_calibration(card)
    return None if recorded is None else recorded[1]


def _base(entry: Entry) -> Entry:
    """Return the BERT under a classifier."""
    from embeddings.shelf.loading import classifier_base  # torch: seconds

    return classifier_base(entry)


@cached(2)
def _classifier(entry: Entry, base: Entry) -> Classifier:
    from embeddings.probing.label_prediction import open_classifier

    shelf_models.note_opening(entry)
    return open_classifier(entry.path, base.path, entry.name)


@cached(256, is_heavy=True)
def _predicted(entry: Entry, base: Entry, text: str) -> Prediction:
    from embeddings.probing.label_prediction import predict

    return predict(_classifier(entry, base), [text])[0]


@cached(64, is_heavy=True)
def _attributed(entry: Entry, base: Entry, text: str, label: str) -> Attribution:
    from embeddings.probing.attribution import attribute

    return attribute(_classifier(entry, base), text, label)


@cached(24, is_heavy=True)
def _ablated(
    entry: Entry, base: Entry, text: str, parts: Parts, replacement: Replacement
) -> ClassAblation:
    from embeddings.probing.ablated_answers import ablate_class

    return ablate_class(_classifier(entry, base), text, parts, replacement)


@cached(24, is_heavy=True)
def _head_effects(entry: Entry, base: Entry, text: str, replacement: Replacement) -> HeadEffects:
    from embeddings.probing.ablated_answers import class_head_effects

    return class_head_effects(_classifier(entry, base), text, replacement)
