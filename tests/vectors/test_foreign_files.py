"""Files as other tools write them: gensim reads ours and we gensim's, and the traps of the C tools."""

import bz2
import json
import logging
import struct
from pathlib import Path

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.errors import FormatError, MissingFileError
from embeddings.vectors.formats import from_gensim, read, to_gensim, write
from tests.vectors.odd_words import ODD, odd, save, table


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


A, B = b"a " + struct.pack("<2f", 1, 2), b"b " + struct.pack("<2f", 3, 4)
TWO = {"a": [1, 2], "b": [3, 4]}
READ = {
    "the sentence end and trailing spaces of the C tool": (
        "2 2\n</s> 0.5 1 \nking 0.25 -1 \n",
        {"</s>": [0.5, 1], "king": [0.25, -1]},
    ),
    "line ends and byte order mark of Windows": ("\ufeff1 2\r\nking 0.5 1\r\n", {"king": [0.5, 1]}),
    "line ends of Windows without a header": ("a 1 2\r\nb 3 4\r\n", TWO),
    "a last line without its end": ("a 1 2\nb 3 4", TWO),
    "blank lines at the end": ("2 2\na 1 2\nb 3 4\n\n\n", TWO),
    "binary rows": (b"2 2\n" + A + B, TWO),
    "binary rows that end in a line feed": (b"2 2\n" + A + b"\n" + B + b"\n", TWO),
    "bzip2": (bz2.compress(b"a 1 2\nb 3 4\n"), TWO),
    "words of several fields": (
        "the 1 2 3\n. . . 4 5 6\nto name@domain.com 7 8 9\n",
        {"the": [1, 2, 3], ". . .": [4, 5, 6], "to name@domain.com": [7, 8, 9]},
    ),
    "GloVe's unknown word, which its header does not count": (
        "1 2\nthe 1 2\n<unk> 0 0\n",
        {"the": [1, 2], "<unk>": [0, 0]},
    ),
    "a no-break space inside a word": ("1 2\n1\u00a01/2 1 2\n", {"1\u00a01/2": [1, 2]}),
    "a word that is a number, without a header": ("-1 2\n-3 4\n", {"-1": [2], "-3": [4]}),
}


@pytest.mark.parametrize("case", READ)
def test_what_other_tools_write_is_read(tmp_path, case):
    content, expected = READ[case]
    assert table(read(save(tmp_path, content))) == expected


def test_the_first_of_two_equal_words_is_kept_and_the_others_counted(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        vectors = read(save(tmp_path, "4 1\na 1\nb 2\na 3\na 4\n"))
    assert table(vectors) == {"a": [1.0], "b": [2.0]}
    assert vectors.dropped == 2
    assert "line 4: the word “a”" in caplog.text
    assert "2 rows were dropped" in caplog.text


def test_a_number_may_hold_the_bytes_of_space_and_line_end(tmp_path):
    number = b"\n \n "
    path = save(tmp_path, b"1 1\na " + number, "v.bin")
    assert read(path).matrix.tobytes() == number


@pytest.mark.parametrize("binary", [False, True])
def test_a_letter_cut_by_the_c_tool_is_dropped(tmp_path, binary):
    cut = ("я" * 50).encode()[:97]
    row = b" " + (struct.pack("<f", 2) if binary else b"2\n")
    assert read(save(tmp_path, b"1 1\n" + cut + row)).words == ("я" * 48,)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 50])
def test_binary_rows_of_common_numbers_are_not_taken_for_text(tmp_path, dimensions):
    random = np.random.default_rng(dimensions)
    for place in range(50):
        matrix = random.normal(size=(3, dimensions)).astype("<f4")
        rows = [b"a%d " % i + row.tobytes() + b"\n" for i, row in enumerate(matrix)]
        path = save(tmp_path, b"3 %d\n" % dimensions + b"".join(rows), f"{place}.bin")
        assert np.array_equal(read(path).matrix, matrix)


def gensims(name):
    import gensim

    return Path(gensim.__file__).parent / "test" / "test_data" / name


