"""Contexts in a real chromium: a point that is clicked."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=180_000)
SAY = wording("en")


def wait_for_page(page):
    """Wait until the page is whole."""
    expect(page.locator("h1")).to_have_text(SAY("contexts.title"))
    expect(page.get_by_text(SAY("common.take_away"))).to_be_visible()
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_a_point_that_is_clicked_is_looked_at_below(page, address):
    page.goto(f"{address}/contexts?lang=en&text=en")
    wait_for_page(page)
    points = page.locator(".st-key-contexts .js-plotly-plot .scatterlayer .point")
    points.nth(2).scroll_into_view_if_needed()
    box = points.nth(2).bounding_box()
    centre = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*centre, steps=4)
    expect(page.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.click(*centre)
    expect(page).to_have_url(re.compile("contexts_one="))
