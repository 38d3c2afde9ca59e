"""Building the index of a concordance: paragraphs in order, packed in blocks, their words in FTS5.

Rows are numbered from 1 in the order of the text. All is written into a temporary sibling without a
journal, as the file is whole or absent anyway.
"""

from __future__ import annotations

import sqlite3
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from embeddings.corpora.text_files import documents, shown_names, text_files
from embeddings.errors import FormatError, InputError
from embeddings.files import atomic_file
from embeddings.results import Report, progress_of
from embeddings.text.characters import INVISIBLE, STRESS, STRESSED
from embeddings.text.lemmas import lemma_key
from embeddings.text.words import normalize, split_words

APPLICATION = 0x4B6C7963  # "Klyc" in the header of the file
VERSION = 2
READABLE_VERSIONS = (1, VERSION)  # 1: without the words of documents
BLOCK_CHARACTERS = 1 << 12  # characters: a line of the result unpacks one block
SHARE = 0.05  # of the distinct words, below which a script's lemmas are not looked up
HASH = 64 << 20  # bytes of words that FTS5 collects before it writes
TABLES = {
    "words": "CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, detail=none,"
    " tokenize='unicode61 remove_diacritics 0')",
    "blocks": "CREATE TABLE blocks(first INTEGER PRIMARY KEY, block BLOB NOT NULL)",
    "files": "CREATE TABLE files(file INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    "documents": "CREATE TABLE documents(first INTEGER PRIMARY KEY, file INTEGER NOT NULL,"
    " number INTEGER NOT NULL, words INTEGER NOT NULL)",
    "forms": "CREATE TABLE forms(language TEXT NOT NULL, lemma TEXT NOT NULL, word TEXT NOT NULL,"
    " paragraphs INTEGER NOT NULL, PRIMARY KEY(language, lemma, word)) WITHOUT ROWID",
    "size": "CREATE TABLE size(paragraphs INTEGER NOT NULL, words INTEGER NOT NULL)",
}
PRAGMAS = (
    "PRAGMA page_size = 8192",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA cache_size = -65536",
)
_RARE = (*INVISIBLE, *STRESS, *map(chr, STRESSED))


def build_concordance(
    sources: Sequence[Path], path: Path, report: Report | None = None
) -> tuple[int, int]:
    """Index the paragraphs of ``sources`` (files, folders) into the file ``path``, whole or not at all.

    Parameters
    ----------
    sources : sequence of Path
        Text files (.txt, .gz, .xz) or folders of them: UTF-8, one paragraph per line, a blank line
        between documents.
    path : Path
        The file to write; a concordance that is there is replaced.
    report : callable, optional
        Called now and then with bytes done of all.

    Returns
    -------
    (int, int)
        Paragraphs and distinct words.

    Raises
    ------
    MissingFileError, InputError, FormatError
        If a source is not there, is no text or holds none, or ``path`` is something else.
    """
    files = text_files(sources)
    _check_target(path, files)
    with atomic_file(path) as temporary, closing(sqlite3.connect(temporary)) as connection:
        connection.isolation_level = None
        try:
            return _fill(connection, files, report)
        except sqlite3.Error as error:
            raise FormatError("concordance_unwritten", path=path, reason=error) from error


def has_this_version(path: Path) -> bool:
    """Whether an index was built by this version."""
    with path.open("rb") as file:
        return file.read(64)[60:] == VERSION.to_bytes(4, "big")


def _fill(
    connection: sqlite3.Connection, files: Sequence[Path], report: Report | None
) -> tuple[int, int]:
    """Write all tables; return paragraphs and distinct words."""
    for statement in (*PRAGMAS, *TABLES.values(), "BEGIN"):
        connection.execute(statement)
    connection.execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?)", (HASH,))
    paragraphs = _add_texts(connection, files, report)
    if not paragraphs:
        raise InputError("corpus_no_text", files=len(files))
    connection.execute("COMMIT")
    connection.execute("INSERT INTO words(words) VALUES ('optimize')")
    words = _add_forms(connection)
    connection.execute("INSERT INTO size VALUES (?, ?)", (paragraphs, words))
    return paragraphs, words


