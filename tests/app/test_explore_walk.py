"""Explore leads on: a dot that is clicked, a list taken, lists of thousands of words, the whole vocabulary."""

from functools import partial

import numpy as np
import pytest

from app import shelf_models
from app.figures.word_map import LABELLED, PointMarks, map_figure
from app.views.explore import word_list, words_on_map
from app.wording import wording
from embeddings.analysis.vector_answers import Projection
from tests.app import visits
from tests.app.plotly_figures import checked

map_figure = checked(map_figure)

open_page = partial(visits.open_page, "explore", timeout=120)
SAY = wording("en")


def test_a_neighbour_that_was_chosen_is_the_next_word_and_all_of_them_become_a_list(small_shelf):
    app = open_page(lang="en", word="king")
    assert "walk" not in [button.key for button in app.button]
    nearest = visits.listed_neighbours(app)["small-en-skipgram"][0]
    app.session_state["_chosen"] = nearest  # what the callback of the table keeps
    app.run()
    app.button(key="walk").click().run()
    assert visits.value(app, "word") == nearest
    app.button(key="as-list").click().run()
    words = visits.value(app, "word").split(", ")
    assert words[0] == nearest
    assert len(words) == len(set(words)) > 10
    assert SAY("listed.walk") in visits.page_text(app)


def take(app, text):
    """Take a pasted list."""
    app.text_area(key="long_list").set_value(text).run()
    app.button(key="take-list").click().run()


def test_a_pasted_list_is_cut_with_a_sentence_and_lasts_until_something_else_is_asked_for(
    small_shelf,
):
    app = open_page(lang="en", word="king")
    take(app, "man\nwoman, queen; nosuchword")
    assert SAY("listed.long_taken", words=4) in visits.page_text(app)
    assert SAY("listed.walk") in visits.page_text(app)
    app.text_input(key="word").set_value("man").run()
    assert SAY("listed.walk") not in visits.page_text(app)
    take(app, "\n".join(["king", "queen", "man", *(f"w{number}" for number in range(99_997))]))
    warned = [warning.value for warning in app.warning]
    assert SAY("listed.long_cut", most=word_list.MOST, words=100_000) in warned
    assert SAY("listed.long_taken", words=word_list.MOST) in visits.page_text(app)
    take(app, "man\nmusik")  # a close spelling takes the place of a word of the list
    next(b for b in app.button if str(b.key).startswith("instead-list")).click().run()
    assert visits.value(app, "word") == "man, music"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            "слово\nвода\nрека\nключ\nдверь\nзамок\nдорога\n".encode("cp1251"),
            SAY("listed.long_encoding", guess="WINDOWS-1251"),
        ),
        (b"a\n" * (3 << 20), SAY("listed.long_large", bound=4)),
    ],
)
def test_a_file_that_is_no_list_is_a_sentence(small_shelf, data, sentence):
    app = open_page(lang="en", word="king")
    app.file_uploader(key="list_file").upload("words.txt", data, "text/plain").run()
    app.button(key="take-list").click().run()
    assert sentence in [warning.value.replace("\\", "") for warning in app.warning]


def test_another_map_and_the_whole_vocabulary_are_drawn_when_they_are_chosen(small_shelf):
    app = open_page(lang="en", word="king", method_map="tsne")
    assert "start-map" not in [button.key for button in app.button]
    assert SAY("map.lead_other", method="t-SNE") in visits.page_text(app)
    (before,) = app.get("plotly_chart")
    app.toggle(key="vocabulary_shown").set_value(True).run()
    (after,) = app.get("plotly_chart")
    assert after.proto.spec != before.proto.spec
    assert [*map(after.proto.SelectionMode.Name, after.proto.selection_mode)] == ["POINTS"]
    assert SAY("map.select_hint") not in visits.page_text(app)


def test_of_very_many_words_a_sample_is_drawn_the_commonest_first(small_shelf, monkeypatch):
    monkeypatch.setattr(words_on_map, "DRAWN", 20)
    visits.forget_answers()
    projection = words_on_map.vocabulary_map(small_shelf[0])
    visits.forget_answers()
    rows = [shelf_models.vectors(small_shelf[0]).row(word) for word in projection.words]
    assert len(rows) == 20
    assert rows == sorted(rows) != list(range(20))


def test_the_commonest_words_of_a_vocabulary_that_have_room_carry_their_names():
    words = tuple(f"w{number}" for number in range(5000))
    places = np.random.default_rng(0).normal(size=(5000, 2))
    marks = PointMarks([""] * 5000, {})
    figure = map_figure(Projection(words, places, "pca", (0.1, 0.1)), marks, ("a", "b"))
    named = {text for text in figure.data[0].text if text}
    assert named <= set(words)
    assert 0 < len(named) <= LABELLED
    assert figure.data[0].type == "scattergl"
