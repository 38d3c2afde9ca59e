"""What a person does: type an analogy, read queen, save the figure, send a link, change language."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.wording import wording

pytestmark = pytest.mark.browser


expect.set_options(timeout=120_000)


def wait_for_page(page, title):
    """Wait for a page's title and its first figure."""
    expect(page.locator("h1")).to_have_text(title)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_a_typed_analogy_reads_queen_and_the_link_reopens_it(page, address):
    page.goto(f"{address}/analogies")
    wait_for_page(page, wording("en")("analogies.title"))
    field = page.get_by_label(wording("en")("formula.label"), exact=True)
    field.fill("woman + king - man")
    field.press("Enter")
    expect(page.locator("h3").first).to_contain_text("woman + king - man ≈")
    expect(page.locator(".js-plotly-plot")).to_have_count(1)  # the one before is gone
    expect(page.locator(".js-plotly-plot").get_by_text("queen", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("formula=woman"))

    link = page.url
    page.goto("about:blank")
    page.goto(link)
    wait_for_page(page, wording("en")("analogies.title"))
    expect(page.get_by_label(wording("en")("formula.label"), exact=True)).to_have_value(
        "woman + king - man"
    )


def test_a_figure_is_saved_as_svg_through_plotlys_button(page, address, tmp_path):
    page.goto(f"{address}/analogies")
    wait_for_page(page, wording("en")("analogies.title"))
    page.locator(".js-plotly-plot").first.hover()
    with page.expect_download() as download:
        page.locator(".modebar-btn[data-title^='Download plot']").first.click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert saved.suffix == ".svg"
    start = Path(saved).read_bytes()
    assert start.startswith(b"<svg")
    assert b"queen" in start


WORDS = ("", "analogies", "ratios")


def test_nothing_is_loaded_from_outside(page, address):
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    for name in WORDS:
        page.goto(f"{address}/{name}")
        wait_for_page(page, wording("en")(f"{name or 'explore'}.title"))
    inside = (address, address.replace("http", "ws"), "data:", "blob:")
    assert [url for url in requested if not url.startswith(inside)] == []


# What a person types is shown as it is: an address in it is no link


TYPED = "The bank has https://bank.example and www.bank.example and a@bank.example now."


def test_an_address_in_a_sentence_is_no_link(page, address):
    asked = {"lang": "en", "text": "en", "contexts_source": "own", "contexts_asked": "bank"}
    lines = "\n".join([TYPED, "He sat on the bank.", "The bank is closed.", "A river bank."])
    page.goto(f"{address}/contexts?{urlencode(asked | {'contexts_lines': lines})}")
    shown = page.get_by_test_id("stMarkdownContainer").filter(has_text="bank.example now").first
    expect(shown).to_be_visible(timeout=60_000)
    links = page.locator("a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    assert not [link for link in links if link and "bank.example" in link]
