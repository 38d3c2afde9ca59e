"""What models answer to association tests, computed on demand and kept."""

from __future__ import annotations

from app.answers import cached
from app.loaders import shelf_models
from embeddings.analysis.association import association_test
from embeddings.results.vector_answers import AssociationSets, AssociationTest
from embeddings.shelf import Entry


@cached(64, keys={AssociationSets: repr}, is_heavy=True)
def answer(entry: Entry, sets: AssociationSets) -> AssociationTest:
    """Return what a model answers."""
    return association_test(shelf_models.vectors(entry), sets)
