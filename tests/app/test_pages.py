"""Every page in three languages, headless, on small models."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.wording import wording

MAIN = str(Path(__file__).resolve().parents[2] / "app/main.py")
PAGES = ("explore", "analogies", "ratios")
LANGUAGES = ("en", "ru", "de")
FRAME = ("lang", "text", "models")
QUEEN = {"en": "queen", "ru": "королева", "de": "königin"}


def opened(page="explore", **address):
    """The page as a link opens it."""
    app = AppTest.from_file(MAIN, default_timeout=60)
    first = address if page == "explore" else {n: address[n] for n in FRAME if n in address}
    app.query_params.update({name: str(value) for name, value in first.items()})
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
    assert list(table.iloc[:, 2]) == ["8.0", "1.0", "1.0", "1.0"]
    assert list(table.iloc[:, 4]) == ["8.00", "0.062", "1.00", "1.00"]
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


def value(app, name):
    """A parameter of the address."""
    found = app.query_params[name]
    return found[0] if isinstance(found, list) else found


@pytest.mark.parametrize("wrong", ["king - man + womann", "king - (man", ""])
def test_a_link_that_stops_the_page_can_be_corrected(shelf, wrong):
    app = opened("analogies", lang="en", formula=wrong)
    assert not app.subheader
    assert value(app, "formula") == wrong
    app.text_input(key="formula").set_value("king - man + woman").run()
    assert "queen" in app.subheader[0].value
    assert "formula" not in app.query_params  # the first example is the default
    app.text_input(key="formula").set_value(wrong).run()
    assert value(app, "formula") == wrong
    app.segmented_control(key="lang").set_value("de").run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert app.text_input(key="formula").value == wrong


def test_a_suggestion_replaces_the_unknown_word_of_a_link(shelf):
    app = opened("analogies", lang="en", formula="king - man + womann")
    next(b for b in app.button if b.label == "woman").click().run()
    assert app.text_input(key="formula").value == "king - man + woman"
    assert "queen" in app.subheader[0].value


def test_a_click_that_still_brings_the_address_before_is_no_link(shelf):
    app = opened("analogies", lang="en", formula="king - man + womann")
    app.segmented_control(key="lang").set_value("de").run()
    app.query_params["lang"] = "en"  # the browser had not heard of the new address yet
    next(b for b in app.button if b.label == "woman").click().run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert "queen" in app.subheader[0].value


def test_a_second_fast_click_is_no_link_to_what_the_first_one_wrote(shelf, monkeypatch):
    from app.widgets import address

    app = opened(lang="en")
    app.slider(key="n").set_value(5).run()
    app.slider(key="n").set_value(6).run()
    monkeypatch.setattr(address, "LATE", 0)  # however slow the machine is
    app.query_params["n"] = "5"  # the browser has heard of the first answer alone
    app.slider(key="n").set_value(7).run()
    assert app.slider(key="n").value == 7
    assert value(app, "n") == "7"


def test_going_back_is_a_link_again(shelf, monkeypatch):
    from app.widgets import address

    app = opened(lang="en")
    app.slider(key="n").set_value(5).run()
    app.slider(key="n").set_value(6).run()
    monkeypatch.setattr(address, "LATE", 0)
    app.query_params["n"] = "5"
    app.run()
    assert app.slider(key="n").value == 5
    assert value(app, "n") == "5"


def test_ratios_with_a_mistake_reach_the_address(shelf):
    app = opened("ratios", lang="en")
    app.text_input(key="two").set_value("ice").run()
    assert value(app, "two") == "ice"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_of_common_words_does_not_say_that_its_corpus_lacks_one(
    shelf, monkeypatch, language
):
    from app import resources

    for entry in shelf:
        monkeypatch.setattr(resources.vectors(entry), "is_table", True)
        monkeypatch.setattr(resources.vectors(entry), "seen", lambda _: 0)
    say = wording(language)
    one = said(opened(lang=language, text="en", word="zyxw"))
    assert {"en": "holds the commonest", "ru": "самые частые", "de": "häufigsten"}[language] in one
    many = said(opened(lang=language, text="en", word="wolf, dog, zyxw"))
    assert say("unknown.table") in many
    assert say("unknown.never") not in one + many


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_address_always_names_the_languages(shelf, language):
    app = opened(lang=language)
    assert (value(app, "lang"), value(app, "text")) == (language, language)
    assert "word" not in app.query_params


def test_the_last_model_cannot_be_deselected(shelf):
    app = opened(lang="en", models="small-en-glove")
    app.button_group(key="models").set_value([]).run()
    assert app.button_group(key="models").value == ["small-en-glove"]
    assert value(app, "models") == "small-en-glove"


@pytest.mark.parametrize(
    ("asked", "then"), [("Berlin", "Berlin"), ("wolf, Paris", "wolf, Paris"), ("justice", "Musik")]
)
def test_a_word_stays_if_the_models_of_the_new_language_know_it(shelf, asked, then):
    app = opened(lang="en", word=asked)
    app.segmented_control(key="text").set_value("de").run()
    assert not app.exception
    assert app.text_input(key="word").value == then


def test_every_model_is_cited_with_its_checksum_and_version(shelf):
    from embeddings import __version__

    app = opened(lang="en")
    cited = next(code.value for code in app.code if "sha256" in code.value)
    lines = cited.splitlines()
    assert len(lines) == 3
    assert all(f"Klyuch {__version__}" in line and "vector_size 16" in line for line in lines)


def test_a_word_without_counts_is_refused_as_such_and_the_nearest_with_counts_are_offered(
    shelf, monkeypatch
):
    from app import resources
    from embeddings.vectors.cooccurrence_table import CooccurrenceTable

    entry = next(entry for entry in shelf if entry.name == "small-en-glove")
    whole = resources.cooccurrence(entry)
    keep = [whole.words.index(word) for word in ("ice", "steam", "solid", "king", "queen")]
    table = CooccurrenceTable(
        tuple(whole.words[k] for k in keep), whole.counts[keep][:, keep], whole.sums[keep],
        whole.words_matrix[keep], whole.context_matrix[keep], whole.word_bias[keep],
        whole.context_bias[keep],
    )  # fmt: skip
    monkeypatch.setattr(resources, "cooccurrence", lambda _: table)
    say = wording("en")
    app = opened("ratios", lang="en", two="ice, man", probes="solid")
    assert "is not among the 5 content words whose counts" in app.info[0].value
    assert say("unknown.why") not in said(app)
    assert say("unknown.never") not in said(app)
    assert say("ratios.nearest") in said(app)
    vectors = resources.vectors(entry)
    by_hand = sorted(table.words, key=lambda w: -float(vectors.unit_rows([vectors.row("man")])[0]
                     @ vectors.unit_rows([vectors.row(w)])[0]))[:3]  # fmt: skip
    offered = [b.label for b in app.button if str(b.key).startswith("instead-ratios")]
    assert offered == by_hand
    unknown = opened("ratios", lang="en", two="ice, steem", probes="solid")
    assert "steam" in [b.label for b in unknown.button]
    assert say("ratios.nearest") not in said(unknown)


def test_the_csv_of_ratios_keeps_the_source_and_the_counts(shelf, monkeypatch):
    from app.widgets import outputs

    kept = {}
    monkeypatch.setattr(outputs, "csv", lambda _, rows, key: kept.update({key: rows}))
    opened("ratios", lang="en")
    rows = kept["ratios"].set_index("k")
    assert rows.loc["solid", wording("en")("ratios.source")] == 8.9
    assert list(rows.loc["gas", ["X(ice, k)", "X(steam, k)"]]) == [1, 16]


def test_ratios_tell_what_rests_on_little_text():
    from app.views.sections.ratio_table import evidence
    from embeddings.results import Ratio, Ratios

    say, inf = wording("en"), float("inf")
    rows = (
        Ratio("gas", 0.1, 0.2, 0.5, 0.5, 50.0, 60.0),
        Ratio("solid", 0.1, 0.01, 10.0, 2.0, 12.0, 0.4),
        Ratio("fashion", 0.1, 0.0, inf, 1.0, 0.5, 0.0),
        Ratio("moon", 0.0, 0.0, float("nan"), 1.0, 0.0, 0.0),
    )
    lines = evidence(say, Ratios("ice", "steam", rows), {"fashion": 0.96})
    assert lines == [
        say("ratios.never_source", k="fashion", word="steam", ratio="0.96"),
        say("ratios.never", k="moon", word="ice, steam"),
        say("ratios.few", words="solid", least=5),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_left_out_word_of_a_list_is_explained_with_close_spellings(shelf, language):
    wrong = {"en": "musik", "ru": "музика", "de": "musick"}[language]
    right = {"en": "music", "ru": "музыка", "de": "musik"}[language]
    known = QUEEN[language]
    app = opened(lang=language, word=f"{known}, {wrong}")
    assert f"«{wrong}»: {wording(language)('unknown.why')}" in said(app)
    button = next(b for b in app.button if str(b.key).startswith("instead-list"))
    assert button.label == right
    button.click().run()
    assert app.text_input(key="word").value == f"{known}, {right}"
    assert f"«{wrong}»" not in said(app)


def test_a_matrix_cut_short_says_so_and_comes_as_csv(shelf, monkeypatch):
    from app.views.sections import listed

    monkeypatch.setattr(listed, "CELLS", 2)
    say = wording("en")
    cut = opened(lang="en", word="king, queen, man")
    assert say("listed.cut", shown=2, known=3) in said(cut)
    assert "csv-matrix" in str([b.proto for b in cut.get("download_button")])
    monkeypatch.setattr(listed, "CELLS", 3)
    assert "Shown are the first" not in said(opened(lang="en", word="king, queen, man"))


def test_folding_names_the_forms_of_the_asked_word():
    import numpy as np

    from app import resources
    from app.views.sections.neighbours import _own_forms
    from embeddings.results import Neighbour
    from embeddings.vectors.table import Vectors

    matrix = np.array([[1, 0], [1, 0.1], [1, 0.2], [1, 0.5], [1, 3]], np.float32)
    table = Vectors(["key", "keys", "lock", "door", "keyed"], matrix)
    shown = tuple(
        Neighbour(word, float(table.unit_rows([0])[0] @ table.unit_rows([table.row(word)])[0]), 0)
        for word in ("lock", "door")
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "vectors", lambda _: table)
        assert _own_forms("key", {"model": shown}, "en") == ("keys",)


@pytest.mark.parametrize(
    ("text", "became"),
    [
        ("king - mna + mnafoo", "king - man + mnafoo"),
        ("king -mna + 2*mna", "king -man + 2*man"),
        ("'mna' + mna's", "'man' + mna's"),
        ("foomna + mna", "foomna + man"),
    ],
)
def test_a_suggestion_replaces_whole_words_only(text, became):
    from app.widgets.inputs import replaced
    from embeddings.errors import UnknownWordError

    assert replaced("formula", text, UnknownWordError("mna", 9))("man") == {"formula": became}
