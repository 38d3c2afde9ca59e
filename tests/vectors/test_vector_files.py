"""Formats of other tools: round trips, the traps of each, gensim reading ours and we reading gensim's."""

import gzip
import json
import logging
import lzma
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings import Vectors
from embeddings.errors import FormatError, MissingFileError
from embeddings.vectors.formats import (
    WRITERS,
    convert,
    detect,
    from_gensim,
    read,
    streams,
    text,
    to_gensim,
    write,
)
from embeddings.vectors.formats.numbers import parse_compiled, parse_plain

SUFFIX = {"word2vec": ".txt", "glove": ".txt", "fasttext": ".vec", "word2vec-binary": ".bin"}
ODD = [
    "ключ",
    "schön",
    "e\u0301",
    "ice\u00a0cream",
    "👩‍🔬",
    "。",
    "й",
    "1.5",
    "-",
    "…",
    "\u200b",
    "a'b",
]


def odd(counts=False):
    matrix = np.random.default_rng(1).normal(size=(len(ODD), 5)).astype(np.float32)
    matrix[3] = [0, -0.0, 1e-40, 3.4e38, -1]
    numbers = np.arange(len(ODD), 0, -1) if counts else None
    return Vectors(ODD, matrix, numbers)


@pytest.mark.parametrize(
    ("kind", "packing"),
    [(kind, packing) for kind in SUFFIX for packing in ("", ".gz", ".xz")]
    + [("projector", ""), ("numpy", "")],
)
def test_every_format_gives_back_words_and_numbers_to_the_bit(tmp_path, kind, packing):
    path = tmp_path / f"v{SUFFIX.get(kind, '.npy' if kind == 'numpy' else '')}{packing}"
    write(odd(), path, format=kind)
    back = read(path)
    assert back.words == tuple(ODD)
    assert back.matrix.dtype == np.float32
    assert back.matrix.tobytes() == odd().matrix.tobytes()


@pytest.mark.parametrize("kind", ["native", "numpy", "projector"])
def test_counts_come_back_where_the_format_has_them(tmp_path, kind):
    path = tmp_path / ("v.npy" if kind == "numpy" else "v")
    write(odd(counts=True), path, format=kind)
    assert read(path).counts.tolist() == list(range(len(ODD), 0, -1))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("word2vec", {}),
        ("fasttext", {}),
        ("glove", {"no_header": True}),
        ("word2vec-binary", {"binary": True}),
    ],
)
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # gensim leaves files open
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_gensim_reads_what_we_write(tmp_path, kind, options):
    from gensim.models import KeyedVectors

    write(odd(), tmp_path / "v", format=kind)
    keyed = KeyedVectors.load_word2vec_format(tmp_path / "v", **options)
    assert keyed.index_to_key == ODD
    assert np.array_equal(keyed.vectors, odd().matrix)


@pytest.mark.parametrize("options", [{}, {"binary": True}, {"write_header": False}])
def test_we_read_what_gensim_writes(tmp_path, options):
    to_gensim(odd()).save_word2vec_format(str(tmp_path / "v"), **options)
    back = read(tmp_path / "v")
    assert back.words == tuple(ODD)
    assert np.array_equal(back.matrix, odd().matrix)


def test_keyed_vectors_keep_order_and_counts():
    keyed = to_gensim(odd(counts=True))
    assert keyed.get_vecattr("schön", "count") == len(ODD) - 1
    back = from_gensim(keyed, name="x", language="ru")
    assert (back.words, back.name, back.language) == (tuple(ODD), "x", "ru")
    assert back.counts.tolist() == odd(counts=True).counts.tolist()
    assert from_gensim(to_gensim(odd())).counts is None


