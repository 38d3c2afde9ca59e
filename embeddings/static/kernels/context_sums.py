"""Compiled loops over the contexts of words: a window of weighted rows slides over the text, so that its width costs nothing.

A row holds a word's weighted vector and, last, its weight, so that a sum of rows is a weighted mean once it is divided by its last
number.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

PER_STRETCH = 2  # uses of a word that are taken of one stretch of text: they mostly have one sense (Gale et al. 1992)


@njit(nogil=True, cache=True)
def add_context_sums(
    ids: NDArray[np.int32],
    bounds: NDArray[np.int64],
    rows: NDArray[np.float32],
    window: int,
    sums: NDArray[np.float64],
) -> None:
    """Add to each word's row of ``sums`` the rows of the words around each of its positions.

    Parameters
    ----------
    ids : NDArray of int32, shape (positions,)
    bounds : NDArray of int64, shape (paragraphs + 1,)
        Windows do not cross them.
    rows : NDArray of float32, shape (words, d)
        What a word adds to the contexts in which it occurs.
    window : int
        Words on either side.
    sums : NDArray of float64, shape (words, d)
        Changed in place.
    """
    running = np.zeros(rows.shape[1], np.float64)
    for paragraph in range(len(bounds) - 1):
        begin, end = bounds[paragraph], bounds[paragraph + 1]
        running[:] = 0.0
        for position in range(begin, min(begin + window, end)):
            running += rows[ids[position]]
        for position in range(begin, end):
            if position + window < end:
                running += rows[ids[position + window]]
            if position - window > begin:
                running -= rows[ids[position - window - 1]]
            sums[ids[position]] += running - rows[ids[position]]


@njit(nogil=True, cache=True)
def sample_positions(
    ids: NDArray[np.int32],
    stretches: NDArray[np.int64],
    rows: NDArray[np.int32],
    totals: NDArray[np.int64],
    quotas: NDArray[np.int64],
    samples: NDArray[np.int64],
    weights: NDArray[np.float32],
) -> NDArray[np.int64]:
    """Take positions of each group of words, few of one stretch, spread evenly over all; return how many each could have.

    Parameters
    ----------
    ids : NDArray of int32, shape (text,)
    stretches : NDArray of int64, shape (stretches + 1,)
        Position at which each begins, and the end.
    rows : NDArray of int32, shape (words,)
        Row in ``samples`` of each word; words of -1 are passed over.
    totals : NDArray of int64, shape (groups,)
        What an earlier call returned; zeros for the first.
    quotas : NDArray of int64, shape (groups,)
        Positions of each group to take, at most ``most``.
    samples : NDArray of int64, shape (groups, most)
        Filled with rising positions, as many as there are.
    weights : NDArray of float32, shape (groups, most)
        Filled with how many uses of its stretch each position stands for.
    """
    groups = len(totals)
    could, uses = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    taken, counted_in = np.zeros(groups, np.int64), np.full(groups, -1, np.int64)
    for stretch in range(len(stretches) - 1):
        for position in range(stretches[stretch], stretches[stretch + 1]):
            row = rows[ids[position]]
            if row >= 0:
                if counted_in[row] != stretch:
                    counted_in[row], uses[row], taken[row] = stretch, 0, 0
                uses[row] += 1
        for position in range(stretches[stretch], stretches[stretch + 1]):
            row = rows[ids[position]]
            if row < 0 or taken[row] == PER_STRETCH:
                continue
            number, total, most = could[row], totals[row], quotas[row]
            taken[row] += 1
            could[row] += 1
            slot = number if total <= most else number * most // total
            if total and (total <= most or (number + 1) * most // total > slot):
                samples[row, slot] = position
                weights[row, slot] = uses[row] / min(uses[row], PER_STRETCH)
    return could


@njit(nogil=True, cache=True)
def count_stretches(
    ids: NDArray[np.int32], stretches: NDArray[np.int64], groups: NDArray[np.int64], number: int
) -> NDArray[np.int64]:
    """Count the stretches in which each group of words occurs, shape (number,).

    Parameters
    ----------
    ids : NDArray of int32, shape (text,)
    stretches : NDArray of int64, shape (stretches + 1,)
        Position at which each begins, and the end.
    groups : NDArray of int64, shape (words,)
        Group of each word.
    number : int
        Groups.
    """
    counted, last = np.zeros(number, np.int64), np.full(number, -1, np.int64)
    for stretch in range(len(stretches) - 1):
        for position in range(stretches[stretch], stretches[stretch + 1]):
            group = groups[ids[position]]
            if last[group] != stretch:
                last[group] = stretch
                counted[group] += 1
    return counted
