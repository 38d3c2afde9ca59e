"""Co-occurrence counts: how often word j stands near word i, each meeting weighted by 1 / distance.

- Windows do not cross sentence bounds. Words outside the vocabulary are gone before counting and take no place, as in GloVe's own tool,
  so that its counts over the same lines equal these.
- Sums are kept in float64 and rounded once to float32: each value is the true sum to within 6e-8 of itself.
- With ``memory_mb`` the same loops run over fewer rows at a time and write to disk: the result is the same, byte for byte.

Pennington, Socher and Manning (2014), sections 3 and 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_range
from embeddings.errors import InputError, MissingFileError
from embeddings.files import whole_file
from embeddings.results import Progress
from embeddings.static.kernels import cooccurrence as kernels
from embeddings.static.row_blocks import Chunk, counted_rows

if TYPE_CHECKING:
    from embeddings.text.encoded import EncodedCorpus

STARTS, COLUMNS, VALUES = "starts.npy", "columns.int32", "values.float32"


@dataclass(frozen=True, slots=True)
class CooccurrenceConfig:
    """How co-occurrences are counted."""

    window: int = field(default=10, metadata={"help": "Words to look at on either side."})
    symmetric: bool = field(
        default=True, metadata={"help": "Look at both sides, or only at the words to the left."}
    )
    memory_mb: int = field(
        default=0, metadata={"help": "Count on disk within so many MB. 0: in memory, as it needs."}
    )
    workers: int = field(default=2, metadata={"help": "Threads."})

    def __post_init__(self) -> None:
        check_range("window", self.window, 1, 255)
        check_range("memory_mb", self.memory_mb, 0, 1 << 30)
        check_range("workers", self.workers, 1, 256)


@dataclass(frozen=True, slots=True)
class Cooccurrences:
    """Sparse rows X_i: ``columns`` and ``values`` of word i are ``[starts[i]:starts[i + 1]]``, columns rising.

    Attributes
    ----------
    starts : NDArray of int64, shape (words + 1,)
    columns : NDArray of int32, shape (pairs,)
    values : NDArray of float32, shape (pairs,)
        Sum of 1 / distance over all meetings.
    folder : Path or None
        Where the arrays lie if they are memory maps.
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    folder: Path | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def pairs(self) -> int:
        """Number of pairs that met at least once."""
        return len(self.columns)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """All that there is to the counts."""
        return self.starts, self.columns, self.values

    def row(self, word: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Columns and values of one word."""
        entries = slice(self.starts[word], self.starts[word + 1])
        return self.columns[entries], self.values[entries]

    def row_sums(self) -> NDArray[np.float64]:
        """X_i, the sum of each row, over the whole vocabulary; shape (words,)."""
        return kernels.row_sums(self.starts, self.values)

    @classmethod
    def open(cls, folder: Path) -> Cooccurrences:
        """Open counts that were spilled to ``folder``, memory-mapped."""
        for name in (STARTS, COLUMNS, VALUES):
            if not (folder / name).exists():
                way_out = "Count again: the counting did not end."
                raise MissingFileError("file_missing", path=folder / name, way_out=way_out)
        starts = np.load(folder / STARTS, allow_pickle=False)
        if starts[-1] == 0:  # an empty file cannot be mapped
            return cls(starts, np.empty(0, np.int32), np.empty(0, np.float32), folder)
        columns = np.memmap(folder / COLUMNS, np.int32, "r", shape=(int(starts[-1]),))
        values = np.memmap(folder / VALUES, np.float32, "r", shape=(int(starts[-1]),))
        return cls(starts, columns, values, folder)


def count_cooccurrences(
    corpus: EncodedCorpus,
    config: CooccurrenceConfig | None = None,
    report: Callable[[Progress], None] | None = None,
    *,
    folder: Path | None = None,
) -> Cooccurrences:
    """Count how often words meet within a window.

    Parameters
    ----------
    corpus : EncodedCorpus
        Ids and sentence bounds.
    config : CooccurrenceConfig, optional
        Window, memory bound, threads.
    report : callable, optional
        Called with `Progress` in words of text counted.
    folder : Path, optional
        Where counts are spilled; needed when ``config.memory_mb`` is set.

    Returns
    -------
    Cooccurrences
        Symmetric (X_ij = X_ji to rounding) unless ``config.symmetric`` is false.

    Raises
    ------
    InputError
        If there is nothing to count, or if ``memory_mb`` has no room for the longest row.
    """
    config = config or CooccurrenceConfig()
    if len(corpus.ids) == 0:
        raise InputError("cooccurrence_empty")
    window = (config.window, config.window if config.symmetric else 0)
    if not config.memory_mb:
        return _in_memory(counted_rows(corpus, window, config.workers, report=report))
    if folder is None:
        raise InputError("cooccurrence_folder", memory_mb=config.memory_mb)
    memory = config.memory_mb << 20
    chunks = counted_rows(corpus, window, config.workers, memory=memory, report=report)
    return _on_disk(chunks, folder)


def _in_memory(chunks: Iterable[Chunk]) -> Cooccurrences:
    """Join the chunks as they come; arrays grow in place, so that the entries exist once."""
    sizes, columns, values = [], np.empty(0, np.int32), np.empty(0, np.float32)
    for part in chunks:
        sizes.append(part.sizes)
        for array, added in ((columns, part.columns), (values, part.values)):
            end = len(array)
            array.resize(end + len(added), refcheck=False)
            array[end:] = added
    return Cooccurrences(_offsets(sizes), columns, values)


def _on_disk(chunks: Iterable[Chunk], folder: Path) -> Cooccurrences:
    """Append the chunks to files as they come; ``starts.npy`` comes last and says that all is there."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / STARTS).unlink(missing_ok=True)
    sizes = []
    with (folder / COLUMNS).open("wb") as columns, (folder / VALUES).open("wb") as values:
        for part in chunks:
            sizes.append(part.sizes)
            part.columns.tofile(columns)
            part.values.tofile(values)
    with whole_file(folder / STARTS) as temporary, temporary.open("wb") as file:
        np.save(file, _offsets(sizes))
    return Cooccurrences.open(folder)


def _offsets(sizes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Where each row begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(sizes))])
