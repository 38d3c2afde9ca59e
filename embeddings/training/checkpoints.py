"""A run's folder: run.json (settings), progress.jsonl (the curves), checkpoints/step-N (network, optimiser, position in the data).

A checkpoint is a folder that appears whole or not at all, with the sha256 of its files; the last two are kept. A run that
was killed resumes from the last one that is sound and ends with the weights of a run that was not. One that is resumed under
other settings is refused: the sentence names the first that differs, as ``training.steps``.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from embeddings.errors import CheckpointError, InputError, KlyuchError, clause
from embeddings.files import (
    atomic_file,
    atomic_folder,
    check_seal,
    parse_json,
    read_json,
    sealed,
    sha256,
    verify,
    write_json,
)
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.huggingface_folder import (
    check_fit,
    load_weights,
    read_weights,
    save_network,
)
from embeddings.networks.huggingface_names import from_huggingface

_STEP = re.compile(r"step-[0-9]{1,18}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST = 60  # letters of a value in a sentence
_EARLIER = {  # settings that an older run.json lacks or that are gone since, with what held then
    "training.optimizer": "adamw",
    "training.cooldown": 1.0,
    "training.sentence_share": 0.0,
    "training.pair_share": 0.0,
    "training.source_exponent": 1.0,
    "training.mask_repeats": False,
    "training.adapt_epochs": 0,
    "training.adapt_rate": 5e-4,
    "training.word_dropout": 0.0,
    "training.table_rate": 1.0,
    "training.freeze_layers": 0,
}
log = logging.getLogger(__name__)
KEPT = 2
_MOMENTS = ("exp_avg", "exp_avg_sq", "step", "momentum_buffer")


class TrainingFolder:
    """Where a training writes; opening one that exists with other settings is refused."""

    def __init__(self, path: Path, settings: Mapping[str, object]) -> None:
        self.path = path
        self.progress = path / "progress.jsonl"
        known = path / "run.json"
        plain = json.loads(json.dumps(settings, ensure_ascii=False))
        if known.exists():
            written = read_json(known)
            check_same_settings(path, _flat(written), _flat(plain))
            if written != plain:
                write_json(known, plain)
        else:
            path.mkdir(parents=True, exist_ok=True)
            write_json(known, plain)
        for half in (path / "checkpoints").glob(".step-*"):  # what a killed process was writing
            shutil.rmtree(half, ignore_errors=True)

    @property
    def last(self) -> Path | None:
        """The newest whole checkpoint."""
        checkpoints = self._checkpoints()
        return checkpoints[-1] if checkpoints else None

    def _checkpoints(self) -> list[Path]:
        """All whole checkpoints, oldest first (a temporary one begins with a dot)."""
        folder = self.path / "checkpoints"
        folders = [path for path in folder.glob("step-*") if _STEP.fullmatch(path.name)]
        return sorted(folders, key=lambda p: int(p.name.removeprefix("step-")))

    def save(
        self,
        step: int,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        state: Mapping[str, object],
    ) -> Path:
        """Write a checkpoint, then drop the oldest beyond `KEPT`."""
        target = self.path / "checkpoints" / f"step-{step:08d}"
        with atomic_folder(target) as folder:
            if isinstance(network, PretrainingNetwork):
                save_network(network, folder)
            else:
                # copies, since safetensors refuses tensors that share memory
                own = {name: t.detach().cpu().clone() for name, t in network.state_dict().items()}
                save_file(own, str(folder / "model.safetensors"))
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
            load_weights(network, weights, folder)
            for parameter, kept in moments.items():
                optimizer.state[parameter] = kept
            self._rewind(int(str(state["step"])))
            return state
        if damage:
            raise CheckpointError(
                "checkpoints_damaged", path=self.path, reason=str(damage)
            ) from damage
        return None

    def log(self, line: Mapping[str, object]) -> None:
        """Append a line to progress.jsonl."""
        with self.progress.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _rewind(self, step: int) -> None:
        """Drop the lines that were written after the checkpoint."""
        if self.progress.exists():
            lines = read_progress(self.path)
            kept = [line for line in lines if isinstance(n := line.get("step"), int) and n <= step]
            with atomic_file(self.progress) as temporary:
                text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in kept)
                temporary.write_text(text, encoding="utf-8")


def read_progress(path: Path) -> list[dict[str, object]]:
    """Return the lines of a run's progress.jsonl.

    A last line that was being written is left out.
    """
    lines: list[dict[str, object]] = []
    file = path / "progress.jsonl"
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    for line in text.splitlines():
        try:
            lines.append(parse_json(line, file))
        except KlyuchError:
            break
    return lines


def check_same_settings(
    path: Path, before: Mapping[str, object], now: Mapping[str, object]
) -> None:
    """Refuse to resume a run under other settings, given by their dotted names.

    A setting of `_EARLIER` that one side lacks has the value that held when it could not be chosen.

    Raises
    ------
    InputError
        Naming the setting, as ``training.steps``, and both values; or the file that is another one.
    """
    for key in {**before, **now}:
        first, second = (side.get(key, _EARLIER.get(key)) for side in (before, now))
        if first != second:
            is_file = all(_SHA256.fullmatch(str(value)) for value in (first, second))
            code = "run_file" if is_file else "run_settings"
            key = re.sub(r"[._]sha256$", "", key)
            raise InputError(code, path=path, key=key, before=_short(first), now=_short(second))


def _flat(value: object, key: str = "") -> dict[str, object]:
    """Return settings by dotted names; what is null is left out, and of a list of named entries the names are listed too.

    Examples
    --------
    >>> _flat({"training": {"steps": 12}, "warm_start": None, "files": [{"name": "a", "size": 3}]})
    {'training.steps': 12, 'files': ['a'], 'files.a.name': 'a', 'files.a.size': 3}
    """
    flat: dict[str, object] = {}
    if (
        isinstance(value, list)
        and value
        and all(isinstance(e, dict) and "name" in e for e in value)
    ):
        flat[key] = [str(entry["name"]) for entry in value]
        value = {str(entry["name"]): entry for entry in value}
    if not isinstance(value, Mapping):
        return {} if value is None else {key: value}
    for name, entry in value.items():
        flat |= _flat(entry, f"{key}.{name}" if key else str(name))
    return flat


def _short(value: object) -> str:
    """Say a value in few letters."""
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    if _SHA256.fullmatch(text):
        return f"{text[:12]}…"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


Moments = dict[nn.Parameter, dict[str, Tensor]]
"""What the optimiser remembers of each parameter."""


def _read(folder: Path, network: nn.Module) -> tuple[dict[str, Tensor], Moments, dict[str, object]]:
    """Read weights, moments and state of a checkpoint and compare them with the network, before anything is changed."""
    path = folder / "state.json"
    state = read_json(path)
    check_seal(state, path)
    if not isinstance(state.get("step"), int):
        raise CheckpointError("file_unreadable", path=path, reason=clause("step_none"))
    if isinstance(files := state.get("files"), dict):  # an older one has no checksums
        verify(folder, files)
    weights = read_weights(folder / "model.safetensors")
    if isinstance(network, PretrainingNetwork):
        about = {"model_type": network.config.model_type}
        weights, _ = from_huggingface(weights, network, about, folder)
    check_fit(network, weights, folder)
    stored = read_weights(folder / "optimizer.safetensors")
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
