"""What is missing in a language of the pages: ``python -m tests.wording_check fr`` (docs/translating.md)."""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from babel import UnknownLocaleError

from app.wording import LANGUAGES, WORDING_FOLDER, Wording

FULL = ("lead", "help", "explain", "explain_after", "empty")  # names of keys of whole sentences
TWO = re.compile(r"[^\W\d]{4}[.!?] [^\W\d_]")  # a sentence and what follows it
# what follows a colon, a field or a drawing
EXAMPLE = re.compile(r"(: (?!.*\w[.!?] ).*|[}`]\S*|\n\{\w+\})$")
ENDS = tuple(".!?…:")
CLOSING = "”“”\"')*`_"  # what may stand behind the end of a sentence
WRONG_QUOTES = {"en": "«»", "de": '«»"'}  # of other languages the straight ones
CODE = re.compile(r"`[^`]*`|pip install \"[^\"]*\"|\w+\(.*?\)")


def fields(template: str) -> set[str]:
    """Return the names that a sentence wants filled in."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def forms(say: Wording) -> dict[str, dict[str, str]]:
    """Return the sentences of a language by key, each by plural category; of one without a count "" alone."""
    counted = {
        key: {category: text for category, text in by_category.items() if category != "by"}
        for key, by_category in say.plurals.items()
    }
    return {key: {"": text} for key, text in say.sentences.items()} | counted


def problems(language: str, folder: Path | None = None) -> list[str]:
    """Return what is missing or wrong in a language, one sentence each.

    Parameters
    ----------
    language : str
        Its code, as fr.
    folder : Path, optional
        Where its files are, if not in ``app/wording/CODE``.
    """
    folder = folder or WORDING_FOLDER / language
    if not folder.is_dir():
        return [f"There is no folder {folder}."]
    try:
        say = Wording(language, folder)
    except UnknownLocaleError:
        return [f"CLDR knows no language “{language}”: no plurals, numbers and dates."]
    own = forms(say)
    return [
        *_missing(own, forms(Wording("en"))),
        *_plurals(say),
        *(problem for key, texts in own.items() for problem in _nouns(say, key, texts)),
        *(problem for key, texts in own.items() for problem in _style(language, key, texts)),
    ]


def _missing(
    own: Mapping[str, dict[str, str]], asked: Mapping[str, dict[str, str]]
) -> Iterator[str]:
    """Compare keys and placeholders with English."""
    for key in sorted(asked.keys() - own.keys()):
        yield f"{key} is missing: {next(iter(asked[key].values()))}"
    for key in sorted(own.keys() - asked.keys()):
        yield f"{key} is not an English key."
    for key in sorted(own.keys() & asked.keys()):
        wanted = set().union(*(fields(text) for text in asked[key].values()))
        has = set().union(*(fields(text) for text in own[key].values()))
        if wanted != has:
            yield f"{key} has the placeholders {sorted(has)} instead of {sorted(wanted)}."


def _plurals(say: Wording) -> Iterator[str]:
    """Compare the forms of each sentence with a count with the plurals of the language."""
    asked = set(say.plural_categories)
    for key, by_category in say.plurals.items():
        has = by_category.keys() - {"by"}
        if asked - has:
            yield f"{key} lacks the forms {sorted(asked - has)}."
        if has - asked:
            yield f"{key} has the forms {sorted(has - asked)}, which no whole number of this language takes."


def _nouns(say: Wording, key: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Look whether a noun that stands behind its number has a form for each plural of the language."""
    for text in texts.values():
        for _, field, forms, _ in string.Formatter().parse(text):
            if forms and (given := forms.count("|") + 1) != (asked := len(say.plural_categories)):
                yield f"{key} gives {given} forms behind {{{field}}} instead of {asked}: {forms}."


def _style(language: str, key: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Look at the ends of sentences and at quotation marks."""
    for text in texts.values():
        is_whole = key.rpartition(".")[2] in FULL or TWO.search(text)
        if (
            is_whole
            and not EXAMPLE.search(text)
            and not text.rstrip().rstrip(CLOSING).endswith(ENDS)
        ):
            yield f"{key} does not end with a full stop: …{text.rstrip()[-30:]}"
        if wrong := set(WRONG_QUOTES.get(language, '"')).intersection(CODE.sub("", text)):
            yield f"{key} has wrong quotes, {''.join(sorted(wrong))}: {text[:60]}"


def main(languages: list[str]) -> int:
    """Print the problems of some languages, of all if none is named; return the number of problems."""
    count = 0
    for language in languages or list(LANGUAGES):
        found = problems(language)
        count += len(found)
        print(f"{language}: {len(found)}")  # noqa: T201 - what the command is for
        for problem in found:
            print(f"  {problem}")  # noqa: T201
    return count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
