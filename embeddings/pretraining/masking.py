"""Masked tokens, chosen on the device that trains: round(rate n) of the n tokens of text of each pair, 80 % [MASK], 10 % random, 10 % kept.

How many are masked in each pair is known beforehand, so nothing waits for the device (Devlin et al.
2019, section 3.1).
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.sentence_pairs import ragged
from embeddings.results import Value


class Masked(Value):
    """``input_ids`` (rows, tokens) after masking.

    ``scored`` and ``targets`` (scored,): flat positions and the tokens that were there.
    """

    input_ids: Tensor
    scored: Tensor
    targets: Tensor


def masked_counts(ordinary: NDArray[np.int64], rate: float) -> NDArray[np.int64]:
    """Return round(rate n) for each pair of n tokens of text.

    Halves go to the even number, as Python's `round`.

    Examples
    --------
    >>> masked_counts(np.array([3, 10, 100]), 0.15).tolist()
    [0, 2, 15]
    """
    counts: NDArray[np.int64] = np.rint(rate * ordinary).astype(np.int64)
    return counts


def share_noise(noise: Tensor, ids: Tensor, pair: Tensor, vocab_size: int) -> Tensor:
    """Give a token the same random numbers wherever it occurs in its pair: it is masked everywhere there, or nowhere.

    What is asked for then stands nowhere in sight, so that nothing is learned by copying. One token of a pair may be an exception:
    where it would make more than the share that is masked, some of its places stay.

    Parameters
    ----------
    noise : Tensor, shape (3, rows, tokens)
    ids, pair : LongTensor, shape (rows, tokens)
        As for `mask_tokens`.
    """
    keys = (pair * vocab_size + ids).flatten()
    _, token = keys.unique(return_inverse=True)  # type: ignore[no-untyped-call]
    places = torch.arange(len(token), device=token.device)
    first = torch.zeros_like(token).scatter_reduce_(
        0, token, places, reduce="amin", include_self=False
    )
    return noise.flatten(1)[:, first[token]].view_as(noise)


def mask_tokens(  # noqa: PLR0913
    ids: Tensor,
    pair: Tensor,
    ordinary: NDArray[np.int64],
    noise: Tensor,
    *,
    rate: float,
    special: SpecialIds,
    vocab_size: int,
) -> Masked:
    """Choose and replace tokens.

    Parameters
    ----------
    ids : LongTensor, shape (rows, tokens)
    pair : LongTensor, shape (rows, tokens)
        Number of the pair of each token, counted through the batch; anything at padding.
    ordinary : NDArray[int64], shape (pairs,)
        Tokens of text in each pair: those that are not special.
    noise : Tensor, shape (3, rows, tokens), in [0, 1)
        The random numbers: which are chosen, how each is replaced, by what.
    """
    flat = ids.flatten()
    which, how, what = noise.flatten(1)
    text = torch.ones_like(flat, dtype=torch.bool)
    for special_id in special.ordered:
        text &= flat != special_id
    key = torch.where(text, pair.flatten().double() + which.double(), float("inf"))
    order = key.argsort()  # text by pair, at random inside a pair
    counts = masked_counts(ordinary, rate)
    before = np.cumsum(ordinary) - ordinary
    taken = torch.from_numpy(np.repeat(before, counts) + ragged(counts)).to(ids.device)
    scored = order[taken]
    targets = flat[scored]
    random = (what[scored].double() * (vocab_size - len(special.ordered))).long()
    for special_id in special.ordered:  # count past the ids that are no text
        random += random >= special_id
    chance = how[scored]
    masked = torch.where(chance < 0.8, special.mask, torch.where(chance < 0.9, random, targets))
    return Masked(flat.scatter(0, scored, masked).view_as(ids), scored, targets)
