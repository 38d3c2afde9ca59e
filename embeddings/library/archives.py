"""A zip of a model's folder, written out bounded: no path outside, no link, no bomb."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from embeddings.errors import FormatError, InputError
from embeddings.vectors.formats import detect

RATIO = 100  # bytes that a packed byte may unpack to; vectors pack two to four times
FREE_BYTES = 1 << 24  # what any archive may unpack to
MOST_FILES = 1000
PIECE = 1 << 20  # bytes
PICKLE = "data.pkl"  # in every PyTorch checkpoint, which is a zip too


def unpack_folder(packed: Path, target: Path) -> None:
    """Write the files of a zip under ``target``; hidden ones and what macOS adds are left out.

    Raises
    ------
    InputError
        If it unpacks to over `RATIO` times its size, holds over `MOST_FILES` files, or one that leads outside ``target``.
    FormatError
        If it is damaged, has a password, or is a PyTorch checkpoint.
    """
    target.mkdir(parents=True, exist_ok=True)
    left = max(FREE_BYTES, packed.stat().st_size * RATIO)
    try:
        with zipfile.ZipFile(packed) as archive:
            members = archive.infolist()
            if len(members) > MOST_FILES:
                raise InputError("archive_files", path=packed.name, bound=MOST_FILES)
            if any(PurePosixPath(member.filename).name == PICKLE for member in members):
                detect(packed)  # refuses it with the way out
            for member in members:
                if (path := _place(packed, member)) is not None:
                    left -= _write(archive, member, target / path, left)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FormatError(
            "corpus_damaged", path=packed.name, kind=".zip", reason=error
        ) from error  # the last two: a way of packing not known, a password


def _place(packed: Path, member: zipfile.ZipInfo) -> PurePosixPath | None:
    """Path of a file below the target; None for what is left out; one that leads outside is refused."""
    name = member.filename.replace("\\", "/")
    path = PurePosixPath(name)
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    if path.is_absolute() or ".." in path.parts or ":" in name or is_link:
        raise InputError("archive_outside", path=packed.name, name=name[:200])
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return None if member.is_dir() or hidden or not path.parts else path


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int) -> int:
    """Write one file of at most ``left`` bytes, whatever its header claims; return its size."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with archive.open(member) as source, target.open("xb") as file:
        while piece := source.read(PIECE):
            size += len(piece)
            if size > left:
                raise InputError(
                    "archive_ratio", path=Path(str(archive.filename)).name, ratio=RATIO
                )
            file.write(piece)
    return size
