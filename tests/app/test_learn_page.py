"""The page Learn: every step of every lesson on the models that ship, with a right and a wrong guess, in three languages."""

import re
from functools import partial
from html import escape, unescape

import numpy as np
import pytest

from app import shelf_models
from app.views.learn import lesson_files
from app.views.learn.lesson_pages import BY_NAME, LESSONS
from app.views.learn.lesson_step import Choice, binned, ranked, verdict
from app.widgets.frame import PageState
from app.wording import LANGUAGES, lesson_examples, wording
from embeddings import shelf
from tests.app import visits

open_page = partial(visits.open_page, "learn")
WRONG = ":material/lightbulb:"
SHOWN = ("plotly_chart", "arrow_data_frame", "table", "bidi_component")  # by a part of a page
STEPS = [(lesson.name, step) for lesson in LESSONS for step in range(1, len(lesson.steps) + 1)]


def open_step(language, lesson, step, *guesses):
    """A step as a link opens it, with the guesses so far; 0 is none."""
    address = {"lang": language, "text": language, "learn_lesson": lesson, "learn_step": step}
    so_far = [0] * (step - len(guesses)) + list(guesses)
    return open_page(**address, learn_guesses=",".join(map(str, so_far)))


def turns():
    """Each step in one of the languages, with a right or a wrong guess, in turn; the gallery's lessons are walked in each."""
    for number, (lesson, step) in enumerate(STEPS):
        yield list(LANGUAGES)[number % 3], lesson, step, bool(number // 3 % 2)


@pytest.mark.parametrize(("language", "lesson", "step", "is_right"), list(turns()))
def test_a_step_says_whether_a_guess_is_right_and_shows_the_answer_on_a_part_of_a_page(
    language, lesson, step, is_right
):
    choice = BY_NAME[lesson].steps[step - 1](page_in(language)).choice
    guess = choice.right if is_right else (choice.right + 1) % len(choice.options)
    app = open_step(language, lesson, step, guess + 1)
    assert bool(app.success) == is_right
    wrong = [warning for warning in app.warning if warning.icon == WRONG]  # pages warn of their own
    assert bool(wrong) != is_right
    assert not app.error
    assert [kind for kind in SHOWN if app.get(kind)]
    assert app.get("page_link")
    shown = (*app.title, *app.markdown, *app.success, *app.warning, *app.info)
    texts = "".join(str(text.value) for text in shown)
    assert "{" not in re.sub(r":color\[.\]\{[^}]*\}", "", texts)  # the dots of cards
    assert app.button(key="learn-next")


def test_nothing_of_the_answer_is_on_the_page_before_the_guess():
    app = open_step("en", "near", 1)
    assert app.title[0].value == "What is near?"
    options = [each.label for each in app.button if str(each.key).startswith("learn-guess-")]
    assert options == lesson_examples("en")["near"].split(" | ")[1:]
    assert not app.get("plotly_chart")
    assert "cosine 0" not in visits.page_text(app)
    assert not [each for each in app.button if each.key == "learn-next"]
    app.button(key="learn-guess-1-0").click().run()
    # points at what is drawn
    assert wording("en").get("learn_near.1_screen") in visits.page_text(app)
    app.button(key="learn-again").click().run()  # a guess can be taken back
    assert visits.value(app, "learn_guesses") == "0"
    assert not app.success
    assert not app.warning


def test_the_nearest_word_is_the_one_of_the_largest_cosine_by_hand():
    vectors = shelf.load_vectors("en-skipgram")
    word, *options = lesson_examples("en")["near"].split(" | ")
    rows = np.array([vectors[each] for each in (word, *options)], dtype=np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows[1:] @ rows[0]
    best = int(cosines.argmax())
    right = open_step("en", "near", 1, best + 1)
    assert right.success[0].value == f"Right: {options[best]}."
    assert f"cosine {cosines[best]:.2f}" in visits.page_text(right)
    worst = int(cosines.argmin())
    wrong = open_step("en", "near", 1, worst + 1)
    assert f"{options[worst]}, rank {len(options)} of {len(options)}" in wrong.warning[0].value


def page_in(language):
    """The state of the page in a language."""
    return PageState(wording(language), language, (), (), name="learn")


LINKS = [turn[:3] for turn in turns()] + [(language, "near", 3) for language in ("en", "ru")]


def test_coverage_is_counted_over_all_questions():
    score = shelf.read_card(shelf.find("de-skipgram"))["scores"]["syntactic.questions"]
    of_all = 100 * score["accuracy"] * score["covered"] / score["total"]
    app = open_step("de", "numbers", 1, 1)
    assert f"{of_all:.1f} %".replace(".", ",") in visits.page_text(app)


def test_a_lesson_is_walked_from_the_overview_to_its_summary_and_the_address_holds_where_one_is():
    app = open_page(lang="en", text="en")
    app.button(key="learn-open-near").click().run()
    correct = 0
    for step in range(1, 5):
        assert visits.value(app, "learn_step") == str(step)
        app.button(key=f"learn-guess-{step}-0").click().run()
        correct += bool(app.success)
        app.button(key="learn-next").click().run()
    assert visits.value(app, "learn_guesses") == "1,1,1,1"
    assert visits.value(app, "learn_done") == "near"
    assert wording("en")("learn.score", correct=correct, total=4) in visits.page_text(app)
    app.button(key="learn-all").click().run()
    assert ":material/check_circle:" in app.subheader[0].value


def test_a_link_to_a_lesson_or_step_that_is_not_there_opens_what_is():
    app = open_page(lang="en", learn_lesson="alchemy", learn_step=99, learn_guesses="9,x")
    assert app.title[0].value == wording("en")("learn.title")
    app = open_page(lang="en", learn_lesson="near", learn_step=99)
    assert app.title[0].value == "What is near?"


def test_a_lesson_without_its_model_says_so(small_shelf, monkeypatch):
    monkeypatch.setattr(shelf_models, "static_models", lambda: ())
    app = open_step("de", "near", 1)
    assert wording("de")("learn.no_model", language="Deutsch") in visits.page_text(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lesson_is_a_sheet_with_answers_or_a_file_that_hides_them_until_a_guess(language):
    page, lesson = page_in(language), BY_NAME["ratios"]
    text = lesson_files.sheet(page, lesson)
    assert text.count('<li class="right">') == 4
    assert text.count("<section") == 6
    assert f'lang="{language}"' in text
    body = text.partition("<body>")[2].partition("<script")[0]
    assert not re.search(r"https?:|src=|<link|hidden|\*\*|\{", body)
    text = lesson_files.sheet(page, lesson, has_answers=False)
    shown = re.sub(r'<div class="solved" hidden>.*?</div>|<(p|section)[^>]* hidden>.*?</\1>|<p hidden>.*?</p>', "", text)  # fmt: skip
    assert shown.count(page.say("learn.sheet_reason")) == 4
    for step in lesson.steps:
        choice = step(page).choice
        assert all(f">{escape(option)}</button>" in shown for option in choice.options)
        assert not any(value in shown for value in choice.measured if value)
        assert all(escape(value) in text for value in choice.measured)
    assert 'class="right"' not in shown.partition("<body>")[2].partition("<script")[0]
    assert lesson_files.markup(page.say("learn_ratios.remember"))[:30] not in shown


POINTING = re.compile(  # at what is on a page and not on paper
    r"\b(on the map|below|in the table|the table has|the bars|the tree shows|the list shows|in the drawing|filled dots)\b"
    r"|\b(auf der karte|unten|in der tabelle|die tabelle|die balken|der baum zeigt|die liste zeigt|in der zeichnung|gefüllte punkte)\b"
    r"|(на карте|внизу|ниже\b|в таблице|столбики|дерево показывает|в списке|на рисунке|закрашенные)",
    re.IGNORECASE,
)
BELOW_ZERO = re.compile(r"below 0|unter 0|ниже 0|am weitesten unten|ниже всего", re.IGNORECASE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_on_paper_points_at_a_picture_that_the_paper_lacks(language):
    say = wording(language)
    for lesson, step in STEPS:
        for part in ("ask", "means"):
            text = say.get(f"learn_{lesson}.{step}_{part}")
            paper = BELOW_ZERO.sub("", text).replace("Tabelle 1)", "").replace("table 1)", "")
            assert not POINTING.search(paper), (lesson, step, paper)


def test_a_value_on_the_bound_belongs_to_the_bin_above():
    options = ["a", "b", "c"]
    assert [binned(options, (2, 5), value).right for value in (1.9, 2, 4.9, 5)] == [0, 1, 1, 2]


def test_options_of_one_value_share_a_rank():
    values = {"a": 1, "b": 3, "c": 1}
    assert ranked(values, str).ranks == (2, 1, 2)
    assert ranked(values, str, smallest=True).ranks == (1, 3, 1)


@pytest.mark.parametrize(
    ("choice", "guess", "key"),
    [
        (Choice(("x", "y"), 1), 1, "right"),
        (Choice(("x", "y"), 1), 0, "wrong"),
        (Choice(("x", "y"), 1, is_scale=True), 0, "too_low"),
        (Choice(("x", "y"), 0, is_scale=True), 1, "too_high"),
        (Choice(("x", "y"), 0, ("1", "2"), (1, 2)), 1, "place"),
    ],
)
def test_a_verdict_says_in_what_a_guess_is_wrong(choice, guess, key):
    say, options = wording("en"), choice.options
    fields = {"guess": options[guess], "answer": options[choice.right], "place": 2, "of": 2}
    assert verdict(say, choice, guess) == say(f"learn.{key}", **fields)


def read_gift(text):
    """Questions of a GIFT file as Moodle reads them: blocks between empty lines, signs without a backslash."""
    read = []
    for block in re.split(r"\n\s*\n", text.strip())[1:]:
        title, ask, answers = re.fullmatch(
            r"::(.*?)(?<!\\)::\[html\](.*?)(?<!\\)\{\n(.*)\n\}", block, re.S
        ).groups()
        answers, means = re.split(r"(?<!\\)####", answers)
        options = re.findall(r"(?<!\\)([=~])(.*)\n", answers)
        plain = partial(re.sub, r"\\(.)", r"\1")
        read.append((plain(title), plain(ask), [(k, plain(o)) for k, o in options], plain(means)))
    return read


@pytest.mark.parametrize(("language", "name"), [("ru", "ratios"), ("de", "analogy")])
def test_a_quiz_has_every_question_with_one_right_option_and_what_it_means(language, name):
    page = page_in(language)
    questions = read_gift(lesson_files.quiz(page, BY_NAME[name]))
    assert len(questions) == len(BY_NAME[name].steps)
    for number, make in enumerate(BY_NAME[name].steps, 1):
        step = make(page)
        _, ask, options, means = questions[number - 1]
        assert [unescape(option) for _, option in options] == list(step.choice.options)
        assert [kind for kind, _ in options].index("=") == step.choice.right
        assert [kind for kind, _ in options].count("=") == 1
        for part, said_part in (("ask", ask), ("means", means)):
            sentence = page.say(f"learn_{name}.{number}_{part}", **step.fields)
            assert " ".join(lesson_files.markup(sentence).split()) in said_part
