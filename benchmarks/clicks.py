"""What a click costs the server: processor time of the app for the opening of each page, a run with nothing changed, a new text, a control.

    python -m benchmarks.clicks [--before FILE]

The app runs in a process of its own and is asked over Streamlit's websocket, as by a browser. A cost is the processor time of that
process, all threads, from the message until the server rests: what else runs on the machine prolongs a wait, hardly this. Each
question is asked ``ROUNDS`` times with another value, after one that warms up; the row tells the median. ``--before`` names a file that
this script wrote at an earlier commit, whose medians then stand beside the new ones.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from app.wording import wording
from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.servers import served
from benchmarks.verdict_rules import below, make_claim
from benchmarks.visits import Value, Visit
from embeddings.files import read_json
from embeddings.lab.experiment import Experiment, Measured
from embeddings.lab.experiment_files import parse

QUESTION = "How much of the server's time does a click take?"
MARK = 60.0  # milliseconds of a click, median over pages and interactions
ROUNDS = 5
RESTING = 0.05  # seconds between two looks at the process
IDLE = 0.004  # seconds of processor time in that while: the server rests
WORDS = ("dog", "river", "peace", "violin", "winter", "doctor", "castle", "engine")
Question = tuple[str, Sequence[Value]]  # a widget's key and its values


def labels(key: str, *options: str, names: str = "") -> Question:
    """Return choices of a row of buttons as the browser sends them; ``names``: where their wording is, if not under the key."""
    return key, [[wording("en")(f"{names or key}.{option}")] for option in options]


PAGES: dict[str, dict[str, Question]] = {
    "learn": {"control": labels("learn_shown", "glossary", "lessons")},
    "explore": {"text": ("word", WORDS), "control": ("n", range(11, 19))},
    "associations": {"text": ("pair", [f"{word}, cat" for word in WORDS])},
    "analogies": {
        "text": ("formula", [f"{word} - man + woman" for word in WORDS]),
        "control": labels("rule", "mul", "add"),
    },
    "compare": {
        "text": ("compared", [f"{word}, cat, spring, key" for word in WORDS]),
        "control": ("compared_n", range(11, 19)),
    },
    "ratios": {"text": ("probes", [f"solid, gas, {word}" for word in WORDS])},
    "contexts": {
        "text": ("contexts_word", ["key", "plant", "spring", "match", "rock", "seal"]),
        "control": ("contexts_layer", range(6)),
    },
    "attention": {
        "text": ("attention_first", [f"The {word} is in the old house." for word in WORDS]),
        "control": labels("attention_level", "token", "word"),
    },
    "fill": {
        "text": ("fill_first", [f"The {word} is in the [MASK]." for word in WORDS]),
        "control": ("fill_words", [False, True]),
    },
    "grammar": {"text": ("grammar_first", [f"The {word} in the houses is old." for word in WORDS])},
    "translate": {
        "text": ("translate_text", [f"A man sees a {word} in the park." for word in WORDS]),
        "control": ("translate_width", range(2, 8)),
    },
    "classify": {
        "text": (
            "classify_text",
            [f"A dull film about a {word}, but well acted." for word in WORDS],
        )
    },
    "inside": {
        "text": ("inside_text", [f"The {word} is old." for word in WORDS]),
        "control": labels("inside_step", "heads", "tokens"),
    },
    "lab": {"control": labels("lab_experiment", "depth", "static", "senses", "albert")},
    "train": {"control": labels("train_method", "cbow", "skipgram", names="method")},
    "shelf": {"control": labels("shelf_part", "corpora", "scores", "models")},
}


def processor_time(process: int) -> float:
    """Return the seconds of processor time that a process has taken, all of its threads, those that ended too."""
    # the clock of another process, clock_getcpuclockid(3)
    return time.clock_gettime((~process << 3) | 2)


def cost(process: int, click: Callable[[], object]) -> float:
    """Return milliseconds of processor time that the server takes for a click, until it rests."""
    begun = processor_time(process)
    click()
    before, now = 0.0, processor_time(process)
    while now - before > IDLE:
        time.sleep(RESTING)
        before, now = now, processor_time(process)
    return 1000 * (now - begun)


def page_costs(
    port: int, process: int, page: str, questions: dict[str, Question]
) -> Iterator[dict[str, Any]]:
    """Yield the costs of a page by interaction."""

    def opening() -> float:
        with Visit(port) as visitor:
            taken = cost(process, lambda: visitor.open("lang=en&text=en", address))
            check(visitor, page)
        return taken

    address = "" if page == "explore" else page
    first = opening()
    yield row(page, "first", [first])
    yield row(page, "open", [opening() for _ in range(ROUNDS)])
    with Visit(port) as visitor:
        visitor.open("lang=en&text=en", address)
        yield row(page, "again", [cost(process, visitor.again) for _ in range(ROUNDS)])
        for interaction, (key, values) in questions.items():
            warm, *others = islice(cycle(values), ROUNDS + 1)
            visitor.set(key, warm)
            taken = []
            for value in others:
                taken.append(cost(process, partial(visitor.set, key, value)))
                check(visitor, page)
            yield row(page, interaction, taken)


def row(page: str, interaction: str, taken: Sequence[float]) -> dict[str, Any]:
    """Return a row of measurements."""
    return {
        "page": page,
        "interaction": interaction,
        "milliseconds": round(statistics.median(taken), 1),
        "least": round(min(taken), 1),
        "most": round(max(taken), 1),
    }


def check(visitor: Visit, page: str) -> None:
    """Let no traceback count as an answer."""
    if errors := visitor.exceptions():
        raise RuntimeError(f"{page}: {errors[0]}")


def clicks(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Return the medians of what a person does on an open page, and of opening it again: all but the first opening since the start."""
    return [row["milliseconds"] for row in rows if row["interaction"] != "first"]


