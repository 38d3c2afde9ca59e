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
from tests.browser.conftest import new_page
from tests.browser.settling import settle

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.parent.name for path in (ROOT / "app" / "views").glob("*/__init__.py"))
SINGLE = {"inside", "learn", "ratios", "shelf", "train"}  # pages of one view
QUICK = {"attention", "contexts", "explore", "learn", "train"}  # measured in the default run too


def in_run(name, *values, is_quick=True):
    """A page with values; its test is a long one unless the page is one of those that are measured in the default run."""
    return pytest.param(name, *values, marks=() if is_quick and name in QUICK else pytest.mark.slow)


FIRST_AND_OTHER_VIEWS = [
    *(in_run(name, True) for name in PAGES),
    *(in_run(name, False, is_quick=False) for name in PAGES if name not in SINGLE),
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
    """A view as measured: by width what `MEASURE` gives, what is too wide for the window, and the serious faults that axe-core finds."""

    boxes: dict
    too_wide: list
    faults: list


def open_page(page, address, name, language):
    """Open a page of the app: from elsewhere by its address, from another page by its link, which on a phone is hidden."""
    say, path = wording(language), "" if name == "explore" else name
    if page.url.startswith(address):
        link = page.locator(f"[data-testid=stSidebarNavLink][href='{address}/{path}']")
        link.evaluate("link => link.click()")
    else:
        page.goto(f"{address}/{path}?lang={language}&text={language}")
    expect(page.locator("h1")).to_have_text(say(f"{name}.title"))
    settle(page)


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


def faults_that_stay(page, find):
    """Return what ``find`` gives in the end: figures follow a new width, and colours fade, in their own time."""
    for _ in range(10):
        settle(page)
        faults = find()
        if not faults:
            break
        page.wait_for_timeout(200)
    return faults


def measure_view(page, *, is_first):
    """Measure the view that is open; what frames it, and a phone, for a page's first view alone."""
    boxes, too_wide = {}, []
    for width, height in (PROJECTOR, PHONE, WIDE) if is_first else (WIDE,):
        page.set_viewport_size({"width": width, "height": height})
        too_wide += faults_that_stay(page, lambda: page.evaluate(TOO_WIDE))
        boxes[width] = page.evaluate(MEASURE, PICTURES)
    faults = find_faults(page, "html" if is_first else "[data-testid=stMain]")
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if is_dark else "dark", reduced_motion="reduce")
    other_theme = faults_that_stay(
        page, lambda: find_faults(page, "[data-testid=stMain]", "color-contrast")
    )
    return Layout(boxes, too_wide, faults + other_theme)


@pytest.fixture(scope="module")
def wide_page(reader, address):
    """A page of the app in a large window."""
    with new_page(reader, address) as page:
        page.set_viewport_size(dict(zip(("width", "height"), WIDE, strict=True)))
        page.emulate_media(reduced_motion="reduce")
        open_page(page, address, "learn", "en")
        page.evaluate(AXE_SCRIPT)
        yield page


@pytest.fixture(scope="module")
def measured(wide_page, address):
    """Return a function that opens a page and measures its first view, or the others, once for all tests."""

    @cache
    def measure(name, is_first):
        open_page(wide_page, address, name, "en")
        views = wide_page.locator(".st-key-view button")
        assert (views.count() > 1) == (name not in SINGLE)
        if is_first:
            title = views.first.inner_text() if views.count() else "–"
            return {title: measure_view(wide_page, is_first=True)}
        layouts = {}
        for view in views.all()[1:]:
            view.click()
            settle(wide_page)
            layouts[view.inner_text()] = measure_view(wide_page, is_first=False)
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


def test_the_languages_of_the_screen_stand_whole_in_one_row(wide_page):
    names, tops, are_whole = zip(*wide_page.evaluate(LANGUAGE_NAMES), strict=True)
    assert set(names) == set(LANGUAGES.values())
    assert len(set(tops)) == 1
    assert all(are_whole)


@pytest.mark.parametrize(("name", "is_first"), FIRST_AND_OTHER_VIEWS)
def test_a_view_is_low_with_few_controls_even_labels_and_no_serious_fault_in_either_theme(
    measured, name, is_first
):
    for view, layout in measured(name, is_first).items():
        box = layout.boxes[WIDE[0]]
        assert box["height"] <= MAX_HEIGHT, view
        assert box["controls"] <= MAX_CONTROLS, view
        assert box["uneven"] == [], view  # labels of one row
        assert layout.faults == [], view


@pytest.mark.parametrize("name", [in_run(name) for name in PAGES])
def test_the_first_screen_has_input_and_half_of_the_picture_or_on_a_phone_where_it_begins(
    measured, name
):
    (first,) = measured(name, True).values()
    for width, height in (WIDE, PROJECTOR, PHONE):
        box, later = first.boxes[width], LATER.get((name, width), 0)
        assert box["input"] < height
        shown = box["answer"] + BEGINNING if width == PHONE[0] else box["middle"]
        assert shown < height + later
    assert first.too_wide == []


@pytest.fixture
def phone(reader, address):
    """A window as narrow as a phone; not a phone's, which zooms out until a page fits."""
    with new_page(reader, address) as page:
        page.set_viewport_size(dict(zip(("width", "height"), PHONE, strict=True)))
        yield page


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "ru"])
def test_nothing_on_a_page_is_wider_than_a_phone_in_other_languages(phone, address, language):
    too_wide = {}
    for name in PAGES:
        open_page(phone, address, name, language)
        too_wide[name] = faults_that_stay(phone, lambda: phone.evaluate(TOO_WIDE))
    assert {name: found for name, found in too_wide.items() if found} == {}


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
