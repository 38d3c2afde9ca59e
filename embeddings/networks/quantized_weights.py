"""Matrices at a byte a weight, or at half a byte where they differ little from ones that are known.

A matrix is stored whole as int8, with one float32 scale a row as static vectors are: a weight is off by at most
1/254 of the largest of its row. One that has been moved by less than half its length from a known one, as
fine-tuning moves BERT's, is stored as its difference: codes from -7 to 7, two in a byte (uint8), and one scale per row;
a weight is off by at most 1/14 of what the row was moved by. For folders of our own form (translators,
classifiers); a BERT's folder, which other libraries open, stays float16.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from embeddings.errors import wrong_shape

SCALE = ".scale"
WHOLE, DIFFERENCE = 127, 7  # largest codes
NEAR = 0.5  # of a matrix's length


def quantize_weights(
    state: Mapping[str, Tensor], known: Mapping[str, Tensor] | None = None
) -> dict[str, Tensor]:
    """Return matrices as codes, each with ``NAME.scale``, float32, shape (rows,); the rest as float16.

    Parameters
    ----------
    known : mapping of str to Tensor, optional
        Matrices of the same names and shapes that `dequantize_weights` will be given too.
    """
    packed: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if tensor.ndim != 2:
            packed[name] = tensor.to(torch.float16)
            continue
        whole, before = tensor.float(), (known or {}).get(name)
        if before is not None and (whole - before).norm() < NEAR * whole.norm():
            codes, packed[name + SCALE] = _codes(whole - before, DIFFERENCE)
            packed[name] = _in_pairs(codes)
        else:
            packed[name], packed[name + SCALE] = _codes(whole, WHOLE)
    return packed


def dequantize_weights(
    state: Mapping[str, Tensor], path: object = "", known: Mapping[str, Tensor] | None = None
) -> dict[str, Tensor]:
    """Undo `quantize_weights`, float32; a state without codes comes back as it is.

    Raises
    ------
    CheckpointError
        If codes have no scale of their length, or a difference does not fit what is known.
    """
    packed = {name for name, t in state.items() if t.dtype in (torch.int8, torch.uint8)}
    weights: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if name not in packed:
            if name.removesuffix(SCALE) not in packed:
                weights[name] = tensor
            continue
        scale = state.get(name + SCALE)
        if scale is None or tensor.ndim != 2 or scale.shape != tensor.shape[:1]:
            shape = None if scale is None else scale.shape
            raise wrong_shape(path, name + SCALE, shape, tensor.shape[:1])
        if tensor.dtype == torch.int8:
            weights[name] = tensor.float() * scale.float()[:, None]
            continue
        before = (known or {}).get(name)
        if before is None or tensor.shape != (len(before), -(-before.shape[1] // 2)):
            wanted = None if before is None else (len(before), -(-before.shape[1] // 2))
            raise wrong_shape(path, name, tensor.shape, wanted)
        codes = _apart(tensor)[:, : before.shape[1]]
        weights[name] = before.float() + codes * scale.float()[:, None]
    return weights


def _codes(rows: Tensor, largest: int) -> tuple[Tensor, Tensor]:
    """(rows, columns) -> int8 codes of the same shape, and the step of each row, float32."""
    scale = rows.abs().amax(1).clamp_min(1e-30) / largest
    return (rows / scale[:, None]).round().to(torch.int8), scale


def _in_pairs(codes: Tensor) -> Tensor:
    """Codes from -8 to 7, (rows, columns) -> uint8, (rows, columns / 2 rounded up): the first of two in the low half."""
    if codes.shape[1] % 2:
        codes = torch.nn.functional.pad(codes, (0, 1))
    shifted = (codes + 8).to(torch.uint8)
    return shifted[:, ::2] | (shifted[:, 1::2] << 4)


def _apart(pairs: Tensor) -> Tensor:
    """Undo `_in_pairs`, float32, an even number of columns."""
    both = torch.stack((pairs & 15, pairs >> 4), -1)
    return both.flatten(1).float() - 8
