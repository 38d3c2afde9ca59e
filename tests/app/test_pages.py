"""Every page of words in three languages, headless, on small models."""

from urllib.parse import parse_qsl, urlsplit

import pytest
import streamlit as st

from app.wording import wording
from tests.app.visits import LANGUAGES, PAGES, open_page, page_text, value


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_speaks_each_language_and_shows_something_on_first_load(
    small_shelf, page, language
):
    app = open_page(page, lang=language)
    say = wording(language)
    assert [title.value for title in app.title] == [say(f"{page}.title")]
    line, _, rest = say(f"{page}.lead").partition(". ")
    lead = next(text for text in app.markdown if text.value == f"{line}.")
    assert lead.proto.help == rest
    assert app.get("plotly_chart")
    assert all("klyuch corpus get" in info.value for info in app.info)


def test_screen_language_changes_sentences_but_not_what_was_asked(small_shelf):
    app = open_page("analogies", lang="en", formula="king - man + woman", rule="mul")
    app.segmented_control(key="lang").set_value("de").run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert app.text_input(key="formula").value == "king - man + woman"
    assert app.segmented_control(key="text").value == "en"


def test_models_follow_the_screen_language_until_something_is_asked(small_shelf):
    app = open_page(lang="en")
    app.segmented_control(key="lang").set_value("ru").run()
    assert app.segmented_control(key="text").value == "ru"
    assert app.text_input(key="word").value == "музыка"


@pytest.mark.parametrize(
    ("page", "address", "sentence"),
    [
        ("explore", {"word": " "}, "explore.empty"),
        ("analogies", {"formula": " "}, "analogies.empty"),
        ("ratios", {"two": "ice"}, "ratios.need"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_empty_input_is_met_with_what_to_type(small_shelf, language, page, address, sentence):
    app = open_page(page, lang=language, **address)
    assert wording(language)(sentence) in page_text(app)


def test_markup_that_a_person_types_is_not_read_as_markup(small_shelf):
    app = open_page(lang="en", word="**<b>bold</b>**")
    assert "\\*\\*" in app.info[0].value


def test_a_language_without_models_says_so(small_shelf, monkeypatch):
    from app.loaders import shelf_models

    monkeypatch.setattr(shelf_models, "static_models", lambda: ())
    for page in PAGES:
        app = open_page(page, lang="de")
        assert app.title
        assert "klyuch word2vec train" in app.info[0].value


def test_a_damaged_model_is_a_sentence(small_shelf, models, tmp_path, monkeypatch):
    import shutil

    from app.loaders import shelf_models
    from embeddings.shelf import Entry

    shutil.copytree(models / "models" / "small-en-cbow", tmp_path / "broken")
    with (tmp_path / "broken" / "vectors.safetensors").open("ab") as file:
        file.write(b"x")
    entry = Entry("broken", "static", "cbow", "en", tmp_path / "broken")
    monkeypatch.setattr(shelf_models, "static_models", lambda: (entry,))
    for page in PAGES[:2]:
        app = open_page(page, lang="en")
        assert "is damaged" in app.info[0].value


def test_the_last_model_cannot_be_deselected(small_shelf):
    app = open_page(lang="en", models="small-en-glove")
    app.button_group(key="models").set_value([]).run()
    assert app.button_group(key="models").value == ["small-en-glove"]
    assert value(app, "models") == "small-en-glove"


@pytest.mark.parametrize(
    ("asked", "then"), [("Berlin", "Berlin"), ("wolf, Paris", "wolf, Paris"), ("justice", "Musik")]
)
def test_a_word_stays_if_the_models_of_the_new_language_know_it(small_shelf, asked, then):
    app = open_page(lang="en", word=asked)
    app.segmented_control(key="text").set_value("de").run()
    assert not app.exception
    assert app.text_input(key="word").value == then


def test_every_model_is_named_with_its_checksum_and_the_version_once(small_shelf):
    from embeddings import __version__

    app = open_page(lang="en")
    cited = next(code.value for code in app.code if "sha256" in code.value)
    lines = cited.splitlines()
    assert [f"Klyuch {__version__}" in line for line in lines] == [False, False, False, True]
    assert all("sha256" in line and "vector_size 16" in line for line in lines[:3])
    assert any(code.value.startswith("@misc{klyuch,") for code in app.code)


def test_the_link_that_a_page_offers_opens_it_as_it_is(small_shelf, monkeypatch):
    place = "http://localhost:8501/analogies"
    monkeypatch.setattr(type(st.context), "url", property(lambda _: f"{place}?old=1"))
    app = open_page("analogies", lang="en", formula="king - man + woman", rule="mul")
    link = next(code.value for code in app.code if code.value.startswith("http"))
    assert link.partition("?")[0] == place
    asked = dict(parse_qsl(urlsplit(link).query))
    again = open_page("analogies", **asked)
    assert again.text_input(key="formula").value == "king - man + woman"
    assert again.segmented_control(key="rule").value == "mul"
