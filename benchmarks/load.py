"""A class at one server: people who open the pages, read, type and click, over Streamlit's own websocket.

    python -m benchmarks.load [--people 20 100] [--minutes 10] [--pause 4] [--new 0.5 --add] [--servers 2 --add]

The app starts once, and one person opens every page and asks all that the others ask, as before a lesson: their answers are kept. The
class comes when the server has also opened every page in every language by itself (`app.warm_up`), or after `LONGEST_WARM_UP`. With
``--new`` so large a share of what people type has another word in it, which nobody asked before: its answer is computed then.
Then for each number of people so many come at once: each opens a page that chance names, asks it a few times with values that chance
draws (the questions of `benchmarks.clicks`), reads in between (``--pause`` seconds on average), and goes on to another page. A wait is
that of `benchmarks.visits`. Memory is the resident memory of the server and of the processes that it started, looked at every few
seconds; which models were opened, and how often, is in its log of events. ``--servers 2`` starts so many servers behind nginx, as
docs/howto/server.md says (`benchmarks.servers`): each is prepared, memory is that of all, and people open websockets alone, without
cookies, which go to the servers in turn. ``--add`` keeps the other runs of the file that is there, each with its own commit.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from websockets.exceptions import WebSocketException

from app.wording import TEXT_LANGUAGES
from benchmarks.clicks import PAGES, WORDS
from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    series_of,
    table_of,
    write_results,
)
from benchmarks.servers import MAX_SERVERS, balanced, memory_in_all, memory_watched
from benchmarks.verdict_rules import below, make_claim
from benchmarks.visits import Value, Visit
from embeddings import shelf
from embeddings.files import read_json
from embeddings.lab.experiment import Claim, Drawing, Experiment, Measured

QUESTION = "How long does a class at one server wait for the pages?"
MARKS = {  # class, as `who` names it: claims, each with what is below how many seconds
    "20": {"class_20_median": ("wait_median", 0.3), "class_20_p95": ("wait_p95", 1.0)},
    "20_new": {"class_20_new_median": ("wait_median", 0.3), "class_20_new_p95": ("wait_p95", 1.0)},
    "100": {"class_100_median": ("wait_median", 1.0)},
    "100_servers_2": {"class_100_servers_2_median": ("wait_median", 1.0)},
}
WHOLE = ("20", "100", "100_servers_2")  # nobody is to be lost
STEADY = ("20", "100")  # memory is to stay flat: these runs take an hour
ASKED_WORDS = {*WORDS, *PAGES["contexts"]["text"][1]}  # those whose answers are kept
NEW_WORDS = (300, 6000)  # ranks of the words that are asked anew
PAUSE = 4.0  # seconds that people read, on average
ASKED = (3, 6)  # questions to a page before the next
PATIENCE = 300.0  # seconds after which a person counts as lost
LONGEST_WARM_UP = 900.0  # seconds
SHORT = 5.0  # minutes below which a run only shows that it works
BEGINNING = 10.0  # minutes of a longer run that are told beside the whole of it
FLAT = 1.05  # growth of memory, from the middle of a run to its end, that is still flat
WAITS = {"answers": 0, "wait_median": 2, "wait_p95": 2, "wait_slowest": 2, "wait_errors": 0}
PEOPLE = {
    "people": 0,
    "servers": 0,
    "class_minutes": 0,
    "new_share": 0,
    "class_load": 1,
    **WAITS,
    "lost_people": 0,
    "class_bytes": 0,
    "person_bytes": 1,
}


@dataclass
class Waits:
    """What people met: seconds by page and of the beginning, tracebacks, and why some were lost."""

    begun: float = field(default_factory=time.monotonic)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {page: [] for page in PAGES})
    early: list[float] = field(default_factory=list)  # of all pages
    errors: Counter[str] = field(default_factory=Counter)  # by page
    sentences: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def note(self, page: str, seconds: float, visitor: Visit) -> None:
        """Take a wait, and what the page then shows of errors."""
        self.seconds[page].append(seconds)
        if time.monotonic() - self.begun < 60 * BEGINNING:
            self.early.append(seconds)
        if errors := visitor.exceptions():
            self.errors[page] += 1
            self.sentences += [f"{page}: {error}" for error in errors]


def new_words() -> list[str]:
    """Return common English words, none of which was asked before."""
    words = shelf.load_vectors("en-skipgram").words[slice(*NEW_WORDS)]
    return [word for word in words if word.isalpha() and len(word) > 3 and word not in ASKED_WORDS]


def anew(value: Value, words: Sequence[str], chance: random.Random) -> Value:
    """Return what is typed with another word in the place of the one that was asked before; other values as they are."""
    if not isinstance(value, str):
        return value
    known = next((word for word in value.split() if word.strip(",.") in ASKED_WORDS), "")
    return value.replace(known.strip(",."), chance.choice(words)) if known else value


@dataclass(frozen=True, slots=True)
class Habits:
    """How people read and ask: seconds between two clicks, on average; which share of what they type is new, and its words."""

    pause: float = PAUSE
    share: float = 0.0
    words: Sequence[str] = ()

    def value(self, values: Sequence[Value], chance: random.Random) -> Value:
        """Return one of the values, or a new one."""
        value = chance.choice(values)
        return anew(value, self.words, chance) if chance.random() < self.share else value


def ask(visitor: Visit, page: str, chance: random.Random, habits: Habits) -> float | None:
    """Ask a page one of its questions; None where it has none of them."""
    questions = [question for question in PAGES[page].values() if question[0] in visitor.widgets]
    if not questions:
        return None
    key, values = chance.choice(questions)
    return visitor.set(key, habits.value(values, chance))


def come(port: int, number: int, until: float, habits: Habits, waits: Waits) -> None:
    """Be one person until the time is over."""
    chance = random.Random(number)

    def read() -> bool:
        time.sleep(max(0.0, min(chance.expovariate(1 / habits.pause), until - time.monotonic())))
        return time.monotonic() < until

    try:
        with Visit(port, PATIENCE) as visitor:
            while read():
                page = chance.choice(list(PAGES))
                address = "" if page == "explore" else page
                waits.note(page, visitor.open("lang=en&text=en", address), visitor)
                for _ in range(chance.randint(*ASKED)):
                    if not read() or (seconds := ask(visitor, page, chance, habits)) is None:
                        break
                    waits.note(page, seconds, visitor)
    except (OSError, WebSocketException) as error:  # TimeoutError among them
        waits.lost.append(f"{type(error).__name__}: {error}")


def prepare(port: int) -> None:
    """Open every page and ask all its questions, as a teacher does before the lesson."""
    with Visit(port, PATIENCE) as visitor:
        for page, questions in PAGES.items():
            visitor.open("lang=en&text=en", "" if page == "explore" else page)
            for key, values in questions.values():
                for value in values if key in visitor.widgets else ():
                    visitor.set(key, value)


def wait_for_warm_up(log: IO[str], servers: int, patience: float = LONGEST_WARM_UP) -> float:
    """Wait until each server has opened its pages in each language, or has ended that; return the seconds.

    The log is read where it stands in the file: servers write to it through the same position.
    """
    begun = time.monotonic()
    while (seconds := time.monotonic() - begun) < patience:
        text = os.pread(log.fileno(), os.fstat(log.fileno()).st_size, 0).decode("utf-8")
        ended = [text.count(f'"event": "{event}"') for event in ("warmed", "warm_up_ended")]
        if ended[0] + len(TEXT_LANGUAGES) * ended[1] >= len(TEXT_LANGUAGES) * servers:
            break
        time.sleep(1)
    return seconds


def summary(seconds: Sequence[float]) -> dict[str, Any]:
    """Return how long waits took."""
    every = sorted(seconds)
    if not every:
        return {"answers": 0, "wait_median": None, "wait_p95": None, "wait_slowest": None}
    p95 = every[int(0.95 * (len(every) - 1))]
    return {
        "answers": len(every),
        "wait_median": statistics.median(every),
        "wait_p95": p95,
        "wait_slowest": every[-1],
    }


def measure(
    port: int, processes: Sequence[int], people: int, minutes: float, habits: Habits
) -> dict[str, Any]:
    """Let people come to servers of these processes for so many minutes; return what they met."""
    waits, until, loads = Waits(), time.monotonic() + 60 * minutes, os.getloadavg()[0]
    threads = [
        threading.Thread(target=come, args=(port, number, until, habits, waits))
        for number in range(people)
    ]
    with memory_watched(processes) as memory:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    before, most = memory[0][1], max(size for _, size in memory)
    rows = [
        {"class_page": page, **summary(each), "wait_errors": waits.errors[page]}
        for page, each in waits.seconds.items()
    ]
    return {
        "people": people,
        "servers": len(processes),
        "class_minutes": minutes,
        "pause": habits.pause,
        "new_share": round(100 * habits.share),
        "beginning": summary(waits.early),
        **summary([wait for each in waits.seconds.values() for wait in each]),
        "wait_errors": sum(waits.errors.values()),
        "sentences": waits.sentences[:10],
        "lost_people": len(waits.lost),
        "reasons": waits.lost[:10],
        "class_bytes": most,
        "person_bytes": max(0, most - before) / people,
        "memory": [[round(minute, 2), size] for minute, size in memory],
        "load_average": [loads, os.getloadavg()[0]],
        "pages": rows,
    }


def events(log: IO[str]) -> dict[str, Any]:
    """Return which models the server opened how often, and what it refused, from its log."""
    log.seek(0)
    opened: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    again = 0
    for line in log:
        try:
            event = json.loads(line)
        except ValueError:  # what libraries say
            continue
        if not isinstance(event, dict):
            continue
        if event.get("event") == "opened":
            opened[event["kind"]] += 1
            again += event["again"]
        elif event.get("event") == "refused":
            refused[event["code"]] += 1
    return {"opened": dict(opened), "opened_again": again, "refused": dict(refused)}


def grown(load: dict[str, Any]) -> float:
    """Return the memory in the last quarter of a run over that in its second, medians."""
    sizes = [size for _, size in load["memory"]]
    quarter = max(1, len(sizes) // 4)
    return statistics.median(sizes[-quarter:]) / statistics.median(sizes[quarter : 2 * quarter])


def claims(measured: Measurements) -> Iterator[Claim]:
    """Yield what is asked of a server with so many people: waits of the run that began on the freest machine, memory of the longest."""
    for load in freest(measured["loads"]):
        for name, (wait, bound) in MARKS.get(who(load), {}).items():
            yield make_claim(
                name,
                below,
                {"value": load[wait], "bound": bound},
                {"value": Measured(load[wait], 2)},
                sentence="class_wait",
                ours=load[wait],
            )
    for load in longest(measured["loads"]):
        if who(load) in WHOLE:
            lost = load["lost_people"] + load["wait_errors"]
            yield make_claim(
                f"class_{who(load)}_whole",
                below,
                {"value": lost, "bound": 1},
                {"lost": Measured(load["lost_people"]), "errors": Measured(load["wait_errors"])},
                sentence="class_lost",
            )
        if who(load) in STEADY:
            yield make_claim(
                f"class_{who(load)}_memory",
                below,
                {"value": grown(load), "bound": FLAT},
                {"percent": Measured(100 * (grown(load) - 1), 1)},
                sentence="class_memory",
            )
    again = measured["opened_again"]
    yield make_claim(
        "class_opened_once",
        below,
        {"value": again, "bound": 1},
        {"models": Measured(sum(measured["opened"].values()) - again), "again": Measured(again)},
    )


def with_beginning(load: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a run as rows of a table: its first minutes where it is longer, and the whole."""
    load = load | {"new_share": load.get("new_share", 0), "class_load": load["load_average"][1]}
    if load["class_minutes"] <= BEGINNING:
        return [load]
    untold = dict.fromkeys(PEOPLE)  # what is counted over the whole run alone
    first = {key: load[key] for key in ("people", "new_share")} | load["beginning"]
    first["class_minutes"] = BEGINNING
    return [untold | first, load]


