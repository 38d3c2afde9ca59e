"""Text that a person brings, pasted or as files, checked and stored as a corpus: whole or not at all.

- Plain text, markup and documents as `embeddings.corpora.text_extraction` takes them, also packed, and zips of them.
- Streamed: memory is a few blocks, whatever the size.
- Bounded: `MAX_TEXT_BYTES` bytes of text or table, `embeddings.archives.RATIO` times its size for packed data, a number of files in a zip.
- No name in an archive is used as a path; one that leads outside, a link or a password refuse the archive.
- UTF-8, or an encoding that is named; a wrong one is guessed and said. A byte order mark goes, line ends become LF.
"""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from embeddings.archives import (
    RATIO,
    ArchiveError,
    InflatedError,
    PackedReader,
    TruncatedError,
    open_zip,
    packing_of_name,
    unpacked,
)
from embeddings.corpora.text_extraction import (
    ByteReader,
    TextReader,
    detect_encoding,
    foreign_kind,
    kind_of_name,
    text_of,
)
from embeddings.errors import FormatError, InputError, refusals
from embeddings.files import CHUNK_BYTES, atomic_folder, write_json
from embeddings.results import Value


class TextStored(Value):
    """A text taken in: its folder, files, ``words`` not yet counted; ``size`` in bytes of plain text."""

    name: str
    folder: Path
    language: str
    files: tuple[str, ...]
    size: int


MAX_TEXT_BYTES = {
    ".txt": 4 << 30,
    ".tsv": 1 << 28,
}  # bytes of plain text by suffix; tables are held in memory
RECORD = "source.json"
NAME = re.compile(r"\w[\w.-]{0,79}")


def store_texts(
    incoming: Sequence[IncomingFile],
    corpora: Path,
    name: str,
    language: str = "",
    encoding: str = "utf-8",
    suffix: str = ".txt",
) -> TextStored:
    """Check files and store their text as ``corpora/name``.

    Parameters
    ----------
    incoming : sequence of IncomingFile
        Read once, from where they stand.
    corpora : Path
        The folder of corpora.
    name : str
        Of the new corpus.
    language : str
        Begins the names of the stored files ("ru_novel.txt"), by which pretraining knows it; "" for none. The files are shown
        under the names that they were brought with (`embeddings.corpora.text_files.shown_names`).
    encoding : str, default "utf-8"
        One of `embeddings.corpora.text_extraction.ENCODINGS`, or another that Python knows.
    suffix : str, default ".txt"
        Of the files that are written, one of `MAX_TEXT_BYTES`: ".tsv" for tables, which are no text to be trained on.

    Raises
    ------
    InputError
        If the name cannot be had, or nothing can be written.
    FormatError
        If a file is too large, damaged, not text, in another encoding (the sentence names a guess), a zip bomb,
        or an archive that holds anything but texts; if there is no word in any of them.
    """
    check_corpus_name(name, corpora)
    origins = ", ".join(file.name for file in incoming)
    files: dict[str, int] = {}
    names: dict[str, str] = {}  # as they were brought
    total = 0
    with refusals(), atomic_folder(corpora / name, replace=False) as folder:
        for text in incoming_texts(incoming):
            target = _file_name(text.name, language, files, suffix)
            files[target] = _store(text, folder / target, encoding, MAX_TEXT_BYTES[suffix] - total)
            names[target], total = text.name, total + files[target]
        files = {target: size for target, size in files.items() if size}
        if not files:
            raise FormatError("intake_nothing", name=origins)
        if not any(_has_word(folder / target) for target in files):
            raise FormatError("corpus_wordless", path=origins)
        for path in folder.iterdir():
            if path.name not in files:
                path.unlink()
        record = {"name": name, "title": origins[:200]}
        about = {"kind": "own", "language": language, "encoding": encoding, "size": total}
        write_json(folder / RECORD, {**record, **about, "files": files, "names": names})
    return TextStored(name, corpora / name, language, tuple(files), total)


