"""An HNSW index over the rows of a very large table: milliseconds a query, a few rows missed.

The graph walks over int8 rows, which are a third quicker to build over than float16 and half as large; `CANDIDATES` times as many
rows as are asked for come out of it and are ranked by their true cosines, which gives back what the rounding lost.
Built when asked for (minutes for a million rows); in a cache folder it is kept under the stamp of
what it was built from, and one that does not fit the table is rebuilt. Exact search (`embeddings.vectors.search`) stays the default; its
``approximate=True`` asks this index. Malkov and Yashunin (2018), by the usearch library.
"""

from __future__ import annotations

import errno
import hashlib
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_range
from embeddings.errors import FormatError, reason
from embeddings.files import atomic_file
from embeddings.mapped_files import MappedFile
from embeddings.optional import optional
from embeddings.results import Progress, Report
from embeddings.vectors.search import unit_length
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from usearch.index import Index

BLOCK = 1 << 14
DTYPE = "i8"  # of the rows in the graph
CANDIDATES = 3  # rows that the graph names for one that is asked for


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """How dense the graph is and how far a query walks: more of each finds more and costs more."""

    connectivity: int = 16
    expansion_add: int = 128
    expansion_search: int = 176

    def __post_init__(self) -> None:
        check_range("connectivity", self.connectivity, 2, 256)
        check_range("expansion_add", self.expansion_add, 1, 4096)
        check_range("expansion_search", self.expansion_search, 1, 4096)


class NearIndex:
    """Approximate neighbours of a table.

    Parameters
    ----------
    vectors : Vectors
        The table; nothing of it is copied but int8 rows into the graph.
    cache : Path, optional
        Folder for built indexes; without one the index lives in memory.
    config : IndexConfig, optional
    stamp : str
        What tells these rows and settings from others; "" hashes them all.
    report : callable, optional
        Called with `Progress` in rows while the index is built.
    only_open : bool, default False
        Build nothing.

    Raises
    ------
    FormatError
        If none is to be built and ``cache`` holds none that fits: one of another version of the library, say.
    """

    def __init__(
        self,
        vectors: Vectors,
        cache: Path | None = None,
        config: IndexConfig | None = None,
        *,
        stamp: str = "",
        report: Report | None = None,
        only_open: bool = False,
    ) -> None:
        self.vectors = vectors
        self.config = config or IndexConfig()
        self.path = cache and cache / f"{stamp or _fingerprint(vectors, self.config)}.usearch"
        index = self._view(self.path, self.config) if self.path and self.path.exists() else None
        if index is None and cache and not stamp and config is None:
            older = cache / f"{_fingerprint(vectors, OLDER, '')}.usearch"
            if older.exists() and (index := self._view(older, OLDER, OLDER_DTYPE)) is not None:
                self.path, self.config = older, OLDER
        if index is None and only_open:
            raise FormatError("file_unreadable", path=self.path, reason=reason("index_other"))
        self._file = None if index is None or self.path is None else MappedFile.of(self.path)
        self._index = self._build(report) if index is None else index

    def nearest(
        self, query: NDArray[np.floating], topn: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return about the rows that exact search does, with their true cosines."""
        if self._file is not None:
            self._file.check()
        count = min(CANDIDATES * topn, len(self.vectors))
        if count < 1:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        matches = self._index.search(unit_length(query), count)
        rows = np.sort(np.asarray(matches.keys, dtype=np.int64))
        cosines = self.vectors.unit_rows(rows) @ unit_length(query)
        order = np.argsort(-cosines, kind="stable")[:topn]
        return rows[order], np.clip(cosines[order], -1, 1)

    def _empty(self, config: IndexConfig, dtype: str = DTYPE) -> Index:
        """Return an index without rows."""
        with optional():
            from usearch.index import Index

        return Index(
            ndim=self.vectors.vector_size,
            metric="cos",
            dtype=dtype,
            connectivity=config.connectivity,
            expansion_add=config.expansion_add,
            expansion_search=config.expansion_search,
        )

    def _view(self, path: Path, config: IndexConfig, dtype: str = DTYPE) -> Index | None:
        """Map a built index from the cache; None if it is not of this many rows and dimensions."""
        index = self._empty(config, dtype)
        try:
            index.view(str(path))
        except RuntimeError:  # cut short, or no index
            return None
        fits = len(index) == len(self.vectors) and index.ndim == self.vectors.vector_size
        return index if fits else None

    def _build(self, report: Report | None = None) -> Index:
        """Build the index on all cores and write it into the cache, if there is one, whole or not at all."""
        index, begun = self._empty(self.config), time.monotonic()
        for start in range(0, len(self.vectors), BLOCK):
            rows = self.vectors.unit_rows(slice(start, start + BLOCK))
            index.add(np.arange(start, start + len(rows), dtype=np.uint64), rows)
            if report is not None:
                done, seconds = start + len(rows), time.monotonic() - begun
                rate = done / max(seconds, 1e-9)
                left = (len(self.vectors) - done) / rate
                report(Progress("index", 0, done, len(self.vectors), math.nan, rate, left))
        if self.path:
            with atomic_file(self.path) as temporary:
                try:
                    index.save(str(temporary))
                except RuntimeError as error:  # how the library says that the disk refuses
                    raise OSError(errno.EIO, str(error), str(self.path)) from error
        return index


# Of indexes that the first version built.
OLDER, OLDER_DTYPE = IndexConfig(expansion_add=96, expansion_search=256), "f16"


def _fingerprint(vectors: Vectors, config: IndexConfig, form: str = f" {DTYPE}") -> str:
    """Sha256 of rows and settings, the first 32 digits."""
    about = (vectors.matrix.shape, str(vectors.matrix.dtype), config.connectivity)
    digest = hashlib.sha256(f"{about} {config.expansion_add}{form}".encode())
    for start in range(0, len(vectors), BLOCK):
        digest.update(np.ascontiguousarray(vectors.matrix[start : start + BLOCK]).data)
    return digest.hexdigest()[:32]
