"""Printing a result: a table for people, ``--json`` for programs, ``--html FILE`` to give away; the progress bar of trainings."""

from __future__ import annotations

import datetime
import json
import math
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from embeddings.analysis.comparison_answers import RunRange
from embeddings.cli.nouns import AS_JSON, HTML
from embeddings.errors import KlyuchError
from embeddings.results import MAX_SHOWN_ROWS, Progress, Report, Rows, Shown, cell_text, plain
from embeddings.saved_page.answer import SavedAnswer, Source

if TYPE_CHECKING:
    from embeddings.training.tasks import Trained


SMALL = 1e-3  # numbers below have three digits that count


def emit(value: Any, *shown: Any, page: Callable[[Source], SavedAnswer] | None = None) -> None:
    """Print an answer: with ``--json`` as JSON, else as tables and sentences below each other.

    A sentence is never broken, so that a path in it can be copied. With ``--html`` the answer is also written as a file.

    Parameters
    ----------
    value : Any
        What JSON has.
    shown : Any
        What people read, each as `drawn`; ``value`` if nothing is given.
    page : callable, optional
        What makes the file of ``--html``; tables of ``value`` if not given.
    """
    write_page(value, page)
    if AS_JSON.get():
        print(json.dumps(plain(value), ensure_ascii=False))
        return
    for part in (part for each in shown or [value] for part in drawn(each)):
        if isinstance(part, str):
            print(part)
        else:
            Console().print(part, highlight=False)


def drawn(value: Any) -> Iterator[RenderableType]:
    """Yield what people read: of an answer its title and its table, cut as in a notebook; of other values names and values.

    Several values of one kind are the lines of a table; sentences and tables are themselves; of nothing there is nothing to read.
    """
    if isinstance(value, str | Table):
        yield value
    elif not value:
        return
    elif isinstance(value, Shown) or (isinstance(value, tuple) and is_dataclass(value[0])):
        answer = value if isinstance(value, Shown) else Rows(value)
        names, lines = answer.table()
        yield from filter(None, [answer.title()])
        if lines:
            yield grid(*names, rows=lines[:MAX_SHOWN_ROWS])
        if len(lines) > MAX_SHOWN_ROWS:
            yield f"… {len(lines) - MAX_SHOWN_ROWS} more of {len(lines)}; --json prints all."
    elif isinstance(value, list):
        yield columns_of(value, *value[0])
    else:
        yield grid("", "", rows=plain(value).items())


def note(*sentences: str) -> None:
    """Say on standard error what an answer does not show, one sentence per line; empty ones are left out."""
    for sentence in filter(None, sentences):
        print(sentence, file=sys.stderr)


def listed(lead: str, items: Iterable[str]) -> str:
    """Return items behind what is said of them; nothing of none."""
    text = ", ".join(items)
    return f"{lead}: {text}" if text else ""


def some_fields(item: object, *names: str) -> dict[str, Any]:
    """Return fields of an object by their names, as JSON has them."""
    return {name: getattr(item, name) for name in names}


def rows_of(items: Iterable[object], *names: str) -> list[dict[str, Any]]:
    """Return the same fields of each of some objects, as JSON has them."""
    return [some_fields(item, *names) for item in items]


def command_line() -> str:
    """Return the command that runs, as cards and records keep it."""
    return shlex.join(["klyuch", *sys.argv[1:]])


def deviation_text(span: RunRange) -> str:
    """Return the mean of several trainings with their standard deviation."""
    mean = _cell(span.mean)
    return mean if span.deviation is None else f"{mean} ± {_cell(span.deviation)}"


def grid(*columns: str, rows: Iterable[Sequence[object]]) -> Table:
    """Return a table; floats get four digits, None and NaN a dash, numbers stand to the right."""
    table, rows = Table(), list(rows)
    for number, name in enumerate(columns):
        is_text = any(isinstance(row[number], str | tuple) for row in rows)
        table.add_column(name.replace("_", " "), justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*map(_cell, row))
    return table


def columns_of(items: Iterable[Any] | Mapping[Any, Any], *columns: str) -> Table:
    """Return a table of some fields of each item; of a mapping the first column has the keys.

    Parameters
    ----------
    items : iterable of objects or mappings
    columns : str
        As ``name=field:form``. The field is the name with underscores if it is not given. The form is one of Python's for numbers, ``%``
        (`percent`), ``B`` (`bytes_in_words`), or how many of a tuple are shown.
    """
    keys = list(items) if isinstance(items, Mapping) else []
    values = list(items.values() if isinstance(items, Mapping) else items)
    names: list[str] = []
    cells: list[list[object]] = []
    for column in columns:
        name, _, form = column.partition(":")
        name, _, field = name.partition("=")
        read = _reader(field or name.replace(" ", "_"))
        cells.append(
            keys if keys and not names else [_formed(read(value), form) for value in values]
        )
        names.append(name)
    return grid(*names, rows=zip(*cells, strict=True))


def _reader(field: str) -> Callable[[Any], Any]:
    """Return what reads a field of an object or a mapping."""
    return lambda item: item[field] if isinstance(item, Mapping) else getattr(item, field)


