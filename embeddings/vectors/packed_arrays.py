"""Arrays of numbers packed into a safetensors file: the bytes of an array apart, each plane deflated; read with a bound on what comes out.

Low bytes of counts vary and high ones are mostly zero, so that planes pack far better than numbers.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embeddings.arrays import Bytes
from embeddings.errors import Clause, FormatError, MissingFileError, clause
from embeddings.files import atomic_file, parse_json
from embeddings.model_card import CARD, verify_files

Tensors = Mapping[str, NDArray[Any]]
Table = TypeVar("Table")
LARGEST_WORDS = 4 << 20  # bytes of words


def deflate(array: Bytes) -> Bytes:
    """Return the deflated bytes of an array."""
    return np.frombuffer(zlib.compress(array.tobytes(), 9), np.uint8)


def inflate(array: Bytes, bound: int) -> bytes:
    """Return what was deflated; never more than one byte past ``bound`` is made.

    Raises
    ------
    ValueError
        If there is more than ``bound`` bytes.
    """
    content = zlib.decompressobj().decompress(array.tobytes(), bound + 1)
    if len(content) > bound:
        raise ValueError(clause("unpacks_over", bound=bound))
    return content


def pack_words(words: Sequence[str]) -> Bytes:
    """Return words, a line each, deflated."""
    return deflate(np.frombuffer("\n".join(words).encode(), np.uint8))


def unpack_words(array: Bytes, most: int) -> tuple[str, ...]:
    """Return what `pack_words` packed.

    Raises
    ------
    ValueError
        If a word is repeated, there are more than ``most``, or they take more than `LARGEST_WORDS` bytes.
    """
    text = inflate(array, LARGEST_WORDS).decode()
    words = tuple(text.split("\n")) if text else ()
    if not len(words) == len(set(words)) <= most:
        raise ValueError(clause("words_repeated", words=len(words), most=most))
    return words


def to_planes(name: str, array: NDArray[Any], kind: str) -> dict[str, Bytes]:
    """Return ``name_0``, ``name_1``, ...: the deflated bytes of an array, low ones first.

    Planes past the first that are all zero are left out. ``kind`` is the numpy type that is stored, ``"<u2"`` or ``"<u4"``.
    """
    planes = np.ascontiguousarray(array.astype(kind)).view(np.uint8)
    apart = planes.reshape(-1, np.dtype(kind).itemsize).T
    return {
        f"{name}_{number}": deflate(plane)
        for number, plane in enumerate(apart)
        if number == 0 or plane.any()
    }


def from_planes(tensors: Tensors, name: str, size: int, kind: str) -> NDArray[Any]:
    """Put the bytes of an array of ``size`` numbers together.

    Raises
    ------
    ValueError
        If a plane does not have ``size`` bytes.
    KeyError
        If the first plane is missing.
    """
    width = np.dtype(kind).itemsize
    apart = np.zeros((size, width), np.uint8)
    for number in range(width):
        key = f"{name}_{number}"
        if number and key not in tensors:
            continue
        plane = inflate(tensors[key], size)
        if len(plane) != size:
            raise ValueError(clause("shape_other", name=key, found=len(plane), expected=size))
        apart[:, number] = np.frombuffer(plane, np.uint8)
    return apart.reshape(-1).view(kind)


def check_numbers(name: str, values: ArrayLike, low: float, high: float) -> None:
    """Raise ValueError, which says the first number that is not within ``low`` and ``high``."""
    array = np.atleast_1d(values)
    if (outside := array[~((array >= low) & (array <= high))]).size:
        raise ValueError(clause("number_outside", name=name, value=outside[0], low=low, high=high))


def check_shapes(tensors: Tensors, **shapes: tuple[int, ...]) -> None:
    """Raise ValueError, which names the first array of another shape than ``shapes`` says."""
    for name, expected in shapes.items():
        if (found := tensors[name].shape) != expected:
            raise ValueError(clause("shape_other", name=name, found=found, expected=expected))


def save_packed(path: Path, kind: str, tensors: Tensors, about: Mapping[str, object]) -> None:
    """Write arrays and their description, whole or not at all; ``kind`` is asked for again at reading."""
    metadata = {"about": json.dumps({"format": kind, **about})}
    with atomic_file(path) as temporary:
        save_file(dict(tensors), temporary, metadata=metadata)


def load_packed(
    path: Path,
    kind: str,
    assemble: Callable[[Tensors, Mapping[str, Any]], Table],
    way_out: Clause,
) -> Table:
    """Read what `save_packed` wrote, as ``assemble(tensors, about)`` puts it together.

    Raises
    ------
    MissingFileError
        If there is no such file; ``way_out`` says how it is made.
    FormatError
        If the file is damaged, of another kind, or if ``assemble`` raises ValueError, LookupError, ArithmeticError or TypeError.
    CheckpointError
        If it does not have the sha256 of the folder's card.
    """
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out=way_out)
    if (path.parent / CARD).exists():
        verify_files(path.parent, path.name)
    try:
        with safe_open(path, framework="numpy") as file:
            about = parse_json((file.metadata() or {}).get("about", "{}"), path)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if about.get("format") != kind:
            raise ValueError(clause("format_other", found=about.get("format", "?"), expected=kind))
        return assemble(tensors, about)
    except FormatError:
        raise
    except (
        SafetensorError,
        LookupError,
        TypeError,
        ArithmeticError,
        ValueError,
        zlib.error,
    ) as error:
        raise FormatError("packed_damaged", path=path, reason=error, way_out=way_out) from error
