"""Answers as files: what is in them, what can never run in them, and the command line's ``--html``."""

import json
import re
import sys

import numpy as np
import pytest

from embeddings.analysis.vector_answers import Neighbour
from embeddings.attention_view import html_page
from embeddings.errors import InputError
from embeddings.saved_page.answer import Point, Row, SavedAnswer, Scatter, Source, Table
from embeddings.saved_page.html_page import MAX_BYTES, labels, saved_page, script
from embeddings.saved_page.questions import Ranking, any_answer, neighbour_answer
from embeddings.vectors.table import Vectors
from tests.saved_page.contract import cells, data_of

NASTY = "</script><img src=x onerror=alert(1)>\u2028&"
HEBREW = "מפתח"


def table_of(words, seed=0):
    rows = np.random.default_rng(seed).normal(size=(len(words), 8)).astype(np.float32)
    return Vectors(words, rows)


def asked(vectors, word, shown=3, **source):
    ranking = Ranking("m", "#0072B2", vectors, vectors.neighbours(word, 200))
    return neighbour_answer(word, [ranking], Source(**source), shown=shown)


def test_a_step_of_the_walk_is_what_the_model_says_and_the_map_has_the_plane_of_the_words_shown():
    vectors = table_of([f"w{n}" for n in range(30)])
    data = data_of(saved_page(asked(vectors, "w0", shown=5)))
    (table,) = data["tables"]
    number = data["items"].index("w7")
    expected = [[n.word, f"{n.similarity:.4f}"] for n in vectors.neighbours("w7", 10)]
    assert cells(data, table["walk"][str(number)]) == expected
    drawn = vectors.map(["w0", *(n.word for n in vectors.neighbours("w0", 5))])
    places = {data["items"][p[0]]: p[1:3] for p in data["figure"]["points"]}
    assert len(places) == 30
    for word, place in zip(drawn.words, drawn.coordinates, strict=True):
        np.testing.assert_allclose(places[word], place, atol=1e-3)
    assert f"{100 * drawn.explained_variance_ratio[0]:.1f}" in data["figure"]["axes"][0]


@pytest.mark.parametrize("text", [NASTY, HEBREW, "\U0001d54f"])
def test_any_text_comes_back_as_it_was_and_ends_no_element(text):
    answer = SavedAnswer(text, text, Source((text,), {text: text}, text, text), (Table(text, (text,), (Row(text, (None,)),)),))  # fmt: skip
    page = saved_page(answer)
    data = data_of(page)
    assert data["items"] == [text]
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "\u2028" not in page.partition('id="answer">')[2]


def test_only_addresses_of_the_web_are_links():
    table = (Table("t", (), ()),)
    for address in ("javascript:alert(1)", "klyuch words neighbours king", "file:///etc"):
        assert "<a " not in saved_page(SavedAnswer("t", "q", Source(address=address), table))
    page = saved_page(SavedAnswer("t", "q", Source(address='https://a/b?c="d'), table))
    assert '<a href="https://a/b?c=&quot;d"' in page


def test_a_policy_allows_the_scripts_and_styles_of_the_file_alone():
    page = saved_page(SavedAnswer("t", "q", Source(), (Table("t", (), ()),)))
    policy = re.search(r'Content-Security-Policy"\s+content="(.*?)"', page, re.S)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<[^>]* (on\w+|style)=", page)


@pytest.mark.parametrize("code", [script(), *map(html_page.script, ("component", "standalone"))])
def test_no_script_of_a_file_sets_html_or_names_an_address(code):
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "prototype",
        "eval(",
    ):
        assert forbidden not in code
    assert set(re.findall(r"https?://[^\"'` ]+", code)) == {"http://www.w3.org/2000/svg"}
    assert "</script" not in code


def test_eight_models_of_two_hundred_neighbours_fit_and_more_is_refused():
    tables = [table_of([f"длинноеслово{n}" for n in range(2000)], seed) for seed in range(8)]
    rankings = [
        Ranking(f"m{n}", "#0072B2", vectors, vectors.neighbours("длинноеслово0", 200))
        for n, vectors in enumerate(tables)
    ]
    page = saved_page(neighbour_answer("длинноеслово0", rankings, Source(), shown=8))
    assert len(page.encode()) <= MAX_BYTES
    rows = tuple(Row("", ("x" * 1000,)) for _ in range(1100))
    with pytest.raises(InputError, match=str(MAX_BYTES)):
        saved_page(SavedAnswer("t", "q", Source(), (Table("t", ("c",), rows),)))


def test_labels_are_said_in_each_language_and_english_elsewhere():
    texts = [labels(language) for language in ("en", "ru", "de")]
    assert texts[0].keys() == texts[1].keys() == texts[2].keys()
    fields = [{k: set(re.findall(r"\{\w+\}", v)) for k, v in said.items()} for said in texts]
    assert fields[0] == fields[1] == fields[2]
    assert labels("fr") == labels("en")


def test_any_answer_is_tables_with_bars_of_its_measure():
    answer = any_answer("t", "q", (Neighbour("a", 0.5, 3), Neighbour("b", -0.25)), Source())
    data = data_of(saved_page(answer))
    (table,) = data["tables"]
    assert table["columns"] == ["word", "similarity", "count", "forms"]
    assert cells(data, table["rows"]) == [["a", "0.5000", "3", ""], ["b", "-0.2500", "–", ""]]
    assert [row[2] for row in table["rows"]] == [[0.5], [-0.25]]
    assert table["columns"][table["measure"]] == "similarity"
    empty = data_of(saved_page(any_answer("t", "q", [], Source())))
    assert [table["rows"] for table in empty["tables"]] == [[]]


