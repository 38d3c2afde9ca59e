"""What a person types is shown as it is: an address in it is no link."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
TYPED = "The bank has https://bank.example and www.bank.example and a@bank.example now."


def test_an_address_in_a_sentence_is_no_link(page, address):
    asked = {"lang": "en", "text": "en", "contexts_source": "own", "contexts_asked": "bank"}
    lines = "\n".join([TYPED, "He sat on the bank.", "The bank is closed.", "A river bank."])
    page.goto(f"{address}/contexts?{urlencode(asked | {'contexts_lines': lines})}")
    shown = page.get_by_test_id("stMarkdownContainer").filter(has_text="bank.example now").first
    expect(shown).to_be_visible(timeout=60_000)
    links = page.locator("a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    assert not [link for link in links if link and "bank.example" in link]
