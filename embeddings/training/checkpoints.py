"""The checkpoints of a network's training, in its folder (`embeddings.run_folder`): network, optimiser, position in the data.

A checkpoint is a folder that appears whole or not at all, with the sha256 of its files; the last two are kept. A run that
was killed resumes from the last one that is sound and ends with the weights of a run that was not.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from embeddings.errors import CheckpointError, KlyuchError, clause
from embeddings.files import WEIGHTS, atomic_folder, read_sealed, sealed, sha256, verify, write_json
from embeddings.networks import huggingface_folder
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.huggingface_names import from_huggingface
from embeddings.run_folder import CHECKPOINTS, CURVES, append_line, open_run, rewind

_STEP = re.compile(r"step-[0-9]{1,18}")
log = logging.getLogger(__name__)
KEPT = 2
_MOMENTS = ("exp_avg", "exp_avg_sq", "step", "momentum_buffer")


class TrainingFolder:
    """Where a training writes; opening one that exists with other settings is refused."""

    def __init__(self, path: Path, settings: Mapping[str, object]) -> None:
        self.path = path
        self.checkpoints = path / CHECKPOINTS
        open_run(path, settings)
        for half in self.checkpoints.glob(".step-*"):  # what a killed process was writing
            shutil.rmtree(half, ignore_errors=True)

    @property
    def last(self) -> Path | None:
        """The newest whole checkpoint."""
        checkpoints = self._checkpoints()
        return checkpoints[-1] if checkpoints else None

    def _checkpoints(self) -> list[Path]:
        """All whole checkpoints, oldest first (a temporary one begins with a dot)."""
        folders = [p for p in self.checkpoints.glob("step-*") if _STEP.fullmatch(p.name)]
        return sorted(folders, key=lambda p: int(p.name.removeprefix("step-")))

    def save(
        self,
        step: int,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        state: Mapping[str, object],
    ) -> Path:
        """Write a checkpoint, then drop the oldest beyond `KEPT`."""
        target = self.checkpoints / f"step-{step:08d}"
        with atomic_folder(target) as folder:
            if isinstance(network, PretrainingNetwork):
                huggingface_folder.save_network(network, folder)
            else:
                # copies, since safetensors refuses tensors that share memory
                own = {name: t.detach().cpu().clone() for name, t in network.state_dict().items()}
                save_file(own, str(folder / WEIGHTS))
            save_file(_moments(network, optimizer), str(folder / "optimizer.safetensors"))
            files = {file.name: sha256(file) for file in sorted(folder.iterdir())}
            write_json(folder / "state.json", sealed({"step": step, **state, "files": files}))
        for old in self._checkpoints()[:-KEPT]:
            shutil.rmtree(old)
        return target

    def restore(
        self, network: nn.Module, optimizer: torch.optim.Optimizer
    ) -> dict[str, object] | None:
        """Fill network and optimiser from the newest checkpoint that is sound.

        A damaged one is logged and passed over: its steps are done again. Returns the state, None if
        there is no checkpoint.

        Raises
        ------
        CheckpointError
            If none is sound.
        """
        damage: KlyuchError | None = None
        for folder in reversed(self._checkpoints()):
            try:
                weights, moments, state = _read(folder, network)
            except KlyuchError as error:
                log.warning("%s", error)
                damage = damage or error
                continue
            huggingface_folder.load_weights(network, weights, folder)
            for parameter, kept in moments.items():
                optimizer.state[parameter] = kept
            rewind(self.path, int(str(state["step"])))
            return state
        if damage:
            raise CheckpointError("checkpoints_damaged", path=self.path, reason=damage) from damage
        return None

    def log(self, line: Mapping[str, object]) -> None:
        """Append a line to progress.jsonl."""
        append_line(self.path / CURVES, line)


Moments = dict[nn.Parameter, dict[str, Tensor]]
"""What the optimiser remembers of each parameter."""


def _read(folder: Path, network: nn.Module) -> tuple[dict[str, Tensor], Moments, dict[str, object]]:
    """Read weights, moments and state of a checkpoint and compare them with the network, before anything is changed."""
    path = folder / "state.json"
    state = read_sealed(path)
    if not isinstance(state.get("step"), int):
        raise CheckpointError("file_unreadable", path=path, reason=clause("step_none"))
    if isinstance(files := state.get("files"), dict):  # an older one has no checksums
        verify(folder, files)
    weights = huggingface_folder.read_weights(folder / WEIGHTS)
    if isinstance(network, PretrainingNetwork):
        about = {"model_type": network.config.model_type}
        weights, _ = from_huggingface(weights, network, about, folder)
    huggingface_folder.check_fit(network, weights, folder)
    stored = huggingface_folder.read_weights(folder / "optimizer.safetensors")
    moments: Moments = {}
    for name, parameter in network.named_parameters():  # one that is frozen or untrained has none
        kept = {kind: stored[key] for kind in _MOMENTS if (key := f"{kind}.{name}") in stored}
        if kept:
            moments[parameter] = {k: t.to(parameter.device).clone() for k, t in kept.items()}
    return weights, moments, state


def _moments(network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Both moments and the step count of every parameter, by name."""
    out: dict[str, Tensor] = {}
    for name, parameter in network.named_parameters():
        for kind, tensor in optimizer.state.get(parameter, {}).items():
            out[f"{kind}.{name}"] = torch.as_tensor(tensor).detach().cpu().contiguous()
    return out
