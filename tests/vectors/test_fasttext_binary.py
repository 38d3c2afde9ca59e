"""fastText's .bin: gensim's files read to gensim's vectors, ours read by gensim, and files that lie."""

import gzip
import logging
import struct

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import load_facebook_model, load_facebook_vectors, save_facebook_model

from embeddings import Vectors
from embeddings.errors import FormatError
from embeddings.vectors.character_ngrams import Subwords
from embeddings.vectors.formats import fasttext_binary, read, write

UNKNOWN = ["ключевина", "Schlosshof", "xx", "unrelated-word", "ёж"]
HEADER_BYTES = 4 * 2 + 4 * 12 + 8  # bytes before the dictionary


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """A model that gensim trained and wrote, and its path."""
    logging.getLogger("gensim").setLevel(logging.ERROR)
    text = "ключ от замка лежит у двери и ключ бьёт из земли, der Schlüssel liegt im Schloss"
    sentences = [text.split(), text.split()[::-1], ["ключ", "замок", "Schlosses"]] * 3
    options = {"vector_size": 7, "min_count": 1, "epochs": 2, "bucket": 300, "workers": 1}
    model = FastText(sentences, min_n=2, max_n=5, sg=1, seed=3, **options)
    path = tmp_path_factory.mktemp("gensim") / "model.bin"
    save_facebook_model(model, str(path))
    return path


def test_vectors_of_a_file_equal_those_that_gensim_loads(theirs):
    ours, keyed = read(theirs), load_facebook_vectors(str(theirs))
    assert list(ours.words) == keyed.index_to_key
    assert ours.method == "fasttext"
    assert ours.counts.tolist() == [keyed.get_vecattr(word, "count") for word in ours.words]
    np.testing.assert_allclose(ours.matrix, keyed.vectors, atol=1e-7)
    for word in UNKNOWN:
        assert word not in ours
        np.testing.assert_allclose(ours[word], keyed[word], atol=1e-7)
        found = ours.most_similar(word, topn=5)
        assert [near for near, _ in found] == [near for near, _ in keyed.most_similar(word, topn=5)]


def test_a_packed_file_is_read_as_the_plain_one(theirs, tmp_path):
    (tmp_path / "m.bin.gz").write_bytes(gzip.compress(theirs.read_bytes()))
    packed, plain = read(tmp_path / "m.bin.gz"), read(theirs)
    assert np.array_equal(packed.matrix, plain.matrix)
    assert np.array_equal(packed["ёж"], plain["ёж"])


def test_a_limit_keeps_the_first_words_and_all_ngrams(theirs):
    few, all_words = read(theirs, limit=3), read(theirs)
    assert few.words == all_words.words[:3]
    assert np.array_equal(few.matrix, all_words.matrix[:3])
    assert np.array_equal(few["ёж"], all_words["ёж"])


def test_large_rows_of_ngrams_stay_in_the_file(theirs, monkeypatch):
    monkeypatch.setattr(fasttext_binary, "MAPPED_PAST", 100)
    mapped = read(theirs)
    assert isinstance(mapped.subwords.rows, np.memmap)
    monkeypatch.undo()
    assert np.array_equal(mapped["ёж"], read(theirs)["ёж"])


def test_gensim_loads_what_we_write_to_the_same_vectors(theirs, tmp_path):
    ours = read(theirs)
    write(ours, tmp_path / "ours.bin", format="fasttext-binary")
    keyed = load_facebook_vectors(str(tmp_path / "ours.bin"))
    assert keyed.index_to_key == list(ours.words)
    np.testing.assert_allclose(keyed.vectors, ours.matrix, atol=1e-6)
    for word in UNKNOWN:
        np.testing.assert_allclose(keyed[word], ours[word], atol=1e-7)
    whole = load_facebook_model(str(tmp_path / "ours.bin"))
    assert not whole.syn1neg.any()  # the rows that predict are not kept
    back = read(tmp_path / "ours.bin")
    np.testing.assert_allclose(back.matrix, ours.matrix, atol=1e-6)
    assert back.counts.tolist() == ours.counts.tolist()


def test_a_compact_table_writes_zeros_for_the_buckets_that_it_lacks(tmp_path):
    vectors = Vectors(["ab", "cd"], np.array([[1.0, 2], [3, 4]], np.float32))
    rows = np.array([[5.0, 6]], np.float32)
    vectors.subwords = Subwords(3, 3, 10, rows, np.array([7], np.int32))
    write(vectors, tmp_path / "v.bin", format="fasttext-binary")
    back = read(tmp_path / "v.bin")
    assert back.counts is None  # they were not known
    np.testing.assert_allclose(back.matrix, vectors.matrix, atol=1e-6)
    expected = np.zeros((10, 2))
    expected[7] = 5, 6
    assert back.subwords.rows.tolist() == expected.tolist()


def test_vectors_without_ngrams_become_a_file_without_buckets(tmp_path):
    vectors = Vectors(["ab", "cd"], np.array([[1.0, 2], [3, 4]], np.float32), np.array([9, 8]))
    write(vectors, tmp_path / "v.bin", format="fasttext-binary")
    back = read(tmp_path / "v.bin")
    assert back.subwords is None
    assert back.matrix.tolist() == vectors.matrix.tolist()
    assert back.counts.tolist() == [9, 8]