def save(tmp_path, content, name="v.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def table(vectors):
    return {word: row.tolist() for word, row in zip(vectors.words, vectors.matrix, strict=True)}


# What the C tools write


def test_the_c_tool_leaves_a_trailing_space_and_begins_with_the_sentence_end(tmp_path):
    path = save(tmp_path, "2 2\n</s> 0.5 1 \nking 0.25 -1 \n")
    assert table(read(path)) == {"</s>": [0.5, 1.0], "king": [0.25, -1.0]}


def test_windows_line_ends_and_a_byte_order_mark_are_not_part_of_words(tmp_path):
    assert table(read(save(tmp_path, "\ufeff1 2\r\nking 0.5 1\r\n"))) == {"king": [0.5, 1.0]}


def test_the_last_line_may_lack_its_end(tmp_path):
    assert table(read(save(tmp_path, "a 1 2\nb 3 4"))) == {"a": [1.0, 2.0], "b": [3.0, 4.0]}


def test_blank_lines_at_the_end_are_no_rows(tmp_path):
    assert len(read(save(tmp_path, "1 2\na 1 2\n\n\n"))) == 1


def test_only_the_last_fields_are_numbers(tmp_path):
    content = "the 1 2 3\nof 1 2 3\n. . . 4 5 6\nto name@domain.com 7 8 9\n<unk> 0 0 0\n"
    read_back = table(read(save(tmp_path, content)))
    assert read_back[". . ."] == [4.0, 5.0, 6.0]
    assert read_back["to name@domain.com"] == [7.0, 8.0, 9.0]
    assert read_back["<unk>"] == [0.0, 0.0, 0.0]


def test_a_header_of_glove_does_not_count_its_unknown_word(tmp_path):
    assert len(read(save(tmp_path, "1 2\nthe 1 2\n<unk> 0 0\n"))) == 2


def test_a_no_break_space_belongs_to_its_word(tmp_path):
    assert "1\u00a01/2" in read(save(tmp_path, "1 2\n1\u00a01/2 1 2\n")).words


def test_the_first_of_two_equal_words_is_kept_and_the_others_counted(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        vectors = read(save(tmp_path, "4 1\na 1\nb 2\na 3\na 4\n"))
    assert table(vectors) == {"a": [1.0], "b": [2.0]}
    assert vectors.dropped == 2
    assert "line 4: the word «a»" in caplog.text
    assert "2 rows were dropped" in caplog.text


@pytest.mark.parametrize("kind", ["word2vec", "glove", "word2vec-binary", "projector", "numpy"])
def test_a_limit_reads_only_the_first_rows(tmp_path, kind):
    path = tmp_path / ("v.npy" if kind == "numpy" else "v")
    write(odd(), path, format=kind)
    assert read(path, limit=3).words == tuple(ODD[:3])


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_binary_rows_may_end_in_a_line_feed(tmp_path, ending):
    rows = [b"a " + struct.pack("<2f", 1, 2), b"b " + struct.pack("<2f", 3, 4)]
    path = save(tmp_path, b"2 2\n" + b"".join(row + ending for row in rows), "v.bin")
    assert table(read(path)) == {"a": [1.0, 2.0], "b": [3.0, 4.0]}


def test_a_number_may_hold_the_bytes_of_space_and_line_end(tmp_path):
    number = b"\n \n "
    path = save(tmp_path, b"1 1\na " + number, "v.bin")
    assert read(path).matrix.tobytes() == number


@pytest.mark.parametrize("binary", [False, True])
def test_a_letter_cut_by_the_c_tool_is_dropped(tmp_path, binary):
    cut = ("я" * 50).encode()[:97]
    row = b" " + (struct.pack("<f", 2) if binary else b"2\n")
    assert read(save(tmp_path, b"1 1\n" + cut + row)).words == ("я" * 48,)


def test_the_content_decides_not_the_name(tmp_path):
    write(odd(), tmp_path / "a.bin", format="word2vec")
    write(odd(), tmp_path / "a.txt", format="word2vec-binary")
    assert (detect(tmp_path / "a.bin"), detect(tmp_path / "a.txt")) == (
        "word2vec",
        "word2vec-binary",
    )


@pytest.mark.parametrize("dimensions", [1, 2, 3, 50])
def test_binary_rows_of_common_numbers_are_not_taken_for_text(tmp_path, dimensions):
    random = np.random.default_rng(dimensions)
    for place in range(50):
        matrix = random.normal(size=(3, dimensions)).astype("<f4")
        rows = [b"a%d " % i + row.tobytes() + b"\n" for i, row in enumerate(matrix)]
        path = save(tmp_path, b"3 %d\n" % dimensions + b"".join(rows), f"{place}.bin")
        assert np.array_equal(read(path).matrix, matrix)


def test_a_word_that_is_a_number_may_begin_a_file_without_header(tmp_path):
    assert table(read(save(tmp_path, "-1 2\n-3 4\n"))) == {"-1": [2.0], "-3": [4.0]}


# The Projector


def test_metadata_has_a_header_only_with_two_columns(tmp_path):
    write(odd(), tmp_path / "one", format="projector")
    assert (tmp_path / "one" / "metadata.tsv").read_text("utf-8").split("\n")[0] == "ключ"
    write(odd(counts=True), tmp_path / "two", format="projector")
    lines = (tmp_path / "two" / "metadata.tsv").read_text("utf-8").split("\n")
    assert lines[:2] == ["word\tcount", "ключ\t12"]
    about = json.loads((tmp_path / "two" / "projector_config.json").read_text("utf-8"))
    assert about["embeddings"][0]["tensorShape"] == [12, 5]


def test_gensims_projector_files_are_read(tmp_path):
    save(tmp_path, "1\t2\n3\t4\n", "x_tensor.tsv")
    save(tmp_path, "a\nb\n", "x_metadata.tsv")
    assert table(read(tmp_path / "x_tensor.tsv")) == {"a": [1.0, 2.0], "b": [3.0, 4.0]}


def projector(tmp_path, tensor=b"", metadata="a\nb\n", **about):
    listed = {"tensorPath": "v.bytes", "metadataPath": "m.tsv", "tensorShape": [2, 2], **about}
    save(tmp_path, tensor or struct.pack("<4f", 1, 2, 3, 4), "v.bytes")
    save(tmp_path, metadata, "m.tsv")
    return save(tmp_path, json.dumps({"embeddings": [listed]}), "c.json")


def test_raw_bytes_are_read_by_the_shape_of_the_json(tmp_path):
    assert table(read(projector(tmp_path))) == {"a": [1.0, 2.0], "b": [3.0, 4.0]}


def test_the_column_of_words_is_found_by_its_name(tmp_path):
    path = projector(tmp_path, metadata="pos\tLabel\tcount\nn\ta\t5\nv\tb\t4\n")
    vectors = read(path)
    assert (vectors.words, vectors.counts.tolist()) == (("a", "b"), [5, 4])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"metadata": "a\n\n"}, "1 words"),
        ({"metadata": "\na\n"}, "line 1: there is no word"),
        ({"metadata": "w\tc\na\t1\nb\n"}, "line 3: 1 columns where the first line has 2"),
        ({"tensor": b"1234"}, "2 rows of 2 numbers, more than the 4 bytes"),
        ({"tensor": struct.pack("<4f", 1, 2, np.nan, 4)}, "line 2: the vector of «b» holds nan"),
        ({"tensorShape": [10**9, 10**9]}, "promises 1000000000 rows"),
        ({"tensorShape": "big"}, "tensorShape is big"),
        ({"tensorPath": "../../etc/passwd"}, "no file of its folder"),
        ({"metadataPath": "https://example.org/m.tsv"}, "does not exist"),
        ({"tensorPath": None}, "names None"),
    ],
)
def test_a_damaged_projector_is_refused(tmp_path, change, sentence):
    with pytest.raises((FormatError, MissingFileError), match=sentence):
        read(projector(tmp_path, **change))


