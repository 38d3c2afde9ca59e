"""Two models of one's own on the shelf: never chosen unasked, and they hide nothing of the others."""

from functools import partial

import numpy as np
import pytest

from app import shelf_models
from app.figures.palette import model_colours
from app.widgets import network_inputs
from app.widgets.outputs import plain
from app.wording import wording
from embeddings import shelf
from embeddings.shelf import Entry
from embeddings.vectors.table import Vectors
from tests.app.visits import open_page, page_text, value

SHIPPED = ["small-en-skipgram", "small-en-cbow", "small-en-glove"]
OWN_WORDS = ["wolf", "dog", "bread", "cat", "key", *(f"own{number}" for number in range(34))]


@pytest.fixture
def own_models(small_shelf, own_home, put_first):
    """The small models as those that ship, and two of one's own of 39 words, first by name."""
    models = []
    for seed, name in enumerate(("aa-first", "ab-second")):
        matrix = np.random.default_rng(seed).normal(size=(39, 8)).astype(np.float32)
        about = {"name": name, "language": "en", "method": "skipgram"}
        models.append(Vectors(OWN_WORDS, matrix, np.arange(39, 0, -1), **about))
    own = put_first(*models)
    assert [shelf.is_own(entry) for entry in (*own, *small_shelf)] == [True, True] + 9 * [False]
    return own


@pytest.mark.parametrize("page", ["explore", "compare", "ratios"])
def test_no_page_of_words_chooses_them_unasked(own_models, page):
    app = open_page(page, lang="en")
    assert value(app, "models").split(",") == SHIPPED
    assert "aa-first" not in page_text(app)
    assert all("klyuch corpus get" in info.value for info in app.info)


def test_where_nothing_ships_they_answer_by_their_own_names(own_models, monkeypatch):
    for kept in (own_models[:1], own_models):  # at first the only one of its method
        names = [entry.name for entry in kept]
        monkeypatch.setattr(shelf_models, "static_models", partial(tuple, kept))
        app = open_page(lang="en", word="wolf")
        assert app.button_group(key="models").options == names
        assert value(app, "models") == ",".join(names)


def test_a_network_of_the_texts_language_is_offered_first(own_home):

    def network(name, method, language, home="data"):
        return Entry(name, "network", method, language, own_home / home / name)

    offered = [
        network("aa", "bert", "de", "models"),
        network("bert-de", "bert", "de"),
        network("bert-en", "bert", "en"),
        network("albert-all", "albert", "en+ru+de"),
        network("bert-all", "bert", "en+ru+de"),
    ]
    for language in ("en", "de"):
        names = [entry.name for entry in network_inputs.by_language(offered, language)]
        assert names[:3] == [f"bert-{language}", "bert-all", "albert-all"]
        assert names[-1] == "aa"


def test_the_companion_of_a_network_is_one_that_ships(own_home, monkeypatch):
    own = Entry("aa", "static", "lemmas", "en", own_home / "models" / "aa")
    shipped = Entry("zz", "static", "glove", "en", own_home / "data" / "zz")
    monkeypatch.setattr(shelf, "list_models", lambda: (own, shipped))
    assert shelf_models.companion("en") == shipped


def test_one_that_lacks_the_word_says_so_in_its_column_and_hides_no_other(own_models, monkeypatch):
    chosen = ",".join([*SHIPPED[:2], "aa-first"])
    app, say = open_page(lang="de", text="en", models=chosen, word="music"), wording("de")
    lacks = {"word": "music", "size": 39, "suggestions": ""}
    assert app.info[0].value == plain(say("unknown.word_unknown", models="aa-first", **lacks))
    assert all("aa-first" in info.value for info in app.info)
    assert list(app.dataframe[0].value) == [say(f"method.{m}") for m in ("skipgram", "cbow")]
    code = next(code.value for code in app.code if "neighbours" in code.value)
    assert f"for name in {SHIPPED[:2]!r}:" in code  # those that answered
    both = say.list(["aa-first", "ab-second"])
    app.button_group(key="models").set_value(["aa-first", "ab-second"]).run()
    assert app.info[0].value == plain(say("unknown.word_unknown", models=both, **lacks))
    monkeypatch.setattr(shelf_models.vectors(own_models[0]), "is_table", True)
    app.button_group(key="models").set_value(["small-en-cbow", "aa-first"]).run()
    table = say("unknown.word_table", models="aa-first", **lacks)
    assert app.info[0].value == plain(table)
    assert list(app.dataframe[0].value) == ["CBOW"]


