"""What lies in the folder afterwards: the record, one writer at a time, and a disk that is full."""

import json

import pytest

from embeddings.errors import FormatError, InputError, MissingFileError
from embeddings.files import sha256
from embeddings.sources import downloads, fetching
from embeddings.sources.catalogue import read_catalogue
from tests.sources.catalogue_server import OTHER, TEXT, digest, get, known, unknown, visible


def test_the_record_beside_the_file_says_origin_licence_and_checksum(server, tmp_path):
    get(known(server), tmp_path)
    record = json.loads((tmp_path / "one/source.json").read_text(encoding="utf-8"))
    assert record["licence"] == "CC0-1.0"
    assert record["files"] == {
        "a.txt": {
            "from": server("/a.txt"),
            "size": len(TEXT),
            "sha256": digest(TEXT),
            "checked_by": "catalogue",
        }
    }


def test_a_checksum_not_known_beforehand_is_recorded_and_held_to(server, tmp_path):
    (first,) = get(unknown(server), tmp_path)
    assert first.checked_by == "nothing yet"
    (second,) = get(unknown(server), tmp_path)
    assert (second.checked_by, second.was_here) == ("record", True)
    first.path.unlink()
    server.files["/a.txt"] = OTHER
    with pytest.raises(InputError, match=r"sends something else than at first.*--renew"):
        get(unknown(server), tmp_path)
    assert visible(tmp_path) == ["one/source.json"]
    (renewed,) = get(unknown(server), tmp_path, renew=True)
    assert renewed.checked_by == "nothing yet"
    (last,) = get(unknown(server), tmp_path)
    assert (last.was_here, last.sha256) == (True, digest(OTHER))


def test_a_folder_that_cannot_be_written_is_told(server, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "one/a.txt")

    monkeypatch.setattr(fetching, "download", full)
    with pytest.raises(InputError, match=r"one/a\.txt cannot be written: No space left"):
        get(known(server), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written: (Not a directory|File exists)"):
        get(known(server), tmp_path / "file")


def test_a_disk_without_room_is_told_before_anything_comes(server, tmp_path, monkeypatch):
    usage = downloads.shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(downloads.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(InputError, match="has room for 1000 bytes, 380000 are needed"):
        get(known(server), tmp_path)


def test_two_at_once_do_not_get_the_same_entry(server, tmp_path):
    with (
        fetching.alone(tmp_path / "one"),
        pytest.raises(InputError, match="Another Klyuch process is downloading «one»"),
    ):
        get(known(server), tmp_path)
    get(known(server), tmp_path)


def test_files_of_one_name_in_two_folders_stay_apart(tmp_path):
    path = tmp_path / "catalogue.toml"
    path.write_text(
        """
        [[entry]]
        name = "senses"
        title = "Senses"
        kind = "senses"
        language = ["ru"]
        licence = "research"
        source = "https://example.org"
        commit = ""
        files = [
            { address = "", mirror = "e/s/wiki/train.csv", size = 1, sha256 = "" },
            { address = "", mirror = "e/s/dict/train.csv", size = 2, sha256 = "" },
        ]
        """,
        encoding="utf-8",
    )
    (one,) = read_catalogue(path)
    assert [file.name for file in one.files] == ["wiki/train.csv", "dict/train.csv"]
    assert one.size == 3


@pytest.mark.parametrize("text", ["[[entry]]\nname = 'a'", "entry = 3", "no toml", "a = 1"])
def test_a_broken_catalogue_is_told(tmp_path, text):
    (tmp_path / "catalogue.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"catalogue\.toml cannot be read"):
        read_catalogue(tmp_path / "catalogue.toml")
    with pytest.raises(MissingFileError, match="does not exist"):
        read_catalogue(tmp_path / "none.toml")


def test_the_checksum_of_what_lies_there_is_that_of_the_record(server, tmp_path):
    (file,) = get(unknown(server), tmp_path)
    assert sha256(file.path) == file.sha256 == digest(TEXT)
