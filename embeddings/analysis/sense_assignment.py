"""Which sense of a static model's word a context has: the sense whose vector is nearest to where the context is placed.

A context is placed as in building (`embeddings.static.sense_clustering`): the mean of the vectors of the words around, weighted by
a / (a + p), through the map that the table of senses keeps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.corpora.corpus_answers import SurroundingWord
from embeddings.corpora.sense_contexts import Context, surroundings
from embeddings.errors import InputError
from embeddings.vectors.sense_table import SMOOTH
from embeddings.vectors.table import Vectors, normalize_rows

WINDOW = 10


def place_contexts(
    vectors: Vectors, contexts: Sequence[Sequence[SurroundingWord]], window: int = WINDOW
) -> NDArray[np.float32]:
    """Return where contexts lie in a model's space, unit rows of shape (contexts, vector_size); zeros where no word is known.

    Parameters
    ----------
    vectors : Vectors
        With senses; counts weigh the words; without counts, Zipf's law is used.
    contexts : sequence of sequence of SurroundingWord
        As `embeddings.corpora.sense_contexts.surroundings` gives them.
    window : int, default 10
        Words further away are left out.

    Raises
    ------
    InputError
        If the model has no senses.
    """
    if vectors.senses is None:
        raise InputError("senses_none", model=vectors.name)
    counts = vectors.counts
    if counts is None:
        counts = np.int64(1e9) // np.arange(1, len(vectors) + 1)
    total = float(counts.sum())
    means = np.zeros((len(contexts), vectors.vector_size + 1))
    for number, words in enumerate(contexts):
        near = (word.keys[-1] for word in words if word.distance <= window)
        rows = [row for spelled in near if (row := vectors.find(spelled)) is not None]
        if rows:
            weights = SMOOTH / (SMOOTH + counts[rows] / total)
            means[number, :-1] = weights @ vectors.unit_rows(rows) / weights.sum()
            means[number, -1] = 1
    placed: NDArray[np.float32] = normalize_rows(
        (means @ vectors.senses.transform).astype(np.float32)
    )
    return placed


def assign_senses(
    vectors: Vectors,
    contexts: Sequence[Context],
    language: str,
    near: float = -1.0,
    ahead: float = 0.0,
) -> tuple[str | None, ...]:
    """Return the sense of each context's word, ``bank#2``; None where the word has one sense, nothing around is known, or it is not clear.

    Parameters
    ----------
    vectors : Vectors
        With senses.
    contexts : sequence of Context
        Of one word or of many.
    language : str
        Theirs.
    near : float, default -1
        Least cosine of a context with its sense.
    ahead : float, default 0
        Least difference from its cosine with the next sense.

    Raises
    ------
    InputError
        If the model has no senses, or a context lacks its word.
    """
    placed = place_contexts(vectors, [surroundings(context, language) for context in contexts])
    assigned: list[str | None] = []
    for context, point in zip(contexts, placed, strict=True):
        senses = vectors.senses_of(context.word)
        if not senses or not point.any():
            assigned.append(None)
            continue
        cosines = vectors.rows_of([sense.word for sense in senses], unit=True) @ point
        second, best = np.sort(cosines)[-2:]
        clear = best >= near and best - second >= ahead
        assigned.append(senses[int(cosines.argmax())].word if clear else None)
    return tuple(assigned)
