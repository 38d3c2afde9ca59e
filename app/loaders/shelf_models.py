"""Cached loaders of models, cards and scores, read once and shared by everybody."""

from __future__ import annotations

import os
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from embeddings import shelf
from embeddings.results.vector_answers import ComparedWord, Comparison, SetScore
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings import Vectors
    from embeddings.analysis.cooccurrence_ratios import CooccurrenceTable
    from embeddings.analysis.model_comparison import Alignment
    from embeddings.probing.reader import Reader
    from embeddings.results import AnalogyScore
    from embeddings.results.shelf_states import ShelfModel
    from embeddings.results.trainings import Film, TextPreview


ANALOGIES = {
    "en": ("questions-words.txt",),
    "de": ("semantic_bm.questions", "syntactic.questions"),
}
SIMILARITY = {
    "en": ("EN-WS-353-ALL.txt", "EN-SIMLEX-999.txt"),
    "ru": ("wordsim353-russian.txt", "simlex-russian.txt"),
    "de": ("wordsim353-german.txt", "simlex-german.txt"),
}
WARM = 100_000  # words up to which unit rows are held in memory


@st.cache_resource(ttl=30, show_spinner=False)
def static_models() -> tuple[Entry, ...]:
    """Return the static models on the shelf, looked at anew every half minute.

    Those over lemmas serve sense induction alone: `companion`.
    """
    found = (entry for entry in shelf.list_models() if entry.kind == "static")
    return tuple(entry for entry in found if entry.method != "lemmas")


@st.cache_resource(ttl=30, show_spinner=False)
def companion(language: str) -> Entry | None:
    """Return the static model that stands beside a network of this language, the one over lemmas first."""
    entries = [e for e in shelf.list_models() if e.kind == "static" and e.language == language]
    order = {method: place for place, method in enumerate(("lemmas", "skipgram", "cbow", "glove"))}
    return min(entries, key=lambda e: (order.get(e.method, 9), e.name), default=None)


@st.cache_resource(ttl=30, show_spinner=False)
def networks() -> tuple[Entry, ...]:
    """Return the BERTs and ALBERTs on the shelf."""
    return tuple(entry for entry in shelf.list_models() if entry.kind == "network")


@st.cache_resource(ttl=30, show_spinner=False)
def translators() -> tuple[Entry, ...]:
    """Return the translation models on the shelf."""
    return tuple(entry for entry in shelf.list_models() if entry.kind == "translation")


@st.cache_resource(ttl=30, show_spinner=False)
def classifiers() -> tuple[Entry, ...]:
    """Return the classifiers on the shelf."""
    return tuple(entry for entry in shelf.list_models() if entry.kind == "classifier")


@st.cache_resource(ttl=30, show_spinner=False)
def all_models() -> tuple[ShelfModel, ...]:
    """Return all models on the shelf, of every kind, with what their cards say."""
    return shelf.shelf_models()


@st.cache_resource(max_entries=3, show_spinner=False)
def reader(entry: Entry) -> Reader:
    """Return a network with its tokenizer."""
    from embeddings.probing.reader import open_reader  # torch: seconds, and only for these pages

    return open_reader(entry.path, entry.name)


@st.cache_resource(max_entries=24, show_spinner=False)
def vectors(entry: Entry) -> Vectors:
    """Vectors of a model, with unit rows ready for search."""
    table = shelf.load_vectors(entry.path)
    if len(table) <= WARM:
        table.unit  # noqa: B018 - computed here, not in the first query
    return table


@st.cache_resource(max_entries=64, show_spinner=False)
def card(entry: Entry) -> dict[str, object]:
    """Card of a model."""
    return shelf.read_card(entry)


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


@st.cache_resource(max_entries=12, show_spinner=False)
def alignment(first: Entry, second: Entry) -> Alignment:
    """One model rotated onto another over their common words."""
    from embeddings.analysis.model_comparison import align

    return align(vectors(first), vectors(second))


@st.cache_resource(max_entries=128, show_spinner=False)
def comparison(first: Entry, second: Entry, words: tuple[str, ...], topn: int) -> Comparison:
    """Agreement of two models on some words."""
    from embeddings.analysis.model_comparison import compare

    return compare(alignment(first, second), words, topn)


