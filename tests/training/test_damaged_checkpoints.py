"""A checkpoint that was damaged is passed over; a run without a sound one is refused."""

import json
import os

import pytest
from safetensors.torch import load_file, save_file

from embeddings.errors import CheckpointError
from embeddings.networks.bert_config import BertConfig
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.tasks import Limits
from tests.training.small_runs import (
    QUIETLY,
    SETTINGS,
    SMALL,
    KilledError,
    assert_equal_weights,
    killer,
    weights,
)


def flip(folder):
    path = folder / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-5] ^= 0x40
    path.write_bytes(data)


def reshape(name):
    def damage(folder):
        """Another shape, in a checkpoint that names no checksums, as older ones are."""
        state = json.loads((folder / "state.json").read_text())
        del state["files"]
        (folder / "state.json").write_text(json.dumps(state))
        tensors = load_file(folder / name)
        key = next(key for key in tensors if tensors[key].dim() == 2)
        save_file(tensors | {key: tensors[key][:-1].clone()}, folder / name)

    return damage


DAMAGES = {
    "a bit": flip,
    "a weight's shape": reshape("model.safetensors"),
    "no moments": lambda folder: (folder / "optimizer.safetensors").unlink(),
    "no state": lambda folder: (folder / "state.json").write_text("{}"),
    "half a file": lambda folder: os.truncate(folder / "optimizer.safetensors", 500),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_checkpoint_is_passed_over_and_the_run_ends_as_an_unbroken_one(
    prepared, tmp_path, damage, caplog
):
    config, settings = BertConfig(**SMALL), PretrainingConfig(**SETTINGS)
    cut = Limits(checkpoint_minutes=0.0, report=killer(6))
    with pytest.raises(KilledError):
        pretrain(prepared, tmp_path / "cut", config, settings, cut, **QUIETLY)
    kept = sorted((tmp_path / "cut" / "checkpoints").iterdir())
    assert [folder.name for folder in kept] == ["step-00000004", "step-00000005"]
    (kept[0].parent / ".step-00000006.x1").mkdir()  # what the process was writing
    damage(kept[1])
    again = pretrain(prepared, tmp_path / "cut", config, settings, Limits(), **QUIETLY)
    assert "step-00000005" in caplog.text
    assert again.finished.complete
    whole = tmp_path / "whole"
    pretrain(prepared, whole, config, settings, Limits(), **QUIETLY)
    assert_equal_weights(weights(whole), weights(tmp_path / "cut"))
    assert not list(kept[0].parent.glob(".*"))


def test_a_run_without_a_sound_checkpoint_is_refused_with_the_damage(prepared, tmp_path):
    config, settings = BertConfig(**SMALL), PretrainingConfig(**SETTINGS)
    cut = Limits(checkpoint_minutes=0.0, report=killer(6))
    with pytest.raises(KilledError):
        pretrain(prepared, tmp_path, config, settings, cut, **QUIETLY)
    for folder in (tmp_path / "checkpoints").iterdir():
        flip(folder)
    with pytest.raises(CheckpointError, match=r"No checkpoint of .* is intact: .*step-00000005"):
        pretrain(prepared, tmp_path, config, settings, Limits(), **QUIETLY)