# Bad input

BINARY = struct.pack("<2f", 1, 2)
BAD = {
    "empty": (b"", "holds no vectors"),
    "blank": (b"\n\n", "holds no vectors"),
    "zero rows": (b"0 2\n", "holds no vectors"),
    "cut short": (b"3 2\na 1.5 2\nb 1.5 2\n", "promises 3 rows, the file holds 2"),
    "too many": (b"1 2\na 1 2\nb 1 2\n", "promises 1 rows, the file holds 2"),
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
    "nan": (b"2 2\na 1 2\nb 1 nan\n", "line 3: the vector of «b» holds nan"),
    "infinity": (b"2 2\na 1 -inf\nb 1 2\n", "line 2: the vector of «a» holds -inf"),
    "overflow": (b"1 2\na 1 1e39\n", "line 2: the vector of «a» holds 1e39"),
    "no number": (b"2 2\na 1 2\nb 1 x2\n", "line 3: «x2» is not a number"),
    "underscore": (b"1 2\na 1 1_0\n", "line 2: «1_0» is not a number"),
    "comma": (b"1 2\na 1 1,5\n", "line 2: «1,5» is not a number: it has a comma"),
    "commas alone": (
        b"2 2\na 1,5 2,5\nb 1,5 2,5\n",
        "line 2: «1,5» is not a number: it has a comma",
    ),
    "first row nan and infinity": (
        b"2 2\na nan inf\nb 1 2\n",
        "line 2: the vector of «a» holds nan",
    ),
    "rows of nan alone": (
        b"2 50\na" + b" nan" * 50 + b"\nb" + b" nan" * 50 + b"\n",
        "line 2: the vector of «a» holds nan",
    ),
    "a longer row of nan": (b"1 9000\na" + b" -nan" * 9000, "line 2: the vector of «a» holds -nan"),
    "a very long row of nan": (b"1 30000\na" + b" nan" * 30000, "vector of «a» holds nan"),
    "first row cut": (b"2 3\na nan nan\nb 1 2 3\n", "line 2: numbers found: 2; expected are 3"),
    "tabs": (b"2 2\na\t1\t2\nb\t3\t4\n", "line 2: tabs stand between the numbers"),
    "tabs behind the word's space": (b"1 2\na 1\t2\t\n", "line 2: tabs stand between"),
    "negative rows": (b"-1 2\na 1 2\n", "line 1: the header says «-1 2»"),
    "negative rows of three": (b"-1 2\na 1 2\nb 1 2\nc 1 2\n", "line 1: the header says «-1 2»"),
    "more rows than can be": (b"9" * 30 + b" 2\na 1 2\n", "line 1: the header says «999"),
    "double space": (b"1 2\na  1 2\nb 1 2\n", "line 2: there is no|«» is not|rows"),
    "no word": (b"1 2\n 1 2\n", "line 2: there is no word"),
    "latin-1": (b"2 2\nking 1 2\nK\xf6nig 1 2\n", "line 3: the word «K.xf6nig» is not UTF-8"),
    "cut inside a short word": (b"1 1\n\xd1 2\n", "is not UTF-8"),
    "binary cut short": (b"2 2\na " + BINARY + b"b 1234", "promises 2 rows, the file holds 1"),
    "binary claims less": (b"1 2\na " + BINARY + b"b " + BINARY, "1 rows, the file holds more"),
    "binary nan": (
        b"1 2\na " + struct.pack("<2f", 1, np.nan),
        "line 1: the vector of «a» holds nan",
    ),
    "binary zeros": (b"1 2\n" + bytes(10_000), "no word within"),
    "pickle": (b"\x80\x04\x95\x00rest", "a pickle.*save_word2vec_format"),
    "fastText model": (struct.pack("<2i", 793712314, 12), "fastText model with subwords.*vec file"),
    "torch": (
        b"PK\x03\x04" + b"x" * 26 + b"archive/data.pkl\x80",
        "PyTorch checkpoint.*numpy.save",
    ),
    "zip": (b"PK\x03\x04" + b"x" * 26 + b"glove.txt", "zip archive.*Unpack"),
    "binary": (b"\x00\x01\x02", "unknown binary file"),
    "pickled array": (b"\x93NUMPY\x01\x00", "cannot be read: EOF"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("parser", ["plain", "compiled"])
def test_a_bad_file_is_refused_with_place_and_value(tmp_path, case, parser, monkeypatch):
    content, sentence = BAD[case]
    if parser == "compiled":
        monkeypatch.setattr(text, "PLAIN_BELOW", 0)
    with pytest.raises((FormatError, MissingFileError), match=sentence):
        read(save(tmp_path, content))


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
        (np.zeros((2, 2), np.float32), "a\n", "1 words but 2 rows"),
        (np.zeros(2, np.float32), "a\nb\n", "shape .2,., not a table"),
        (np.zeros((1, 2), np.int64), "a\n", "array of int64"),
        (np.array([[1, np.inf]]), "a\n", "«a» holds inf"),
        (np.array([[1, 1e300]]), "a\n", "«a» holds inf"),
    ],
)
def test_a_bad_array_is_refused(tmp_path, array, words, sentence):
    np.save(tmp_path / "v.npy", array)
    save(tmp_path, words, "v.txt")
    with pytest.raises(FormatError, match=sentence):
        read(tmp_path / "v.npy")


