"""Slices of an encoded corpus, read by a worker from where it lies: a folder that all see, or an address."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.shards import open_address
from embeddings.corpora.encoded_corpus import (
    IDS,
    SENTENCES,
    EncodedCorpus,
    are_bounds,
    lie_within,
)
from embeddings.errors import CheckpointError

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class TextSlice:
    """Sentences ``first`` up to ``end`` of an encoded corpus of so many ``words``, in its ``folder``."""

    folder: str
    words: int
    first: int
    end: int

    def read(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return ids, and the bounds of sentences in them, from 0.

        Raises
        ------
        KlyuchError
            If the corpus is not there, or damaged: the loops write to memory by its ids.
        """
        bounds = _read(self.folder, SENTENCES, np.int64, self.first, self.end + 1)
        if not len(bounds) or bounds[0] < 0 or bounds[-1] < bounds[0]:
            raise CheckpointError("corpus_folder", path=self.folder, name=SENTENCES)
        ids = _read(self.folder, IDS, np.int32, int(bounds[0]), int(bounds[-1]))
        bounds = bounds - bounds[0]
        if not are_bounds(bounds, len(ids)):
            raise CheckpointError("corpus_folder", path=self.folder, name=SENTENCES)
        if not lie_within(ids, self.words):
            raise CheckpointError("corpus_folder", path=self.folder, name=IDS)
        return ids, bounds

    def __str__(self) -> str:
        return f"{self.folder} [{self.first}:{self.end}]"


def _read(folder: str, name: str, kind: type[S], first: int, end: int) -> NDArray[S]:
    """Read elements ``first`` up to ``end`` of a one-dimensional .npy file."""
    size = np.dtype(kind).itemsize
    with open_address(f"{folder}/{name}") as file:
        try:
            np.lib.format.read_magic(file)
            shape, _, stored = np.lib.format.read_array_header_1_0(file)
        except ValueError as error:
            raise CheckpointError("corpus_folder", path=folder, name=name) from error
        if len(shape) != 1 or stored != kind or not 0 <= first <= end <= shape[0]:
            raise CheckpointError("corpus_folder", path=folder, name=name)
        file.seek(file.tell() + first * size)
        data = file.read((end - first) * size)
    if len(data) != (end - first) * size:
        raise CheckpointError("corpus_folder", path=folder, name=name)
    return np.frombuffer(data, kind)


def cut_text(corpus: EncodedCorpus, length: int) -> list[TextSlice]:
    """Cut a corpus into slices of whole sentences with about ``length`` words; a longer sentence is a slice of its own."""
    bounds = corpus.sentence_bounds
    pieces = max(1, math.ceil(len(corpus.ids) / max(length, 1)))
    places = [len(corpus.ids) * piece // pieces for piece in range(1, pieces)]
    inner = np.searchsorted(bounds, places)
    edges = np.unique([0, *inner, len(bounds) - 1]).tolist()
    folder = str(Path(str(corpus.folder)).resolve())
    words = len(corpus.vocabulary)
    return [TextSlice(folder, words, first, end) for first, end in pairwise(edges)]