@pytest.mark.parametrize(
    "name", ["lee_fasttext.bin", "non_ascii_fasttext.bin", "toy-model-pretrained.bin"]
)
def test_fasttext_files_of_every_age_open_as_there(name):
    from gensim.models.fasttext import load_facebook_vectors

    ours, theirs = Vectors.load(gensims(name)), load_facebook_vectors(str(gensims(name)))
    words = [word for word in theirs.index_to_key if word not in ("", "</s>")]
    assert set(words) <= set(ours.words)
    np.testing.assert_allclose(ours[words], np.stack([theirs[w] for w in words]), atol=1e-6)


def test_words_cut_inside_a_character_open_on_request():
    path = gensims("w2v_keyedvectors_load_test.modeldata")
    with pytest.raises(FormatError, match='unicode_errors="replace"') as refused:
        Vectors.load(path)
    assert "klyuch models import --unicode-errors replace" in str(refused.value)
    vectors = Vectors.load_word2vec_format(path, unicode_errors="replace")
    assert vectors.words[0] == "ありがとう\ufffd"


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("don’t", "don't"), ("o’clock", "o'clock"), ("п’ять", "п'ять"), ("well\u2011known", "well-known"),
        ("co\u00adoperation", "cooperation"), ("за\u0301мок", "замок"), ("За\u0301мок", "замок"),
        ("L’Homme", "homme"), ("dell'amore", "amore"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("co\u0140legi", "col·legi"),
    ],
)  # fmt: skip
def test_a_word_copied_from_the_training_text_is_found(typed, stored):
    table = Vectors([stored, "other"], np.eye(2, dtype=np.float32))
    assert table.find(typed) == 0
    assert typed in table
    assert table.most_similar(typed, topn=1)[0][0] == "other"


def test_a_table_that_has_the_elided_word_joined_answers_with_it():
    table = Vectors(["homme", "l'homme"], np.eye(2, dtype=np.float32))
    assert table.words[table.find("L’homme")] == "l'homme"
    assert table.read_as("l'homme") == ""
    assert table.read_as("d'Homme") == "Homme"


# The Embedding Projector: its folder, gensim's files, raw bytes by the shape of the JSON, damage


def test_metadata_has_a_header_only_with_two_columns(tmp_path):
    write(odd(), tmp_path / "one", format="projector")
    assert (tmp_path / "one" / "metadata.tsv").read_text("utf-8").split("\n")[0] == "ключ"
    write(odd(counts=True), tmp_path / "two", format="projector")
    lines = (tmp_path / "two" / "metadata.tsv").read_text("utf-8").split("\n")
    assert lines[:2] == ["word\tcount", "ключ\t12"]
    about = json.loads((tmp_path / "two" / "projector_config.json").read_text("utf-8"))
    assert about["embeddings"][0]["tensorShape"] == [12, 5]


def projector(tmp_path, tensor="1\t2\n3\t4\n", metadata="a\nb\n"):
    save(tmp_path, metadata, "metadata.tsv")
    return save(tmp_path, tensor, "vectors.tsv").parent


def test_the_column_of_words_is_found_by_its_name(tmp_path):
    path = projector(tmp_path, metadata="pos\tLabel\tcount\nn\ta\t5\nv\tb\t4\n")
    vectors = read(path)
    assert (vectors.words, vectors.counts.tolist()) == (("a", "b"), [5, 4])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"metadata": "a\n\n"}, "1 word "),
        ({"metadata": "\na\n"}, "line 1: there is no word"),
        ({"metadata": "w\tc\na\t1\nb\n"}, "line 3: 1 column where the first line has 2"),
        ({"tensor": "1\t2\n3\n"}, "cannot be read: .*columns"),
        ({"tensor": "1\tx\n3\t4\n"}, "cannot be read: could not convert string 'x'"),
        ({"tensor": "1\t2\n1e39\t4\n"}, "line 2: the vector of “b” holds inf"),
    ],
)
def test_a_damaged_projector_is_refused(tmp_path, change, sentence):
    with pytest.raises(FormatError, match=sentence):
        read(projector(tmp_path, **change))


def test_vectors_without_their_words_are_refused(tmp_path):
    with pytest.raises(MissingFileError, match=r"metadata\.tsv"):
        read(save(tmp_path, "1\t2\n3\t4\n", "vectors.tsv"))
