"""The script that a language is written in, and words that are not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

SCRIPTS = {"ru": "CYRILLIC"}  # all others: LATIN


def foreign(words: Iterable[str], language: str) -> tuple[str, ...]:
    """Return the words without a letter of the script of ``language``, each once, in their order.

    Examples
    --------
    >>> foreign(["ключ", "bank", "USB-ключ", "銀行"], "ru")
    ('bank', '銀行')
    """
    script = SCRIPTS.get(language, "LATIN")
    return tuple(word for word in dict.fromkeys(words) if not _has_letter(word, script))


def _has_letter(word: str, script: str) -> bool:
    """Whether a letter of ``word`` belongs to ``script``, by its name in Unicode."""
    return any(unicodedata.name(letter, "").startswith(script) for letter in word)
