"""Tables of millions: written block by block, opened as they lie, with the answers of a table in memory; files that lie are refused."""

import json
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet as pq
from safetensors.numpy import load_file, save_file

from embeddings import Vectors, shelf
from embeddings.analysis.similarity import axis, neighbours
from embeddings.errors import CheckpointError, FormatError, UnknownWordError
from embeddings.files import read_json, sha256, write_json
from embeddings.vectors.character_ngrams import Subwords
from embeddings.vectors.formats import (
    binary_vectors,
    fasttext_binary,
    native_folder,
    native_rows,
    parquet,
    read,
    text_vectors,
    write,
    write_native,
)
from embeddings.vectors.vector_rows import QuantizedRows
from embeddings.vectors.word_list import WordList, find_word, fold_case, fold_order, rows_beginning
from tests.vectors.odd_words import stream_into

WORDS = ["the", "Ключ", "Straße", "ключ", "New York", "STRASSE", "ice", "Iceland", "x"]


@pytest.fixture(autouse=True)
def _large(monkeypatch):
    """Let any table count as large."""
    monkeypatch.setattr(native_rows, "LOOKUP_PAST", 0)
    monkeypatch.setattr(native_folder, "MAPPED_PAST", 0)


def table(counts=True, words=WORDS, size=5):
    matrix = np.random.default_rng(4).normal(size=(len(words), size)).astype(np.float32)
    matrix[2] = 0
    return Vectors(words, matrix, np.arange(len(words), 0, -1) if counts else None)


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_a_mapped_model_answers_as_one_in_memory(tmp_path, monkeypatch, dtype, counts):
    write_native(table(counts), tmp_path / "mapped", dtype=dtype)
    mapped = read(tmp_path / "mapped")
    monkeypatch.undo()
    write_native(table(counts), tmp_path / "held", dtype=dtype)
    held = read(tmp_path / "held")
    assert isinstance(mapped.words, WordList)
    assert isinstance(mapped.matrix, QuantizedRows if dtype == "int8" else np.memmap)
    assert mapped.words == held.words
    assert held.words == mapped.words
    assert [*mapped.words] == [*held.words]
    assert mapped.words[2:5] + mapped.words[::-3] == held.words[2:5] + held.words[::-3]
    assert np.array_equal(np.asarray(mapped.matrix, np.float32), held.matrix)
    assert np.allclose(mapped.inverse_norms, held.inverse_norms, rtol=1e-6)
    for row, word in enumerate(WORDS):
        assert (mapped.find(word), mapped.count(row)) == (row, held.count(row))
        assert np.array_equal(mapped[word], held[word])
    assert mapped.find("King") is held.find("King") is None
    ours, theirs = neighbours(mapped, "ice", 4), neighbours(held, "ice", 4)
    assert [(near.word, near.count) for near in ours] == [
        (near.word, near.count) for near in theirs
    ]
    assert np.allclose([n.similarity for n in ours], [n.similarity for n in theirs], atol=1e-6)
    assert [p.word for p in axis(mapped, "the", "x")] == [p.word for p in axis(held, "the", "x")]
    assert mapped.subset(["x", "ice"]).words == ("x", "ice")
    with pytest.raises(UnknownWordError, match="Iceland"):
        mapped.row("Icland")


def test_the_words_of_a_mapped_model_are_no_dictionary(tmp_path):
    write_native(table(), tmp_path / "m")
    vectors = read(tmp_path / "m")
    vectors.most_similar("ice")
    assert vectors.beginning_with("stras") == ("Straße", "STRASSE")
    assert "index" not in vars(vectors)
    assert vectors.index == {word: row for row, word in enumerate(WORDS)}


LISTS = st.lists(
    st.text("abAB éÉßſΣσςİќ", min_size=1, max_size=5), min_size=1, max_size=30, unique=True
)


