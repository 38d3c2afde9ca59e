"""Explore, headless: filters, lists, maps, forms."""

import json

import numpy as np
import pytest

from app import shelf_models
from app.views.explore import words_on_map
from app.wording import wording
from embeddings import shelf
from embeddings.vectors.character_ngrams import Subwords
from embeddings.vectors.formats import write_native
from embeddings.vectors.sense_table import SenseTable, save_senses
from embeddings.vectors.table import Vectors
from tests.app.conftest import index_text
from tests.app.visits import forget_answers, listed_neighbours, open_page, page_text

SAY = wording("en")


def test_filters_hold_before_the_cut_and_a_bad_expression_is_refused(small_shelf):
    app = open_page(lang="en", pattern="^m", n=3)
    for words in listed_neighbours(app).values():
        assert len(words) == 3
        assert all(word.startswith("m") for word in words)
    app.text_input(key="pattern").set_value("(").run()
    assert "regular expression" in app.info[0].value


def test_a_neighbour_that_more_than_one_model_names_is_marked(small_shelf):
    app = open_page(lang="en", word="king")
    table, lists = app.dataframe[0].value, listed_neighbours(app)
    named = [word for words in lists.values() for word in words]
    marks = {}
    for label, words in lists.items():
        for cell, word in zip(filter(None, table[label]), words, strict=True):
            marks.setdefault(word, set()).add(cell[0])
    assert marks == {word: {"●" if named.count(word) > 1 else "○"} for word in named}
    assert {*named} > {word for word in named if named.count(word) > 1} > set()
    alone = open_page(lang="en", word="king", models="small-en-cbow").dataframe[0].value
    assert not any(cell[0] in "●○" for cell in alone.iloc[:, 0])


def test_a_list_gives_a_table_with_a_line_a_word(small_shelf):
    app = open_page(lang="en", word="wolf, dog, nonsense, Paris")
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["wolf", "dog", "Paris"]
    assert "nonsense" in app.info[0].value


def test_a_slow_map_of_very_many_words_waits_for_the_button(small_shelf, monkeypatch):
    methods = []
    project = words_on_map.project

    def watched(*arguments, **settings):
        methods.append(settings["method"])
        return project(*arguments, **{**settings, "method": "pca"})

    monkeypatch.setattr(words_on_map, "project", watched)
    monkeypatch.setattr(words_on_map, "AT_ONCE", 5)
    forget_answers()
    app = open_page(lang="en", method_map="umap")
    assert methods == []
    app.button(key="start-map").click().run()
    forget_answers()
    assert methods == ["umap"]


@pytest.mark.parametrize(
    ("colour", "dimensions"), [("model", 2), ("model", 3), ("cluster", 3), ("frequency", 2)]
)
def test_maps_of_every_colour_and_dimension_are_drawn(small_shelf, colour, dimensions):
    app = open_page(lang="en", by=colour, dim=dimensions, standardize=0)
    assert "all " in page_text(app)


@pytest.mark.parametrize(("spread", "warned"), [(0.05, False), (10.0, True)])
def test_groups_that_do_not_separate_are_told_and_those_that_do_are_not(own_home, spread, warned):
    """Five planted directions; around them little noise, or far more noise than distance."""
    words = [f"word{number}" for number in range(40)]
    noise = np.random.default_rng(1).normal(size=(40, 60))
    planted = np.eye(60)[np.arange(40) % 5] + spread * noise
    table = Vectors(words, planted.astype(np.float32), language="en")
    write_native(table, own_home / "models" / "planted")
    app = open_page(lang="en", models="planted", by="cluster", word=", ".join(words))
    assert any("hardly separate" in note.value for note in app.warning) is warned


def test_forms_of_the_asked_word_are_folded_before_the_cut(put_first):
    matrix = np.array([[1, 0], [1, 0.1], [1, 0.2], [1, 0.5], [1, 0.8], [1, 3]], np.float32)
    words = ["key", "keys", "lock", "door", "house", "keyed"]
    put_first(Vectors(words, matrix, name="keys", language="en"), dtype="float32")
    app = open_page(lang="en", models="keys", word="key", n=3, fold=1)
    assert list(listed_neighbours(app).values()) == [["lock", "door", "house"]]


