"""Sentence pairs: two files of which line n of one is the translation of line n of the other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from embeddings.corpora.text_files import text_lines
from embeddings.errors import FormatError
from embeddings.files import check_file


@dataclass(frozen=True, slots=True)
class SentencePairs:
    """``source[i]`` and ``target[i]`` mean the same; ``empty`` pairs, one side without text, were left out."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    empty: int = 0

    def __len__(self) -> int:
        return len(self.source)


def read_sentence_pairs(source: Path, target: Path) -> SentencePairs:
    """Read two files of equally many lines (UTF-8; .gz and .xz are unpacked).

    Raises
    ------
    FormatError
        If they differ in their number of lines: both are named. If they hold no pair.
    """
    first, second = read_lines(source), read_lines(target)
    if len(first) != len(second):
        raise FormatError(
            "pairs_lines", source=source, first=len(first), target=target, second=len(second)
        )
    whole = [(a, b) for a, b in zip(first, second, strict=True) if a and b]
    if not whole:
        raise FormatError("pairs_nothing", source=source, target=target)
    kept, translated = zip(*whole, strict=True)
    return SentencePairs(kept, translated, len(first) - len(whole))


def read_lines(path: Path) -> tuple[str, ...]:
    """Return all lines of a text file, blank ones too, without white space at their ends; raises as `raw_lines`."""
    return tuple(line.strip() for line in raw_lines(path))


def raw_lines(path: Path) -> tuple[str, ...]:
    """Return all lines of a text file as they are, without their line ends.

    Raises
    ------
    MissingFileError, FormatError
        If the file is not there, or is not text in UTF-8.
    """
    check_file(path, "Name a text file.")
    return tuple(text_lines(path))
