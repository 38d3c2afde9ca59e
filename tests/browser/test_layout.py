"""Every view of every page, measured in a browser: its height, its controls, what the first screen shows, and what axe-core finds.

A control is a field, a button, a list, or a group of chips with one label. The sidebar, the row of views, help icons and a figure's own
tools are not counted. ``KLYUCH_LAYOUT=1 pytest -m "" tests/browser/test_layout.py`` writes docs/results/pages.md.
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from app.wording import LANGUAGES, wording

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.parent.name for path in (ROOT / "app" / "views").glob("*/__init__.py"))
SINGLE = {"inside", "learn", "ratios", "shelf", "train"}  # pages of one view
FIRST_AND_OTHER_VIEWS = [
    *((name, True) for name in PAGES),
    *(pytest.param(name, False, marks=pytest.mark.slow) for name in PAGES if name not in SINGLE),
]
WIDE, PROJECTOR, PHONE = (1440, 900), (1024, 768), (400, 800)
MAX_HEIGHT = 1800  # pixels at 1440
MAX_CONTROLS = 12
LATER = {("analogies", 400): 20}  # pixels below the first screen
BEGINNING = 40  # pixels of the answer, on a phone below the row of views
KINDS = ("PlotlyChart", "BidiComponentRegular", "BidiComponentIsolated", "DataFrame", "Table")
PICTURES = ", ".join(f"[data-testid=st{kind}]" for kind in KINDS)
MEASURE = """pictures => {
  const main = document.querySelector("[data-testid=stMain]"), views = document.querySelector(".st-key-view");
  const isShown = (each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const all = (selector) => [...main.querySelectorAll(selector)].filter(isShown);
  const apart = ["TooltipIcon", "ElementToolbar"].map((name) => `[data-testid=st${name}]`) + ", .modebar-container, .st-key-view";
  const groups = ["ButtonGroup", "Selectbox", "MultiSelect", "Slider", "FileUploader", "DataFrame", "Checkbox"]
    .map((name) => `[data-testid=st${name}]`) + ", [role=radiogroup]";
  const fields = all("button, input, textarea, [role=combobox], [role=slider]").filter((each) => !each.closest(apart));
  const shown = fields.filter((each) => each.getBoundingClientRect().top < innerHeight);
  const boxes = all(pictures).map((each) => each.getBoundingClientRect());
  const picture = boxes.find((box) => box.width > 100 && box.height > 60);
  const starts = [all("h2, h3")[0]?.getBoundingClientRect(), picture].filter(Boolean).map((box) => box.top);
  const rowOf = (each) => each.closest("[data-testid=stElementContainer]").parentElement;
  const labels = all("[data-testid=stWidgetLabel]").map((each) =>
    ({ text: each.innerText, row: rowOf(each), ...each.getBoundingClientRect().toJSON() }));
  const uneven = labels.flatMap((one) => labels.filter((other) => one.row === other.row && one.right < other.left
    && Math.abs(one.top - other.top) > 1 && one.top < other.bottom && other.top < one.bottom).map((other) => one.text + ", " + other.text));
  return { uneven, height: main.scrollHeight, controls: new Set(shown.map((each) => each.closest(groups) ?? each)).size,
    input: fields[0].getBoundingClientRect().bottom,
    answer: views?.getBoundingClientRect().bottom ?? Math.min(...starts),
    middle: picture ? (picture.top + picture.bottom) / 2 : 0 };
}"""
TOO_WIDE = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const beyond = Math.max(...[document.documentElement, main].map((each) => each.scrollWidth - each.clientWidth));
  const ends = (each) => [each.tagName, each.dataset.testid ?? each.className, each.getBoundingClientRect().right];
  return beyond ? [beyond, ...[...main.querySelectorAll("*")].map(ends).filter(([, , right]) => right > innerWidth)] : [];
}"""
TABLE = ROOT / "docs" / "results" / "pages.md"
LEAD = """# Height of the pages

Every view of every page in English, as `tests/browser/test_layout.py` measured it: at most 1 800 pixels in a window of 1440 x 900
pixels, and at most 12 controls on its first screen. A control is a field, a button, a list, or a group of chips with one label; the
navigation, help icons and a figure's own tools are not counted.

| page | view | height | controls |
| --- | --- | --- | --- |
"""
LANGUAGE_NAMES = """() => [...document.querySelectorAll(".st-key-lang button p")].map((each) =>
  [each.innerText, each.getBoundingClientRect().top, each.scrollWidth <= each.clientWidth])"""
SERIOUS = ("serious", "critical")
OF_STREAMLIT = {  # rule of axe-core: the element of Streamlit's own that breaks it
    "list": "[data-testid=stSidebarNavItems]",  # headings of groups between the items
    "listitem": "[data-testid=stSidebarNavItems] li",
    "scrollable-region-focusable": "td > [data-testid=stMarkdownContainer]",
}
FIND_FAULTS = """async ([include, rules]) => {
  const where = { include, exclude: [".js-plotly-plot"] };
  const options = { resultTypes: ["violations"], ...(rules.length ? { runOnly: rules } : {}) };
  const { violations } = await axe.run(where, options);
  return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, html, any }) =>
    ({ id, impact, target: target[0], html: html.slice(0, 160), message: any[0]?.message ?? "" })));
}"""


@dataclass
class Layout:
    """A view as measured: by width of the window what `MEASURE` gives, and the serious faults that axe-core finds."""

    boxes: dict
    faults: list


def settle(page):
    """Wait until the script of the page has ended and all is drawn."""
    page.wait_for_timeout(80)
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning", timeout=60_000
    )
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")


