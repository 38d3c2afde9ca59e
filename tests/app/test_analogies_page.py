"""Analogies, headless: answers, formulas with a mistake, question sets."""

import pytest

from app.widgets.outputs import plain
from app.wording import wording
from tests.app.conftest import ROYAL
from tests.app.visits import LANGUAGES, QUEEN, open_page, page_text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", ["add", "mul"])
def test_the_planted_analogy_is_answered(small_shelf, language, rule):
    app = open_page("analogies", lang=language, rule=rule)
    assert QUEEN[language] in app.subheader[0].value


def test_inputs_answer_when_let(small_shelf):
    app = open_page("analogies", lang="en", formula="king + man", inputs=1)
    tables = [frame.value for frame in app.dataframe]
    assert {"king", "man"} & set(tables[0].iloc[:, 2])
    assert wording("en")("analogies.included") in page_text(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_formula_shows_where(small_shelf, language):
    app = open_page("analogies", lang=language, text="en", formula="king - (man + woman)")
    assert "8" in app.info[0].value
    assert "       ^" in app.code[0].value


def test_the_russian_set_is_scored_when_asked(small_shelf):
    app = open_page("analogies", lang="ru")
    app.button(key="score").click().run()
    assert not app.exception
    assert len(app.metric) == 3


def test_the_german_set_says_how_to_get_it(small_shelf, monkeypatch):
    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    app = open_page("analogies", lang="de")
    assert "klyuch corpus get analogies-de" in page_text(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_proportion_is_answered_and_its_fourth_word_ranked(small_shelf, language):
    king, man, woman, queen = ROYAL[language]
    app = open_page("analogies", lang=language, formula=f"{king} : {man} :: {queen} : {woman}")
    assert woman in app.subheader[0].value
    assert wording(language)("analogies.rank", word=woman) in page_text(app)
    assert [metric.value for metric in app.metric] == ["1", "1", "1"]


def test_the_rank_of_the_expected_word_stands_for_every_model(small_shelf):
    app = open_page("analogies", lang="en", expected="queen")
    assert [metric.value for metric in app.metric] == ["1", "1", "1"]
    app = open_page("analogies", lang="en", expected="king")
    assert [metric.value for metric in app.metric] == ["–", "–", "–"]
    assert wording("en")("analogies.rank_none") in page_text(app)
    app = open_page("analogies", lang="en", expected="qeen")
    assert not app.metric
    next(button for button in app.button if button.label == "queen").click().run()
    assert [metric.value for metric in app.metric] == ["1", "1", "1"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_proportion_is_refused(small_shelf, language):
    app = open_page("analogies", lang=language, text="en", formula="king :: queen")
    assert "king \\:\\: queen" in app.info[0].value


def test_forms_of_a_formula_s_words_are_no_answers_unless_a_form_is_asked_for(small_shelf):
    say = wording("en")
    assert say("analogies.folded") in page_text(open_page("analogies", lang="en"))
    off = page_text(open_page("analogies", lang="en", analogies_fold=0))
    assert say("analogies.folded") not in off
    asked = page_text(open_page("analogies", lang="en", formula="kings - king + queen"))
    assert say("analogies.asks_form") in asked
    assert say("analogies.folded") not in asked


def test_the_shipped_russian_models_give_no_form_of_king():
    from embeddings.analysis.analogies import solve
    from embeddings.shelf import load_vectors
    from embeddings.text.lemmas import lemma

    for model in ("ru-skipgram", "ru-cbow", "ru-glove"):
        answers = solve(
            load_vectors(model), "король - мужчина + женщина", fold=lambda w: lemma(w, "ru")
        ).answers
        assert all(lemma(near.word, "ru") != "король" for near in answers)


QUESTIONS = b": family\nking man queen woman\nking man queen dog\n: other\nking man absent woman\n"


def test_questions_of_one_s_own_are_scored_with_the_counts_of_each_category(small_shelf):
    app = open_page("analogies", lang="en", questions="own", models="small-en-cbow")
    assert not any(button.key == "score" for button in app.button)
    app.file_uploader(key="questions-file").set_value(("mine.txt", QUESTIONS, "text/plain")).run()
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["50.0 %"]  # one of the two that are covered
    chart = next(
        c.proto.figure.spec if hasattr(c.proto, "figure") else c.proto.spec
        for c in app.get("plotly_chart")
        if "family" in str(c.proto)
    )
    assert "family (2 of 2)" in chart
    assert "other (0 of 1)" not in chart  # nothing answered: no dot, no line


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"king man queen\n", "mine.txt"), (b"\xff\xfe\x00", "mine.txt"), (b"", "mine.txt")],
)
def test_a_file_that_holds_no_questions_is_a_sentence(small_shelf, content, sentence):
    app = open_page("analogies", lang="en", questions="own", models="small-en-cbow")
    app.file_uploader(key="questions-file").set_value(("mine.txt", content, "text/plain")).run()
    app.button(key="score").click().run()
    assert sentence in app.info[-1].value
    assert not app.metric


def test_a_file_of_questions_past_the_bound_is_not_read(small_shelf, monkeypatch):
    from app.views.analogies import question_set

    monkeypatch.setattr(question_set, "MAX_SIZE", 20)
    app = open_page("analogies", lang="en", questions="own", models="small-en-cbow")
    app.file_uploader(key="questions-file").set_value(("mine.txt", QUESTIONS, "text/plain")).run()
    assert "«mine.txt»" in app.info[-1].value
    assert not any(button.key == "score" for button in app.button)


def test_the_german_set_is_one_click_away(small_shelf, tmp_path, monkeypatch):
    from app.views.analogies import question_set

    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    fetched = []

    def bring(entry, folder, **_):
        fetched.append(entry.name)
        (folder / entry.name).mkdir(parents=True)
        for file in entry.files:
            line = "könig mann königin frau\n"
            (folder / entry.name / file.name).write_text(line, encoding="utf-8")

    monkeypatch.setattr(question_set, "fetch", bring)
    app = open_page("analogies", lang="de")
    app.button(key="get-set").click().run()
    assert fetched == ["analogies-de"]
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["100,0 %"] * 3


def test_a_download_that_fails_says_why(small_shelf, tmp_path, monkeypatch):
    from app.views.analogies import question_set
    from embeddings.errors import InputError

    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))

    def fail(*_, **__):
        raise InputError("formula_empty")

    monkeypatch.setattr(question_set, "fetch", fail)
    app = open_page("analogies", lang="de")
    app.button(key="get-set").click().run()
    assert plain(wording("de")("errors.formula_empty")) in page_text(app)
