"""Waiting for a page by what it says of itself instead of by the clock."""

from playwright.sync_api import expect

from app.wording import wording

IDLE = """() => new Promise((done) => requestIdleCallback(() =>
  requestAnimationFrame(() => setTimeout(done, 30)), { timeout: 500 }))"""


def settle(page):
    """Wait until the script of the page has ended, no element of it is still to come, and the browser has drawn it."""
    page.wait_for_timeout(80)  # a click has reached the server
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.evaluate(IDLE)


def wait_for_page(page, name, language="en"):
    """Wait for a page's title, for its first figure and for the row below its view; nothing has failed."""
    expect(page.locator("h1")).to_have_text(wording(language)(f"{name}.title"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page.get_by_text(wording(language)("common.take_away"))).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    settle(page)


def upload(page, file):
    """Give a file to the page's uploader and wait until the page has it: a running script may draw the uploader anew."""
    settle(page)
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(file)
    expect(page.get_by_test_id("stFileUploader")).to_contain_text(file.name)
    settle(page)


def enter(page, field, text, address):
    """Type a text and press Enter until the page's address matches: Streamlit's field may drop an Enter while charts are being drawn."""
    for _ in range(5):
        settle(page)
        field.fill("")
        field.fill(text)
        field.press("Enter")
        try:
            expect(page).to_have_url(address, timeout=20_000)
            return
        except AssertionError:
            continue
    expect(page).to_have_url(address)
