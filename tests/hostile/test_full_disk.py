"""What the system refuses while a file is written is a sentence with its path, and the old file stays; limits are the system's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from embeddings.errors import refusal
from embeddings.files import atomic_file, atomic_folder
from embeddings.shelf.own_models import rename
from embeddings.static.static_checkpoint import StaticCheckpoint
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors
from tests.systems import need_linux, posix_module

posix_module("resource")

ROOT = Path(__file__).resolve().parents[2]
START = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16,) * 2)  # bytes of any file
from pathlib import Path
from tests.hostile import test_full_disk
from embeddings.errors import KlyuchError, refusal
try:
    test_full_disk.WRITERS[sys.argv[1]](Path(sys.argv[2]))
    print(json.dumps(["written", ""]))
except KlyuchError as error:
    print(json.dumps([error.code, str(error)]))
except OSError as error:
    print(json.dumps([refusal(error).code, str(refusal(error))]))
"""
LARGE = np.ones((1 << 9, 1 << 8), np.float32)
SETTINGS = {"epochs": 2, "vector_size": 1}


def save_matrix(folder):
    from safetensors.numpy import save_file

    with atomic_file(folder / "kept") as temporary:
        save_file({"a": LARGE}, temporary)


def save_array(folder):
    with atomic_file(folder / "kept") as temporary:
        LARGE.tofile(temporary)


def save_folder(folder):
    with atomic_folder(folder / "kept") as new:
        (new / "a").write_bytes(LARGE.tobytes())


def save_checkpoint(folder):
    StaticCheckpoint(folder, "word2vec", SETTINGS).save("c", [1.0, 2.0], {"inputs": LARGE})


WRITERS = {"matrix": save_matrix, "array": save_array, "folder": save_folder}
WRITERS["checkpoint"] = save_checkpoint


def written_under_a_limit(name, folder):
    """Code and sentence of a refusal, from a process that cannot write large files."""
    command = [sys.executable, "-c", START, name, str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", ["matrix", "array"])
def test_a_file_that_does_not_fit_is_a_sentence_with_its_path_and_the_old_one_stays(name, tmp_path):
    (tmp_path / "kept").write_text("old")
    code, sentence = written_under_a_limit(name, tmp_path)
    assert (code, sentence.split()[0]) == ("file_room", str(tmp_path / "kept"))
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept").read_text() == "old"


def test_a_folder_that_does_not_fit_is_a_sentence_with_its_path_and_the_old_one_stays(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "b").write_text("old")
    code, sentence = written_under_a_limit("folder", tmp_path)
    assert (code, sentence.split()[0]) == ("file_room", str(tmp_path / "kept"))
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "b"]


def test_a_checkpoint_that_does_not_fit_leaves_the_last_one_whole(tmp_path):
    run = StaticCheckpoint(tmp_path, "word2vec", SETTINGS)
    run.save("c", [1.0], {"inputs": np.ones((2, 1), np.float32)})
    code, sentence = written_under_a_limit("checkpoint", tmp_path)
    assert (code, sentence.split()[0]) == ("file_room", str(tmp_path / "checkpoint.safetensors"))
    saved = run.load("c", "inputs")
    assert (saved.tensors["inputs"].tolist(), list(saved.losses)) == ([[1.0], [1.0]], [1.0])


def test_numpys_own_error_of_a_full_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left") as raised, atomic_file(tmp_path / "a"):
        raise OSError("131072 requested and 16384 written")
    assert refusal(raised.value).code == "file_room"
    assert str(tmp_path / "a") in str(refusal(raised.value))


def test_a_model_is_not_renamed_when_its_card_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    write_native(Vectors(["a"], np.ones((1, 1), np.float32)), tmp_path / "models" / "old")
    real = os.fsync

    def full(handle):
        if "card.json" in Path(f"/proc/self/fd/{handle}").readlink().name:
            raise OSError(28, "No space left on device")
        real(handle)

    need_linux()
    monkeypatch.setattr(os, "fsync", full)
    from embeddings.errors import InputError

    with pytest.raises(InputError, match=r"card\.json cannot be written: the disk is full"):
        rename("old", "new")
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["old"]
    monkeypatch.undo()
    assert not [path for path in (tmp_path / "models" / "old").iterdir() if path.name[0] == "."]


def test_how_a_job_ended_is_written_in_the_room_that_it_kept(tmp_path, monkeypatch):
    from embeddings.jobs import job_folder

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
