"""Explore in a real chromium: list and map are linked."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle, wait_for_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SAY = wording("en")


ROW = 35  # pixels of a row of a table


RINGED = """() => document.querySelector('.js-plotly-plot').data.flatMap((trace) =>
    trace.customdata.filter((_, point) => trace.marker.line.width[point] > 1).map(([word]) => word))"""


def test_a_selected_cell_rings_its_point_and_a_box_on_the_map_filters_the_lists(page, address):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{address}/?lang=en&text=en&word=king&models=en-skipgram")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    settle(page)
    assert page.evaluate(RINGED) == []
    grid = page.locator(".st-key-neighbours").get_by_test_id("stDataFrame")
    grid.click(position={"x": 60, "y": 1.5 * ROW})
    walk = page.locator(".st-key-walk")
    expect(walk).to_be_visible()
    settle(page)
    (word,) = page.evaluate(RINGED)
    expect(walk).to_contain_text(SAY("map.look_up", word=word))

    listed = page.locator(".st-key-as-list")
    expect(listed).to_contain_text("11")  # the word and its ten neighbours
    plot = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    left, top = plot["x"] + 2, plot["y"] + 2
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + plot["width"] / 2, top + plot["height"] - 4, steps=8)
    page.mouse.up()
    expect(listed).not_to_contain_text("11")
    settle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)


# Contexts in a real chromium: a point that is clicked


def test_a_point_that_is_clicked_is_looked_at_below(page, address):
    page.goto(f"{address}/contexts?lang=en&text=en")
    wait_for_page(page, "contexts")
    points = page.locator(".st-key-contexts .js-plotly-plot .scatterlayer .point")
    points.nth(2).scroll_into_view_if_needed()
    box = points.nth(2).bounding_box()
    centre = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*centre, steps=4)
    expect(page.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.click(*centre)
    expect(page).to_have_url(re.compile("contexts_one="))
