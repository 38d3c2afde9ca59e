"""A closed box of what is costly to draw: opened alone, and a line of its table asks the whole page."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording
from benchmarks.stillness import WATCH
from embeddings.analysis.similarity import neighbours
from embeddings.shelf import load_vectors
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
MODEL = "en-skipgram"
LINE = 35  # pixels of a line of a table
SAY = wording("en")


def test_a_box_is_drawn_alone_and_a_line_of_its_table_asks_the_page(page, address):
    page.add_init_script(path=WATCH)
    page.goto(f"{address}/?lang=en&text=en&word=king&models={MODEL}")
    expect(page.locator("h1")).to_have_text(SAY("explore.title"))
    settle(page)
    whole = page.evaluate("() => window.stillness.answers")
    box = page.locator(".st-key-box-neighbours")
    box.locator("summary").click()
    grid = box.get_by_test_id("stDataFrame")
    expect(grid).to_be_visible()
    settle(page)
    assert page.evaluate("() => window.stillness.answers") < whole / 4
    third = neighbours(load_vectors(MODEL), "king", 10)[2].word
    grid.scroll_into_view_if_needed()
    grid.click(
        position={"x": 10, "y": 3.5 * LINE}
    )  # under the head, in the column that chooses a line
    expect(page).to_have_url(re.compile(f"word={third}"))
    expect(page.locator(".st-key-word input")).to_have_value(third)
