"""What can be asked of an `AttentionMap` without running the network again: numpy in, numpy out.

Decisions: attention to a word is the sum over its tokens, from a word the mean over its tokens, so
that rows still sum to 1 (Clark et al. 2019, section 4). Where [CLS] and [SEP] are hidden, their
columns are dropped and the rest stays as it is, so rows sum to less than 1; only on request is each
row divided by what is left.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.results.attention_map import AVERAGE, ROLLOUT, AttentionMap, HeadProfile, Side

SPECIAL = ("shown", "hidden", "renormalised")
BETWEEN = ("all", "1-1", "1-2", "2-1", "2-2")


def word_level(found: AttentionMap) -> AttentionMap:
    """Join tokens to words: sums over the tokens looked at, means over those that look."""
    if found.level == "word":
        return found
    starts, columns = _starts(found.from_side), _starts(found.to_side)
    summed = np.add.reduceat(found.weights, columns, axis=-1)
    counts = np.diff([*starts, len(found.from_side)]).astype(np.float32)
    joined = (np.add.reduceat(summed, starts, axis=-2) / counts[:, None]).astype(np.float32)
    side = _joined(found.from_side)
    other = side if found.is_self else _joined(found.to_side)
    return replace(found, from_side=side, to_side=other, weights=joined, level="word")


def with_average(found: AttentionMap) -> AttentionMap:
    """Add the average over the heads as one more head."""
    mean = found.weights.mean(1, keepdims=True)
    return replace(
        found,
        weights=np.concatenate((found.weights, mean), 1),
        heads=(*found.heads, AVERAGE),
    )


def with_rollout(found: AttentionMap) -> AttentionMap:
    """Add attention rollout as one more head: layer n holds what has come through layers 1 to n.

    A_n = (mean over the heads + I) / 2, R_n = A_n R_(n-1): heads averaged, half the identity for
    the residual connection; rows sum to 1. A map between two texts is returned as it is.

    References
    ----------
    Abnar and Zuidema (2020), section 3.
    """
    if not found.is_self:
        return found
    numbered = [place for place, name in enumerate(found.heads) if name.isdigit()]
    steps = (found.weights[:, numbered].mean(1) + np.eye(len(found.to_side), dtype=np.float32)) / 2
    rolled = [steps[0]]
    for step in steps[1:]:
        rolled.append(step @ rolled[-1])
    weights = np.concatenate((found.weights, np.stack(rolled)[:, None]), 1)
    return replace(found, weights=weights, heads=(*found.heads, ROLLOUT))


def between(found: AttentionMap, sentences: str) -> AttentionMap:
    """Keep what goes from one sentence to another: "all", or "1-2" for first to second, and so on.

    Raises
    ------
    InputError
        If ``sentences`` is none of these, or the map has no such sentence.
    """
    check_choice("between", sentences, BETWEEN)
    if sentences == "all":
        return found
    looking, looked = (int(number) - 1 for number in sentences.split("-"))
    if looking not in found.from_side.segments or looked not in found.to_side.segments:
        raise InputError("attention_one_sentence", sentences=sentences)
    return _select(
        found,
        [segment == looking for segment in found.from_side.segments],
        [segment == looked for segment in found.to_side.segments],
    )


def without_special(found: AttentionMap, *, renormalise: bool = False) -> AttentionMap:
    """Leave [CLS] and [SEP] out, as what looks and as what is looked at.

    Rows keep their values and sum to less than 1; with ``renormalise`` each is divided by its sum,
    and a row that is left with nothing stays 0.
    """
    kept = _select(
        found,
        [not special for special in found.from_side.special],
        [not special for special in found.to_side.special],
    )
    if not renormalise:
        return kept
    sums = kept.weights.sum(-1, keepdims=True)
    weights = np.divide(kept.weights, sums, out=np.zeros_like(kept.weights), where=sums > 0)
    return replace(kept, weights=weights)


def prepare(
    found: AttentionMap,
    *,
    level: str = "word",
    special: str = "shown",
    sentences: str = "all",
) -> AttentionMap:
    """Return the map as it is shown: average and rollout added, then joined, filtered, hidden.

    Parameters
    ----------
    found : AttentionMap
        As `embeddings.probing.attention_weights.attention` returns it.
    level : str
        "word" or "token".
    special : str
        What becomes of [CLS] and [SEP]: "shown", "hidden" (columns dropped), "renormalised"
        (dropped, and rows divided by what is left).
    sentences : str
        "all", or "1-1", "1-2", "2-1", "2-2": from which sentence to which.

    Raises
    ------
    InputError
        If one of the three is none of these, or a second sentence is asked for where there is none.
    """
    check_choice("level", level, ("word", "token"))
    check_choice("special", special, SPECIAL)
    shown = with_rollout(with_average(found))
    if level == "word":
        shown = word_level(shown)
    shown = between(shown, sentences)
    if special != "shown":
        shown = without_special(shown, renormalise=special == "renormalised")
    return shown


def head_profiles(found: AttentionMap) -> tuple[HeadProfile, ...]:
    """Return where each numbered head looks, layer by layer; rows of [CLS] and [SEP] do not count.

    References
    ----------
    Clark et al. (2019), "What Does BERT Look At?", sections 3.1 and 3.3.
    """
    rows = np.array([not special for special in found.from_side.special])
    hidden = np.array(found.to_side.special)
    first = hidden & (np.arange(len(hidden)) == 0)
    far = np.abs(np.arange(len(rows))[rows, None] - np.arange(len(hidden)))
    profiles = []
    for layer in range(found.layers):
        for place, name in enumerate(found.heads):
            if not name.isdigit():
                continue
            weights = found.weights[layer, place][rows].astype(np.float64)
            entropy = float(-(weights * np.log2(np.maximum(weights, 1e-30))).sum(1).mean())
            profiles.append(
                HeadProfile(
                    layer + 1,
                    name,
                    previous=_diagonal(found, layer, place, -1),
                    following=_diagonal(found, layer, place, 1),
                    itself=_diagonal(found, layer, place, 0),
                    cls=float(weights[:, first].sum(1).mean()),
                    sep=float(weights[:, hidden & ~first].sum(1).mean()),
                    entropy=entropy,
                    evenness=entropy / np.log2(len(hidden)) if len(hidden) > 1 else 0.0,
                    distance=float((weights * far).sum(1).mean()) if found.is_self else np.nan,
                )
            )
    return tuple(profiles)


def _diagonal(found: AttentionMap, layer: int, place: int, shift: int) -> float:
    """Mean weight that a token gives to the one ``shift`` places away; NaN between two texts."""
    if not found.is_self:
        return float("nan")
    rows = [row for row, special in enumerate(found.from_side.special) if not special]
    inside = [row for row in rows if 0 <= row + shift < len(found.to_side)]
    total = sum(float(found.weights[layer, place, row, row + shift]) for row in inside)
    return total / len(rows)


def _starts(side: Side) -> NDArray[np.intp]:
    """Return the place of each word's first token."""
    return np.flatnonzero(np.diff(np.array(side.words), prepend=-1))