@st.cache_resource(max_entries=64, show_spinner=False)
def moved(first: Entry, second: Entry, topn: int, among: int) -> tuple[ComparedWord, ...]:
    """Words that move most between two models."""
    from embeddings.analysis.model_comparison import most_moved

    return most_moved(alignment(first, second), topn=topn, among=among)


@st.cache_resource(max_entries=64, show_spinner=False)
def set_score(entry: Entry, path: Path) -> SetScore:
    """Score of a model on one test set, of pairs or of analogies, computed on demand."""
    from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs

    if path in similarity_sets(entry.language):
        pairs = evaluate_pairs(vectors(entry), path)
        return SetScore(path.name, "spearman", pairs.spearman, pairs.covered, pairs.total)
    found = evaluate_analogies(vectors(entry), path)
    return SetScore(path.name, "accuracy", found.accuracy, found.covered, found.total)


def recorded_scores(entry: Entry) -> dict[str, SetScore]:
    """Return the scores that a model's card brings, by test set."""
    scores = card(entry).get("scores")
    found: dict[str, SetScore] = {}
    for name, score in scores.items() if isinstance(scores, dict) else ():
        for measure in ("accuracy", "spearman"):
            if isinstance(score, dict) and measure in score:
                size = (int(score.get("covered", 0)), int(score.get("total", 0)))
                value = score[measure]
                found[name] = SetScore(name, measure, nan if value is None else value, *size)
    return found


@st.cache_resource(max_entries=8, show_spinner=False)
def text_preview(files: tuple[Path, ...], changed: tuple[int, ...]) -> TextPreview:  # noqa: ARG001
    """Words of a text, counted; ``changed`` are the files' times."""
    from embeddings.corpora.word_counts import preview  # numba: a second, and only for this

    return preview(files)


@st.cache_resource(max_entries=4, show_spinner=False)
def learned(job_id: str, changed: int) -> tuple[Vectors, int] | None:  # noqa: ARG001
    """Vectors of a job's training so far, with the passes done."""
    from embeddings.jobs import learned_vectors as found
    from embeddings.jobs.job_folder import find_job

    return found.learned(find_job(job_id))


@st.cache_resource(max_entries=8, show_spinner=False)
def film(job_id: str, changed: int, words: tuple[str, ...]) -> Film:  # noqa: ARG001
    """The film of a job's training."""
    from embeddings.jobs import learned_vectors as found
    from embeddings.jobs.job_folder import find_job

    return found.film(find_job(job_id), words)


def has_cooccurrence(entry: Entry) -> bool:
    """Whether a model's folder carries its counts."""
    return (entry.path / "cooccurrence.safetensors").exists()


def analogy_set(language: str) -> tuple[Path, ...]:
    """Return the files of a language's analogy set; nothing where it is not installed.

    Russian is the project's own, German and English may be fetched: ``klyuch corpus get analogies-en``.
    """
    if language == "ru":
        return _present(shelf.data() / "analogies" / "ru.txt")
    names = ANALOGIES.get(language, ())
    mirror = os.environ.get("KLYUCH_MIRROR")
    roots = [*shelf.home().glob(f"*/analogies-{language}")]
    roots += [Path(mirror) / "evaluation" / f"analogies_{language}"] if mirror else []
    found = (_present(*(root / name for name in names)) for root in roots)
    return next((files for files in found if files), ())


def similarity_sets(language: str) -> tuple[Path, ...]:
    """Return the files of a language's sets of judged pairs; nothing where they are not installed."""
    mirror = os.environ.get("KLYUCH_MIRROR")
    roots = [*shelf.home().glob(f"*/similarity-{language}")]
    roots += [Path(mirror) / "evaluation" / f"similarity_{language}"] if mirror else []
    names = SIMILARITY.get(language, ())
    return next((found for root in roots if (found := _present(*(root / n for n in names)))), ())


def _present(*files: Path) -> tuple[Path, ...]:
    """Return the files if all are there."""
    return files if files and all(file.is_file() for file in files) else ()


OF_THE_SHELF = (
    *(static_models, companion, networks, translators, classifiers, all_models, reader, vectors),
    *(card, cooccurrence, analogy_score, alignment, comparison, moved, set_score),
)
