"""What is wrong with a table whose cells stand between commas: Python's reasons as refusals, which each language says in its own words."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from embeddings.errors import FormatError

CODES = {  # the beginnings of what csv says
    "unexpected end of data": "csv_quote_open",
    "field larger than": "csv_field_long",
    "new-line character": "csv_line_end",
}


def csv_refusal(error: csv.Error, path: Path, line: int) -> FormatError:
    """Return the refusal of a row that csv cannot read.

    Parameters
    ----------
    error : csv.Error
    path : Path
        Of the table.
    line : int
        Where the row begins, counted from 1.
    """
    said = str(error)
    for beginning, code in CODES.items():
        if said.startswith(beginning):
            bound = {"bound": int(size[0])} if (size := re.search("[0-9]+", said)) else {}
            return FormatError(code, path=path, line=line, **bound)
    return FormatError("csv_quote", path=path, line=line)  # "',' expected after '\"'"