def _joined(side: Side) -> Side:
    """Return the side with words as its units."""
    starts = _starts(side)
    ends = [*starts[1:] - 1, len(side) - 1]
    return Side(
        labels=side.word_labels,
        offsets=tuple(
            (side.offsets[a][0], side.offsets[b][1]) for a, b in zip(starts, ends, strict=True)
        ),
        segments=tuple(side.segments[start] for start in starts),
        words=tuple(range(len(starts))),
        word_labels=side.word_labels,
        special=tuple(side.special[start] for start in starts),
    )


def _select(found: AttentionMap, rows: list[bool], columns: list[bool]) -> AttentionMap:
    """Keep some of what looks and of what is looked at."""
    weights = found.weights[:, :, np.flatnonzero(rows)][..., np.flatnonzero(columns)]
    same = found.is_self and rows == columns
    side = _kept(found.from_side, rows)
    return replace(
        found,
        from_side=side,
        to_side=side if same else _kept(found.to_side, columns),
        weights=np.ascontiguousarray(weights),
    )


def _kept(side: Side, keep: list[bool]) -> Side:
    """Keep some units of a side; words are numbered anew."""
    places = [place for place, wanted in enumerate(keep) if wanted]
    named = sorted({side.words[place] for place in places})
    number = {word: new for new, word in enumerate(named)}
    return Side(
        labels=tuple(side.labels[i] for i in places),
        offsets=tuple(side.offsets[i] for i in places),
        segments=tuple(side.segments[i] for i in places),
        words=tuple(number[side.words[i]] for i in places),
        word_labels=tuple(side.word_labels[word] for word in named),
        special=tuple(side.special[i] for i in places),
    )
