"""The folder of a training run: one checkpoint, replaced after each epoch, whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embeddings.configuration import to_json
from embeddings.errors import CheckpointError
from embeddings.files import whole_file, write_json
from embeddings.static.word2vec_config import Weights, Word2VecConfig

CHECKPOINT, RUN = "checkpoint.safetensors", "run.json"


class Run:
    """Saves and loads the state of one training with its settings and vocabulary.

    Parameters
    ----------
    folder : Path
        Made when first written to.
    config : Word2VecConfig
        A checkpoint made with other settings is refused; only ``workers`` may change.
    words, counts
        The vocabulary; a checkpoint of another one is refused.
    """

    def __init__(
        self,
        folder: Path,
        config: Word2VecConfig,
        words: Sequence[str],
        counts: NDArray[np.int64],
    ) -> None:
        self.folder = folder
        self.settings = to_json(config)
        digest = hashlib.sha256("\n".join(words).encode())
        digest.update(counts.astype("<i8").tobytes())
        self.vocabulary = digest.hexdigest()

    def begin(self) -> None:
        """Write the settings, and remove the checkpoint of an earlier run."""
        about = {"kind": "word2vec", "settings": self.settings, "vocabulary": self.vocabulary}
        write_json(self.folder / RUN, about)
        (self.folder / CHECKPOINT).unlink(missing_ok=True)

    def save(self, weights: Weights) -> None:
        """Replace the checkpoint."""
        state = {
            "settings": self.settings,
            "vocabulary": self.vocabulary,
            "losses": weights.losses,
        }
        tensors = {
            "inputs": np.ascontiguousarray(weights.inputs),
            "outputs": np.ascontiguousarray(weights.outputs),
        }
        with whole_file(self.folder / CHECKPOINT) as temporary:
            save_file(tensors, temporary, metadata={"state": json.dumps(state)})

    def load(self) -> Weights | None:
        """Return the last state, or None if there is none yet."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return None
        try:
            with safe_open(path, framework="numpy") as file:
                state = json.loads((file.metadata() or {})["state"])
                inputs, outputs = file.get_tensor("inputs"), file.get_tensor("outputs")
        except (SafetensorError, KeyError, ValueError) as error:
            raise CheckpointError("run_damaged", path=path, reason=str(error)) from error
        self._check(path, state["settings"], state["vocabulary"])
        return Weights(inputs, outputs, tuple(state["losses"]))

    def _check(self, path: Path, settings: dict[str, object], vocabulary: str) -> None:
        """Refuse a checkpoint of other settings or another vocabulary."""
        for name, value in self.settings.items():
            found = settings.get(name)
            if name != "workers" and found != value:
                raise CheckpointError(
                    "run_other_setting", path=path, name=name, found=found, value=value
                )
        if vocabulary != self.vocabulary:
            raise CheckpointError("run_other_corpus", path=path)
