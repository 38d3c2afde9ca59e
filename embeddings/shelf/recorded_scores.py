"""Scores that a model's card records; values of an unknown shape are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from embeddings.results.predictions import Confusion


def recorded_confusions(card: Mapping[str, object], labels: Sequence[str]) -> dict[str, Confusion]:
    """Return the confusion tables of a classifier with these labels, by test set."""
    names, scores = tuple(labels), card.get("scores")
    by_set = {}
    for test_set, score in scores.items() if isinstance(scores, Mapping) else ():
        try:
            counts = np.array(score["confusion"], np.int64)
        except (KeyError, TypeError, ValueError):
            continue
        if counts.shape == (len(names), len(names)):
            by_set[str(test_set)] = Confusion(names, counts)
    return by_set
