"""Shards of text files, local or wherever fsspec reaches (S3, HTTP), cut at line ends; and slices of an encoded corpus."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Literal, cast

import numpy as np
from numpy.typing import NDArray

from embeddings.archives import packing_of_name
from embeddings.corpora.encoded_corpus import (
    IDS,
    SENTENCES,
    EncodedCorpus,
    are_bounds,
    lie_within,
)
from embeddings.corpora.text_extraction import kind_of_name
from embeddings.corpora.text_files import SUFFIXES, text_files
from embeddings.errors import (
    CheckpointError,
    FormatError,
    InputError,
    KlyuchError,
    MissingFileError,
)
from embeddings.mapped_files import map_npy
from embeddings.optional import optional

STEP = 1 << 16  # bytes that are read at a time in search of a line's end


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a text file; it opens as a `embeddings.corpora.text_files.TextFile`.

    Attributes
    ----------
    address : str
        Path or URL, as fsspec takes it.
    file : int
        Which of all files it is.
    start, size : int
        The range of bytes; of a file that is read from its start, bytes of its text.
    whole : int
        Bytes of the file; 0 if they are not known.
    stamp : str
        What changes when the file does.
    is_sequential : bool
        Whether the file is read from its start.
    """

    address: str
    file: int
    start: int
    size: int
    whole: int
    stamp: str
    is_sequential: bool

    @property
    def name(self) -> str:
        """Name of the file."""
        return PurePosixPath(self.address).name

    @property
    def suffix(self) -> str:
        """What the name ends in."""
        return PurePosixPath(self.address).suffix

    @property
    def key(self) -> str:
        """A name by which shards sort as the text goes."""
        return f"{self.file:06d}-{self.start:015d}"

    @property
    def ends_file(self) -> bool:
        """Whether a range of bytes is its file's last."""
        return self.start + self.size >= self.whole

    def following(self, start: int) -> Shard:
        """Return the next shard of a file that is read from its start."""
        return replace(self, start=start)

    def open(self, mode: Literal["rb"] = "rb", /) -> BinaryIO:
        """Open the shard's bytes; of a file that is read from its start, all of them."""
        file = open_address(self.address, mode)
        if self.is_sequential or (self.start == 0 and self.ends_file):
            return file
        return cast("BinaryIO", _Lines(file, self.start, self.start + self.size, self.whole))

    def lines_before(self) -> int:
        """Count the line ends before the shard."""
        if self.is_sequential or not self.start:
            return 0
        with open_address(self.address) as file:
            return sum(piece.count(b"\n") for piece in _pieces(file, _line_start(file, self)))

    def __str__(self) -> str:
        return self.address


def _pieces(file: BinaryIO, end: int) -> Iterator[bytes]:
    """Yield the first ``end`` bytes of a file."""
    file.seek(0)
    while end > 0 and (piece := file.read(min(end, STEP))):
        end -= len(piece)
        yield piece


def _line_start(file: BinaryIO, shard: Shard) -> int:
    """Return where the first line of a shard begins."""
    return _line_after(file, shard.start, shard.whole)


def _line_after(file: BinaryIO, place: int, whole: int) -> int:
    """Return where the first line begins that starts at ``place`` or behind it."""
    if place <= 0 or place >= whole:
        return min(max(place, 0), whole)
    at = place - 1
    file.seek(at)
    while piece := file.read(STEP):
        end = piece.find(b"\n")
        if end >= 0:
            return at + end + 1
        at += len(piece)
    return whole