def find_faults(page, part, *rules):
    """Return the serious faults in a part of the page, those of Streamlit's own elements apart."""
    faults = []
    for fault in page.evaluate(FIND_FAULTS, [[part], rules]):
        own = OF_STREAMLIT.get(fault["id"])
        is_own = own and page.locator(fault["target"]).first.evaluate(
            "(each, own) => each.matches(own)", own
        )
        if fault["impact"] in SERIOUS and not is_own:
            faults.append(f"{fault['id']}: {fault['html']} {fault['message']}")
    return faults


def measure_view(page, *, is_first):
    """Measure the view that is open; what frames it, and a phone, for a page's first view alone."""
    boxes = {}
    for width, height in (PROJECTOR, PHONE, WIDE) if is_first else (WIDE,):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        boxes[width] = page.evaluate(MEASURE, PICTURES)
    faults = find_faults(page, "html" if is_first else "[data-testid=stMain]")
    page.emulate_media(color_scheme="dark")
    for _ in range(10):  # colours fade from one theme's to the other's; what stays is a fault
        settle(page)
        dark = find_faults(page, "[data-testid=stMain]", "color-contrast")
        if not dark:
            break
        page.wait_for_timeout(200)
    page.emulate_media(color_scheme="light")
    return Layout(boxes, faults + dark)


@pytest.fixture(scope="module")
def measured(chromium, address):
    """Return a function that opens a page and measures its first view, or the others, once for all tests."""
    context = chromium.new_context(
        viewport=dict(zip(("width", "height"), WIDE, strict=True)),
        locale="en-US",
        reduced_motion="reduce",
    )
    page = context.new_page()

    @cache
    def measure(name, is_first):
        page.goto(f"{address}/{'' if name == 'explore' else name}?lang=en&text=en")
        expect(page.locator("h1")).to_have_text(wording("en")(f"{name}.title"), timeout=60_000)
        settle(page)
        page.evaluate(AXE_SCRIPT)
        views = page.locator(".st-key-view button")
        assert (views.count() > 1) == (name not in SINGLE)
        if is_first:
            title = views.first.inner_text() if views.count() else "–"
            return {title: measure_view(page, is_first=True)}
        layouts = {}
        for view in views.all()[1:]:
            view.click()
            settle(page)
            layouts[view.inner_text()] = measure_view(page, is_first=False)
        return layouts

    yield measure
    if "KLYUCH_LAYOUT" in os.environ:
        rows = [
            f"| {name} | {view} | {layout.boxes[1440]['height']} | {layout.boxes[1440]['controls']} |\n"
            for name in PAGES
            for is_first in (True, False)[: 2 - (name in SINGLE)]
            for view, layout in measure(name, is_first).items()
        ]
        TABLE.write_text(LEAD + "".join(rows), encoding="utf-8")
    context.close()


