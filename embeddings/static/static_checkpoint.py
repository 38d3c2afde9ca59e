"""The checkpoint of a Word2Vec, fastText or GloVe training, in its folder (`embeddings.run_folder`).

There is one, replaced after each pass over the data, whole or not at all. It holds the matrices, and as JSON in its header the settings,
the digest of the corpus, the losses by pass and the sha256 of the matrices and of itself, which are checked when it is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embeddings.arrays import Float32s
from embeddings.errors import CheckpointError, Clause, clause
from embeddings.files import atomic_file, check_seal, parse_json, sealed, write_json
from embeddings.method_registry import METHODS
from embeddings.results import Value
from embeddings.run_folder import CHECKPOINT, RUN, check_same_settings

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
        is not to be lost: only a restart throws it away.
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

    def begin(self, corpus: str) -> None:
        """Write the settings, and remove the checkpoint of an earlier run unless `check` guards it."""
        self.check(resume=False)
        about = {"kind": self.kind, "settings": dict(self.settings), "corpus": corpus}
        write_json(self.folder / RUN, about)
        self.checkpoint.unlink(missing_ok=True)

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
            # a run of version 0.1.0 has no checksums
            sums = {name: state["sha256"][name] for name in names if "sha256" in state}
        except DAMAGES as error:
            raise self._damaged(error) from error
        for name, expected in sums.items():
            if digest((name,), tensors[name]) != expected:
                raise self._damaged(clause("array_changed", name=name))
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
        now = {"kind": self.kind, **self.settings}
        now = {name: value for name, value in now.items() if name not in MAY_CHANGE}
        check_same_settings(self.folder, {name: saved.get(name) for name in now}, now)
        return state

    def _damaged(self, reason: Exception | Clause) -> CheckpointError:
        """Say that the checkpoint cannot be read."""
        return CheckpointError("run_damaged", path=self.checkpoint, reason=reason)
