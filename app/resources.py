"""The only cached loaders: models, cards and scores, read once and shared by everybody."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from embeddings import library
from embeddings.library import Entry

if TYPE_CHECKING:
    from embeddings import Vectors
    from embeddings.analysis.cooccurrence_ratios import CooccurrenceTable
    from embeddings.probing.reader import Reader
    from embeddings.results import AnalogyScore


ANALOGIES = {
    "en": ("questions-words.txt",),
    "de": ("semantic_bm.questions", "syntactic.questions"),
}
WARM = 100_000  # words up to which unit rows are held in memory


@st.cache_resource(ttl=30, show_spinner=False)
def shelf() -> tuple[Entry, ...]:
    """Return the static models on the shelf, looked at anew every half minute."""
    return tuple(entry for entry in library.shelf() if entry.kind == "static")


@st.cache_resource(ttl=30, show_spinner=False)
def networks() -> tuple[Entry, ...]:
    """Return the BERTs and ALBERTs on the shelf."""
    return tuple(entry for entry in library.shelf() if entry.kind == "network")


@st.cache_resource(max_entries=3, show_spinner=False)
def reader(entry: Entry) -> Reader:
    """Return a network with its tokenizer."""
    from embeddings.probing.reader import open_reader  # torch: seconds, and only for these pages

    return open_reader(entry.path, entry.name)


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
def analogy_score(entry: Entry, paths: tuple[Path, ...]) -> AnalogyScore:
    """Score of a model on analogy sets taken together, computed on demand."""
    from embeddings.analysis.evaluation import combine, evaluate_analogies

    return combine([evaluate_analogies(vectors(entry), path) for path in paths])


def has_cooccurrence(entry: Entry) -> bool:
    """Whether a model's folder carries its counts."""
    return (entry.path / "cooccurrence.safetensors").exists()


def analogy_set(language: str) -> tuple[Path, ...]:
    """Return the files of a language's analogy set; nothing where it is not installed.

    Russian is the project's own, English comes with gensim, German and English may be fetched.
    """
    if language == "ru":
        return _present(library.data() / "analogies" / "ru.txt")
    names = ANALOGIES.get(language, ())
    mirror = os.environ.get("KLYUCH_MIRROR")
    roots = [*library.home().glob(f"*/analogies-{language}")]
    roots += [Path(mirror) / "evaluation" / f"analogies_{language}"] if mirror else []
    gensim = find_spec("gensim") if language == "en" else None  # found, not imported
    if gensim is not None and gensim.origin:
        roots.append(Path(gensim.origin).parent / "test" / "test_data")
    found = (_present(*(root / name for name in names)) for root in roots)
    return next((files for files in found if files), ())


def _present(*files: Path) -> tuple[Path, ...]:
    """Return the files if all are there."""
    return files if files and all(file.is_file() for file in files) else ()