def _check_target(path: Path, files: Sequence[Path]) -> None:
    """Refuse to write over a source, or over anything that is no concordance."""
    for source in files:
        if path.resolve() == source.resolve():
            raise InputError("corpus_output_source", path=path, source=source)
    if path.exists():
        start = path.read_bytes()[:72] if path.is_file() else b""
        if path.is_dir() or start[68:] != APPLICATION.to_bytes(4, "big"):
            raise FormatError("concordance_target", path=path)


def _add_texts(connection: sqlite3.Connection, files: Sequence[Path], report: Report | None) -> int:
    """Add every paragraph; return how many there are."""
    sizes = [file.stat().st_size for file in files]
    # A paragraph's number is its FTS5 rowid, from 1; texts are packed some `BLOCK_CHARACTERS` characters at a time:
    #
    #    words (FTS5)    rowid 1    2    3    4    5    6 ...
    #    blocks          first 1 [ zlib ]   first 4 [ zlib ] ...     paragraph 5: the block with the largest first <= 5, line 5 - first
    #    documents       first 1, file 0, number 1, words 57    first 3 ...    found the same way
    row, advance = 0, progress_of(report, "index", sum(sizes))
    connection.executemany("INSERT INTO files VALUES (?, ?)", enumerate(shown_names(files)))
    for file_number, file in enumerate(files):
        done = 0
        for block, starts in _blocks(file):
            numbered = [(row + start + 1, file_number, n, words) for start, n, words in starts]
            connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", numbered)
            packed = "\n".join(block).encode("utf-8")
            done = min(done + len(packed), sizes[file_number])
            connection.execute(
                "INSERT INTO blocks VALUES (?, ?)", (row + 1, zlib.compress(packed, 1))
            )
            connection.executemany(
                "INSERT INTO words(rowid, text) VALUES (?, ?)",
                [(row + at, searchable(text)) for at, text in enumerate(block, 1)],
            )
            row += len(block)
            advance(sum(sizes[:file_number]) + done)
        advance(sum(sizes[: file_number + 1]))
    return row


def _blocks(file: Path) -> Iterator[tuple[list[str], list[tuple[int, int, int]]]]:
    """Yield paragraphs in blocks, and where documents begin in each: (paragraph, number from 1, words of the document)."""
    block: list[str] = []
    starts: list[tuple[int, int, int]] = []
    size = 0
    for number, document in enumerate(documents(file), 1):
        words = sum(len(split_words(paragraph)) for paragraph in document)
        starts.append((len(block), number, words))
        for paragraph in document:
            block.append(unicodedata.normalize("NFC", paragraph))
            size += len(paragraph)
            if size >= BLOCK_CHARACTERS:
                yield block, starts
                block, starts, size = [], [], 0
    if block:
        yield block, starts


def searchable(text: str) -> str:
    """Return an NFC text as it is indexed: stress marks and invisible signs go; SQLite lowers letters."""
    if text.isascii() or not any(sign in text for sign in _RARE):
        return text
    return normalize(text, lower=False)


def _add_forms(connection: sqlite3.Connection) -> int:
    """List the words by lemma: Cyrillic ones in Russian, Latin ones in English and German.

    A script that few words have is left out: those are found as they are spelled.
    """
    connection.execute(
        "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')"
    )
    rows = connection.execute("SELECT term, doc FROM temp.vocabulary").fetchall()
    connection.execute("DROP TABLE temp.vocabulary")
    scripts: dict[tuple[str, ...], list[tuple[str, int]]] = {
        languages: [] for languages in (("ru",), ("en", "de"))
    }
    for word, count in rows:
        if languages := _languages(word):
            scripts[languages].append((word, count))
    forms = sorted(
        (language, lemma_key(word, language), word, count)
        for languages, words in scripts.items()
        if len(words) > SHARE * sum(map(len, scripts.values()))
        for language in languages
        for word, count in words
    )
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO forms VALUES (?, ?, ?, ?)", forms)
    connection.execute("COMMIT")
    return len(rows)


def _languages(word: str) -> tuple[str, ...]:
    """Languages whose script a word is written in."""
    if not word.isalpha():
        return ()
    return (
        ("ru",) if "\u0400" <= word[0] <= "\u04ff" else ("en", "de") if word[0] < "\u0250" else ()
    )