def who(load: dict[str, Any]) -> str:
    """Return the class of a run as names of tables and curves have it: 20, 20_new, 100_servers_2."""
    servers = f"_servers_{count}" if (count := servers_of(load)) > 1 else ""
    return f"{load['people']}{'_new' * bool(load.get('new_share'))}{servers}"


def servers_of(load: dict[str, Any]) -> int:
    """Return how many servers a run had; one where it does not say."""
    return int(load.get("servers", 1))


def run_of(load: dict[str, Any]) -> tuple[str, float]:
    """Return what tells a run from others: its class, and how long it stayed."""
    return who(load), load["class_minutes"]


def freest(loads: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return of each class the run that began at the lowest load average."""
    runs = sorted(loads, key=lambda load: -load["load_average"][0])
    return list({who(load): load for load in runs}.values())


def longest(loads: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return of each class the longest run."""
    runs = sorted(loads, key=lambda load: load["class_minutes"])
    return list({who(load): load for load in runs}.values())


def with_earlier(measured: Measurements, file: Path) -> Measurements:
    """Return what was measured behind the runs of a file; one of as many people, minutes and the same habits is replaced."""
    earlier: Any = read_json(file)
    before, now = earlier["measurements"], {*map(run_of, measured["loads"])}
    kept = [load for load in before["loads"] if run_of(load) not in now]
    return {
        **measured,
        "commands": [*earlier["commands"], measured["command"]],
        "loads": [*kept, *measured["loads"]],
        "opened": before["opened"],  # of one server: the others open the same
        "opened_again": before["opened_again"] + measured["opened_again"],
        "refused": dict(Counter(before["refused"]) + Counter(measured["refused"])),
        "short": earlier.get("short", False) or measured["short"],
        "seconds": earlier.get("seconds", 0.0) + measured["seconds"],
    }


def load_experiment(measured: Measurements) -> Experiment:
    """Return the tables and the memory over time."""
    loads = measured["loads"]
    has_several = any(servers_of(load) > 1 for load in loads)  # else the number is in no column
    rows = [
        row | {"servers": servers_of(load) if has_several else None}
        for load in loads
        for row in with_beginning(load)
    ]
    tables = [table_of("class", rows, PEOPLE)]
    for load in longest(loads):
        if load["people"] > 1:
            name = f"class_pages_{who(load)}"
            tables.append(
                table_of(name, load["pages"], {"class_page": 0, **WAITS}, {"class_page": "page_"})
            )
    memory = Drawing(
        "class_memory",
        "lines",
        "class_minutes",
        "class_memory",
        tuple(series_of(f"people_{who(load)}", load["memory"], 1e-6) for load in longest(loads)),
    )
    return Experiment(
        "load",
        QUESTION,
        tuple(claims(measured)),
        tuple(tables),
        (memory,),
        **about(measured, "load"),
    )


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--people", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--pause", type=float, default=PAUSE, help="seconds that people read")
    parser.add_argument("--new", type=float, default=0.0, help="share of what is typed that is new")
    parser.add_argument("--servers", type=int, choices=range(1, MAX_SERVERS + 1), default=1)
    parser.add_argument("--add", action="store_true", help="keep the file's other runs")
    parser.add_argument("--output", type=Path, default=RESULTS / "load.json")
    options = parser.parse_args()
    if options.servers > 1 and not options.add:
        parser.error(
            "--servers adds a run to those of one server, whose models it does not count: give --add too"
        )
    begun, loads = time.monotonic(), []
    habits = Habits(options.pause, options.new, new_words() if options.new else ())
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryFile("w+", encoding="utf-8") as log,
    ):
        with balanced(options.servers, Path(home), log) as (port, inner, processes):
            for each, process in zip(inner, processes, strict=True):
                prepare(each)
                print(f"every page was opened: {memory_in_all(process) >> 20} MB", flush=True)
            seconds = wait_for_warm_up(log, options.servers)
            print(f"the warm-up took {seconds:.0f} s more", flush=True)
            for people in options.people:
                loads.append(measure(port, processes, people, options.minutes, habits))
                told = {key: loads[-1].get(key) for key in (*PEOPLE, "reasons", "sentences")}
                print(told, flush=True)
        happened = events(log)
    command = (
        "python -m benchmarks.load"
        f" --people {' '.join(map(str, options.people))} --minutes {options.minutes:g}"
        f"{f' --new {options.new:g}' * bool(options.new)}"
        f"{f' --servers {options.servers}' * (options.servers > 1)}{' --add' * options.add}"
    )
    head = head_of_run(command)
    measured: Measurements = {
        **head,
        "cores": os.cpu_count(),
        "seconds": time.monotonic() - begun,
        "short": options.minutes < SHORT,
        "loads": [load | {"commit": head["commit"]} for load in loads],
        **happened,
    }
    if options.add and options.output.exists():
        measured = with_earlier(measured, options.output)
    write_results(options.output, load_experiment(measured), measured)
    print(happened)


if __name__ == "__main__":
    main()