@settings(max_examples=80, deadline=None)
@given(words=LISTS, letters=st.text("abAéßΣќ", max_size=3), limit=st.integers(1, 9))
def test_binary_search_is_looking_at_every_word(words, letters, limit):
    order = fold_order(words)
    assert sorted(order.tolist()) == [*range(len(words))]
    assert [find_word(words, order, word) for word in words] == [*range(len(words))]
    assert find_word(words, order, letters + "?") is None
    expected = [
        row for row, word in enumerate(words) if fold_case(word).startswith(fold_case(letters))
    ]
    assert rows_beginning(words, order, letters, limit).tolist() == expected[:limit]


def small_blocks(monkeypatch):
    """Let files be read in blocks of a few rows."""
    for module, name, value in (
        (text_vectors, "BYTES_AT_A_TIME", 64),
        (binary_vectors, "ROWS_PER_READ", 2),
        (parquet, "READ", 2),
        (fasttext_binary, "COMPOSED", 2),
        (native_folder, "WRITTEN", 3),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        *(
            (k, e)
            for k in ("word2vec", "word2vec-binary", "glove", "fasttext")
            for e in ("", ".gz")
        ),
        ("numpy", ".npy"),
        ("parquet", ".parquet"),
        ("projector", ""),
    ],
)
def test_a_file_written_as_it_is_read_is_the_table_that_was_read(
    tmp_path, monkeypatch, kind, ending, counts, dtype
):
    words = [word.replace(" ", "_") for word in WORDS]
    path = tmp_path / f"v{ending}"
    write(table(counts, words), path, format=kind)
    write_native(read(path), tmp_path / "whole", dtype=dtype)
    small_blocks(monkeypatch)
    assert stream_into(tmp_path / "streamed", path, dtype) == (9, 0)
    assert not read_json(tmp_path / "streamed" / "config.json")["lower"]
    for name in ("vectors.safetensors", "words.txt", "lookup.safetensors"):
        whole, streamed = tmp_path / "whole" / name, tmp_path / "streamed" / name
        assert whole.read_bytes() == streamed.read_bytes()
    assert load_file(tmp_path / "streamed" / "vectors.safetensors")["vectors"].shape == (9, 5)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_model_of_fasttext_is_written_as_it_is_read_with_its_ngrams(
    tmp_path, monkeypatch, dtype, packed
):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    whole = table(words=[word.replace(" ", "_") for word in WORDS])
    rows = np.random.default_rng(5).normal(size=(50, 5)).astype(np.float32)
    whole.subwords = Subwords(3, 5, 50, rows)
    path = tmp_path / f"v.bin{packed}"
    write(whole, path, format="fasttext-binary")
    write_native(read(path), tmp_path / "whole", dtype=dtype)
    small_blocks(monkeypatch)
    stream_into(tmp_path / "streamed", path, dtype)
    for file in ("vectors", "subwords", "lookup"):
        held, streamed = (
            load_file(tmp_path / folder / f"{file}.safetensors") for folder in ("whole", "streamed")
        )
        assert held.keys() == streamed.keys()
        for name, array in held.items():
            assert np.allclose(array, streamed[name], rtol=1e-6, atol=1e-6), (file, name)
    settings = read_json(tmp_path / "streamed" / "config.json")
    assert (settings["method"], settings["subwords"]) == (
        "fasttext",
        {"min_n": 3, "max_n": 5, "bucket": 50},
    )
    entry = shelf.import_model(path, "ft", dtype=dtype)
    opened, expected = shelf.load_vectors("ft"), read(tmp_path / "whole")
    assert entry.method == "fasttext"
    assert np.allclose(opened["Icelander"], expected["Icelander"], atol=1e-6)
    assert opened.count(0) == 9


