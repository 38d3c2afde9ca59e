"""Files of vectors that are refused in a sentence with place and value."""

import gzip
import lzma
import os
import struct

import numpy as np
import pytest

from embeddings.errors import FormatError, InputError, MissingFileError
from embeddings.vectors.formats import parsing, read, text_vectors, write
from tests.vectors.odd_words import odd, save, stream_into

BINARY = struct.pack("<2f", 1, 2)
BAD = {
    "empty": (b"", "holds no vectors"),
    "blank": (b"\n\n", "holds no vectors"),
    "zero rows": (b"0 2\n", "holds no vectors"),
    "cut short": (b"3 2\na 1.5 2\nb 1.5 2\n", "promises 3 rows, the file holds 2"),
    "too many": (b"1 2\na 1 2\nb 1 2\n", "promises 1 row, the file holds 2"),
    "huge claim": (
        b"99999999999 300\na 1 2\n",
        "promises 99999999999 rows of 300 numbers, more than",
    ),
    "absurd size": (b"1 999999999\na 1 2\n", "999999999 dimensions; 1 to 65536"),
    "no dimensions": (b"1 0\na\n", "0 dimensions"),
    "short row": (b"2 2\na 1 2\nb 1\n", "line 3: numbers found: 1; expected are 2"),
    "short row, no header": (b"a 1 2\nb 1\nc 1 2\n", "line 2: numbers found: 1; expected are 2"),
    "long row": (b"2 2\na 1 2\nb 1 2 3\n", "line 3: numbers found: 3; expected are 2"),
    "last row cut": (b"2 2\na 1.25 2.25\nb 1.2", "line 3: numbers found: 1; expected are 2"),
    "blank line inside": (b"2 2\na 1 2\n\nb 1 2\n", "line 3: numbers found: 0"),
    "nan": (b"2 2\na 1 2\nb 1 nan\n", "line 3: the vector of “b” holds nan"),
    "infinity": (b"2 2\na 1 -inf\nb 1 2\n", "line 2: the vector of “a” holds -inf"),
    "overflow": (b"1 2\na 1 1e39\n", "line 2: the vector of “a” holds 1e39"),
    "no number": (b"2 2\na 1 2\nb 1 x2\n", "line 3: “x2” is not a number"),
    "underscore": (b"1 2\na 1 1_0\n", "line 2: “1_0” is not a number"),
    "comma": (b"1 2\na 1 1,5\n", "line 2: “1,5” is not a number: it has a comma"),
    "commas alone": (
        b"2 2\na 1,5 2,5\nb 1,5 2,5\n",
        "line 2: “1,5” is not a number: it has a comma",
    ),
    "first row nan and infinity": (
        b"2 2\na nan inf\nb 1 2\n",
        "line 2: the vector of “a” holds nan",
    ),
    "rows of nan alone": (
        b"2 50\na" + b" nan" * 50 + b"\nb" + b" nan" * 50 + b"\n",
        "line 2: the vector of “a” holds nan",
    ),
    "a longer row of nan": (b"1 9000\na" + b" -nan" * 9000, "line 2: the vector of “a” holds -nan"),
    "a very long row of nan": (b"1 30000\na" + b" nan" * 30000, "vector of “a” holds nan"),
    "first row cut": (b"2 3\na nan nan\nb 1 2 3\n", "line 2: numbers found: 2; expected are 3"),
    "tabs": (b"2 2\na\t1\t2\nb\t3\t4\n", "line 2: tabs stand between the numbers"),
    "tabs behind the word's space": (b"1 2\na 1\t2\t\n", "line 2: tabs stand between"),
    "negative rows": (b"-1 2\na 1 2\n", "line 1: the header says “-1 2”"),
    "negative rows of three": (b"-1 2\na 1 2\nb 1 2\nc 1 2\n", "line 1: the header says “-1 2”"),
    "more rows than can be": (b"9" * 30 + b" 2\na 1 2\n", "line 1: the header says “999"),
    "double space": (b"1 2\na  1 2\nb 1 2\n", "line 2: there is no|“” is not|promises 1 row,"),
    "no word": (b"1 2\n 1 2\n", "line 2: there is no word"),
    "latin-1": (b"2 2\nking 1 2\nK\xf6nig 1 2\n", "line 3: the word “K.xf6nig” is not UTF-8"),
    "cut inside a short word": (b"1 1\n\xd1 2\n", "is not UTF-8"),
    "binary cut short": (b"2 2\na " + BINARY + b"b 1234", "promises 2 rows, the file holds 1"),
    "binary claims less": (b"1 2\na " + BINARY + b"b " + BINARY, "1 row, the file holds more"),
    "binary nan": (
        b"1 2\na " + struct.pack("<2f", 1, np.nan),
        "line 1: the vector of “a” holds nan",
    ),
    "binary zeros": (b"1 2\n" + bytes(10_000), "no word within"),
    "pickle": (b"\x80\x04\x95\x00rest", "a pickle.*save_word2vec_format"),
    "fastText model": (struct.pack("<2i", 793712314, 12), "ends too early"),
    "torch": (
        b"PK\x03\x04" + b"x" * 26 + b"archive/data.pkl\x80",
        "PyTorch checkpoint.*numpy.save",
    ),
    "zip": (b"PK\x03\x04" + b"x" * 26 + b"glove.txt", "zip archive.*Unpack"),
    "binary": (b"\x00\x01\x02", "unknown binary file"),
    "pickled array": (b"\x93NUMPY\x01\x00", "cannot be read: EOF"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("load", [read, lambda path: stream_into(path.parent / "m", path)])
def test_a_bad_file_is_refused_with_place_and_value_read_or_streamed(tmp_path, load, case):
    content, sentence = BAD[case]
    with pytest.raises(FormatError, match=sentence):
        load(save(tmp_path, content))


def test_a_word_that_the_native_format_cannot_hold_is_refused_with_its_line(tmp_path):
    with pytest.raises(FormatError, match="line 2"):
        stream_into(tmp_path / "m", save(tmp_path, "a 1 2\n\tb 1 2\n"))


def test_arrays_of_objects_are_never_unpickled(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (print, ("boom",))

    np.save(tmp_path / "v.npy", np.array([[Bomb()]], dtype=object), allow_pickle=True)
    save(tmp_path, "a\n", "v.txt")
    with pytest.raises(FormatError, match="pickles and are never opened"):
        read(tmp_path / "v.npy")


@pytest.mark.parametrize(
    ("array", "words", "sentence"),
    [
        (np.zeros((2, 2), np.float32), "a\n", "1 word but 2 rows"),
        (np.zeros(2, np.float32), "a\nb\n", "shape .2,., not a table"),
        (np.zeros((1, 2), np.int64), "a\n", "array of int64"),
        (np.array([[1, np.inf]]), "a\n", "“a” holds inf"),
        (np.array([[1, 1e300]]), "a\n", "“a” holds inf"),
        (np.zeros((2, 0), np.float32), "x\ny\n", "shape .2, 0., not a table"),
    ],
)
def test_a_bad_array_is_refused(tmp_path, array, words, sentence):
    np.save(tmp_path / "v.npy", array)
    save(tmp_path, words, "v.txt")
    with pytest.raises(FormatError, match=sentence):
        read(tmp_path / "v.npy")


def test_an_array_that_was_cut_is_not_called_a_pickle(tmp_path):
    np.save(tmp_path / "v.npy", np.ones((100, 2), np.float32))
    os.truncate(tmp_path / "v.npy", 500)  # of 928
    save(tmp_path, "a\n", "v.txt")
    with pytest.raises(FormatError, match="cannot be read: mmap length") as error:
        read(tmp_path / "v.npy")
    assert "pickle" not in str(error.value)


def test_counts_below_zero_beside_an_array_name_their_line(tmp_path):
    np.save(tmp_path / "v.npy", np.ones((3, 2), np.float32))
    path = save(tmp_path, "a\t7\nb\t-2\nc\t0\n", "v.txt")
    with pytest.raises(FormatError, match=r"v\.txt.*line 2 counts -2, and a count is 0 or more"):
        read(tmp_path / "v.npy")
    path.write_text("a\t7\nb\t2\nc\t0\n", encoding="utf-8")
    assert read(tmp_path / "v.npy").counts.tolist() == [7, 2, 0]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_cut_archive_is_refused(tmp_path, pack):
    with pytest.raises(FormatError, match="ends too early"):
        read(save(tmp_path, pack(b"a 1 2\n" * 5000)[:-20]))


def test_what_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parsing, "FREE_BYTES", 1000)
    rows = b"".join(b"w%d 0 0\n" % (i % 3) for i in range(100_000))
    with pytest.raises(InputError, match="over 100 times its size"):
        read(save(tmp_path, lzma.compress(rows)))


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_vectors, "LONGEST_LINE", 1000)
    monkeypatch.setattr(text_vectors, "BYTES_AT_A_TIME", 500)
    with pytest.raises(FormatError, match="a line of over 1000 bytes"):
        read(save(tmp_path, b"a 1 2\n" + b"x" * 5000))


def test_a_missing_file_and_an_unknown_format_are_refused(tmp_path):
    with pytest.raises(MissingFileError, match="does not exist"):
        read(tmp_path / "none")
    with pytest.raises(ValueError, match="Choose one: native, word2vec"):
        write(odd(), tmp_path / "v.docx")
    with pytest.raises(ValueError, match="format=docx is not known"):
        write(odd(), tmp_path / "v", format="docx")
    with pytest.raises(ValueError, match="limit=0 is out of range"):
        read(tmp_path, limit=0)
    with pytest.raises(FormatError, match="it holds nothing"):
        read(tmp_path)
