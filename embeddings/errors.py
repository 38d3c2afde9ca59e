"""Errors that a person can act on: each has a code and the values that its message names.

The messages are in `wording/errors/`, one TOML file per package, each in every language of the screen. A message names what was
given, the bound, and the way out. A reason that is part of a message is a `Clause`: a function that checks the content of a file raises
``ValueError(clause(...))``, and the function that knows the path passes this error on as the ``reason`` of its message. A plain
exception with an English text is for programmers only: it says that a documented contract of a function was broken. Errors of the
system (a full disk, a missing right) are turned into messages by `refusal` and `refusals`.
"""

from __future__ import annotations

import copyreg
import errno
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

MESSAGE_FOLDER = Path(__file__).parent / "wording" / "errors"
CLAUSE_FILE = "clauses.toml"  # parts of messages, all other files hold messages


@cache
def _tables() -> dict[str, dict[str, dict[str, str]]]:
    """Return what each TOML file holds, by its name: a table of languages for each code."""
    files = sorted(MESSAGE_FOLDER.glob("*.toml"))
    return {path.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in files}


@cache
def messages(language: str = "en") -> dict[str, str]:
    """Return the messages of a language by error code; codes without a translation are missing.

    A message with a count may be a table of its plural forms instead of a text (`app.wording`); English ones are texts.
    """
    return {
        code: texts[language]
        for name, table in _tables().items()
        if name != CLAUSE_FILE
        for code, texts in table.items()
        if language in texts
    }


@cache
def clauses(language: str = "en") -> dict[str, str]:
    """Return the parts of messages in a language, such as a reason or a way out, by the code of the `Clause`."""
    table = _tables()[CLAUSE_FILE]
    return {code: texts[language] for code, texts in table.items() if language in texts}


LONGEST_FIELD = 1000


def _cut(value: object) -> object:
    """Return a value whose text is short enough for a sentence; numbers, clauses and short texts as they are."""
    if (
        isinstance(value, int | float | Clause | KlyuchError)
        or len(text := str(value)) <= LONGEST_FIELD
    ):
        return value
    return f"{text[:LONGEST_FIELD]}…"


@dataclass(frozen=True)
class Clause:
    """A translated field of a refusal, such as a reason or a way out: a ``code`` of `clauses` and its ``fields``; ``str()`` is English."""

    code: str
    fields: Mapping[str, object]

    def __str__(self) -> str:
        return self.said(clauses()[self.code])

    def said(self, text: str) -> str:
        """Return ``text``, the clause in any language, with its fields; long ones are cut to `LONGEST_FIELD` characters."""
        return text.format(**{name: _cut(value) for name, value in self.fields.items()})


def clause(code: str, **fields: object) -> Clause:
    """Return a translated field of a refusal."""
    return Clause(code, fields)


def shortened(text: str) -> str:
    """Return the beginning of ``text``, short enough for an error message."""
    return text if len(text) <= 60 else text[:59] + "…"


@dataclass(frozen=True)
class Counted:
    """A whole number in a sentence: ``{n}`` alone, ``{n:word|words}`` with the form of the noun that agrees with it.

    Examples
    --------
    >>> "{n:word|words}".format(n=Counted("1", 0)), "{n:word|words}".format(n=Counted("0", 1))
    ('1 word', '0 words')
    """

    written: str
    form: int  # which of the forms agrees, from 0

    def __str__(self) -> str:
        return self.written

    def __format__(self, forms: str) -> str:
        return f"{self.written} {forms.split('|')[self.form]}" if forms else self.written


def agreeing(
    sentence: str, fields: Mapping[str, object], count: Callable[[str], Counted]
) -> dict[str, object]:
    """Return the fields of a sentence with each that a noun agrees with as ``count`` makes it of its text, a whole number or not.

    Examples
    --------
    >>> asked = agreeing("{n:word|words} in {file}", {"n": 1, "file": "a"}, lambda text: Counted(text, 0))
    >>> "{n:word|words} in {file}".format(**asked)
    '1 word in a'
    """
    counts = {name for _, name, forms, _ in Formatter().parse(sentence) if forms and "|" in forms}
    return {
        name: count(str(value)) if name in counts and not isinstance(value, Counted) else value
        for name, value in fields.items()
    }


