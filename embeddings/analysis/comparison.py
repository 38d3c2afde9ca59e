"""How far two models agree on words: shared neighbours, movement, correlation of similarities.

Decisions: neighbours are looked for among the words that both models know alone, so that no model
can name a word that the other has never heard of; overlap is the Jaccard index of the two sets of
``topn`` nearest words by cosine, as trained; movement is told by `embeddings.analysis.alignment`;
similarities agree as far as the cosines of all pairs of the words stand in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.alignment import Alignment
from embeddings.analysis.evaluation import spearman
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.results.compare import ComparedWord, Comparison


def compare(alignment: Alignment, words: Sequence[str], topn: int = 10) -> Comparison:
    """Compare the neighbourhoods and the places of ``words`` in the two models.

    Parameters
    ----------
    alignment : Alignment
    words : sequence of str
        In any case if a model is lower-cased; those that not both models know are ``missing``.
    topn : int, default 10
        Size of a neighbourhood.

    Returns
    -------
    Comparison
        Its words in the order given.

    Raises
    ------
    InputError
        If no word is common, or ``topn`` is less than 1.
    """
    check_range("topn", topn, 1, np.inf)
    found = {word: alignment.find(word) for word in dict.fromkeys(words)}
    places = list(dict.fromkeys(place for place in found.values() if place is not None))
    if not places:
        raise InputError("compare_words", words=", ".join(found) or "–")
    compared = _words(alignment, places, topn)
    return Comparison(
        first=alignment.first.name,
        second=alignment.second.name,
        topn=topn,
        common=len(alignment.words),
        dimensions=(alignment.first.vector_size, alignment.second.vector_size),
        overlap=float(np.mean([word.overlap for word in compared])),
        procrustes_error=alignment.error,
        spearman=_agreement(alignment, places),
        words=compared,
        missing=tuple(word for word, place in found.items() if place is None),
    )


def most_moved(
    alignment: Alignment, words: int = 20, topn: int = 10, among: int = 2_000
) -> tuple[ComparedWord, ...]:
    """Return the words of the largest movement, falling, among the ``among`` commonest."""
    movement = alignment.movement[:among]
    places = np.argsort(-movement, kind="stable")[:words]
    return _words(alignment, [int(place) for place in places], topn)


def _words(alignment: Alignment, places: list[int], topn: int) -> tuple[ComparedWord, ...]:
    """Compare the two neighbourhoods of each place."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(
        1, user_api="blas"
    ):  # on a busy machine two threads take ten times as long
        first, second = (_nearest(unit, places, topn) for unit in alignment.units)
    return tuple(
        _word(alignment, place, a, b) for place, a, b in zip(places, first, second, strict=True)
    )


def _word(
    alignment: Alignment, place: int, first: NDArray[np.int64], second: NDArray[np.int64]
) -> ComparedWord:
    """Name the neighbours of one word: shared, the first model's alone, the second's alone."""
    names, own, other = alignment.words, first.tolist(), second.tolist()
    shared = [near for near in own if near in other]
    union = len(own) + len(other) - len(shared)
    return ComparedWord(
        word=names[place],
        overlap=len(shared) / union,
        movement=float(alignment.movement[place]),
        shared=tuple(names[near] for near in shared),
        first_only=tuple(names[near] for near in own if near not in shared),
        second_only=tuple(names[near] for near in other if near not in shared),
    )


def _nearest(unit: NDArray[np.float32], places: list[int], topn: int) -> list[NDArray[np.int64]]:
    """Places of the ``topn`` nearest to each of ``places``, itself excluded, by falling cosine."""
    most, found = min(topn, len(unit) - 1), []
    for start in range(0, len(places), 64):  # 64 x 30 000 cosines are 8 MB
        block = places[start : start + 64]
        cosines = unit[block] @ unit.T
        cosines[np.arange(len(block)), block] = -np.inf
        for line in cosines:
            nearest = np.argpartition(-line, most - 1)[:most]
            found.append(nearest[np.argsort(-line[nearest], kind="stable")])
    return found


def _agreement(alignment: Alignment, places: list[int]) -> float:
    """Spearman's correlation of the two models' cosines over all pairs of the words."""
    upper = np.triu_indices(len(places), 1)
    first, second = ((unit[places] @ unit[places].T)[upper] for unit in alignment.units)
    return spearman(first, second)
