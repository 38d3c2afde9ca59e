"""A word's contexts on a map, layer by layer, and in the order of their senses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.pca import PCA
from embeddings.errors import InputError
from embeddings.results.context_map import ContextMap

LEAST = 3  # contexts that make a map


def context_maps(
    states: NDArray[np.floating], rows: Sequence[int] | None = None
) -> tuple[ContextMap, ...]:
    """Return a map of every layer by PCA of the contexts alone, centred and not standardised.

    The sign of a component is free: each is turned so that it agrees with the layer below, and the
    map does not flip from layer to layer.

    Parameters
    ----------
    states : NDArray, shape (contexts, layers + 1, hidden_size)
    rows : sequence of int, optional
        The contexts that the axes are fitted on, all if left out or fewer than three; the others are projected.

    Raises
    ------
    InputError
        If there are fewer than three contexts.
    """
    if len(states) < LEAST:
        raise InputError("contexts_map_few", found=len(states), least=LEAST)
    if rows is None or len(rows) < LEAST:
        rows = range(len(states))
    maps: list[ContextMap] = []
    for layer in range(states.shape[1]):
        found = _map_of(np.asarray(states[:, layer], np.float64), list(rows))
        if maps:
            agree = (found.coordinates * maps[-1].coordinates).sum(axis=0) >= 0
            turned = found.coordinates * np.where(agree, 1.0, -1.0)
            found = ContextMap(turned, found.explained_variance_ratio)
        maps.append(found)
    return tuple(maps)


def _map_of(vectors: NDArray[np.float64], fitted: list[int]) -> ContextMap:
    """Principal components of one layer, of the contexts ``fitted``, in units of their mean length."""
    length = float(np.linalg.norm(vectors[fitted], axis=1).mean()) or 1.0
    centred = (vectors - vectors[fitted].mean(axis=0)) / length
    if centred.shape[1] > len(vectors):  # the same distances in as many columns as there are rows
        centred = np.asarray(np.linalg.qr(centred.T)[1]).T
    pca = PCA(2, standardize=False).fit(centred[fitted])
    return ContextMap(
        np.asarray(pca.transform(centred), np.float64),
        tuple(float(share) for share in pca.explained_variance_ratio_),
    )


def by_group(similarities: NDArray[np.floating], groups: Sequence[object]) -> list[int]:
    """Return rows ordered by group, the largest group first, in each the most typical row first."""
    names = list(dict.fromkeys(groups))
    members = {name: [row for row, own in enumerate(groups) if own == name] for name in names}
    order = []
    for name in sorted(names, key=lambda name: -len(members[name])):
        rows = members[name]
        typical = np.asarray(similarities)[np.ix_(rows, rows)].mean(axis=1)
        order += [rows[place] for place in np.argsort(-typical, kind="stable")]
    return order
