"""Text that a person brings, pasted or as files, checked and stored as a corpus: whole or not at all.

- Plain text, .gz, .xz, and .zip of any of them but zips. Streamed: memory is a few blocks, whatever the size.
- Bounded: `LARGEST` bytes of text, `RATIO` times its size for packed data, `MEMBERS` files in a zip.
- No name in an archive is used as a path; one that leads outside, a link or a password refuse the archive.
- UTF-8, or an encoding that is named; a wrong one is guessed and said. A byte order mark goes, line ends become LF.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from embeddings.corpora.text_files import guess_encoding
from embeddings.errors import FormatError, InputError, refusals
from embeddings.files import whole_folder, write_json
from embeddings.results.trainings import TextStored
from embeddings.sources.unpacking import IncomingFile, parts, refuse_foreign, sound

LARGEST = 4 << 30  # bytes of plain text
RATIO = 100  # bytes that a packed byte may unpack to; text packs 3 to 12 times
PIECE = 1 << 20  # bytes
ENCODINGS = ("utf-8", "windows-1251", "koi8-r", "cp866", "windows-1252", "utf-16")
RECORD = "source.json"
NAME = re.compile(r"\w[\w.-]{0,79}")


def store_texts(
    brought: Sequence[IncomingFile],
    corpora: Path,
    name: str,
    language: str = "",
    encoding: str = "utf-8",
) -> TextStored:
    """Check files and store their text as ``corpora/name``.

    Parameters
    ----------
    brought : sequence of IncomingFile
        Read once, from where they stand.
    corpora : Path
        The folder of corpora.
    name : str
        Of the new corpus.
    language : str
        Begins the files' names ("ru_novel.txt"), by which pretraining knows it; "" for none.
    encoding : str, default "utf-8"
        One of `ENCODINGS`.

    Raises
    ------
    InputError
        If the name cannot be had, or nothing can be written.
    FormatError
        If a file is too large, damaged, not text, in another encoding (the sentence names a guess), a zip bomb,
        or an archive that holds anything but texts; if there is no word in any of them.
    """
    check_corpus_name(name, corpora)
    files: dict[str, int] = {}
    total = 0
    with refusals(), whole_folder(corpora / name, replace=False) as folder:
        for part, size, stream in parts(brought):
            target = _file_name(part, language, files)
            files[target] = _store(part, stream, folder / target, encoding, size, LARGEST - total)
            total += files[target]
        files = {target: size for target, size in files.items() if size}
        if not files:
            raise FormatError("intake_nothing", name=", ".join(one.name for one in brought))
        if not any(_has_word(folder / target) for target in files):
            raise FormatError("corpus_wordless", path=", ".join(one.name for one in brought))
        for path in folder.iterdir():
            if path.name not in files:
                path.unlink()
        record = {"name": name, "title": ", ".join(one.name for one in brought)[:200]}
        about = {"kind": "own", "language": language, "encoding": encoding, "size": total}
        write_json(folder / RECORD, {**record, **about, "files": files})
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
    stem = re.sub(r"(\.(txt|gz|xz|zip))+$", "", PurePosixPath(file.replace("\\", "/")).name)
    plain = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", stem))
    return plain.strip("-._")[:60].strip("-._") or "text"


def _has_word(path: Path) -> bool:
    """Whether a stored text has a letter or a digit at all."""
    with path.open(encoding="utf-8") as text:
        return any(
            sign.isalnum() for piece in iter(partial(text.read, PIECE), "") for sign in piece
        )


def _file_name(part: str, language: str, taken: dict[str, int]) -> str:
    """Name of a stored file: its own stem behind the language, a number behind it where two have one."""
    stem, number = corpus_name(part.rpartition(": ")[2]), 1
    prefix = f"{language}_" if language and not stem.startswith(f"{language}_") else ""
    while (name := f"{prefix}{stem}{f'-{number}' if number > 1 else ''}.txt") in taken:
        number += 1
    return name


def _store(
    name: str, stream: IO[bytes], target: Path, encoding: str, packed: int, room: int
) -> int:
    """Write one text as UTF-8; return its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8" if encoding == "utf-8" else encoding)()
    is_packed = name.lower().endswith((".gz", ".xz")) or ": " in name
    read = written = lines = 0
    ended, first = False, True
    with target.open("wb") as file:
        while not ended:
            with sound(name):
                piece = stream.read(PIECE)
            ended = not piece
            read += len(piece)
            if first:
                refuse_foreign(name, piece, encoding)
            if is_packed and read > max(packed * RATIO, PIECE):
                raise FormatError("intake_ratio", name=name, ratio=RATIO)
            if read > room:
                raise FormatError("intake_large", name=name, bound=LARGEST >> 30)
            text = _decoded(name, decoder, piece, ended, lines, encoding)
            text = text.removeprefix("\ufeff") if first else text
            first = first and not text
            lines += text.count("\n")
            data = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8")
            file.write(data)
            written += len(data)
    return written


def _decoded(
    name: str,
    decoder: codecs.IncrementalDecoder,
    piece: bytes,
    ended: bool,
    lines: int,
    encoding: str,
) -> str:
    """Decode a piece; what is not text is refused with line and guess."""
    kept = decoder.getstate()[0]
    try:
        text = decoder.decode(piece, ended)
    except UnicodeDecodeError as error:
        block = kept + piece
        line = lines + block.count(b"\n", 0, error.start) + 1
        byte = f"0x{block[error.start]:02X}"
        if 0 in block[: error.start + 1]:
            raise FormatError("intake_binary", name=name, line=line) from error
        if guess := guess_encoding(block):
            raise FormatError(
                "intake_encoding", name=name, line=line, byte=byte, guess=guess
            ) from error
        raise FormatError(
            "intake_byte", name=name, line=line, byte=byte, encoding=encoding
        ) from error
    if (at := text.find("\x00")) >= 0:
        raise FormatError("intake_binary", name=name, line=lines + text.count("\n", 0, at) + 1)
    return text