def check_corpus_name(name: str, corpora: Path) -> None:
    """Raise `InputError` unless a new corpus can be called so."""
    if not NAME.fullmatch(name):
        raise InputError("intake_name", name=name)
    if (corpora / name).exists():
        raise InputError("intake_taken", name=name)


def corpus_name(file: str) -> str:
    """Return what a corpus could be called after a file.

    Examples
    --------
    >>> corpus_name("My novel (2nd).txt.gz")
    'My-novel-2nd'
    """
    stem = re.sub(
        r"(\.(txt|md|csv|tsv|gz|xz|bz2|zip|html?|xml|jsonl|docx|odt|epub|pdf|rtf))+$",
        "",
        PurePosixPath(file.replace("\\", "/")).name,
    )
    plain = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", stem))
    return plain.strip("-._")[:60].strip("-._") or "text"


def _has_word(path: Path) -> bool:
    """Whether a stored text has a letter or a digit at all."""
    with path.open(encoding="utf-8") as text:
        return any(
            sign.isalnum() for piece in iter(partial(text.read, CHUNK_BYTES), "") for sign in piece
        )


def _file_name(origin: str, language: str, taken: dict[str, int], suffix: str) -> str:
    """Name of a stored file: its own stem behind the language, a number behind it where two have one."""
    stem, number = corpus_name(origin.rpartition(": ")[2]), 1
    prefix = f"{language}_" if language and not stem.startswith(f"{language}_") else ""
    while (name := f"{prefix}{stem}{f'-{number}' if number > 1 else ''}{suffix}") in taken:
        number += 1
    return name


def _store(text: IncomingText, target: Path, encoding: str, room: int) -> int:
    """Write one text as UTF-8; return its bytes. ``room``: bytes of plain text that are left to be stored."""
    source: ByteReader = text.stream
    if target.suffix == ".txt" and (encoding == "utf-8" or kind_of_name(text.name)):
        with sentences_for(text.name):
            source = text_of(text.name, text.stream, "" if encoding == "utf-8" else encoding)
    is_extracted = isinstance(source, TextReader)
    decoder = _Decoder(text.name, "utf-8" if is_extracted else encoding)
    lines = io.IncrementalNewlineDecoder(None, translate=True)  # a CRLF may lie in two pieces
    read = written = 0
    ended, first = False, True
    with target.open("wb") as file:
        while not ended:
            with sentences_for(text.name):
                piece = source.read(CHUNK_BYTES)
            ended = not piece
            read += len(piece)
            if first and not is_extracted:
                refuse_foreign(text.name, piece, encoding)
            if read > room:
                raise _too_large(text.name, target.suffix)
            decoded = decoder.decode(piece, ended)
            decoded = decoded.removeprefix("\ufeff") if first else decoded
            first = first and not decoded
            data = lines.decode(decoded, ended).encode("utf-8")
            file.write(data)
            written += len(data)
    return written


def _too_large(name: str, suffix: str) -> FormatError:
    """Return why a text, or a table, is not taken."""
    if suffix == ".txt":
        return FormatError("intake_large", name=name, bound=MAX_TEXT_BYTES[suffix] >> 30)
    return FormatError("intake_table_large", name=name, bound=MAX_TEXT_BYTES[suffix] >> 20)


