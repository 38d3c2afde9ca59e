"""Analogies, headless: answers, formulas with a mistake, question sets."""

from functools import partial

from app.views.analogies import analogy_views
from app.widgets.outputs import plain
from app.wording import wording
from embeddings.analysis.analogies import solve
from embeddings.shelf import installed_sets, load_vectors
from embeddings.text.lemmas import lemma
from tests.app.conftest import METHODS, ROYAL
from tests.app.visits import QUEEN, open_page, page_text


def test_the_planted_analogy_is_answered_by_the_other_rule(small_shelf):
    app = open_page("analogies", lang="de", rule="mul")
    assert QUEEN["de"] in app.subheader[0].value


def test_inputs_answer_when_let(small_shelf):
    app = open_page("analogies", lang="en", formula="king + man", inputs=1)
    answers = {cell.split()[1] for cell in app.dataframe[0].value.to_numpy().ravel().tolist()}
    assert answers & {"king", "man"}
    assert wording("en")("analogies.included") in page_text(app)


def test_a_step_is_listed_for_every_part_of_the_formula(small_shelf):
    king, man, woman, queen = ROYAL["en"]
    app = open_page("analogies", lang="en", view="steps", formula=f"{king} - {man} + {woman}")
    lists = [table.value for table in app.dataframe]
    assert [list(rows) for rows in lists] == [
        [king],
        [f"{king} - {man}"],
        [f"{king} - {man} + {woman}"],
    ]
    assert lists[-1].iloc[0, 0].split()[0] == queen


def test_a_bad_formula_shows_where(small_shelf):
    app = open_page("analogies", lang="de", text="en", formula="king - (man + woman)")
    assert "8" in app.info[0].value
    assert "       ^" in app.code[0].value
    app.text_input(key="formula").set_value("king :: queen").run()  # no proportion
    assert "king \\:\\: queen" in app.info[0].value


def rank_of(say, word, rank):
    """The sentence that gives a word the same rank in all small models of a language."""
    models = say.list(f"small-{say.language}-{method}" for method in METHODS)
    place = say("analogies.rank_in", rank=rank, models=plain(models))
    return f"{say('analogies.rank', word=word)} {place}."


def test_the_rank_of_the_expected_word_is_a_sentence_on_every_model(small_shelf):
    say, (king, man, woman, queen) = wording("ru"), ROYAL["ru"]
    app = open_page("analogies", lang="ru", expected=queen)
    assert rank_of(say, queen, 1) in page_text(app)
    app.text_input(key="expected").set_value(king).run()
    assert say("analogies.rank_none", word=king) in page_text(app)
    app.text_input(key="expected").set_value(queen[:-1]).run()
    next(button for button in app.button if button.label == queen).click().run()
    assert rank_of(say, queen, 1) in page_text(app)
    app.text_input(key="expected").set_value("")
    app.text_input(key="formula").set_value(f"{king} : {man} :: {queen} : {woman}").run()
    assert woman in app.subheader[0].value
    assert rank_of(say, woman, 1) in page_text(app)  # the fourth word of a proportion


def test_the_verdict_says_the_answer_by_how_much_it_leads_and_which_input_would_come_first(
    small_shelf,
):
    king, man, woman, queen = ROYAL["ru"]
    formula, fold = f"{king} - {man} + {woman}", partial(lemma, language="ru")
    leads, first = [], {}
    for entry in small_shelf:
        if entry.language == "ru":
            vectors = load_vectors(entry.path)
            one, two, *_ = solve(vectors, formula, fold=fold).answers
            leads.append(one.similarity - two.similarity)
            nearest = solve(vectors, formula, include_inputs=True, fold=fold).answers[0].word
            first.setdefault(nearest, []).append(entry.name)
    app = open_page("analogies", lang="ru", formula=formula)
    assert queen in app.subheader[0].value
    verdict = next(m.value for m in app.markdown if f"**{queen}**" in m.value)
    assert wording("ru").number(min(leads), 2) in verdict
    for word in first.keys() & {king, man, woman}:
        assert f"*{word}*" in verdict


def test_forms_of_a_formula_s_words_are_no_answers_unless_a_form_is_asked_for(small_shelf):
    say, app = wording("en"), open_page("analogies", lang="en")
    assert say("analogies.folded") in page_text(app)
    app.text_input(key="formula").set_value("kings - king + queen").run()
    assert say("analogies.asks_form") in page_text(app)
    assert say("analogies.folded") not in page_text(app)
    off = page_text(open_page("analogies", lang="en", analogies_fold=0))
    assert say("analogies.folded") not in off


def test_the_shipped_russian_models_give_no_form_of_king():
    fold = partial(lemma, language="ru")
    for model in ("ru-skipgram", "ru-cbow", "ru-glove"):
        answers = solve(load_vectors(model), "король - мужчина + женщина", fold=fold).answers
        assert all(fold(near.word) != "король" for near in answers)


QUESTIONS = b": family\nking man queen woman\nking man queen dog\n: other\nking man absent woman\n"


def test_a_set_is_scored_with_the_counts_of_each_category(small_shelf, tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_bytes(QUESTIONS)
    monkeypatch.setattr(installed_sets, "analogy_set", lambda _: (tmp_path / "mine.txt",))
    app = open_page("analogies", view="sets", lang="en", models="small-en-cbow")
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["50.0 %"]  # one of the two that are covered
    (chart,) = (c.proto.spec for c in app.get("plotly_chart"))
    assert "family (2 of 2)" in chart
    assert "other (0 of 1)" not in chart  # nothing answered: no dot, no line


def test_questions_of_one_s_own_are_scored_and_other_files_give_an_error_message(
    small_shelf, monkeypatch
):
    app = open_page("analogies", view="sets", lang="en", questions="own", models="small-en-cbow")
    assert not any(button.key == "score" for button in app.button)

    def bring(content):
        file = ("mine.txt", content, "text/plain")
        app.file_uploader(key="questions-file").set_value(file).run()

    bring(QUESTIONS)
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["50.0 %"]
    for content in (b"king man queen\n", b"\xff\xfe\x00", b""):  # no questions
        bring(content)
        app.button(key="score").click().run()
        assert "questions.txt" in app.info[-1].value
        assert "klyuch-questions" not in app.info[-1].value
        assert not app.metric
    monkeypatch.setattr(analogy_views, "MAX_SIZE", 20)
    bring(QUESTIONS)
    assert "“mine.txt”" in app.info[-1].value
    assert not any(button.key == "score" for button in app.button)


def test_the_german_set_is_one_click_away_and_a_download_that_fails_says_why(
    small_shelf, own_home, downloads
):
    texts = iter([None, "könig mann königin frau\n"])
    tried = downloads(lambda _: next(texts))
    app = open_page("analogies", view="sets", lang="de")
    assert "klyuch corpus get analogies-de" in page_text(app)
    app.button(key="get-set").click().run()
    assert plain(wording("de")("errors.formula_empty")) in page_text(app)
    app.button(key="get-set").click().run()
    assert tried == ["analogies-de"] * 2
    app.button(key="score").click().run()
    assert [metric.value for metric in app.metric] == ["100,0 %"] * 3
