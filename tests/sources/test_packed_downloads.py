"""Packed files, zips and dumps become one checked text, or nothing."""

import bz2
import gzip
import io
import random
import zipfile

import pytest

from embeddings.errors import FormatError, InputError
from embeddings.sources import fetching
from embeddings.sources.catalogue import CatalogueFile, find_entry
from embeddings.sources.fetching import LONGEST_LINE, unpack_download
from tests.sources.catalogue_server import OTHER, TEXT, digest, entry, get, known, visible


def test_a_packed_file_is_unpacked_and_its_content_checked(server, tmp_path):
    server.files["/a.txt.gz"] = gzip.compress(TEXT)
    file = CatalogueFile("a.txt", server("/a.txt.gz"), unpacked_sha256=digest(TEXT))
    (got,) = get(entry(file), tmp_path)
    assert (got.path.read_bytes(), got.checked_by) == (TEXT, "catalogue")
    assert visible(tmp_path) == ["one/a.txt", "one/source.json"]


@pytest.mark.parametrize(
    ("packed", "refusal", "sentence"),
    [
        (gzip.compress(OTHER, mtime=0), InputError, "Nothing was kept"),
        (gzip.compress(TEXT, mtime=0)[:-9], FormatError, "ends too early"),
        (TEXT, FormatError, "not valid .gz data"),
        (
            gzip.compress(b"0" * 10_000_000, mtime=0),
            InputError,
            "unpacks to over 100 times its size",
        ),
    ],
)
def test_packed_files_that_are_wrong_leave_nothing(server, tmp_path, packed, refusal, sentence):
    server.files["/a.txt.gz"] = packed
    file = CatalogueFile("a.txt", server("/a.txt.gz"), unpacked_sha256=digest(TEXT))
    with pytest.raises(refusal, match=sentence):
        get(entry(file), tmp_path)
    assert visible(tmp_path) == []
    assert not list(tmp_path.rglob("*.part*"))


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_zip_by_its_address_gives_one_text_whatever_name_it_has_inside(server, tmp_path):
    server.files["/Novel.zip"] = zipped(**{"../../evil.txt": TEXT})
    one = find_entry((), server("/Novel.zip"))
    (file,) = get(one, tmp_path / "corpora")
    assert file.path == tmp_path / "corpora/novel/Novel.txt"
    assert file.path.read_bytes() == TEXT
    assert not list(tmp_path.rglob("*evil*"))


def test_a_zip_of_several_files_is_refused(server, tmp_path):
    server.files["/a.zip"] = zipped(a="1", b="2")
    with pytest.raises(InputError, match="holds 2 files, not one text"):
        get(find_entry((), server("/a.zip")), tmp_path)


def test_a_text_in_one_line_is_broken_at_spaces_only(tmp_path):
    text = b" ".join(
        b"word%d" % number for number in random.Random(1).choices(range(977), k=300_000)
    )
    (tmp_path / "a.zip").write_bytes(zipped(a=text))
    unpack_download(tmp_path / "a.zip", tmp_path / "a.txt", ".zip")
    found = (tmp_path / "a.txt").read_bytes()
    assert found.replace(b"\n", b" ") == text
    lines = found.split(b"\n")
    assert len(lines) == len(text) // (LONGEST_LINE + 1) + 1
    assert max(map(len, lines)) <= LONGEST_LINE + len(b"word976")


def test_bzip2_unpacks(tmp_path):
    (tmp_path / "a.bz2").write_bytes(bz2.compress(TEXT))
    unpack_download(tmp_path / "a.bz2", tmp_path / "a", ".bz2")
    assert (tmp_path / "a").read_bytes() == TEXT


def test_a_mirror_address_holds_packed_files_unpacked(server, tmp_path):
    server.files["/m/texts/a.txt"] = TEXT
    one = known(server, size=7, sha256="", unpacked_sha256=digest(TEXT))
    (file,) = get(one, tmp_path, mirror=server("/m/"))
    assert (file.path.read_bytes(), file.origin) == (TEXT, server("/m/texts/a.txt"))


def test_a_download_that_is_whole_is_not_got_again_when_unpacking_was_stopped(
    server, tmp_path, monkeypatch
):
    def stopped(*_):
        raise KeyboardInterrupt

    server.files["/a.zip"] = zipped(a=TEXT)
    one = find_entry((), server("/a.zip"))
    with monkeypatch.context() as patch:
        patch.setattr(fetching, "unpack_download", stopped)
        with pytest.raises(KeyboardInterrupt):
            get(one, tmp_path)
    assert visible(tmp_path) == []
    (file,) = get(one, tmp_path)
    assert file.path.read_bytes() == TEXT
    assert server.requested_ranges == [None]


def test_unpacking_reports_the_packed_bytes(server, tmp_path):
    server.files["/a.zip"] = zipped(a=TEXT)
    seen = []
    get(find_entry((), server("/a.zip")), tmp_path, report=seen.append)
    last = seen[-1]
    assert (last.phase, last.total) == ("unpack a.txt", len(server.files["/a.zip"]))
    assert 0 < last.done <= last.total


def test_a_dump_of_wikipedia_becomes_text(server, tmp_path):
    page = "<page><ns>0</ns><revision><text>%s</text></revision></page>"
    pages = "".join(page % f"A sentence of eight words, this is {n}." for n in "12")
    server.files["/x-pages-articles.xml.bz2"] = bz2.compress(f"<w>{pages}</w>".encode())
    (file,) = get(find_entry((), server("/x-pages-articles.xml.bz2")), tmp_path)
    assert file.path == tmp_path / "x/x.txt.gz"
    assert gzip.decompress(file.path.read_bytes()).decode() == (
        "A sentence of eight words, this is 1.\n\nA sentence of eight words, this is 2.\n"
    )
