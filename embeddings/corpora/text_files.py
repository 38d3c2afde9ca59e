"""Text files (.txt, .gz, .xz, folders of them) as blocks, paragraphs and documents.

UTF-8, one paragraph a line. A blank line ends a document, and so does the end of a file. What
cannot be read is refused with file, line, value and way out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from embeddings.archives import (
    ArchiveError,
    PackedReader,
    TruncatedError,
    packing_of_name,
    unpacked,
)
from embeddings.corpora.encoded_corpus import ARRAYS, CONFIG, FREQUENT_WORDS, WORDS
from embeddings.errors import FormatError, InputError, MissingFileError
from embeddings.files import sha256

LINE_LIMIT = 16 * 2**20  # bytes
MOST_CHECKSUMS = 1_000  # files of a corpus whose checksums are recorded
SUFFIXES = (".txt", ".gz", ".xz")
_BOM = b"\xef\xbb\xbf"
_MAGIC = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "gzip data without the suffix .gz",
    b"\xfd7zXZ\x00": "xz data without the suffix .xz",
    b"%PDF": "a PDF",
    b"BZh": "bzip2 data",
    b"\x28\xb5\x2f\xfd": "zstandard data",
    b"7z\xbc\xaf": "a 7z archive",
}


class TextFile(Protocol):
    """What a text is read from: a `Path`, or a part of a file that lies elsewhere."""

    @property
    def name(self) -> str:
        """Name without folders."""

    @property
    def suffix(self) -> str:
        """What the name ends in; it says how the bytes are packed."""

    def open(self, mode: Literal["rb"], /) -> BinaryIO:
        """Open it for its bytes."""


def is_encoded_corpus(folder: Path) -> bool:
    """Whether a folder is what `embeddings.corpora.encoded_corpus.encode` writes, whole or not, so that no text is to be read from it.

    A static model, which holds ``config.json`` and ``words.txt`` too, is taken for one; opening rejects it.
    """
    arrays = any((folder / name).is_file() for name in (*ARRAYS, FREQUENT_WORDS))
    return arrays or all((folder / name).is_file() for name in (CONFIG, WORDS))


def text_files(sources: Sequence[Path]) -> tuple[Path, ...]:
    """List the files that ``sources`` stand for, in order.

    A folder gives its .txt, .gz and .xz, recursively and sorted by path, hidden ones left out, and
    so are the files of encoded corpora and models in it, which are no text of the corpus.

    Raises
    ------
    MissingFileError, InputError
        For a source that is not there, a folder without text, or one that is an encoded corpus.
    """
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            files += _inside(source)
        elif source.is_file():
            files.append(source)
        else:
            raise MissingFileError(
                "file_missing", path=source, way_out="Name a text file or a folder of them."
            )
    return tuple(files)


def file_checksums(files: Sequence[Path]) -> dict[str, str]:
    """Return the sha256 of each file by its name, for what is made from them; of more than `MOST_CHECKSUMS` files none.

    A further file of the same name has the first number that no file has: ``a.txt (2)``.
    """
    checksums: dict[str, str] = {}
    for file in files if len(files) <= MOST_CHECKSUMS else ():
        name = shown_name(file)
        numbered = (f"{name} ({number})" for number in count(2))
        free = next(key for key in chain([name], numbered) if key not in checksums)
        checksums[free] = sha256(file)
    return checksums


def shown_name(file: Path) -> str:
    """Return a file's name; bytes in it that are not UTF-8 become the sign for that."""
    return os.fsencode(file.name).decode("utf-8", "replace")


