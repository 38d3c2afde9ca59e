"""Every import and export: what goes out comes back, and each tool opens what is written for it."""

import csv
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from embeddings import Vectors
from embeddings.errors import FormatError, InputError
from embeddings.shelf import (
    About,
    Entry,
    export_formats,
    export_model,
    find,
    import_model,
    load_vectors,
    read_card,
)
from embeddings.shelf.exporting import ENDINGS, STATIC
from embeddings.vectors.formats import STREAMED, WRITERS, detect, read, write

pytestmark = [  # gensim leaves files open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
WORDS = ("der", "ключ", "schön", "ice\u00a0cream", "й", "1.5", "a'b", "。")
MATRIX = np.random.default_rng(3).normal(size=(8, 5)).astype(np.float32)
COUNTS = np.array([90, 50, 9, 7, 5, 3, 2, 1])
BACK = [name for name in STATIC if name != "tables"]
WITH_COUNTS = {"native", "projector", "numpy", "parquet"}


@pytest.fixture
def shelved(home):
    """A model on the shelf, every number as it was."""
    write(Vectors(WORDS, MATRIX, COUNTS), home / "made.npy")
    import_model(home / "made.npy", "mine", About(language="de", method="cbow", licence="CC0"))
    return home


@pytest.mark.parametrize("name", BACK)
def test_every_export_is_imported_again_with_equal_words_and_numbers(shelved, name):
    out = export_model("mine", shelved / f"out{ENDINGS[name]}", name)
    entry = import_model(out, f"again-{name}")
    back = load_vectors(entry.name)
    assert back.words == WORDS
    assert back.matrix.tobytes() == MATRIX.tobytes()
    if name in WITH_COUNTS:
        assert back.counts.tolist() == COUNTS.tolist()


def test_every_format_that_is_written_is_read_and_offered():
    assert set(WRITERS) == {"native", "gensim", *STREAMED}
    assert set(WRITERS) <= set(STATIC)
    assert set(STATIC) <= set(ENDINGS)


def test_the_native_export_keeps_the_card(shelved):
    out = export_model("mine", shelved / "out", "native")
    card = json.loads((out / "card.json").read_text())
    assert card == read_card(find("mine"))
    assert card["corpus"] == {"licence": "CC0"}


# Each tool opens what is written for it


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("word2vec", {}),
        ("word2vec-binary", {"binary": True}),
        ("glove", {"no_header": True}),
        ("fasttext", {}),
    ],
)
def test_gensim_opens_text_and_binary(shelved, name, options):
    from gensim.models import KeyedVectors

    out = export_model("mine", shelved / f"v{ENDINGS[name]}", name)
    keyed = KeyedVectors.load_word2vec_format(str(out), **options)
    assert tuple(keyed.index_to_key) == WORDS
    assert np.array_equal(keyed.vectors, MATRIX)


def test_gensim_opens_its_folder_with_counts(home):
    from gensim.models import KeyedVectors

    plain = [word for word in WORDS if len(word.split()) == 1]
    write(Vectors(plain, MATRIX[:7], COUNTS[:7]), home / "x", format="gensim")
    keyed = KeyedVectors.load_word2vec_format(
        str(home / "x" / "vectors.bin"), fvocab=str(home / "x" / "counts.txt"), binary=True
    )
    assert np.array_equal(keyed.vectors, MATRIX[:7])
    assert [keyed.get_vecattr(word, "count") for word in plain] == COUNTS[:7].tolist()
    assert read(home / "x").counts.tolist() == COUNTS[:7].tolist()


def test_a_word_with_a_no_break_space_goes_to_gensim_without_counts(shelved):
    from gensim.models import KeyedVectors

    out = export_model("mine", shelved / "g", "gensim")
    assert [file.name for file in out.iterdir()] == ["vectors.bin"]
    keyed = KeyedVectors.load_word2vec_format(str(out / "vectors.bin"), binary=True)
    assert tuple(keyed.index_to_key) == WORDS


def test_pandas_opens_the_parquet_file(shelved):
    import pandas as pd

    table = pd.read_parquet(export_model("mine", shelved / "v.parquet", "parquet"))
    assert list(table.columns) == ["word", "count", "vector"]
    assert tuple(table["word"]) == WORDS
    assert table["count"].tolist() == COUNTS.tolist()
    assert np.array_equal(np.stack(table["vector"]), MATRIX)


def test_parquet_of_pandas_is_imported(home):
    import pandas as pd

    rows = {"vector": [row.tolist() for row in MATRIX], "word": list(WORDS), "other": 1}
    pd.DataFrame(rows).to_parquet(home / "p.parquet")
    back = load_vectors(import_model(home / "p.parquet").name)
    assert back.words == WORDS
    assert np.array_equal(back.matrix, MATRIX)
    assert back.counts is None


def served(logdir, route, **arguments):
    """Answer of TensorBoard's projector to one request."""
    from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.projector import projector_plugin
    from werkzeug.test import Client

    read_events = plugin_event_multiplexer.EventMultiplexer()
    provider = data_provider.MultiplexerDataProvider(read_events, str(logdir))
    context = base_plugin.TBContext(
        logdir=str(logdir), data_provider=provider, multiplexer=read_events
    )
    plugin = projector_plugin.ProjectorPlugin(context)
    plugin._determine_is_active()
    answer = Client(plugin.get_plugin_apps()[route]).get("/", query_string=arguments)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_data()


