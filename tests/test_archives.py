"""Packed data is read bounded, whatever its headers claim; what is wrong with it has one name."""

import bz2
import errno
import gzip
import io
import lzma
import stat
import zipfile
import zlib

import pytest

from embeddings import archives
from embeddings.archives import (
    open_zip,
    packing_of_bytes,
    packing_of_name,
    unpack_zip,
    unpacked,
)
from embeddings.errors import FormatError, InputError, KlyuchError

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
    with unpacked(io.BytesIO(packed), packing, "a.gz", len(TEXT)) as stream:
        assert stream.read() == TEXT
        assert stream.read(1) == b""
    with (
        unpacked(io.BytesIO(packed), packing, "a.gz", len(TEXT) - 1) as stream,
        pytest.raises(InputError, match=r"a.gz unpacks to over 100 times"),
    ):
        stream.read()


@pytest.mark.parametrize("packing", [".gz", ".xz", ".bz2"])
def test_what_is_cut_short_and_what_is_damaged_are_told_apart(packing):
    packed = PACKERS[packing](TEXT)
    with (
        unpacked(io.BytesIO(packed[:-9]), packing, "a.gz") as stream,
        pytest.raises(FormatError, match=r"a.gz ends too early"),
    ):
        stream.read()
    broken = packed[: len(packed) // 2] + bytes(8) + packed[len(packed) // 2 + 8 :]
    with (
        unpacked(io.BytesIO(broken), packing, "a.gz") as stream,
        pytest.raises(FormatError, match=r"a.gz is not valid"),
    ):
        stream.read()


class Failing(io.BytesIO):
    """A file on a disk that fails."""

    def read(self, *_):
        raise OSError(errno.EIO, "Input/output error")

    readinto = read1 = read


@pytest.mark.parametrize("packing", PACKERS)
def test_a_disk_that_fails_is_not_called_damaged_data(packing):
    with (
        unpacked(Failing(), packing, "a.gz") as stream,
        pytest.raises(OSError, match="Input/output error") as error,
    ):
        stream.read()
    assert not isinstance(error.value, KlyuchError)


def test_xz_that_asks_for_a_large_dictionary_is_refused():
    packed = bytearray(lzma.compress(TEXT))
    size = packed.index(b"\x21\x01") + 2  # of the dictionary, in the header of the first block
    packed[size] = 40  # 4 GB
    end = 12 + 4 * packed[12]
    packed[end : end + 4] = zlib.crc32(packed[12:end]).to_bytes(4, "little")
    with (
        unpacked(io.BytesIO(bytes(packed)), ".xz", "a.xz") as stream,
        pytest.raises(FormatError, match=r"a.xz is not valid .xz data: Memory usage limit"),
    ):
        stream.read(1)


def test_streams_of_xz_are_read_one_after_the_other_and_what_is_none_is_left_out():
    packed = lzma.compress(TEXT) + bytes(8) + lzma.compress(b"More.", lzma.FORMAT_ALONE) + b"no xz"
    with unpacked(io.BytesIO(packed), ".xz", "a.xz") as stream:
        assert stream.read() == TEXT + b"More."


def test_a_zip_lists_its_files_and_each_is_bounded():
    with open_zip(zipped("a.txt", "b/", "b/c.txt"), "a.gz") as archive:
        assert [member.filename for member in archive.members] == ["a.txt", "b/c.txt"]
        with archive.open(archive.members[0], len(TEXT)) as stream:
            assert stream.read() == TEXT
        with (
            archive.open(archive.members[0], 100) as stream,
            pytest.raises(InputError, match=r"a.gz unpacks to over 100 times"),
        ):
            stream.read(200)
    with (
        pytest.raises(FormatError, match=r"a.zip is not valid .zip data"),
        open_zip(io.BytesIO(b"PK\x03\x04 no zip"), "a.zip"),
    ):
        pass


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_is_not_deflated_is_named_with_its_method(method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.txt", TEXT)
    with pytest.raises(FormatError, match=f"'a.txt' is packed by method {method}, not by deflate"):
        read_all(packed)


def test_a_zip_is_unpacked_without_hidden_files(tmp_path):
    path = tmp_path / "a.zip"
    names = ("a.txt", "b/c: d.txt", "b\\e.txt", ".hidden/f.txt", "__MACOSX/g.txt")
    path.write_bytes(zipped(*names).getvalue())
    unpack_zip(path, tmp_path / "new")
    files = [file for file in (tmp_path / "new").rglob("*") if file.is_file()]
    assert {str(file.relative_to(tmp_path / "new")) for file in files} == {
        "a.txt",
        "b/c_ d.txt",
        "b/e.txt",
    }
    assert {file.read_bytes() for file in files} == {TEXT}


def link(archive):
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, "/etc/passwd")


UNTRUSTED = {
    "../x": "a.zip names the file ../x, which would lie outside",
    "a/../../x": "would lie outside",
    "/etc/passwd": "would lie outside",
    "..\\x": "would lie outside",
    "C:\\x": "would lie outside",
    "link": "is a link",
    "many": "a.zip holds over 10 files",
    "large": "a.zip unpacks to over 100 times its size",
}


@pytest.mark.parametrize("name", UNTRUSTED)
def test_a_zip_that_cannot_be_trusted_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 10)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        if name == "link":
            link(archive)
        for number in range({"many": 11, "link": 0}.get(name, 1)):
            archive.writestr(f"{name}{number or ''}", b"0" * (20_000_000 if name == "large" else 1))
    with pytest.raises(KlyuchError, match=UNTRUSTED[name]):
        unpack_zip(tmp_path / "a.zip", tmp_path / "new")
    assert not (tmp_path / "x").exists()


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
    with pytest.raises(FormatError, match=r"a.zip is not valid .zip data"):
        read_all(io.BytesIO(bytes(packed)))


def read_all(packed):
    """Read every member of a zip."""
    with open_zip(packed, "a.zip") as archive:
        for member in archive.members:
            with archive.open(member) as stream:
                stream.read()
