"""A checkpoint that was damaged is passed over; a run without a sound one is refused."""

import json
import os
import shutil

import pytest
from safetensors.torch import load_file, save_file

from embeddings.errors import CheckpointError
from tests.training.small_runs import assert_equal_weights, small_run, weights


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
    prepared, whole, killed, tmp_path, damage, caplog
):
    run = shutil.copytree(killed, tmp_path / "cut")
    kept = sorted((run / "checkpoints").iterdir())
    assert [folder.name for folder in kept] == ["step-00000004", "step-00000005"]
    (kept[0].parent / ".step-00000006.x1").mkdir()  # what the process was writing
    damage(kept[1])
    again = small_run(prepared, run)
    assert "step-00000005" in caplog.text
    assert again.finished.complete
    assert_equal_weights(weights(whole), weights(run))
    assert not list(kept[0].parent.glob(".*"))


def test_a_run_without_a_sound_checkpoint_is_refused_with_the_damage(prepared, killed, tmp_path):
    run = shutil.copytree(killed, tmp_path / "cut")
    for folder in (run / "checkpoints").iterdir():
        flip(folder)
    with pytest.raises(CheckpointError, match=r"No checkpoint of .* is intact\. .*step-00000005"):
        small_run(prepared, run)
