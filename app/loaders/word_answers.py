"""What static models answer about words, computed on demand and kept: senses, maps, changes, sentences, scores on test sets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from app.answers import cached
from app.loaders import context_answers, shelf_models
from embeddings import shelf
from embeddings.analysis.projection import project
from embeddings.analysis.shared_contexts import shared_contexts
from embeddings.analysis.umap_process import umap_apart
from embeddings.analysis.vector_answers import (
    AnalogyScore,
    ComparedWord,
    Comparison,
    ModelScore,
    Projection,
    SectionScore,
    SharedContexts,
)
from embeddings.corpora.concordance_search import text_language
from embeddings.corpora.sense_contexts import evident_language
from embeddings.corpora.text_files import paragraphs, text_files
from embeddings.errors import FormatError, KlyuchError
from embeddings.shelf import Entry
from embeddings.shelf.change_reports import report_language
from embeddings.shelf.locations import concordances_of

if TYPE_CHECKING:
    from embeddings.analysis.model_comparison import Alignment


SNIFFED_PARAGRAPHS = 50  # of a corpus: enough function words


def shared(entry: Entry, first: str, second: str) -> SharedContexts:
    """Return the contexts that make two words near in a model."""
    return _shared(entry, shelf_models.holder_of_contexts(entry), first, second)


@cached(256)
def _shared(entry: Entry, _: Entry | None, first: str, second: str) -> SharedContexts:
    """Return the same, kept under the state of the model that holds the contexts too."""
    vectors = shelf_models.vectors(entry)
    return shared_contexts(shelf_models.contexts(entry), first, second, vectors=vectors)


@cached(128)
def placed_by_pca(
    entry: Entry, words: tuple[str, ...], dimensions: int, standardize: bool
) -> Projection:
    """Return the principal components of words."""
    vectors = shelf_models.vectors_with_senses(entry, words)
    return project(vectors, words, method="pca", dimensions=dimensions, standardize=standardize)


NEAR = 0.2  # least cosine of a sentence and its sense: a meaning that the corpus lacks lies far from all
AHEAD = 0.1  # by which the sense must be nearer than the next: else the meaning may lie between two


def sense_sentences(entry: Entry, language: str, word: str) -> dict[str, tuple[str, ...]]:
    """Return sentences of each sense of a word: those that the model keeps, and the project's own that the model clearly assigns."""
    kept = {s.word: list(s.examples) for s in shelf_models.vectors(entry).senses_of(word)}
    for sense, text in _assigned(entry, language, word):
        kept[sense].append(text)
    return {sense: tuple(texts) for sense, texts in kept.items()}


@cached(64)
def _assigned(entry: Entry, language: str, word: str) -> tuple[tuple[str, str], ...]:
    from embeddings.analysis.sense_grouping import assign_senses

    own = [c for c in context_answers.shipped(language) if c.word.lower() == word.lower()]
    assigned = assign_senses(shelf_models.vectors(entry), own, language, NEAR, AHEAD)
    pairs = zip(assigned, own, strict=True)
    return tuple((sense, context.text) for sense, context in pairs if sense is not None)


@cached(12)
def alignment(first: Entry, second: Entry) -> Alignment:
    """Return one model rotated onto another over their common words."""
    from embeddings.analysis.model_comparison import align

    return align(shelf_models.vectors(first), shelf_models.vectors(second))


@cached(128, is_heavy=True)
def comparison(first: Entry, second: Entry, words: tuple[str, ...], topn: int) -> Comparison:
    """Return how far two models agree on some words."""
    from embeddings.analysis.model_comparison import compare

    return compare(alignment(first, second), words, topn)


@cached(64, is_heavy=True)
def moved_words(first: Entry, second: Entry, topn: int, among: int) -> tuple[ComparedWord, ...]:
    """Return the words that move most between two models."""
    from embeddings.analysis.model_comparison import most_moved

    return most_moved(alignment(first, second), topn=topn, among=among)


def in_language_first(language: str, corpora: Iterable[Path] = ()) -> dict[str, Path]:
    """Return the concordances for a language, and the folders of ``corpora`` that have none, by name.

    Those whose text is in the language come first, the user's own before what ships.
    """
    paths = {folder.name: folder for folder in corpora} | concordances_of(language)
    return dict(sorted(paths.items(), key=lambda item: _text_language(item[1]) != language))


@cached(64)
def _text_language(path: Path) -> str:
    """Return the language of a concordance, or of a folder's first text; "" where it cannot be read."""
    try:
        if path.is_dir():
            return evident_language(islice(paragraphs(text_files([path])[0]), SNIFFED_PARAGRAPHS))
        return text_language(shelf_models.concordance(path))
    except KlyuchError:  # the page says what is wrong once it is chosen
        return ""


DRAWN = 20_000  # words of a map; of more a random sample


@cached(3)
def vocabulary_map(entry: Entry) -> Projection:
    """Return all words of a model by PCA, the commonest first; of very many a sample that is drawn at random."""
    vectors = shelf_models.vectors(entry)
    rows: Sequence[int] = range(len(vectors))
    if len(vectors) > DRAWN:
        rows = sorted(np.random.default_rng(1).permutation(len(vectors))[:DRAWN].tolist())
    return project(vectors, [vectors.words[row] for row in rows])


@cached(32, is_heavy=True)
def arranged(entry: Entry, words: tuple[str, ...], method: str, dimensions: int) -> Projection:
    """Return a map of words by t-SNE or UMAP."""
    vectors = shelf_models.vectors(entry)
    return project(vectors, words, method=method, dimensions=dimensions, umap=umap_apart)


@cached(64)
def change_language(path: Path) -> str:
    """Return the language of a report's texts; "" where it is not recorded, or the report is damaged."""
    try:
        return report_language(path)
    except KlyuchError:  # the page says what is wrong once it is chosen
        return ""


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
