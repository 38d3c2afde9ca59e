"""AdamW, warm-up and linear decay over a budget of steps, clipping.

One implementation for every network.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import torch
from torch import Tensor, nn

from embeddings.configuration import check_range


@dataclass(frozen=True, slots=True)
class LoopConfig:
    """How long, how fast, how often: what every training shares."""

    steps: int = field(default=10_000, metadata={"help": "Budget; the decay follows it."})
    learning_rate: float = field(default=1e-3, metadata={"help": "Highest rate, after warm-up."})
    warmup: float = field(default=0.05, metadata={"help": "Share of the steps that warm up."})
    weight_decay: float = field(default=0.01, metadata={"help": "AdamW's decay of matrices."})
    beta2: float = field(default=0.98, metadata={"help": "AdamW's memory of squared gradients."})
    clip: float = field(default=1.0, metadata={"help": "Largest norm of the gradient; 0: any."})
    seed: int = field(default=1, metadata={"help": "Of weights, order, pairs and masks."})
    log_every: int = field(default=20, metadata={"help": "Steps between lines of progress.jsonl."})
    evaluate_every: int = field(
        default=500, metadata={"help": "Steps between evaluations; 0: only at the end."}
    )

    def __post_init__(self) -> None:
        check_range("steps", self.steps, 1, 10**9)
        check_range("learning_rate", self.learning_rate, 1e-12, 1e3)
        check_range("warmup", self.warmup, 0.0, 1.0)
        check_range("weight_decay", self.weight_decay, 0.0, 10.0)
        check_range("beta2", self.beta2, 0.5, 0.999999)
        check_range("clip", self.clip, 0.0, 1e9)
        check_range("seed", self.seed, 0, 2**31 - 1)
        check_range("log_every", self.log_every, 1, 10**9)
        check_range("evaluate_every", self.evaluate_every, 0, 10**9)


def rate_at(step: int, config: LoopConfig) -> float:
    """Return the learning rate of a step (from 0).

    A ramp over the warm-up, then a line to zero at the end of the budget.

    Examples
    --------
    >>> config = LoopConfig(steps=10, learning_rate=1.0, warmup=0.2)
    >>> [round(rate_at(step, config), 3) for step in (0, 1, 2, 9)]
    [0.5, 1.0, 1.0, 0.125]
    """
    ramp = math.ceil(config.warmup * config.steps)
    if step < ramp:
        return config.learning_rate * (step + 1) / ramp
    return config.learning_rate * (config.steps - step) / max(1, config.steps - ramp)


def make_optimizer(
    network: nn.Module,
    config: LoopConfig,
    apart: Mapping[Tensor, float] = MappingProxyType({}),
) -> torch.optim.AdamW:
    """Return fused AdamW; biases, norms and other vectors do not decay.

    Parameters
    ----------
    apart : mapping, optional
        Weights that do not decay and learn so many times as fast as the others.
    """
    others = [p for p in network.parameters() if p not in apart]
    groups = [
        {"params": [p for p in others if p.dim() > 1], "weight_decay": config.weight_decay},
        {"params": [p for p in others if p.dim() <= 1], "weight_decay": 0.0},
    ]
    groups += [
        {"params": [one], "weight_decay": 0.0, "scale": scale} for one, scale in apart.items()
    ]
    return torch.optim.AdamW(
        groups, lr=config.learning_rate, betas=(0.9, config.beta2), eps=1e-8, fused=True
    )