@pytest.mark.parametrize(("name", "is_first"), FIRST_AND_OTHER_VIEWS)
def test_no_view_is_taller_than_two_screens(measured, name, is_first):
    heights = {
        view: layout.boxes[WIDE[0]]["height"] for view, layout in measured(name, is_first).items()
    }
    assert {view: height for view, height in heights.items() if height > MAX_HEIGHT} == {}


@pytest.mark.parametrize(("name", "is_first"), FIRST_AND_OTHER_VIEWS)
def test_a_first_screen_has_few_controls(measured, name, is_first):
    controls = {
        view: layout.boxes[WIDE[0]]["controls"] for view, layout in measured(name, is_first).items()
    }
    assert {view: count for view, count in controls.items() if count > MAX_CONTROLS} == {}


@pytest.mark.parametrize(("name", "is_first"), FIRST_AND_OTHER_VIEWS)
def test_labels_of_one_row_are_on_one_line(measured, name, is_first):
    uneven = {
        view: layout.boxes[WIDE[0]]["uneven"] for view, layout in measured(name, is_first).items()
    }
    assert {view: labels for view, labels in uneven.items() if labels} == {}


@pytest.mark.parametrize(("name", "is_first"), FIRST_AND_OTHER_VIEWS)
def test_axe_core_finds_no_serious_fault_in_either_theme(measured, name, is_first):
    faults = {
        view: layout.faults for view, layout in measured(name, is_first).items() if layout.faults
    }
    assert faults == {}


@pytest.mark.parametrize("name", PAGES)
def test_the_first_screen_has_input_and_half_of_the_picture_or_on_a_phone_where_it_begins(
    measured, name
):
    first = next(iter(measured(name, True).values())).boxes
    for width, height in (WIDE, PROJECTOR, PHONE):
        box, later = first[width], LATER.get((name, width), 0)
        assert box["input"] < height
        shown = box["answer"] + BEGINNING if width == PHONE[0] else box["middle"]
        assert shown < height + later


@pytest.fixture(scope="module")
def phone(chromium):
    """A page on a phone; not one that a browser zooms out until it fits."""
    context = chromium.new_context(viewport=dict(zip(("width", "height"), PHONE, strict=True)))
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_on_a_page_is_wider_than_a_phone(phone, address, name, language):
    phone.goto(f"{address}/{'' if name == 'explore' else name}?lang={language}&text={language}")
    expect(phone.locator("h1")).to_have_text(wording(language)(f"{name}.title"), timeout=60_000)
    settle(phone)
    assert phone.evaluate(TOO_WIDE) == []


def test_the_languages_of_the_screen_stand_whole_in_one_row(page, address):
    page.goto(f"{address}/learn?lang=en&text=en")
    settle(page)
    names, tops, are_whole = zip(*page.evaluate(LANGUAGE_NAMES), strict=True)
    assert set(names) == set(LANGUAGES.values())
    assert len(set(tops)) == 1
    assert all(are_whole)


def test_on_a_touch_screen_the_tools_of_a_figure_cover_nothing_until_it_is_tapped(
    chromium, address
):
    size = dict(zip(("width", "height"), PHONE, strict=True))
    context = chromium.new_context(viewport=size, has_touch=True, is_mobile=True, locale="en-US")
    page = context.new_page()
    page.goto(f"{address}/?lang=en&text=en&view=map")
    tools = page.locator(".js-plotly-plot .modebar").first
    expect(tools).to_have_css("opacity", "0", timeout=60_000)
    settle(page)
    page.locator(".js-plotly-plot").first.tap(position={"x": 150, "y": 200})
    expect(tools).to_have_css("opacity", "1")
    page.locator("h1").tap()
    expect(tools).to_have_css("opacity", "0")
    context.close()