@pytest.fixture
def subword_model(put_first):
    """A function that puts a model with n-grams beside the small ones of a language, before them."""

    def add(language, words):
        rng, about = np.random.default_rng(6), {"language": language, "method": "fasttext"}
        matrix = rng.normal(size=(len(words), 8)).astype(np.float32)
        vectors = Vectors(words, matrix, np.arange(len(words), 0, -1), name="small-parts", **about)
        vectors.subwords = Subwords(3, 4, 9999, rng.normal(size=(9999, 8)).astype(np.float32))
        (entry,) = put_first(vectors)
        return shelf.load_vectors(entry.path)

    return add


def test_a_word_outside_the_vocabulary_is_marked_as_composed_with_its_ngrams(subword_model):
    words, unknown = ["könig", "königreich", "königin", "schloss"], "königtum<b>"
    vectors, say = subword_model("de", words), wording("de")
    app = open_page(lang="de", text="de", models="small-de-skipgram,small-parts", word=unknown)
    assert say("explore.composed", word="W", model="fastText").split("W")[0] in page_text(app)
    drawn = "\n".join(str(item.value) for kind in (app.markdown, app.caption) for item in kind)
    assert "<b>" not in drawn.replace("\\<b\\>", "")  # what was typed is shown, never obeyed
    shares = next(table.value for table in app.dataframe if say("explore.share") in table.value)
    parts = {part.text: part.share for part in vectors.parts(unknown).ngrams if part.is_known}
    assert dict(shares.to_numpy().tolist()) == pytest.approx(parts)
    assert "köni" in parts
    assert list(shares[say("explore.share")]) == sorted(parts.values(), reverse=True)
    assert any("small-de-skipgram" in info.value for info in app.info)  # it has no vector for it
    (label, listed), *others = listed_neighbours(app).items()
    assert (label, others) == ("fastText", [])
    assert set(listed) == set(words)


def test_composed_words_take_part_in_a_list_and_are_named_there(subword_model):
    subword_model("en", ["kingdom", "king", "queen", "freedom"])
    app = open_page(lang="en", models="small-en-skipgram,small-parts", word="king, kingly, zzz")
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["king", "kingly"]
    text = page_text(
        open_page("associations", lang="en", models="small-parts", pair="king, kingly")
    )
    sentence = wording("en")("listed.composed", model="fastText", words="kingly")
    assert sentence.replace(":", "\\:") in text
    assert sentence.replace(":", "\\:") in page_text(app)


def lines_of(app):
    """The lines of a concordance, by column: before the word, the word, after it."""
    table = next(t.value for t in app.dataframe if SAY("sentences.left") in t.value.columns)
    return [
        table[SAY(key)].tolist() for key in ("sentences.left", "common.word", "sentences.right")
    ]


def test_a_words_sentences_are_searched_narrowed_and_counted(small_shelf, own_home):
    first = open_page(lang="en", word="king", view="sentences")
    assert "klyuch corpus get" in page_text(first)
    assert SAY("sample_sentences.note") in page_text(first)
    assert {word.lower() for word in lines_of(first)[1]} == {"king"}
    lines = ["The old king sat on the throne.", "A king without a throne.", "The kings left."]
    lines[2] = f"{'Long ago, ' * 30}as they say, the kings left."
    index_text(own_home, "court", "\n".join([*lines, *["The queen stayed alone."] * 3]) + "\n")
    app = open_page(lang="en", word="king", view="sentences")
    (*_, left), words, _ = lines_of(app)
    assert words == ["king", "king", "kings"]
    assert left.endswith("as they say, the ")  # next to the word
    assert left.startswith("…")
    assert len(left) == 56
    assert SAY("sample_sentences.note") not in page_text(app)
    near = open_page(lang="en", word="king", sentences_near="throne", sentences_order="right")
    assert lines_of(near)[2] == [" sat on the throne.", " without a throne."]
    near.text_input(key="sentences_pattern").set_value("(a+)+").run()
    assert any("search forever" in info.value for info in near.info)


