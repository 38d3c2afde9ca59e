"""The script that a language is written in, and words that are not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

SCRIPTS = {"ru": "CYRILLIC"}  # all others: LATIN


def foreign(words: Iterable[str], language: str) -> tuple[str, ...]:
    """Return the words whose letters are all of other scripts than that of ``language``, each once, in their order.

    Examples
    --------
    >>> foreign(["ключ", "bank", "USB-ключ", "銀行", "2024"], "ru")
    ('bank', '銀行')
    """
    script = SCRIPTS.get(language, "LATIN")
    return tuple(word for word in dict.fromkeys(words) if _is_foreign(word, script))


def _is_foreign(word: str, script: str) -> bool:
    """Whether ``word`` has letters, and none belongs to ``script`` by its name in Unicode."""
    letters = [sign for sign in word if sign.isalpha()]
    return bool(letters) and not any(
        unicodedata.name(letter, "").startswith(script) for letter in letters
    )
