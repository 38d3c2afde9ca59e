"""Every sentence on screen: a folder a language, a TOML file a page (docs/translating.md).

A key is ``section.name``; each section is in one file. A sentence with a count is a table: ``by`` names the field that is
counted, and each plural category of the language (CLDR: one, few, many, other) has its form. What else is counted in it has the
forms of its noun next to it: ``{n:документ|документа|документов}``, one a category, in that order. The library keeps the messages of its
errors, in all languages (`embeddings.errors.messages`); here they are the sections ``errors`` and ``clauses``. Numbers, dates and
lists are written by the rules of CLDR, through Babel.
"""

from __future__ import annotations

import datetime
import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

from babel import Locale
from babel.dates import format_date, format_time
from babel.lists import format_list
from babel.numbers import format_decimal

from embeddings.errors import (
    Clause,
    Counted,
    KlyuchError,
    UnknownWordError,
    agreeing,
    clauses,
    messages,
)

if TYPE_CHECKING:
    import pandas as pd

    from embeddings.results import Result

WORDING_FOLDER = Path(__file__).parent
CATEGORIES = ("zero", "one", "two", "few", "many", "other")  # of plurals, in the order of CLDR
REGIONS = {"en": "en_GB"}  # where a language has several spellings, the one that its sentences have
FIRST = ("en", "ru", "de")  # the order in which languages are offered; further ones follow


def _languages() -> dict[str, str]:
    """Return the languages that have a folder, by their own names."""
    codes = {path.parent.name for path in WORDING_FOLDER.glob("*/common.toml")}
    ordered = [code for code in FIRST if code in codes] + sorted(codes - set(FIRST))
    return {code: (Locale.parse(code).get_language_name() or code).capitalize() for code in ordered}


LANGUAGES = _languages()


