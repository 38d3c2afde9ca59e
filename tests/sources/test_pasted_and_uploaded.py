"""Text that a person brings: stored whole, or refused in a sentence with nothing left behind."""

import errno
import gzip
import lzma
from unittest.mock import Mock

import pytest

from embeddings import archives
from embeddings.corpora.text_files import shown_names, text_files
from embeddings.errors import FormatError, InputError
from embeddings.sources import pasted_and_uploaded
from embeddings.sources.pasted_and_uploaded import corpus_name, store_texts
from tests.sources.brought_files import incoming, zipped

RUSSIAN = "Ключ бьёт из-под земли, вода холодна.\n" * 20


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("novel.txt", bytes),
        ("novel.txt.gz", gzip.compress),
        ("novel.txt.xz", lzma.compress),
        ("novel.zip", lambda data: zipped({"deep/novel.txt": data, "__MACOSX/._n": b"\0"})),
        ("novel.zip", lambda data: zipped({"novel.txt.gz": gzip.compress(data)})),
    ],
)
def test_every_packing_gives_the_same_text(tmp_path, name, pack):
    stored = store_texts([incoming(name, pack(RUSSIAN.encode()))], tmp_path, "novel", "ru")
    assert stored.files == ("ru_novel.txt",)
    assert (stored.folder / "ru_novel.txt").read_text(encoding="utf-8") == RUSSIAN
    assert stored.size == len(RUSSIAN.encode())


@pytest.mark.parametrize("encoding", ["windows-1251", "koi8-r", "utf-16"])
def test_a_wrong_encoding_is_guessed_and_then_read(tmp_path, encoding):
    data = RUSSIAN.encode(encoding)
    with pytest.raises(FormatError, match="The text seems to be in") as refused:
        store_texts([incoming("old.txt", data)], tmp_path, "old")
    assert refused.value.fields["guess"].lower() == encoding
    assert not (tmp_path / "old").exists()
    stored = store_texts([incoming("old.txt", data)], tmp_path, "old", encoding=encoding)
    assert (stored.folder / "old.txt").read_text(encoding="utf-8") == RUSSIAN


def test_marks_and_line_ends_are_put_right(tmp_path):
    data = b"\xef\xbb\xbf" + "йод\r\nMüssen\rключ\r\n\r\nd\r".encode()
    stored = store_texts([incoming("a.txt", data)], tmp_path, "a")
    assert (stored.folder / "a.txt").read_bytes().decode() == "йод\nMüssen\nключ\n\nd\n"
    old = "йод\rключ".encode("mac-cyrillic")
    stored = store_texts([incoming("old.txt", old)], tmp_path, "old", encoding="mac-cyrillic")
    assert (stored.folder / "old.txt").read_bytes().decode() == "йод\nключ\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "cp1252"])
def test_a_text_that_is_not_in_the_encoding_named_is_refused(tmp_path, encoding):
    data = RUSSIAN.encode("utf-16") if encoding == "cp1252" else b"\x00\xd8" * 9
    with pytest.raises(
        FormatError, match=f"a.txt, line 1: (this is not {encoding}|byte 0x00 is not UTF-8)"
    ):
        store_texts([incoming("a.txt", data)], tmp_path, "a", encoding=encoding)
    assert [*tmp_path.iterdir()] == []


def test_two_files_of_one_name_both_stay(tmp_path):
    stored = store_texts(
        [incoming("a.txt", b"one"), incoming("a.txt", b"two")], tmp_path, "both", "en"
    )
    assert sorted(stored.files) == ["en_a-2.txt", "en_a.txt"]


def test_files_are_shown_under_the_names_that_they_were_brought_with(tmp_path):
    brought = [
        incoming("Мой роман (2-я).txt", RUSSIAN.encode()),
        incoming("lit.txt", b"one"),
        incoming("lit.txt", b"two"),
        incoming("books.zip", zipped({"deep/lit.txt": b"three"})),
    ]
    folder = store_texts(brought, tmp_path, "mine", "ru").folder
    files = text_files([folder])
    by_name = dict(zip(shown_names(files), files, strict=True))
    assert by_name.keys() == {"Мой роман (2-я).txt", "lit.txt", "lit.txt (2)", "books.zip: lit.txt"}
    assert by_name["Мой роман (2-я).txt"].read_text(encoding="utf-8") == RUSSIAN
    assert {by_name[f"lit.txt{n}"].read_text() for n in ("", " (2)")} == {"one\n", "two\n"}
    (folder / "source.json").write_text("[1]")  # of somebody else
    assert shown_names(files) == tuple(file.name for file in files)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.txt", b"", "holds no text"),
        ("a.txt", "... 😀 — _\n\n".encode(), r"a\.txt: no words were found"),
        ("a.txt", b"one\ntwo \x00", "line 2: a NUL byte"),
        ("a.txt", bytes(range(256)) * 4, "NUL byte|is not UTF-8"),
        ("a.txt", b"%PDF-1.7 ...", "begins as a PDF without the suffix .pdf does"),
        ("a.txt", zipped({"a.txt": b"x"}), "begins as a zip archive"),
        ("a.txt", gzip.compress(b"x", mtime=0), "gzip data without the suffix .gz"),
        ("a.gz", gzip.compress(b"word " * 9000, mtime=0)[:-9], "cut off|not valid"),
        ("a.gz", b"not packed at all", "not valid .gz data"),
        ("a.gz", gzip.compress(b"a\n" * 1_000_000, mtime=0), "unpacks to over 100 times"),
        ("a.zip", zipped({"../../b.txt": b"x"}), "a.zip names the file ../../b.txt, which would"),
        ("a.zip", zipped({"b.exe": b"x"}), "holds b.exe, which is no kind of text"),
        ("a.zip", b"PK\x03\x04 broken", "not valid .zip data"),
        ("a.zip", zipped({}), "holds no text"),
    ],
)
def test_what_is_no_text_is_refused_and_nothing_stays(tmp_path, monkeypatch, name, data, sentence):
    monkeypatch.setattr(archives, "FREE_BYTES", 1000)
    with pytest.raises((FormatError, InputError), match=sentence):
        store_texts([incoming("good.txt", b"good"), incoming(name, data)][-1:], tmp_path, "new")
    assert [*tmp_path.iterdir()] == []


