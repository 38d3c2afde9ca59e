"""Text files, and folders of them, as blocks, paragraphs and documents.

UTF-8, one paragraph a line. A blank line ends a document, and so does the end of a file. What
cannot be read is refused with file, line, value and way out; `embeddings.corpora.text_extraction` takes the text
out of markup and documents.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count, islice
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from embeddings.archives import packing_of_name, unpacked
from embeddings.corpora.encoded_corpus import ARRAYS, FREQUENT_WORDS_FILE, WORDS_FILE
from embeddings.corpora.text_extraction import (
    encoding_error,
    kind_of_name,
    text_of,
)
from embeddings.errors import FormatError, InputError, MissingFileError, clause
from embeddings.files import CONFIG, read_if_whole, sha256
from embeddings.results import Value

log = logging.getLogger(__name__)
LINE_LIMIT = 16 * 2**20  # bytes; a longer line is cut
WORDS_OF_CUT_LINE = 10_000  # as gensim cuts lines
MOST_CHECKSUMS = 1_000  # files of a corpus whose checksums are recorded
SUFFIXES = (".txt", ".md", ".gz", ".xz", ".bz2", ".html", ".xml", ".jsonl", ".docx", ".odt", ".epub", ".pdf", ".rtf")  # fmt: skip
OWN_RECORD = "source.json"  # beside the texts of a corpus that was brought


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
    """Whether a folder is what `embeddings.corpora.corpus_encoding.encode` writes, whole or not, so that no text is to be read from it.

    A static model, which holds ``config.json`` and ``words.txt`` too, is taken for one; opening rejects it.
    """
    arrays = any((folder / name).is_file() for name in (*ARRAYS, FREQUENT_WORDS_FILE))
    return arrays or all((folder / name).is_file() for name in (CONFIG, WORDS_FILE))


def text_files(sources: Sequence[Path]) -> tuple[Path, ...]:
    """List the files that ``sources`` stand for, in order.

    A folder gives its texts and documents by suffix (`embeddings.corpora.text_extraction.kind_of_name`), recursively and
    sorted by path, hidden ones left out, and so are the files of encoded corpora and models in it. What else is left
    out is logged as a warning, with the reason.

    Raises
    ------
    MissingFileError, InputError
        For a source that is not there, a folder without text, or one that is an encoded corpus.
    """
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            inside = read_folder(source)
            files += inside.files
            if inside.left_out:
                log.warning("%s", inside)
        elif source.is_file():
            files.append(source)
        else:
            raise MissingFileError("file_missing", path=source, way_out=clause("name_texts"))
    return tuple(files)


def file_checksums(files: Sequence[Path]) -> dict[str, str]:
    """Return the sha256 of each file by its name, for what is made from them; of more than `MOST_CHECKSUMS` files none.

    A further file of the same name has the first number that no file has: ``a.txt (2)``.
    """
    few = files if len(files) <= MOST_CHECKSUMS else ()
    return dict(zip(shown_names(few), map(sha256, few), strict=True))


def shown_names(files: Sequence[Path]) -> tuple[str, ...]:
    """Return a name for each file: the one under which a person brought it, if its folder records that, else its own.

    A further file of the same name has the first number that no file has: ``a.txt (2)``. Bytes that are not UTF-8 become the sign
    for that.
    """
    brought = {folder: _brought_names(folder) for folder in {file.parent for file in files}}
    names: dict[str, None] = {}  # a set in order
    for file in files:
        own = os.fsencode(file.name).decode("utf-8", "replace")
        name = str(brought[file.parent].get(file.name, own))
        numbered = (f"{name} ({number})" for number in count(2))
        names[next(key for key in chain([name], numbered) if key not in names)] = None
    return tuple(names)


def _brought_names(folder: Path) -> Mapping[str, object]:
    """Return the names of files as they were brought, by their names in the folder; none where it has no such record."""
    names = read_if_whole(folder / OWN_RECORD).get("names")
    return names if isinstance(names, dict) else {}


class FolderOfTexts(Value):
    """What a folder holds: the files that are read, and the reason for each that is not, by path within the folder."""

    folder: Path
    files: tuple[Path, ...]
    left_out: dict[str, str]

    def __str__(self) -> str:
        shown = [f"{name} ({reason})" for name, reason in islice(self.left_out.items(), 10)]
        more = len(self.left_out) - len(shown)
        return (
            f"{self.folder}: {len(self.files)} files are read, {len(self.left_out)} are left out: "
            + "; ".join(shown)
            + (f"; and {more} more" if more else "")
        )


def read_folder(folder: Path) -> FolderOfTexts:
    """List the text files of one folder, sorted, and what is left out.

    Raises
    ------
    InputError
        If it is an encoded corpus, or holds no text.
    """
    if is_encoded_corpus(folder):
        raise InputError("corpus_source_encoded", path=folder)
    files = [
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.name != OWN_RECORD
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    encoded = {parent for parent in {path.parent for path in files} if is_encoded_corpus(parent)}
    inside = sorted(path for path in files if encoded.isdisjoint(path.parents))
    reasons = {path: _reason_to_leave_out(path) for path in inside}
    texts = tuple(path for path, reason in reasons.items() if not reason)
    if not texts:
        raise InputError("corpus_folder_empty", path=folder, suffixes=", ".join(SUFFIXES))
    left_out = {str(path.relative_to(folder)): why for path, why in reasons.items() if why}
    return FolderOfTexts(folder, texts, left_out)


def _reason_to_leave_out(path: Path) -> str:
    """Return why a file of a folder is no text; "" for one that is."""
    if kind_of_name(path.name) is None:
        return f"{path.suffix} is no kind of text that is read"
    if not path.suffix:
        with path.open("rb") as file:
            if b"\0" in file.read(4096):
                return "holds NUL bytes and has no suffix"
    return ""


def read_blocks(
    path: TextFile, size: int = 1 << 22, encoding: str = "", *, is_start: bool = True
) -> Iterator[tuple[bytes, int]]:
    """Yield a file's text as UTF-8 in blocks of whole lines, and how far the file on disk was read.

    A block has about ``size`` bytes. A byte order mark is left out where the text is the start of a
    file. A line of more than `LINE_LIMIT` bytes is cut between words. Memory: a block and a line.
    """
    name = str(path) if isinstance(path, Path) else path.name
    with (
        path.open("rb") as file,
        unpacked(file, packing_of_name(path.name), path) as raw,
        _sentences_for(path),
    ):
        rest, line = b"", 1
        for piece in text_of(name, raw, size, encoding, is_start=is_start):
            end = piece.find(b"\n")
            cut = piece.rfind(b"\n") + 1
            if end < 0 and b"\r" in piece:
                end = piece.find(b"\r")
                cut = piece.rfind(b"\r", 0, -1) + 1  # a last \r may be half of \r\n
            longest = len(rest) + (len(piece) if end < 0 else end)
            if longest > LINE_LIMIT:
                block, rest = _cut_line(rest + piece)
                if not block:
                    raise FormatError(
                        "corpus_line_long", path=path, line=line, size=longest, bound=LINE_LIMIT
                    )
                yield block, file.tell()
                line += piece.count(b"\n")
            elif cut:
                block = rest + piece[:cut]
                yield block, file.tell()
                line += block.count(b"\n")
                rest = piece[cut:]
            else:
                rest += piece
        if rest:
            yield rest, file.tell()


def _cut_line(data: bytes) -> tuple[bytes, bytes]:
    """Cut a line that is too long at its last space; what stands before it gets a line end every `WORDS_OF_CUT_LINE` words."""
    end = data.rfind(b" ")
    if end < 0:
        return b"", data
    lines = []
    for whole in data[:end].split(b"\n"):
        words = whole.split(b" ")
        lines += [
            b" ".join(words[start : start + WORDS_OF_CUT_LINE])
            for start in range(0, len(words), WORDS_OF_CUT_LINE)
        ]
    return b"\n".join(lines) + b"\n", data[end + 1 :]


@contextmanager
def _sentences_for(path: TextFile) -> Iterator[None]:
    """Turn what is wrong with the disk into an error that names the file."""
    try:
        yield
    except OSError as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error


def refuse_byte(path: TextFile, offset: int, block: bytes, at: int) -> None:
    """Raise for byte ``at`` of a block ``offset`` bytes into the text: NUL, or not UTF-8."""
    line = _lines_before(path, offset) + block.count(b"\n", 0, at) + 1
    raise encoding_error(path, line, block, at)


def _lines_before(path: TextFile, offset: int) -> int:
    """Count line ends in the first ``offset`` bytes of a text."""
    lines = passed = 0
    for block, _ in read_blocks(path):
        if passed >= offset:
            break
        lines += block.count(b"\n", 0, offset - passed)
        passed += len(block)
    return lines


def text_lines(
    path: Path, note: Callable[[int], None] | None = None, encoding: str = ""
) -> Iterator[str]:
    """Yield each line of a text file without its end, of any system. Bytes that are no text are a `FormatError`.

    ``note`` is called with how far the file on disk was read. Without an ``encoding`` the text is UTF-8; bytes that the encoding
    does not have become U+FFFD.
    """
    lines = 0
    for block, read in read_blocks(path, encoding=encoding):
        if note:
            note(read)
        nul = block.find(b"\x00")
        try:
            text = block[: nul if nul >= 0 else None].decode("utf-8")
        except UnicodeDecodeError as error:
            nul = error.start
        if nul >= 0:
            raise encoding_error(path, lines + block.count(b"\n", 0, nul) + 1, block, nul)
        lines += block.count(b"\n")
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