def test_a_formula_is_answered_by_every_model_that_can(own_models):
    app = open_page("analogies", lang="en", models=",".join([*SHIPPED[:2], "aa-first"]))
    assert "queen" in app.subheader[0].value
    assert [info.value.split("\\:")[0] for info in app.info[:1]] == ["aa-first"]
    assert list(app.dataframe[0].value.columns) == ["Skip-gram", "CBOW"]


def test_questions_of_pairs_and_axes_are_answered_by_every_model_that_can(own_models):
    app = open_page(
        "associations", lang="en", models="small-en-cbow,aa-first", odd="king, queen, man"
    )
    assert [metric.label for metric in app.metric] == ["CBOW", "aa-first", "CBOW"]
    named = [info.value.split("\\:")[0] for info in app.info]
    assert named == ["aa-first", "aa-first"]  # the odd one out and the axis


def test_a_list_says_which_model_lacks_which_word(own_models):
    app = open_page(lang="en", models="small-en-cbow,aa-first", word="wolf, music, dog, bread")
    missing = plain(wording("en")("listed.missing", model="aa-first", words="music"))
    assert missing in app.info[0].value
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["wolf", "music", "dog", "bread"]
    app = open_page("compare", lang="en", models="small-en-cbow,aa-first", compared="wolf, music")
    assert missing in app.info[0].value


def test_a_damaged_model_hides_no_other(own_models):
    with (own_models[0].path / "vectors.safetensors").open("ab") as file:
        file.write(b"x")
    app = open_page(lang="en", models="small-en-cbow,aa-first", word="music")
    assert [info.value.split("\\:")[0] for info in app.info] == ["aa-first"]
    assert set(app.dataframe[0].value) == {"CBOW"}


def test_no_two_models_of_a_page_share_a_colour():
    methods = ["skipgram", "cbow", "glove", "bert", "skipgram", "skipgram", "", "other"]
    colours = model_colours(methods)
    assert len(set(colours)) == len(methods)
    assert colours[:4] == model_colours(methods[:4])


def test_a_word_that_another_language_s_models_know_is_offered_to_them(small_shelf, monkeypatch):
    monkeypatch.setattr(shelf, "is_own", lambda _: False)
    app = open_page(lang="de", text="en", word="справедливость")
    label = wording("de")("unknown.known_ru", words="справедливость")
    next(button for button in app.button if button.label == label).click().run()
    assert app.segmented_control(key="text").value == "ru"
    assert app.text_input(key="word").value == "справедливость"
    assert app.get("plotly_chart")


def test_two_words_without_a_comma_are_asked_about(small_shelf):
    say = wording("ru")
    app = open_page(lang="ru", text="en", word="new york")
    assert say("common.quoted", text="new york") in app.info[0].value
    assert not app.dataframe
    assert plain(say("word.as_list", words="new, york")) in [b.label for b in app.button]
    app.text_input(key="word").set_value("wolf dog").run()
    button = next(b for b in app.button if b.label == plain(say("word.as_list", words="wolf, dog")))
    button.click().run()
    assert app.text_input(key="word").value == "wolf, dog"
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["wolf", "dog"]


def test_a_name_that_a_model_has_with_an_underscore_is_offered_as_one_word(
    small_shelf, monkeypatch
):
    table = shelf_models.vectors(small_shelf[0])
    language = small_shelf[0].language
    monkeypatch.setitem(table.index, "new_york", 0)
    app = open_page(lang="en", text=language, models=small_shelf[0].name, word="new york")
    assert plain(wording("en")("word.as_name", words="new_york")) in [b.label for b in app.button]


@pytest.mark.parametrize("emoji", ["😀", "🎵🎵", "…"])
def test_an_emoji_has_no_close_spelling(emoji):
    from embeddings.vectors.word_list import close_spellings

    table = Vectors(["a", "i", "1"], np.eye(3, dtype=np.float32))
    assert close_spellings(emoji, table) == ()
    assert close_spellings("o", table) == ("a", "i", "1")