# Explore over a large model: what its index found of the true neighbours is said, and a click compares with every word


def neighbours_of(row, entry):
    """The ten nearest words of a row, the nearest first, by all cosines."""
    matrix = shelf.load_vectors(entry.path).matrix.astype(np.float64)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return [f"w{other}" for other in np.argsort(-(unit @ unit[row]))[1:11]]


def test_the_recall_of_the_index_is_shown_and_a_click_compares_with_every_word(
    indexed_model, monkeypatch
):
    monkeypatch.setattr(shelf_models, "INDEXED_PAST", 1000)
    (entry, report), say = indexed_model, wording("ru")
    recall = say.number(100 * report.recall, 1)
    app = open_page(lang="ru", text="en", models="large", word="w7", n=10)
    approximate = say("explore.index_used", model="large", recall=recall, topn=10, sampled=200)
    exact = say("explore.index_exact", model="large")
    expected = neighbours_of(7, entry)
    assert report.recall <= 0.9  # the index leaves out one of ten
    assert approximate in page_text(app)
    assert exact not in page_text(app)
    shown = listed_neighbours(app)["large"]
    assert expected[0] not in shown  # the nearest is what the index misses
    assert len({*shown} & {*expected}) >= 7  # built by several threads, it is like no other
    app.toggle(key="exact").set_value(True).run()
    assert exact in page_text(app)
    assert recall not in page_text(app)
    assert listed_neighbours(app)["large"] == expected
    app.toggle(key="exact").set_value(False).run()
    app.text_input(key="pattern").set_value("^w").run()  # a filter compares with every word, too
    assert exact in page_text(app)
    assert listed_neighbours(app)["large"] == expected


# Explore shows the senses of a word that a model keeps: neighbours, map, sentences; a sense is asked for as a word; three languages


@pytest.fixture
def with_senses(small_shelf, put_first):
    """A German model with two senses of «könig»: one as «königin», one as «mann»."""
    entry = next(e for e in small_shelf if e.name == "small-de-skipgram")
    vectors = shelf.load_vectors(entry.path)
    vectors.name = "small-senses"
    near = ("königin", "mann")
    table = SenseTable(
        ("könig",),
        (("könig",),),
        np.array([0, 2]),
        vectors.unit_rows([vectors.row(other) for other in near]),
        np.array([0.7, 0.3], np.float32),
        tuple((other,) for other in near),
        (("one <b>bold</b> sentence",), ()),
        np.eye(17, 16, dtype=np.float32),
    )
    put_first(vectors, extra=lambda new: save_senses(table, new))
    return {"lang": "de", "text": "de", "models": vectors.name}


def test_a_word_with_senses_shows_each_with_its_neighbours_and_its_point(with_senses):
    say = wording("de")
    app = open_page(word="könig", view="map", **with_senses)
    (chart,) = app.get("plotly_chart")
    assert "könig#1" in str(json.loads(chart.proto.spec))
    app.segmented_control(key="view").set_value("senses").run()
    text = page_text(app)
    assert say("senses.title", word="könig") in text
    assert say("senses.share", share=say.number(70, 0)) in text
    assert "könig\\#1" in text
    assert "<b>" not in text.replace("\\<b\\>", "")
    app.button(key=f"ask-{with_senses['models']}-könig#2").click().run()
    assert app.text_input(key="word").value == "könig#2"
    app.segmented_control(key="view").set_value("neighbours").run()
    (listed,) = listed_neighbours(app).values()
    assert listed[0] == "mann"
    assert "könig" not in listed
    app.text_input(key="word").set_value("könig#9").run()
    refusals = "".join(info.value.replace("\\", "") for info in app.info)
    assert "könig#1, könig#2" in refusals or "könig#1 und könig#2" in refusals
