"""Analogies, headless: answers, formulas with a mistake, question sets."""

import pytest

from app.loaders import evaluation_scores
from app.views.analogies import analogy_views
from app.widgets import model_answers
from app.widgets.outputs import plain
from app.wording import wording
from tests.app.conftest import ROYAL
from tests.app.visits import LANGUAGES, QUEEN, in_turn, open_page, page_text


@pytest.mark.parametrize(("language", "rule"), [("ru", "add"), ("de", "mul")])
def test_the_planted_analogy_is_answered(small_shelf, language, rule):
    app = open_page("analogies", lang=language, rule=rule)
    assert QUEEN[language] in app.subheader[0].value


def test_inputs_answer_when_let(small_shelf):
    app = open_page("analogies", lang="en", formula="king + man", inputs=1)
    answers = {cell.split()[0] for cell in app.dataframe[0].value.to_numpy().ravel().tolist()}
    assert answers & {"king", "man"}
    assert wording("en")("analogies.included") in page_text(app)


def test_a_bad_formula_shows_where(small_shelf):
    language = "de"
    app = open_page("analogies", lang=language, text="en", formula="king - (man + woman)")
    assert "8" in app.info[0].value
    assert "       ^" in app.code[0].value


def test_the_russian_set_is_scored_when_asked(small_shelf):
    app = open_page("analogies", view="sets", lang="ru")
    app.button(key="score").click().run()
    assert not app.exception
    assert len(app.metric) == 3


