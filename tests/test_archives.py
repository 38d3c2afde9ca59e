"""Packed data is read bounded, whatever its headers claim; what is wrong with it has one name."""

import bz2
import gzip
import io
import lzma
import zipfile

import pytest

from embeddings.archives import (
    DamagedArchiveError,
    InflatedError,
    Member,
    TruncatedError,
    open_zip,
    packing_of_bytes,
    packing_of_name,
    unpacked,
)

TEXT = b"The key was cold. " * 400
PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, "": bytes}


def zipped(*names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return packed


@pytest.mark.parametrize("packing", PACKERS)
def test_every_packing_gives_its_bytes_up_to_the_bound(packing):
    packed = PACKERS[packing](TEXT)
    with unpacked(io.BytesIO(packed), packing, len(TEXT)) as stream:
        assert stream.read() == TEXT
        assert stream.read(1) == b""
    with (
        unpacked(io.BytesIO(packed), packing, len(TEXT) - 1) as stream,
        pytest.raises(InflatedError),
    ):
        stream.read()


@pytest.mark.parametrize("packing", [".gz", ".xz", ".bz2"])
def test_what_is_cut_short_and_what_is_damaged_are_told_apart(packing):
    packed = PACKERS[packing](TEXT)
    with unpacked(io.BytesIO(packed[:-9]), packing) as stream, pytest.raises(TruncatedError):
        stream.read()
    broken = packed[: len(packed) // 2] + bytes(8) + packed[len(packed) // 2 + 8 :]
    with unpacked(io.BytesIO(broken), packing) as stream, pytest.raises(DamagedArchiveError):
        stream.read()


def test_a_zip_lists_its_files_and_each_is_bounded():
    with open_zip(zipped("a.txt", "b/", "b/c.txt", ".hidden/d.txt", "__MACOSX/e.txt")) as archive:
        assert [str(member.path) for member in archive.members if not member.is_hidden] == [
            "a.txt",
            "b/c.txt",
        ]
        with archive.open(archive.members[0], len(TEXT)) as stream:
            assert stream.read() == TEXT
        with archive.open(archive.members[0], 100) as stream, pytest.raises(InflatedError):
            stream.read(200)
    with pytest.raises(DamagedArchiveError), open_zip(io.BytesIO(b"PK\x03\x04 no zip")):
        pass


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_is_not_deflated_is_named_with_its_method(method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.txt", TEXT)
    with pytest.raises(
        DamagedArchiveError, match=f"'a.txt' is packed by method {method}, not by deflate"
    ):
        read_all(packed)


@pytest.mark.parametrize(
    ("name", "outside"),
    [("a/b.txt", False), ("../a", True), ("a/../../b", True), ("/a", True), ("C:\\a", True)],
)
def test_a_path_that_leads_outside_is_seen(name, outside):
    assert Member(zipfile.ZipInfo(name)).leads_outside == outside


def test_a_packing_is_known_by_suffix_or_first_bytes():
    assert packing_of_name("a.TXT.Xz") == ".xz"
    assert packing_of_name("a.bz2") == ".bz2"
    for packing in (".gz", ".xz"):
        assert packing_of_bytes(PACKERS[packing](TEXT)[:6]) == packing
    assert packing_of_bytes(TEXT[:6]) == ""


@pytest.mark.parametrize("flaw", ["name", "offset"])
def test_a_zip_whose_directory_lies_is_damaged(flaw):
    packed = bytearray(zipped("ab.txt").getvalue())
    if flaw == "name":  # says UTF-8, and is not
        entry = packed.rindex(b"PK\x01\x02")
        packed[entry + 9] |= 0x08
        packed[entry + 46] = 0xFF
    else:
        end = packed.rindex(b"PK\x05\x06")
        packed[end + 16 : end + 20] = (1 << 31).to_bytes(4, "little")
    with pytest.raises(DamagedArchiveError):
        read_all(io.BytesIO(bytes(packed)))


def read_all(packed):
    """Read every member of a zip."""
    with open_zip(packed) as archive:
        for member in archive.members:
            with archive.open(member) as stream:
                stream.read()
