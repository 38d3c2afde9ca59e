"""Twenty tasks of a pupil, a researcher and a linguist, done in a real browser by what the pages alone say, with the clicks counted.

    python -m benchmarks.research.tasks [--only NAME ...] [--pictures FOLDER]
    python -m benchmarks.research.tasks --document        # writes the table of notes/tasks.md from the results

Each task begins on the first screen in a fresh browser of the person's language and ends where the answer stands on the page or in a file.
A click is a press of the mouse on a link, a button, an option or a field of choice; a field is a text that is typed or a file that is
given. Needs playwright and a chromium: the one that KLYUCH_BROWSER names, or the first on the path. notes/tasks.md tells the tasks.
Writes benchmarks/results/tasks.json.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from app.wording import Wording, wording
from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    read_results,
    table_of,
    write_results,
)
from benchmarks.source_tree import ROOT
from benchmarks.servers import served
from benchmarks.visits import chromium
from benchmarks.verdict_rules import at_least, make_claim
from embeddings.lab.experiment import Experiment, Measured

QUESTION = "How many clicks do twenty tasks take a new visitor?"
DOCUMENT = ROOT / "notes" / "tasks.md"
MARKS = ("<!-- tasks -->", "<!-- /tasks -->")
LONGEST = 60_000  # milliseconds until an answer
MOMENT = 500  # milliseconds
LOCALES = {"en": "en-US", "ru": "ru-RU", "de": "de-DE"}


@dataclass
class Person:
    """Somebody before a browser: what they do is counted."""

    page: Page
    address: str
    say: Wording
    folder: Path
    clicks: int = 0
    fields: int = 0
    notes: list[str] = field(default_factory=list)

    def arrive(self) -> None:
        """Open the first screen."""
        self.page.goto(self.address)
        expect(self.page.locator("h1")).to_be_visible()
        self.settle()

    def settle(self) -> None:
        """Wait until the page rests; a run begins a moment after what causes it."""
        self.page.wait_for_timeout(MOMENT)
        script = self.page.get_by_test_id("stApp")
        expect(script).to_have_attribute("data-test-script-state", "notRunning")

    def click(self, target: Locator) -> None:
        """Click something that is in sight or can be scrolled to."""
        self.settle()
        target.click()
        self.clicks += 1
        self.settle()

    def go(self, name: str) -> None:
        """Choose a page in the sidebar."""
        self.click(
            self.page.get_by_test_id("stSidebarNav").get_by_role(
                "link", name=self.say(f"{name}.nav"), exact=True
            )
        )
        expect(self.page.locator("h1")).to_have_text(self.say(f"{name}.title"))
        self.settle()

    def button(self, key: str, **values: Any) -> None:
        """Press a button by what stands on it."""
        self.click(self.main.get_by_role("button", name=self.say(key, **values)).first)

    def option(self, key: str, option: str) -> None:
        """Choose one of a row of options."""
        row = self.page.locator(f".st-key-{key}")
        self.click(row.get_by_text(self.say(f"{key}.{option}"), exact=True))

    def switch(self, key: str) -> None:
        """Turn a switch."""
        self.click(self.page.locator(f".st-key-{key} label").first)

    def pick(self, key: str, text: str) -> None:
        """Choose from a list that opens."""
        self.settle()
        self._open_list(key)
        self.page.get_by_role("option", name=text).first.click()
        self.clicks += 2
        self.settle()

    def type(self, key: str, text: str) -> None:
        """Type a text into a field, and Enter."""
        self.settle()
        target = self.page.locator(f".st-key-{key}").locator("input, textarea").first
        target.fill(text)
        target.press("Control+Enter")
        self.fields += 1
        self.settle()

    def give(self, file: Path, number: int = 0) -> None:
        """Give a file to the page."""
        self.settle()
        self.page.locator("[data-testid=stFileUploader] input[type=file]").nth(
            number
        ).set_input_files(file)
        expect(self.page.get_by_test_id("stFileUploader").nth(number)).to_contain_text(file.name)
        self.fields += 1
        self.settle()

    def open(self, key: str) -> None:
        """Open a part that is closed."""
        self.click(self.main.get_by_text(self.say(key)).first)

    def save(self, target: Locator) -> Path:
        """Click what gives a file, and return it."""
        self.settle()
        with self.page.expect_download() as download:
            target.click()
        self.clicks += 1
        path = self.folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def save_table(self, key: str) -> list[dict[str, str]]:
        """Save a table as CSV and read it."""
        path = self.save(
            self.page.locator(f".st-key-csv-{key} [data-testid=stDownloadButton] button").first
        )
        return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))

    @property
    def main(self) -> Locator:
        """The page without its sidebar."""
        return self.page.get_by_test_id("stMain")

    def reads(self, pattern: str) -> str:
        """Wait for a text on the page and return what of it matches."""
        compiled = re.compile(pattern)
        expect(self.main.get_by_text(compiled).first).to_be_visible()
        match = compiled.search(self.main.inner_text())
        return match.group() if match else ""

    def add_model(self, name: str) -> None:
        """Choose one more model in the sidebar."""
        self.click(self.page.locator(".st-key-models").get_by_text(name, exact=True))

    def _open_list(self, key: str) -> None:
        """Open the list of a field of choice."""
        chooser = self.page.locator(f".st-key-{key} input").first
        chooser.click()
        chooser.press("ArrowDown")
        expect(self.page.get_by_role("option").first).to_be_visible()

    def names_in(self, figure: str) -> list[str]:
        """The words that a figure shows."""
        drawn = self.page.locator(f".st-key-{figure} .js-plotly-plot").first
        expect(drawn).to_be_visible()
        return [text.strip() for text in drawn.locator("text").all_text_contents() if text.strip()]


Task = Callable[[Person], str]
TASKS: dict[str, tuple[str, str, Task]] = {}  # name: person, language of the screen, what is done


def task(who: str, language: str) -> Callable[[Task], Task]:
    """Enter a task into the list."""

    def enter(done: Task) -> Task:
        TASKS[done.__name__] = (who, language, done)
        return done

    return enter


@task("pupil", "de")
def neighbours_of_haus(person: Person) -> str:
    """Find three words near Haus."""
    person.type("word", "Haus")
    names = person.names_in("neighbours-de-skipgram")
    words = [name for name in names if re.fullmatch(r"[a-zäöüß-]{3,}", name)]
    assert len(words) >= 3, names
    return ", ".join(words[:3])


@task("pupil", "en")
def capital_of_germany(person: Person) -> str:
    """Compute paris - france + germany."""
    person.go("analogies")
    person.type("formula", "paris - france + germany")
    return person.reads("berlin")


@task("pupil", "en")
def odd_one_out(person: Person) -> str:
    """Find out which of breakfast, dinner, lunch and car does not belong."""
    person.type("odd", "breakfast, dinner, lunch, car")
    expect(person.main.get_by_text(re.compile(r"\bcar\b")).first).to_be_visible()
    return "car"


@task("pupil", "ru")
def missing_word(person: Person) -> str:
    """Find out what may stand in a Russian sentence with a gap."""
    person.go("fill")
    person.type("fill_first", "Мальчик читает интересную [MASK].")
    names = person.names_in("fill-1")
    assert "книгу" in names, names
    return ", ".join(name for name in names if re.fullmatch(r"[а-яё]{3,}", name))[:60]


@task("pupil", "en")
def translated_sentence(person: Person) -> str:
    """Find out how a sentence is said in German."""
    person.go("translate")
    person.type("translate_text", "A dog is running in the park.")
    return person.reads(r"Ein Hund [^\n]*")


@task("pupil", "en")
def sense_of_bank(person: Person) -> str:
    """Find out which sense bank has in each of six sentences."""
    person.go("contexts")
    person.option("contexts_source", "own")
    lines = (
        "We sat on the bank of the river and fished.\nThe bank of the river was wet.\n"
        "The boat came to the bank of the stream.\nThe bank lent them money for the house.\n"
        "She keeps her money in a bank.\nThe bank raised its rates on loans."
    )
    person.type("contexts_asked", "bank")
    person.type("contexts_lines", lines)
    person.reads(person.say("contexts.senses"))
    return " / ".join(re.findall(r"Words around: ([^\n]*)", person.main.inner_text()))


@task("pupil", "de")
def first_lesson(person: Person) -> str:
    """Take the first lesson to its end."""
    person.click(person.page.get_by_role("link", name=person.say("tour.lesson")))
    for step in range(1, 5):
        person.click(person.page.locator(f".st-key-learn-guess-{step}-0 button"))
        person.click(person.page.locator(".st-key-learn-next button"))
    return person.reads(re.escape(person.say("learn.discuss")))


@task("pupil", "en")
def film_review(person: Person) -> str:
    """Find out whether a review is positive, and which word says so."""
    person.go("classify")
    person.type("classify_text", "A boring story, but wonderful actors.")
    return person.reads(r"(Unsure: rather )?(positive|negative), [\d.]+ %")


@task("researcher", "en")
def neighbours_as_csv(person: Person) -> str:
    """Save the neighbours of music with their cosines, and a line to cite."""
    person.type("word", "music")
    rows = person.save_table("neighbours")
    person.open("common.take_away")
    cited = person.reads(r"en-skipgram \([^\n]*sha256")
    return f"{len(rows)} rows; {cited[:40]}"


@task("researcher", "en")
def two_models_compared(person: Person) -> str:
    """Find out on which of five words two models agree most."""
    person.go("compare")
    person.type("compared", "music, freedom, dog, river, bank")
    rows = person.save_table("compare-words")
    assert len(rows) == 5, rows
    return f"{len(rows)} rows: {rows[0]}"[:90]


@task("researcher", "en")
def own_text_trained(person: Person) -> str:
    """Train on a pasted text, and set its neighbours of a word beside those of the shipped model."""
    person.go("train")
    person.option("train_source", "paste")
    lines = ["the cat sees the dog in the yard", "a dog sees a cat and runs", "the yard has a cat"]
    person.settle()
    person.page.locator(".st-key-train_pasted textarea").fill("\n".join(lines * 200))
    person.fields += 1
    person.click(person.page.locator(".st-key-train-take button"))
    person.click(person.page.locator(".st-key-train-start button"))
    explore = person.page.locator(".st-key-train-explore button")
    expect(explore).to_be_visible()
    person.click(explore)
    expect(person.page.locator("h1")).to_have_text(person.say("explore.title"))
    person.add_model(person.say("method.skipgram"))
    person.type("word", "dog")
    return ", ".join(person.names_in("neighbours-en-skipgram"))[:60]


@task("researcher", "en")
def head_switched_off(person: Person) -> str:
    """Turn one head of a network off and see what happens to its guess."""
    person.go("attention")
    person.switch("off")
    person.settle()
    person.pick("off_heads", "layer 2, head 2")
    person.page.keyboard.press("Escape")
    person.settle()
    return person.reads(r"The first guess (stays|was) [^\n]*")[:80]


@task("researcher", "en")
def pruning_claim(person: Person) -> str:
    """Find out whether the claim of the literature on pruned heads holds here, and by which command."""
    person.go("lab")
    person.option("lab_experiment", "pruning")
    person.reads(r"python -m benchmarks\.pruning")
    return person.reads(r"Here, in the encoder alone[^:]*")[:90]


@task("researcher", "en")
def map_as_svg(person: Person) -> str:
    """Draw a map of ten words and save it as SVG."""
    person.type("word", "king, queen, man, woman, dog, cat, horse, car, train, ship")
    expect(person.page.locator(".st-key-map .js-plotly-plot").first).to_be_visible()
    path = person.save(person.page.locator(".st-key-map .modebar-btn[data-title^='Download plot']"))
    assert "<svg" in path.read_text(encoding="utf-8")
    return path.name


@task("researcher", "en")
def own_vectors(person: Person) -> str:
    """Bring vectors of one's own and ask for the neighbours of a word in them."""
    person.go("shelf")
    person.option("shelf_part", "bring")
    file = person.folder / "mine.txt"
    file.write_text(
        "sun 1 0 0.1\nmoon 0.9 0.1 0\nstar 0.8 0.3 0.1\nbread 0 1 0\nbutter 0.1 0.9 0.2\n",
        encoding="utf-8",
    )
    person.give(file)
    person.click(person.page.locator(".st-key-shelf-import button"))
    person.reads("is on the shelf")
    person.go("explore")
    person.add_model("mine")
    person.type("word", "sun")
    names = person.names_in("neighbours-mine")
    assert "moon" in names, names
    return ", ".join(names)[:60]


