"""Any texts that can be read, written as plain UTF-8: converted from another encoding, segmented where a language writes no spaces."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from embeddings.archives import packing_of_name, unpacked
from embeddings.configuration import check_choice
from embeddings.corpora.text_extraction import detect_encoding, foreign_byte
from embeddings.corpora.text_files import text_files, text_lines
from embeddings.errors import FormatError, InputError
from embeddings.files import CHUNK_BYTES, atomic_folder, check_apart
from embeddings.optional import optional

DETECTED = "detect"
SEGMENTED = ("zh", "ja", "th")


def convert_texts(
    sources: Sequence[Path], folder: Path, encoding: str = "", segment: str = ""
) -> dict[str, str]:
    """Write the text of files as ``folder/NAME.txt``, UTF-8; return the encoding of each new file's source.

    Parameters
    ----------
    encoding : str
        "" for UTF-8 (or what markup declares), "detect" to detect each file's, else any that Python knows. Bytes that
        it does not have become U+FFFD; nothing is left out.
    segment : str
        One of `SEGMENTED` to set spaces between words, "" for none.

    Raises
    ------
    FormatError
        For a file that cannot be read, or whose encoding is not found.
    InputError, MissingLibraryError
        If the folder exists, or a library that segments is not installed.
    """
    check_choice("segment", segment, ("", *SEGMENTED))
    files = text_files(sources)
    check_apart(folder, sources)
    if folder.exists():
        raise InputError("corpus_convert_target", path=folder)
    convert = segmenter(segment) if segment else None
    names: dict[str, str] = {}
    with atomic_folder(folder, replace=False) as temporary:
        for path in files:
            stem, number = path.name.split(".")[0] or path.name, 1
            while (name := f"{stem}{f'-{number}' if number > 1 else ''}.txt") in names:
                number += 1
            names[name] = _detected(path) if encoding == DETECTED else encoding or "utf-8"
            chosen = names[name] if encoding else ""
            with (temporary / name).open("wb") as target:
                for line in text_lines(path, encoding=chosen):
                    target.write(f"{convert(line) if convert else line}\n".encode())
    return names


@contextmanager
def as_utf8(
    sources: Sequence[Path], encoding: str, folder: Path | None = None
) -> Iterator[Sequence[Path]]:
    """Yield ``sources``, or the files in them converted to UTF-8 if an ``encoding`` is given (`convert_texts`).

    The converted files lie in ``folder`` (the system's for temporary files if not given) and are removed at the end.
    """
    if not encoding:
        yield sources
        return
    with TemporaryDirectory(prefix="klyuch-utf8-", dir=folder) as temporary:
        target = Path(temporary) / "texts"
        yield [target / name for name in convert_texts(sources, target, encoding)]


def _detected(path: Path) -> str:
    """Return the encoding of a file by its first MiB."""
    with path.open("rb") as file, unpacked(file, packing_of_name(path.name), path) as raw:
        start = raw.read(CHUNK_BYTES)
    at = foreign_byte(start)
    at = start.find(b"\0") if at < 0 else at
    if at < 0:
        return "utf-8"
    guess, _ = detect_encoding(start)
    if not guess:
        raise FormatError("corpus_byte", path=path, line=1, byte=f"0x{start[at]:02X}")
    return guess.lower()


def segmenter(language: str) -> Callable[[str], str]:
    """Return what sets spaces between the words of Chinese, Japanese or Thai.

    Raises
    ------
    MissingLibraryError
        If jieba, janome or pythainlp (extra ``segmentation``) is not installed.
    """
    with optional():
        if language == "zh":
            import jieba

            jieba.setLogLevel(logging.WARNING)  # it reports its loading on stderr
            return lambda line: " ".join(jieba.cut(line))
        if language == "ja":
            from janome.tokenizer import Tokenizer

            tokenizer = Tokenizer()
            return lambda line: " ".join(map(str, tokenizer.tokenize(line, wakati=True)))
        from pythainlp.tokenize import word_tokenize

    return lambda line: " ".join(word_tokenize(line, engine="newmm"))
