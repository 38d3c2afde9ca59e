"""Runs that are refused before any work: another setting, a foreign file, no GPU."""

import shutil

import numpy as np
import pytest
import torch

from embeddings.errors import CheckpointError, FormatError, InputError
from embeddings.runtime import Machine
from embeddings.training.checkpoints import TrainingFolder
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors
from tests.training.small_runs import small_run


def test_a_refused_start_leaves_no_run_behind(prepared, tmp_path):
    few = Vectors(["a", "b"], np.ones((2, 16), np.float32))
    write_native(few, tmp_path / "few")
    with pytest.raises(InputError, match="tokens of the vocabulary are in"):
        small_run(prepared, tmp_path / "run", warm=tmp_path / "few")
    assert not (tmp_path / "run").exists()


FILE = {"name": "en_a", "language": "en", "tokens": 40}
OLD, NEW = "3f" * 32, "a0" * 32


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"training": {"steps": 12}}, {"training": {"steps": 13}}, "training.steps=12, asked for is 13."),
        (
            {"corpus": {"files": [FILE]}},
            {"corpus": {"files": [{**FILE, "tokens": 41}]}},
            "corpus.files.en_a.tokens=40, asked for is 41.",
        ),
        (
            {"corpus": {"files": [FILE, {**FILE, "name": "ru_b"}]}},
            {"corpus": {"files": [{**FILE, "name": "ru_b"}, FILE]}},
            "corpus.files=en_a, ru_b, asked for is ru_b, en_a.",
        ),
        ({"warm_start": None}, {"warm_start": OLD}, "warm_start=none, asked for is 3f3f3f3f3f3f…."),
        ({"bert": None}, {"bert": {"name": "tiny", "sha256": OLD}}, "bert.name=none, asked for is tiny."),
        (
            {"files": {"training": OLD, "validation": NEW}},
            {"files": {"training": OLD, "validation": OLD}},
            "another file as files.validation: its sha256 begins with a0a0a0a0a0a0…, "
            "that of the one given now with 3f3f3f3f3f3f….",
        ),
        (
            {"corpus": {"tokenizer_sha256": OLD}},
            {"corpus": {"tokenizer_sha256": NEW}},
            "another file as corpus.tokenizer: its",
        ),
        ({"names": "a" * 100}, {"names": "b"}, f"names={'a' * 60}…, asked for is b."),
        ({"seed": 1}, {}, "seed=1, asked for is none."),
    ],
)  # fmt: skip
def test_the_one_setting_or_file_that_differs_from_a_run_is_named(tmp_path, before, now, said):
    TrainingFolder(tmp_path, before)
    TrainingFolder(tmp_path, before)
    with pytest.raises(CheckpointError) as refused:
        TrainingFolder(tmp_path, now)
    assert str(refused.value).startswith(f"{tmp_path} holds a training with {said}")


def test_a_setting_that_a_run_does_not_know_and_that_is_not_given_is_no_difference(tmp_path):
    TrainingFolder(tmp_path, {"seed": 1})
    TrainingFolder(tmp_path, {"seed": 1, "initial": None})


def test_a_foreign_file_beside_the_model_is_named_before_any_work(prepared, whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    small_run(prepared, tmp_path / "run")  # its own model is written again
    for run in ("run", "new"):
        (tmp_path / run / "model").mkdir(parents=True, exist_ok=True)
        (tmp_path / run / "model" / "notes.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(FormatError, match=r"holds notes\.txt, which writing would delete"):
            small_run(prepared, tmp_path / run)
        assert (tmp_path / run / "model" / "notes.txt").exists()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["model"]


def test_a_gpu_asked_for_and_absent_is_a_sentence(prepared, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no GPU that torch can use"):
        small_run(prepared, tmp_path / "run", machine=Machine(device="cuda"))
    assert not (tmp_path / "run").exists()
