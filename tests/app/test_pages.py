"""Every page of words in three languages, headless, on small models."""

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info

from app import answers, shelf_models
from app.answers import once_per_run, page_run
from app.server import multiply_on_one_core
from app.widgets.inputs import split_list
from app.wording import TEXT_LANGUAGES, examples, wording
from embeddings import __version__, shelf
from embeddings.analysis.analogies import solve
from embeddings.shelf import Entry
from embeddings.vectors.cooccurrence_table import load_cooccurrence
from tests.app.visits import PAGES, open_page, page_text, value

TRAIN_CLASSIFIER = "klyuch corpus get sst2\nklyuch classify train "
TRAIN_TRANSLATOR = "klyuch translation train "


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


@pytest.mark.parametrize(
    ("page", "address", "sentence"),
    [
        ("explore", {"word": " "}, "explore.empty"),
        ("analogies", {"formula": " "}, "analogies.empty"),
        ("ratios", {"two": "ice"}, "ratios.need"),
        ("compare", {"compared": " "}, "compare.empty"),
        ("compare", {"models": "small-de-glove"}, "compare.need_two"),
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


@pytest.mark.parametrize(
    ("page", "address", "models", "sentence", "command"),
    [
        ("classify", {}, "classifiers", "classify.none", TRAIN_CLASSIFIER),
        ("grammar", {}, "networks", "network.none", ""),
        ("inside", {"inside_half": "decoder"}, "translators", "translate.none", TRAIN_TRANSLATOR),
        ("translate", {}, "translators", "translate.none", TRAIN_TRANSLATOR),
    ],
)
def test_without_a_model_of_its_kind_a_page_says_how_to_train_one(
    small_shelf, monkeypatch, page, address, models, sentence, command
):
    monkeypatch.setattr(shelf_models, models, tuple)
    app = open_page(page, lang="ru", **address)
    assert app.info[0].value == wording("ru")(sentence)
    assert app.code[0].value.startswith(command)


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
