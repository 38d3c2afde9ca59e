"""When the benchmark of waits holds a picture for still: every kind of change is one, and rest is not counted."""

import pytest

from benchmarks.stillness import POLLING, QUIET, WATCH

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LATER = 150  # milliseconds from the click to the change
CHANGES = {
    "element": "document.body.append(document.createElement('p'))",
    "text": "document.querySelector('button').firstChild.data = 'pressed'",
    "shadow": "host.shadowRoot.append('drawn')",
    "canvas": "document.querySelector('canvas').getContext('2d').fillRect(0, 0, 9, 9)",
    "image": "document.querySelector('img').src = PIXEL",
}
PAGE = """
<div data-testid="stApp" data-test-script-state="notRunning"><button>press</button><div id="host"></div><canvas></canvas><img></div>
<details><summary>more</summary><p id="folded" style="opacity: 1; transition: opacity 1s">folded</p></details>
<script>
const PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
host.attachShadow({ mode: "open" });
document.querySelector("button").onclick = () => setTimeout(() => { %s }, %d);
</script>"""


@pytest.fixture
def drawn_page(chromium, tmp_path):
    """Return a function that opens a page which changes a moment after a click, as the benchmark opens one."""
    context = chromium.new_context()

    def draw(change, later):
        file = tmp_path / "page.html"
        file.write_text(PAGE % (change, later), encoding="utf-8")
        page = context.new_page()
        page.add_init_script(path=WATCH)
        page.goto(file.as_uri())
        return page

    yield draw
    context.close()


def still_after(page, click):
    """Return the milliseconds from a click to the still picture."""
    click()
    page.wait_for_function(f"() => window.stillness.isStill({QUIET}, 0)", polling=POLLING)
    return page.evaluate("() => window.stillness.drawn - window.stillness.acted")


@pytest.mark.parametrize("kind", CHANGES)
def test_a_picture_is_not_still_before_its_last_change(drawn_page, kind):
    page = drawn_page(CHANGES[kind], LATER)
    assert still_after(page, page.get_by_role("button").click) >= LATER
