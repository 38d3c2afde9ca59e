"""Questions to vectors that need what is stored next to their model: the contexts of its corpus, its counts, its other trainings.

Each takes opened data as its last argument; without it, the data of the model on the shelf is opened.
"""

from __future__ import annotations

from collections.abc import Sequence

from embeddings.analysis import cooccurrence_ratios, stability
from embeddings.analysis.comparison_answers import NeighbourSpreads, RunRange
from embeddings.analysis.shared_contexts import shared_contexts
from embeddings.analysis.vector_answers import Analogy, AssociationTest, Ratios, SharedContexts
from embeddings.errors import InputError
from embeddings.shelf.entries import Entry, find
from embeddings.shelf.loading import find_spread, open_contexts
from embeddings.vectors.context_table import ContextTable
from embeddings.vectors.cooccurrence_table import CooccurrenceTable, load_cooccurrence
from embeddings.vectors.run_spread import RunSpread, load_spread
from embeddings.vectors.table import Vectors


def why_near(
    vectors: Vectors,
    first: str,
    second: str,
    topn: int = 15,
    *,
    contexts: ContextTable | None = None,
) -> SharedContexts:
    """Return the contexts that make two words near, as `embeddings.analysis.shared_contexts.shared_contexts`.

    Raises
    ------
    MissingFileError
        If the contexts of the model's corpus are not stored; the message names the command that counts them.
    UnknownWordError
        If a word has no contexts or no vector.
    """
    table = open_contexts(_entry(vectors)) if contexts is None else contexts
    return shared_contexts(table, first, second, topn, vectors)


def ratios(
    vectors: Vectors,
    first: str,
    second: str,
    probes: Sequence[str],
    *,
    counts: CooccurrenceTable | None = None,
) -> Ratios:
    """Return how often each probe stands near either word, as `embeddings.analysis.cooccurrence_ratios.ratios`.

    Raises
    ------
    MissingFileError
        If the model stores no counts: only GloVe models have them.
    UnknownWordError
        If a word was not counted.
    """
    table = load_cooccurrence(_entry(vectors).path) if counts is None else counts
    return cooccurrence_ratios.ratios(table, first, second, probes)


def reliability(
    vectors: Vectors,
    asked: str | Analogy,
    neighbours: Sequence[str] | None = None,
    *,
    spread: RunSpread | None = None,
) -> NeighbourSpreads:
    """Return the ranges of neighbours, or of the answers to a formula, over several trainings of the model.

    Parameters
    ----------
    vectors : Vectors
    asked : str or Analogy
        A word, or what `Vectors.analogy` answered.
    neighbours : sequence of str, optional
        Neighbours of the word whose order is judged; without it all that are stored.
    spread : RunSpread, optional
        The trainings.

    Raises
    ------
    MissingFileError
        If the model was trained only once; the message names the command that trains it again.
    InputError
        If nothing is stored of a word.
    """
    runs = _spread(vectors) if spread is None else spread
    if isinstance(asked, Analogy):
        return stability.answer_spreads(runs, asked)
    return stability.neighbour_spreads(runs, asked, neighbours)


def similarity_range(
    vectors: Vectors, first: str, second: str, *, spread: RunSpread | None = None
) -> RunRange | None:
    """Return the range of two words' cosine over several trainings; None where they are not stored. Raises as `reliability`."""
    return stability.cosine_range(_spread(vectors) if spread is None else spread, first, second)


def effect_size_range(
    vectors: Vectors, answer: AssociationTest, *, spread: RunSpread | None = None
) -> RunRange | None:
    """Return the range of an association test's effect size over several trainings. Returns None and raises as `similarity_range`."""
    return stability.effect_size_range(_spread(vectors) if spread is None else spread, answer)


def _spread(vectors: Vectors) -> RunSpread:
    """Open the trainings of a model."""
    entry = _entry(vectors)
    return load_spread(find_spread(entry) or entry.path)


def _entry(vectors: Vectors) -> Entry:
    """Return the model that vectors were opened from, else the one of their name; without either it is an `InputError`."""
    if not (vectors.path or vectors.name):
        raise InputError("vectors_unnamed")
    return find(vectors.path or vectors.name)
