"""All contexts of a word in a corpus: an index of its paragraphs, by SQLite's full text search.

One file. ``words`` is an FTS5 index without contents that knows which paragraphs have a word
(``detail=none``); the paragraphs themselves lie next to it in compressed blocks. Letters keep their
marks (``remove_diacritics 0``, else й becomes и). ``forms`` lists the words by the lemma that they
have in a language of their script, so that a query finds every inflected form without reading the
vocabulary. The file is opened for reading only and as if anybody could have written it.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from embeddings.configuration import check_choice, check_range
from embeddings.corpora.concordance_index import (
    APPLICATION,
    CHECKSUMS,
    TABLES,
    VERSION,
    build_concordance,
)
from embeddings.corpora.sense_contexts import Context
from embeddings.corpora.text_files import MOST_CHECKSUMS
from embeddings.errors import FormatError, InputError, KlyuchError
from embeddings.files import check_file
from embeddings.results.sentence_answers import ConcordanceLine, WordForm
from embeddings.text.lemmas import LANGUAGES, SCRIPTS, lemma_key
from embeddings.text.word_positions import Span, excerpt, form_pattern, tokens, word_spans
from embeddings.text.words import normalize

__all__ = ["Concordance", "build_concordance", "line_contexts"]

TRIED = 2_000  # paragraphs with two words that are looked at for both within the window
MANY = 100_000  # paragraphs up to which all that have a word are listed; of more, even steps
STEP = 4  # paragraphs taken at each step
INDEXED = ("en", "ru", "de")  # languages whose lemmas are in every index
MATCHING = "SELECT rowid FROM words WHERE words MATCH ?"
LARGEST_BLOCK = 64 * 2**20  # bytes of a block, unpacked
LONGEST_WORD = 100  # characters
GOLDEN = 0.6180339887498949  # its multiples, less their whole part, fill [0, 1) evenly at any time


@dataclass(frozen=True, slots=True)
class Concordance:
    """An index on disk: ``paragraphs`` and ``words`` (distinct ones) that it holds, its ``files``.

    ``checksums``: sha256 of the files by name, as they were when it was built; none where they are not known.
    """

    path: Path
    paragraphs: int
    words: int
    files: tuple[str, ...]
    checksums: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> Concordance:
        """Open the index at ``path``.

        Raises
        ------
        MissingFileError
            If there is no such file.
        FormatError
            If it is no concordance, one of another version, cut short or damaged.
        """
        with connected(path) as connection:
            paragraphs, words = connection.execute("SELECT paragraphs, words FROM size").fetchone()
            files = connection.execute("SELECT name FROM files ORDER BY file").fetchall()
            checksums = _checksums(path, connection)
            names = tuple(str(name) for (name,) in files)
            return cls(path, int(paragraphs), int(words), names, checksums)

    def forms(self, word: str, language: str) -> tuple[WordForm, ...]:
        """Return the forms of ``word`` that the corpus has, the commonest first."""
        with connected(self.path) as connection:
            return forms_of(connection, word, language)

    def find(self, word: str, language: str, limit: int = 200) -> tuple[ConcordanceLine, ...]:
        """Return lines that have ``word`` in any of its forms, spread evenly over the corpus.

        Parameters
        ----------
        word : str
            One word, in any form; signs that SQLite's queries know mean nothing here.
        language : str
            "en", "ru" or "de". A German word with a capital finds capitals only.
        limit : int, default 200
            Lines at most, 1 to 10 000; equal ones are shown once.

        Raises
        ------
        InputError
            If ``word`` is empty or no word, or a bound is not kept.
        """
        check_range("limit", limit, 1, 10_000)
        with connected(self.path) as connection:
            forms = forms_of(connection, word, language)
            wanted = dict.fromkeys([*(form.form for form in forms), spelled_word(word)])
            common = sum(form.paragraphs for form in forms) > MANY
            pattern = form_pattern(wanted)
            capital = language == "de" and word[:1].isupper()
            lines: dict[str, tuple[int, ConcordanceLine]] = {}
            for row in self.rows(connection, full_text_query(wanted), common):
                if line := _line(connection, row, pattern, capital):
                    lines.setdefault(line.text, (row, line))
                if len(lines) == limit:
                    break
        return tuple(line for _, line in sorted(lines.values(), key=lambda pair: pair[0]))

    def together(
        self, first: str, second: str, window: int = 5, limit: int = 3
    ) -> tuple[ConcordanceLine, ...]:
        """Return lines in which two words stand near each other, exactly as they are spelled, in any case.

        Parameters
        ----------
        first, second : str
            Two words; ``spans`` of a line are theirs, in this order.
        window : int, default 5
            Words apart at most, 1 to 255.
        limit : int, default 3
            Lines at most, 1 to 1 000; equal ones are shown once.

        Raises
        ------
        InputError
            If one is empty or no word, or a bound is not kept.
        """
        check_range("limit", limit, 1, 1_000)
        check_range("window", window, 1, 255)
        patterns = [form_pattern([spelled_word(word)]) for word in (first, second)]
        query = " AND ".join(
            f"({full_text_query([spelled_word(word)])})" for word in (first, second)
        )
        lines: dict[str, ConcordanceLine] = {}
        with connected(self.path) as connection:
            for row in islice(self.rows(connection, query, common=False), TRIED):
                paragraph = paragraph_at(connection, row)
                spans = [word_spans(paragraph.text, pattern) for pattern in patterns]
                if pair := _nearest(paragraph.text, spans[0], spans[1], window):
                    line = cut_line(paragraph, pair)
                    if len(line.spans) == len(pair):
                        lines.setdefault(line.text, line)
                if len(lines) == limit:
                    break
        return tuple(lines.values())

    def count(self, connection: sqlite3.Connection, query: str) -> int:
        """Return how many paragraphs a full text query finds."""
        (count,) = connection.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (query,)
        ).fetchone()
        return int(count)

    def paragraph_counts(
        self, connection: sqlite3.Connection, words: Iterable[str]
    ) -> dict[str, int]:
        """Return in how many paragraphs each word stands; words that the index parts are left out."""
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, row)")
        counts = {}
        for word in words:
            row = connection.execute("SELECT doc FROM terms WHERE term = ?", (word,)).fetchone()
            if row:
                counts[word] = int(row[0])
        return counts

    def rows(self, connection: sqlite3.Connection, query: str, common: bool) -> Iterator[int]:
        """Yield the rows that ``query`` finds, in an order whose every beginning is even."""
        if not common:
            matches = connection.execute(f"{MATCHING} LIMIT ?", (query, MANY + 1)).fetchall()
            if len(matches) <= MANY:
                order = sorted(range(len(matches)), key=lambda number: number * GOLDEN % 1)
                yield from (matches[number][0] for number in order)
                return
        yield from _stepped(connection, query, self.paragraphs)


def line_contexts(
    lines: Iterable[ConcordanceLine], word: str, most: int | None = None
) -> tuple[Context, ...]:
    """Return one context for each occurrence in some lines, ``file`` and ``document`` among its further columns.

    Parameters
    ----------
    lines : iterable of ConcordanceLine
    word : str
        As it was asked for.
    most : int, optional
        Contexts at most; all if not given.

    Examples
    --------
    >>> line = ConcordanceLine("Ein Schloss.", ((4, 11),), "novel.txt", 3)
    >>> line_contexts([line], "Schloss")[0].further
    (('file', 'novel.txt'), ('document', '3'))
    """
    occurrences = islice(((line, span) for line in lines for span in line.spans), most)
    return tuple(
        Context(
            str(number),
            word,
            "",
            "",
            (span,),
            line.text,
            (("file", line.file), ("document", str(line.document))),
        )
        for number, (line, span) in enumerate(occurrences, 1)
    )


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for reading only; what SQLite finds wrong with it becomes a sentence."""
    check_file(path, "Build one: klyuch concordance build CORPUS... --output FILE")
    _check(path)
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        _check_tables(path, connection)
        yield connection
    except (sqlite3.Error, zlib.error, LookupError, TypeError, ValueError) as error:
        if isinstance(error, KlyuchError):
            raise
        raise FormatError("concordance_damaged", path=path, reason=error) from error
    finally:
        connection.close()


