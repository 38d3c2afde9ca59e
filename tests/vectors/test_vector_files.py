"""Files of vectors: what goes out comes back to the bit, whatever the words and the numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings import Vectors
from embeddings.vectors.formats import STREAMED, convert, detect, read, text_vectors, write
from embeddings.vectors.formats.parsing import NUMBER, parse_rows, strip_end
from tests.vectors.odd_words import ODD, SUFFIX, odd


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


def test_the_content_decides_not_the_name(tmp_path):
    for name, kind in (("a.bin", "word2vec"), ("a.txt", "word2vec-binary")):
        write(odd(), tmp_path / name, format=kind)
        assert detect(tmp_path / name) == kind


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
        with STREAMED[reader](path) as stream:
            back = text_vectors.collect(stream, path)
        assert back.words == tuple(words)
        assert np.array_equal(back.matrix, vectors.matrix)


def parse_plain(data, out, bounds):
    """Read lines one after another in plain Python; return how many there are before the first bad one."""
    size, start = out.shape[1], 0
    for row, line in enumerate(data.split(b"\n", len(out))[: len(out)]):
        word, *numbers = strip_end(line).rsplit(b" ", size)
        if len(numbers) != size or not all(NUMBER.fullmatch(number) for number in numbers):
            return row
        with np.errstate(over="ignore"):
            out[row] = np.array([float(number) for number in numbers])
        if not np.isfinite(out[row]).all():
            return row
        bounds[row] = start, start + len(word)
        start += len(line) + 1
    return len(out)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("0123456789+-.eEn a\t", max_size=14), min_size=1, max_size=4))
def test_the_compiled_parser_is_the_plain_one(lines):
    data = "".join(f"{line}\n" for line in lines).encode()
    results = []
    for parse in (parse_plain, parse_rows):
        out, bounds = np.zeros((len(lines), 2), np.float32), np.zeros((len(lines), 2), np.int64)
        done = parse(data, out, bounds)
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
    assert parse_rows(f"w {written}\n".encode(), out, bounds) == 1
    assert out[0, 0] == np.float32(float(written))
