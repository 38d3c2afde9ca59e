"""A table of texts with dates, divided at a year into what is older and what is not."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from embeddings.corpora.text_files import text_lines
from embeddings.errors import FormatError, InputError

YEAR = re.compile(r"\s*(\d{3,4})(?!\d)")


@dataclass(frozen=True, slots=True)
class DividedTexts:
    """Texts before a year and from it on, in their order; ``undated`` rows had no year or no text."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    undated: int


def divide_by_year(path: Path, year: int, columns: tuple[str, str]) -> DividedTexts:
    """Read a table, and divide its texts at a year.

    Parameters
    ----------
    path : Path
        Separated by tabs if its first line has one, else by commas (with quotes); UTF-8, packed or not. Its first line names the columns.
    year : int
        The first year of the second part.
    columns : tuple of two str
        Of the date, which begins with its year (1850, 1850-03-01), and of the text.

    Raises
    ------
    FormatError
        If a column is missing, or the table cannot be read.
    InputError
        If no text lies before the year, or none after it.
    """
    rows = _rows(path)
    names = [name.strip().lower() for name in next(rows, [])]
    places = []
    for column in columns:
        if column.lower() not in names:
            named = ", ".join(names) or "–"
            raise FormatError("dates_column", path=path, name=column, named=named[:200])
        places.append(names.index(column.lower()))
    before: list[str] = []
    after: list[str] = []
    undated = 0
    for row in rows:
        date, text = (row[place] if place < len(row) else "" for place in places)
        match = YEAR.match(date)
        if match is None or not text.strip():
            undated += 1
        else:
            (before if int(match[1]) < year else after).append(text.strip())
    if not before or not after:
        raise InputError("dates_side", path=path, year=year, before=len(before), after=len(after))
    return DividedTexts(tuple(before), tuple(after), undated)


def write_documents(texts: Sequence[str], path: Path) -> None:
    """Write each text as a document, a blank line behind it."""
    with path.open("w", encoding="utf-8") as file:
        for text in texts:
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            file.write("\n".join(lines) + "\n\n")


def _rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a table that are not blank."""
    lines = (line.rstrip("\r\n") for line in text_lines(path) if line.strip())
    first = next(lines, "")
    if "\t" in first:
        yield first.split("\t")
        yield from (line.split("\t") for line in lines)
        return
    try:
        yield from csv.reader([f"{first}\n"], strict=True)
        yield from csv.reader((f"{line}\n" for line in lines), strict=True)
    except csv.Error as error:
        raise FormatError("file_unreadable", path=path, reason=str(error)) from error
