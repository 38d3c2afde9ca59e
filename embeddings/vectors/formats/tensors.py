"""Arrays of a safetensors file as read-only memory maps: nothing is copied until it is used."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from embeddings.errors import FormatError, MissingFileError

_DTYPES = {"F32": np.float32, "F16": np.float16, "I8": np.int8, "I32": np.int32, "I64": np.int64}


def map_tensors(path: Path) -> dict[str, NDArray[np.generic]]:
    """Return every array of ``path`` by name, memory-mapped.

    The library checks the header (its length, and that every array lies inside the file) before
    anything is mapped.
    """
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out="Get the model again.")
    try:
        with safe_open(path, framework="numpy"):
            pass
    except SafetensorError as error:
        raise FormatError("file_unreadable", path=path, reason=str(error)) from error
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    return {name: _map(path, 8 + length, name, about) for name, about in header.items()}


def _map(path: Path, start: int, name: str, about: dict[str, object]) -> NDArray[np.generic]:
    """Map one array; a kind of number that numpy lacks (bfloat16) is refused."""
    dtype = _DTYPES.get(str(about["dtype"]))
    if dtype is None:
        raise FormatError(
            "file_unreadable", path=path, reason=f"{name} is of type {about['dtype']}"
        )
    shape, offsets = about["shape"], about["data_offsets"]
    assert isinstance(shape, list)  # the library has checked the header
    assert isinstance(offsets, list)
    if 0 in shape:
        return np.zeros(shape, dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="r", offset=start + offsets[0], shape=tuple(shape))
