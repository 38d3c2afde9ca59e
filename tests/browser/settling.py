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