def changed(path, folder, at, form, *values):
    """A copy of a file with other numbers at a place."""
    data = bytearray(path.read_bytes())
    struct.pack_into("<" + form, data, at, *values)
    (folder / "bad.bin").write_bytes(data)
    return folder / "bad.bin"


FIELD = {name: 8 + 4 * place for place, name in enumerate(fasttext_binary.BOUNDS)}
LIES = {
    "unknown version": (4, "i", (99,), "version 99; versions that are read: 11, 12"),
    "no dimensions": (FIELD["dim"], "i", (0,), "dim=0, which must lie between 1 and 65536"),
    "other dimensions": (FIELD["dim"], "i", (8,), "of 7 numbers, for .* and 8 dimensions"),
    "negative buckets": (FIELD["bucket"], "i", (-1,), "bucket=-1"),
    "other buckets": (FIELD["bucket"], "i", (2**31 - 1,), "2147483647 buckets"),
    "n-grams without end": (FIELD["maxn"], "i", (2**31 - 1,), "maxn=2147483647, .* 0 and 64"),
    "a classifier": (FIELD["model"], "i", (3,), "a fastText classifier.*print-word-vectors"),
    "no method": (FIELD["model"], "i", (0,), "model=0"),
    "labels": (HEADER_BYTES + 8, "i", (2,), "a fastText classifier"),
    "words that are no words": (HEADER_BYTES, "2i", (7, 5), "nwords=5"),
    "no words": (HEADER_BYTES, "2i", (0, 0), "nwords=0"),
    "more words than bytes": (
        HEADER_BYTES,
        "2i",
        (2**31 - 1, 2**31 - 1),
        "promises 2147483647 rows of 10",
    ),
    "pruned": (HEADER_BYTES + 20, "q", (5,), "a quantised fastText model.*Use the .bin"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_header_that_lies_is_refused_with_the_way_out(theirs, tmp_path, lie):
    at, form, values, sentence = LIES[lie]
    with pytest.raises(FormatError, match=f"(?s){sentence}"):
        read(changed(theirs, tmp_path, at, form, *values))


def matrix_at(path):
    """Where the byte stands that says whether the matrix is quantised."""
    words = read(path).words
    return HEADER_BYTES + 28 + sum(len(word.encode()) + 10 for word in words)


@pytest.mark.parametrize(
    ("past", "form", "values", "sentence"),
    [
        (0, "B", (1,), "a quantised fastText model"),
        (1, "q", (2**60,), "its matrix has 1152921504606846976 rows of 7"),
        (9, "q", (2**60,), "of 1152921504606846976 numbers"),
        (17, "f", (np.nan,), "holds nan"),
        (-1, "b", (1,), "type=1"),
        (-9, "q", (-5,), "count=-5"),
    ],
)
def test_a_body_that_lies_is_refused(theirs, tmp_path, past, form, values, sentence):
    at = matrix_at(theirs) + past
    with pytest.raises(FormatError, match=sentence):
        read(changed(theirs, tmp_path, at, form, *values))


def test_a_row_of_a_bucket_that_is_no_number_is_refused(theirs, tmp_path):
    at = matrix_at(theirs) + 17 + 4 * 7 * (len(read(theirs)) + 299)
    with pytest.raises(FormatError, match="“bucket 299” holds inf"):
        read(changed(theirs, tmp_path, at, "f", np.inf))


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_cut_short_anywhere_is_refused(theirs, tmp_path, packed):
    whole = theirs.read_bytes()
    output = 17 + 4 * 7 * len(read(theirs))  # a packed file is not read past the rows of n-grams
    for size in range(5, len(whole) - (output if packed else 0), 97):
        data = whole[:size]
        (tmp_path / "cut.bin").write_bytes(gzip.compress(data, 1) if packed else data)
        with pytest.raises(FormatError, match=r"ends too early|do not hold"):
            read(tmp_path / "cut.bin")


def test_bytes_behind_the_end_are_refused(theirs, tmp_path):
    (tmp_path / "long.bin").write_bytes(theirs.read_bytes() + b"more")
    with pytest.raises(FormatError, match="do not hold or pass"):
        read(tmp_path / "long.bin")


def test_a_word_that_never_ends_is_refused(theirs, tmp_path):
    data = theirs.read_bytes()[: HEADER_BYTES + 28] + b"x" * 100_000
    (tmp_path / "bad.bin").write_bytes(data)
    with pytest.raises(FormatError, match="row 1: there is no word within 4096 bytes"):
        read(tmp_path / "bad.bin")


def test_a_word_that_is_not_utf_8_is_read_as_gensim_does(theirs, tmp_path):
    data = theirs.read_bytes().replace("ключ\0".encode(), b"\xff\xfe\xfd\xfcABCD\0")
    (tmp_path / "odd.bin").write_bytes(data)
    ours = read(tmp_path / "odd.bin")
    assert "\\xff\\xfe\\xfd\\xfcABCD" in ours.words
    assert len(ours) == len(read(theirs))
