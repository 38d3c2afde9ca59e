"""Who may look at whom: boolean masks, True where attention is allowed.

They broadcast to (batch, heads, from, to).
"""

from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(attention_mask: Tensor) -> Tensor:
    """Return the mask in which every position sees the real tokens of its row.

    Parameters
    ----------
    attention_mask : Tensor, shape (batch, tokens)
        True (or 1) at real tokens; or (batch, tokens, tokens), a mask of its own for each position,
        passed on.

    Returns
    -------
    BoolTensor, shape (batch, 1, 1 or tokens, tokens)
    """
    mask = attention_mask.bool()
    return mask[:, None, None, :] if mask.dim() == 2 else mask[:, None]


def block_mask(blocks: Tensor) -> Tensor:
    """Return the mask in which a position sees only its own block.

    Several sentence pairs share a row and never meet.

    Parameters
    ----------
    blocks : Tensor, shape (batch, tokens)
        Number of the pair that a token belongs to; padding has a number of its own, so no row of
        the mask is empty.

    Returns
    -------
    BoolTensor, shape (batch, 1, tokens, tokens)
    """
    return (blocks[:, :, None] == blocks[:, None, :])[:, None]


def causal_mask(tokens: int, device: torch.device | None = None) -> Tensor:
    """Return the mask of a decoder, shape (1, 1, tokens, tokens).

    A position sees itself and what came before.
    """
    return torch.ones(tokens, tokens, dtype=torch.bool, device=device).tril()[None, None]
