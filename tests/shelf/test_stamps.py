"""The stamp of a model: the same while its files stay, another one after any change."""

import json
import os
import shutil

import pytest

from embeddings.files import sha256, stamp
from embeddings.shelf import Entry, delete, find, list_models, rename


@pytest.fixture
def models(home):
    """Folder of the user's models, with two of them."""
    for name in ("a", "b"):
        folder = home / "home" / "models" / name
        folder.mkdir(parents=True)
        (folder / "card.json").write_text(json.dumps({"kind": "static", "method": "cbow"}))
        (folder / "vectors").write_bytes(b"0123")
    return home / "home" / "models"


def rewrite_with_the_same_size_and_time(folder):
    times = (folder / "vectors").stat()
    (folder / "vectors").write_bytes(b"4567")
    os.utime(folder / "vectors", ns=(times.st_atime_ns, times.st_mtime_ns))


def swap_in_a_copy(folder):
    shutil.copytree(folder, folder.with_name("copy"))
    shutil.rmtree(folder)
    folder.with_name("copy").rename(folder)


CHANGES = {
    "card": lambda folder: (folder / "card.json").write_text("{}"),
    "vectors": rewrite_with_the_same_size_and_time,
    "new file": lambda folder: (folder / "more").write_bytes(b""),
    "file gone": lambda folder: (folder / "vectors").unlink(),
    "replaced": swap_in_a_copy,
    "deleted": lambda _: delete("a"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_the_folder_gives_another_stamp(models, change):
    entry = find("a")
    before = entry.stamp
    assert entry.stamp == find("a").stamp == before
    CHANGES[change](models / "a")
    assert entry.stamp != before


def test_what_is_on_its_way_and_what_other_models_do_leaves_a_stamp_alone(models):
    entry = find("a")
    before = entry.stamp
    (models / "a" / ".card.json.tmp").write_text("{")
    (models / "b" / "vectors").write_bytes(b"x")
    assert entry.stamp == before


def test_two_models_of_the_same_files_have_two_stamps(models):
    os.link(models / "a" / "vectors", models / "b" / "same")
    assert find("a").stamp != find("b").stamp
    entry = find("a")
    assert Entry("c", *(entry.kind, entry.method, entry.language), entry.path).stamp != entry.stamp


def test_a_file_has_a_stamp_and_so_has_nothing(tmp_path):
    file = tmp_path / "v.vec"
    nothing = stamp(file)
    file.write_text("a")
    assert stamp(file) != nothing
    file.unlink()
    assert stamp(file) == nothing


def test_the_list_follows_the_folders(models):
    assert [entry.name for entry in list_models()] == ["a", "b"]
    rename("a", "c")
    (models / "b" / "card.json").write_text(json.dumps({"kind": "network", "method": "bert"}))
    assert [(entry.name, entry.kind) for entry in list_models()] == [
        ("b", "network"),
        ("c", "static"),
    ]
    delete("b")
    assert [entry.name for entry in list_models()] == ["c"]


def test_a_link_that_leads_nowhere_hides_no_change_of_the_other_files(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "notes.txt").symlink_to(tmp_path / "nowhere")
    (folder / "card.json").write_text("a")
    before = stamp(folder)
    (folder / "card.json").write_text("another")
    assert stamp(folder) != before != stamp(tmp_path / "missing")


def test_a_file_replaced_with_its_size_and_time_kept_is_hashed_again(tmp_path):
    file, other = tmp_path / "weights", tmp_path / "other"
    file.write_text("aaaa")
    other.write_text("bbbb")
    before = sha256(file)
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    other.replace(file)
    assert sha256(file) != before
