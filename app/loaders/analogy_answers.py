"""Formulas solved by a model, and kept: a page is drawn many times with the same formula."""

from __future__ import annotations

from functools import partial

from app.answers import cached
from app.loaders import shelf_models
from embeddings.analysis.analogies import solve
from embeddings.results import Analogy
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma


@cached(96)
def solved(entry: Entry, formula: str, method: str, include_inputs: bool, language: str) -> Analogy:
    """Return a model's answer; ``language`` is that of the lemmas under which forms are one answer, "" where they are not."""
    fold = partial(lemma, language=language) if language else False
    vectors = shelf_models.vectors(entry)
    return solve(vectors, formula, method=method, include_inputs=include_inputs, fold=fold)
