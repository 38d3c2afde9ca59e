"""AdamW or Muon, and the learning rate: warm-up, plateau, linear decay to zero at the end of the budget."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from embeddings.training.loop_config import LoopConfig


def rate_at(step: int, config: LoopConfig) -> float:
    """Return the learning rate of a step (from 0).

    A ramp over the warm-up, then a plateau, then a line to zero over the cooldown, which ends with the budget (Hägele et al. 2024).
    With a cooldown of 1 there is no plateau.

    Examples
    --------
    >>> config = LoopConfig(steps=10, learning_rate=1.0, warmup=0.2)
    >>> [round(rate_at(step, config), 3) for step in (0, 1, 2, 9)]
    [0.5, 1.0, 1.0, 0.125]
    >>> config = LoopConfig(steps=10, learning_rate=1.0, warmup=0.2, cooldown=0.4)
    >>> [round(rate_at(step, config), 3) for step in (0, 1, 5, 6, 7, 9)]
    [0.5, 1.0, 1.0, 1.0, 0.75, 0.25]
    """
    ramp = math.ceil(config.warmup * config.steps)
    if step < ramp:
        return config.learning_rate * (step + 1) / ramp
    fall = max(1, min(config.steps - ramp, math.ceil(config.cooldown * config.steps)))
    return config.learning_rate * min(1.0, (config.steps - step) / fall)


def make_optimizer(
    network: nn.Module, config: LoopConfig, undecayed: Collection[Tensor] = ()
) -> torch.optim.Optimizer:
    """Return fused AdamW, or Muon next to it; ``undecayed`` weights, biases, norms and other vectors do not decay."""
    kept = {id(p) for p in undecayed}
    matrices = [p for p in network.parameters() if p.dim() > 1 and id(p) not in kept]
    turned = _layer_matrices(network, matrices) if config.optimizer == "muon" else []
    by_muon, decaying = {id(p) for p in turned}, {id(p) for p in matrices}
    groups: list[dict[str, Any]] = [
        {"params": [p for p in matrices if id(p) not in by_muon]},
        {"params": [p for p in network.parameters() if id(p) not in decaying], "weight_decay": 0.0},
    ]
    adamw = torch.optim.AdamW(
        groups,
        lr=config.learning_rate,
        betas=(0.9, config.beta2),
        eps=1e-8,
        weight_decay=config.weight_decay,
        fused=True,
    )
    if not turned:
        return adamw
    muon = torch.optim.Muon(
        turned,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        adjust_lr_fn="match_rms_adamw",
    )
    return _Both(muon, adamw)


def _layer_matrices(network: nn.Module, matrices: Sequence[Tensor]) -> list[Tensor]:
    """Matrices between states, which Muon is made for: not embeddings, nor what scores the vocabulary."""
    rows = {id(m.weight) for m in network.modules() if isinstance(m, nn.Embedding)}
    return [p for p in matrices if id(p) not in rows and min(p.shape) > 2 and max(p.shape) < 8192]


class _Both(torch.optim.Optimizer):
    """Two optimisers that look like one; a weight belongs to one of them."""

    def __init__(self, muon: torch.optim.Optimizer, adamw: torch.optim.Optimizer) -> None:
        self.parts = (muon, adamw)
        self.defaults: dict[str, object] = {}
        self.state = muon.state = adamw.state  # by weight: no key of one is the other's
        self.param_groups = [*muon.param_groups, *adamw.param_groups]

    def step(self) -> None:  # type: ignore[override]
        """Update the weights of both."""
        for part in self.parts:
            part.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of both."""
        for part in self.parts:
            part.zero_grad(set_to_none)
