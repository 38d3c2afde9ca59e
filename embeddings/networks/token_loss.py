"""The vocabulary scored at masked positions: loss and gradient in one pass, some rows at a time.

Scores of 32 000 tokens are the largest array of a small BERT. Here they never exist as a whole in
float32: each block of rows is scored and turned into its loss and its gradient while it is in the
cache, and kept in the network's own format for the two products that remain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

CPU_ROWS, GPU_ROWS = 64, 8_192  # scored at a time; 64 x 32 000 x 4 bytes are 8 MB


class TokenLoss(NamedTuple):
    """``loss``: sum of cross entropies, nats; ``right``: how many targets have the highest score."""

    loss: Tensor
    right: Tensor


def token_loss(
    hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float = 0.0
) -> TokenLoss:
    """Return the loss of ``hidden @ weight.T + bias`` against ``targets``, differentiable.

    Parameters
    ----------
    hidden : Tensor, shape (scored, width)
    weight, bias : Tensor, shapes (vocab_size, width) and (vocab_size,)
    targets : LongTensor, shape (scored,)
    smoothing : float
        Share of the target's probability that is spread evenly over the vocabulary.
    """
    return TokenLoss(*_Scoring.apply(hidden, weight, bias, targets, smoothing))  # type: ignore[no-untyped-call]


class _Scoring(torch.autograd.Function):
    """Softmax cross entropy of a linear map; the gradient is ready when the loss is."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float
    ) -> Any:
        """Score block by block; d loss / d scores = softmax - the smoothed one-hot."""
        learns = any(ctx.needs_input_grad)
        table, shift = weight.to(hidden.dtype), bias.to(hidden.dtype)
        loss = torch.zeros((), device=hidden.device)
        right = torch.zeros((), device=hidden.device)
        grad_bias = torch.zeros_like(bias)
        kept = hidden.new_empty(len(hidden), len(bias)) if learns else None
        rows = CPU_ROWS if hidden.device.type == "cpu" else GPU_ROWS
        for start in range(0, len(hidden), rows):
            target = targets[start : start + rows, None]
            scores = torch.addmm(shift, hidden[start : start + rows], table.t()).float()
            top, picked = scores.amax(-1, keepdim=True), scores.gather(1, target)
            right += (picked == top).sum()
            if smoothing:
                picked = picked.lerp(scores.mean(-1, keepdim=True), smoothing)
            scores.sub_(top).exp_()
            total = scores.sum(-1, keepdim=True)
            loss += (total.log() + top - picked).sum()
            if kept is not None:
                scores.div_(total)
                if smoothing:
                    scores.sub_(smoothing / len(bias))
                scores.scatter_add_(1, target, scores.new_full(target.shape, smoothing - 1.0))
                grad_bias += scores.sum(0)
                kept[start : start + rows] = scores
        if kept is not None:
            ctx.save_for_backward(kept @ table, kept.t() @ hidden, grad_bias)
            ctx.format = weight.dtype
        ctx.mark_non_differentiable(right)
        return loss, right

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> Any:
        """Scale what forward prepared."""
        hidden, weight, bias = ctx.saved_tensors
        scale = upstream[0]
        return hidden * scale, weight.to(ctx.format) * scale, bias * scale, None, None