def test_a_text_past_the_bound_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(pasted_and_uploaded.MAX_TEXT_BYTES, ".txt", 100)
    with pytest.raises(FormatError, match="passes"):
        store_texts([incoming("a.txt", b"word " * 21)], tmp_path, "a")
    monkeypatch.setitem(pasted_and_uploaded.MAX_TEXT_BYTES, ".tsv", 1 << 20)
    with pytest.raises(FormatError, match="table passes 1 MB"):
        store_texts([incoming("a.csv", b"date,text\n" * 110_000)], tmp_path, "a", suffix=".tsv")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("member", "content", "encoding"),
    [
        ("page.html", b'<html><p class="' + b"wide " * 400 + b'">a word</p></html>', "utf-8"),
        ("table.txt", ("word " * 160).encode("utf-16"), "utf-16"),
        ("__MACOSX/page.txt", b"word " * 400, "utf-8"),
    ],
)
def test_a_zip_is_not_refused_for_bytes_that_are_not_stored(
    tmp_path, monkeypatch, member, content, encoding
):
    monkeypatch.setitem(pasted_and_uploaded.MAX_TEXT_BYTES, ".txt", 1 << 10)
    data = zipped({"a.txt": "a word".encode(encoding), member: content})
    assert len(content) > 1 << 10
    assert 1 < store_texts([incoming("few.zip", data)], tmp_path, "a", "", encoding).size < 1 << 10


def test_a_zip_of_more_text_than_may_be_stored_is_refused_before_it_is_unpacked(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(pasted_and_uploaded.MAX_TEXT_BYTES, ".txt", 1 << 10)
    monkeypatch.setattr(archives, "unpack_zip", pytest.fail)
    data = zipped({"a.txt": b"word " * 110, "b.txt": b"word " * 110})
    with pytest.raises(FormatError, match=r"^many\.zip: the text passes"):
        store_texts([incoming("many.zip", data)], tmp_path, "a")
    assert [*tmp_path.iterdir()] == []


def test_a_full_disk_is_a_sentence_and_nothing_stays(tmp_path, monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "a"))
    monkeypatch.setattr(pasted_and_uploaded, "_store", Mock(side_effect=full))
    with pytest.raises(InputError, match="the disk is full"):
        store_texts([incoming("a.txt", b"x")], tmp_path, "a")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("name", "stored"), [("Ж" * 200 + ".txt.gz", "Ж" * 60), ("a\0b.txt.gz", "a_b")]
)
def test_a_name_that_no_file_on_the_disk_can_have_is_shortened_there(tmp_path, name, stored):
    packed = gzip.compress(RUSSIAN.encode())
    assert store_texts([incoming(name, packed)], tmp_path, "x").files == (f"{stored}.txt",)


def test_a_zip_with_two_files_of_one_path_says_so(tmp_path):
    data = zipped({"a.txt": b"some words", "./a.txt": b"other words"})
    with pytest.raises(FormatError, match=r"two files in it are called a\.txt"):
        store_texts([incoming("b.zip", data)], tmp_path, "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "a" * 81, "a b"])
def test_names_that_cannot_be_a_folder_are_refused(tmp_path, name):
    with pytest.raises(InputError, match="cannot name a corpus"):
        store_texts([incoming("a.txt", b"x")], tmp_path, name)


def test_a_name_that_is_taken_is_refused_and_the_old_text_stays(tmp_path):
    store_texts([incoming("a.txt", b"old")], tmp_path, "a")
    with pytest.raises(InputError, match="already"):
        store_texts([incoming("a.txt", b"new")], tmp_path, "a")
    assert (tmp_path / "a" / "a.txt").read_bytes() == b"old\n"


@pytest.mark.parametrize(
    ("file", "name"),
    [("../../My novel.txt.gz", "My-novel"), ("Война и мир.zip", "Война-и-мир"), (".txt", "text")],
)
def test_a_corpus_is_called_after_its_file(file, name):
    assert corpus_name(file) == name
