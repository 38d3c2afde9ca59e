"""Device, number format and threads of a run; the only place that asks what the machine can do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from threading import Lock

import torch

from embeddings.configuration import CheckedConfig, setting
from embeddings.errors import InputError

DEVICES = ("auto", "cpu", "cuda")
FORMATS = ("auto", "float32", "bfloat16")


class Machine(CheckedConfig):
    """What a person asks a run to compute on; ``auto`` takes what is there. It belongs to no recipe."""

    device: str = setting("auto", "auto, cpu or cuda.", choices=DEVICES)
    dtype: str = setting("auto", "auto, float32 or bfloat16.", choices=FORMATS)
    compile: bool = setting(False, "torch.compile the encoder of a pretraining.")


@dataclass(frozen=True, slots=True)
class Runtime:
    """Where a network runs: ``dtype`` is what matrix products are computed in.

    Weights stay float32.
    """

    device: torch.device
    dtype: torch.dtype

    def autocast(self) -> AbstractContextManager[object]:
        """Return the context in which a forward pass runs."""
        if self.dtype is torch.float32:
            return nullcontext()
        return torch.autocast(self.device.type, self.dtype)


def choose_runtime(machine: Machine | None = None, local_rank: int = 0) -> Runtime:
    """Turn the settings into a device and a format.

    ``auto`` takes the GPU if there is one, bf16 if the processor has it.

    Parameters
    ----------
    machine : Machine, optional
        By default all of it ``auto``.
    local_rank : int
        Which of several GPUs this process takes.

    Raises
    ------
    InputError
        If a GPU is asked for and absent.
    """
    machine = machine or Machine()
    if machine.device == "cuda" and not torch.cuda.is_available():
        raise InputError("gpu_absent")
    on_gpu = machine.device != "cpu" and torch.cuda.is_available()
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")
    dtype = machine.dtype
    if dtype == "auto":
        dtype = "bfloat16" if has_bfloat16(device) else "float32"
    return Runtime(device, getattr(torch, dtype))


def has_bfloat16(device: torch.device) -> bool:
    """Whether matrix products in bf16 run in hardware."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device)[0] >= 8
    flags = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    if flags:
        return bool(flags.get("avx512_bf16") or flags.get("amx_bf16") or flags.get("bf16"))
    return bool(torch.cpu._is_avx512_bf16_supported())


class _OneThread:
    """Who runs small work now, and what to go back to."""

    lock = Lock()
    inside = 0
    before = 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one core a caller inside the block: small batches lose more at the threads' meeting points than they win.

    On two busy cores 200 sentences through four layers take 0.3 s so, and 4 to 16 s with two threads a product. With
    many batches, run several of them at a time (`embeddings.probing.network`). May be entered by several threads at once.
    """
    with _OneThread.lock:
        if not _OneThread.inside:
            _OneThread.before = torch.get_num_threads()
        _OneThread.inside += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _OneThread.lock:
            _OneThread.inside -= 1
            if not _OneThread.inside:
                torch.set_num_threads(_OneThread.before)
