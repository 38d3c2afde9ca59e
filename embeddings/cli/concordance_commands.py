"""``klyuch concordance``: all contexts of a word in a corpus, in every inflected form."""

from __future__ import annotations

import csv
from pathlib import Path

from rich.table import Table
from rich.text import Text

from embeddings.cli.arguments import check_file_target
from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit, grid, progress_bar
from embeddings.configuration import check_choice
from embeddings.corpora.concordance import Concordance, build_concordance, line_contexts
from embeddings.corpora.concordance_search import ConcordanceQuery, collocates, search
from embeddings.corpora.sense_files import check_form, write_senses
from embeddings.corpora.text_conversion import as_utf8
from embeddings.errors import InputError
from embeddings.files import atomic_file
from embeddings.results.display import plain
from embeddings.results.sentence_answers import ConcordanceLine
from embeddings.shelf.locations import concordance_path, find_concordance


@verb("concordance", "build")
def build_command(
    corpora: list[Path], *, output: str, encoding: str = "", as_json: bool = False
) -> None:
    """Index a corpus, so that every context of a word is found immediately."""
    path = concordance_path(output)
    with progress_bar(quiet=as_json) as report, as_utf8(corpora, encoding) as texts:
        paragraphs, words = build_concordance(texts, path, report)
    summary = {"file": str(path), "paragraphs": paragraphs, "words": words}
    emit(
        summary,
        as_json,
        lambda: (
            f"{counted(paragraphs, 'paragraph')} with {counted(words, 'distinct word')}: indexed in {path}"
        ),
    )


@verb("concordance", "find")
def find_command(
    word: str,
    *,
    corpus: str,
    language: str,
    limit: int = 20,
    near: list[str],
    window: int = 5,
    pattern: str = "",
    order: str = "text",
    csv_file: Path | None = None,
    output: Path | None = None,
    as_json: bool = False,
) -> None:
    """Show sentences that have a word, in any of its forms."""
    if len(word.split()) > 1:
        raise InputError("concordance_words", word=word)
    if output is not None:
        check_file_target(output)
        check_form(output)
    if csv_file:
        check_file_target(csv_file)
    concordance = Concordance.open(find_concordance(corpus))
    query = ConcordanceQuery(word, language, tuple(near), window, pattern, order, limit)
    answer = search(concordance, query)
    if output is not None:
        write_senses(output, line_contexts(answer.lines, word))
    about = {"word": word, **plain(answer)}
    nothing = f"«{word}» is not in this corpus." if not answer.forms else "No line has all of this."
    emit(about, as_json, lambda: _table(answer.lines) if answer.lines else nothing)
    if csv_file:
        with atomic_file(csv_file) as temporary, temporary.open("w", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("left", "word", "right", "file", "document"))
            writer.writerows(_cells(line) for line in answer.lines)


def _cells(line: ConcordanceLine) -> tuple[object, ...]:
    """Return a line cut at its word."""
    start, end = line.spans[0]
    text = line.text
    return text[:start], text[start:end], text[end:], line.file, line.document


@verb("concordance", "collocates")
def collocates_command(
    word: str,
    *,
    corpus: str,
    language: str,
    window: int = 5,
    least: int = 3,
    topn: int = 20,
    order: str = "log_likelihood",
    as_json: bool = False,
) -> None:
    """Print the collocates of a word: log-likelihood ratio and logDice, counted in paragraphs."""
    check_choice("order", order, ("log_likelihood", "log_dice"))
    concordance = Concordance.open(find_concordance(corpus))
    answers = collocates(concordance, word, language, window, least)
    ranked = sorted(answers, key=lambda c: -float(getattr(c, order)))[:topn]
    columns = ("word", "together", "paragraphs", "log_likelihood", "log_dice")
    rows: list[tuple[object, ...]] = [tuple(getattr(c, name) for name in columns) for c in ranked]
    emit(ranked, as_json, lambda: grid(*columns, rows=rows))


def _table(lines: tuple[ConcordanceLine, ...]) -> Table:
    """Return the lines with the word in bold."""
    table = Table("file", "document", "text")
    for line in lines:
        text = Text(line.text)
        for start, end in line.spans:
            text.stylize("bold", start, end)
        table.add_row(line.file, str(line.document), text)
    return table
