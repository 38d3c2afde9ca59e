"""What killed processes left is removed when it is old; a folder that holds the last copy is not."""

import os
import time

import pytest

from embeddings.files import OLD, atomic_file, atomic_folder, sweep


def left(path, *, age=OLD + 60):
    """A file or folder, as old as is said."""
    if path.suffix == ".dir":
        path = path.with_suffix("")
        path.mkdir()
    else:
        path.write_bytes(b"half")
    past = time.time() - age
    os.utime(path, (past, past))
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("writer", [atomic_file, atomic_folder])
def test_writing_removes_what_was_left_of_the_same_name_and_nothing_else(writer, tmp_path):
    left(tmp_path / ".made.abcd1234")
    left(tmp_path / ".made.efgh5678.dir")
    for kept in (
        ".other.abcd1234",
        ".mad.abcd1234",
        ".made.toolongforit",
        ".made",
        "made.abcd1234",
    ):
        left(tmp_path / kept)
    left(tmp_path / ".made.young123", age=60)
    with writer(tmp_path / "made") as new:
        new.write_text("new") if writer is atomic_file else (new / "a").write_text("new")
    kept = [".mad.abcd1234", ".made", ".made.toolongforit", ".made.young123", ".other.abcd1234"]
    assert names(tmp_path) == [*kept, "made", "made.abcd1234"]


def test_sweeping_a_folder_removes_what_any_name_left(tmp_path):
    left(tmp_path / ".import.abcd1234.dir")
    left(tmp_path / ".dogs.deleted.abcd1234.dir")
    left(tmp_path / ".checkpoint.safetensors.abcd1234")
    left(tmp_path / ".queue")
    sweep(tmp_path)
    assert names(tmp_path) == [".queue"]


def test_a_folder_in_which_a_file_still_grows_stays(tmp_path):
    folder = left(tmp_path / ".made.abcd1234.dir")
    (folder / "ids.npy").write_bytes(b"half")
    os.utime(folder, (0, 0))  # nothing was added to it for long
    sweep(tmp_path)
    assert names(tmp_path) == [".made.abcd1234"]
    left(folder / "ids.npy")
    os.utime(folder, (0, 0))
    sweep(tmp_path)
    assert names(tmp_path) == []


def test_an_old_folder_moved_aside_stays_until_another_has_its_name(tmp_path):
    aside = left(tmp_path / ".made.old.abcd1234.dir")
    sweep(tmp_path)
    assert aside.is_dir()
    (tmp_path / "made").mkdir()
    sweep(tmp_path)
    assert names(tmp_path) == ["made"]


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".a.abcd1234").symlink_to(tmp_path / "precious")
    past = time.time() - 2 * OLD
    os.utime(tmp_path / "precious", (past, past))
    sweep(tmp_path / "home")
    assert (tmp_path / "precious").is_dir()
