"""How long a person waits from a click to a still picture, in a real browser, by page and interaction.

    python -m benchmarks.stillness [--pages PAGE ...] [--rounds 3]

The app runs in a process of its own. In a chromium each page is opened from the sidebar, asked with a new text, changed by a control and,
where it has a closed box that asks the server, unfolded: the questions of `benchmarks.clicks`, by mouse and keyboard, each once before it
counts. The clock starts with the event of the press in the browser. The picture is still when that frame is painted after which nothing
changes for `QUIET` (which does not count): no message of the server, no element, no canvas, no image, no font, nothing under way
(``stillness.js``). Beside it stand when the server's first and last message came, and the processor time of the browser, all its processes:
what else runs on the machine prolongs a wait, hardly that. Needs playwright and a chromium: the one that KLYUCH_BROWSER names, or the
first on the path.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from app.wording import wording
from benchmarks.clicks import PAGES
from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.servers import served
from benchmarks.speed import load_summary, read_load
from benchmarks.verdict_rules import below, make_claim
from benchmarks.visits import chromium
from embeddings.lab.experiment import Experiment, Measured

QUESTION = "How long does a click take until the picture is still?"
MARK = 0.5  # seconds, median over pages and interactions
ROUNDS = 3
QUIET = 300  # milliseconds without a change after which a picture is still
POLLING = 50  # milliseconds between two looks
LONGEST = 60_000  # milliseconds until it must be
ANSWERED = 2  # messages of the server to a click: that a run begins, and that it has ended
WATCH = Path(__file__).with_suffix(".js")
TIMES = ("first_answer", "last_answer", "still", "browser_work")
DIGITS = {"page": 0, "interaction": 0, **dict.fromkeys(TIMES, 2)}
Waits = dict[str, float]  # seconds by name, those of `TIMES`


class Visitor:
    """Somebody before a browser, whose waits are measured; ``page`` is what they see."""

    def __init__(self, page: Page) -> None:
        self.page = page
        browser = page.context.browser
        assert browser is not None
        self._processes = browser.new_browser_cdp_session()

    def _browser_work(self) -> float:
        """Return the seconds of processor time that all processes of the browser have taken."""
        processes = self._processes.send("SystemInfo.getProcessInfo")["processInfo"]
        return sum(float(process["cpuTime"]) for process in processes)

    def wait(self, click: Callable[[], object]) -> Waits:
        """Return the seconds from the event of a click until the server's messages and until the picture is still."""
        before = self._browser_work()
        click()
        self.rest(ANSWERED)
        noted = self.page.evaluate("() => window.stillness")
        moments = (noted["firstAnswer"], noted["lastAnswer"], noted["drawn"])
        waits = ((moment - noted["acted"]) / 1e3 for moment in moments)
        return dict(zip(TIMES, (*waits, self._browser_work() - before), strict=True))

    def rest(self, answers: int = 0) -> None:
        """Wait until the picture is still and the server has sent so many messages since the last click."""
        still = f"() => window.stillness?.isStill({QUIET}, {answers})"
        self.page.wait_for_function(still, polling=POLLING, timeout=LONGEST)

    def go(self, name: str) -> None:
        """Choose a page in the sidebar."""
        sidebar = self.page.get_by_test_id("stSidebarNav")
        sidebar.get_by_role("link", name=wording("en")(f"{name}.nav"), exact=True).click()

    def prepare(self, key: str, value: Any, number: int) -> Callable[[], object]:
        """Return what asks the server by a widget: Enter in its field, which is filled before, an arrow on its slider, a click on it."""
        widget = self.page.locator(f".st-key-{key}").first
        self._unfold(widget)
        if (field := widget.locator("input[type=text], input[type=number], textarea")).count():
            field.first.click()
            field.first.fill(str(value))
            press = partial(field.first.press, "Enter")
        elif (slider := widget.locator("input[type=range]")).count():
            slider.first.focus()  # first to the left: some begin at their right end
            press = partial(slider.first.press, "ArrowRight" if number % 2 else "ArrowLeft")
        elif isinstance(value, list):
            press = widget.get_by_text(value[0], exact=True).click
        else:
            press = widget.locator("label").first.click
        self.rest()
        return press

    def _unfold(self, widget: Locator) -> None:
        """Open the closed box, or the further settings, in which a widget lies."""
        if not widget.count():
            settings = self.page.get_by_test_id("stPopover").get_by_role("button")
            settings.filter(has_text=wording("en")("common.more_settings")).first.click()
            widget.wait_for()
            self.rest()
        closed = self.page.locator("details:not([open])", has=widget)
        if closed.count():
            closed.first.locator("summary").click()
            self.rest()

    def box(self) -> Locator | None:
        """Return the head of the page's first box that asks the server when it is opened."""
        boxes = self.page.get_by_test_id("stMain").locator("[class*=st-key-box-] summary")
        return boxes.first if boxes.count() else None

    def check(self, name: str) -> None:
        """Let no traceback count as an answer."""
        if (errors := self.page.get_by_test_id("stException")).count():
            raise RuntimeError(f"{name}: {errors.first.inner_text()}")


