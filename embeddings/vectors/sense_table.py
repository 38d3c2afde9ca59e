"""Vectors of senses next to those of words: ``ключ#1``, ``ключ#2``; the file ``senses.safetensors`` of a static model.

Only words with several senses are in the table. Each form of such a word finds its senses: ``ключом#2`` is ``ключ#2``. The file holds
``vectors`` (int8 rows with ``scale``, a float32 a row; of length one), ``shares``, ``sizes`` (senses of each word) and ``text``,
deflated JSON of words, forms, names and examples; ``transform`` maps the mean of a context's weighted vectors into the same space
(`embeddings.static.sense_building`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s, Int64s, bounds_of
from embeddings.errors import InputError, clause
from embeddings.files import parse_json
from embeddings.results import Value
from embeddings.vectors.packed_arrays import (
    check_shapes,
    deflate,
    inflate,
    load_packed,
    save_packed,
)
from embeddings.vectors.table import WordSense

SENSES_FILE = "senses.safetensors"
SENSES_FORMAT = "klyuch-senses-1"
SENSE_NEIGHBOURS = 8  # shown of a sense where no number is asked for
SMOOTH = 1e-4  # a of the weights a / (a + p) of a context's words
MOST_SENSES, LARGEST_TEXT = 1_000_000, 64 << 20  # what a file may claim
SENSE = re.compile(r"(.+)#([0-9]{1,9})")


def split_sense(text: str) -> tuple[str, int] | None:
    """Return word and number of ``word#number``; None for any other text.

    Examples
    --------
    >>> split_sense("bank#2"), split_sense("c#"), split_sense("bank")
    (('bank', 2), None, None)
    """
    match = SENSE.fullmatch(text)
    return (match[1], int(match[2])) if match else None


class SenseTable(Value, eq=False):
    """Senses of the words that have several.

    Attributes
    ----------
    words : tuple of str
        As they are shown.
    forms : tuple of tuple of str
        All words of the model that share the senses of each, itself included.
    bounds : NDArray of int64, shape (words + 1,)
        Senses of word i are rows ``[bounds[i]:bounds[i + 1]]``.
    vectors : NDArray of float32, shape (senses, vector_size)
        Unit rows.
    shares : NDArray of float32, shape (senses,)
        Of the word's uses; falling within a word.
    names, examples : tuple of tuple of str
        Of each sense.
    transform : NDArray of float32, shape (vector_size + 1, vector_size)
        From mean contexts to vectors.
    """

    words: tuple[str, ...]
    forms: tuple[tuple[str, ...], ...]
    bounds: Int64s
    vectors: Float32s
    shares: Float32s
    names: tuple[tuple[str, ...], ...]
    examples: tuple[tuple[str, ...], ...]
    transform: Float32s

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> tuple[WordSense, ...]:
        """Return the senses of a word, in any of its forms; () for a word of one sense."""
        place = self.index.get(word)
        return () if place is None else tuple(map(self._sense, self._rows(place)))

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Place in ``words`` of each form."""
        index = {form: at for at, forms in enumerate(self.forms) for form in forms}
        return index | {word: at for at, word in enumerate(self.words)}

    @cached_property
    def owners(self) -> Int64s:
        """Place in ``words`` of each sense's word, shape (senses,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def find(self, text: str) -> int | None:
        """Row of ``word#number``; None if the text is no such, or the word is of one sense.

        Raises
        ------
        InputError
            If the word has senses, and none of that number.
        """
        parts = split_sense(text)
        place = None if parts is None else self.index.get(parts[0])
        if parts is None or place is None:
            return None
        rows = self._rows(place)
        if not 1 <= parts[1] <= len(rows):
            senses = ", ".join(f"{self.words[place]}#{n + 1}" for n in range(len(rows)))
            raise InputError("sense_number", word=parts[0], number=parts[1], senses=senses)
        return rows[parts[1] - 1]

    def forms_of(self, row: int) -> tuple[str, ...]:
        """Return the words of the model that a sense belongs to."""
        place = int(self.owners[row])
        return tuple(dict.fromkeys((self.words[place], *self.forms[place])))

    @property
    def labels(self) -> Iterator[str]:
        """``word#number`` of each row."""
        return map(self.label, range(len(self.vectors)))

    def label(self, row: int) -> str:
        """Return ``word#number`` of a row."""
        return self._sense(row).word

    def _rows(self, place: int) -> range:
        """Rows of a word's senses."""
        return range(int(self.bounds[place]), int(self.bounds[place + 1]))

    def _sense(self, row: int) -> WordSense:
        """Describe a row."""
        place = int(self.owners[row])
        number = row - int(self.bounds[place]) + 1
        word, share = self.words[place], float(self.shares[row])
        return WordSense(f"{word}#{number}", number, self.names[row], share, self.examples[row])