def test_the_german_set_says_how_to_get_it(small_shelf, monkeypatch):
    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    app = open_page("analogies", view="sets", lang="de")
    assert "klyuch corpus get analogies-de" in page_text(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_proportion_is_answered_and_its_fourth_word_ranked(small_shelf, language):
    king, man, woman, queen = ROYAL[language]
    app = open_page("analogies", lang=language, formula=f"{king} : {man} :: {queen} : {woman}")
    assert woman in app.subheader[0].value
    assert rank_of(wording(language), woman, 1, language) in page_text(app)


def rank_of(say, word, rank, language):
    """The sentence that gives a word the same rank in all small models."""
    models = say.list(f"small-{language}-{method}" for method in ("skipgram", "cbow", "glove"))
    place = say("analogies.rank_in", rank=rank, models=plain(models))
    return f"{say('analogies.rank', word=word)} {place}."


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rank_of_the_expected_word_is_a_sentence_on_every_model(small_shelf, language):
    say, (king, _, _, queen) = wording(language), ROYAL[language]
    app = open_page("analogies", lang=language, expected=queen)
    assert rank_of(say, queen, 1, language) in page_text(app)
    app = open_page("analogies", lang=language, expected=king)
    assert say("analogies.rank_none", word=king) in page_text(app)
    app = open_page("analogies", lang=language, expected=queen[:-1])
    next(button for button in app.button if button.label == queen).click().run()
    assert rank_of(say, queen, 1, language) in page_text(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdict_says_the_answer_by_how_much_it_leads_and_which_input_would_come_first(
    small_shelf, language
):
    from embeddings.analysis.analogies import solve
    from embeddings.shelf import load_vectors
    from embeddings.text.lemmas import lemma

    def fold(word):
        return lemma(word, language)

    king, man, woman, queen = ROYAL[language]
    say, formula = wording(language), f"{king} - {man} + {woman}"
    leads, first = [], {}
    for entry in small_shelf:
        if entry.language == language:
            vectors = load_vectors(entry.path)
            one, two, *_ = solve(vectors, formula, fold=fold).answers
            leads.append(one.similarity - two.similarity)
            nearest = solve(vectors, formula, include_inputs=True, fold=fold).answers[0].word
            first.setdefault(nearest, []).append(entry.name)
    app = open_page("analogies", lang=language, formula=formula)
    verdict = next(m.value for m in app.markdown if f"**{queen}**" in m.value)
    assert say.number(min(leads), 2) in verdict
    for word in first.keys() & {king, man, woman}:
        assert f"*{word}*" in verdict


@pytest.mark.parametrize(("view", "language"), in_turn(["answer", "steps", "reliability", "sets"]))
def test_each_view_opens_in_each_language_and_draws_nothing_of_the_others(
    small_shelf, language, view
):
    app = open_page("analogies", lang=language, view=view)
    charts = str([chart.proto for chart in app.get("plotly_chart")])
    marks = {"answer": "klyuch-plane", "steps": "klyuch-step-0"}
    assert [name for name in marks.values() if name in charts] == [
        mark for name, mark in marks.items() if name == view
    ]
    unmeasured = wording(language)("analogies.unmeasured") in [info.value for info in app.info]
    assert unmeasured == (view == "reliability")
    assert any(button.key in ("score", "get-set") for button in app.button) == (view == "sets")
    assert bool([e for e in app.segmented_control if e.key == "questions"]) == (view == "sets")


def test_an_address_without_a_view_that_asks_for_own_questions_opens_the_test_set(small_shelf):
    app = open_page("analogies", lang="en", questions="own")
    assert app.segmented_control(key="view").value == "sets"


def test_what_is_no_proportion_is_refused(small_shelf):
    language = "ru"
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


def test_a_set_is_scored_with_the_counts_of_each_category(small_shelf, tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_bytes(QUESTIONS)
    monkeypatch.setattr(evaluation_scores, "analogy_set", lambda _: (tmp_path / "mine.txt",))
    app = open_page("analogies", view="sets", lang="en", models="small-en-cbow")
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["50.0 %"]  # one of the two that are covered
    (chart,) = (c.proto.spec for c in app.get("plotly_chart"))
    assert "family (2 of 2)" in chart
    assert "other (0 of 1)" not in chart  # nothing answered: no dot, no line


def bring_questions(content):
    """Open the test sets and bring a file of questions."""
    app = open_page("analogies", view="sets", lang="en", questions="own", models="small-en-cbow")
    assert not any(button.key == "score" for button in app.button)
    return (
        app.file_uploader(key="questions-file").set_value(("mine.txt", content, "text/plain")).run()
    )


def test_questions_of_one_s_own_are_scored(small_shelf):
    app = bring_questions(QUESTIONS)
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["50.0 %"]


@pytest.mark.parametrize("content", [b"king man queen\n", b"\xff\xfe\x00", b""])
def test_a_file_that_holds_no_questions_gives_an_error_message(small_shelf, content):
    app = bring_questions(content)
    app.button(key="score").click().run()
    assert "questions.txt" in app.info[-1].value
    assert "klyuch-questions" not in app.info[-1].value
    assert not app.metric


def test_a_file_of_questions_that_is_too_large_is_not_read(small_shelf, monkeypatch):
    monkeypatch.setattr(analogy_views, "MAX_SIZE", 20)
    app = bring_questions(QUESTIONS)
    assert "“mine.txt”" in app.info[-1].value
    assert not any(button.key == "score" for button in app.button)


def test_the_german_set_is_one_click_away(small_shelf, tmp_path, monkeypatch):

    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    fetched = []

    def bring(entry, folder, **_):
        fetched.append(entry.name)
        (folder / entry.name).mkdir(parents=True)
        for file in entry.files:
            line = "könig mann königin frau\n"
            (folder / entry.name / file.name).write_text(line, encoding="utf-8")

    monkeypatch.setattr(model_answers, "fetch", bring)
    app = open_page("analogies", view="sets", lang="de")
    app.button(key="get-set").click().run()
    assert fetched == ["analogies-de"]
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["100,0 %"] * 3


def test_a_download_that_fails_says_why(small_shelf, tmp_path, monkeypatch):
    from embeddings.errors import InputError

    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))

    def fail(*_, **__):
        raise InputError("formula_empty")

    monkeypatch.setattr(model_answers, "fetch", fail)
    app = open_page("analogies", view="sets", lang="de")
    app.button(key="get-set").click().run()
    assert plain(wording("de")("errors.formula_empty")) in page_text(app)
