"""Classify and Lab as a person uses them, in a real chromium, with the classifier that ships and the experiments that were run."""

import re

import pytest
from playwright.sync_api import expect

from app.views.lab.experiment_sections import ICONS
from app.wording import wording
from embeddings.lab import read_experiment

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
SAY = wording("en")
BLUE, VERMILION = "rgba(0, 114, 178", "rgba(213, 94, 0"


def wait_for_page(page, name, language="en"):
    """Wait until a page is whole; no fault stands on it."""
    say = wording(language)
    expect(page.locator("h1")).to_have_text(say(f"{name}.title"))
    expect(page.get_by_text(say("common.take_away"))).to_be_visible()
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def change_language(page, language):
    """Change the language of the screen."""
    page.get_by_test_id("stSidebar").locator(".st-key-lang").get_by_text(
        language, exact=True
    ).click()


def classify_text(page, text):
    """Type a sentence and wait until its words are coloured; return each word's colour and share."""
    field = page.locator(".st-key-classify_text input")
    field.fill(text)
    field.press("Enter")
    coloured = page.locator("[data-testid=stHtml] p span[title]")
    expect(coloured).to_have_text(re.findall(r"\w+", text))
    collect_words = "all => all.map(one => [one.innerText, one.style.backgroundColor, one.title])"
    return {
        word: (colour, float(share)) for word, colour, share in coloured.evaluate_all(collect_words)
    }


def test_one_word_turns_the_verdict_and_the_colours(page, address):
    page.goto(f"{address}/classify?lang=en&text=en")
    wait_for_page(page, "classify")
    verdict = page.get_by_test_id("stHeading").locator("h3").first
    good = classify_text(page, "This is a wonderful film")
    expect(verdict).to_have_text(re.compile(r"^positive, \d+\.\d %$"))
    bad = classify_text(page, "This is a terrible film")
    expect(verdict).to_have_text(re.compile(r"^negative, \d+\.\d %$"))
    wait_for_page(page, "classify")
    for words, moving in ((good, "wonderful"), (bad, "terrible")):
        assert max(words, key=lambda word: words[word][1]) == moving
        assert words[moving][0].startswith(BLUE)
        for colour, share in words.values():
            assert colour.startswith(BLUE if share >= 0 else VERMILION)
    assert good["film"] != bad["film"]
    for picture in ("classify-words-figure",):
        figure = page.locator(f".st-key-{picture} .js-plotly-plot")
        expect(figure).to_have_count(1)  # that of the sentence before is gone
        expect(figure).to_be_visible()


def test_the_sentence_stays_when_the_language_changes(page, address):
    page.goto(f"{address}/classify?lang=en&text=en&classify_text=A+terrible+film")
    wait_for_page(page, "classify")
    for name, code in (("Русский", "ru"), ("Deutsch", "de")):
        change_language(page, name)
        wait_for_page(page, "classify", code)
        expect(page.locator(".st-key-classify_text input")).to_have_value("A terrible film")
        verdict = page.get_by_test_id("stHeading").locator("h3").first
        label = wording(code)("class_label.negative")
        expect(verdict).to_have_text(re.compile(rf"^{label}, \d+,\d\s%$"))


def expect_experiment(page, name, language="en"):
    """Wait for the question of an experiment, its figures and a mark for each verdict."""
    say, experiment = wording(language), read_experiment(name)
    wait_for_page(page, "lab", language)
    expect(page.locator("h2").first).to_have_text(say(f"lab_question.{name}"))
    page.get_by_role("radio", name=say("view.curves")).click()
    for drawing in experiment.drawings:
        key = f"lab-{name}-{drawing.name}".replace("_", "-")
        expect(page.locator(f".st-key-{key} .js-plotly-plot")).to_be_visible()
    page.get_by_role("radio", name=say("view.verdicts")).click()
    expect(page.locator(".stMarkdownBadge")).to_have_text(
        [  # the name of the sign, as its font draws it, then the words
            re.compile(rf"{ICONS[claim.verdict]}\s*{re.escape(say(f'lab_mark.{claim.verdict}'))}$")
            for claim in experiment.claims
        ]
    )


def test_an_experiment_is_chosen_and_shows_its_figure_and_verdicts(page, address):
    page.goto(f"{address}/lab?lang=en&text=en")
    expect_experiment(page, "warm_start")
    for name in ("translation", "static"):
        page.locator(".st-key-lab_experiment").get_by_text(
            SAY(f"lab_experiment.{name}"), exact=True
        ).click()
        expect_experiment(page, name)
        expect(page).to_have_url(re.compile(f"lab_experiment={name}"))
    page.goto(page.url)
    expect_experiment(page, "static")


def test_the_experiment_stays_when_the_language_changes(page, address):
    page.goto(f"{address}/lab?lang=en&text=en&lab_experiment=translation")
    expect_experiment(page, "translation")
    for name, code in (("Русский", "ru"), ("Deutsch", "de")):
        change_language(page, name)
        expect_experiment(page, "translation", code)