def save_senses(table: SenseTable, folder: Path) -> None:
    """Write the table to ``folder / "senses.safetensors"``, whole or not at all."""
    text = {
        "words": table.words,
        "forms": table.forms,
        "names": table.names,
        "examples": table.examples,
    }
    raw = np.frombuffer(json.dumps(text, ensure_ascii=False).encode(), np.uint8)
    peaks = np.abs(table.vectors).max(axis=1, initial=0)
    scale = (np.where(peaks > 0, peaks, 1) / 127).astype(np.float32)
    tensors: dict[str, NDArray[Any]] = {
        "vectors": np.rint(table.vectors / scale[:, None]).astype(np.int8),
        "scale": scale,
        "shares": table.shares.astype(np.float32),
        "sizes": np.diff(table.bounds).astype(np.uint32),
        "transform": np.ascontiguousarray(table.transform, np.float16),
        "text": deflate(raw),
    }
    save_packed(folder / SENSES_FILE, SENSES_FORMAT, tensors, {})


def load_senses(folder: Path, vector_size: int) -> SenseTable:
    """Read the table of a model's folder.

    Raises
    ------
    MissingFileError, CheckpointError
        If the folder has none, or another than its card says.
    FormatError
        If the file is damaged, contradicts itself, or does not fit vectors of ``vector_size`` dimensions.
    """
    path = folder / SENSES_FILE
    way_out = clause("build_senses")
    return load_packed(path, SENSES_FORMAT, lambda t, _: _table(t, vector_size, path), way_out)


def _table(tensors: Mapping[str, NDArray[Any]], vector_size: int, path: Path) -> SenseTable:
    """Put the arrays together; ValueError says what does not fit."""
    sizes, text = tensors["sizes"].astype(np.int64), tensors["text"]
    if (sizes < 2).any() or sizes.sum() > MOST_SENSES:
        raise ValueError(clause("senses_outside", most=MOST_SENSES))
    bounds = bounds_of(sizes)
    senses = int(bounds[-1])
    vectors, shares, scale = (tensors[n].astype(np.float32) for n in ("vectors", "shares", "scale"))
    transform = tensors["transform"].astype(np.float32)
    check_shapes(tensors, vectors=(senses, vector_size), scale=(senses,), shares=(senses,))
    check_shapes(tensors, transform=(vector_size + 1, vector_size))
    vectors *= scale[:, None]
    listed = parse_json(inflate(text, LARGEST_TEXT), path, LARGEST_TEXT)
    words = tuple(map(str, listed["words"]))
    forms, names, examples = (
        tuple(tuple(map(str, item)) for item in listed[name])
        for name in ("forms", "names", "examples")
    )
    lengths = [len(words), len(forms), len(names), len(examples)]
    if lengths != [len(sizes), len(sizes), senses, senses]:
        raise ValueError(clause("texts_unfit", words=len(sizes), senses=senses))
    return SenseTable(words, forms, bounds, vectors, shares, names, examples, transform)