@pytest.mark.filterwarnings("ignore")
def test_tensorboards_projector_opens_the_folder(shelved):
    out = export_model("mine", shelved / "projector", "projector")
    about = json.loads(served(out, "/info", run="."))["embeddings"][0]
    assert about["tensorShape"] == [8, 5]
    name = about["tensorName"]
    rows = np.frombuffer(served(out, "/tensor", run=".", name=name), np.float32).reshape(8, 5)
    assert np.array_equal(rows, MATRIX)
    lines = served(out, "/metadata", run=".", name=name).decode().split("\n")
    assert [line.split("\t")[0] for line in lines[1:9]] == list(WORDS)


def test_the_tables_hold_places_and_neighbours(shelved):
    import pandas as pd
    from sklearn.decomposition import PCA

    out = export_model("mine", shelved / "t", "tables")
    places = pd.read_csv(out / "coordinates.csv", keep_default_na=False)
    assert list(places["word"].astype(str)) == list(WORDS)
    unit = MATRIX / np.linalg.norm(MATRIX, axis=1, keepdims=True)
    reference = PCA(3).fit_transform(unit.astype(np.float64))
    found = places[["pc1", "pc2", "pc3"]].to_numpy()
    assert np.allclose(np.abs(found), np.abs(reference), atol=1e-5)
    near = pd.read_csv(out / "neighbours.csv", dtype={"word": str, "neighbour": str})
    assert len(near) == 8 * 7
    cosines = unit @ unit.T
    first = near[(near["word"] == "ключ") & (near["rank"] == 1)].iloc[0]
    others = np.delete(np.arange(8), 1)
    best = others[np.argmax(cosines[1][others])]
    assert first["neighbour"] == WORDS[best]
    assert first["cosine"] == pytest.approx(cosines[1, best], abs=1e-6)


def test_words_with_commas_and_quotes_stay_one_cell(home):
    write(Vectors(['a,"b"', "c"], np.eye(2, dtype=np.float32)), home / "x", format="native")
    out = export_model(home / "x", home / "t", "tables")
    with (out / "coordinates.csv").open(encoding="utf-8-sig", newline="") as file:
        assert next(row for row in csv.reader(file) if row[0] != "word")[0] == 'a,"b"'


# Kinds, refusals


@pytest.mark.parametrize(
    ("kind", "method", "formats"),
    [
        ("network", "bert", ("huggingface", "native")),
        ("network", "albert", ("huggingface", "native")),
        ("network", "s1", ("native",)),
        ("translation", "", ("native",)),
        ("classifier", "", ("native",)),
    ],
)
def test_each_kind_offers_its_formats(tmp_path, kind, method, formats):
    assert export_formats(Entry("x", kind, method, "", tmp_path)) == formats


def test_nothing_that_is_there_is_written_over(shelved):
    (shelved / "v.txt").write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        export_model("mine", shelved / "v.txt", "word2vec")
    assert (shelved / "v.txt").read_text() == "mine"


def test_a_format_that_a_model_does_not_have_is_refused(shelved):
    with pytest.raises(InputError, match=r"cannot be written as huggingface.*native, word2vec"):
        export_model("mine", shelved / "v", "huggingface")


def read_parquet(folder, columns):
    """The vectors of a Parquet file of these columns."""
    parquet.write_table(pa.table(columns), folder / "x.parquet")
    return read(folder / "x.parquet")


@pytest.mark.parametrize("content", [b"PAR1 but no more", b"PAR1" * 40])
def test_a_damaged_parquet_file_is_a_sentence(tmp_path, content):
    (tmp_path / "x.parquet").write_bytes(content)
    assert detect(tmp_path / "x.parquet") == "parquet"
    with pytest.raises(FormatError, match="cannot be read"):
        read(tmp_path / "x.parquet")


EMPTY, TWO = pa.array([], pa.list_(pa.float32())), [[1.0], [2.0]]
NULL = pa.array(["None", None])


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"a": [1], "b": [2]}, "columns a, b; columns word and vector"),
        ({"word": ["x"], "vector": [1.0]}, r"word \(.*\), vector \(double\); columns word and"),
        ({"word": ["x"], "vector": [{"a": 1.0}]}, r"vector \(struct.*; columns word and vector"),
        ({"word": [["x"]], "vector": [[1.0]]}, r"word \(list.*; columns word and vector"),
        ({"word": ["x", "y"], "vector": [[1.0], [1.0, 2.0]]}, "differ in length"),
        ({"word": ["x", "y"], "vector": [[1.0], None]}, "differ in length"),
        ({"word": ["x"], "vector": [[float("nan")]]}, "not a finite number"),
        ({"word": pa.array([], pa.string()), "vector": EMPTY}, "holds no vectors"),
        ({"word": NULL, "vector": TWO}, "line 2: there is no word"),
        ({"word": NULL.dictionary_encode(), "vector": TWO}, "line 2: there is no word"),
        ({"word": [1, None], "vector": TWO}, "line 2: there is no word"),
    ],
)
def test_a_parquet_file_that_is_no_table_of_vectors_is_a_sentence(tmp_path, columns, sentence):
    with pytest.raises(FormatError, match=sentence):
        read_parquet(tmp_path, columns)


@pytest.mark.parametrize(
    "counts",
    [[4, -3], [4.0, float("nan")], [1.5, 2.0], ["4", "x"], pa.array([2**63 + 5, 3], pa.uint64())],
)
def test_numbers_of_a_parquet_file_that_are_no_counts_are_not_known(tmp_path, counts):
    assert (
        read_parquet(tmp_path, {"word": ["x", "y"], "vector": TWO, "count": counts}).counts is None
    )


def test_whole_counts_of_a_parquet_file_are_kept_in_any_kind_of_number(tmp_path):
    columns = {"word": ["x", "y"], "vector": TWO, "count": [4.0, 3.0]}
    assert read_parquet(tmp_path, columns).counts.tolist() == [4, 3]
