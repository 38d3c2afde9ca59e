"""The folder of a Word2Vec, fastText or GloVe training: one checkpoint, replaced after each pass over the data, whole or not at all.

``run.json`` says what is being trained; ``checkpoint.safetensors`` holds the matrices, and as JSON in its header the settings, the digest
of the corpus, the losses by pass and the sha256 of the matrices and of itself, to which it is held when it is read.

Its folder ``snapshots`` holds the vectors of chosen words after chosen epochs, from which the animation of a map is made: ``words.txt``
names the rows; ``EPOCHS.npy`` (float16, one row a word) holds them after so many epochs, 0 being the random start. The words are the
commonest of the vocabulary and those that were asked for. A training of many epochs leaves `FRAMES` of them, evenly spread.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embeddings.arrays import Float32s, Int64s
from embeddings.errors import CheckpointError, MissingFileError, clause
from embeddings.files import atomic_file, check_seal, parse_json, sealed, write_json
from embeddings.mapped_files import map_npy
from embeddings.method_registry import METHODS
from embeddings.results import Value

CHECKPOINT, RUN = "checkpoint.safetensors", "run.json"
MAY_CHANGE = ("workers", "iterations")  # epochs may not: the learning rate falls over all of them


class SavedState(Value, eq=False):
    """What a checkpoint holds: matrices by name, and the losses by pass, of training and of the text held out."""

    tensors: dict[str, Float32s]
    losses: tuple[float, ...]
    heldout_losses: tuple[float, ...]


DAMAGES = (SafetensorError, OSError, LookupError, TypeError, ValueError)
"""What reading a damaged checkpoint raises, or one that is replaced just now."""


def read_state(path: Path) -> dict[str, Any]:
    """Return what the header of a checkpoint says; raises one of `DAMAGES` where it says nothing."""
    with safe_open(path, framework="numpy") as file:
        return parse_json((file.metadata() or {})["state"], path)


def digest(words: Sequence[str], *arrays: NDArray[Any]) -> str:
    """Hexadecimal sha256 of a vocabulary and of arrays, their lengths included; memory maps are read through once."""
    state = hashlib.sha256("\n".join(words).encode())
    for array in arrays:
        state.update(f"\n{array.dtype.str} {array.shape}\n".encode())
        state.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return state.hexdigest()


def passes_setting(settings: Mapping[str, object]) -> str:
    """Return the setting of a trainer that says how often it passes through the text, as the registry of methods names it."""
    names = {method.passes for method in METHODS.values()}
    return next((name for name in settings if name in names), "")


class StaticCheckpoint(Value):
    """Saves and loads the state of one training.

    Attributes
    ----------
    folder : Path
        Made when first written to.
    kind : str
        The trainer: "word2vec", "fasttext", "glove".
    settings : Mapping
        A checkpoint made with others is refused, `MAY_CHANGE` apart.
    """

    folder: Path
    kind: str
    settings: Mapping[str, object]

    @property
    def checkpoint(self) -> Path:
        """Where the checkpoint lies or will lie."""
        return self.folder / CHECKPOINT

    def check(self, resume: bool) -> None:
        """Raise `CheckpointError` if a checkpoint is in the way; reads its header only, so that it can be asked before any work.

        With ``resume`` it must have these settings and no more passes than are asked for. Without, an unfinished one of these settings
        is not to be lost: only `forget` throws it away.
        """
        if resume:
            self._resumable()
            return
        try:
            state = self._fitting()
        except CheckpointError:
            return
        passes = passes_setting(self.settings)
        if state and len(state["losses"]) < state["settings"][passes]:
            raise CheckpointError(
                "run_unfinished",
                path=self.folder,
                done=len(state["losses"]),
                total=state["settings"][passes],
                name=passes,
            )

    def forget(self) -> None:
        """Remove the checkpoint, if there is one."""
        self.checkpoint.unlink(missing_ok=True)

    def begin(self, corpus: str) -> None:
        """Write the settings, and remove the checkpoint of an earlier run unless `check` guards it."""
        self.check(resume=False)
        about = {"kind": self.kind, "settings": dict(self.settings), "corpus": corpus}
        write_json(self.folder / RUN, about)
        self.forget()

    def save(
        self,
        corpus: str,
        losses: Sequence[float],
        tensors: Mapping[str, Float32s],
        heldout_losses: Sequence[float] = (),
    ) -> None:
        """Replace the checkpoint."""
        about = {"kind": self.kind, "settings": dict(self.settings), "corpus": corpus}
        whole = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
        sums = {name: digest((name,), tensor) for name, tensor in whole.items()}
        measured = {"losses": list(losses), "heldout_losses": list(heldout_losses)}
        state = sealed(about | measured | {"sha256": sums})
        with atomic_file(self.checkpoint) as temporary:
            save_file(whole, temporary, metadata={"state": json.dumps(state)})

    def load(self, corpus: str, *names: str) -> SavedState | None:
        """Return the named matrices and the losses after the last whole pass; None if there is no checkpoint yet.

        Raises
        ------
        CheckpointError
            If the checkpoint is damaged, of other settings or another corpus, or holds more passes than are asked for.
        """
        state = self._resumable()
        if state is None:
            return None
        if state["corpus"] != corpus:
            raise CheckpointError("run_other_corpus", path=self.checkpoint)
        try:
            with safe_open(self.checkpoint, framework="numpy") as file:
                tensors = {name: file.get_tensor(name) for name in names}
            sums = {name: state["sha256"][name] for name in names}
        except DAMAGES as error:
            raise self._damaged(error) from error
        for name, tensor in tensors.items():
            if digest((name,), tensor) != sums[name]:
                raise self._damaged(f"{name} changed after it was written")
        return SavedState(tensors, tuple(state["losses"]), tuple(state.get("heldout_losses", ())))

    def _resumable(self) -> dict[str, Any] | None:
        """Read a header of these settings, and refuse more passes than are asked for."""
        state, passes = self._fitting(), passes_setting(self.settings)
        if state and len(state["losses"]) > cast("int", self.settings[passes]):
            raise CheckpointError(
                "run_longer",
                path=self.checkpoint,
                done=len(state["losses"]),
                name=passes,
                value=self.settings[passes],
            )
        return state

    def _fitting(self) -> dict[str, Any] | None:
        """Read the header and hold it to the settings; None if there is no checkpoint."""
        if not self.checkpoint.exists():
            return None
        try:
            state = read_state(self.checkpoint)
            check_seal(state, self.checkpoint)
            saved = {"kind": state["kind"], **state["settings"]}
            _ = len(state["losses"]), saved[passes_setting(saved)], state["corpus"]
        except DAMAGES as error:
            raise self._damaged(error) from error
        for name, value in {"kind": self.kind, **self.settings}.items():
            saved_value = saved.get(name)
            if name not in MAY_CHANGE and saved_value != value:
                raise CheckpointError(
                    "run_other_setting",
                    path=self.checkpoint,
                    name=name,
                    found=saved_value,
                    value=value,
                )
        return state

    def _damaged(self, error: Exception | str) -> CheckpointError:
        """Say that the checkpoint cannot be read."""
        return CheckpointError("run_damaged", path=self.checkpoint, reason=str(error))


SNAPSHOTS, SNAPSHOT_WORDS = "snapshots", "words.txt"
FRAMES = 48

RowVectors = Callable[[Int64s], Float32s]
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
        self.folder = run / SNAPSHOTS
        wanted = {*watched}
        known = [row for row, word in enumerate(words) if is_word(word)]
        rows = [row for at, row in enumerate(known) if at < common or words[row] in wanted]
        self.rows = np.array(rows, np.int64)
        self.passes = frames(passes)
        text = "\n".join(words[row] for row in rows)
        names = self.folder / SNAPSHOT_WORDS
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
    return tuple(sorted(int(path.stem) for path in (run / SNAPSHOTS).glob("[0-9]*.npy")))


def read_snapshot(run: Path, done: int) -> tuple[tuple[str, ...], Float32s]:
    """Return the words and their vectors after ``done`` passes.

    Raises
    ------
    MissingFileError, CheckpointError
        If there is no such snapshot, or its files do not agree.
    """
    path, names = run / SNAPSHOTS / f"{done:06d}.npy", run / SNAPSHOTS / SNAPSHOT_WORDS
    if not path.exists() or not names.exists():
        raise MissingFileError("file_missing", path=path, way_out=clause("train_again"))
    try:
        words = tuple(names.read_text(encoding="utf-8").split("\n"))
        matrix = map_npy(path)
    except (OSError, ValueError) as error:
        raise CheckpointError("run_damaged", path=path, reason=error) from error
    if matrix.shape[:1] != (len(words),) or matrix.ndim != 2:
        raise CheckpointError("run_damaged", path=path, reason=f"shape {matrix.shape}")
    return words, matrix.astype(np.float32)
