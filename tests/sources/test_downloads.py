"""A corpus by name against a server that breaks off, lies and sends the wrong file: resumed, checked, refused."""

import json

import pytest

from embeddings.errors import InputError
from embeddings.sources import downloads
from tests.sources.catalogue_server import OTHER, TEXT, digest, get, known, unknown, visible


def test_a_file_comes_checked_and_is_left_alone_the_second_time(server, tmp_path):
    (first,) = get(known(server), tmp_path)
    assert first.path.read_bytes() == TEXT
    assert (first.checked_by, first.was_here, first.origin) == (
        "catalogue",
        False,
        server("/a.txt"),
    )
    (second,) = get(known(server), tmp_path)
    assert second.was_here
    assert len(server.requested_ranges) == 1
    assert visible(tmp_path) == ["one/a.txt", "one/source.json"]
    assert not list(tmp_path.rglob("*.part*"))


def test_a_damaged_file_is_got_again(server, tmp_path):
    (first,) = get(known(server), tmp_path)
    first.path.write_bytes(OTHER)
    (second,) = get(known(server), tmp_path)
    assert not second.was_here
    assert second.path.read_bytes() == TEXT


def test_a_break_is_resumed_within_one_command(server, tmp_path):
    server.faults = ["break", "break"]
    (file,) = get(known(server), tmp_path)
    assert file.path.read_bytes() == TEXT
    assert server.requested_ranges == [None, "bytes=190000-", "bytes=285000-"]


def test_a_break_is_resumed_by_the_next_command(server, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "RETRIES", 1)
    server.faults = ["break", "503"]
    with pytest.raises(InputError, match=r"answers with the error 503"):
        get(known(server), tmp_path)
    assert visible(tmp_path) == []
    assert (tmp_path / "one/.a.txt.part").read_bytes() == TEXT[:190000]
    (file,) = get(known(server), tmp_path)
    assert file.path.read_bytes() == TEXT
    assert server.requested_ranges[-1] == "bytes=190000-"


def test_a_server_that_always_breaks_off_is_given_up_with_the_part_kept(server, tmp_path):
    server.ranges = False
    server.faults = ["break"] * 20
    with pytest.raises(InputError, match=r"broke off at 190000 of 380000 bytes\. They are kept"):
        get(known(server), tmp_path)
    assert len(server.requested_ranges) == 1 + downloads.RETRIES
    assert visible(tmp_path) == []


def test_without_ranges_a_break_begins_anew(server, tmp_path):
    server.ranges, server.faults = False, ["break"]
    (file,) = get(known(server), tmp_path)
    assert file.path.read_bytes() == TEXT


def test_a_part_of_another_version_is_not_gone_on_with(server, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "RETRIES", 1)
    server.faults = ["break", "503"]
    with pytest.raises(InputError):
        get(unknown(server), tmp_path)
    server.files["/a.txt"], server.tag = OTHER, '"2"'
    (file,) = get(unknown(server), tmp_path)
    assert file.path.read_bytes() == OTHER


@pytest.mark.parametrize("tag", ["", 'W/"1"'])
def test_without_mark_or_checksum_a_break_begins_anew(server, tmp_path, tag):
    server.tag, server.faults = tag, ["break"]
    (file,) = get(unknown(server), tmp_path)
    assert file.path.read_bytes() == TEXT
    assert server.requested_ranges == [None, None]


def test_a_part_that_turns_out_wrong_is_thrown_away_and_all_got_once_more(server, tmp_path):
    part = tmp_path / "one/.a.txt.part"
    part.parent.mkdir()
    part.write_bytes(OTHER[:1000])
    note = {"address": server("/a.txt"), "validator": '"1"'}
    part.with_name(".a.txt.part.json").write_text(json.dumps(note), encoding="utf-8")
    (file,) = get(known(server), tmp_path)
    assert server.requested_ranges == ["bytes=1000-", None]
    assert file.path.read_bytes() == TEXT


def test_another_range_than_was_asked_for_is_not_appended(server, tmp_path):
    server.faults = ["break", "wrong range"]
    (file,) = get(known(server), tmp_path)
    assert file.path.read_bytes() == TEXT
    assert server.requested_ranges == [None, "bytes=190000-", None]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("too long", "has 385000 bytes where 380000 are expected"),
        ("too short", "has 375000 bytes where 380000 are expected"),
        ("endless", "sends more than 380000 bytes"),
    ],
)
def test_a_lie_about_the_length_is_refused(server, tmp_path, fault, sentence):
    server.faults = [fault]
    with pytest.raises(InputError, match=sentence):
        get(known(server), tmp_path)
    assert visible(tmp_path) == []
    assert not list(tmp_path.rglob("*.part*"))


def test_a_length_that_is_not_kept_is_a_break_where_the_size_is_not_known(server, tmp_path):
    server.faults = ["too long"] * 9
    with pytest.raises(InputError, match=r"broke off at 380000 of 385000 bytes|error 416"):
        get(unknown(server), tmp_path)
    assert visible(tmp_path) == []


def test_a_download_without_end_stops_at_the_bound(server, tmp_path):
    server.faults = ["endless"]
    wanted = downloads.Wanted(server("/a.txt"), largest=200_000, pause=0)
    with pytest.raises(InputError, match="sends more than 200000 bytes"):
        downloads.download(wanted, tmp_path / ".a.part")
    assert not list(tmp_path.iterdir())


def test_a_server_that_says_no_length_is_fine_where_the_size_is_known(server, tmp_path):
    server.faults = ["no length"]
    (file,) = get(known(server), tmp_path)
    assert file.path.read_bytes() == TEXT


@pytest.mark.parametrize("was_there", [False, True])
def test_a_wrong_file_is_refused_and_what_was_there_stays(server, tmp_path, was_there):
    if was_there:
        (tmp_path / "one").mkdir()
        (tmp_path / "one/a.txt").write_bytes(b"older")
    server.files["/a.txt"] = OTHER
    sentence = f"its sha256 is {digest(OTHER)}, expected is {digest(TEXT)}. Nothing was kept"
    with pytest.raises(InputError, match=sentence):
        get(known(server), tmp_path)
    assert visible(tmp_path) == (["one/a.txt"] if was_there else [])
    if was_there:
        assert (tmp_path / "one/a.txt").read_bytes() == b"older"
    assert not list(tmp_path.rglob("*.part*"))


def test_progress_counts_the_bytes_of_the_whole_file(server, tmp_path):
    seen = []
    server.faults = ["break"]
    get(known(server), tmp_path, report=seen.append)
    assert {at.phase for at in seen} == {"a.txt"}
    assert [at.done for at in seen] == sorted(at.done for at in seen)
    assert (seen[-1].done, seen[-1].total) == (len(TEXT), len(TEXT))


def test_progress_without_a_length_ends_full(server, tmp_path):
    seen = []
    server.faults = ["no length"]
    get(unknown(server), tmp_path, report=seen.append)
    assert {at.total for at in seen[:-1]} == {0}
    assert (seen[-1].done, seen[-1].total) == (len(TEXT), len(TEXT))
