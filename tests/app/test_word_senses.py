"""Explore shows the senses of a word that a model keeps: neighbours, map, sentences; a sense is asked for as a word; three languages."""

import numpy as np
import pytest

from app.loaders import shelf_models
from app.wording import wording
from embeddings import shelf
from embeddings.vectors.formats import write_native
from embeddings.vectors.sense_table import SenseTable, save_senses
from tests.app.visits import listed_neighbours, open_page, page_text

WORDS = {
    "en": ("king", "queen", "man"),
    "ru": ("король", "королева", "мужчина"),
    "de": ("könig", "königin", "mann"),
}


@pytest.fixture
def with_senses(small_shelf, tmp_path, monkeypatch):
    """Return a function that puts a model with two senses of a word on the shelf: one as the second word, one as the third."""

    def add(language):
        entry = next(e for e in small_shelf if e.name == f"small-{language}-skipgram")
        vectors = shelf.load_vectors(entry.path)
        vectors.name = "small-senses"
        word, *near = WORDS[language]
        table = SenseTable(
            (word,),
            ((word,),),
            np.array([0, 2]),
            vectors.unit_rows([vectors.row(other) for other in near]),
            np.array([0.7, 0.3], np.float32),
            tuple((other,) for other in near),
            (("one <b>bold</b> sentence",), ()),
            np.eye(17, 16, dtype=np.float32),
        )
        write_native(vectors, tmp_path / "s", extra=lambda new: save_senses(table, new))
        found = shelf.find(tmp_path / "s")
        monkeypatch.setattr(shelf_models, "static_models", lambda: (found, *small_shelf))
        return found

    return add


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_a_word_with_senses_shows_each_with_its_neighbours_and_its_point(with_senses, language):
    entry, say = with_senses(language), wording(language)
    word, *near = WORDS[language]
    app = open_page(lang=language, text=language, models=entry.name, word=word, view="senses")
    text = page_text(app)
    assert say("senses.title", word=word) in text
    assert say("senses.share", share=say.number(70, 0)) in text
    assert f"{word}\\#1" in text
    assert "<b>" not in text.replace("\\<b\\>", "")
    large = open_page(lang=language, text=language, models=entry.name, word=word, view="map")
    labels = {str(t) for chart in large.get("plotly_chart") for t in [chart.proto.spec]}
    drawn = "".join(labels)
    assert f"{word}#1" in drawn.encode().decode("unicode_escape", "ignore") or f"{word}#1" in drawn
    app.button(key=f"ask-{entry.name}-{word}#2").click().run()
    assert not app.exception
    assert app.text_input(key="word").value == f"{word}#2"
    app.segmented_control(key="view").set_value("neighbours").run()
    (listed,) = listed_neighbours(app).values()
    assert listed[0] == near[1]
    assert word not in listed


def test_a_word_without_senses_says_so(small_shelf):
    say = wording("en")
    app = open_page(lang="en", word="king", view="senses")
    assert [info.value for info in app.info] == [say("senses.none", word="king")]


def test_a_sense_that_does_not_exist_is_refused_with_those_that_do(with_senses):
    entry = with_senses("en")
    app = open_page(lang="en", models=entry.name, word="king#9")
    assert "king#1, king#2" in "".join(info.value.replace("\\", "") for info in app.info)


def test_a_formula_takes_a_sense(with_senses):
    entry = with_senses("en")
    app = open_page("analogies", lang="en", models=entry.name, formula="king#2 - man + queen")
    assert "king\\#2" in page_text(app)
    assert not app.error