def test_points_that_are_one_and_lines_are_kept_and_a_group_called_by_its_colour_has_no_name():
    points = (Point("a", 1, 2, "g"), Point("a", 3, 4), Point("b", 1, 1, "#D55E00"))
    colours = {"g": "#0072B2", "#D55E00": "#D55E00"}
    figure = Scatter("f", points, colours, lines=((0, 1),))
    data = data_of(saved_page(SavedAnswer("t", "q", Source(), (), figure)))
    drawn = data["figure"]
    assert drawn["points"] == [[0, 1, 2, 0, False], [0, 3, 4, 2, False], [1, 1, 1, 1, False]]
    assert drawn["groups"] == [["g", "#0072B2"], ["", "#D55E00"], ["", ""]]
    assert drawn["lines"] == [[0, 1]]


def test_the_command_writes_the_answer_that_it_prints(run, tmp_path):
    path = tmp_path / "near.html"
    done = run("words", "neighbours", "king", "-m", "en-skipgram", "--json", "--html", path)
    assert done.code == 0, done.err
    page = path.read_text(encoding="utf-8")
    data = data_of(page)
    printed = [[near["word"], f"{near['similarity']:.4f}"] for near in json.loads(done.out)]
    assert cells(data, data["tables"][0]["rows"])[:10] == printed
    assert len(data["tables"][0]["rows"]) == 200
    assert "klyuch words neighbours king -m en-skipgram --json" in page
    assert "sha256" in page
    assert str(tmp_path) not in page


def test_every_command_that_prints_json_can_write_a_file(run, tmp_path):
    path = tmp_path / "odd.html"
    done = run("words", "odd-one-out", "milk", "bread", "stone", "-m", "en-glove", "--html", path)
    assert done.code == 0, done.err
    data = data_of(path.read_text(encoding="utf-8"))
    assert cells(data, data["tables"][0]["rows"]) == [["word", "stone"]]
    assert {row[0] for row in cells(data, data["tables"][1]["rows"])} == {"milk", "bread", "stone"}


def test_a_file_that_cannot_be_written_is_refused_before_the_work(run, tmp_path):
    done = run("words", "neighbours", "king", "-m", "en-skipgram", "--html", tmp_path)
    assert done.code == 2
    assert done.out == ""


def test_a_private_model_is_named_and_its_folder_is_not(run, tmp_path):
    from embeddings.vectors.formats.native_folder import write_native

    folder = tmp_path / "secret" / "mine"
    folder.parent.mkdir()
    write_native(table_of(["a", "b", "c", "unrelated"]), folder, card={})
    path = tmp_path / "a.html"
    assert run("words", "similarity", "a", "b", "-m", folder, "--html", path).code == 0
    page = path.read_text(encoding="utf-8")
    assert "mine" in page
    assert "secret" not in page
    assert "unrelated" not in page


def test_a_command_with_lists_in_lists_has_a_table_of_each(run, tmp_path):
    path = tmp_path / "fill.html"
    done = run("fill", "The key opens the [MASK].", "--model", "bert-en", "--json", "--html", path)
    assert done.code == 0, done.err
    data = data_of(path.read_text(encoding="utf-8"))
    (printed,) = json.loads(done.out)
    rows = cells(data, data["tables"][0]["rows"])
    assert [row[0] for row in rows] == [guess["token"] for guess in printed]
    path = tmp_path / "grammar.html"
    sentences = ("The keys are here.", "The keys is here.")
    done = run("grammar", "score", *sentences, "--model", "bert-en", "--json", "--html", path)
    assert done.code == 0, done.err
    data, printed = data_of(path.read_text(encoding="utf-8")), json.loads(done.out)
    for table, score in zip(data["tables"][1:], printed, strict=True):
        listed = [[t["token"], f"{t['log_probability']:.4f}"] for t in score["tokens"]]
        assert cells(data, table["rows"]) == listed


def test_the_command_draws_the_plane_of_a_formula(run, tmp_path):
    path = tmp_path / "king.html"
    done = run("words", "analogy", "king - man + woman", "-m", "en-skipgram", "--html", path)
    assert done.code == 0, done.err
    data = data_of(path.read_text(encoding="utf-8"))
    names = [data["items"][point[0]] for point in data["figure"]["points"]]
    assert [[names[a], names[b]] for a, b in data["figure"]["lines"]] == [
        ["man", "king"],
        ["woman", "king - man + woman"],
    ]


def test_a_method_of_vectors_saves_a_file_and_shows_itself_without_widgets(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    vectors = table_of([f"w{n}" for n in range(30)])
    answer = vectors.explore("w0", 3)
    answer.save(tmp_path / "w0.html")
    data = data_of((tmp_path / "w0.html").read_text(encoding="utf-8"))
    near = vectors.neighbours("w0", 200)
    assert [row[0] for row in cells(data, data["tables"][0]["rows"])] == [n.word for n in near]
    assert answer._repr_mimebundle_() == {}  # a notebook then writes the first line
    assert "w0" in repr(answer)
