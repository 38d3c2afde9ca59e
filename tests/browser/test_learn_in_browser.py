"""A lesson from start to end, and the line for new visitors, in a real chromium."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle

pytestmark = pytest.mark.browser


@pytest.mark.slow
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
