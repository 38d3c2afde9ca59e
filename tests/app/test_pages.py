"""Every page in three languages, headless, on small models."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.wording import wording

MAIN = str(Path(__file__).resolve().parents[2] / "app/main.py")
PAGES = ("explore", "analogies", "ratios")
LANGUAGES = ("en", "ru", "de")
QUEEN = {"en": "queen", "ru": "королева", "de": "königin"}


def opened(page="explore", **address):
    """The page as a link opens it."""
    app = AppTest.from_file(MAIN, default_timeout=60)
    app.query_params.update({name: str(value) for name, value in address.items()})
    app.run()
    if page != "explore":
        app.query_params.update({name: str(value) for name, value in address.items()})
        app.switch_page(f"views/{page}.py").run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def said(app):
    """All sentences on the page in one string."""
    kinds = (app.title, app.header, app.subheader, app.markdown, app.caption, app.info, app.metric)
    texts = [str(item.value) for kind in kinds for item in kind]
    return "\n".join([*texts, *(code.value for code in app.code)])


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_speaks_each_language_and_shows_something_on_first_load(shelf, page, language):
    app = opened(page, lang=language)
    say = wording(language)
    assert [title.value for title in app.title] == [say(f"{page}.title")]
    assert say(f"{page}.lead") in said(app)
    assert app.get("plotly_chart")
    assert all("klyuch corpus get" in info.value for info in app.info)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", ["add", "mul"])
def test_the_planted_analogy_is_answered(shelf, language, rule):
    app = opened("analogies", lang=language, rule=rule)
    assert QUEEN[language] in app.subheader[0].value


def test_inputs_answer_when_let(shelf):
    app = opened("analogies", lang="en", formula="king + man", inputs=1)
    tables = [frame.value for frame in app.dataframe]
    assert {"king", "man"} & set(tables[0].iloc[:, 2])
    assert wording("en")("analogies.included") in said(app)


def test_screen_language_changes_sentences_but_not_what_was_asked(shelf):
    app = opened("analogies", lang="en", formula="king - man + woman", rule="mul")
    app.segmented_control(key="lang").set_value("de").run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert app.text_input(key="formula").value == "king - man + woman"
    assert app.segmented_control(key="text").value == "en"


def test_models_follow_the_screen_language_until_something_is_asked(shelf):
    app = opened(lang="en")
    app.segmented_control(key="lang").set_value("ru").run()
    assert app.segmented_control(key="text").value == "ru"
    assert app.text_input(key="word").value == "музыка"


@pytest.mark.parametrize("language", LANGUAGES)
def test_unknown_word_is_answered_with_close_spellings_as_buttons(shelf, language):
    wrong = {"en": "musik", "ru": "музика", "de": "musick"}[language]
    right = {"en": "music", "ru": "музыка", "de": "musik"}[language]
    app = opened(lang=language, word=wrong)
    assert wrong in app.info[0].value
    button = next(b for b in app.button if b.label == right)
    button.click().run()
    assert not app.info
    assert app.text_input(key="word").value == right


def test_unknown_word_says_whether_it_was_too_rare_or_never_seen(shelf, monkeypatch):
    from app import resources

    resources.vectors.clear()
    table = resources.vectors(shelf[0])
    monkeypatch.setattr(table, "seen", {"zyx": 2}.get)
    app = opened(text=shelf[0].language, lang="en", models=shelf[0].name, word="zyx")
    assert wording("en")("unknown.rare") in said(app)
    app = opened(text=shelf[0].language, lang="en", models=shelf[0].name, word="xyzzy")
    assert wording("en")("unknown.why") in said(app)


@pytest.mark.parametrize(
    ("page", "address", "sentence"),
    [
        ("explore", {"word": " "}, "explore.empty"),
        ("analogies", {"formula": " "}, "analogies.empty"),
        ("ratios", {"two": "ice"}, "ratios.need"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_empty_input_is_met_with_what_to_type(shelf, language, page, address, sentence):
    app = opened(page, lang=language, **address)
    assert wording(language)(sentence) in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_formula_shows_where(shelf, language):
    app = opened("analogies", lang=language, text="en", formula="king - (man + woman)")
    assert "8" in app.info[0].value
    assert "       ^" in app.code[0].value


def test_a_bad_expression_is_refused_and_the_map_stays(shelf):
    app = opened(lang="en", find="(")
    assert "regular expression" in app.info[0].value
    assert app.get("plotly_chart")


def test_markup_that_a_person_types_is_not_read_as_markup(shelf):
    app = opened(lang="en", word="**<b>bold</b>**")
    assert "\\*\\*" in app.info[0].value


def test_filters_hold_before_the_cut(shelf):
    app = opened(lang="en", pattern="^m", n=3)
    words = list(app.dataframe[0].value.iloc[:3, 2])
    assert len(words) == 3
    assert all(word.startswith("m") for word in words)


def test_a_list_gives_a_table_with_a_line_a_word(shelf):
    app = opened(lang="en", word="wolf, dog, nonsense, Paris")
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["wolf", "dog", "Paris"]
    assert "nonsense" in app.info[0].value


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_slow_maps_wait_for_the_button(shelf, method, monkeypatch):
    from app.views.sections import projected

    asked = []
    real = projected.project

    def watched(*arguments, **settings):
        asked.append(settings["method"])
        return real(*arguments, **{**settings, "method": "pca"})

    monkeypatch.setattr(projected, "project", watched)
    app = opened(lang="en", method_map=method)
    assert asked == []
    app.button(key="start-map").click().run()
    assert asked == [method]
    assert not app.exception


@pytest.mark.parametrize("colour", ["model", "cluster", "frequency"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_maps_of_every_colour_and_dimension_are_drawn(shelf, colour, dimensions):
    app = opened(lang="en", by=colour, dim=dimensions, fit="all", standardize=0)
    assert "all " in said(app)


def test_ratios_of_the_source_stand_beside_its_own_words_only(shelf):
    say = wording("en")
    assert say("ratios.source_note") in said(opened("ratios", lang="en"))
    other = opened("ratios", lang="en", two="ice, gas")
    assert say("ratios.source_note") not in said(other)


def test_ratios_are_those_of_the_counts(shelf):
    table = opened("ratios", lang="en").table[0].value
    assert list(table.index) == ["solid", "gas", "water", "fashion"]
    assert list(table.iloc[:, 2]) == ["8.00", "0.062", "1.00", "1.00"]
    assert table.iloc[0, 0] == "8.0 × 10⁻³"


def test_the_russian_set_is_scored_when_asked(shelf):
    app = opened("analogies", lang="ru")
    app.button(key="score").click().run()
    assert not app.exception
    assert len(app.metric) == 3


def test_the_german_set_says_how_to_get_it(shelf, monkeypatch):
    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    app = opened("analogies", lang="de")
    assert "klyuch corpus get analogies-de" in said(app)


def test_a_language_without_models_says_so(shelf, monkeypatch):
    from app import resources

    monkeypatch.setattr(resources, "shelf", lambda: ())
    for page in PAGES:
        app = opened(page, lang="de")
        assert app.title
        assert "klyuch word2vec train" in app.info[0].value


def test_a_damaged_model_is_a_sentence(shelf, models, tmp_path, monkeypatch):
    import shutil

    from app import resources
    from embeddings.library import Entry

    shutil.copytree(models / "models" / "small-en-cbow", tmp_path / "broken")
    with (tmp_path / "broken" / "vectors.safetensors").open("ab") as file:
        file.write(b"x")
    entry = Entry("broken", "static", "cbow", "en", tmp_path / "broken")
    monkeypatch.setattr(resources, "shelf", lambda: (entry,))
    for page in PAGES[:2]:
        app = opened(page, lang="en")
        assert "is damaged" in app.info[0].value


def test_the_address_holds_what_differs_from_the_defaults(shelf):
    app = opened(lang="en", n=5, dim=3)
    app.slider(key="n").set_value(10).run()
    assert app.query_params["dim"] in ("3", ["3"])
    assert "n" not in app.query_params


def test_every_model_is_cited_with_its_checksum_and_version(shelf):
    from embeddings import __version__

    app = opened(lang="en")
    cited = next(code.value for code in app.code if "sha256" in code.value)
    lines = cited.splitlines()
    assert len(lines) == 3
    assert all(f"Klyuch {__version__}" in line and "vector_size 16" in line for line in lines)
