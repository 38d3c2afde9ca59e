"""The vectors of chosen words after chosen passes: what the film of a map is made of.

``words.txt`` names the rows; ``PASSES.npy`` (float16, one row a word) holds them after so many whole passes, 0 being
the random start. The words are the commonest of the vocabulary and those that were asked for. A training of many
passes leaves `FRAMES` of them, evenly spread.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import CheckpointError, MissingFileError
from embeddings.files import atomic_file
from embeddings.mapped_files import map_npy

FOLDER, WORDS = "snapshots", "words.txt"
FRAMES = 48

RowVectors = Callable[[NDArray[np.int64]], NDArray[np.float32]]
"""Vectors of the rows asked for, as they are at this moment."""
AfterPass = Callable[[int, RowVectors], None]
"""Called with the whole passes that are done and a `RowVectors`."""


class Snapshots:
    """Writes the snapshots of one training.

    Parameters
    ----------
    run : Path
        The training's folder.
    words : sequence of str
        The vocabulary, by falling frequency.
    passes : int
        How many the training takes.
    common : int
        So many of the commonest words are kept.
    watched : sequence of str
        Further words, passed over where the vocabulary lacks them.
    is_word : callable, optional
        Tells words from what else is in the vocabulary (pieces of words), which is passed over.
    """

    def __init__(
        self,
        run: Path,
        words: Sequence[str],
        passes: int,
        common: int,
        watched: Sequence[str] = (),
        is_word: Callable[[str], bool] = bool,
    ) -> None:
        self.folder = run / FOLDER
        wanted = {*watched}
        known = [row for row, word in enumerate(words) if is_word(word)]
        rows = [row for at, row in enumerate(known) if at < common or words[row] in wanted]
        self.rows = np.array(rows, np.int64)
        self.passes = frames(passes)
        text = "\n".join(words[row] for row in rows)
        names = self.folder / WORDS
        if names.exists() and names.read_text(encoding="utf-8") != text:
            shutil.rmtree(self.folder)
        if not names.exists():
            with atomic_file(names) as temporary:
                temporary.write_text(text, encoding="utf-8")

    def take(self, done: int, rows: RowVectors) -> None:
        """Write the vectors after ``done`` passes, if that is one of `passes`."""
        if done in self.passes:
            with atomic_file(self.folder / f"{done:06d}.npy") as path, path.open("wb") as file:
                np.save(file, rows(self.rows).astype(np.float16))


def snapshots_of(
    run: Path, words: Sequence[str], passes: int, film: int, watch: str
) -> AfterPass | None:
    """Return what keeps the vectors of ``film`` common words and of those that ``watch`` lists; None if none are to be kept."""
    watched = [word.strip() for word in watch.split(",") if word.strip()]
    return Snapshots(run, words, passes, film, watched).take if film or watched else None


def frames(passes: int) -> frozenset[int]:
    """After which passes a snapshot is taken.

    Examples
    --------
    >>> sorted(frames(3)), len(frames(1000)), max(frames(1000))
    ([0, 1, 2, 3], 48, 1000)
    """
    return frozenset(np.linspace(0, passes, min(FRAMES, passes + 1)).round().astype(int).tolist())


def taken(run: Path) -> tuple[int, ...]:
    """Return the passes of which a run's folder has a snapshot, rising."""
    return tuple(sorted(int(path.stem) for path in (run / FOLDER).glob("[0-9]*.npy")))


def read_snapshot(run: Path, done: int) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return the words and their vectors after ``done`` passes.

    Raises
    ------
    MissingFileError, CheckpointError
        If there is no such snapshot, or its files do not agree.
    """
    path, names = run / FOLDER / f"{done:06d}.npy", run / FOLDER / WORDS
    if not path.exists() or not names.exists():
        raise MissingFileError("file_missing", path=path, way_out="Train again with --film.")
    try:
        words = tuple(names.read_text(encoding="utf-8").split("\n"))
        matrix = map_npy(path)
    except (OSError, ValueError) as error:
        raise CheckpointError("run_damaged", path=path, reason=error) from error
    if matrix.shape[:1] != (len(words),) or matrix.ndim != 2:
        raise CheckpointError("run_damaged", path=path, reason=f"shape {matrix.shape}")
    return words, matrix.astype(np.float32)
