"""Pictures of the pages for the README; ``KLYUCH_PICTURES=docs/pictures`` keeps them."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
SHOTS = {
    "explore-en": ("", "en", "explore", 1000),
    "analogies-en": ("analogies", "en", "analogies", 1500),
    "ratios-en": ("ratios", "en", "ratios", 1000),
    "explore-ru": ("", "ru", "explore", 1000),
    "analogies-de": ("analogies", "de", "analogies", 1500),
    "contexts-ru": ("contexts", "ru", "contexts", 1250),
    "classify-en": ("classify", "en", "classify", 1250),
}


@pytest.mark.parametrize("name", SHOTS)
def test_the_page_stands_for_a_picture(page, address, tmp_path, name):
    path, language, section, height = SHOTS[name]
    page.set_viewport_size({"width": 1360, "height": height})
    page.goto(f"{address}/{path}?lang={language}&text={language}")
    expect(page.locator("h1")).to_have_text(wording(language)(f"{section}.title"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    settle(page)
    if "KLYUCH_PICTURES" in os.environ:
        page.wait_for_timeout(2500)  # figures fade in
    expect(page.get_by_test_id("stException")).to_have_count(0)
    folder = Path(os.environ.get("KLYUCH_PICTURES", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"{name}.png"
    page.screenshot(path=str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 40_000  # an empty page is smaller
