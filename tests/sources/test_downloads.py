"""A corpus by name against a server that breaks off, lies and sends the wrong file: resumed, checked, refused."""

import bz2
import gzip
import io
import json
from unittest.mock import Mock

import pytest

from embeddings.errors import FormatError, InputError, MissingFileError
from embeddings.shelf import corpora
from embeddings.sources import downloads, fetching
from embeddings.sources.catalogue import CatalogueFile, find_entry, read_catalogue
from embeddings.sources.fetching import fetch as get
from embeddings.sources.pasted_and_uploaded import store_texts
from tests.sources.brought_files import incoming, zipped
from tests.sources.catalogue_server import OTHER, TEXT, digest, entry, known, unknown, visible


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
        ("too short", "has 379950 bytes where 380000 are expected"),
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


def test_a_download_without_end_stops_at_the_bound(server, tmp_path, monkeypatch):
    server.faults = ["endless"]
    monkeypatch.setattr(downloads, "MAX_DOWNLOAD_BYTES", 200_000)
    wanted = downloads.Wanted(server("/a.txt"))
    with pytest.raises(InputError, match="sends more than 200000 bytes"):
        downloads.download(wanted, tmp_path / ".a.part")
    assert not list(tmp_path.iterdir())


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


# What lies in the folder afterwards: the record, one writer at a time, and a disk that is full


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


def test_a_checksum_not_known_beforehand_is_recorded(server, tmp_path):
    (first,) = get(unknown(server), tmp_path)
    server.files["/a.txt"] = OTHER
    (second,) = get(unknown(server), tmp_path)
    assert (second.checked_by, second.was_here, second.sha256) == ("record", True, digest(TEXT))
    first.path.write_bytes(b"damaged")
    (third,) = get(unknown(server), tmp_path)
    assert (third.was_here, third.sha256) == (False, digest(OTHER))


def test_a_text_of_ones_own_is_not_mixed_with_an_entry_of_its_name(server, tmp_path):
    store_texts([incoming("mine.txt", b"The key.")], tmp_path, "one")
    with pytest.raises(
        InputError, match=r"one is a text of your own here, from mine\.txt\. Delete"
    ):
        get(known(server), tmp_path)
    assert visible(tmp_path) == ["one/mine.txt", "one/source.json"]


