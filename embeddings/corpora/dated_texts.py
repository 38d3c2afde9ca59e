"""Texts of a table, divided at a year into what is older and what is not.

The table is read as `embeddings.corpora.tables` says; UTF-8, packed or not. Its first line names the columns; a date begins with its
year (1850, 1850-03-01).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from embeddings.corpora.tables import table_rows
from embeddings.corpora.text_files import text_lines
from embeddings.errors import FormatError, InputError
from embeddings.results import Value

YEAR = re.compile(r"\s*(\d{3,4})(?!\d)")
YEARS = (100, 9_999)  # that a date can begin with
MOST_COLUMNS = 100  # that are named
LONGEST_COLUMN_NAME = 200  # characters of a column's name; it becomes an argument of a command
TABLE_SUFFIX = ".tsv"  # of a table that is stored


class DividedTexts(Value):
    """Texts before a year and from it on, in their order; ``undated`` were left out, since they have no year (or the row no text)."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    undated: int


def dated_table(path: Path) -> Path:
    """Return the table that a path stands for: itself, or the first stored in a folder.

    Raises
    ------
    InputError
        If the folder has none.
    """
    if not path.is_dir():
        return path
    tables = sorted(path.glob(f"[!.]*{TABLE_SUFFIX}"))
    if not tables:
        raise InputError("corpus_folder_empty", path=path, suffixes=TABLE_SUFFIX)
    return tables[0]


def column_names(table: Path) -> tuple[str, ...]:
    """Return the names of a table's first columns, `MOST_COLUMNS` at most, in lower case; those over `LONGEST_COLUMN_NAME` are left out.

    Raises
    ------
    FormatError
        If it cannot be read, or its first line names fewer than two.
    """
    every = tuple(dict.fromkeys(filter(None, _names(next(_rows(table), [])))))
    names = tuple(name for name in every if len(name) <= LONGEST_COLUMN_NAME)
    if len(names) < 2:
        raise FormatError("dates_one_column", path=table, named=", ".join(every)[:200] or "–")
    return names[:MOST_COLUMNS]


def divide_by_year(path: Path, year: int, columns: tuple[str, str]) -> DividedTexts:
    """Read a table of texts, and divide them at a year.

    Parameters
    ----------
    path : Path
        A table.
    year : int
        The first year of the second part.
    columns : tuple of two str
        Of the date and of the text.

    Raises
    ------
    FormatError
        If a column is missing, no row has a year, or the table cannot be read.
    InputError
        If no text lies before the year, or none after it.
    """
    before: list[str] = []
    after: list[str] = []
    undated = 0
    for written, text in _dated_rows(path, year, columns):
        if written is None or not any(map(str.isalnum, text)):  # or a dash stands for a text
            undated += 1
        else:
            (before if written < year else after).append(text)
    if not before or not after:
        raise InputError("dates_side", path=path, year=year, before=len(before), after=len(after))
    return DividedTexts(tuple(before), tuple(after), undated)


def write_periods(
    table: Path, year: int, columns: tuple[str, str], paths: tuple[Path, Path]
) -> int:
    """Write the texts before a year and those from it on, each as a document, a blank line behind it.

    Parameters
    ----------
    table : Path
        A table of texts.
    year : int
        The first year of the second part.
    columns : tuple of two str
        Of the date and of the texts.
    paths : tuple of two Path
        Where the two parts are written.

    Returns
    -------
    int
        Rows without a year or a text.

    Raises
    ------
    KlyuchError
        As `divide_by_year`.
    """
    parts = divide_by_year(table, year, columns)
    for texts, path in zip((parts.before, parts.after), paths, strict=True):
        with path.open("w", encoding="utf-8") as file:
            for text in texts:
                lines = [line.strip() for line in text.splitlines() if line.strip()]
                file.write("\n".join(lines) + "\n\n")
    return parts.undated


def _dated_rows(
    path: Path, year: int, columns: tuple[str, str]
) -> Iterator[tuple[int | None, str]]:
    """Yield the year of each row, None where its date does not begin with one, and the value of the other column."""
    if not YEARS[0] <= year <= YEARS[1]:
        raise InputError("dates_year", year=year, low=YEARS[0], high=YEARS[1])
    rows = _rows(path)
    names = _names(next(rows, []))
    for column in columns:
        if column.strip().lower() not in names:
            named = ", ".join(names)[:200] or "–"
            raise FormatError("dates_column", path=path, name=column, named=named)
    places = [names.index(column.strip().lower()) for column in columns]
    first, has_year = "", False
    for row in rows:
        date, content = (row[place].strip() if place < len(row) else "" for place in places)
        match = YEAR.match(date)
        has_year |= match is not None
        first = first or date
        yield int(match[1]) if match else None, re.sub(r"\n\s*\n", "\n", content)
    if not has_year:
        raise FormatError("dates_none", path=path, name=columns[0], value=first[:40] or "–")


def _names(row: Sequence[str]) -> list[str]:
    """Return the names of a first line, as they are compared."""
    return [name.strip().lower() for name in row]


def _rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a table that are not blank."""
    return (row for _, row in table_rows(path, "\n".join(text_lines(path))))
