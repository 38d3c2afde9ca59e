"""How far the senses of a word lie apart, layer by layer, next to what random words have in common, so that no cosine stands alone.

The vectors of a layer share a large common part: two random words can have a cosine of 0.9. So next to every cosine
stand, for layer l with u = x / |x|,

- the baseline  b_l = mean of cos(x_i, x_j) over all pairs of words i, j from different sentences,
- the centred cosine  cos(x - m_l, y - m_l), with m_l the mean vector of the layer, and its own baseline.

The baseline is that of Ethayarajh (2019), section 3. A network reads the random words in `embeddings.probing.context_states`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from embeddings.analysis.context_answers import Baseline, LikenessMatrix, Separation
from embeddings.analysis.number_of_groups import silhouette
from embeddings.arrays import Float32s, Float64s, Ints
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.vectors.vector_rows import normalize_rows


def baseline_of(states: Float32s, owners: Sequence[int]) -> Baseline:
    """Compare vectors of random words, shape (words, layers + 1, H), in pairs from different sentences ``owners``, numbered from 0."""
    mean = states.mean(0, dtype=np.float64).astype(np.float32)
    numbers = np.array(owners)
    plain, centred = (_within_between(_units(each), numbers) for each in (states, states - mean))
    return Baseline(plain[:, 1], centred[:, 1], mean, len(states), int(numbers.max()) + 1)


def likeness_matrix(states: Float32s, layer: int, base: Baseline) -> LikenessMatrix:
    """Compare all occurrences, shape (n, layers + 1, H), with each other at one layer."""
    check_range("layer", layer, 0, states.shape[1] - 1)
    plain = normalize_rows(states[:, layer])
    centred = normalize_rows(states[:, layer] - base.mean[layer])
    return LikenessMatrix(
        layer,
        plain @ plain.T,
        float(base.cosine[layer]),
        centred @ centred.T,
        float(base.centred[layer]),
    )


def separation(
    states: Float32s,
    labels: Sequence[str] | Sequence[int],
    base: Baseline,
) -> Separation:
    """Measure how far labelled occurrences of a word lie apart at each layer.

    within = mean cos over pairs of one sense; between = mean cos over pairs of two senses;
    silhouette = that of `embeddings.analysis.number_of_groups.silhouette`, on centred vectors; NaN with fewer than two senses.

    Parameters
    ----------
    states : NDArray of float32, shape (n, layers + 1, hidden_size)
        n occurrences.
    labels : sequence, length n
        The sense of each.
    base : Baseline
        Of the same network.

    Raises
    ------
    InputError
        If there are not as many labels as occurrences.
    """
    if len(labels) != len(states):
        raise InputError("separation_labels", labels=len(labels), rows=len(states))
    senses = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)[1]
    shifted = list(_units(states - base.mean))
    plain, centred = (_within_between(units, senses) for units in (_units(states), shifted))
    scores = np.array([silhouette(layer, senses) for layer in shifted])
    if not senses.any():  # one sense alone lies apart from nothing
        scores[:] = np.nan
    past = scores[1:]  # layer 0 knows the form and the place of a word, not its company
    best = 1 + int(np.nanargmax(past)) if np.isfinite(past).any() else len(past)
    return Separation(
        plain[:, 0],
        plain[:, 1],
        base.cosine,
        centred[:, 0],
        centred[:, 1],
        base.centred,
        scores,
        best,
    )


def _units(states: Float32s) -> Iterator[Float32s]:
    """Yield unit rows of each layer, one after the other to save memory: (words, layers + 1, H) -> layers + 1 times (words, H)."""
    return map(normalize_rows, states.swapaxes(0, 1))


def _within_between(layers: Iterable[Float32s], owners: Ints) -> Float64s:
    """Mean cosine of pairs with one owner and of pairs with two, at every layer, (layers + 1, 2); NaN where there is none.

    sum over i != j of u_i . u_j = |sum u_i|^2 - sum |u_i|^2, for all and for each owner.
    """
    sizes = np.bincount(owners).astype(np.float64)
    within_pairs = float((sizes * (sizes - 1)).sum())
    pairs = np.array([within_pairs, len(owners) * (len(owners) - 1) - within_pairs])
    means = []
    for units in layers:
        sums = np.zeros((len(sizes), units.shape[1]))
        np.add.at(sums, owners, units)
        squares = float(np.sum(np.square(units, dtype=np.float64)))
        within = float(np.square(sums).sum()) - squares
        total = np.array([within, float(np.square(sums.sum(0)).sum()) - squares - within])
        means.append(np.divide(total, pairs, out=np.full(2, np.nan), where=pairs > 0))
    return np.array(means)
