"""The only cached loaders: models, cards and scores, read once and shared by everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from embeddings.library import Entry

from embeddings import library

if TYPE_CHECKING:
    from embeddings.analysis.cooccurrence_ratios import CooccurrenceTable

    from embeddings.results import AnalogyScore
    from embeddings.vectors.table import Vectors


WARM = 100_000  # words up to which unit rows are held in memory


@st.cache_resource(ttl=30, show_spinner=False)
def shelf() -> tuple[Entry, ...]:
    """Return the static models on the shelf, looked at anew every half minute."""
    return tuple(entry for entry in library.shelf() if entry.kind == "static")


@st.cache_resource(max_entries=24, show_spinner=False)
def vectors(entry: Entry) -> Vectors:
    """Vectors of a model, with unit rows ready for search."""
    table = library.load_vectors(entry.path)
    if len(table) <= WARM:
        table.unit  # noqa: B018 - computed here, not in the first query
    return table


@st.cache_resource(max_entries=64, show_spinner=False)
def card(entry: Entry) -> dict[str, object]:
    """Card of a model."""
    return library.read_card(entry)


@st.cache_resource(max_entries=8, show_spinner=False)
def cooccurrence(entry: Entry) -> CooccurrenceTable:
    """Co-occurrence counts that a GloVe folder carries."""
    from embeddings.analysis.cooccurrence_ratios import load_cooccurrence

    return load_cooccurrence(entry.path)


@st.cache_resource(max_entries=64, show_spinner=False)
def analogy_score(entry: Entry, path: str) -> AnalogyScore:
    """Score of a model on an analogy set, computed on demand."""
    from pathlib import Path

    from embeddings.analysis.evaluation import evaluate_analogies

    return evaluate_analogies(vectors(entry), Path(path))


def has_cooccurrence(entry: Entry) -> bool:
    """Whether a model's folder carries its counts."""
    return (entry.path / "cooccurrence.safetensors").exists()


@st.cache_resource(show_spinner=False)
def analogy_set(language: str) -> str | None:
    """Return the path of a language's analogy set; None where it is not installed."""
    found = library.analogy_set(language)
    return None if found is None else str(found)
