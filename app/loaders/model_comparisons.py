"""Two static models compared: one is rotated onto the other, and words that differ are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from embeddings.results.vector_answers import ComparedWord, Comparison
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.analysis.model_comparison import Alignment


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
