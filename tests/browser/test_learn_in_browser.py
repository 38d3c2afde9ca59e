"""A lesson from start to end, and the line for new visitors, in a real chromium."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle

pytestmark = pytest.mark.browser
expect.set_options(timeout=120_000)


def test_a_tour_that_is_dismissed_stays_away_and_only_the_browser_knows(page, address):
    say = wording("en")
    page.goto(f"{address}/")
    title = page.get_by_text(say("tour.title"))
    expect(title).to_be_visible()
    link = page.get_by_role("link", name=say("tour.lesson"))
    expect(link).to_have_attribute("href", "learn?lang=en&text=en&learn_lesson=near")
    settle(page)
    page.get_by_role("button", name=say("tour.dismiss"), exact=True).click()
    expect(title).to_be_hidden()
    assert "tour" not in page.url
    page.goto(f"{address}/")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    settle(page)
    expect(title).to_be_hidden()
    page.evaluate("localStorage.clear()")
    page.goto(f"{address}/")
    expect(title).to_be_visible()


def test_a_shared_link_comes_without_the_tour(page, address):
    page.goto(f"{address}/?lang=en&text=en&word=wolf")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    settle(page)
    expect(page.get_by_text(wording("en")("tour.title"))).to_have_count(0)


@pytest.mark.slow
def test_a_lesson_is_walked_from_its_start_to_its_summary_and_leads_to_a_page_and_back(
    page, address
):
    say = wording("de")
    page.goto(f"{address}/learn?lang=de&text=de&learn_lesson=near")
    expect(page.locator("h1")).to_have_text(say("learn_lesson.near"))
    for step in range(1, 5):
        expect(page).to_have_url(re.compile(f"learn_step={step}"))
        settle(page)
        page.locator(f".st-key-learn-guess-{step}-0 button").click()
        expect(page.get_by_role("button", name=say("learn.again"))).to_be_visible()
        expect(page.get_by_test_id("stAlert")).to_have_count(1)
        settle(page)
        if step == 1:
            page.get_by_role("link", name=say("learn.more", page=say("explore.nav"))).click()
            expect(page.locator("h1")).to_have_text(say("explore.title"))
            expect(page.get_by_label(say("word.label"), exact=True)).to_have_value("Musik")
            expect(page).to_have_url(re.compile("models=de-skipgram"))
            page.get_by_test_id("stSidebarNav").get_by_role("link", name=say("learn.nav")).click()
            expect(page.locator("h1")).to_have_text(say("learn_lesson.near"))
            settle(page)
        page.locator(".st-key-learn-next button").click()
    expect(page.get_by_text(say("learn.discuss"))).to_be_visible()
    expect(page).to_have_url(re.compile("learn_done=near"))
    with page.expect_download() as download:
        page.get_by_role("button", name=say("learn.sheet")).click()
    assert download.value.suggested_filename == "klyuch-lesson-near-sheet-de.html"
    page.locator(".st-key-learn-all button").click()
    expect(page.get_by_text("check_circle")).to_have_count(1)


@pytest.mark.slow
def test_the_way_to_the_next_step_stays_in_sight_on_a_step_taller_than_the_window(page, address):
    page.set_viewport_size({"width": 1024, "height": 600})
    page.goto(f"{address}/learn?lang=en&text=en&learn_lesson=near&learn_step=1&learn_guesses=1")
    following = page.locator(".st-key-learn-next button")
    expect(following).to_be_visible()
    settle(page)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollHeight > element.clientHeight + 200")
    for share in (0, 0.5):
        main.evaluate(
            "(element, share) => element.scrollTo(0, share * element.scrollHeight)", share
        )
        expect(following).to_be_in_viewport()


@pytest.mark.slow
def test_a_finished_lesson_keeps_its_mark_when_learn_is_opened_again(page, address):
    page.goto(f"{address}/learn?lang=en&text=en&learn_done=near")
    tick = page.get_by_text("check_circle")
    expect(tick).to_have_count(1)
    settle(page)
    page.goto("about:blank")
    page.goto(f"{address}/learn?lang=en&text=en")
    expect(tick).to_have_count(1)
    expect(page).to_have_url(re.compile("learn_done=near"))