def _formed(value: Any, form: str) -> object:
    """Return a value in one of the forms of `columns_of`."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not form:
        return value
    if isinstance(value, tuple):
        return value[: int(form)]
    special = {"%": percent, "B": bytes_in_words}
    return special[form](value) if form in special else format(value, form)


def some(number: int, noun: str, rest: str) -> str:
    """Return a number with its noun and what is said of them; nothing of none."""
    return f"{counted(number, noun)}{rest}" if number else ""


def _cell(item: object) -> str:
    """One cell of a table."""
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, float) and 0 < abs(item) < SMALL:
        return f"{item:.3g}"
    return cell_text(item)


def percent(share: float) -> str:
    """Return a share in percent; a dash where it is not a number."""
    return "–" if math.isnan(share) else f"{100 * share:.1f} %"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(0, "step"), counted(1, "step"), counted(2, "step"), counted(2_000, "step")
    ('0 steps', '1 step', '2 steps', '2,000 steps')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def run_summary(result: Trained, **more: object) -> dict[str, object]:
    """Return what ``--json`` prints of a pretraining or of a training to translate; ``more`` stands before the scores."""
    return {
        "model": str(result.folder),
        "steps": result.finished.step,
        "complete": result.finished.complete,
        "tokens": result.tokens,
        "parameters": result.parameters,
        **more,
        "scores": result.finished.scores,
    }


def bytes_in_words(size: int | None) -> str:
    """Return a size as a person reads it; a dash where it is not known."""
    if not size:
        return "–"
    for unit, bytes_each in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= bytes_each:
            return f"{size / bytes_each:.1f} {unit}"
    return f"{size} B"


def confirm_deletion(path: Path, size: int, yes: bool) -> None:
    """Ask whether something may be deleted, unless ``yes``; end if it may not."""
    if not yes:
        question = f"Delete {path} ({bytes_in_words(size)}) for good?"
        typer.confirm(question, abort=True, err=True)


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Report]:
    """Yield a ``report`` function that draws `Progress` values on standard error: one line a phase, rate, loss, time left.

    Nothing is drawn with ``--json``, or if ``quiet``.
    """
    quiet = quiet or AS_JSON.get()
    columns = (
        TextColumn("{task.description:<24}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} % {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), disable=quiet) as bar:
        tasks: dict[tuple[str, int], Any] = {}

        def report(at: Progress) -> None:
            key = (at.phase, at.epoch)
            name = f"{at.phase} {at.epoch}" if at.epoch else at.phase
            if key not in tasks:
                tasks[key] = bar.add_task(name, total=at.total, rate="")
            loss = f" loss {at.loss:.4f}" if math.isfinite(at.loss) and at.loss else ""
            rate = f"{at.per_second:,.0f}/s{loss}"
            bar.update(tasks[key], completed=at.done, total=at.total, rate=rate)

        yield report


MODELS = ("model", "first", "second", "networks", "models")  # parameters that name models


def write_page(value: Any, make: Callable[[Source], SavedAnswer] | None = None) -> None:
    """Write the answer where ``--html`` says, if it was given: what ``make`` returns, or tables of ``value``."""
    if (asked := HTML.get()) is None:
        return
    HTML.set(None)
    target, context = asked
    from embeddings.files import atomic_file
    from embeddings.saved_page.html_page import saved_page
    from embeddings.saved_page.questions import any_answer

    given = [context.params.get(name) or [] for name in MODELS]
    models = [[names] if isinstance(names, str) else names for names in given]
    source = command_source(chain.from_iterable(models))
    title = " ".join(text for text in _arguments() if not text.startswith("-"))
    question = (context.command.help or "").partition("\n")[0]
    answer = make(source) if make else any_answer(title, question, value, source)
    page = saved_page(answer)
    with atomic_file(target) as temporary:
        temporary.write_text(page, encoding="utf-8")
    print(f"Written: {target}", file=sys.stderr)


def command_source(models: Iterable[str]) -> Source:
    """Return where the answer of the running command comes from: its models, today, its arguments without folders."""
    return Source(
        citations=tuple(_citations(models)),
        day=datetime.date.today().isoformat(),
        address=shlex.join(["klyuch", *_arguments()]),
    )


def _arguments() -> list[str]:
    """Return what the command was given, without ``--html`` and without folders."""
    return [
        _without_folder(text)
        for before, text in pairwise(["", *sys.argv[1:]])
        if "--html" not in (before, text) and not text.startswith("--html=")
    ]


def _without_folder(text: str) -> str:
    """Return an argument; of an existing path its name alone: a file says nothing of the machine that wrote it."""
    try:
        return Path(text).name if "/" in text and Path(text).exists() else text
    except OSError:  # too long for a name
        return text


def _citations(models: Iterable[str]) -> list[str]:
    """Return how the program is cited, and a line for each model that a command was given; a word by that name is no model."""
    from embeddings import citation
    from embeddings.shelf import find, read_card
    from embeddings.shelf.companions import provenance

    lines = []
    for model in models:
        try:
            entry = find(model)
            lines.append(provenance(entry, read_card(entry)))
        except (KlyuchError, OSError):
            continue
    return citation.lines(lines, [])