@pytest.mark.parametrize("name", ["v.npy", "v.parquet"])
def test_counts_go_where_words_are_repeated_and_where_some_are_not_known(
    tmp_path, monkeypatch, name
):
    small_blocks(monkeypatch)
    words, rows = ["a", "b", "a", "c"], np.eye(4, dtype=np.float32)
    if name == "v.npy":
        np.save(tmp_path / name, rows)
        (tmp_path / "v.txt").write_text("".join(f"{word}\t9\n" for word in words))
    else:
        columns = {"word": words, "vector": rows.tolist(), "count": [9, 8, 7, 6]}
        pq.write_table(pa.table(columns), tmp_path / name)
    path = tmp_path / name
    assert stream_into(tmp_path / "m", path) == (3, 1)
    assert (tmp_path / "m" / "words.txt").read_text() == "a\nb\nc\n"
    assert "counts" not in load_file(tmp_path / "m" / "lookup.safetensors")
    if name == "v.parquet":
        columns |= {"word": ["a", "b", "c", "d"], "count": [9, 8, None, 6]}
        pq.write_table(pa.table(columns), path)
        stream_into(tmp_path / "some", path)
        assert (tmp_path / "some" / "words.txt").read_text() == "a\nb\nc\nd\n"
        assert "counts" not in load_file(tmp_path / "some" / "lookup.safetensors")


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_the_first_of_two_equal_words_is_kept_in_a_stream(tmp_path, monkeypatch, caplog, dtype):
    path = tmp_path / "v.txt"
    rows = {"a": 1, "b": 2, "c": 3, "d": 4}
    path.write_text("".join(f"{word} {rows[word]} 0.5\n" for word in "abacbdaaad"))
    small_blocks(monkeypatch)
    assert stream_into(tmp_path / "m", path, dtype) == (4, 6)
    assert "line 3: the word “a”" in caplog.text
    tensors = load_file(tmp_path / "m" / "vectors.safetensors")
    numbers = tensors["vectors"].astype(float) * tensors.get("scale", np.ones(4))[:, None]
    assert np.allclose(numbers, [[n, 0.5] for n in (1, 2, 3, 4)], atol=0.02)
    assert (tmp_path / "m" / "words.txt").read_text() == "a\nb\nc\nd\n"
    lengths = 1 / load_file(tmp_path / "m" / "lookup.safetensors")["inverse_norms"]
    assert np.allclose(lengths, np.linalg.norm(numbers, axis=1))