def test_a_cut_archive_is_refused(tmp_path):
    packed = gzip.compress(b"a 1 2\n" * 5000)
    with pytest.raises(FormatError, match="cannot be read"):
        read(save(tmp_path, packed[:-20]))
    packed = lzma.compress(b"a 1 2\n" * 5000)
    with pytest.raises(FormatError, match="cannot be read"):
        read(save(tmp_path, packed[:-20]))


def test_what_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "FREE_BYTES", 1000)
    rows = b"".join(b"w%d 0 0\n" % (i % 3) for i in range(100_000))
    with pytest.raises(FormatError, match="over 100 times its size"):
        read(save(tmp_path, lzma.compress(rows)))


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "LONGEST_LINE", 1000)
    monkeypatch.setattr(text, "BLOCK", 500)
    with pytest.raises(FormatError, match="a line of over 1000 bytes"):
        read(save(tmp_path, b"a 1 2\n" + b"x" * 5000))


def test_blocks_that_cut_lines_change_nothing(tmp_path, monkeypatch):
    write(odd(), tmp_path / "v", format="word2vec")
    for size in (7, 64, 100):
        monkeypatch.setattr(text, "BLOCK", size)
        head = (tmp_path / "v").read_bytes()[:size]
        assert text.header(head) == (12, 5)
        assert read(tmp_path / "v").matrix.tobytes() == odd().matrix.tobytes()