@task("linguist", "en")
def lines_of_own_text(person: Person) -> str:
    """Find all lines with a word, in all forms, in a text of one's own, and what stands by it."""
    person.go("contexts")
    person.option("contexts_source", "corpus")
    store = person.page.locator(".st-key-contexts-take button")
    if not store.is_visible():  # open at first, closed once there is a text of one's own
        person.open("contexts.bring")
    person.give(_novel(person.folder))
    person.click(store)
    person.type("contexts_asked", "river")
    forms = person.reads(r"Forms found [^\n]*")
    person.go("explore")
    person.type("word", "river")
    person.pick("sentences_corpus", "novel")
    person.reads(re.escape(person.say("sentences.collocates")))
    return forms


@task("linguist", "en")
def annotations_agree(person: Person) -> str:
    """Measure how far one's own annotation agrees with the senses found."""
    person.go("contexts")
    path = person.save(person.page.locator("[class*=st-key-senses][class*=csv] button"))
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    for row in rows:  # the linguist's own labels: here those of the words around money
        row["gold_sense_id"] = (
            "money" if re.search("money|loan|account|crisis|novelist", row["context"]) else "river"
        )
    mine = path.with_name("mine.csv")
    with mine.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    person.open("contexts.agreement")
    person.give(mine)
    kappa = person.main.get_by_test_id("stMetric").filter(has_text="kappa")
    expect(kappa).to_be_visible()
    return " ".join(kappa.inner_text().split())


