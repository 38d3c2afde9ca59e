"""A closed box of what is costly to draw is opened alone."""

import pytest
from playwright.sync_api import expect

from app.wording import wording
from benchmarks.stillness import WATCH
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
MODEL = "en-skipgram"
SAY = wording("en")


def test_a_box_is_drawn_alone(page, address):
    page.add_init_script(path=WATCH)
    page.goto(f"{address}/analogies?lang=en&text=en&models={MODEL}")
    expect(page.locator("h1")).to_have_text(SAY("analogies.title"))
    settle(page)
    whole = page.evaluate("() => window.stillness.answers")
    box = page.locator(".st-key-box-analogy")
    box.locator("summary").click()
    expect(box.get_by_test_id("stDataFrame")).to_be_visible()
    settle(page)
    assert page.evaluate("() => window.stillness.answers") < whole / 4