def test_a_folder_that_cannot_be_written_is_told(server, tmp_path, monkeypatch):
    full = OSError(28, "No space left on device", "one/a.txt")
    monkeypatch.setattr(fetching, "download", Mock(side_effect=full))
    with pytest.raises(InputError, match="the disk is full"):
        get(known(server), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        get(known(server), tmp_path / "file")


def test_a_disk_without_room_is_told_before_anything_comes(server, tmp_path, monkeypatch):
    usage = downloads.shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(downloads.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(InputError, match="has room for 1000 bytes, 380000 are needed"):
        get(known(server), tmp_path)


def test_two_at_once_do_not_get_the_same_entry(server, tmp_path):
    with (
        fetching.alone(tmp_path / "one"),
        pytest.raises(InputError, match="Another Klyuch process is downloading “one”"),
    ):
        get(known(server), tmp_path)
    get(known(server), tmp_path)


def test_files_of_one_name_in_two_folders_stay_apart(catalogue):
    (one,) = read_catalogue(
        catalogue("senses", {"e/wiki/train.csv": "a", "e/dict/train.csv": "bc"})
    )
    assert [file.name for file in one.files] == ["wiki/train.csv", "dict/train.csv"]
    assert one.size == 3


@pytest.mark.parametrize("text", ["[[entry]]\nname = 'a'", "entry = 3", "no toml", "a = 1"])
def test_a_broken_catalogue_is_told(tmp_path, text):
    (tmp_path / "catalogue.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"catalogue\.toml cannot be read"):
        read_catalogue(tmp_path / "catalogue.toml")
    with pytest.raises(MissingFileError, match="does not exist"):
        read_catalogue(tmp_path / "none.toml")


# Packed files, zips and dumps become one checked text, or nothing


def packed_entry(server, path, checksum=""):
    return entry(CatalogueFile("a.txt", server(path), unpacked_sha256=checksum))


def test_a_packed_file_is_unpacked_and_its_content_checked(server, tmp_path):
    server.files["/a.txt.gz"] = gzip.compress(TEXT)
    (got,) = get(packed_entry(server, "/a.txt.gz", digest(TEXT)), tmp_path)
    assert (got.path.read_bytes(), got.checked_by) == (TEXT, "catalogue")
    assert visible(tmp_path) == ["one/a.txt", "one/source.json"]


@pytest.mark.parametrize(
    ("packed", "refusal", "sentence"),
    [
        (gzip.compress(OTHER, mtime=0), InputError, "Nothing was kept"),
        (gzip.compress(TEXT, mtime=0)[:-9], FormatError, "ends too early"),
        (TEXT, FormatError, "not valid .gz data"),
        (gzip.compress(b"0" * 20_000_000, mtime=0), InputError, "unpacks to over 100 times its"),
    ],
)
def test_packed_files_that_are_wrong_leave_nothing(server, tmp_path, packed, refusal, sentence):
    server.files["/a.txt.gz"] = packed
    with pytest.raises(refusal, match=sentence):
        get(packed_entry(server, "/a.txt.gz", digest(TEXT)), tmp_path)
    assert visible(tmp_path) == []
    assert not list(tmp_path.rglob("*.part*"))


def test_a_zip_gives_one_text_whatever_name_it_has_inside(server, tmp_path):
    server.files["/a.zip"] = zipped({"../../evil.txt": TEXT})
    (file,) = get(packed_entry(server, "/a.zip"), tmp_path / "corpora")
    assert file.path == tmp_path / "corpora/one/a.txt"
    assert file.path.read_bytes() == TEXT
    assert not list(tmp_path.rglob("*evil*"))


def test_a_zip_of_several_files_is_refused(server, tmp_path):
    server.files["/a.zip"] = zipped({"a": "1", "b": "2"})
    with pytest.raises(InputError, match="holds 2 files, not one text"):
        get(packed_entry(server, "/a.zip"), tmp_path)


def test_a_download_that_is_whole_is_not_got_again_when_unpacking_was_stopped(
    server, tmp_path, monkeypatch
):
    server.files["/a.zip"] = zipped({"a": TEXT})
    one = packed_entry(server, "/a.zip")
    with monkeypatch.context() as patch:
        patch.setattr(fetching, "unpack_download", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            get(one, tmp_path)
    assert visible(tmp_path) == []
    (file,) = get(one, tmp_path)
    assert file.path.read_bytes() == TEXT
    assert server.requested_ranges == [None]


def test_a_dump_of_wikipedia_becomes_text(server, tmp_path):
    page = "<page><ns>0</ns><revision><text>%s</text></revision></page>"
    pages = "".join(page % f"A sentence of eight words, this is {n}." for n in "12")
    server.files["/x-pages-articles.xml.bz2"] = bz2.compress(f"<w>{pages}</w>".encode())
    (file,) = get(packed_entry(server, "/x-pages-articles.xml.bz2"), tmp_path)
    assert gzip.decompress(file.path.read_bytes()).decode() == (
        "A sentence of eight words, this is 1.\n\nA sentence of eight words, this is 2.\n"
    )


def test_a_zip_and_a_dump_by_their_addresses_are_named_by_their_files(server):
    files = [find_entry((), server(path)) for path in ("/Novel.zip", "/x-pages-articles.xml.bz2")]
    assert [(one.name, one.files[0].name) for one in files] == [
        ("novel", "Novel.txt"),
        ("x", "x.txt.gz"),
    ]


# A mirror is asked before the address, and is not believed either


def test_a_mirror_folder_is_taken_before_the_address(server, tmp_path):
    (tmp_path / "mirror/texts").mkdir(parents=True)
    (tmp_path / "mirror/texts/a.txt").write_bytes(TEXT)
    (file,) = get(known(server), tmp_path / "home", mirror=str(tmp_path / "mirror"))
    assert file.path.read_bytes() == TEXT
    assert file.origin == str(tmp_path / "mirror/texts/a.txt")
    assert server.requested_ranges == []


@pytest.mark.parametrize("content", [TEXT[:-1], OTHER])
def test_a_mirror_with_a_wrong_file_is_refused(server, tmp_path, content):
    (tmp_path / "mirror/texts").mkdir(parents=True)
    (tmp_path / "mirror/texts/a.txt").write_bytes(content)
    server.files["/m/texts/a.txt"] = content
    for mirror in (str(tmp_path / "mirror"), server("/m")):
        with pytest.raises(InputError, match="Nothing was kept"):
            get(known(server), tmp_path / "home", mirror=mirror)
    assert visible(tmp_path / "home") == []


def test_a_mirror_address_holds_packed_files_unpacked(server, tmp_path):
    server.files["/m/texts/a.txt"] = TEXT
    one = known(server, size=7, sha256="", unpacked_sha256=digest(TEXT))
    (file,) = get(one, tmp_path, mirror=server("/m/"))
    assert (file.path.read_bytes(), file.origin) == (TEXT, server("/m/texts/a.txt"))


def test_a_mirror_address_with_an_error_is_refused(server, tmp_path):
    server.files["/m/texts/a.txt"] = TEXT
    server.faults = ["503"] * 10
    with pytest.raises(InputError, match="answers with the error 503"):
        get(known(server), tmp_path, mirror=server("/m"))
    assert visible(tmp_path) == []


def test_what_a_mirror_lacks_comes_from_the_address(server, tmp_path):
    for mirror in (server("/m"), str(tmp_path)):
        (file,) = get(known(server), tmp_path / "home", mirror=mirror)
        assert file.origin == server("/a.txt")
        file.path.unlink()


@pytest.mark.parametrize(
    ("mirror", "sentence"),
    [("", "only a mirror has it"), ("/nowhere", "/nowhere does not have texts/a.txt")],
)
def test_a_text_without_address_needs_a_mirror_that_has_it(tmp_path, mirror, sentence):
    one = entry(CatalogueFile("a.txt", "", "texts/a.txt", 3, digest(b"abc")))
    with pytest.raises(InputError, match=sentence):
        get(one, tmp_path, mirror=mirror)


# Which addresses and names are taken, and where a redirect may lead


SCHEMES = "only http and https addresses"
ADDRESS = "https://example.org/a.txt"


@pytest.mark.parametrize(
    ("address", "name", "sentence"),
    [
        ("file:///etc/passwd", "", SCHEMES),
        ("ftp://example.org/a.txt", "", SCHEMES),
        ("data:text/plain,a", "", SCHEMES),
        ("http:///a.txt", "", SCHEMES),
        ("https://me:secret@example.org/a.txt", "", SCHEMES),
        ("https://example.org:a/a.txt", "", SCHEMES),
        ("https://example.org/a b.txt", "", SCHEMES),
        ("example.org/a.txt", "", SCHEMES),
        ("https://example.org/", "", "names no file"),
        (ADDRESS, "one", r"The name one belongs to https://example\.org"),
        (ADDRESS, "..", "cannot name a folder"),
        (ADDRESS, "a/b", "cannot name a folder"),
        (ADDRESS, ".hidden", "cannot name a folder"),
        (ADDRESS, "a b", "cannot name a folder"),
        (ADDRESS, "x" * 101, "cannot name a folder"),
        ("Analogys-de", "", r"“Analogys-de” .* Near it: analogies-de, analogies-en\."),
        ("qqq", "", r"Names there: analogies-de, analogies-en, one, text8\."),
    ],
)
def test_what_names_no_text_and_what_cannot_be_its_name_is_refused(address, name, sentence):
    entries = [entry(name=name) for name in ("analogies-de", "analogies-en", "one", "text8")]
    with pytest.raises(InputError, match=sentence):
        find_entry(entries, address, name)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.org/a.txt"])
def test_a_redirect_to_another_scheme_is_refused(server, tmp_path, target):
    server.faults = ["to " + target]
    with pytest.raises(InputError, match=r"only http and https addresses|the error 302"):
        get(known(server), tmp_path)


def test_a_redirect_from_https_to_http_is_refused():
    request = downloads.urllib.request.Request("https://example.org/a.txt")
    with pytest.raises(InputError, match="from https to http"):
        downloads._Redirects().redirect_request(
            request, io.BytesIO(), 302, "", {}, "http://example.org/a.txt"
        )


def test_a_redirect_is_followed(server, tmp_path):
    server.faults = ["to /b.txt"]
    server.files["/b.txt"] = TEXT
    (file,) = get(known(server), tmp_path)
    assert file.path.read_bytes() == TEXT


def test_an_address_without_a_file_is_refused(server, tmp_path):
    with pytest.raises(InputError, match="answers with the error 404"):
        get(unknown(server, "/missing.txt"), tmp_path)


def test_an_address_has_a_folder_of_its_own_and_is_listed(server, tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    folder = tmp_path / "corpora"
    (file,) = get(find_entry((), server("/a.txt"), "mine"), folder)
    assert file.path == folder / "mine/a.txt"
    (listed,) = corpora()
    assert (listed.name, listed.source, listed.kind) == ("mine", server("/a.txt"), "text")
    (again,) = get(find_entry((), server("/a.txt"), "mine"), folder)
    assert again.was_here
    server.files["/b.txt"] = OTHER
    with pytest.raises(InputError, match=r"The name mine belongs to .*/a\.txt"):
        get(find_entry((), server("/b.txt"), "mine"), folder)
    store_texts([incoming("mine.txt", b"The key.")], folder, "own")
    with pytest.raises(InputError, match=r"The name own belongs to mine\.txt"):
        get(find_entry((), server("/b.txt"), "own"), folder)
    assert file.path.read_bytes() == TEXT


def test_a_server_that_is_not_there_is_told(tmp_path):
    one = entry(CatalogueFile("a.txt", "http://127.0.0.1:9/a.txt"))
    with pytest.raises(InputError, match="cannot be reached"):
        get(one, tmp_path)
