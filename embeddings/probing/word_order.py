"""What the order of the words changes: a sentence beside the same with two words exchanged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.probing.inside import as_numpy, encode_sentence, words_of
from embeddings.probing.reader import Reader
from embeddings.results.inside import Swap


def swap(reader: Reader, text: str, first: int, second: int) -> Swap:
    """Exchange two words of a sentence, by their places from 0, and compare what becomes of each token.

    Without positions the network cannot tell the two sentences apart: attention adds up over
    tokens in whatever order they stand, so every cosine is 1 but for rounding.

    Raises
    ------
    InputError
        If the text has fewer than two words; ``first`` and ``second`` out of range or equal.
    """
    tokens = encode_sentence(reader, text)
    owner = words_of(tokens, text)
    count = max(owner, default=-1) + 1
    if count < 2:
        raise InputError("inside_words", words=count)
    check_range("first", first, 0, count - 1)
    check_range("second", second, 0, count - 1)
    if first == second:
        raise InputError("inside_swap", place=first)
    order = _exchanged(owner, first, second)
    ids = [tokens.ids, tuple(tokens.ids[place] for place in order)]
    with_positions, without = (_last(reader, ids, flat=flat) for flat in (False, True))
    back = np.argsort(order)
    return Swap(
        tokens.tokens,
        tuple(tokens.tokens[place] for place in order),
        _cosines(with_positions[0], with_positions[1][back]),
        _cosines(without[0], without[1][back]),
    )


def _exchanged(owner: Sequence[int], first: int, second: int) -> list[int]:
    """Return the order of the tokens in which two words have changed places."""
    runs: list[list[int]] = []  # tokens of one word, or one other token
    for place, word in enumerate(owner):
        if runs and word >= 0 and owner[runs[-1][0]] == word:
            runs[-1].append(place)
        else:
            runs.append([place])
    where = {owner[run[0]]: number for number, run in enumerate(runs) if owner[run[0]] >= 0}
    a, b = where[first], where[second]
    runs[a], runs[b] = runs[b], runs[a]
    return [place for run in runs for place in run]


def _last(reader: Reader, rows: Sequence[Sequence[int]], *, flat: bool) -> NDArray[np.float32]:
    """Return the last layer of sentences of one length; ``flat`` puts every token at position 0."""
    ids = torch.tensor([list(row) for row in rows], device=reader.device)
    places = torch.zeros_like(ids[:1]) if flat else None
    with torch.inference_mode():
        return as_numpy(reader.network.encoder(ids, position_ids=places).last)


def _cosines(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosine of each row with the same row of the other."""
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosines: NDArray[np.float32] = (first * second).sum(axis=1) / np.maximum(lengths, 1e-12)
    return cosines
