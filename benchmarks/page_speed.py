"""Seconds that a person waits: the first page after a cold start, and the server's part of each answer, on the shipped models.

    python -m benchmarks.page_speed

The first page is timed in a chromium, from starting the server to the page's title on screen. The answers are timed in this process: what
is computed, and a whole run of the page's script without a browser (Streamlit's AppTest). Marks: 3 s, and 300 ms an answer.
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest  # noqa: TID251 - measures the pages

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.servers import free_port
from benchmarks.source_tree import ROOT
from benchmarks.speed import load_summary, read_load
from benchmarks.verdict_rules import all_at_least, make_claim
from benchmarks.visits import chromium
from embeddings import shelf
from embeddings.analysis.analogies import solve
from embeddings.analysis.projection import project
from embeddings.analysis.similarity import neighbours
from embeddings.lab.experiment import Experiment, Measured

QUESTION = "How long does a person wait for the first page, and for an answer?"
FIRST_PAGE, ANSWER = 3.0, 300.0  # seconds, milliseconds: the marks
WORDS = ("dog", "river", "peace", "violin", "winter", "doctor", "castle", "engine", "poem")


def median_ms(call: Callable[[str], object], words: tuple[str, ...] = WORDS) -> float:
    """Median milliseconds over the words, after one call that warms up."""
    call(words[0])
    taken = []
    for word in words:
        begun = time.perf_counter()
        call(word)
        taken.append(1000 * (time.perf_counter() - begun))
    return round(statistics.median(taken), 1)


def computed() -> dict[str, float]:
    """Milliseconds of the questions themselves, in the English skip-gram."""
    vectors = shelf.load_vectors("en-skipgram")
    shown = vectors.words[1000:1200]
    return {
        "neighbours": median_ms(lambda word: neighbours(vectors, word)),
        "analogy": median_ms(lambda word: solve(vectors, f"{word} - man + woman")),
        "map_of_200_words": median_ms(lambda _: project(vectors, shown)),
    }


def reruns() -> dict[str, float]:
    """Milliseconds of a whole run of a page's script after one change."""
    page = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60).run()
    explore = median_ms(lambda word: page.text_input(key="word").set_value(word).run())
    page.switch_page("views/analogies/analogies.py").run()
    analogies = median_ms(
        lambda word: page.text_input(key="formula").set_value(f"{word} - man + woman").run()
    )
    return {"explore": explore, "analogies": analogies}


def first_page() -> float:
    """Seconds from starting the server to the title in a browser that is open already."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app/main.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1"]
    with chromium() as browser:
        page = browser.new_page()
        begun = time.perf_counter()
        server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 0.2).close()
                    break
                except OSError:
                    time.sleep(0.02)
            page.goto(f"http://127.0.0.1:{port}", wait_until="commit")
            page.get_by_role("heading", level=1).wait_for(timeout=60_000)
            return round(time.perf_counter() - begun, 2)
        finally:
            server.terminate()
            server.wait()


def page_experiment(measured: Measurements) -> Experiment:
    """Return the waits as a table, and whether all are within the marks."""
    starts = sorted(measured["first_page_seconds"])
    answers = {**measured["computed_ms"], **measured["page_rerun_ms"]}
    rows = [{"wait": "first_page", "seconds": statistics.median(starts)}]
    rows += [{"wait": name, "seconds": value / 1e3} for name, value in answers.items()]
    shares = [FIRST_PAGE / starts[-1], *(ANSWER / value for value in answers.values())]
    claim = make_claim(
        "waits_are_short",
        all_at_least,
        {"values": shares, "bound": 1.0},
        {"least": Measured(min(shares), 2)},
        ours=min(shares),
    )
    table = table_of("waits", rows, {"wait": 0, "seconds": 3}, {"wait": ""})
    return Experiment("page", QUESTION, (claim,), (table,), (), **about(measured, "page"))


def main() -> None:
    """Measure and write."""
    loads, starts = [], []
    for _ in range(3):
        loads.append(read_load())
        starts.append(first_page())
    loads.append(read_load())
    measured: Measurements = {
        **head_of_run("python -m benchmarks.page_speed"),
        "load": load_summary(loads),
        "first_page_seconds": starts,
        "computed_ms": computed(),
        "page_rerun_ms": reruns(),
    }
    write_results(RESULTS / "page.json", page_experiment(measured), measured)
    print(measured)


if __name__ == "__main__":
    main()
