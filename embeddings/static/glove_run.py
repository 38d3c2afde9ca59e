"""The folder of a GloVe run: one checkpoint with weights and AdaGrad sums, replaced after each iteration, whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embeddings.errors import CheckpointError
from embeddings.files import whole_file, write_json
from embeddings.static.cooccurrence import Cooccurrences

CHECKPOINT, RUN = "checkpoint.safetensors", "run.json"
MAY_CHANGE = ("workers", "iterations")  # between the run that stopped and the one that goes on
HASHED = 1 << 22  # of the counts; the bounds of all rows are hashed too


class GloveRun:
    """Saves and loads the state of one training with its settings, vocabulary and counts.

    Parameters
    ----------
    folder : Path
        Made when first written to.
    settings : Mapping
        A checkpoint made with others is refused, `MAY_CHANGE` apart.
    words, cooccurrences
        A checkpoint of another vocabulary or of other counts is refused.
    """

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, object],
        words: Sequence[str],
        cooccurrences: Cooccurrences,
    ) -> None:
        self.folder = folder
        self.settings = dict(settings)
        digest = hashlib.sha256("\n".join(words).encode())
        digest.update(np.ascontiguousarray(cooccurrences.starts).tobytes())
        digest.update(np.ascontiguousarray(cooccurrences.values[:HASHED]).tobytes())
        self.counts = digest.hexdigest()

    def begin(self) -> None:
        """Write the settings, and remove the checkpoint of an earlier run."""
        about = {"kind": "glove", "settings": self.settings, "counts": self.counts}
        write_json(self.folder / RUN, about)
        (self.folder / CHECKPOINT).unlink(missing_ok=True)

    def save(self, parameters: NDArray[np.float32], costs: Sequence[float]) -> None:
        """Replace the checkpoint."""
        state = {"settings": self.settings, "counts": self.counts, "costs": list(costs)}
        with whole_file(self.folder / CHECKPOINT) as temporary:
            save_file({"parameters": parameters}, temporary, metadata={"state": json.dumps(state)})

    def load(self) -> tuple[NDArray[np.float32], list[float]] | None:
        """Return weights, sums and costs of the last whole iteration; None if there is none yet."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return None
        try:
            with safe_open(path, framework="numpy") as file:
                state = json.loads((file.metadata() or {})["state"])
                parameters: NDArray[np.float32] = file.get_tensor("parameters")
        except (SafetensorError, KeyError, ValueError) as error:
            raise CheckpointError("run_damaged", path=path, reason=str(error)) from error
        for name, value in self.settings.items():
            found = state["settings"].get(name)
            if name not in MAY_CHANGE and found != value:
                raise CheckpointError(
                    "run_other_setting", path=path, name=name, found=found, value=value
                )
        if state["counts"] != self.counts:
            raise CheckpointError("run_other_corpus", path=path)
        return parameters, state["costs"]