LIES = {
    "too few": lambda t: t.update(order=t["order"][:-1]),
    "another kind": lambda t: t.update(order=t["order"].astype(np.int64)),
    "nothing": lambda t: t.clear(),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lookup_that_does_not_match_its_words_is_refused(tmp_path, lie):
    write_native(table(), tmp_path / "m")
    path, card = tmp_path / "m" / "lookup.safetensors", tmp_path / "m" / "card.json"
    tensors = {name: array.copy() for name, array in load_file(path).items()}
    LIES[lie](tensors)
    save_file(tensors, path)
    with pytest.raises(CheckpointError, match=r"lookup\.safetensors"):
        read(tmp_path / "m")
    recorded = read_json(card)
    recorded["files"]["lookup.safetensors"] = sha256(path)
    write_json(card, recorded)
    with pytest.raises(FormatError, match="does not fit"):
        read(tmp_path / "m")


def limited(code, *arguments, data):
    """Run code in a process whose private memory the system holds to what it has taken after its imports and ``data`` bytes more."""
    before = textwrap.dedent("""
        import resource, sys
        from pathlib import Path
        import numpy as np
        import numba
        from embeddings import shelf
        from embeddings.vectors import compiled_loops, cosine_search
        from embeddings.shelf import importing
        taken = 1024 * int(
            Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]
        )
    """)
    limit = f"resource.setrlimit(resource.RLIMIT_DATA, (taken + {data},) * 2)\n"
    return subprocess.run(
        [sys.executable, "-c", before + limit + textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=240,
    )


IMPORT = """
    entry = shelf.import_model(Path(sys.argv[1]), "large", dtype=sys.argv[2])
"""


ASK = """
    vectors = shelf.load_vectors("large")
    print([word for word, _ in vectors.most_similar("w7", topn=3)])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of data is Linux's")
@pytest.mark.parametrize("dtype", ["float32", pytest.param("int8", marks=pytest.mark.slow)])
def test_an_import_and_a_question_take_less_memory_than_the_table(tmp_path, monkeypatch, dtype):
    """A table of 144 MB is imported and asked within 96 MB beyond the libraries, by the operating system's own limit."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    words, size = 120_000, 300
    path = tmp_path / "v.bin"
    rng = np.random.default_rng(3)
    near = rng.standard_normal(size, dtype=np.float32)
    with path.open("wb") as file:
        file.write(f"{words} {size}\n".encode())
        for start in range(0, words, 8000):
            rows = rng.standard_normal((8000, size), dtype=np.float32)
            if start == 0:
                rows[[7, 100, 200]] = near, near * 2, near * 3 + 0.5 * rows[200]
            file.write(b"".join(b"w%d " % (start + i) + rows[i].tobytes() for i in range(8000)))
    ended = limited(IMPORT, path, dtype, data=96 << 20)
    assert ended.returncode == 0, ended.stderr[-2000:]
    path.unlink()
    ended = limited(ASK, data=96 << 20)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert ended.stdout.startswith("['w100', 'w200',")
    ended = limited(f"np.ones({words * size}, np.float32).sum()", data=96 << 20)
    assert "MemoryError" in ended.stderr  # the limit is one


def test_a_large_file_is_hashed_once_a_state_and_not_at_each_opening(tmp_path, monkeypatch):
    from embeddings import files

    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.setattr(files, "REMEMBERED_PAST", 1)
    hashed = []
    plain = files.hash_file
    monkeypatch.setattr(files, "hash_file", lambda path: hashed.append(path.name) or plain(path))

    def ask():
        files._sha256.cache_clear()  # as another process
        return files.sha256(path)

    path = tmp_path / "rows"
    path.write_bytes(b"first")
    assert [ask(), ask()] == [plain(path)] * 2
    assert hashed == ["rows"]
    path.write_bytes(b"other and longer")
    assert [ask(), ask()] == [plain(path)] * 2
    assert hashed == ["rows"] * 2
    kept = json.loads((tmp_path / "home" / "checksums.json").read_text())["files"]
    assert [*kept] == [str(path)]
    (tmp_path / "home" / "checksums.json").write_text(json.dumps({"files": {str(path): ["x"]}}))
    assert ask() == plain(path)
    (tmp_path / "home" / "checksums.json").write_bytes(b"\xff")
    assert ask() == plain(path)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_rows_whose_squares_float32_cannot_hold_have_their_cosines(tmp_path, dtype):
    long, short = np.float32(1e25), np.float32(1e-25)
    matrix = np.array([[1, 1], [long, long], [0, 0], [short, short], [long, -long]], np.float32)
    words = ["one", "long", "none", "short", "across"]
    write_native(Vectors(words, matrix), tmp_path / "m", dtype=dtype)
    cosines = dict(read(tmp_path / "m").most_similar("one"))
    assert cosines == pytest.approx({"long": 1, "none": 0, "short": 1, "across": 0}, abs=1e-6)


def test_a_model_that_is_replaced_while_it_is_open_answers_as_before(tmp_path):
    write_native(table(), tmp_path / "m")
    vectors = read(tmp_path / "m")
    write_native(table(words=WORDS[:3]), tmp_path / "m")
    assert vectors.find("x") == 8
    assert np.array_equal(vectors["x"], vectors.matrix[8])


def test_opening_a_large_model_reads_a_word_here_and_there(tmp_path, monkeypatch):
    words = [f"w{row}" for row in range(3000)]
    write_native(table(words=words), tmp_path / "m")
    decoded = []
    whole = WordList._decoded
    monkeypatch.setattr(WordList, "_decoded", lambda *a: decoded.append(a) or whole(*a))
    vectors = read(tmp_path / "m")
    assert vectors.find("W7") == 7  # as the casing of the model is known from its settings
    assert decoded == []
