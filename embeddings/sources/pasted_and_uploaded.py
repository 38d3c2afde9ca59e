"""Texts that a person pastes or uploads: their size is bounded, zips are checked and unpacked, and they are stored as a corpus.

A corpus is stored whole or not at all. Plain text, markup and documents as `embeddings.corpora.text_extraction` takes them, also packed,
and zips of them (`embeddings.archives.unpack_zip` checks those). They become UTF-8 with line ends LF, streamed line by line.
Bounds: `MAX_TEXT_BYTES` of text or table, `embeddings.archives.unpacked_bound` for packed data.
"""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from embeddings import archives
from embeddings.corpora.text_extraction import kind_of_name
from embeddings.corpora.text_files import OWN_RECORD, text_lines
from embeddings.errors import FormatError, InputError, refusals
from embeddings.files import CHUNK_BYTES, atomic_folder, renamed_in_refusals, write_json
from embeddings.results import Value


class TextStored(Value):
    """A text taken in: its folder, files, ``words`` not yet counted; ``size`` in bytes of plain text."""

    name: str
    folder: Path
    language: str
    files: tuple[str, ...]
    size: int


# bytes of plain text by suffix; tables are held in memory
MAX_TEXT_BYTES = {".txt": 4 << 30, ".tsv": 1 << 28}
TOO_LARGE = {".txt": ("intake_large", 30), ".tsv": ("intake_table_large", 20)}
NAME = re.compile(r"\w[\w.-]{0,79}")
# letters of a file's name on the disk, of up to four bytes each: 255 bytes are the most
LONGEST_FILE_NAME = 60
DAMAGED = re.compile("[\0\ufffd]")  # what text read in a wrong encoding has


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that a person brings: what it is called, its bytes, and how many there are."""

    name: str
    stream: BinaryIO
    size: int


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
        If the name cannot be had, nothing can be written, or a zip cannot be trusted.
    FormatError
        If a file is too large, damaged, not text, in another encoding (the sentence names a guess), a zip bomb,
        or an archive that holds anything but texts; if there is no word in any of them.
    """
    check_corpus_name(name, corpora)
    origins = ", ".join(file.name for file in incoming)
    files: dict[str, int] = {}
    names: dict[str, str] = {}  # as they were brought
    has_word, left = False, MAX_TEXT_BYTES[suffix]
    with refusals(), atomic_folder(corpora / name, replace=False) as folder:
        brought = folder / ".brought"
        brought.mkdir()
        with renamed_in_refusals(brought, ""):
            for shown, path in _unpacked_texts(incoming, brought, encoding, suffix):
                target = _file_name(shown, language, files, suffix)
                size, says_something = _store(path, folder / target, encoding, left)
                has_word |= says_something
                left -= size
                if size:
                    files[target], names[target] = size, shown
                else:
                    (folder / target).unlink()
        shutil.rmtree(brought)
        if not files:
            raise FormatError("intake_nothing", name=origins)
        if not has_word:
            raise FormatError("corpus_wordless", path=origins)
        record = {"name": name, "title": origins[:200], "kind": "own", "language": language}
        about = {"encoding": encoding, "size": sum(files.values()), "files": files, "names": names}
        write_json(folder / OWN_RECORD, {**record, **about})
    return TextStored(name, corpora / name, language, tuple(files), sum(files.values()))


def _unpacked_texts(
    incoming: Sequence[IncomingFile], folder: Path, encoding: str, suffix: str
) -> Iterator[tuple[str, Path]]:
    """Yield each text with the name that is shown ("books.zip: a.txt" for one of a zip), written into a folder that is removed after it.

    A zip with more plain text than the bound of text with a ``suffix`` is not unpacked. Of markup, or of a text in another ``encoding``
    than UTF-8, fewer bytes may be stored than it has: `_store` checks those.
    """
    for file in incoming:
        name = PurePosixPath(file.name.replace("\\", "/").replace("\0", "_")).name or "text"
        path = folder / name[-LONGEST_FILE_NAME:]
        if path.suffix.lower() != ".zip":
            with path.open("wb") as target:
                shutil.copyfileobj(file.stream, target, CHUNK_BYTES)
            yield name, path
            path.unlink()
            continue
        packed = folder / ".zip" / path.name
        packed.parent.mkdir()
        with packed.open("wb") as target:
            shutil.copyfileobj(file.stream, target, CHUNK_BYTES)
        with archives.open_zip(packed, name) as archive:
            texts = [member for member in archive.members if _is_plain_text(member.filename)]
        size = sum(member.file_size for member in texts)
        if encoding == "utf-8" and size > MAX_TEXT_BYTES[suffix]:
            raise _too_large(name, suffix)
        archives.unpack_zip(packed, path)
        members = sorted(member for member in path.rglob("*") if member.is_file())
        for member in members:
            if kind_of_name(member.name) is None:
                shown = str(member.relative_to(path))
                raise FormatError("intake_suffix", name=name, member=shown)
        for member in members:
            yield f"{name}: {member.name}", member
        shutil.rmtree(packed.parent)
        shutil.rmtree(path)


def _is_plain_text(member: str) -> bool:
    """Whether a member of a zip is plain text by its name, and is not left out as hidden."""
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in re.split(r"[/\\]", member))
    return kind_of_name(member) == "" and not is_hidden


def _too_large(path: object, suffix: str) -> FormatError:
    """Return the error of a file that holds more text than may be stored."""
    code, unit = TOO_LARGE[suffix]
    return FormatError(code, path=path, bound=MAX_TEXT_BYTES[suffix] >> unit)


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


def _file_name(origin: str, language: str, taken: dict[str, int], suffix: str) -> str:
    """Name of a stored file: its own stem behind the language, a number behind it where two have one."""
    stem, number = corpus_name(origin.rpartition(": ")[2]), 1
    prefix = f"{language}_" if language and not stem.startswith(f"{language}_") else ""
    while (name := f"{prefix}{stem}{f'-{number}' if number > 1 else ''}{suffix}") in taken:
        number += 1
    return name


def _store(path: Path, target: Path, encoding: str, left: int) -> tuple[int, bool]:
    """Write one text as UTF-8, of which ``left`` bytes may still be stored; return its bytes, and whether it has a letter or digit."""
    is_packed = bool(archives.packing_of_name(path.name))
    unpacks_to = archives.unpacked_bound(path.stat().st_size) if is_packed else left
    named = "" if encoding == "utf-8" else encoding
    size, has_word = 0, False
    with target.open("wb") as file:
        for number, line in enumerate(text_lines(path, encoding=named), 1):
            if named and DAMAGED.search(line):
                raise FormatError("intake_byte", path=path, line=number, encoding=encoding)
            size += file.write(f"{line}\n".encode())
            has_word = has_word or any(map(str.isalnum, line))
            if size > left:
                raise _too_large(path, target.suffix)
            if size > unpacks_to:
                raise InputError("archive_ratio", path=path, ratio=archives.RATIO)
    return size, has_word