@task("linguist", "en")
def senses_by_hand(person: Person) -> str:
    """Rename a sense, split it, undo the split and save the result."""
    person.go("contexts")
    person.open("contexts.arrange")
    name = person.page.locator("[class*=st-key-sense-name] input, [class*=st-key-sense_name] input")
    person.settle()
    name.first.fill("shore")
    name.first.press("Enter")
    person.fields += 1
    person.settle()
    person.click(person.page.locator(".st-key-sense-split button"))
    person.click(person.page.locator(".st-key-sense-undo button"))
    path = person.save(person.page.locator("[class*=st-key-senses][class*=json] button"))
    assert "shore" in path.read_text(encoding="utf-8")
    return path.name


@task("linguist", "de")
def grammatical_sentence(person: Person) -> str:
    """Find out which of two German sentences a network takes to be grammatical."""
    person.go("grammar")
    person.type("grammar_first", "Die Schlüssel zum Schrank liegen auf dem Tisch.")
    person.type("grammar_second", "Die Schlüssel zum Schrank liegt auf dem Tisch.")
    return person.reads(r"liegen[^\n]*")[:80]


@task("linguist", "en")
def why_near(person: Person) -> str:
    """Find out why dog and cat are near."""
    person.type("word", "dog")
    person.pick("why", "cat")
    return person.reads(r"dog and cat [^\n]*")[:80]


