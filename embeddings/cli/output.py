"""Printing a result: a table for people, ``--json`` for programs; and the progress bar that training commands share."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from embeddings.cli.html_option import write_page
from embeddings.jobs.progress_log import ProgressLog
from embeddings.results import Progress, Report
from embeddings.results.display import plain
from embeddings.results.sentence_answers import WordShare
from embeddings.results.vector_answers import RunRange
from embeddings.saved_page.answer import SavedAnswer, Source


def emit(
    value: Any,
    as_json: bool,
    table: Callable[[], Table | str],
    page: Callable[[Source], SavedAnswer] | None = None,
) -> None:
    """Print ``value`` as JSON, or what ``table()`` draws; a sentence is never broken, so that a path in it can be copied.

    With ``--html`` the answer is also written as a file: what ``page`` returns, or tables of ``value``.
    """
    write_page(value, page)
    drawn = json.dumps(plain(value), ensure_ascii=False) if as_json else table()
    if isinstance(drawn, str):
        print(drawn)
    else:
        Console().print(drawn, highlight=False)


def deviation_text(span: RunRange) -> str:
    """Return the mean of several trainings with their standard deviation."""
    mean = _cell(span.mean)
    return mean if span.deviation is None else f"{mean} ± {_cell(span.deviation)}"


def grid(*columns: str, rows: Sequence[tuple[object, ...]]) -> Table:
    """Return a table; floats get four digits, None a dash, numbers stand to the right."""
    table = Table()
    numeric = [all(not isinstance(row[i], str) for row in rows) for i in range(len(columns))]
    for name, right in zip(columns, numeric, strict=True):
        table.add_column(name, justify="right" if right else "left")
    for row in rows:
        table.add_row(*(_cell(item) for item in row))
    return table


def _cell(item: object) -> str:
    """One cell of a table."""
    if item is None:
        return "–"
    return f"{item:.4f}" if isinstance(item, float) else str(item)


def attribution_table(
    words: Sequence[WordShare], baseline: float, residual: float, total: tuple[str, float]
) -> Table:
    """Draw what each word adds, and that it adds up: a row a word, then the baseline, the residual and the named total."""
    rows: list[tuple[object, ...]] = [
        (word.word, word.attribution, word.occlusion, word.attention) for word in words
    ]
    others = [("(all words masked)", baseline), ("(residual)", residual), total]
    rows += [(name, value, None, None) for name, value in others]
    return grid("word", "integrated gradients", "occlusion", "attention", rows=rows)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "step"), counted(2_000, "step")
    ('1 step', '2,000 steps')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def bytes_in_words(size: int | None) -> str:
    """Return a size as a person reads it; a dash where it is not known."""
    if not size:
        return "–"
    for unit, bytes_each in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= bytes_each:
            return f"{size / bytes_each:.1f} {unit}"
    return f"{size} B"


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Report]:
    """Yield a ``report`` function that draws `Progress` values on standard error: one line a phase, rate, loss, time left."""
    columns = (
        TextColumn("{task.description:<24}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} % {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    log_path = os.environ.get("KLYUCH_PROGRESS")  # of a job, which nobody watches line by line
    log = ProgressLog(Path(log_path)) if log_path else None
    with Bar(*columns, console=Console(stderr=True), disable=quiet or bool(log_path)) as bar:
        tasks: dict[tuple[str, int], Any] = {}

        def report(at: Progress) -> None:
            if log:
                log.add(at)
            key = (at.phase, at.epoch)
            name = f"{at.phase} {at.epoch}" if at.epoch else at.phase
            if key not in tasks:
                tasks[key] = bar.add_task(name, total=at.total, rate="")
            loss = f" loss {at.loss:.4f}" if math.isfinite(at.loss) and at.loss else ""
            rate = f"{at.per_second:,.0f}/s{loss}"
            bar.update(tasks[key], completed=at.done, total=at.total, rate=rate)

        yield report
