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
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from embeddings.errors import CheckpointError, InputError, KlyuchError, reason
from embeddings.files import (
    atomic_file,
    atomic_folder,
    check_seal,
    parse_json,
    read_json,
    sealed,
    sha256,
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
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import is_on_plateau

_STEP = re.compile(r"step-[0-9]{1,18}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST = 60  # letters of a value in a sentence
_EARLIER = {  # settings that an older run.json lacks, with what held before they could be chosen
    "optimizer": "adamw",
    "cooldown": 1.0,
    "sentence_share": 0.0,
    "pair_share": 0.0,
    "source_exponent": 1.0,
    "mask_repeats": False,
}
log = logging.getLogger(__name__)
KEPT = 2
BUDGET = ("steps", "warmup", "cooldown")
_MOMENTS = ("exp_avg", "exp_avg_sq", "step", "momentum_buffer")


class TrainingFolder:
    """Where a training writes; opening one that exists with other settings is refused.

    With ``budget``, the settings of its loop, a run whose learning rate is on its plateau, before and now, may be given another
    budget: nothing done so far depends on `BUDGET`.
    """

    def __init__(
        self, path: Path, settings: Mapping[str, object], budget: LoopConfig | None = None
    ) -> None:
        self.path = path
        self.progress = path / "progress.jsonl"
        known = path / "run.json"
        plain = json.loads(json.dumps(settings, ensure_ascii=False))
        if known.exists():
            before = read_json(known)
            if budget is not None and self._is_budget_open(before, budget):
                before = _with_budget(before, plain)
            check_same_settings(path, before, plain)
            if read_json(known) != plain:
                write_json(known, plain)
        else:
            path.mkdir(parents=True, exist_ok=True)
            write_json(known, plain)
        for half in (path / "checkpoints").glob(".step-*"):  # what a killed process was writing
            shutil.rmtree(half, ignore_errors=True)

    def _is_budget_open(self, before: Mapping[str, object], budget: LoopConfig) -> bool:
        """Whether the newest checkpoint is on the plateau of both budgets."""
        if self.last is None:
            return False
        step = int(self.last.name.removeprefix("step-"))
        known = before.get("training")
        names = [name for name in BUDGET if isinstance(known, dict) and name in known]
        earlier = replace(budget, **{name: known[name] for name in names})  # type: ignore[index]
        return is_on_plateau(step, earlier) and is_on_plateau(step, budget)

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
                save_file(_own(network.state_dict()), str(folder / "model.safetensors"))
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
                checkpoint = _read(folder, network)
            except KlyuchError as error:
                log.warning("%s", error)
                damage = damage or error
                continue
            load_weights(network, checkpoint.weights, folder)
            for parameter, kept in checkpoint.moments.items():
                optimizer.state[parameter] = kept
            self._rewind(checkpoint.step)
            return checkpoint.state
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


def _with_budget(before: Mapping[str, object], now: Mapping[str, object]) -> dict[str, object]:
    """Return settings with the budget of others."""
    training = {
        **before["training"],  # type: ignore[dict-item]
        **{name: now["training"][name] for name in BUDGET},  # type: ignore[index]
    }
    return {**before, "training": training}


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
    """Refuse to resume a run under other settings.

    Raises
    ------
    InputError
        Naming the setting, as ``training.steps``, and both values; or the file that is another one.
    """
    differing = difference(before, now)
    if differing is None:
        return
    key, first, second = differing
    is_file = all(_SHA256.fullmatch(str(value)) for value in (first, second))
    code = "run_file" if is_file else "run_settings"
    key = re.sub(r"[._]sha256$", "", key)
    raise InputError(code, path=path, key=key, before=_short(first), now=_short(second))


def difference(before: object, now: object, key: str = "") -> tuple[str, object, object] | None:
    """Return name and both values of the first setting that differs; None if all are equal.

    A setting of `_EARLIER` that ``before`` lacks has the value that held before it could be chosen.

    Examples
    --------
    >>> difference({"training": {"steps": 12, "seed": 1}}, {"training": {"steps": 13, "seed": 1}})
    ('training.steps', 12, 13)
    """
    if before == now:
        return None
    first, second = _entries(before), _entries(now)
    if isinstance(before, list) and isinstance(now, list):
        ours, theirs = list(first or before), list(second or now)
        if ours != theirs:
            return key, ours, theirs
    inner_before, inner_now = first or {}, second or {}
    for name in {**inner_before, **inner_now}:
        earlier = inner_before.get(name, _EARLIER.get(name))
        inner_difference = difference(
            earlier, inner_now.get(name), f"{key}.{name}" if key else name
        )
        if inner_difference:
            return inner_difference
    if first is None or second is None:
        return key, before, now
    return None  # an entry that is not there is as good as null


def _entries(value: object) -> dict[str, object] | None:
    """Return the entries of an object, or of a list of named ones by their names; None of anything else."""
    if isinstance(value, Mapping):
        return {str(name): entry for name, entry in value.items()}
    if not isinstance(value, list):
        return None
    entries: dict[str, object] = {
        str(entry["name"]): entry
        for entry in value
        if isinstance(entry, Mapping) and "name" in entry
    }
    return entries if entries and len(entries) == len(value) else None


def _short(value: object) -> str:
    """Say a value in few letters."""
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    if _SHA256.fullmatch(text):
        return f"{text[:12]}…"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """A checkpoint's content, checked against the network before anything is changed."""

    step: int
    weights: dict[str, Tensor]
    moments: dict[nn.Parameter, dict[str, Tensor]]
    state: dict[str, object]


def _read(folder: Path, network: nn.Module) -> _Checkpoint:
    """Read a checkpoint; what is missing, changed or of another shape is a sentence."""
    state = read_json(folder / "state.json")
    check_seal(state, folder / "state.json")
    step = state.get("step")
    if not isinstance(step, int):
        path = folder / "state.json"
        raise CheckpointError("file_unreadable", path=path, reason=reason("step_none"))
    _check_files(folder, state.get("files"))
    weights = read_weights(folder / "model.safetensors")
    if isinstance(network, PretrainingNetwork):
        weights, _ = from_huggingface(weights, network.config, folder)
    check_fit(network, weights, folder)
    return _Checkpoint(step, weights, _read_moments(folder, network), state)


def _check_files(folder: Path, written: object) -> None:
    """Hold the files of a checkpoint to the sha256 that its state gives them."""
    for name, expected in written.items() if isinstance(written, dict) else ():
        if Path(name).name != name:
            raise CheckpointError(
                "file_unreadable",
                path=folder / "state.json",
                reason=reason("file_elsewhere", name=repr(name)),
            )
        path = folder / name
        if not path.exists():
            raise CheckpointError("file_unreadable", path=path, reason=reason("file_gone"))
        if sha256(path) != expected:
            raise CheckpointError("file_unreadable", path=path, reason=reason("file_changed"))


def _read_moments(folder: Path, network: nn.Module) -> dict[nn.Parameter, dict[str, Tensor]]:
    """Read what the optimiser remembers of each parameter; of one that was frozen or not yet trained, nothing."""
    path = folder / "optimizer.safetensors"
    stored = read_weights(path)
    moments: dict[nn.Parameter, dict[str, Tensor]] = {}
    for name, parameter in network.named_parameters():
        kept = {kind: stored[key] for kind in _MOMENTS if (key := f"{kind}.{name}") in stored}
        for kind, tensor in kept.items():
            expected = () if kind == "step" else tuple(parameter.shape)
            if (shape := tuple(tensor.shape)) != expected:
                wrong = {"name": f"{kind}.{name}", "found": shape, "expected": expected}
                raise CheckpointError("checkpoint_shape", path=path, **wrong)
        if kept:
            moments[parameter] = {k: t.to(parameter.device).clone() for k, t in kept.items()}
    return moments


def _own(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Copies, since safetensors refuses tensors that share memory."""
    return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}


def _moments(network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Both moments and the step count of every parameter, by name."""
    out: dict[str, Tensor] = {}
    for name, parameter in network.named_parameters():
        for kind, tensor in optimizer.state.get(parameter, {}).items():
            out[f"{kind}.{name}"] = torch.as_tensor(tensor).detach().cpu().contiguous()
    return out