class _Decoder:
    """Decodes a text piece by piece; what is not text is rejected with line and guess."""

    def __init__(self, name: str, encoding: str) -> None:
        self.name, self.encoding = name, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._lines = 0  # ended so far

    def decode(self, piece: bytes, ended: bool) -> str:
        """Return the characters that a piece completes; ``ended`` with the last."""
        waiting = self._decoder.getstate()[0]
        try:
            text = self._decoder.decode(piece, ended)
        except UnicodeDecodeError as error:
            block = waiting + piece
            where: dict[str, object] = {
                "name": self.name,
                "line": self._lines + block.count(b"\n", 0, error.start) + 1,
            }
            byte = f"0x{block[error.start]:02X}"
            guess, confidence = detect_encoding(block)
            if guess and guess.lower() != self.encoding:
                about = {"byte": byte, "guess": guess, "confidence": confidence}
                raise FormatError("intake_encoding", **where, **about) from error
            if 0 in block[: error.start + 1]:
                raise FormatError("intake_binary", **where) from error
            raise FormatError("intake_byte", **where, byte=byte, encoding=self.encoding) from error
        except UnicodeError as error:  # UTF-16 that does not say which byte comes first
            raise FormatError("intake_mark", name=self.name) from error
        if (nul := text.find("\x00")) >= 0:
            line = self._lines + text.count("\n", 0, nul) + 1
            guess, confidence = detect_encoding(waiting + piece)
            if guess and guess.lower() != self.encoding:
                about = {"byte": "0x00", "guess": guess, "confidence": confidence}
                raise FormatError("intake_encoding", name=self.name, line=line, **about)
            raise FormatError("intake_binary", name=self.name, line=line)
        self._lines += text.count("\n")
        return text


MEMBERS = 10_000  # files of a zip
SMALLEST_BOUND = 1 << 20  # bytes that a packed file may always unpack to
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that a person brings: what it is called, its bytes, and how many there are."""

    name: str
    stream: BinaryIO
    size: int


@dataclass(frozen=True, slots=True)
class IncomingText:
    """One text of such a file, open to be read once; ``name`` tells the archive too ("books.zip: a.txt")."""

    name: str
    stream: PackedReader


def incoming_texts(files: Sequence[IncomingFile]) -> Iterator[IncomingText]:
    """Yield each text; one that is packed may unpack to `RATIO` times its size, or to a MiB.

    Raises
    ------
    FormatError
        If a file is damaged, or an archive holds what is no text.
    """
    for file in files:
        if file.name.lower().endswith(".zip"):
            yield from _members(file)
        else:
            packing = packing_of_name(file.name)
            bound = max(file.size * RATIO, SMALLEST_BOUND) if packing else None
            with unpacked(file.stream, packing, bound) as stream:
                yield IncomingText(file.name, stream)


def _members(file: IncomingFile) -> Iterator[IncomingText]:
    """Yield the texts of a zip; what is hidden is passed over."""
    with sentences_for(file.name), open_zip(file.stream) as archive:
        count = len(archive.members)
        if count > MEMBERS:
            raise FormatError("intake_members", name=file.name, found=count, bound=MEMBERS)
        for member in archive.members:
            written = member.info.filename
            if member.leads_outside:
                raise FormatError("intake_outside", name=file.name, member=written)
            if member.is_link:
                raise FormatError("intake_link", name=file.name, member=written)
            if member.is_hidden:
                continue
            if kind_of_name(member.path.name) is None:
                raise FormatError("intake_suffix", name=file.name, member=written)
            bound = max(max(member.info.compress_size, 1) * RATIO, SMALLEST_BOUND)
            packing = packing_of_name(member.path.name)
            with (
                archive.open(member, bound) as packed,
                unpacked(packed, packing, bound) as stream,
            ):
                yield IncomingText(f"{file.name}: {member.path.name}", stream)


@contextmanager
def sentences_for(name: str) -> Iterator[None]:
    """Turn what is wrong with packed data, met while it is opened or read, into a sentence about ``name``."""
    try:
        yield
    except TruncatedError as error:
        raise FormatError("intake_cut", name=name) from error
    except InflatedError as error:
        raise FormatError("intake_ratio", name=name, ratio=RATIO) from error
    except ArchiveError as error:
        raise FormatError("intake_damaged", name=name, reason=error) from error


def refuse_foreign(name: str, start: bytes, encoding: str) -> None:
    """Refuse what begins as another kind of file does."""
    if what := foreign_kind(start):
        raise FormatError("intake_foreign", name=name, what=what)
    guess = next((value for mark, value in _MARKS.items() if start.startswith(mark)), "")
    if guess and encoding != guess:
        raise FormatError(
            "intake_encoding",
            name=name,
            line=1,
            byte=f"0x{start[0]:02X}",
            guess=guess,
            confidence=100,
        )
