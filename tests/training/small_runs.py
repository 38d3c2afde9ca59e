"""Settings of runs that take a second, and a process that is killed within one."""

from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from embeddings.networks.bert_config import BertConfig
from embeddings.results import Progress
from embeddings.runtime import Machine
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.tasks import Limits, Trained

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


def small_run(prepared, run, config=None, limits=None, changes=None, **options) -> Trained:
    """Pretrain in ``run`` by `SETTINGS` with some ``changes``, a BERT if no ``config`` is given."""
    settings = PretrainingConfig(**{**SETTINGS, **(changes or {})})
    config = config or BertConfig(**SMALL)
    options = {**QUIETLY, **options}
    return pretrain(prepared, run, config, settings, limits or Limits(), **options)


def killed_run(prepared, run, config=None, changes=None):
    """The folder of a run that is killed after its checkpoint at step 5."""
    limits = Limits(checkpoint_minutes=0.0, report=killer(6))
    with pytest.raises(KilledError):
        small_run(prepared, run, config, limits, changes)
    assert (run / "checkpoints" / "step-00000005").exists()
    return run
