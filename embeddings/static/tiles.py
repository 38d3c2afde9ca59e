"""Pairs in the order that GloVe visits them: tiles of 1024 words by 1024 contexts, shuffled within, visited in random order.

A tile's rows stay in the cache while it is visited; scores equal those of a full shuffle. A pair takes 8 bytes: row and column within
the tile, and log X. Counts that lie on disk are packed to disk beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.static.cooccurrence import Cooccurrences
from embeddings.static.kernels.glove import TILE, pack_tiles

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Tiles:
    """All pairs; ``places`` of shape (tiles, 4) holds each tile's stripe of words, stripe of contexts, begin and end."""

    rows: NDArray[np.uint16]
    columns: NDArray[np.uint16]
    logs: NDArray[np.float32]
    places: NDArray[np.int64]


@contextmanager
def packed(cooccurrences: Cooccurrences, seed: int, workers: int) -> Iterator[Tiles]:
    """Yield the pairs in tiles; files that they needed are gone afterwards."""
    if cooccurrences.folder is None:
        yield _pack(cooccurrences, seed, workers, None)
        return
    with TemporaryDirectory(prefix="tiles.", dir=cooccurrences.folder) as folder:
        yield _pack(cooccurrences, seed, 1, Path(folder))


def _pack(counts: Cooccurrences, seed: int, workers: int, folder: Path | None) -> Tiles:
    """Pack stripe after stripe; each stripe's pairs stay where its rows were."""
    rows = _room(np.uint16, counts.pairs, folder, "rows")
    columns = _room(np.uint16, counts.pairs, folder, "columns")
    logs = _room(np.float32, counts.pairs, folder, "logs")
    stripes = -(-len(counts) // TILE)
    seeds = np.random.SeedSequence(seed).generate_state(stripes, np.uint32)

    def pack(stripe: int) -> NDArray[np.int64]:
        """Pack one stripe of words; return the places of its tiles."""
        starts = counts.starts[stripe * TILE : (stripe + 1) * TILE + 1]
        own = slice(starts[0], starts[-1])
        ends = np.empty(stripes + 1, np.int64)
        pack_tiles(
            starts,
            np.asarray(counts.columns[own]),
            np.asarray(counts.values[own]),
            seeds[stripe],
            ends,
            rows[own],
            columns[own],
            logs[own],
        )
        ends += starts[0]
        stripe_of_words = np.full(stripes, stripe)
        return np.stack([stripe_of_words, np.arange(stripes), ends[:-1], ends[1:]], axis=1)

    with ThreadPoolExecutor(workers) as pool:
        places = np.concatenate(list(pool.map(pack, range(stripes))))
    return Tiles(rows, columns, logs, places[places[:, 3] > places[:, 2]])


def _room(kind: type[S], pairs: int, folder: Path | None, name: str) -> NDArray[S]:
    """Make room for the pairs, in memory or in a file."""
    if folder is None or pairs == 0:
        return np.empty(pairs, kind)
    return np.memmap(folder / name, kind, "w+", shape=(pairs,))
