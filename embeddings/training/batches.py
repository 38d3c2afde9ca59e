"""Packed rows on the device: masked there, run through a network, summed up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from embeddings.models.outputs import PretrainingOutput
from embeddings.pretraining.masking import mask_tokens
from embeddings.pretraining.packing import Packed, SpecialIds
from embeddings.transformer.masks import block_mask


@dataclass(frozen=True, slots=True)
class Batch:
    """A masked batch on the device, ready for `PretrainingNetwork.forward`.

    ``targets`` and ``labels`` are the answers.
    """

    input_ids: Tensor
    token_type_ids: Tensor
    position_ids: Tensor
    mask: Tensor
    scored: Tensor
    first: Tensor
    targets: Tensor
    labels: Tensor


def make_batch(
    rows: Packed, noise: Tensor, rate: float, vocab_size: int, special: SpecialIds
) -> Batch:
    """Move packed rows to the device of ``noise``, shape (3, rows, tokens), and mask them there."""
    device = noise.device

    def move(array: NDArray[np.generic]) -> Tensor:
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        if device.type == "cuda":
            tensor = tensor.pin_memory()
        return tensor.to(device, non_blocking=True)

    blocks = move(rows.blocks).long()
    pair = blocks - 1 + move(rows.bounds[:-1])[:, None]
    masked = mask_tokens(
        move(rows.ids).long(),
        pair,
        rows.ordinary,
        noise,
        rate=rate,
        special=special,
        vocab_size=vocab_size,
    )
    return Batch(
        masked.input_ids,
        move(rows.segments).long(),
        move(rows.positions).long(),
        block_mask(blocks),
        masked.scored,
        move(rows.first),
        masked.targets,
        move(rows.label),
    )


def run_network(network: nn.Module, batch: Batch) -> PretrainingOutput:
    """Score a batch."""
    output = network(
        batch.input_ids,
        batch.token_type_ids,
        batch.position_ids,
        batch.mask,
        batch.scored,
        batch.first,
        batch.targets,
    )
    assert isinstance(output, PretrainingOutput)
    return output


def batch_sums(output: PretrainingOutput, batch: Batch) -> Tensor:
    """Sums over a batch, then their counts: loss and right answers of tokens, the same of pairs.

    Shape (8,), differentiable.
    """
    sentences = output.sentences.float()
    is_pair = batch.labels >= 0
    right = (sentences.argmax(-1) == batch.labels).sum()
    scored = torch.tensor(float(len(batch.targets)), device=sentences.device)
    pairs = is_pair.sum().float()
    return torch.stack(
        [
            output.token_loss,
            output.token_right,
            F.cross_entropy(sentences, batch.labels, reduction="sum", ignore_index=-100),
            right.float(),
            scored,
            scored,
            pairs,
            pairs,
        ]
    )
