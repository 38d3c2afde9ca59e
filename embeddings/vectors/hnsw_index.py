"""An HNSW index over the rows of a very large table: milliseconds a query, a few rows missed.

The graph walks over int8 rows, which are a third quicker to build over than float16 and half as large; `CANDIDATES` times as many
rows as are asked for come out of it and are ranked by their true cosines, which gives back what the rounding lost.
Built when asked for (minutes for a million rows), and kept in a file; one that does not fit the table is rebuilt.
Exact search (`embeddings.vectors.cosine_search`) stays the default; its ``approximate=True`` asks this index. Malkov and
Yashunin (2018), by the usearch library.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from embeddings.arrays import Float32s, Floats, Int64s
from embeddings.errors import FormatError, clause
from embeddings.files import atomic_file
from embeddings.optional import optional
from embeddings.results import Report, progress_of
from embeddings.vectors.cosine_search import unit_length

if TYPE_CHECKING:
    from usearch.index import Index

    from embeddings.vectors.table import Vectors

ROWS_AT_A_TIME = 1 << 14
DTYPE = "i8"  # of the rows in the graph
CANDIDATES = 3  # rows that the graph names for one that is asked for
# How dense the graph is and how far a query walks: more of each finds more and costs more.
CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 128, 176
INDEX_SETTINGS = f"{CONNECTIVITY}-{EXPANSION_ADD}-{DTYPE}"


class NearIndex:
    """Approximate neighbours of a table.

    Parameters
    ----------
    vectors : Vectors
        The table; nothing of it is copied but int8 rows into the graph.
    path : Path, optional
        File of the built index; without one the index lives in memory. Its name has to distinguish these rows from others (`INDEX_SETTINGS`
        names the graph): only the number of rows and of dimensions is compared.
    report : callable, optional
        Called with `Progress` in rows while the index is built.
    only_open : bool, default False
        Build nothing.

    Raises
    ------
    FormatError
        If none is to be built and ``path`` holds none that fits: one of another version of the library, say.
    """

    def __init__(
        self,
        vectors: Vectors,
        path: Path | None = None,
        *,
        report: Report | None = None,
        only_open: bool = False,
    ) -> None:
        self.vectors, self.path = vectors, path
        index = self._view(path) if path and path.exists() else None
        if index is None and only_open:
            raise FormatError("file_unreadable", path=path, reason=clause("index_other"))
        self._index = self._build(report) if index is None else index

    def nearest(self, query: Floats, topn: int) -> tuple[Int64s, Float32s]:
        """Return about the rows that exact search does, with their true cosines."""
        count = min(CANDIDATES * topn, len(self.vectors))
        if count < 1:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        matches = self._index.search(unit_length(query), count)
        rows = np.sort(np.asarray(matches.keys, dtype=np.int64))
        cosines = self.vectors.unit_rows(rows) @ unit_length(query)
        order = np.argsort(-cosines, kind="stable")[:topn]
        return rows[order], np.clip(cosines[order], -1, 1)

    def _empty(self) -> Index:
        """Return an index without rows."""
        with optional():
            from usearch.index import Index

        return Index(
            ndim=self.vectors.vector_size,
            metric="cos",
            dtype=DTYPE,
            connectivity=CONNECTIVITY,
            expansion_add=EXPANSION_ADD,
            expansion_search=EXPANSION_SEARCH,
        )

    def _view(self, path: Path) -> Index | None:
        """Map a built index; None if it is not of this many rows and dimensions."""
        index = self._empty()
        try:
            index.view(str(path))
        except RuntimeError:  # cut short, or no index
            return None
        fits = len(index) == len(self.vectors) and index.ndim == self.vectors.vector_size
        return index if fits else None

    def _build(self, report: Report | None = None) -> Index:
        """Build the index on all cores and write it to its file, if there is one, whole or not at all."""
        index, advance = self._empty(), progress_of(report, "index", len(self.vectors))
        for start in range(0, len(self.vectors), ROWS_AT_A_TIME):
            rows = self.vectors.unit_rows(slice(start, start + ROWS_AT_A_TIME))
            index.add(np.arange(start, start + len(rows), dtype=np.uint64), rows)
            advance(start + len(rows))
        if self.path:
            with atomic_file(self.path) as temporary:
                try:
                    index.save(str(temporary))
                except RuntimeError as error:  # how the library says that the disk refuses
                    raise OSError(errno.EIO, str(error), str(self.path)) from error
        return index
