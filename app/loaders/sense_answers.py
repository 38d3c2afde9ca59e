"""Cached answers on the senses that a static model keeps: sentences of each."""

from __future__ import annotations

from app.answers import cached
from app.loaders import context_answers, shelf_models
from embeddings.shelf import Entry

NEAR = 0.2  # least cosine of a sentence and its sense: a meaning that the corpus lacks lies far from all
AHEAD = 0.1  # by which the sense must be nearer than the next: else the meaning may lie between two


def sentences(entry: Entry, language: str, word: str) -> dict[str, tuple[str, ...]]:
    """Return sentences of each sense of a word: those that the model keeps, and the project's own that the model clearly assigns."""
    kept = {s.word: list(s.examples) for s in shelf_models.vectors(entry).senses_of(word)}
    for sense, text in _assigned(entry, language, word):
        kept[sense].append(text)
    return {sense: tuple(texts) for sense, texts in kept.items()}


@cached(64)
def _assigned(entry: Entry, language: str, word: str) -> tuple[tuple[str, str], ...]:
    from embeddings.analysis.sense_assignment import assign_senses

    own = [c for c in context_answers.shipped(language) if c.word.lower() == word.lower()]
    assigned = assign_senses(shelf_models.vectors(entry), own, language, NEAR, AHEAD)
    pairs = zip(assigned, own, strict=True)
    return tuple((sense, context.text) for sense, context in pairs if sense is not None)