def _novel(folder: Path) -> Path:
    """A text of some paragraphs."""
    file = folder / "novel.txt"
    sentences = [
        "The old river ran past the mill.",
        "Two rivers met below the town.",
        "He swam across the cold river at night.",
        "The mill stood on the bank of the river.",
        "They sold bread in the town.",
    ]
    file.write_text("\n\n".join(sentences * 6) + "\n", encoding="utf-8")
    return file


def carry_out(
    browser: Browser, address: str, name: str, folder: Path, pictures: Path | None
) -> dict[str, Any]:
    """Do one task and return its row."""
    who, language, done = TASKS[name]
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, locale=LOCALES[language], accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(LONGEST)
    begun = time.monotonic()
    person = Person(page, address, wording(language), folder)
    outcome, error = "", ""
    try:
        person.arrive()
        outcome = " ".join(done(person).split())
        assert page.get_by_test_id("stException").count() == 0, "a traceback stands on the page"
    except Exception as caught:  # a task that fails is a row as well
        error = str(caught).split("\n", 1)[0][:200]
    if pictures:
        page.set_viewport_size({"width": 1280, "height": 2600})
        person.settle()
        page.screenshot(path=pictures / f"{name}.png", full_page=True)
    context.close()
    return {
        "task": name,
        "person": who,
        "language": language,
        "done": not error,
        "clicks": person.clicks,
        "fields": person.fields,
        "seconds": round(time.monotonic() - begun, 1),
        "answer": outcome or error,
    }