def _check(path: Path) -> None:
    """Refuse by its header what is not a concordance of this version, or is not all there."""
    with path.open("rb") as file:
        header = file.read(100)

    def number(at: int, size: int) -> int:
        return int.from_bytes(header[at : at + size], "big")

    if not header.startswith(b"SQLite format 3\0") or number(68, 4) != APPLICATION:
        raise FormatError("concordance_other", path=path)
    if number(60, 4) != VERSION:
        raise FormatError("concordance_version", path=path, found=number(60, 4), expected=VERSION)
    if number(16, 2) * number(28, 4) != path.stat().st_size:
        raise FormatError("concordance_damaged", path=path, reason="it is cut short")


def _check_tables(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse tables other than those that were made here, and views and triggers, which could run."""
    connection.execute("PRAGMA trusted_schema = OFF")
    listed = connection.execute("SELECT name, sql, type FROM sqlite_master").fetchall()
    tables = {name: sql for name, sql, _ in listed}
    if any(kind in ("view", "trigger") for *_, kind in listed):
        raise FormatError("concordance_damaged", path=path, reason="it holds views or triggers")
    if any(tables.get(name) != sql for name, sql in TABLES.items()):
        raise FormatError("concordance_damaged", path=path, reason="its tables are others")


def _checksums(path: Path, connection: sqlite3.Connection) -> dict[str, str]:
    """Return the checksums of the files; none from an index of an earlier version."""
    query = "SELECT sql FROM sqlite_master WHERE name = 'checksums'"
    made_by = connection.execute(query).fetchone()
    if made_by is None:
        return {}
    if made_by[0] != CHECKSUMS:
        raise FormatError("concordance_damaged", path=path, reason="its tables are others")
    rows = connection.execute("SELECT name, sha256 FROM checksums LIMIT ?", (MOST_CHECKSUMS,))
    return {str(name): str(digest) for name, digest in rows}


def spelled_word(word: str) -> str:
    """Return a word as the index spells it; refuse what holds no letter or digit, or far too many, or bytes that are no text."""
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise InputError("wordpiece_text") from error
    spelled = normalize(word.strip())
    if not re.search(r"[^\W_]", spelled):
        raise InputError("concordance_word", word=word)
    if len(spelled) > LONGEST_WORD:
        raise InputError(
            "argument_range", name="word", value=len(spelled), low=1, high=LONGEST_WORD
        )
    return spelled


def forms_of(connection: sqlite3.Connection, word: str, language: str) -> tuple[WordForm, ...]:
    """Look up the forms that share the lemma of ``word``, read in its own case or in small letters."""
    check_choice("language", language, LANGUAGES)
    spelled = spelled_word(word)
    for reading in (normalize(word.strip(), lower=False), spelled):
        rows = connection.execute(
            "SELECT word, paragraphs FROM forms WHERE language = ? AND lemma = ?"
            " ORDER BY paragraphs DESC, word",
            (language, lemma_key(reading, language)),
        ).fetchall()
        if rows:
            break
    if not rows and language not in INDEXED:
        rows = _computed_forms(connection, spelled, language)
    return tuple(WordForm(str(form), int(count)) for form, count in rows)


def _computed_forms(
    connection: sqlite3.Connection, word: str, language: str
) -> list[tuple[str, int]]:
    """Look for forms in a language whose lemmas are not in the index: among the words that begin as the word or its lemma does."""
    key = lemma_key(word, language)
    stored = (
        "ru" if SCRIPTS.get(language) == "CYRILLIC" else "en"
    )  # each has all words of its script
    found: dict[str, int] = {}
    for first in {word[:1], key[:1]}:
        words = connection.execute(
            "SELECT word, paragraphs FROM forms WHERE language = ? AND word >= ? AND word < ?",
            (stored, first, first + "\U0010ffff"),
        )
        found |= {form: count for form, count in words if lemma_key(form, language) == key}
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))


def full_text_query(forms: Iterable[str]) -> str:
    """Return the full text query for any of ``forms``; one that the index parts needs all its parts."""
    parts = (re.findall(r"[^\W_]+", form) for form in forms)
    return " OR ".join("(" + " AND ".join(f'"{part}"' for part in form) + ")" for form in parts)


def _stepped(connection: sqlite3.Connection, query: str, paragraphs: int) -> Iterator[int]:
    """Yield rows of a common word, a few at a time from places all over the corpus."""
    yielded: set[int] = set()
    for step in range(MANY):
        start = int(step * GOLDEN % 1 * paragraphs)
        for (row,) in connection.execute(
            f"{MATCHING} AND rowid >= ? ORDER BY rowid LIMIT ?", (query, start, STEP)
        ).fetchall():
            if row not in yielded:
                yielded.add(row)
                yield row


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph with its file and the number of its document."""

    text: str
    file: str
    document: int


def paragraph_at(connection: sqlite3.Connection, row: int) -> Paragraph:
    """Unpack paragraph ``row``."""
    first, block = connection.execute(
        "SELECT first, block FROM blocks WHERE first <= ? ORDER BY first DESC LIMIT 1", (row,)
    ).fetchone()
    unpacked = zlib.decompressobj().decompress(block, LARGEST_BLOCK)  # and no more, whatever it is
    text = unpacked.decode("utf-8").split("\n")[row - first]
    file, document = connection.execute(
        "SELECT name, number FROM documents JOIN files USING (file)"
        " WHERE first <= ? ORDER BY first DESC LIMIT 1",
        (row,),
    ).fetchone()
    return Paragraph(text, str(file), int(document))


def _line(
    connection: sqlite3.Connection, row: int, pattern: re.Pattern[str], capital: bool
) -> ConcordanceLine | None:
    """Cut the line out of paragraph ``row``; None where the word stands there in small letters only."""
    paragraph = paragraph_at(connection, row)
    text = paragraph.text
    word_positions = [
        at for at in word_spans(text, pattern) if not capital or text[at[0]].isupper()
    ]
    return cut_line(paragraph, word_positions) if word_positions else None


def cut_line(paragraph: Paragraph, spans: Sequence[Span]) -> ConcordanceLine:
    """Cut the sentences around the first span, with all spans that lie in them."""
    text = paragraph.text
    start, end = excerpt(text, spans[0])
    inside = tuple((a - start, b - start) for a, b in spans if start <= a and b <= end)
    is_cut = end - start < len(text)
    return ConcordanceLine(text[start:end], inside, paragraph.file, paragraph.document, is_cut)


def _nearest(text: str, firsts: Sequence[Span], seconds: Sequence[Span], window: int) -> list[Span]:
    """Return the spans of two words that stand within ``window`` words of each other, the first such pair; else nothing."""
    starts = [start for start, _ in tokens(text)]
    for first in firsts:
        for second in seconds:
            places = (bisect_right(starts, first[0]), bisect_right(starts, second[0]))
            if first != second and abs(places[0] - places[1]) <= window:
                return [first, second]
    return []
