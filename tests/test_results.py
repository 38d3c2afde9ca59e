"""Results show themselves: rows as tables and frames, maps as figures, with or without plotly."""

import copy
import dataclasses
import pickle
import sys

import numpy as np
import pytest

import embeddings
from embeddings import Vectors
from embeddings.analysis.comparison_answers import NeighbourSpread, NeighbourSpreads, RunRange
from embeddings.analysis.vector_answers import Neighbour
from embeddings.probing.attention_answers import AttentionMap, Side
from embeddings.probing.sentence_answers import Guess
from embeddings.results import Result, Rows, Value, cell_text

WORDS = ["key", "door", "lock", "sun", "moon", "<b>"]


TABLE = Vectors(WORDS, np.random.default_rng(2).normal(size=(6, 4)).astype(np.float32))


def test_rows_are_a_tuple_that_prints_as_a_table():
    rows = embeddings.neighbours(TABLE, "key", 2)
    assert isinstance(rows, tuple)
    lines = repr(rows).split("\n")
    assert lines[0].split() == ["word", "similarity", "count", "forms"]
    assert lines[1].split()[:2] == [rows[0].word, f"{rows[0].similarity:.4f}"]
    assert repr(Rows()) == repr(NeighbourSpreads()) == "()"


def test_a_value_with_an_answer_in_it_is_written_in_one_line():
    written = repr(NeighbourSpread("key", RunRange.of([0.5]), 1, 2, None))
    span = "RunRange(lowest=0.5, highest=0.5, mean=0.5, deviation=None, runs=1)"
    assert written.startswith(f"NeighbourSpread(word='key', cosine={span}, lowest_rank=1, ")


def test_html_escapes_what_a_model_brings():
    html = Rows([Neighbour("<b>", 0.5, None, ("x", "y"))])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "x, y" in html
    assert "–" in html


def test_settings_in_a_cell_keep_their_digits():
    assert cell_text(
        {"layer_norm_eps": 1e-12, "rate": 7.5e-4, "layers": 2, "scores": {"loss": 5.09563}}
    ) == ("layer_norm_eps 1e-12, rate 0.00075, layers 2, scores loss 5.09563")


def test_long_tables_are_cut_and_say_so():
    rows = Rows([Neighbour(str(number), 0.5) for number in range(60)])
    assert "… 10 more of 60" in repr(rows)
    assert "… 10 more of 60" in rows._repr_html_()
    assert rows._repr_html_().count("<tr>") == 51


def test_rows_of_plain_values_become_a_pandas_frame():
    assert Rows([1.5, 2.5]).to_frame()["value"].tolist() == [1.5, 2.5]


def test_a_formula_shows_its_answers():
    answer = embeddings.solve(TABLE, "key - door + lock")
    assert repr(answer).startswith("key - door + lock ≈\nword")
    assert "<table>" in answer._repr_html_()


def test_a_table_of_neighbours_names_what_is_missing():
    html = embeddings.neighbour_table(TABLE, ["key", "nothing"])._repr_html_()
    assert "without a vector: nothing" in html


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_map_is_a_figure_and_a_frame(dimensions):
    answer = embeddings.project(TABLE, WORDS, dimensions=dimensions)
    figure = answer.figure()
    assert list(figure.data[0].text) == WORDS
    assert np.allclose(figure.data[0].x, answer.coordinates[:, 0])
    assert figure.data[0].type == ("scatter" if dimensions == 2 else "scatter3d")
    frame = answer.to_frame()
    assert frame.shape == (6, dimensions)
    assert frame.columns[0].startswith("pca 1 (")
    shown = answer._repr_mimebundle_()
    assert shown["text/plain"] == f"<Projection by pca: 6 words, {dimensions} dimensions>"
    drawn = shown["application/vnd.plotly.v1+json"]["data"][0]
    assert drawn["text"] == WORDS
    assert "&lt;b&gt;" in shown["text/html"]


def test_without_plotly_a_map_is_a_table(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    shown = embeddings.project(TABLE, WORDS)._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html"}
    assert "<th>word</th>" in shown["text/html"]
    assert "&lt;b&gt;" in shown["text/html"]


def test_rows_unpack_as_word_and_similarity():
    rows = embeddings.neighbours(TABLE, "key", 3)
    assert [(word, similarity) for word, similarity in rows] == [
        (row.word, row.similarity) for row in rows
    ]
    assert dict(embeddings.axis(TABLE, "key", "sun", ["moon"])).keys() == {"moon"}
    answer = embeddings.solve(TABLE, "key - door + lock")
    assert [word for word, _ in answer] == [near.word for near in answer.answers]
    token, probability = Guess("door", 0.5)
    assert (token, probability) == ("door", 0.5)


# The head that Attention opens on: the one whose words attend most to another word further away


LABELS = ("[CLS]", "dogs", "that", "bark", ".", "[SEP]")


def attention_map(*heads):
    """A map of one layer, its heads given by the column that each row attends to."""
    count = len(LABELS)
    special = tuple(label.startswith("[") for label in LABELS)
    side = Side(LABELS, ((0, 0),) * count, (0,) * count, tuple(range(count)), LABELS, special)
    weights = np.zeros((1, len(heads), count, count), np.float32)
    for head, columns in enumerate(heads):
        weights[0, head, range(count), columns] = 1
    return AttentionMap("m", side, side, weights, tuple(str(n + 1) for n in range(len(heads))))


def test_a_head_that_links_distant_words_is_preferred_to_neighbours_special_tokens_and_signs():
    following = [1, 2, 3, 4, 5, 5]
    to_cls, to_sign = [0] * 6, [4] * 6
    linking = [0, 3, 3, 1, 1, 0]  # dogs and bark attend to each other
    shown = attention_map(following, to_cls, to_sign, linking)
    assert shown.telling_head() == (1, "4")


def test_without_two_words_apart_it_is_the_first_head():
    side = Side(("a",), ((0, 1),), (0,), (0,), ("a",), (False,))
    shown = AttentionMap("m", side, side, np.ones((2, 2, 1, 1), np.float32), ("1", "2"))
    assert shown.telling_head() == (1, "1")


class Place(Value):
    name: str
    spans: tuple[int, ...] = ()


class Weights(Result, eq=False):
    numbers: np.ndarray


def test_a_value_is_frozen_and_equal_by_its_fields_and_one_of_arrays_is_equal_to_itself_alone():
    place = Place("key", spans=(1, 2))
    assert place == Place("key", (1, 2))
    assert hash(place) == hash(Place("key", (1, 2)))
    assert place != Place("lock", (1, 2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        place.name = "lock"
    one, other = Weights(np.ones(3)), Weights(np.ones(3))
    assert one == one
    assert one != other
    assert pickle.loads(pickle.dumps(place)) == copy.copy(place) == place
    assert pickle.loads(pickle.dumps(one)).numbers.tolist() == [1, 1, 1]
