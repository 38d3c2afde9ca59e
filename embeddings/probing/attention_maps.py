"""What can be asked of an `AttentionMap` without running the network again: numpy in, numpy out.

Decisions: attention to a word is the sum over its tokens, from a word the mean over its tokens, so
that rows still sum to 1 (Clark et al. 2019, section 4). Where [CLS] and [SEP] are hidden, their
columns are dropped and the rest stays as it is, so rows sum to less than 1.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Bools, Float32s, Float64s
from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.probing.attention_answers import AVERAGE, ROLLOUT, AttentionMap, HeadProfile, Side

SPECIAL = ("shown", "hidden")
BETWEEN = ("all", "1-1", "1-2", "2-1", "2-2")


def word_level(attention: AttentionMap) -> AttentionMap:
    """Join tokens to words: sums over the tokens looked at, means over those that look."""
    if attention.level == "word":
        return attention
    starts, columns = _starts(attention.from_side), _starts(attention.to_side)
    summed = np.add.reduceat(attention.weights, columns, axis=-1)
    counts = np.diff([*starts, len(attention.from_side)]).astype(np.float32)
    joined = (np.add.reduceat(summed, starts, axis=-2) / counts[:, None]).astype(np.float32)
    side = _joined(attention.from_side)
    other = side if attention.is_self else _joined(attention.to_side)
    return replace(attention, from_side=side, to_side=other, weights=joined, level="word")


def with_average(attention: AttentionMap) -> AttentionMap:
    """Add the average over the heads as one more head."""
    return _with_head(attention, AVERAGE, attention.weights.mean(1))


def as_shares(attention: AttentionMap) -> AttentionMap:
    """Return norm-weighted attention as shares of what a token fetches, each row divided by its sum; weights as they are."""
    if attention.measure == "weights":
        return attention
    sums = attention.weights.sum(-1, keepdims=True)
    return replace(attention, weights=attention.weights / np.maximum(sums, 1e-30))


def with_rollout(attention: AttentionMap) -> AttentionMap:
    """Add attention rollout as one more head: layer n holds what has come through layers 1 to n.

    A_n = (mean over the heads + I) / 2, R_n = A_n R_(n-1): heads averaged, half the identity for
    the residual connection; rows sum to 1. A map between two texts, or of norms, is returned as it is.

    References
    ----------
    Abnar and Zuidema (2020), section 3.
    """
    if not attention.is_self or attention.measure == "norms":
        return attention
    mean = attention.weights[:, attention.numbered].mean(1)
    steps = (mean + np.eye(len(attention.to_side), dtype=np.float32)) / 2
    rolled = accumulate(steps, lambda before, step: step @ before)
    return _with_head(attention, ROLLOUT, np.stack([*rolled]))


def _with_head(attention: AttentionMap, name: str, weights: Float32s) -> AttentionMap:
    """Add one more head, ``weights`` of shape (layers, from, to)."""
    joined = np.concatenate((attention.weights, weights[:, None]), 1)
    return replace(attention, weights=joined, heads=(*attention.heads, name))


def between(attention: AttentionMap, sentences: str) -> AttentionMap:
    """Keep what goes from one sentence to another: "all", or "1-2" for first to second, and so on.

    Raises
    ------
    InputError
        If ``sentences`` is not one of these, or the map has no such sentence.
    """
    check_choice("between", sentences, BETWEEN)
    if sentences == "all":
        return attention
    looking, looked_at = (int(number) - 1 for number in sentences.split("-"))
    of_tokens = np.array(attention.from_side.segments), np.array(attention.to_side.segments)
    rows, columns = of_tokens[0] == looking, of_tokens[1] == looked_at
    if not (rows.any() and columns.any()):
        raise InputError("attention_one_sentence", sentences=sentences)
    return _select(attention, rows, columns)


def without_special(attention: AttentionMap) -> AttentionMap:
    """Leave [CLS] and [SEP] out, as what looks and as what is looked at; rows keep their values and sum to less than 1."""
    sides = (attention.from_side, attention.to_side)
    rows, columns = (~np.array(side.special, bool) for side in sides)
    return _select(attention, rows, columns)


def prepare(
    attention: AttentionMap,
    *,
    level: str = "word",
    special: str = "shown",
    sentences: str = "all",
) -> AttentionMap:
    """Return the map as it is shown: average and rollout added, then joined, filtered, hidden.

    Norms become shares of their row, and have no rollout, which is defined on weights.

    Parameters
    ----------
    attention : AttentionMap
        As `embeddings.probing.attention_weights.attention` returns it.
    level : str
        "word" or "token".
    special : str
        What becomes of [CLS] and [SEP]: "shown", or "hidden" (rows and columns dropped).
    sentences : str
        "all", or "1-1", "1-2", "2-1", "2-2": from which sentence to which.

    Raises
    ------
    InputError
        If one of the three is not one of these, or there is no second sentence.
    """
    check_choice("level", level, ("word", "token"))
    check_choice("special", special, SPECIAL)
    shown = with_rollout(with_average(as_shares(attention)))
    if level == "word":
        shown = word_level(shown)
    shown = between(shown, sentences)
    return shown if special == "shown" else without_special(shown)


def head_profiles(attention: AttentionMap) -> tuple[HeadProfile, ...]:
    """Return where each numbered head looks, layer by layer; rows of [CLS] and [SEP] do not count.

    References
    ----------
    Clark et al. (2019), "What Does BERT Look At?", sections 3.1 and 3.3.
    """
    rows = ~np.array(attention.from_side.special, bool)
    hidden = np.array(attention.to_side.special, bool)
    first = hidden & (np.arange(len(hidden)) == 0)
    far = np.abs(np.arange(len(rows))[rows, None] - np.arange(len(hidden)))
    names = [attention.heads[axis] for axis in attention.numbered]
    profiles: list[HeadProfile] = []
    # a layer at a time: in float64 all layers of a long text would take gigabytes
    for layer, of_heads in enumerate(attention.weights, 1):
        whole = of_heads[attention.numbered].astype(np.float64)
        weights = whole[:, rows]  # (heads, from, to)
        entropy = -(weights * np.log2(np.maximum(weights, 1e-30))).sum(-1).mean(-1)
        nowhere = np.full(entropy.shape, np.nan)  # between two texts
        shifts = (-1, 1, 0) if attention.is_self else ()
        arrays = (
            *([_neighbour(whole, rows, shift) for shift in shifts] or [nowhere] * 3),
            weights[..., first].sum(-1).mean(-1),
            weights[..., hidden & ~first].sum(-1).mean(-1),
            entropy,
            entropy / np.log2(len(hidden)) if len(hidden) > 1 else 0 * entropy,
            (weights * far).sum(-1).mean(-1) if attention.is_self else nowhere,
        )
        for name, *numbers in zip(names, *arrays, strict=True):
            profiles.append(HeadProfile(layer, name, *map(float, numbers)))
    return tuple(profiles)


def _neighbour(weights: Float64s, rows: Bools, shift: int) -> Float64s:
    """Return the mean weight that a token of ``rows`` gives to the one ``shift`` places away, (heads,)."""
    looking = rows[max(0, -shift) : len(rows) - max(0, shift)]
    return np.asarray(weights.diagonal(shift, -2, -1)[:, looking].sum(-1) / rows.sum())


def _starts(side: Side) -> NDArray[np.intp]:
    """Return the place of each word's first token."""
    return np.flatnonzero(np.diff(np.array(side.words), prepend=-1))


