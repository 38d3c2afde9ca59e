"""Settings of runs that take a second, and a process that is killed within one."""

from typing import Any

import torch
from safetensors.torch import load_file

from embeddings.results import Progress
from embeddings.runtime import Machine

SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
}
CPU = Machine("cpu", "float32")
QUIETLY: dict[str, Any] = {"machine": CPU, "tensorboard": False}
SETTINGS = {
    "steps": 12,
    "rows": 2,
    "row_length": 48,
    "max_tokens": 24,
    "log_every": 3,
    "evaluate_every": 6,
    "heldout": 0.1,
    "learning_rate": 1e-2,
}


def weights(run):
    return load_file(run / "model" / "model.safetensors")


def assert_equal_weights(first, second):
    assert first.keys() == second.keys()
    for name in first:
        assert torch.equal(first[name], second[name]), name


class KilledError(Exception):
    """Stands for the end of the process."""


def killer(step):
    def report(at: Progress) -> None:
        if at.done >= step:
            raise KilledError

    return report
