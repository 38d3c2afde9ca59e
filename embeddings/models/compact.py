"""Matrices at a byte a weight: each row as int8 with one float32 scale, as static vectors are stored.

A weight is off by at most half a step, 1/254 of the largest of its row. For folders of our own form
(translators, classifiers); a BERT's folder, which other libraries open, stays float16.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from embeddings.errors import CheckpointError

SCALE = ".scale"
LARGEST = 127


def pack(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return matrices as int8, shape (rows, columns), beside ``NAME.scale``, float32, shape (rows,); the rest as float16."""
    packed: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if tensor.ndim != 2:
            packed[name] = tensor.to(torch.float16)
            continue
        scale = tensor.float().abs().amax(1).clamp_min(1e-30) / LARGEST
        packed[name] = (tensor.float() / scale[:, None]).round().to(torch.int8)
        packed[name + SCALE] = scale
    return packed


def unpack(state: Mapping[str, Tensor], path: object = "") -> dict[str, Tensor]:
    """Undo `pack`, float32; a state without int8 comes back as it is.

    Raises
    ------
    CheckpointError
        If int8 rows have no scale of their length.
    """
    packed = {name for name, tensor in state.items() if tensor.dtype == torch.int8}
    found: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if name.removesuffix(SCALE) in packed and name not in packed:
            continue
        if name not in packed:
            found[name] = tensor
            continue
        scale = state.get(name + SCALE)
        if scale is None or tensor.ndim != 2 or scale.shape != tensor.shape[:1]:
            shape = None if scale is None else tuple(scale.shape)
            raise CheckpointError(
                "checkpoint_shape",
                path=path,
                name=name + SCALE,
                found=shape,
                expected=tuple(tensor.shape[:1]),
            )
        found[name] = tensor.float() * scale.float()[:, None]
    return found