def page_waits(visitor: Visitor, name: str, rounds: int) -> Iterator[dict[str, Any]]:
    """Yield the waits of a page by interaction, each after one that warms up."""
    other = "lab" if name == "learn" else "learn"
    opened = []
    for _ in range(rounds + 1):
        visitor.wait(partial(visitor.go, other))
        opened.append(visitor.wait(partial(visitor.go, name)))
        visitor.check(name)
    yield row(name, "open", opened[1:])
    for kind, (key, values) in PAGES[name].items():
        asked = []
        for number, value in enumerate(islice(cycle(values), rounds + 1)):
            asked.append(visitor.wait(visitor.prepare(key, value, number)))
            visitor.check(name)
        yield row(name, kind, asked[1:])
    if (box := visitor.box()) is not None:
        unfolded = []
        for _ in range(rounds + 1):
            unfolded.append(visitor.wait(box.click))
            visitor.check(name)
            visitor.wait(box.click)
        yield row(name, "box", unfolded[1:])


def row(page: str, interaction: str, waits: Sequence[Waits]) -> dict[str, Any]:
    """Return a row of measurements: medians in seconds, and the shortest and the longest wait."""
    still = [wait["still"] for wait in waits]
    return {
        "page": page,
        "interaction": interaction,
        **{name: round(statistics.median(wait[name] for wait in waits), 3) for name in TIMES},
        "least": round(min(still), 3),
        "most": round(max(still), 3),
    }


def stillness_experiment(measured: Measurements) -> Experiment:
    """Return the waits as a table, and whether their median is within the mark."""
    median = statistics.median(row["still"] for row in measured["rows"])
    claim = make_claim(
        "pictures_are_still_soon",
        below,
        {"value": median, "bound": MARK},
        {"median": Measured(median, 2), "rows": Measured(len(measured["rows"]))},
        ours=median,
    )
    table = table_of(
        "stillness", measured["rows"], DIGITS, {"page": "page_", "interaction": "click_"}
    )
    return Experiment("stillness", QUESTION, (claim,), (table,), (), **about(measured, "stillness"))


@contextmanager
def visitor() -> Iterator[Visitor]:
    """Somebody in a fresh browser before an app that has just started, on a page that is drawn."""
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home), KLYUCH_PUBLIC="0", KLYUCH_WARM="0") as (port, _),
        chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
        page.add_init_script(path=WATCH)
        page.goto(f"http://127.0.0.1:{port}/shelf")
        somebody = Visitor(page)
        somebody.rest(ANSWERED)
        yield somebody


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", nargs="*", choices=list(PAGES), default=list(PAGES))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--output", type=Path, default=RESULTS / "stillness.json")
    options = parser.parse_args()
    begun, loads, rows = time.monotonic(), [], []
    with visitor() as somebody:
        for name in options.pages:
            loads.append(read_load())
            for line in page_waits(somebody, name, options.rounds):
                rows.append(line)
                print(line, flush=True)
    measured: Measurements = {
        **head_of_run("python -m benchmarks.stillness", begun),
        "load": load_summary(loads),
        "rounds": options.rounds,
        "short": options.rounds < ROUNDS or options.pages != list(PAGES),
        "quiet_milliseconds": QUIET,
        "rows": rows,
    }
    write_results(options.output, stillness_experiment(measured), measured)
    print(f"median {statistics.median(row['still'] for row in rows):.2f} s")


if __name__ == "__main__":
    main()
