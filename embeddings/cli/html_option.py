"""``--html FILE``: the answer of a command as one HTML file; `embeddings.cli.nouns.verb` gives it to commands."""

from __future__ import annotations

import datetime
import shlex
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.cli.nouns import HTML
from embeddings.errors import KlyuchError

if TYPE_CHECKING:
    from embeddings.saved_page.answer import SavedAnswer, Source

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
    from embeddings.saved_page.answer import Source

    return Source(
        citations=tuple(_citations(models)),
        day=datetime.date.today().isoformat(),
        address=shlex.join(["klyuch", *_arguments()]),
    )


def _arguments() -> list[str]:
    """Return what the command was given, without ``--html`` and without folders."""
    return [_without_folder(text) for text in _without_option(sys.argv[1:])]


def _without_option(arguments: Iterable[str]) -> list[str]:
    """Return the arguments without ``--html`` and its file."""
    left = list(arguments)
    while "--html" in left:
        del left[left.index("--html") : left.index("--html") + 2]
    return [text for text in left if not text.startswith("--html=")]


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
