"""Every sentence on screen, in English, Russian and German: a folder a language, a TOML file a page.

A key is ``section.name``; a section stands in one file. Refusals of the library have a code and
fields: English is the library's own sentence, Russian and German stand in ``errors.toml``.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from embeddings.errors import SENTENCES, KlyuchError, UnknownWordError

LANGUAGES = {"en": "English", "ru": "Русский", "de": "Deutsch"}
SEPARATORS = {"en": (",", "."), "ru": ("\N{NO-BREAK SPACE}", ","), "de": (".", ",")}


class Wording:
    """The sentences of one language.

    Parameters
    ----------
    language : str
        "en", "ru" or "de".

    Examples
    --------
    >>> Wording("de").number(1234.5, 1)
    '1.234,5'
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.sentences: dict[str, str] = {}
        for path in sorted((Path(__file__).parent / language).glob("*.toml")):
            self.sentences |= _flatten(tomllib.loads(path.read_text(encoding="utf-8")))

    def __call__(self, key: str, **fields: object) -> str:
        """Return the sentence under ``key`` with its fields filled in."""
        return self.sentences[key].format(**fields) if fields else self.sentences[key]

    def get(self, key: str, default: str = "") -> str:
        """Return the sentence under ``key``, or ``default`` where there is none."""
        return self.sentences.get(key, default)

    def error(self, error: KlyuchError) -> str:
        """Return the sentence of a refusal; a code without a translation is said in English."""
        template = self.sentences.get(f"errors.{error.code}")
        if self.language == "en" or template is None:
            if isinstance(error, UnknownWordError):
                size = self.number(error.size)
                return SENTENCES[error.code].format(**(error.fields | {"size": size}))
            return str(error)
        fields = {
            name: self.sentences.get(f"fields.{value}", value)
            for name, value in error.fields.items()
        }
        if isinstance(error, UnknownWordError):
            fields["size"] = self.number(error.size)
            if error.suggestions:
                near = ", ".join(error.suggestions)
                fields["suggestions"] = self("unknown.suggestions", words=near)
        return template.format(**fields)

    def refusal_of(self, error: KlyuchError, models: Sequence[str]) -> str:
        """Return the sentence of a refusal with the names of the models that refuse."""
        names = ", ".join(models)
        template = self.get(f"unknown.{error.code}")
        if not template or not isinstance(error, UnknownWordError):
            return f"{names}: {self.error(error)}"
        near = ", ".join(error.suggestions)
        return template.format(
            models=names,
            word=error.word,
            size=self.number(error.size),
            count=self.number(error.count),
            suggestions=self("unknown.suggestions", words=near) if near else "",
        )

    def number(self, value: float | None, digits: int = 0) -> str:
        """Return a number as this language writes it; a dash for None and NaN, ∞ for infinity.

        The sign of what is below zero is a minus, not a hyphen; what rounds to zero has none.
        """
        if value is None or math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        thousands, point = SEPARATORS[self.language]
        plain = f"{value:z,.{digits}f}"
        return (
            plain.replace(",", "\0").replace(".", point).replace("\0", thousands).replace("-", "−")
        )

    @property
    def separators(self) -> str:
        """Decimal and thousands separator, as Plotly's ``layout.separators`` wants them."""
        thousands, point = SEPARATORS[self.language]
        return point + thousands


@lru_cache(maxsize=len(LANGUAGES))
def examples(language: str) -> dict[str, str]:
    """Return what pages show before anybody types; `` | `` parts alternatives."""
    text = (Path(__file__).parent / "examples.toml").read_text(encoding="utf-8")
    return {name: str(value) for name, value in tomllib.loads(text)[language].items()}


def _flatten(table: dict[str, object], prefix: str = "") -> dict[str, str]:
    """Turn nested tables into ``section.name`` keys."""
    pairs: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            pairs |= _flatten(value, f"{prefix}{name}.")
        else:
            pairs[prefix + name] = str(value)
    return pairs


@lru_cache(maxsize=len(LANGUAGES))
def wording(language: str) -> Wording:
    """Return the sentences of a language, read once."""
    return Wording(language)
