"""Zips are searched for their one model, bounded before they are unpacked, and believed in nothing."""

import stat
import zipfile

import pytest

from embeddings.errors import (
    FormatError,
    KlyuchError,
)
from embeddings.files import sha256
from embeddings.shelf import import_model, importing, load_vectors, read_card
from embeddings.vectors.formats import write_native
from tests.shelf.importing import TABLE, left_behind, zipped


def test_a_zip_of_a_folder_is_imported(home):
    write_native(TABLE, home / "made")
    with zipfile.ZipFile(home / "m.zip", "w") as archive:
        for file in (home / "made").iterdir():
            archive.write(file, f"made/{file.name}")
        archive.writestr("__MACOSX/made/._words.txt", "x")
    entry = import_model(home / "m.zip")
    assert load_vectors(entry.name).words == ("a", "b")
    origin = read_card(entry)["origin"]
    assert origin["source"] == "m.zip"
    assert origin["sha256"] == {"m.zip": sha256(home / "m.zip")}


def test_a_refusal_names_the_file_in_the_zip_and_not_where_it_was_unpacked(home):
    zipped(home / "v.zip", **{"inner__v.txt": b"a 1 2\nb 3\nc 4 5\n"})
    with pytest.raises(
        FormatError, match=r"^v\.zip/inner/v\.txt, line 2: numbers found: 1; expected are 2"
    ):
        import_model(home / "v.zip")


def link(path):
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    return path


def cut(path):
    whole = zipped(path, digits=b"0123456789" * 1000)
    whole.write_bytes(whole.read_bytes().replace(b"digits", b"zigits", 1))
    return whole


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: zipped(path, **{"..__x": b"1"}), "would lie outside"),
        (lambda path: zipped(path, **{"__etc__passwd": b"1"}), "would lie outside"),
        (lambda path: zipped(path, **{"..\\x": b"1"}), "would lie outside"),
        (lambda path: zipped(path, **{"C:x": b"1"}), "would lie outside"),
        (link, "would lie outside"),
        (lambda path: zipped(path, **{"v.txt": b"0" * 20_000_000}), "over 100 times"),
        (lambda path: zipped(path, **{f"f{n}": b"" for n in range(1001)}), "over 1000 files"),
        (lambda path: zipped(path, **{"a__data.pkl": b""}), "PyTorch checkpoint"),
        (lambda path: zipped(path), "it holds: nothing"),
        (cut, r"not valid \.zip data"),
        (lambda path: path.write_bytes(b"PK\x03\x04 no zip"), r"not valid \.zip data"),
    ],
)
def test_a_zip_that_cannot_be_trusted_is_refused_with_nothing_left(home, make, sentence):
    make(home / "bad.zip")
    with pytest.raises(KlyuchError, match=sentence):
        import_model(home / "bad.zip")
    assert left_behind(home) == ["models"]


def test_a_zip_whose_header_lies_about_its_size_is_bounded(home, monkeypatch):
    monkeypatch.setattr(importing, "FREE_BYTES", 1000)
    zipped(home / "v.zip", **{"v.txt": b"0" * 300_000})
    data = bytearray((home / "v.zip").read_bytes())
    claimed = (300_000).to_bytes(4, "little")
    (home / "v.zip").write_bytes(bytes(data).replace(claimed, (10).to_bytes(4, "little")))
    with pytest.raises(KlyuchError):
        import_model(home / "v.zip")
    assert left_behind(home) == ["models"]
