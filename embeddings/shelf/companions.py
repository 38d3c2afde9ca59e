"""Which static model is used next to a network: one rule for the pages and the command line."""

from __future__ import annotations

from collections.abc import Iterable

from embeddings.shelf.entries import Entry
from embeddings.shelf.own_models import is_own

METHODS_IN_ORDER = ("lemmas", "skipgram", "cbow", "glove")  # the one that serves best first


def choose_companion(entries: Iterable[Entry], language: str) -> Entry | None:
    """Return the static model of a language that is used next to a network: shipped before own, by method, by name."""
    order = {method: rank for rank, method in enumerate(METHODS_IN_ORDER)}
    return min(
        (entry for entry in entries if entry.kind == "static" and entry.language == language),
        key=lambda e: (is_own(e), order.get(e.method, len(order)), e.name),
        default=None,
    )