class Wording:
    """The sentences of one language.

    Parameters
    ----------
    language : str
        A code of `LANGUAGES`.
    folder : Path, optional
        Where its TOML files are, if not in the folder of that name here.

    Raises
    ------
    babel.UnknownLocaleError
        If CLDR does not know the language.

    Examples
    --------
    >>> Wording("de").number(1234.5, 1)
    '1.234,5'
    >>> Wording("ru")("count.models", n=21)
    '21 модель'
    """

    def __init__(self, language: str, folder: Path | None = None) -> None:
        self.language = language
        self.locale = Locale.parse(REGIONS.get(language, language))
        self.sentences: dict[str, str] = {}
        self.plurals: dict[str, dict[str, str]] = {}
        self._add({"errors": dict(messages(language)), "clauses": dict(clauses(language))})
        for path in sorted((folder or WORDING_FOLDER / language).glob("*.toml")):
            self._add(tomllib.loads(path.read_text(encoding="utf-8")))

    def _add(self, table: dict[str, object], prefix: str = "") -> None:
        """Add nested tables under ``section.name`` keys."""
        for name, value in table.items():
            if not isinstance(value, dict):
                self.sentences[prefix + name] = str(value)
            elif value.keys() - {"by"} <= set(CATEGORIES) and "by" in value:
                self.plurals[prefix + name] = {key: str(text) for key, text in value.items()}
            else:
                self._add(value, f"{prefix}{name}.")

    def __call__(self, key: str, **fields: object) -> str:
        """Return the sentence under ``key`` with its fields filled in.

        Of a sentence with a count the form that the count asks for. Whole numbers are written as the language writes them.
        """
        written = {
            name: self.counted(int(value)) if isinstance(value, Integral) else value
            for name, value in fields.items()
        }
        return self._form(key, fields).format(**written) if fields else self.sentences[key]

    def _form(self, key: str, fields: Mapping[str, object]) -> str:
        """Return the sentence under ``key``, in the form that its count asks for."""
        if key not in self.plurals:
            return self.sentences[key]
        forms = self.plurals[key]
        return forms[self.locale.plural_form(int(str(fields[forms["by"]])))]

    def get(self, key: str, default: str = "") -> str:
        """Return the sentence under ``key``, or ``default`` where there is none."""
        return self.sentences.get(key, default)

    def error(self, error: KlyuchError) -> str:
        """Return the sentence of a refusal; a code without a translation is said in English."""
        key = f"errors.{error.code}"
        is_translated = key in self.sentences or key in self.plurals
        fields = error.written_fields
        if is_translated:
            fields = {name: self._clause(value) for name, value in fields.items()}
        if isinstance(error, UnknownWordError):
            fields["size"] = self.counted(error.size)
            if error.suggestions:
                near = self.list(error.suggestions)
                fields["suggestions"] = self("unknown.suggestions", words=near)
        template = self._form(key, fields) if is_translated else messages()[error.code]
        return template.format(**agreeing(template, fields, self._counted_text))

    def _clause(self, value: object) -> object:
        """Return a field of an error message in this language: clauses and errors are translated."""
        if isinstance(value, KlyuchError):
            return self.error(value)
        if not isinstance(value, Clause):
            return value
        return value.said(self.get(f"clauses.{value.code}", clauses()[value.code]))

    def refusal_of(self, error: KlyuchError, models: Sequence[str]) -> str:
        """Return the sentence of a refusal with the names of the models that refuse."""
        names = self.list(models)
        template = self.get(f"unknown.{error.code}")
        if not template or not isinstance(error, UnknownWordError):
            return f"{names}: {self.error(error)}"
        near = self.list(error.suggestions)
        return template.format(
            models=names,
            word=error.word,
            size=self.counted(error.size),
            count=self.number(error.count),
            suggestions=self("unknown.suggestions", words=near) if near else "",
        )

    def counted(self, number: int, written: str = "") -> Counted:
        """Return a whole number that brings its noun into agreement; ``written``: as written in the sentence, if not as usual."""
        form = self.plural_categories.index(self.locale.plural_form(number))
        return Counted(written or self.number(number), form)

    def _counted_text(self, text: str) -> Counted:
        """Return a number as an error message has it; anything else takes the form of many, since a file may claim anything."""
        return self.counted(int(text) if text.isdecimal() else 0, text or "–")

    def number(self, value: float | None, digits: int = 0) -> str:
        """Return a number as this language writes it; a dash for None and NaN, ∞ for infinity.

        The sign of what is below zero is a minus, not a hyphen; what rounds to zero has none.
        """
        if value is None or math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return _written_number(f"{value:z.{digits}f}", digits, self.locale)

    def significant(self, value: float, least: int = 2) -> str:
        """Return a number with at least so many digits after the point, and more where not two of them would count."""
        small = 1 - math.floor(math.log10(abs(value))) if value and math.isfinite(value) else 0
        return self.number(value, min(12, max(least, small)))

    def percent(self, share: float, digits: int = 1) -> str:
        """Return a share from 0 to 1 in per cent."""
        return f"{self.number(100 * share, digits)} %"

    def list(self, items: Iterable[object]) -> str:
        """Return a list as this language writes it: a, b and c."""
        return format_list([str(item) for item in items], locale=self.locale)

    def components(
        self, shares: Sequence[float], key: str = "map.component_share"
    ) -> tuple[str, ...]:
        """Return the titles of axes: each principal component with its share of variance."""
        written = [self.number(100 * share, 1) for share in shares]
        return tuple(self(key, number=n, share=share) for n, share in enumerate(written, 1))

    def frame(self, result: Result, *keys: str) -> pd.DataFrame:
        """Return the table of a result, its columns named by ``keys``."""
        return result.to_frame().set_axis([self(key) for key in keys], axis="columns")

    def table(self, rows: Iterable[tuple[object, ...]], *keys: str) -> pd.DataFrame:
        """Return rows as a table, its columns named by ``keys``."""
        import pandas as pd

        return pd.DataFrame(list(rows), columns=[self(key) for key in keys])

    def date(self, day: str) -> str:
        """Return a date of ISO 8601 as this language writes it, with hours and minutes if it has them.

        What is no date comes back as it is: cards of other tools may say anything.
        """
        try:
            moment = datetime.datetime.fromisoformat(day)
        except ValueError:
            return day
        written = format_date(moment, "medium", locale=self.locale)
        return f"{written}, {self.time(moment.time())}" if "T" in day or " " in day else written

    def time(self, moment: datetime.time) -> str:
        """Return hours and minutes as this language writes them."""
        return format_time(moment, "short", locale=self.locale)

    def duration(self, seconds: float) -> str:
        """Return seconds as seconds, minutes or hours."""
        if seconds < 100:
            return self("train.seconds", value=self.number(max(seconds, 0)))
        if seconds < 6000:
            return self("train.minutes", value=self.number(seconds / 60))
        return self("train.hours", value=self.number(seconds / 3600, 1))

    def size(self, size: float | None) -> str:
        """Return bytes as kB, MB or GB; a dash where there is no size."""
        if size is None or math.isnan(size):
            return "–"
        for unit, bytes_each in (("giga", 1e9), ("mega", 1e6)):
            if size >= bytes_each:
                return self(f"train.{unit}", value=self.number(size / bytes_each, 1))
        return self("train.kilo", value=self.number(size / 1e3, 1))

    @cached_property
    def plural_categories(self) -> tuple[str, ...]:
        """The categories that whole numbers have in this language, in the order of CLDR."""
        taken = {self.locale.plural_form(number) for number in range(1001)}
        return tuple(category for category in CATEGORIES if category in taken)

    @property
    def separators(self) -> str:
        """Decimal and thousands separator, as Plotly's ``layout.separators`` wants them."""
        symbols = self.locale.number_symbols["latn"]
        return str(symbols["decimal"]) + str(symbols["group"])


@lru_cache(maxsize=20_000)
def _written_number(rounded: str, digits: int, locale: Locale) -> str:
    """Return a number with so many digits as a locale writes it; tables hold the same numbers again and again."""
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(Decimal(rounded), pattern, locale).replace("-", "−")


TEXT_LANGUAGES = ("en", "ru", "de")  # of models and texts: those that the examples are in


@lru_cache(maxsize=len(TEXT_LANGUAGES))
def examples(language: str) -> dict[str, str]:
    """Return what pages show before anybody types; `` | `` separates alternatives."""
    return _texts("examples.toml", language)


def first_texts(language: str, name: str) -> list[str]:
    """Return what a page of sentences shows first, in English where there are no examples in a language."""
    return examples(language if language in TEXT_LANGUAGES else "en")[name].split(" | ")


@lru_cache(maxsize=len(TEXT_LANGUAGES))
def lesson_examples(language: str) -> dict[str, str]:
    """Return the words and sentences that lessons ask about; `` | `` separates several."""
    return _texts("lesson_examples.toml", language)


def _texts(file: str, language: str) -> dict[str, str]:
    """Return the texts of a language of the models in a file next to the languages of the screen."""
    text = (WORDING_FOLDER / file).read_text(encoding="utf-8")
    return {name: str(value) for name, value in tomllib.loads(text)[language].items()}


@lru_cache(maxsize=len(LANGUAGES))
def wording(language: str) -> Wording:
    """Return the sentences of a language, read once."""
    return Wording(language)