class KlyuchError(Exception):
    """A refusal with a ``code`` of `messages` and its ``fields``; ``str()`` is the English sentence."""

    def __init__(self, code: str, **fields: object) -> None:
        self.code = code
        self.fields = {name: _field(value) for name, value in fields.items()}
        super().__init__(str(self))

    def __str__(self) -> str:
        sentence = messages()[self.code]
        return sentence.format(
            **agreeing(sentence, self.written_fields, lambda text: Counted(text, int(text != "1")))
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), self.__dict__  # type: ignore[attr-defined]

    @property
    def written_fields(self) -> dict[str, object]:
        """The fields as a sentence holds them: what a file claims at length is cut to `LONGEST_FIELD` characters."""
        return {name: _cut(value) for name, value in self.fields.items()}


def _field(value: object) -> object:
    """Return a field of a message; of an exception its reason: a clause, an error of Klyuch, or the first line of a library's text."""
    if isinstance(value, KlyuchError) or not isinstance(value, Exception):
        return value
    if isinstance(value, UnicodeDecodeError):
        return clause("not_utf8", byte=f"0x{value.object[value.start]:02X}")
    if isinstance(value, KeyError) and value.args:
        return clause("part_missing", name=value.args[0])
    text = str(value).partition("\n")[0][:200].rstrip(".") or type(value).__name__
    return next((item for item in value.args if isinstance(item, Clause)), text)


class InputError(KlyuchError, ValueError):
    """An argument, setting or formula that cannot be used."""


class FormatError(KlyuchError, ValueError):
    """A file whose content is not what it should be; the sentence names file, line and value."""


class CheckpointError(KlyuchError, ValueError):
    """A model or run folder that is incomplete, damaged or of another shape."""


def wrong_shape(path: object, name: str, found: object, expected: object) -> CheckpointError:
    """Return the error of a weight that has another shape than it should; torch's shapes are shown as tuples."""
    shapes = {"found": found, "expected": expected}
    shown = {key: tuple(s) if isinstance(s, tuple) else s for key, s in shapes.items()}
    return CheckpointError("checkpoint_shape", path=path, name=name, **shown)


class MissingFileError(KlyuchError, FileNotFoundError):
    """A file or folder that is not there; the sentence says how to get it."""


class MissingLibraryError(KlyuchError, ImportError):
    """A library that an extra of the package brings is not installed (`embeddings.optional`)."""


class UnknownWordError(KlyuchError, KeyError):
    """A word that the model has no vector for.

    ``suggestions`` holds up to three close spellings, ``count`` how often the corpus had the word (0: never seen; None: not known);
    ``code`` is another sentence than that of a word without a vector.
    """

    def __init__(
        self,
        word: str,
        size: int,
        suggestions: tuple[str, ...] = (),
        count: int | None = None,
        code: str = "",
    ) -> None:
        self.word, self.size = word, size
        self.suggestions = suggestions
        self.count = count
        near = f" Close spellings: {', '.join(suggestions)}." if suggestions else ""
        code = code or ("word_rare" if count else "word_unknown")
        super().__init__(code, word=word, size=size, count=count, suggestions=near)


def refusal(error: OSError) -> KlyuchError:
    """Return the refusal that says what the system refused: path, reason, way out."""
    codes = {
        errno.ENOSPC: "file_room",
        errno.EDQUOT: "file_room",
        errno.EFBIG: "file_room",
        errno.EACCES: "file_right",
        errno.EPERM: "file_right",
        errno.EROFS: "file_right",
        errno.ENOTDIR: "file_above",
        errno.EEXIST: "file_above",
        errno.EISDIR: "file_folder",
    }
    number = error.errno or (errno.ENOSPC if "requested and" in str(error) else 0)  # numpy's tofile
    path = error.filename2 or error.filename or "A file"
    return InputError(
        codes.get(number, "file_system"), path=path, reason=error.strerror or str(error)
    )


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what the system refuses (disk full, no right) into the `InputError` that says so."""
    try:
        yield
    except KlyuchError:  # some of them are OSErrors too
        raise
    except OSError as error:
        raise refusal(error) from error