@pytest.mark.parametrize("kind", ["word2vec", "glove", "fasttext", "word2vec-binary"])
@pytest.mark.parametrize("word", ["New York", "a\tb", "a\nb", ""])
def test_a_word_with_white_space_is_not_written_and_the_way_out_is_told(tmp_path, kind, word):
    vectors = Vectors(["fine", word], np.eye(2, dtype=np.float32))
    with pytest.raises(FormatError, match=r"(?s)line 2.*native format"):
        write(vectors, tmp_path / "v", format=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", list(WRITERS))
def test_nan_is_not_written(tmp_path, kind):
    with pytest.raises(FormatError, match="«a» holds nan"):
        write(Vectors(["a"], np.array([[np.nan]], np.float32)), tmp_path / "v", format=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["native", "projector"])
def test_a_folder_that_holds_something_else_is_never_replaced(tmp_path, kind):
    (tmp_path / "thesis").mkdir()
    write(odd(), tmp_path / "thesis", format=kind)
    write(odd(), tmp_path / "thesis", format=kind)
    for path in (tmp_path / "thesis").iterdir():
        path.unlink()
    save(tmp_path / "thesis", "years of work", "chapter.tex")
    for target in (tmp_path / "thesis", tmp_path / "thesis" / "chapter.tex"):
        with pytest.raises(FormatError, match=r"holds chapter\.tex, which writing would delete"):
            write(odd(), target, format=kind)
    assert (tmp_path / "thesis" / "chapter.tex").read_text() == "years of work"


@pytest.mark.parametrize("kind", ["native", "projector", "gensim"])
def test_a_foreign_file_beside_the_vectors_is_named_and_nothing_is_replaced(tmp_path, kind):
    write(odd(), tmp_path / "v", format=kind)
    save(tmp_path / "v", "years of work", "chapter.tex")
    before = {file: file.read_bytes() for file in (tmp_path / "v").iterdir()}
    with pytest.raises(FormatError, match=r"holds chapter\.tex, which writing would delete"):
        write(odd(), tmp_path / "v", format=kind)
    assert {file: file.read_bytes() for file in (tmp_path / "v").iterdir()} == before


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


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("v", "native"),
        ("v.txt", "word2vec"),
        ("v.bin", "word2vec-binary"),
        ("v.vec.gz", "word2vec"),
        ("v.npy", "numpy"),
    ],
)
def test_converting_goes_by_the_suffix(tmp_path, name, kind):
    write(odd(), tmp_path / "source.txt")
    assert convert(tmp_path / "source.txt", tmp_path / name).words == tuple(ODD)
    assert detect(tmp_path / name) == kind
    assert read(tmp_path / name).words == tuple(ODD)


WORD = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\v\f"),
    min_size=1,
    max_size=9,
)
FLOAT = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_word_and_number_come_back(tmp_path_factory, data):
    words = data.draw(st.lists(WORD, min_size=1, max_size=8, unique=True))
    rows = data.draw(
        st.lists(st.tuples(FLOAT, FLOAT, FLOAT), min_size=len(words), max_size=len(words))
    )
    vectors = Vectors(words, np.array(rows, np.float32))
    path = tmp_path_factory.mktemp("any") / "v"
    for kind in SUFFIX:
        write(vectors, path, format=kind)
        reader = {"word2vec-binary": "word2vec-binary"}.get(kind, "word2vec")
        from embeddings.vectors.formats import READERS

        back = READERS[reader](path)
        assert back.words == tuple(words)
        assert np.array_equal(back.matrix, vectors.matrix)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text("0123456789+-.eEn a\t", max_size=14), min_size=1, max_size=4), st.booleans()
)
def test_the_compiled_parser_is_the_plain_one(lines, has_word):
    data = "".join(f"{line}\n" for line in lines).encode()
    results = []
    for parse in (parse_plain, parse_compiled):
        out, bounds = np.zeros((len(lines), 2), np.float32), np.zeros((len(lines), 2), np.int64)
        done = parse(data, 32, has_word, out, bounds)
        results.append((done, out[:done].tolist(), bounds[:done].tolist()))
    assert results[0] == results[1]


@settings(max_examples=300, deadline=None)
@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.sampled_from(["%.9g", "%.12f", "%.20e"]),
)
def test_numbers_are_read_as_python_reads_them(number, form):
    out, bounds = np.zeros((1, 1), np.float32), np.zeros((1, 2), np.int64)
    written = form % number
    assert parse_compiled(f"w {written}\n".encode(), 32, True, out, bounds) == 1
    assert out[0, 0] == np.float32(float(written))