def tasks_experiment(measured: Measurements) -> Experiment:
    """Return whether all tasks were done, and their clicks as a table."""
    rows = measured["rows"]
    finished = sum(row["done"] for row in rows)
    claim = make_claim(
        "tasks_are_done",
        at_least,
        {"value": finished, "bound": len(rows)},
        {
            "done": Measured(finished),
            "tasks": Measured(len(rows)),
            "clicks": Measured(statistics.median(row["clicks"] for row in rows), 1),
            "most": Measured(max(row["clicks"] for row in rows)),
        },
        ours=finished,
    )
    digits = {"task": 0, "person": 0, "language": 0, "clicks": 0, "fields": 0}
    table = table_of("tasks", rows, digits, {"task": "", "person": "", "language": ""})
    return Experiment("tasks", QUESTION, (claim,), (table,), (), **about(measured, "tasks"))


def task_table(rows: list[dict[str, Any]]) -> str:
    """Return tasks and counts as the table of notes/tasks.md."""
    lines = [
        "| | who | language | task | clicks | fields | done |",
        "|---|---|---|---|---|---|---|",
    ]
    for number, row in enumerate(rows, 1):
        told = (TASKS[row["task"]][2].__doc__ or "").strip().rstrip(".")
        cells = (row["person"], row["language"], told, row["clicks"], row["fields"])
        finished = "yes" if row["done"] else "no"
        lines.append(f"| {number} | " + " | ".join(map(str, cells)) + f" | {finished} |")
    clicks = [row["clicks"] for row in rows]
    middle = f"{statistics.median(clicks):g}"
    lines += [
        "",
        f"Done: {sum(row['done'] for row in rows)} of {len(rows)}. Clicks: {middle} in the median, {max(clicks)} at most.",
    ]
    return "\n".join(lines)


def write_document() -> None:
    """Put the table into notes/tasks.md."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    block = f"{MARKS[0]}\n{task_table(read_results('tasks')['rows'])}\n{MARKS[1]}"
    DOCUMENT.write_text(before + block + after, encoding="utf-8")


def main() -> None:
    """Carry all tasks out and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each last screen")
    parser.add_argument("--output", type=Path, default=RESULTS / "tasks.json")
    parser.add_argument("--document", action="store_true", help="write notes/tasks.md and end")
    options = parser.parse_args()
    if options.document:
        write_document()
        return
    expect.set_options(timeout=LONGEST)
    begun, rows = time.monotonic(), []
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as folder,
        served(Path(home), KLYUCH_PUBLIC="0", KLYUCH_WARM="0") as (port, _),
        chromium() as browser,
    ):
        for name in options.only:
            address = f"http://127.0.0.1:{port}"
            rows.append(carry_out(browser, address, name, Path(folder), options.pictures))
            print(rows[-1], flush=True)
    if options.only != list(TASKS):
        return
    measured: Measurements = {
        **head_of_run("python -m benchmarks.research.tasks", begun),
        "rows": rows,
    }
    write_results(options.output, tasks_experiment(measured), measured)


if __name__ == "__main__":
    main()
