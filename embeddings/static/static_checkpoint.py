"""The folder of a Word2Vec, fastText or GloVe training: one checkpoint, replaced after each pass over the data, whole or not at all.

``run.json`` says what is being trained; ``checkpoint.safetensors`` holds the matrices, and as JSON in its header the settings, the digest
of the corpus, the losses by pass and the sha256 of the matrices and of itself, to which it is held when it is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embeddings.errors import CheckpointError
from embeddings.files import atomic_file, check_seal, parse_json, sealed, write_json

CHECKPOINT, RUN = "checkpoint.safetensors", "run.json"
PASSES = {"word2vec": "epochs", "fasttext": "epochs", "glove": "iterations"}
MAY_CHANGE = {
    "word2vec": ("workers",),
    "fasttext": ("workers",),
    "glove": ("workers", "iterations"),
}


EARLIER = {"heldout": 0.0}
"""What a setting was before there was one: a checkpoint of an earlier version does not name it."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedState:
    """What a checkpoint holds: matrices by name, and the losses by pass, of training and of the text held out."""

    tensors: dict[str, NDArray[np.float32]]
    losses: tuple[float, ...]
    heldout_losses: tuple[float, ...]


def digest(words: Sequence[str], *arrays: NDArray[Any]) -> str:
    """Hexadecimal sha256 of a vocabulary and of arrays, their lengths included; memory maps are read through once."""
    state = hashlib.sha256("\n".join(words).encode())
    for array in arrays:
        state.update(f"\n{array.dtype.str} {array.shape}\n".encode())
        state.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return state.hexdigest()


@dataclass(frozen=True, slots=True)
class StaticCheckpoint:
    """Saves and loads the state of one training.

    Attributes
    ----------
    folder : Path
        Made when first written to.
    kind : str
        A key of `PASSES`.
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
        passes = PASSES[self.kind]
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
        tensors: Mapping[str, NDArray[np.float32]],
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
        except SafetensorError as error:
            raise self._damaged(error) from error
        sums = state.get("sha256", {})  # a checkpoint of an earlier version has none
        for name, tensor in tensors.items():
            if name in sums and digest((name,), tensor) != sums[name]:
                raise self._damaged(f"{name} changed after it was written")
        return SavedState(tensors, tuple(state["losses"]), tuple(state.get("heldout_losses", ())))

    def _resumable(self) -> dict[str, Any] | None:
        """Read a header of these settings, and refuse more passes than are asked for."""
        state, passes = self._fitting(), PASSES[self.kind]
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
            with safe_open(self.checkpoint, framework="numpy") as file:
                state = parse_json((file.metadata() or {})["state"], self.checkpoint)
            check_seal(state, self.checkpoint)
            saved = {"kind": state["kind"], **state["settings"]}
            _ = len(state["losses"]), saved[PASSES[state["kind"]]], state["corpus"]
            _ = len(state.get("heldout_losses", ()))
        except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
            raise self._damaged(error) from error
        for name, value in {"kind": self.kind, **self.settings}.items():
            saved_value = saved.get(name, EARLIER.get(name))
            if name not in MAY_CHANGE[self.kind] and saved_value != value:
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
