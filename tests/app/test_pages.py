"""Every page of words in three languages, headless, on small models."""

import asyncio
from urllib.parse import urljoin

import numpy as np
import pytest
import streamlit as st
from threadpoolctl import ThreadpoolController, threadpool_info

from app import answers
from app.answers import once_per_run, page_run
from app.loaders import shelf_models
from app.server import FIRST_PAGE, FirstPageByName, multiply_on_one_core
from app.widgets.inputs import split_list
from app.wording import TEXT_LANGUAGES, examples, wording
from embeddings import __version__, shelf
from embeddings.analysis.analogies import solve
from embeddings.shelf import Entry
from embeddings.vectors.cooccurrence_table import load_cooccurrence
from tests.app.visits import PAGES, in_turn, open_page, page_text, value


@pytest.mark.parametrize(("page", "language"), in_turn(PAGES))
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


def test_models_follow_the_screen_language_until_something_is_asked(small_shelf):
    app = open_page(lang="en")
    app.segmented_control(key="lang").set_value("ru").run()
    assert app.segmented_control(key="text").value == "ru"
    assert app.text_input(key="word").value == "музыка"
    app.text_input(key="word").set_value("король").run()
    app.segmented_control(key="lang").set_value("de").run()
    assert app.title[0].value == wording("de")("explore.title")
    assert app.text_input(key="word").value == "король"
    assert app.segmented_control(key="text").value == "ru"
    app.segmented_control(key="text").set_value("de").run()
    assert app.text_input(key="word").value == "Musik"  # an example in the new language
    assert not app.exception


@pytest.mark.parametrize(
    ("page", "address", "sentence"),
    [
        ("explore", {"word": " "}, "explore.empty"),
        ("analogies", {"formula": " "}, "analogies.empty"),
        ("ratios", {"two": "ice"}, "ratios.need"),
    ],
)
def test_empty_input_is_met_with_what_to_type(small_shelf, page, address, sentence):
    assert wording("de")(sentence) in page_text(open_page(page, lang="de", **address))


def test_markup_that_a_person_types_is_not_read_as_markup(small_shelf):
    app = open_page(lang="en", word="**<b>bold</b>**")
    assert "\\*\\*" in app.info[0].value


def test_a_language_without_models_says_so(small_shelf, monkeypatch):
    monkeypatch.setattr(shelf_models, "static_models", lambda: ())
    for page in PAGES:
        app = open_page(page, lang="de")
        assert app.title
        assert "klyuch word2vec train" in app.info[0].value


def test_the_last_model_cannot_be_deselected(small_shelf):
    app = open_page(lang="en", models="small-en-glove")
    app.button_group(key="models").set_value([]).run()
    assert app.button_group(key="models").value == ["small-en-glove"]
    assert value(app, "models") == "small-en-glove"


def test_every_model_is_named_with_its_checksum_and_the_version_once(small_shelf):
    app = open_page(lang="en")
    cited = next(code.value for code in app.code if "sha256" in code.value)
    lines = cited.splitlines()
    assert [f"Klyuch {__version__}" in line for line in lines] == [False, False, False, True]
    assert all("sha256" in line and "vector_size 16" in line for line in lines[:3])
    assert any(code.value.startswith("@misc{klyuch,") for code in app.code)


# A run of a page looks at the shelf once


