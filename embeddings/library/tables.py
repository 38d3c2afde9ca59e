"""Coordinates and neighbours of a model as CSV: UTF-8 with its mark, so that Excel reads every letter."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.pca import PCA
from embeddings.files import check_replaceable, whole_folder
from embeddings.vectors.table import Vectors

COORDINATES, NEIGHBOURS = "coordinates.csv", "neighbours.csv"
WORDS, TOPN = 5000, 10  # words whose neighbours are listed, and how many
BLOCK = 256  # queries at once: 256 x 30 000 float32 are 31 MB


def write_tables(vectors: Vectors, folder: Path) -> None:
    """Write ``coordinates.csv`` and ``neighbours.csv``, whole or not at all.

    The first has every word with its count and its place on the first three principal components
    (fewer where the vectors are shorter) of the unit vectors, centred, not standardised; the second the `TOPN` nearest of
    the `WORDS` most frequent words, with their cosines.
    """
    check_replaceable(folder, COORDINATES, (COORDINATES, NEIGHBOURS))
    with whole_folder(folder) as new:
        places = _places(vectors)
        names = [f"pc{number + 1}" for number in range(places.shape[1])]
        rows = (
            (word, count, *(f"{value:.6f}" for value in place))
            for word, count, place in zip(vectors.words, _counts(vectors), places, strict=True)
        )
        _write(new / COORDINATES, ("word", "count", *names), rows)
        _write(new / NEIGHBOURS, ("word", "rank", "neighbour", "cosine"), _neighbours(vectors))


def _places(vectors: Vectors) -> NDArray[np.floating]:
    """Coordinates of all words, shape (words, up to 3)."""
    unit = vectors.unit_rows(slice(None))
    components = min(3, vectors.vector_size, len(vectors))
    if len(vectors) < 2:
        return np.zeros((len(vectors), components))
    return PCA(components, standardize=False).fit_transform(unit)


def _neighbours(vectors: Vectors) -> Iterator[tuple[str, int, str, str]]:
    """Yield word, rank, neighbour and cosine."""
    unit = vectors.unit_rows(slice(None))
    topn = min(TOPN, len(vectors) - 1)
    for start in range(0, min(WORDS, len(vectors)), BLOCK):
        rows = np.arange(start, min(start + BLOCK, WORDS, len(vectors)))
        cosines = unit[rows] @ unit.T  # (block, words)
        cosines[np.arange(len(rows)), rows] = -np.inf
        near = np.argpartition(-cosines, max(topn - 1, 0), axis=1)[:, :topn]
        for row, found, values in zip(rows, near, cosines, strict=True):
            for rank, other in enumerate(found[np.argsort(-values[found], kind="stable")], 1):
                yield vectors.words[row], rank, vectors.words[other], f"{values[other]:.6f}"


def _counts(vectors: Vectors) -> Sequence[object]:
    """Counts, empty where they are not known."""
    return [""] * len(vectors) if vectors.counts is None else vectors.counts.tolist()


def _write(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write one CSV file."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)
