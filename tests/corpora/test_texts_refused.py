"""Texts and settings that are refused in a sentence, with the line and the byte."""

import gzip
import lzma
import random

import pytest

from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.errors import KlyuchError
from tests.corpora.small_texts import write

NOISE = random.Random(5).randbytes(5000).hex().encode()
BULK = ("слово и дело " * 2000).encode()
BAD = [
    ("empty", "a.txt", b"", r"a\.txt: no words were found"),
    ("punctuation only", "a.txt", b"... --- !!!\n", "no words were found"),
    ("nothing above min_count", "a.txt", b"one two two", r"min_count=5.*«two», has the count 2"),
    ("NUL", "a.txt", b"one\ntwo \x00 three", r"a\.txt, line 2: a NUL byte"),
    ("zip", "a.txt", b"PK\x03\x04rest", "begins as a zip archive does"),
    ("gz called txt", "a.txt", gzip.compress(BULK, mtime=0), "begins as gzip data without the suffix"),
    ("txt called gz", "a.txt.gz", BULK, r"a\.txt\.gz is not valid \.gz data.*Get the file again"),
    ("txt called xz", "a.txt.xz", BULK, r"a\.txt\.xz is not valid \.xz data.*Get the file again"),
    ("cut gz", "a.txt.gz", gzip.compress(NOISE, mtime=0)[:-40], "ends too early"),
    ("cut xz", "a.txt.xz", lzma.compress(NOISE)[:-40], "ends too early"),
    (
        "Windows-1251",
        "a.txt",
        "ok\nКлюч от замка, и всё".encode("cp1251"),
        r"a\.txt, line 2: byte 0xCA is not UTF-8.*to be in WINDOWS-1251 .*--encoding WINDOWS-1251",
    ),
    ("KOI8-R", "a.txt", "Ключ от замка, и всё".encode("koi8-r"), "seems to be in KOI8-R"),
    ("Latin-1", "a.txt", "\n\nschöne Straße hier".encode("latin-1"), "line 3: byte 0xF6.*-1252"),
    ("random bytes", "a.txt", random.Random(6).randbytes(9999).replace(b"\0", b""), "no other enc"),
    ("one bad byte", "a.txt", "Ключ от зам".encode() + b"\xff" + "ка, é ü".encode(), "every letter stays"),
    ("DOS", "a.txt", "Ключ от замка, и всё".encode("cp866"), "seems to be in CP866"),
    ("Ukrainian", "a.txt", "«Ключ» від їхніх дверей — є".encode("cp1251"), "in WINDOWS-1251"),
    ("capitals first", "a.txt", "КЛЮЧ. Ключ от замка".encode("cp1251"), "in WINDOWS-1251"),
    ("UTF-16", "a.txt", "слово".encode("utf-16"), "line 1: byte 0xFF is not UTF-8.*UTF-16"),
    ("NFD before a bad byte", "a.txt", "mu\u0308ssen ".encode() + b"\xff", "line 1: byte 0xFF"),
    ("long line", "a.txt", b"ok\n" + b"a" * (16 * 2**20 + 1), "line 2: 1677721. bytes.*fold -s"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "sentence"), [bad[1:] for bad in BAD], ids=[b[0] for b in BAD]
)
def test_bad_input_is_refused_in_a_sentence_and_nothing_is_left(tmp_path, name, data, sentence):
    source = write(tmp_path / name, data)
    with pytest.raises(KlyuchError, match=sentence):
        encode([source], tmp_path / "ids", EncodingConfig())
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_bad_byte_is_found_in_the_line_it_stands_in_far_into_a_file(tmp_path):
    source = write(tmp_path / "a.txt", b"word word\n" * 5000 + b"w\xffrd\n" + b"word\n" * 5000)
    with pytest.raises(KlyuchError, match="line 5001: byte 0xFF"):
        encode([source], tmp_path / "ids", EncodingConfig(), block_size=1000)


def test_a_line_of_sixteen_million_bytes_is_read(tmp_path):
    source = write(tmp_path / "a.txt", b"word " * 3_200_000 + b"\nword\n")
    corpus = encode([source], tmp_path / "ids", EncodingConfig())
    assert corpus.sentence_bounds.tolist() == [0, 3_200_000, 3_200_001]


def test_missing_and_empty_sources_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(KlyuchError, match=r"nowhere\.txt does not exist"):
        encode([tmp_path / "nowhere.txt"], tmp_path / "ids", EncodingConfig())
    with pytest.raises(
        KlyuchError, match=r"empty holds no text: put files with the suffixes \.txt"
    ):
        encode([tmp_path / "empty"], tmp_path / "ids", EncodingConfig())


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"min_count": 0}, "min_count=0 is out of range"),
        ({"max_words": -1}, "max_words=-1 is out of range"),
        ({"lemmas": "xx"}, 'lemmas=xx is not known. Choose one of: "", en, ru, de'),
    ],
)
def test_bad_settings_are_refused(settings, sentence):
    with pytest.raises(KlyuchError, match=sentence):
        EncodingConfig(**settings)