def _inside(folder: Path) -> list[Path]:
    """List the text files of one folder, sorted."""
    if is_encoded_corpus(folder):
        raise InputError("corpus_source_encoded", path=folder)
    files = [
        path
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    encoded = {parent for parent in {path.parent for path in files} if is_encoded_corpus(parent)}
    inside = sorted(path for path in files if encoded.isdisjoint(path.parents))
    if not inside:
        raise InputError("corpus_folder_empty", path=folder, suffixes=", ".join(SUFFIXES))
    return inside


@contextmanager
def opened(path: TextFile) -> Iterator[tuple[PackedReader, BinaryIO]]:
    """Open a text file for its bytes: yields (text, file).

    ``file`` lies on the disk; its ``tell()`` says how far it was read.
    """
    with path.open("rb") as file, unpacked(file, packing_of_name(path.name)) as text:
        yield text, file


def read_blocks(
    path: TextFile, size: int = 1 << 22, *, is_start: bool = True
) -> Iterator[tuple[bytes, int]]:
    """Yield a file's text in blocks of whole lines, and how far the file on disk was read.

    A block has about ``size`` bytes. A byte order mark is left out where the text is the start of a
    file. Memory: a block and a line.
    """
    with opened(path) as (text, file):
        rest, line, first = b"", 1, is_start
        while piece := _read(path, text, size):
            if first:
                _refuse_archive(path, piece)
                piece, first = piece.removeprefix(_BOM), False
            end = piece.find(b"\n")
            cut = piece.rfind(b"\n") + 1
            if end < 0 and b"\r" in piece:
                end = piece.find(b"\r")
                cut = piece.rfind(b"\r", 0, -1) + 1  # a last \r may be half of \r\n
            longest = len(rest) + (len(piece) if end < 0 else end)
            if longest > LINE_LIMIT:
                raise FormatError(
                    "corpus_line_long", path=path, line=line, size=longest, bound=LINE_LIMIT
                )
            if cut:
                block = rest + piece[:cut]
                yield block, file.tell()
                line += block.count(b"\n")
                rest = piece[cut:]
            else:
                rest += piece
        if rest:
            yield rest, file.tell()


def _read(path: TextFile, text: PackedReader, size: int) -> bytes:
    """Read up to ``size`` bytes; damage to compressed data becomes a sentence."""
    try:
        return text.read(size)
    except TruncatedError as error:
        raise FormatError("corpus_truncated", path=path) from error
    except ArchiveError as error:
        raise FormatError("corpus_damaged", path=path, kind=path.suffix, reason=error) from error
    except OSError as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error


def _refuse_archive(path: TextFile, start: bytes) -> None:
    """Refuse a file that begins as an archive or as UTF-16 does."""
    for magic, what in _MAGIC.items():
        if start.startswith(magic):
            raise FormatError("corpus_archive", path=path, what=what)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(
            "corpus_encoding", path=path, line=1, byte=f"0x{start[0]:02X}", guess="UTF-16"
        )


def refuse_byte(path: TextFile, offset: int, block: bytes, at: int) -> None:
    """Raise for byte ``at`` of a block ``offset`` bytes into the text: NUL, or not UTF-8."""
    line = _lines_before(path, offset) + block.count(b"\n", 0, at) + 1
    if block[at] == 0:
        raise FormatError("corpus_binary", path=path, line=line)
    byte = f"0x{block[at]:02X}"
    if guess := guess_encoding(block):
        raise FormatError("corpus_encoding", path=path, line=line, byte=byte, guess=guess)
    raise FormatError("corpus_byte", path=path, line=line, byte=byte)


def _lines_before(path: TextFile, offset: int) -> int:
    """Count line ends in the first ``offset`` bytes of a text."""
    lines = passed = 0
    for block, _ in read_blocks(path):
        if passed >= offset:
            break
        lines += block.count(b"\n", 0, offset - passed)
        passed += len(block)
    return lines


def guess_encoding(block: bytes) -> str:
    """Name the encoding that the high bytes of ``block`` look like, or nothing if none is plausible.

    Control characters are in no text; where most high bytes are sound UTF-8, some are damaged. Few
    among ASCII letters mean a Latin script. Cyrillic is where four in five are letters, most of
    them small: Windows-1251 and KOI8-R swap small and capital letters.
    """
    sample = block[: 1 << 16] if any(byte > 127 for byte in block[: 1 << 16]) else block
    text = sample.decode("utf-8", "replace")
    sound = sum(letter > "\x7f" for letter in text) - 2 * text.count("\ufffd")
    if sound > 0 or any(byte < 32 and byte not in b"\t\n\f\r" for byte in sample):
        return ""
    high = bytes(byte for byte in sample if byte > 127)
    if len(high) * 2 < sum(65 <= byte | 32 <= 122 and byte > 64 for byte in sample if byte < 128):
        return "WINDOWS-1252" if not set(high) & set(b"\x81\x8d\x8f\x90\x9d") else ""
    shares = {
        name: _cyrillic_shares(high.decode(name, "replace"))
        for name in ("WINDOWS-1251", "KOI8-R", "CP866")
    }
    best = max(shares, key=lambda name: shares[name][0] * shares[name][1])
    letters, small = shares[best]
    return best if letters > 0.8 and small > 0.6 else ""


def _cyrillic_shares(text: str) -> tuple[float, float]:
    """Shares of Cyrillic letters in ``text``, and of small ones among them."""
    letters = [letter for letter in text if "\u0400" <= letter <= "\u04ff"]
    small = sum(letter.islower() for letter in letters)
    return len(letters) / max(len(text), 1), small / max(len(letters), 1)


def text_lines(path: Path, note: Callable[[int], None] | None = None) -> Iterator[str]:
    """Yield each line of a UTF-8 file without its end, of any system. Bytes that are no text are a `FormatError`.

    ``note`` is called with how far the file on disk was read.
    """
    offset = 0
    for block, read in read_blocks(path):
        if note:
            note(read)
        try:
            text = block.decode("utf-8")
        except UnicodeDecodeError as error:
            refuse_byte(path, offset, block, error.start)
        if (nul := block.find(b"\x00")) >= 0:
            refuse_byte(path, offset, block, nul)
        offset += len(block)
        plain = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        yield from plain.split("\n")


def documents(path: Path, note: Callable[[int], None] | None = None) -> Iterator[list[str]]:
    """Yield each document of a file as the list of its paragraphs (lines that hold anything); ``note`` as for `text_lines`."""
    document: list[str] = []
    for line in text_lines(path, note):
        if paragraph := line.strip():
            document.append(paragraph)
        elif document:
            yield document
            document = []
    if document:
        yield document


def paragraphs(path: Path) -> Iterator[str]:
    """Yield each paragraph of a file, blank lines left out."""
    for document in documents(path):
        yield from document
