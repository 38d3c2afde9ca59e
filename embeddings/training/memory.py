"""What a step of training keeps in memory for the way back: counted, not estimated."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

OPTIMISER_COPIES = 4  # float32: the weight, its gradient and AdamW's two moments


def kept_bytes(forward: Callable[[], Tensor], parameters: Iterable[Tensor] = ()) -> int:
    """Return the bytes that a forward pass keeps for its gradient beside the weights, each storage counted once.

    Parameters
    ----------
    forward : callable
        Computes a loss.
    parameters : iterable of Tensor
        What is not counted.

    Examples
    --------
    >>> x = torch.ones(3, requires_grad=True)
    >>> kept_bytes(lambda: (x * 2).exp().sum(), [x])  # exp keeps its result, 3 float32
    12
    """
    own = {parameter.untyped_storage().data_ptr() for parameter in parameters}
    kept: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = forward()
    del loss  # till here nothing was freed, so no two storages stood at one place
    return sum(kept.values())


def weight_bytes(parameters: int) -> tuple[int, int]:
    """Return the bytes of weights at rest and in training (float32; gradient and two moments beside each weight).

    Examples
    --------
    >>> weight_bytes(1_000)
    (4000, 16000)
    """
    return 4 * parameters, 4 * OPTIMISER_COPIES * parameters
