"""What a person does: type an analogy, read queen, save the figure, send a link."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.conftest import ELSEWHERE
from tests.browser.settling import wait_for_page

pytestmark = pytest.mark.browser
VIOLATION = f"""() => new Promise(done => {{
    document.addEventListener('securitypolicyviolation', event => done(event.violatedDirective));
    const picture = new Image();
    picture.src = '{ELSEWHERE}/picture.png';
    document.body.append(picture);
    setTimeout(() => done('loaded'), 5000);
}})"""
TYPED = "The bank has https://bank.example and www.bank.example and a@bank.example now."


def test_a_typed_analogy_reads_queen_is_saved_as_svg_and_its_link_reopens_it(
    page, address, tmp_path
):
    page.goto(f"{address}/analogies")
    wait_for_page(page, "analogies")
    field = page.get_by_label(wording("en")("formula.label"), exact=True)
    field.fill("woman + king - man")
    field.press("Enter")
    expect(page.locator("h3").first).to_contain_text("woman + king - man ≈")
    expect(page.locator(".js-plotly-plot")).to_have_count(1)  # the one before is gone
    expect(page.locator(".js-plotly-plot").get_by_text("queen", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("formula=woman"))

    page.locator(".js-plotly-plot").hover()
    with page.expect_download() as download:
        page.locator(".modebar-btn[data-title^='Download plot']").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert saved.suffix == ".svg"
    start = saved.read_bytes()
    assert start.startswith(b"<svg")
    assert b"queen" in start

    link = page.url
    page.goto("about:blank")
    page.goto(link)
    wait_for_page(page, "analogies")
    expect(field).to_have_value("woman + king - man")


def test_a_picture_from_elsewhere_is_refused_and_an_address_in_a_sentence_is_no_link(page, address):
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    asked = {"lang": "en", "text": "en", "contexts_source": "own", "contexts_asked": "bank"}
    lines = "\n".join([TYPED, "He sat on the bank.", "The bank is closed.", "A river bank."])
    page.goto(f"{address}/contexts?{urlencode(asked | {'contexts_lines': lines})}")
    wait_for_page(page, "contexts")  # with a figure
    shown = page.get_by_test_id("stMarkdownContainer").filter(has_text="bank.example now").first
    expect(shown).to_be_visible()
    links = page.locator("a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    assert not [link for link in links if link and "bank.example" in link]
    assert not [text for text in complaints if "Content Security Policy" in text]
    assert page.evaluate(VIOLATION) == "img-src"
