"""Shards of text files, cut at line ends; and slices of an encoded corpus."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from embeddings.archives import packing_of_name
from embeddings.corpora.encoded_corpus import (
    IDS_FILE,
    SENTENCES_FILE,
    EncodedCorpus,
    are_bounds,
    lie_within,
)
from embeddings.corpora.text_extraction import kind_of_name
from embeddings.errors import CheckpointError, MissingFileError
from embeddings.mapped_files import map_npy
from embeddings.results import Value

SEARCHED_BYTES = 1 << 16  # bytes that are read at a time in search of a line's end


class Shard(Value):
    """The lines of a file that begin in a range of its bytes; it opens as a `embeddings.corpora.text_files.TextFile`.

    Attributes
    ----------
    path : Path
        The file, under a path that every worker sees.
    start, end : int
        The range.
    size, changed : int
        Bytes of the file; when it was changed, in nanoseconds.
    """

    path: Path
    start: int
    end: int
    size: int
    changed: int

    @property
    def name(self) -> str:
        """Name of the file."""
        return self.path.name

    @property
    def suffix(self) -> str:
        """What the name ends in."""
        return self.path.suffix

    def open(self, mode: Literal["rb"] = "rb", /) -> BinaryIO:
        """Open the shard's bytes.

        Raises
        ------
        MissingFileError
            If the file is not there for this machine.
        """
        try:
            file = self.path.open(mode)
        except FileNotFoundError as error:
            raise MissingFileError("cluster_file_missing", path=self.path) from error
        if self.start == 0 and self.end == self.size:
            return file
        with file:
            start, end = _line_start(file, self.start), _line_start(file, self.end)
            file.seek(start)
            return io.BytesIO(file.read(end - start))

    def lines_before(self) -> int:
        """Count the line ends before the shard."""
        with self.path.open("rb") as file:
            end = _line_start(file, self.start)
            file.seek(0)
            starts = range(0, end, SEARCHED_BYTES)
            return sum(file.read(min(SEARCHED_BYTES, end - at)).count(b"\n") for at in starts)

    def __str__(self) -> str:
        return str(self.path)


def _line_start(file: BinaryIO, place: int) -> int:
    """Return where the first line begins that starts at ``place`` or behind it."""
    file.seek(max(place - 1, 0))
    while place and (piece := file.readline(SEARCHED_BYTES)) and not piece.endswith(b"\n"):
        pass
    return file.tell()


def list_shards(files: Sequence[Path], size: int) -> tuple[Shard, ...]:
    """Cut files into shards of ``size`` bytes, in the order of the text; one that is packed, or no plain text, is a shard of its own."""
    shards: list[Shard] = []
    for file in files:
        whole, changed = file.stat().st_size, file.stat().st_mtime_ns
        is_packed = bool(packing_of_name(file.name) or kind_of_name(file.name))
        step = max(whole, 1) if is_packed else size
        ranges = ((start, min(start + step, whole)) for start in range(0, max(whole, 1), step))
        shards += [Shard(file.resolve(), start, end, whole, changed) for start, end in ranges]
    return tuple(shards)


class TextSlice(Value):
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
        folder = Path(self.folder)
        bounds = np.array(map_npy(folder / SENTENCES_FILE)[self.first : self.end + 1])
        if len(bounds) != self.end + 1 - self.first:
            raise CheckpointError("corpus_folder", path=folder, name=SENTENCES_FILE)
        ids = np.array(map_npy(folder / IDS_FILE)[bounds[0] : bounds[-1]])
        bounds -= bounds[0]
        if not are_bounds(bounds, len(ids)):
            raise CheckpointError("corpus_folder", path=folder, name=SENTENCES_FILE)
        if not lie_within(ids, self.words):
            raise CheckpointError("corpus_folder", path=folder, name=IDS_FILE)
        return ids, bounds

    def __str__(self) -> str:
        return f"{self.folder} [{self.first}:{self.end}]"


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
