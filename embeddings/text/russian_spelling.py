"""Russian without the dots, as most texts print it: ёлка as елка; words that differ by the dots alone keep them (всё and все)."""

from __future__ import annotations

import re

TOUCHED = re.compile("ё")
_APART = (
    frozenset(  # without the dots they are other words: небо, осел, мел, сел, слез, берег, черт
        (
            *(
                "всё",
                "нёбо",
                "нёба",
                "нёбу",
                "нёбом",
                "нёбе",
                "осёл",
                "мёл",
                "сёл",
                "слёз",
                "берёг",
                "чёрт",
                "лёт",
                "лён",
            ),
            *(
                "моём",
                "нём",
                "чём",
                "поём",
                "узнаём",
                "признаём",
                "сознаём",
                "заём",
                "тёмно",
                "крёстный",
                "крёстного",
            ),
            *(
                "совершённый",
                "совершённая",
                "совершённое",
                "совершённые",
                "истёкший",
                "истёкшего",
                "падёж",
            ),
        )
    )
)


def respell_russian(word: str, is_capital: bool) -> str:  # noqa: ARG001 - as a rule is called
    """Return a lower-cased word with е for ё, unless that is another word."""
    return word if word in _APART else word.replace("ё", "е")
