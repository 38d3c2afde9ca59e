"""Results of a concordance: lines in which a word stands, and the forms that were looked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of a paragraph that has the word at ``spans``: (start, end) in characters of ``text``.

    ``file`` is the name of the text file, ``document`` the number of the document in it, from 1.
    ``is_cut``: the paragraph is longer, and ``text`` are the sentences around the word.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    file: str
    document: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class WordForm:
    """A form of a word in small letters, and in how many paragraphs it stands."""

    form: str
    paragraphs: int
