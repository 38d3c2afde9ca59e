"""Rows of tables that people bring: separated by tabs, semicolons or commas, with or without quotes."""

from __future__ import annotations

import csv
import re
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from embeddings.corpora.text_files import LINE_LIMIT
from embeddings.errors import FormatError

_CELL = r'(?:"(?:[^"]++|"")*+"|[^"\t\n]*+)'
_SOUND = re.compile(rf"(?:{_CELL}[\t\n])*+{_CELL}")


def mark_of(first: str) -> str:
    """Return what separates the cells of a table by its first line: a tab, else a semicolon or comma, whichever it has more of."""
    return "\t" if "\t" in first else ";" if first.count(";") > first.count(",") else ","


def table_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row of a table that is not blank, with the line that it begins in, counted from 1; cells in quotes may have line ends.

    Where tabs separate, quotes hold cells together only if all of them do. As pandas writes such tables, a cell with a quote stands
    between quotes, and those within are doubled. Else quotes are part of the text.

    Parameters
    ----------
    path : Path
        Of the table, for errors.
    text : str
        All that it holds, with line feeds as line ends.
    """
    mark = mark_of(next(filter(str.strip, text.split("\n")), ""))
    is_quoted = mark != "\t" or _is_soundly_quoted(path, text)
    return csv_rows(path, text.removesuffix("\n").split("\n"), mark, is_quoted=is_quoted)


def _is_soundly_quoted(path: Path, text: str) -> bool:
    """Whether quotes in a table with tabs hold cells together.

    Then every row has all columns, and no cell a line end and a tab, as one has in which a quote of the text opens further rows.
    """
    if not _SOUND.fullmatch(text):
        return False
    rows = [row for _, row in csv_rows(path, text.split("\n"), "\t")]
    return all(
        len(row) == len(rows[0]) and not any("\t" in cell and "\n" in cell for cell in row)
        for row in rows
    )


CODES = {  # the beginnings of what csv says
    "unexpected end of data": "csv_quote_open",
    "field larger than": "csv_field_long",
    "new-line character": "csv_line_end",
}
_field_limit = threading.Lock()


def csv_rows(
    path: Path, lines: Iterable[str], mark: str, *, is_quoted: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yield each row of a table that is not blank, with the line that it begins in, counted from 1; a cell may hold a novel.

    Parameters
    ----------
    path : Path
        Of the table, for errors.
    lines : iterable of str
        Without their ends.
    mark : str
        Between cells.
    is_quoted : bool, default True
        Whether quotes hold cells together; else they are part of the text.
    """
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE
    ended = (f"{line}\n" for line in lines)
    reader = csv.reader(ended, strict=True, delimiter=mark, quoting=quoting)
    while True:
        begins = reader.line_num + 1
        with _field_limit:  # csv has one bound for the whole process, 128 KiB, which others rely on
            before = csv.field_size_limit(LINE_LIMIT)
            try:
                row = next(reader, None)
            except csv.Error as error:
                raise _csv_refusal(error, path, begins) from error
            finally:
                csv.field_size_limit(before)
        if row is None:
            return
        if any(map(str.strip, row)):
            yield begins, row


def _csv_refusal(error: csv.Error, path: Path, line: int) -> FormatError:
    """Return the refusal of a row that csv cannot read; it begins in ``line``."""
    said = str(error)
    for beginning, code in CODES.items():
        if said.startswith(beginning):
            bound = {"bound": int(size[0])} if (size := re.search("[0-9]+", said)) else {}
            return FormatError(code, path=path, line=line, **bound)
    return FormatError("csv_quote", path=path, line=line)  # "',' expected after '\"'"
