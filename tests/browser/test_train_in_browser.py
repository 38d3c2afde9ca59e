"""A text is uploaded, trained on, watched; the page is closed and opened again; the model is there."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle, upload

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SAY = wording("en")
LINES = ["the cat sees the dog in the yard", "a dog sees a cat and runs", "the yard has a cat"]


def start_training(page, name):
    """Name the model, and start once the page is drawn with that name."""
    model = page.get_by_label(SAY("train.name_label"), exact=True)
    model.fill(name)
    model.press("Enter")
    settle(page)
    page.get_by_role("button", name=SAY("train.start")).click()


def test_a_text_is_uploaded_trained_watched_left_and_found_again(page, address, tmp_path):
    text = tmp_path / "farm.txt"
    text.write_text("\n".join(LINES * 200) + "\n", encoding="utf-8")
    name = f"farm-{time.monotonic_ns()}"
    page.goto(f"{address}/train?lang=en&text=en&train_source=upload")
    expect(page.locator("h1")).to_have_text(SAY("train.title"))
    upload(page, text)
    page.get_by_role("button", name=SAY("common.more_settings")).first.click()
    label = page.get_by_label(SAY("train.corpus_label"), exact=True)
    expect(label).to_have_attribute("placeholder", "farm")  # the page knows the file
    label.fill(name)
    label.press("Enter")
    label.press("Escape")
    page.get_by_role("button", name=SAY("train.take")).click()
    expect(page.get_by_text("Stored as")).to_be_visible()
    start_training(page, name)
    expect(page.get_by_role("button", name=SAY("train.cancel"))).to_be_visible()
    expect(
        page.locator(".st-key-train-curve .js-plotly-plot").filter(visible=True).first
    ).to_be_visible()
    expect(page).to_have_url(re.compile("train_job=(?!new)"))
    link = page.url
    page.goto("about:blank")  # the tab is closed while it runs
    page.goto(link)
    expect(page.get_by_role("heading", name=f"On the shelf: {name}")).to_be_visible()
    expect(page.get_by_text(f"“{name}”")).to_be_visible()  # the text is called as was asked, too
    film_chart = page.locator(".st-key-train-film .js-plotly-plot").filter(visible=True).first
    expect(film_chart).to_be_visible()
    points = film_chart.locator(".scatterlayer .trace .points path")
    before = [point.get_attribute("transform") for point in points.all()]
    film_chart.locator(".updatemenu-button", has_text=SAY("train.film_play")).click()
    page.wait_for_timeout(900)
    assert [point.get_attribute("transform") for point in points.all()] != before
    with page.expect_download() as download:
        page.get_by_role("button", name=SAY("train.film_save")).click()
    assert "Plotly.addFrames" in Path(download.value.path()).read_text(encoding="utf-8")
    page.get_by_role("button", name=SAY("train.explore")).click()
    expect(page.locator("h1")).to_have_text(SAY("explore.title"))
    expect(page).to_have_url(re.compile(f"models={name}"))
    assert page.locator("[data-testid=stException]").count() == 0