def test_the_shelf_is_looked_at_once_a_run_and_anew_by_the_next(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    entry = Entry("a", "static", "", "", tmp_path)
    with page_run():
        before = answers.model_key(entry)
        (tmp_path / "config.json").write_text('{"a": 1}', encoding="utf-8")
        assert answers.model_key(entry) == before
    after = answers.model_key(entry)
    assert after == entry.stamp != before
    with page_run():
        assert answers.model_key(entry) == after


def test_what_refuses_is_asked_again_in_the_same_run():
    asked = []

    @once_per_run
    def refuse(name):
        asked.append(name)
        raise ValueError(name)

    with page_run():
        for _ in range(2):
            with pytest.raises(ValueError, match="a"):
                refuse("a")
    assert asked == ["a", "a"]


def test_the_servers_numpy_multiplies_on_one_core():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
    try:
        multiply_on_one_core()
        assert {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"} == {1}
    finally:
        for pool in ThreadpoolController().lib_controllers:
            pool.set_num_threads(before[pool.filepath])


# What pages show before anybody types is in every model that ships


METHODS = {"skipgram", "cbow", "glove"}
LISTS = ("pair", "odd", "ends", "between", "two", "probes", "compared")


@pytest.mark.parametrize("language", TEXT_LANGUAGES)
def test_every_example_has_vectors_and_counts_in_the_models_that_ship(language):
    entries = [
        entry
        for entry in shelf.list_models()
        if entry.path.is_relative_to(shelf.data())
        and (entry.kind, entry.language) == ("static", language)
        and entry.method in METHODS  # tables of BERT and of lemmas hold other words
    ]
    assert {entry.method for entry in entries} == METHODS
    texts = examples(language)
    listed = [*texts["words"].split(" | "), *texts["compared_lists"].split(" | ")]
    words = {word for text in (*listed, *map(texts.get, LISTS)) for word in split_list(text)}
    pairs = texts["ratio_pairs"].replace(" = ", " | ").split(" | ")
    assert [texts["two"], texts["probes"]] == pairs[:2]
    counted = [word for text in pairs for word in split_list(text)]
    for entry in entries:
        vectors = shelf.load_vectors(entry.name)
        assert [word for word in sorted(words) if word not in vectors] == []
        for formula in texts["formulas"].split(" | "):
            assert solve(vectors, formula).answers
        if entry.method == "glove":
            table = load_cooccurrence(entry.path).vectors
            assert [word for word in counted if word not in table] == []


# Explore is opened by its name, too: ``/explore`` leads to ``/`` with all that the address asks for


def answered(path, query=b"", kind="http"):
    """Status of an answer, and where it sends the browser on to."""
    sent = []

    async def page(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "path": path, "query_string": query, "headers": []}
    asyncio.run(FirstPageByName(page)(scope, None, send))
    location = dict(sent[0]["headers"]).get(b"location", b"").decode()
    return sent[0]["status"], location


@pytest.mark.parametrize(
    ("base", "path", "query", "address"),
    [
        ("", "/explore", b"lang=en&word=%D0%BA%D0%BB", "/?lang=en&word=%D0%BA%D0%BB"),
        ("", "/explore/", b"lang=en", "/?lang=en"),
        ("", "/explore", b"", "/"),
        ("", "/EXPLORE", b"lang=en", "/?lang=en"),
        ("klyuch", "/klyuch/Explore/", b"n=5", "/klyuch/?n=5"),
        ("klyuch", "/klyuch/explore", b"n=5", "/klyuch/?n=5"),
        ("/klyuch/", "/klyuch/explore/", b"n=5", "/klyuch/?n=5"),
    ],
)
def test_the_first_page_opens_by_its_name_with_what_the_address_asks_for(
    monkeypatch, base, path, query, address
):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.__getitem__)
    status, location = answered(path, query)
    assert status == 307
    assert urljoin(f"https://klyuch.example{path}", location) == f"https://klyuch.example{address}"
    assert PAGES[0] == FIRST_PAGE  # which opens where a link names none


def test_behind_a_proxy_that_takes_its_prefix_away_the_prefix_stays():
    _, location = answered("/explore", b"lang=en")
    shown = urljoin("https://lab.example/words/explore?lang=en", location)
    assert shown == "https://lab.example/words/?lang=en"


@pytest.mark.parametrize(
    "path", ["/", "/explorer", "/contexts", "/contexts/explore", "/_stcore/health"]
)
def test_other_addresses_are_answered_as_they_are(path):
    assert answered(path) == (200, "")
    assert answered("/explore", kind="websocket") == (200, "")
