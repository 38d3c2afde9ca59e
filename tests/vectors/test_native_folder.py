"""The native folder: what is written is read, what was touched is refused, nothing is half-written."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from embeddings import Vectors
from embeddings.errors import CheckpointError, FormatError, InputError, MissingFileError
from embeddings.files import read_json, sha256, write_json
from embeddings.model_card import build_card, change_card, verify_files
from embeddings.vectors.formats import WRITERS, read, write, write_native
from tests.tables import drawn
from tests.vectors.odd_words import odd, save


def small():
    matrix = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [127.0, 63.5, -127.0]], np.float32)
    counts = np.array([9, 5, 1])
    return Vectors(["ключ", "New York", "ё"], matrix, counts, language="ru", method="glove")


@pytest.fixture
def folder(tmp_path):
    """The folder in which they lie."""
    write_native(small(), tmp_path / "m")
    return tmp_path / "m"


def test_float16_rows_come_back_as_numpy_rounds_them(tmp_path):
    vectors = small()
    write_native(vectors, tmp_path / "m", dtype="float16")
    back = Vectors.load(tmp_path / "m")
    assert back.words == ("ключ", "New York", "ё")
    assert back.counts.tolist() == [9, 5, 1]
    assert back.matrix.dtype == np.float32
    assert np.array_equal(back.matrix, vectors.matrix.astype(np.float16).astype(np.float32))
    assert (back.name, back.language, back.method) == ("m", "ru", "glove")


def test_int8_rows_are_multiples_of_a_127th_of_their_peak(folder):
    stored = load_file(folder / "vectors.safetensors")
    assert stored["vectors"].tolist() == [[64, -127, 32], [0, 0, 0], [127, 64, -127]]
    assert np.allclose(stored["scale"], [2 / 127, 0, 1])
    assert np.allclose(read(folder).matrix[0], [128 / 127, -2.0, 64 / 127])


def test_int8_moves_no_cosine_by_more_than_a_hundredth(tmp_path):
    vectors = drawn(300, 100)
    write_native(vectors, tmp_path / "m")
    back = read(tmp_path / "m")
    assert np.abs(back.unit @ back.unit.T - vectors.unit @ vectors.unit.T).max() < 0.01


def test_the_config_says_what_it_is(tmp_path):
    write_native(small(), tmp_path / "m", config={"seed": 7})
    config = json.loads((tmp_path / "m" / "config.json").read_text(encoding="utf-8"))
    assert config == {
        "format": "klyuch-vectors-1",
        "kind": "static",
        "method": "glove",
        "language": "ru",
        "vector_size": 3,
        "words": 3,
        "dtype": "int8",
        "lower": False,
        "settings": {"seed": 7},
    }


def test_a_lower_cased_model_stays_one_when_a_word_has_a_capital(tmp_path):
    vectors = Vectors(["könig", "²H"], np.eye(2, dtype=np.float32))
    vectors.lower = True
    write_native(vectors, tmp_path / "m")
    assert read(tmp_path / "m").find("König") == 0


def test_the_card_tells_where_a_model_comes_from(tmp_path):
    vectors = small()
    corpus, chosen = {"name": "ru_drama", "words": 10}, {"seed": 3, "epochs": 5}
    card = build_card(
        vectors, corpus=corpus, settings=chosen, scores={"a": 0.5}, command="klyuch x"
    )
    write_native(vectors, tmp_path / "m", card=card)
    kept = json.loads((tmp_path / "m" / "card.json").read_text(encoding="utf-8"))
    files = kept.pop("files")
    assert sorted(files) == ["config.json", "vectors.safetensors", "words.txt"]
    assert all(len(checksum) == 64 for checksum in files.values())
    assert kept["corpus"] == corpus
    assert (kept["seed"], kept["settings"], kept["scores"]) == (3, chosen, {"a": 0.5})
    assert (kept["kind"], kept["method"], kept["language"]) == ("static", "glove", "ru")
    assert {"commit", "machine", "versions", "created", "command"} <= set(kept)


@pytest.mark.parametrize("name", ["cooccurrence.safetensors", "projection.safetensors"])
def test_a_model_with_its_own_extra_file_is_written_again(tmp_path, name):
    for _ in range(2):
        write_native(small(), tmp_path / "m", extra=lambda new: save_file({}, new / name))
    write_native(small(), tmp_path / "m")
    assert not (tmp_path / "m" / name).exists()


def test_extra_files_get_checksums_too(tmp_path):
    write_native(small(), tmp_path / "m", extra=lambda new: save_file({}, new / "more.safetensors"))
    assert verify_files(tmp_path / "m", "more.safetensors")["name"] == "m"
    (tmp_path / "m" / "more.safetensors").write_bytes(b"x")
    with pytest.raises(CheckpointError, match="damaged"):
        verify_files(tmp_path / "m", "more.safetensors")


def test_a_card_that_was_edited_is_refused_and_not_given_a_new_checksum(folder):
    card = folder / "card.json"
    change_card(folder, "words.txt", scores={"a": 0.5})
    assert json.loads(card.read_text(encoding="utf-8"))["scores"] == {"a": 0.5}
    card.write_text(card.read_text(encoding="utf-8").replace("0.5", "0.9"), encoding="utf-8")
    edited = card.read_bytes()
    with pytest.raises(CheckpointError, match=r"card\.json"):
        change_card(folder, name="other")
    assert card.read_bytes() == edited


@pytest.mark.parametrize("name", ["config.json", "vectors.safetensors", "words.txt"])
def test_a_changed_byte_is_found(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[-3] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises((CheckpointError, FormatError), match=f"{name}"):
        read(folder)


ROWS = "vectors.safetensors"
SHORT_SCALE = {"vectors": np.zeros((3, 3), np.int8), "scale": np.zeros(2, np.float32)}
BAD = {
    "rows": ("words.txt", lambda p: p.write_bytes(b"a\t1\n"), "1 word but 3 rows"),
    "utf8": ("words.txt", lambda p: p.write_bytes(b"\xff\t1\n"), "not UTF-8 .byte 0xFF"),
    "ragged": ("words.txt", lambda p: p.write_bytes(b"a\t1\nb\nc\t1\n"), "5 fields in 3 lines"),
    "count": ("words.txt", lambda p: p.write_bytes(b"a\tx\nb\t2\nc\t1\n"), "invalid literal"),
    "format": ("config.json", lambda p: p.write_text("{}"), "format None"),
    "tensors": (ROWS, lambda p: p.write_bytes(b"\xff" * 99), "[Hh]eader"),
    "no table": (ROWS, lambda p: save_file({"a": np.zeros(3)}, p), "F64|no table"),
    "scale": (ROWS, lambda p: save_file(SHORT_SCALE, p), "2 words but 3 rows"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_folder_that_contradicts_itself_is_refused(folder, case):
    name, change, sentence = BAD[case]
    change(folder / name)
    card = read_json(folder / "card.json")
    card["files"][name] = sha256(folder / name)  # as a forger would
    write_json(folder / "card.json", card)
    with pytest.raises(FormatError, match=sentence):
        read(folder)


def test_a_card_without_checksums_is_refused(folder):
    (folder / "card.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"no sha256 for config\.json"):
        read(folder)
    (folder / "card.json").unlink()
    with pytest.raises(MissingFileError, match=r"card\.json does not exist"):
        read(folder)


@pytest.mark.parametrize(
    ("words", "matrix", "dtype", "sentence"),
    [
        (["a\tb"], [[1.0]], "int8", "line 1: the word “a\tb”"),
        (["a", "b\n"], [[1.0], [1.0]], "int8", "line 2"),
        ([""], [[1.0]], "int8", "it is empty"),
        (["a"], [[np.nan]], "int8", "“a” holds nan"),
        (["a"], [[70000.0]], "float16", "“a” holds 70000"),
    ],
)
def test_what_cannot_be_kept_is_not_written(tmp_path, words, matrix, dtype, sentence):
    with pytest.raises(FormatError, match=sentence):
        write_native(Vectors(words, np.array(matrix, np.float32)), tmp_path / "m", dtype=dtype)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_a_table_without_words_is_written_and_read(tmp_path, dtype):
    write_native(Vectors([], np.zeros((0, 3), np.float32)), tmp_path / "m", dtype=dtype)
    assert len(read(tmp_path / "m")) == 0


def test_an_unknown_dtype_is_refused(tmp_path):
    with pytest.raises(InputError, match="int8, float16"):
        write_native(small(), tmp_path / "m", dtype="int4")


WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n"), min_size=1)


@settings(max_examples=30, deadline=None)
@given(st.lists(WORD, min_size=1, unique=True))
def test_any_word_without_tab_and_line_end_comes_back(tmp_path_factory, words):
    folder = tmp_path_factory.mktemp("any") / "m"
    write_native(Vectors(words, np.ones((len(words), 2), np.float32)), folder)
    assert read(folder).words == tuple(words)


# What is not written, and what is never written over


@pytest.mark.parametrize("kind", ["word2vec", "glove", "fasttext", "word2vec-binary"])
@pytest.mark.parametrize("word", ["New York", "a\tb", "a\nb", ""])
def test_a_word_with_white_space_is_not_written_and_the_way_out_is_told(tmp_path, kind, word):
    vectors = Vectors(["fine", word], np.eye(2, dtype=np.float32))
    with pytest.raises(FormatError, match=r"(?s)line 2.*native format"):
        write(vectors, tmp_path / "v", format=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", list(WRITERS))
def test_nan_is_not_written(tmp_path, kind):
    with pytest.raises(FormatError, match="“a” holds nan"):
        write(Vectors(["a"], np.array([[np.nan]], np.float32)), tmp_path / "v", format=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["native", "projector", "gensim"])
def test_a_foreign_file_beside_the_vectors_is_named_and_nothing_is_replaced(tmp_path, kind):
    for _ in range(2):  # its own files are
        write(odd(), tmp_path / "v", format=kind)
    chapter = save(tmp_path / "v", "years of work", "chapter.tex")
    before = {file: file.read_bytes() for file in (tmp_path / "v").iterdir()}
    for target in (tmp_path / "v", chapter):
        with pytest.raises(FormatError, match=r"holds chapter\.tex, which writing would delete"):
            write(odd(), target, format=kind)
    assert {file: file.read_bytes() for file in (tmp_path / "v").iterdir()} == before