class _Lines(io.RawIOBase):
    """The lines of a file that begin in a range of its bytes."""

    def __init__(self, file: BinaryIO, start: int, end: int, whole: int) -> None:
        self._file = file
        self._end = _line_after(file, end, whole)
        self._at = _line_after(file, start, whole)
        file.seek(self._at)

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes."""
        left = self._end - self._at
        data = self._file.read(left if size < 0 else min(size, left)) if left > 0 else b""
        self._at += len(data)
        return data

    def tell(self) -> int:
        """Return how far the file was read."""
        return self._at

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()


def open_address(address: str, mode: str = "rb") -> BinaryIO:
    """Open a path or URL for its bytes.

    Raises
    ------
    MissingFileError, FormatError, InputError
        If it is not there, cannot be read, or is of a kind that nothing here reads.
    """
    with optional():
        import fsspec
    with _named(address):
        return cast("BinaryIO", fsspec.open(address, mode).open())


@contextmanager
def _named(address: str) -> Iterator[None]:
    """Say what fsspec meets as refusals."""
    try:
        yield
    except KlyuchError:
        raise
    except FileNotFoundError as error:
        raise MissingFileError("cluster_file_missing", path=address) from error
    except (ImportError, ValueError) as error:
        raise InputError("cluster_scheme", path=address, reason=error) from error
    except OSError as error:
        raise FormatError("file_unreadable", path=address, reason=error) from error
    except Exception as error:  # of the library that reads this kind of address
        if type(error).__module__.partition(".")[0] not in ("aiohttp", "botocore", "fsspec"):
            raise
        raise FormatError("file_unreadable", path=address, reason=error) from error


def is_remote(source: str) -> bool:
    """Whether a source is an address with a scheme."""
    return "://" in source


def list_shards(sources: Sequence[str], size: int) -> tuple[Shard, ...]:
    """Cut all text of ``sources`` into shards of ``size`` bytes, in the order of the corpus.

    Parameters
    ----------
    sources : sequence of str
        Paths as `embeddings.corpora.text_files.text_files` takes them, and addresses of files and
        folders, of which the same files are read.
    size : int
        Bytes of text that a worker takes at a time.

    Raises
    ------
    KlyuchError
        As `text_files`, and as `open_address`.
    """
    files: list[Shard] = []
    for source in sources:
        add = _remote_files if is_remote(source) else _local_files
        files += add(source)
    shards: list[Shard] = []
    for number, file in enumerate(files):
        starts = [0] if file.is_sequential else range(0, max(file.whole, 1), size)
        shards += [replace(file, file=number, start=start, size=size) for start in starts]
    return tuple(shards)


def _local_files(source: str) -> list[Shard]:
    """List the files of a path, each as a shard of everything."""
    shards = []
    for path in text_files([Path(source)]):
        status = path.stat()
        is_packed = bool(packing_of_name(path.name) or kind_of_name(path.name))
        stamp = f"{status.st_size} {status.st_mtime_ns}"
        address = str(path.resolve())
        shards.append(Shard(address, 0, 0, status.st_size, status.st_size, stamp, is_packed))
    return shards


def _remote_files(source: str) -> list[Shard]:
    """List the files of an address, each as a shard of everything."""
    with optional():
        from fsspec.core import url_to_fs
    with _named(source):
        system, path = url_to_fs(source)
        if system.isdir(path):
            listed = system.find(path)
            names = sorted(
                filter(_is_text(path), listed), key=lambda name: PurePosixPath(name).parts
            )
            if not names:
                raise InputError("corpus_folder_empty", path=source, suffixes=", ".join(SUFFIXES))
        else:
            names = [path]
        return [_remote_file(system, name) for name in names]


def _is_text(folder: str) -> Callable[[str], bool]:
    """Return what says whether a file in a folder is text that is read."""

    def is_text(name: str) -> bool:
        inside = PurePosixPath(name.removeprefix(folder))
        return kind_of_name(inside.name) is not None and not any(
            part.startswith(".") for part in inside.parts
        )

    return is_text


def _remote_file(system: Any, name: str) -> Shard:
    """Return a file as a shard of everything."""
    about = system.info(name)
    size = int(about.get("size") or 0)
    known = (about.get(key) for key in ("size", "ETag", "etag", "LastModified", "mtime", "created"))
    stamp = " ".join(str(value) for value in known if value is not None)
    is_ranged = size > 0 and (about.get("partial", True) or not name.startswith("http"))
    plain = PurePosixPath(name).name
    is_sequential = bool(packing_of_name(plain) or kind_of_name(plain)) or not is_ranged
    return Shard(system.unstrip_protocol(name), 0, 0, size, size, stamp, is_sequential)


@dataclass(frozen=True, slots=True)
class TextSlice:
    """Sentences ``first`` up to ``end`` of an encoded corpus of so many ``words``, in its ``folder``."""

    folder: str
    words: int
    first: int
    end: int

    def read(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return ids, and the bounds of sentences in them, from 0.

        Raises
        ------
        KlyuchError
            If the corpus is not there, or damaged: the loops write to memory by its ids.
        """
        folder = Path(self.folder)
        bounds = np.array(map_npy(folder / SENTENCES)[self.first : self.end + 1])
        if len(bounds) != self.end + 1 - self.first:
            raise CheckpointError("corpus_folder", path=folder, name=SENTENCES)
        ids = np.array(map_npy(folder / IDS)[bounds[0] : bounds[-1]])
        bounds -= bounds[0]
        if not are_bounds(bounds, len(ids)):
            raise CheckpointError("corpus_folder", path=folder, name=SENTENCES)
        if not lie_within(ids, self.words):
            raise CheckpointError("corpus_folder", path=folder, name=IDS)
        return ids, bounds

    def __str__(self) -> str:
        return f"{self.folder} [{self.first}:{self.end}]"


def cut_text(corpus: EncodedCorpus, length: int) -> list[TextSlice]:
    """Cut a corpus into slices of whole sentences with about ``length`` words; a longer sentence is a slice of its own."""
    bounds = corpus.sentence_bounds
    pieces = max(1, math.ceil(len(corpus.ids) / max(length, 1)))
    places = [len(corpus.ids) * piece // pieces for piece in range(1, pieces)]
    inner = np.searchsorted(bounds, places)
    edges = np.unique([0, *inner, len(bounds) - 1]).tolist()
    folder = str(Path(str(corpus.folder)).resolve())
    words = len(corpus.vocabulary)
    return [TextSlice(folder, words, first, end) for first, end in pairwise(edges)]
