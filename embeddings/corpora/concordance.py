"""All contexts of a word in a corpus: an index of its paragraphs, by SQLite's full text search.

One file. ``words`` is an FTS5 index without contents that knows which paragraphs have a word
(``detail=none``); the paragraphs themselves lie next to it in compressed blocks. Letters keep their
marks (``remove_diacritics 0``, else й becomes и). ``forms`` lists the words by the lemma that they
have in a language of their script, so that a query finds every inflected form without reading the
vocabulary. The file is opened for reading only.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from embeddings.configuration import check_choice
from embeddings.corpora.concordance_index import (
    APPLICATION,
    READABLE_VERSIONS,
    VERSION,
    build_concordance,
)
from embeddings.corpora.corpus_answers import ConcordanceLine, WordForm
from embeddings.corpora.sense_contexts import Context
from embeddings.errors import FormatError, InputError, KlyuchError, clause
from embeddings.files import check_file
from embeddings.results import Value
from embeddings.text.lemmas import LEMMA_LANGUAGES, SCRIPTS, lemma_key
from embeddings.text.word_positions import Span, excerpt
from embeddings.text.words import normalize
from embeddings.verbs import ConcordanceVerbs

__all__ = ["Concordance", "build_concordance", "line_contexts"]

# up to so many paragraphs, all that have a word are listed; of more, even steps
MAX_LISTED_PARAGRAPHS = 100_000
PARAGRAPHS_PER_STEP = 4  # paragraphs taken at each step
INDEXED = ("en", "ru", "de")  # languages whose lemmas are in every index
MATCHING = "SELECT rowid FROM words WHERE words MATCH ?"
LARGEST_BLOCK = 64 * 2**20  # bytes of a block, unpacked
LONGEST_QUERY_WORD = 100  # characters
GOLDEN = 0.6180339887498949  # its multiples, less their whole part, fill [0, 1) evenly at any time


class Concordance(ConcordanceVerbs, Value):
    """An index on disk: ``paragraphs`` and ``words`` (distinct ones) that it holds, its ``files``."""

    path: Path
    paragraphs: int
    words: int
    files: tuple[str, ...]

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
            names = tuple(str(name) for (name,) in files)
            return cls(path, int(paragraphs), int(words), names)

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
            matches = connection.execute(
                f"{MATCHING} LIMIT ?", (query, MAX_LISTED_PARAGRAPHS + 1)
            ).fetchall()
            if len(matches) <= MAX_LISTED_PARAGRAPHS:
                order = sorted(range(len(matches)), key=lambda number: number * GOLDEN % 1)
                yield from (matches[number][0] for number in order)
                return
        yield from _stepped(connection, query, self.paragraphs)


def line_contexts(
    lines: Sequence[ConcordanceLine], word: str, most: int | None = None
) -> tuple[Context, ...]:
    """Return one context for each occurrence in some lines, ``file`` and ``document`` among its further columns.

    If the lines have every use of the word, and no context is left out, ``file_words`` and ``document_words`` follow.

    Parameters
    ----------
    lines : sequence of ConcordanceLine
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
    occurrences = [(line, span) for line in lines for span in line.spans]
    columns = ["file", "document"]
    if len(occurrences) <= (most or len(occurrences)) and all(
        line.document_words for line in lines
    ):
        columns += ["file_words", "document_words"]
    return tuple(
        Context(
            str(number),
            word,
            "",
            "",
            (span,),
            line.text,
            tuple((name, str(getattr(line, name))) for name in columns),
        )
        for number, (line, span) in enumerate(occurrences[:most], 1)
    )


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for reading only; what SQLite finds wrong with it becomes a sentence."""
    check_file(path, clause("build_concordance"))
    _check(path)
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
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
    if number(60, 4) not in READABLE_VERSIONS:
        raise FormatError("concordance_version", path=path, found=number(60, 4), expected=VERSION)
    if number(16, 2) * number(28, 4) != path.stat().st_size:
        raise FormatError("concordance_damaged", path=path, reason=clause("cut_short"))


def spelled_word(word: str) -> str:
    """Return a word as the index spells it; refuse what holds no letter or digit, or far too many, or bytes that are no text."""
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise InputError("wordpiece_text") from error
    spelled = normalize(word.strip())
    if not re.search(r"[^\W_]", spelled):
        raise InputError("concordance_word", word=word)
    if len(spelled) > LONGEST_QUERY_WORD:
        raise InputError(
            "argument_range", name="word", value=len(spelled), low=1, high=LONGEST_QUERY_WORD
        )
    return spelled


def forms_of(connection: sqlite3.Connection, word: str, language: str) -> tuple[WordForm, ...]:
    """Look up the forms that share the lemma of ``word``, read in its own case or in small letters."""
    check_choice("language", language, LEMMA_LANGUAGES)
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
    # each has all words of its script
    stored = "ru" if SCRIPTS.get(language) == "CYRILLIC" else "en"
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
    for step in range(MAX_LISTED_PARAGRAPHS):
        start = int(step * GOLDEN % 1 * paragraphs)
        for (row,) in connection.execute(
            f"{MATCHING} AND rowid >= ? ORDER BY rowid LIMIT ?", (query, start, PARAGRAPHS_PER_STEP)
        ).fetchall():
            if row not in yielded:
                yielded.add(row)
                yield row


def paragraph_at(connection: sqlite3.Connection, row: int) -> ConcordanceLine:
    """Unpack paragraph ``row``; no word is looked for in it yet."""
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
    return ConcordanceLine(text, (), str(file), int(document))


def cut_line(paragraph: ConcordanceLine, spans: Sequence[Span]) -> ConcordanceLine:
    """Cut the sentences around the first span, with all spans that lie in them."""
    text = paragraph.text
    start, end = excerpt(text, spans[0])
    inside = tuple((a - start, b - start) for a, b in spans if start <= a and b <= end)
    return replace(paragraph, text=text[start:end], spans=inside, is_cut=end - start < len(text))
