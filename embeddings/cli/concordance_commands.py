"""``klyuch concordance``: all contexts of a word in a corpus, in every inflected form."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from embeddings.cli.output import counted, emit, progress_bar
from embeddings.corpora.concordance import Concordance, build_concordance
from embeddings.errors import InputError
from embeddings.results.word_contexts import ConcordanceLine
from embeddings.shelf.locations import concordance_path

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _concordance() -> None:
    """All contexts of a word in a corpus."""


@commands.command(
    "build", epilog="Example: klyuch concordance build novels/ news.txt.xz --output novels"
)
def build_command(
    corpora: list[Path] = typer.Argument(
        ..., help="Text files (.txt, .gz, .xz) or folders of them: UTF-8, one paragraph per line."
    ),
    output: str = typer.Option(
        ...,
        help="File to write; a mere name lies in KLYUCH_HOME/concordances, for the page Contexts.",
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON, without a progress bar."),
) -> None:
    """Index a corpus, so that every context of a word is found immediately."""
    path = concordance_path(output)
    with progress_bar(quiet=as_json) as report:
        paragraphs, words = build_concordance(corpora, path, report)
    summary = {"file": str(path), "paragraphs": paragraphs, "words": words}
    emit(
        summary,
        as_json,
        lambda: (
            f"{counted(paragraphs, 'paragraph')} with {counted(words, 'distinct word')}: indexed in {path}"
        ),
    )


@commands.command(
    "find", epilog="Example: klyuch concordance find ключ --corpus novels --language ru --limit 20"
)
def find_command(
    word: str = typer.Argument(help="One word, in any form."),
    corpus: str = typer.Option(
        ..., help="A concordance: its file, or its name in KLYUCH_HOME/concordances."
    ),
    language: str = typer.Option(..., help="en, ru or de: whose inflected forms are meant."),
    limit: int = typer.Option(20, help="Largest number of lines, spread evenly over the corpus."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Show sentences that have a word, in any of its forms."""
    if len(word.split()) > 1:
        raise InputError("concordance_words", word=word)
    concordance = Concordance.open(concordance_path(corpus))
    lines = concordance.find(word, language, limit)
    forms = concordance.forms(word, language)
    about = {"word": word, "forms": forms, "lines": lines}
    emit(about, as_json, lambda: _table(lines) if lines else f"«{word}» is not in this corpus.")


def _table(lines: tuple[ConcordanceLine, ...]) -> Table:
    """Return the lines with the word in bold."""
    table = Table("file", "document", "text")
    for line in lines:
        text = Text(line.text)
        for start, end in line.spans:
            text.stylize("bold", start, end)
        table.add_row(line.file, str(line.document), text)
    return table
