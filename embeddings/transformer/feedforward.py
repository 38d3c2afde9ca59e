"""The position-wise network of a layer, and its activations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,  # BERT: x Phi(x), exact
    "gelu_new": partial(F.gelu, approximate="tanh"),  # ALBERT
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,  # the Transformer
    "tanh": torch.tanh,
}


class FeedForward(nn.Module):
    """FFN(x) = act(x W_1 + b_1) W_2 + b_2 (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, hidden_size: int, intermediate_size: int, activation: str = "gelu") -> None:
        super().__init__()
        self.inner = nn.Linear(hidden_size, intermediate_size)
        self.outer = nn.Linear(intermediate_size, hidden_size)
        self.activation = ACTIVATIONS[activation]

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., hidden_size) -> (..., hidden_size)."""
        return self.outer(self.activation(self.inner(hidden)))  # type: ignore[no-any-return]
