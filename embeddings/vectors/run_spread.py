"""How far a model's numbers move when it is trained again: what several runs say of its common words.

A folder with ``spread.safetensors`` and ``card.json``. It holds, for each of the commonest words, the words that are nearest on the average
of the runs, with their cosine in every run and their lowest and highest rank; and the vectors of some words in every run, in a byte a
number, from which the cosine of any two of them can be had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s, Int64s
from embeddings.errors import clause
from embeddings.files import (
    atomic_folder,
    check_replaceable,
)
from embeddings.model_card import CARD, load_card, write_card
from embeddings.results import Value
from embeddings.vectors.packed_arrays import (
    Tensors,
    check_numbers,
    check_shapes,
    deflate,
    from_planes,
    inflate,
    load_packed,
    pack_words,
    save_packed,
    to_planes,
    unpack_words,
)
from embeddings.vectors.table import Vectors

SPREAD_FILE = "spread.safetensors"
SPREAD_FORMAT = "klyuch-spread-1"
MOST_WORDS, MOST_RUNS, MOST_NEIGHBOURS, MOST_NUMBERS = 65_535, 1_000, 1_000, 40_000_000
UNIT = 10_000  # a cosine is kept to the fourth digit


class RunSpread(Value, eq=False):
    """What several trainings of one model say.

    Attributes
    ----------
    words : tuple of str
        All words that are named here; the first ``len(neighbours)`` of them have rows.
    neighbours : NDArray of uint16, shape (rows, nearest)
        Words nearest to each, by falling mean cosine.
    cosines : NDArray of float32, shape (rows, nearest, runs)
        Of a word and its neighbour in every run, to four digits.
    ranks : NDArray of uint16, shape (rows, nearest, 2)
        Lowest and highest rank among the runs, from 1.
    kept : NDArray of uint16, shape (kept,)
        Words whose vectors are kept.
    vectors : NDArray of float32, shape (runs, kept, vector_size)
        Their vectors in every run, of length one.
    lower : bool
        Whether the words are in lower case.
    resample : str
        "documents": each run has a seed of its own and documents drawn again; "none": the seed alone.
    """

    words: tuple[str, ...]
    neighbours: NDArray[np.uint16]
    cosines: Float32s
    ranks: NDArray[np.uint16]
    kept: NDArray[np.uint16]
    vectors: Float32s
    lower: bool = True
    resample: str = "documents"

    @property
    def runs(self) -> int:
        """How often the model was trained."""
        return int(self.vectors.shape[0])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def row_of_number(self) -> Mapping[int, int]:
        """Row among ``vectors`` of each kept word, by its number."""
        return {int(number): row for row, number in enumerate(self.kept)}

    def row(self, word: str) -> int | None:
        """Row of a word that has neighbours here; None if it has none."""
        number = self.index.get(word.lower() if self.lower else word)
        return number if number is not None and number < len(self.neighbours) else None

    def run(self, number: int) -> Vectors:
        """Return the kept words of one run as a table."""
        words = [self.words[kept] for kept in self.kept]
        return Vectors(words, self.vectors[number], lower=self.lower)


def rows_of_all(tables: Sequence[Float32s]) -> Int64s:
    """Return the rows that are zero in no table of unit vectors, shape (words, vector_size), one a run: words that all runs have."""
    there = np.ones(len(tables[0]), bool)
    for table in tables:
        there &= np.asarray(table).any(axis=1)
    return np.flatnonzero(there)


def save_spread(spread: RunSpread, folder: Path, card: Mapping[str, object]) -> None:
    """Write a folder, whole or not at all; an older one of that name is replaced.

    Raises
    ------
    FormatError
        If the folder holds anything else.
    """
    check_replaceable(folder, SPREAD_FILE, (SPREAD_FILE, CARD))
    scales = np.abs(spread.vectors).max(axis=-1)
    scales[scales == 0] = 1
    rounded = np.rint(spread.vectors / scales[..., None] * 127).astype(np.int8)
    cosines = np.rint(spread.cosines * UNIT).astype(np.int32)
    steps = np.diff(cosines, axis=-1, prepend=0).astype("<i2")
    tensors: dict[str, NDArray[Any]] = {
        "words": pack_words(spread.words),
        "kept": spread.kept.astype(np.uint16),
        "scales": scales.astype(np.float32),
        "vectors": deflate(rounded.reshape(-1).view(np.uint8)),
        **to_planes("neighbours", spread.neighbours, "<u2"),
        **to_planes("cosines", steps, "<i2"),
        **to_planes("ranks", spread.ranks, "<u2"),
    }
    about = {
        "lower": spread.lower,
        "resample": spread.resample,
        "rows": len(spread.neighbours),
        "nearest": spread.neighbours.shape[1],
        "runs": spread.runs,
        "vector_size": int(spread.vectors.shape[-1]),
    }
    with atomic_folder(folder) as new:
        save_packed(new / SPREAD_FILE, SPREAD_FORMAT, tensors, about)
        write_card(new, card)


def load_spread(folder: Path) -> RunSpread:
    """Read a folder, after a check against the checksum of its card.

    Raises
    ------
    MissingFileError
        If it is not there.
    CheckpointError, FormatError
        If it is damaged or contradicts itself.
    """
    path = folder / SPREAD_FILE
    if path.exists():
        load_card(folder)  # a folder without a card is none
    way_out = clause("measure_spread")
    return load_packed(path, SPREAD_FORMAT, _spread, way_out)


def _spread(tensors: Tensors, about: Mapping[str, Any]) -> RunSpread:
    """Put the arrays together; ValueError says what does not fit."""
    rows, nearest, runs, size = (
        int(about[name]) for name in ("rows", "nearest", "runs", "vector_size")
    )
    words = unpack_words(tensors["words"], MOST_WORDS)
    kept, scales = tensors["kept"].astype(np.uint16), tensors["scales"].astype(np.float32)
    check_numbers("rows", rows, 0, len(words))
    check_numbers("nearest", nearest, 0, MOST_NEIGHBOURS)
    check_numbers("runs", runs, 1, MOST_RUNS)
    check_numbers("vector_size", size, 1, MOST_NUMBERS)
    check_numbers("rows * nearest * runs", rows * nearest * runs, 0, MOST_NUMBERS)
    check_numbers("runs * kept * vector_size", runs * len(kept) * size, 0, MOST_NUMBERS)
    neighbours = from_planes(tensors, "neighbours", rows * nearest, "<u2")
    check_numbers("neighbours", neighbours, 0, len(words) - 1)
    check_numbers("kept", kept, 0, len(words) - 1)
    ranks = from_planes(tensors, "ranks", rows * nearest * 2, "<u2")
    steps = from_planes(tensors, "cosines", rows * nearest * runs, "<i2").astype(np.int32)
    cosines = np.cumsum(steps.reshape(rows, nearest, runs), axis=-1) / UNIT
    check_numbers("cosines", cosines, -1, 1)
    check_shapes(tensors, scales=(runs, len(kept)))
    check_numbers("scales", scales, 1e-45, 3.4e38)  # above 0 and finite
    codes = np.frombuffer(inflate(tensors["vectors"], scales.size * size), np.int8)
    check_shapes({"vectors": codes}, vectors=(scales.size * size,))
    vectors: Float32s = codes.reshape(runs, len(kept), size).astype(np.float32)
    vectors *= (scales / np.float32(127))[..., None]
    return RunSpread(
        words,
        neighbours.reshape(rows, nearest),
        cosines.astype(np.float32),
        ranks.reshape(rows, nearest, 2),
        kept,
        vectors,
        bool(about["lower"]),
        str(about["resample"]),
    )
