"""Attention of one stack to another, and how a layer mixes the attention to the source with that to BERT.

A layer attends to the source and to BERT's last layer, and reads the mean of both (Zhu et al. 2020, section 4.2).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from embeddings.networks.layers import Attended, Heads, KeyValues


class MemoryAttention(Heads):
    """Attention to states of another stack, which may be of another width: the source, or BERT."""

    def __init__(self, hidden_size: int, memory_size: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key_value = nn.Linear(memory_size, 2 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def project(self, memory: Tensor) -> KeyValues:
        """(batch, tokens, memory_size) -> keys and values."""
        key, value = self.key_value(memory).chunk(2, dim=-1)
        return KeyValues(self.split(key), self.split(value))

    def forward(
        self, hidden: Tensor, memory: KeyValues, mask: Tensor | None, need_weights: bool = False
    ) -> Attended:
        """Let each position of ``hidden``, shape (batch, tokens, hidden_size), gather from the memory."""
        return self.mix(self.split(self.query(hidden)), memory, mask, need_weights)


class Memory(NamedTuple):
    """States to attend to, shape (batch, tokens, size), and their mask, (batch, 1, 1, tokens), True at real tokens."""

    states: Tensor
    mask: Tensor


def choose_branches(fused: bool, drop_net: float) -> tuple[bool, bool]:
    """Return whether the usual attention is used and whether that to BERT is; while training, one alone with probability ``drop_net``.

    Drop-net draws U from [0, 1): below ``drop_net / 2`` only the usual attention is used, above
    ``1 - drop_net / 2`` only that to BERT. Without BERT the usual one is all there is.

    References
    ----------
    Zhu et al. (2020), section 4.3, equation 7.
    """
    if not fused:
        return True, False
    if drop_net:
        draw = float(torch.rand(()))
        if draw < drop_net / 2:
            return True, False
        if draw > 1 - drop_net / 2:
            return False, True
    return True, True


def mean_of(usual: Attended | None, bert: Attended | None) -> Tensor:
    """Return the values of the attention in use, or the mean of both."""
    if usual and bert:
        return (usual.values + bert.values) / 2
    attended = usual or bert
    assert attended is not None
    return attended.values


def as_memory(states: Tensor, real: Tensor) -> Memory:
    """Return states with the mask of their real tokens, shape (batch, tokens)."""
    return Memory(states, real.to(torch.bool)[:, None, None, :])
