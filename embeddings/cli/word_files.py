"""Lists of words that commands read."""

from __future__ import annotations

from pathlib import Path

from embeddings.errors import FormatError, InputError, not_utf8
from embeddings.files import check_file


def read_words(path: Path) -> list[str]:
    """Words of a file, one per line; what follows a tab, and lines that start with #, are passed over."""
    check_file(path, "Name a file with one word per line.")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError("file_unreadable", path=path, reason=not_utf8(error)) from error
    words = [line.split("\t")[0].strip() for line in lines if not line.startswith("#")]
    listed = [word for word in words if word]
    if not listed:
        raise InputError("compare_words", words=path)
    return listed
