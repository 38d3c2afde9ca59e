"""What static models answer on words, kept: neighbours, the contexts that two words share, the words on a map by PCA."""

from __future__ import annotations

from functools import partial

from app.answers import cached
from app.loaders import shelf_models
from embeddings.analysis.projection import project
from embeddings.analysis.shared_contexts import shared_contexts
from embeddings.analysis.similarity import Filters, neighbours
from embeddings.results import Neighbour, Projection
from embeddings.results.vector_answers import SharedContexts
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma


@cached(2048)
def near(  # noqa: PLR0913 - the page's filters
    entry: Entry,
    word: str,
    topn: int,
    pattern: str = "",
    min_count: int = 0,
    language: str = "",
    approximate: bool = False,
) -> tuple[Neighbour, ...]:
    """Return the neighbours of a word; ``language`` is that of the lemmas under which forms are one, "" where they are not."""
    filters = Filters(pattern=pattern, min_count=min_count)
    if language:
        filters["fold"] = partial(lemma, language=language)
    vectors = shelf_models.vectors(entry)
    return neighbours(vectors, word, topn, approximate=approximate, **filters)


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
    entry: Entry, words: tuple[str, ...], dimensions: int, standardize: bool, on_all: bool
) -> Projection:
    """Return the principal components of words, fitted on them or on all words of the model."""
    vectors = shelf_models.vectors(entry)
    return project(
        shelf_models.vectors_with_senses(entry, words),
        words,
        method="pca",
        dimensions=dimensions,
        standardize=standardize,
        fit_on=vectors.words if on_all else None,
    )
