"""Waiting for a page by what it says of itself instead of by the clock."""

from playwright.sync_api import expect

IDLE = "() => new Promise((done) => requestIdleCallback(() => done()))"


def settle(page):
    """Wait until the script of the page has ended, no element and no byte of it is still to come, and the browser has drawn it."""
    script = page.get_by_test_id("stApp")
    expect(script).to_have_attribute("data-test-script-state", "notRunning", timeout=120_000)
    page.evaluate(IDLE)


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
