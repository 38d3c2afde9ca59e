"""Paragraphs cut into sentences, and the language that a file's name tells (``ru_news.txt.xz`` is Russian)."""

from __future__ import annotations

import re
from pathlib import Path

# a full stop (with closing quotes), space, then a capital, a digit or an opening quote or dash
SENTENCE_BREAK = re.compile(r"(?<=[.!?…])[\"»”’)\]]*\s+(?=[«„“\"‘‚(\[—–-]*\s*[^\W_a-zа-яёäöüß])")


def language_of_file(path: Path) -> str:
    """Return ``en`` for ``en_wikipedia.1.txt``.

    ``und`` (undetermined) where the name has no such prefix.

    Examples
    --------
    >>> language_of_file(Path("ru_news.txt.xz")), language_of_file(Path("notes.txt"))
    ('ru', 'und')
    """
    head, underline, _ = path.name.partition("_")
    return head if underline and re.fullmatch("[a-z]{2,3}", head) else "und"


def sentences(paragraph: str) -> list[str]:
    """Cut a paragraph after full stops that a capital follows.

    A rule of thumb, the same for every language.

    Examples
    --------
    >>> sentences("Ключ бил. «Вода холодна!» Она пила z.B. so")
    ['Ключ бил.', '«Вода холодна!»', 'Она пила z.B. so']
    """
    pieces: list[str] = []
    start = 0
    for end in SENTENCE_BREAK.finditer(paragraph):
        stop = end.start() + len(end.group().rstrip())  # closing quotes stay with their sentence
        pieces.append(paragraph[start:stop])
        start = end.end()
    pieces.append(paragraph[start:])
    return [sentence for sentence in pieces if sentence]