def clicks_experiment(measured: Measurements) -> Experiment:
    """Return the costs as a table, beside those before, and whether their median is within the mark."""
    before = {
        (row["page"], row["interaction"]): row["milliseconds"]
        for row in measured.get("before", {}).get("rows", [])
    }
    rows = [
        {**row, "before": before.get((row["page"], row["interaction"]))} for row in measured["rows"]
    ]
    median = statistics.median(clicks(measured["rows"]))
    claim = make_claim(
        "clicks_are_cheap",
        below,
        {"value": median, "bound": MARK},
        {"median": Measured(median, 0)},
        ours=median,
    )
    digits = {"page": 0, "interaction": 0, "before": 0, "milliseconds": 0}
    table = table_of("clicks", rows, digits, {"page": "", "interaction": ""})
    return Experiment("clicks", QUESTION, (claim,), (table,), (), **about(measured, "clicks"))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", type=Path, help="a file that this script wrote earlier")
    parser.add_argument("--pages", nargs="*", default=list(PAGES))
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    begun, loads, rows = time.monotonic(), [os.getloadavg()[0]], []
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home), KLYUCH_PUBLIC="0", KLYUCH_WARM="0") as (port, process),
    ):
        for page in options.pages:
            for line in page_costs(port, process, page, PAGES[page]):
                rows.append(line)
                print(line, flush=True)
            loads.append(os.getloadavg()[0])
    measured: Measurements = {
        **head_of_run("python -m benchmarks.clicks", begun),
        "load_average": [min(loads), max(loads)],
        "rounds": ROUNDS,
        "rows": rows,
    }
    if options.before:
        experiment, earlier = parse(read_json(options.before))
        measured["before"] = {"commit": experiment.commit, "rows": earlier["rows"]}
    output = options.output or RESULTS / "clicks.json"
    write_results(output, clicks_experiment(measured), measured)
    print(f"median {statistics.median(clicks(rows)):.0f} ms")


if __name__ == "__main__":
    main()