def _joined(side: Side) -> Side:
    """Return the side with words as its units."""
    starts = _starts(side)
    ends = [*starts[1:] - 1, len(side) - 1]
    spans = zip(starts, ends, strict=True)
    return replace(
        _selected_units(side, starts),
        labels=side.word_labels,
        offsets=tuple((side.offsets[a][0], side.offsets[b][1]) for a, b in spans),
    )


def _select(attention: AttentionMap, rows: Bools, columns: Bools) -> AttentionMap:
    """Keep some of what looks and of what is looked at."""
    side = _selected_units(attention.from_side, np.flatnonzero(rows))
    same = attention.is_self and np.array_equal(rows, columns)
    return replace(
        attention,
        from_side=side,
        to_side=side if same else _selected_units(attention.to_side, np.flatnonzero(columns)),
        weights=np.ascontiguousarray(attention.weights[:, :, rows][..., columns]),
    )


def _selected_units(side: Side, rows: NDArray[np.intp]) -> Side:
    """Keep some units of a side; words are numbered again."""
    named = sorted({side.words[row] for row in rows})
    number = {word: new for new, word in enumerate(named)}
    return Side(
        labels=tuple(side.labels[i] for i in rows),
        offsets=tuple(side.offsets[i] for i in rows),
        segments=tuple(side.segments[i] for i in rows),
        words=tuple(number[side.words[i]] for i in rows),
        word_labels=tuple(side.word_labels[word] for word in named),
        special=tuple(side.special[i] for i in rows),
    )
