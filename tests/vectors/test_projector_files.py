"""The Embedding Projector: its folder, gensim's files, raw bytes by the shape of the JSON, damage."""

import json

import pytest

from embeddings.errors import FormatError, MissingFileError
from embeddings.vectors.formats import read, write
from tests.vectors.odd_words import odd, save, table


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
        ({"tensor": "1\t2\n1e39\t4\n"}, "line 2: the vector of «b» holds inf"),
    ],
)
def test_a_damaged_projector_is_refused(tmp_path, change, sentence):
    with pytest.raises(FormatError, match=sentence):
        read(projector(tmp_path, **change))


def test_vectors_without_their_words_are_refused(tmp_path):
    with pytest.raises(MissingFileError, match=r"metadata\.tsv"):
        read(save(tmp_path, "1\t2\n3\t4\n", "vectors.tsv"))
