"""What the system refuses while a file is written is a sentence with its path, and the old file stays; limits are the system's."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from embeddings.errors import InputError, refusal
from embeddings.files import atomic_file, atomic_folder
from embeddings.jobs import job_folder
from embeddings.shelf.own_models import rename
from embeddings.static.static_checkpoint import StaticCheckpoint
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors
from tests.systems import need_linux, posix_module

resource = posix_module("resource")

LARGE = np.ones((1 << 9, 1 << 8), np.float32)
SETTINGS = {"epochs": 2, "vector_size": 1}


@pytest.fixture
def _small_files():
    """Let the system refuse files past 64 KiB."""
    bounds = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, bounds[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, bounds)


def check_refusal(raised, path):
    """An error is one of a full disk and names the path."""
    error = refusal(raised.value)
    assert (error.code, str(error).split()[0]) == ("file_room", str(path))


@pytest.mark.usefixtures("_small_files")
@pytest.mark.parametrize("write", [lambda path: save_file({"a": LARGE}, path), LARGE.tofile])
def test_a_file_that_does_not_fit_is_a_sentence_with_its_path_and_the_old_one_stays(
    write, tmp_path
):
    (tmp_path / "kept").write_text("old")
    with pytest.raises(OSError) as raised, atomic_file(tmp_path / "kept") as temporary:
        write(temporary)
    check_refusal(raised, tmp_path / "kept")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept").read_text() == "old"


@pytest.mark.usefixtures("_small_files")
def test_a_folder_that_does_not_fit_is_a_sentence_with_its_path_and_the_old_one_stays(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "b").write_text("old")
    with pytest.raises(OSError) as raised, atomic_folder(tmp_path / "kept") as new:
        (new / "a").write_bytes(LARGE.tobytes())
    check_refusal(raised, tmp_path / "kept")
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "b"]


@pytest.mark.usefixtures("_small_files")
def test_a_checkpoint_that_does_not_fit_leaves_the_last_one_whole(tmp_path):
    run = StaticCheckpoint(tmp_path, "word2vec", SETTINGS)
    run.save("c", [1.0], {"inputs": np.ones((2, 1), np.float32)})
    with pytest.raises((OSError, InputError)) as raised:
        run.save("c", [1.0, 2.0], {"inputs": LARGE})
    check_refusal(raised, tmp_path / "checkpoint.safetensors")
    saved = run.load("c", "inputs")
    assert (saved.tensors["inputs"].tolist(), list(saved.losses)) == ([[1.0], [1.0]], [1.0])


def test_numpys_own_error_of_a_full_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left") as raised, atomic_file(tmp_path / "a"):
        raise OSError("131072 requested and 16384 written")
    check_refusal(raised, tmp_path / "a")


def test_a_model_is_not_renamed_when_its_card_cannot_be_written(tmp_path, monkeypatch):
    need_linux()
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    write_native(Vectors(["a"], np.ones((1, 1), np.float32)), tmp_path / "models" / "old")
    real = os.fsync

    def full(handle):
        if "card.json" in Path(f"/proc/self/fd/{handle}").readlink().name:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"card\.json cannot be written: the disk is full"):
        rename("old", "new")
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["old"]
    monkeypatch.undo()
    assert not [path for path in (tmp_path / "models" / "old").iterdir() if path.name[0] == "."]


def test_how_a_job_ended_is_written_in_the_room_that_it_kept(tmp_path, monkeypatch):
    job_folder.keep_room(tmp_path)
    real = Path.write_text

    def full(self, *given, **named):
        if (tmp_path / job_folder.ROOM).exists():
            raise OSError(28, "No space left on device")
        return real(self, *given, **named)

    monkeypatch.setattr(Path, "write_text", full)
    job_folder.mark(tmp_path / job_folder.ENDED, code=2)
    assert json.loads((tmp_path / job_folder.ENDED).read_text()) == {"code": 2}
    assert [path.name for path in tmp_path.iterdir()] == [job_folder.ENDED]
