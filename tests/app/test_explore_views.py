"""Explore's views: each opens in each language and has code that repeats it, list and map are linked."""

import json

import pytest

from app.views.explore import words_on_map
from app.wording import wording
from tests.app.visits import in_turn, listed_neighbours, open_page, value

KING = {"en": "king", "ru": "король", "de": "könig"}


@pytest.mark.parametrize(("view", "language"), in_turn(["senses", "why", "reliability"]))
def test_each_view_of_the_models_that_ship_has_code_to_reproduce_it(language, view):
    word = KING[language]
    app = open_page(lang=language, text=language, word=word, view=view)
    codes = [c.value for c in app.code if c.value.startswith(("import embed", "from embed"))]
    without = [wording(language)("senses.none", word=word), wording(language)("explore.no_spread")]
    assert codes or app.info[0].value in without
    for code in codes:
        compile(code, view, "exec")
        assert word in code


def test_a_list_has_a_table_and_a_map(small_shelf):
    app = open_page(lang="en", word="king, queen, man, woman")
    offered = ("neighbours", "map")
    labels = [wording("en")(f"view.{name}") for name in offered]
    for view in offered:
        chosen = app.segmented_control(key="view")
        assert chosen.options == labels
        app = chosen.set_value(view).run()
        assert value(app, "view") == view
        assert len(app.get("plotly_chart")) == 1


def test_an_old_address_with_every_default_opens_the_first_view(small_shelf):
    nearest = listed_neighbours(open_page(lang="en", word="king"))["small-en-skipgram"][0]
    old = {"n": 10, "fold": 0, "why": nearest, "space": "small-en-skipgram", "method_map": "pca"}
    old |= {"dim": 2, "find": "", "vocabulary_shown": 0, "sentences_corpus": "sample-en"}
    old |= {"sentences_near": "", "sentences_order": "text", "sentences_window": 5}
    assert value(open_page(lang="en", text="en", word="king", **old), "view") == "neighbours"


def test_the_map_beside_the_lists_has_exactly_their_words_and_the_word_asked_for(small_shelf):
    app = open_page(lang="en", word="king", n=3)
    listed = {word for words in listed_neighbours(app).values() for word in words}
    (chart,) = app.get("plotly_chart")

    drawn = {
        point[0]
        for trace in json.loads(chart.proto.spec)["data"]
        for point in trace.get("customdata", [])
    }
    assert drawn == listed | {"king"}


def test_words_selected_on_the_map_are_those_of_the_lists_which_show_no_others(
    small_shelf, monkeypatch
):
    shown = listed_neighbours(open_page(lang="en", word="king"))
    picked = shown["small-en-skipgram"][:2]
    points = [{"customdata": [word, ""]} for word in (*picked, "elsewhere")]
    with monkeypatch.context() as patch:
        state = {words_on_map.CHART: {"selection": {"points": [*points, {}]}}}
        patch.setattr(words_on_map.st, "session_state", state)
        known = dict.fromkeys(shown["small-en-skipgram"], ())
        assert words_on_map.selected_words(known) == picked
        patch.setattr(words_on_map.st, "session_state", {})
        assert words_on_map.selected_words(known) == []
    monkeypatch.setattr(words_on_map, "selected_words", lambda _: picked)
    filtered = listed_neighbours(open_page(lang="en", word="king"))
    assert filtered == {
        label: [word for word in words if word in picked] for label, words in shown.items()
    }


def test_russian_forms_are_merged_at_first_as_on_analogies(small_shelf):
    assert value(open_page(lang="ru", text="ru", word="король"), "fold") == "1"
    assert value(open_page(lang="en", text="en", word="king"), "fold") == "0"
