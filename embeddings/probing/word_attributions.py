"""From tokens to words in attributions: the path of a masked text, the rows of each word, what each word adds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.probing.integrated_gradients import GroupAttributions, Path, RowGroup
from embeddings.results.attention_map import Side
from embeddings.results.predictions import WordShare


def masked_path(
    table: torch.nn.Embedding, ids: Sequence[int], fixed: Sequence[bool], mask: int
) -> Path:
    """Return the way from a text with [MASK] in the place of each token to the text; ``fixed`` tokens stay."""
    masked = [i if stays else mask for i, stays in zip(ids, fixed, strict=True)]
    both = torch.tensor([masked, list(ids)], device=table.weight.device)
    with torch.no_grad():
        start, end = table(both)
    return Path((start,), (end,))


def words_of(side: Side) -> list[tuple[int, range]]:
    """Return number and token positions of each word of a side; special tokens are no words."""
    starts = [0, *(at for at, (a, b) in enumerate(pairwise(side.words), 1) if a != b)]
    words = enumerate(pairwise([*starts, len(side.words)]))
    return [(number, range(*ends)) for number, ends in words if not side.special[ends[0]]]


def token_groups(side: Side) -> list[RowGroup]:
    """Return the tokens of each word, as rows of the only input."""
    return [RowGroup((tuple(positions),)) for _, positions in words_of(side)]


def word_shares(
    side: Side, attributions: GroupAttributions, attention: NDArray[np.float64], shift: int = 0
) -> tuple[WordShare, ...]:
    """Return words with what they add to the first answer; attention is summed over a word's tokens.

    Characters of a second text count from ``shift`` on.
    """
    return tuple(
        WordShare(
            side.word_labels[number],
            side.offsets[positions[0]][0] + shift * side.segments[positions[0]],
            side.offsets[positions[-1]][1] + shift * side.segments[positions[0]],
            float(attributions.gradients[0, column]),
            float(attention[positions.start : positions.stop].sum()),
            float(attributions.occlusions[0, column]),
        )
        for column, (number, positions) in enumerate(words_of(side))
    )
