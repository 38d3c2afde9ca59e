"""Networks of base size on the pages: processor time and memory of opening, of Contexts with 200 contexts, of attention, of another layer.

    python -m benchmarks.research.base_size [--networks FOLDER]

Each network is asked in a process of its own for what the page Contexts asks its loaders for, in its order. Processor time counts all threads: on two free cores the reading of many texts takes
half of it. Peak memory is the system's (VmHWM), mapped files included; ``own_bytes`` is what the process holds for itself alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.research.base_networks import SHAPES, long_contexts, write_network
from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.speed import read_load
from embeddings.lab.experiment import Experiment
from embeddings.shelf import Entry

QUESTION = "Do the pages work with networks of base size?"
CONTEXTS, LENGTH, LANGUAGE = 200, 128, "en"
METHOD = "together"  # how the page finds senses
COLUMNS = {
    "network": 0,
    "open_seconds": 1,
    "contexts_seconds": 1,
    "contexts_wall_seconds": 1,
    "layer_milliseconds": 0,
    "attention_seconds": 2,
    "own_bytes": 0,
    "peak_bytes": 0,
}


def memory(field: str) -> int:
    """Return a field of /proc/self/status in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) * 1024


def timed(ask: Callable[[], object]) -> tuple[float, float]:
    """Return processor seconds, all threads, and seconds on the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    ask()
    return time.process_time() - processor, time.perf_counter() - clock


def ask_pages(shape: str, folder: Path) -> Measurements:
    """Ask one network what the pages ask, in this process."""
    from app.loaders import context_answers, shelf_models
    from app.loaders import network_answers

    entry = Entry(shape, "network", "bert", LANGUAGE, folder)
    static = shelf_models.companion(LANGUAGE)
    assert static is not None
    shelf_models.vectors(static)
    began = memory("RssAnon")
    opened, _ = timed(lambda: shelf_models.reader(entry))
    own = memory("RssAnon") - began
    reader = shelf_models.reader(entry)
    contexts = long_contexts(LANGUAGE, CONTEXTS)
    question = context_answers.Question(entry, LANGUAGE, contexts, "both", static)
    shares: list[float] = []
    of_layer = partial(show_layer, context_answers, question)

    def show_page() -> None:
        context_answers.prepare(question, lambda p: shares.append(p.done / p.total))
        context_answers.answer(question, tuple(range(CONTEXTS)), METHOD)
        of_layer(reader.config.num_hidden_layers)

    processor, clock = timed(show_page)
    layers = [timed(partial(of_layer, layer))[0] for layer in (4, 7, 10)]
    text = " ".join(context.text for context in contexts)
    read = reader.wordpiece.encode(text)
    end = read.offsets[LENGTH - 2][1]
    texts = (text[:end], "")
    attention, _ = timed(
        lambda: network_answers.attention_panel(entry, texts, "word", "shown", "all", "weights")
    )
    return {
        "network": shape,
        "tokens_a_context": round(
            float(np.mean([len(reader.wordpiece.encode(c.text).ids) for c in contexts])), 1
        ),
        "attention_tokens": len(reader.wordpiece.encode(texts[0]).ids),
        "form": reader.form,
        "reports": len(shares),
        "open_seconds": round(opened, 2),
        "contexts_seconds": round(processor, 2),
        "contexts_wall_seconds": round(clock, 2),
        "layer_milliseconds": round(1000 * float(np.median(layers))),
        "attention_seconds": round(attention, 2),
        "own_bytes": own,
        "peak_bytes": memory("VmHWM"),
    }


def show_layer(context_answers, question, layer: int) -> None:  # type: ignore[no-untyped-def]
    """Ask for what the page shows of a layer: senses, their names and separation, the cosines."""
    from dataclasses import replace

    found = context_answers.answer(question, tuple(range(CONTEXTS)), METHOD).induction
    assert found is not None
    labels = tuple(int(label) for label in found.labels)
    asked = replace(question, vector="word")
    context_answers.sense_names(asked, labels)
    context_answers.words_around(asked, labels)
    context_answers.sweep(question, tuple(map(str, labels)), tuple(range(CONTEXTS)))
    context_answers.likeness(question, layer)


def smallest_cosine(folder: Path) -> float:
    """Return the smallest cosine of a state in bf16 with the same in float32, over the words of some texts in all layers but the first."""
    from dataclasses import replace

    from embeddings.probing.network import open_reader
    from embeddings.probing.context_states import word_states
    from embeddings.text.word_positions import words_at
    from embeddings.vectors.vector_rows import normalize_rows

    reader = open_reader(folder)
    texts = [context.text for context in long_contexts(LANGUAGE, 8)]
    words = [(text, (start, end)) for text in texts for _, start, end in words_at(text)]
    first, second = (
        normalize_rows(word_states(replace(reader, form=form), words).vectors[:, 1:])
        for form in ("float32", "bfloat16")
    )
    return float(np.sum(first * second, -1).min())


def base_size_experiment(measured: Measurements) -> Experiment:
    """Return what each network took, as a table."""
    table = table_of("base_size", measured["rows"], COLUMNS, {"network": ""})
    return Experiment("base_size", QUESTION, (), (table,), (), **about(measured, "base_size"))


def in_process(arguments: list[str], home: Path) -> Measurements:
    """Run this script in a process of its own and return what it prints last."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.research.base_size", *arguments],
        env={**os.environ, "KLYUCH_HOME": str(home)},
        check=True,
        capture_output=True,
        text=True,
    )
    value: Measurements = json.loads(done.stdout.splitlines()[-1])
    return value


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=Path, help="folder where the networks are, or are kept")
    parser.add_argument("--conditions", default="alone on the machine")
    parser.add_argument("--output", type=Path, default=RESULTS / "base_size.json")
    parser.add_argument("--ask", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--compare", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        print(json.dumps(ask_pages(options.ask[0], Path(options.ask[1]))))
        return
    if options.compare:
        print(json.dumps({"cosine": smallest_cosine(options.compare)}))
        return
    rows, loads = [], []
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary) / "home"
        for shape in SHAPES:
            folder = (options.networks or Path(temporary)) / shape
            if not folder.exists():
                write_network(shape, folder)
            loads.append(read_load().average)
            rows.append(in_process(["--ask", shape, str(folder)], home))
            print(rows[-1], flush=True)
        compared = in_process(["--compare", str(folder.parent / SHAPES[0])], home)
    result: Measurements = {
        **head_of_run("python -m benchmarks.research.base_size"),
        "conditions": options.conditions,
        "load_averages": [round(load, 1) for load in loads],
        "contexts": CONTEXTS,
        "smallest_bf16_cosine": round(compared["cosine"], 5),
        "rows": rows,
    }
    write_results(options.output, base_size_experiment(result), result)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
