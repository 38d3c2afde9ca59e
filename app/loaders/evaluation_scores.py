"""Test sets of words that are installed, and how models score on them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from embeddings import shelf
from embeddings.analysis.vector_answers import ModelScore
from embeddings.errors import FormatError
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.analysis.vector_answers import AnalogyScore

ANALOGIES = {
    "en": ("questions-words.txt",),
    "de": ("semantic_bm.questions", "syntactic.questions"),
}
SIMILARITY = {
    "en": ("EN-WS-353-ALL.txt", "EN-SIMLEX-999.txt"),
    "ru": ("wordsim353-russian.txt", "simlex-russian.txt"),
    "de": ("wordsim353-german.txt", "simlex-german.txt"),
}
OWN_QUESTIONS = "questions.txt"  # what a file that a person brought is called


def analogy_set(language: str) -> tuple[Path, ...]:
    """Return the files of a language's analogy set; nothing where it is not installed.

    Russian is the project's own, German and English may be fetched: ``klyuch corpus get analogies-en``.
    """
    if language == "ru":
        return _present(shelf.data() / "analogies" / "ru.txt")
    return _installed(f"analogies-{language}", ANALOGIES.get(language, ()))


def similarity_sets(language: str) -> tuple[Path, ...]:
    """Return the files of a language's sets of judged pairs; nothing where they are not installed."""
    return _installed(f"similarity-{language}", SIMILARITY.get(language, ()))


def installed_sets(language: str) -> dict[str, Path]:
    """Return the files of a language's test sets that are here, by name."""
    return {path.name: path for path in (*analogy_set(language), *similarity_sets(language))}


def _installed(folder: str, names: Sequence[str]) -> tuple[Path, ...]:
    """Return the files of a fetched folder or of the mirror that has all of them."""
    mirror = os.environ.get("KLYUCH_MIRROR")
    roots = [*shelf.home().glob(f"*/{folder}")]
    roots += [Path(mirror) / "evaluation" / folder.replace("-", "_")] if mirror else []
    candidates = (_present(*(root / name for name in names)) for root in roots)
    return next((files for files in candidates if files), ())


def _present(*files: Path) -> tuple[Path, ...]:
    """Return the files if all are there."""
    return files if files and all(file.is_file() for file in files) else ()


@cached(64, is_heavy=True)
def analogy_score(entry: Entry, paths: tuple[Path, ...]) -> AnalogyScore:
    """Return the score of a model on analogy sets taken together, computed on demand."""
    from embeddings.analysis.evaluation import combine, evaluate_analogies

    return combine([evaluate_analogies(shelf_models.vectors(entry), path) for path in paths])


@cached(16, is_heavy=True)
def own_analogy_score(entry: Entry, content: bytes) -> AnalogyScore:
    """Return the score of a model on questions that a person brought."""
    from embeddings.analysis.evaluation import evaluate_analogies

    with TemporaryDirectory(prefix="klyuch-questions-") as folder:
        path = Path(folder) / OWN_QUESTIONS
        path.write_bytes(content)
        try:
            return evaluate_analogies(shelf_models.vectors(entry), path)
        except FormatError as error:  # the file as the person knows it, not the copy
            error.fields["path"] = OWN_QUESTIONS
            raise


@cached(64, is_heavy=True)
def set_score(entry: Entry, path: Path) -> ModelScore:
    """Return the score of a model on one test set, of pairs or of analogies, computed on demand."""
    from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs

    vectors, about = (
        shelf_models.vectors(entry),
        (entry.name, entry.kind, entry.method, entry.language),
    )
    if path.name in {name for names in SIMILARITY.values() for name in names}:
        pairs = evaluate_pairs(vectors, path)
        return ModelScore(*about, path.name, "spearman", pairs.spearman, pairs.covered, pairs.total)
    score = evaluate_analogies(vectors, path)
    return ModelScore(*about, path.name, "accuracy", score.accuracy, score.covered, score.total)


def recorded_categories(entry: Entry, name: str) -> AnalogyScore | None:
    """Return the score of a test set by category, as a model's card brings it; None where it does not."""
    from embeddings.analysis.vector_answers import AnalogyScore, SectionScore

    scores = shelf_models.card(entry).get("scores")
    score = scores.get(name) if isinstance(scores, dict) else None
    if not isinstance(score, dict):
        return None
    try:
        sections = tuple(SectionScore(**section) for section in score["sections"].values())
        return AnalogyScore(score["accuracy"], score["covered"], score["total"], sections)
    except (AttributeError, KeyError, TypeError):  # of no known shape
        return None


@cached(64)
def recorded_scores(entry: Entry) -> dict[str, ModelScore]:
    """Return the scores that a model's card brings, by test set."""
    return {score.test_set: score for score in shelf.model_scores([entry]) if score.test_set}
