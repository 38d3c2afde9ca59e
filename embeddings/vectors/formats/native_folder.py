"""The native folder of a static model: small, verified, written whole or not at all.

``vectors.safetensors`` holds ``vectors`` as float16, as float32 (what was imported), or as int8 with
``scale``, one float32 a row (row = int8 row x scale); ``words.txt`` one ``word<TAB>count`` a line; ``config.json`` what it is;
``subwords.safetensors``, of a model with n-grams, their rows in the same form and ``buckets``, the bucket of each, rising (int32);
``senses.safetensors`` vectors of senses (`embeddings.vectors.sense_table`); ``card.json`` where it comes from and each file's sha256,
which loading verifies. Arrays are read as memory maps: nothing is copied until it is used. A large table is written block by block and
stays in its files ever after, its words too (`embeddings.vectors.formats.native_rows`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from embeddings.arrays import Float32s, Floats, Int64s, slices
from embeddings.configuration import check_choice
from embeddings.errors import FormatError, MissingFileError, clause
from embeddings.files import (
    CONFIG,
    atomic_folder,
    check_replaceable,
    read_json,
    write_json,
)
from embeddings.model_card import CARD, change_card, verify_files, write_card
from embeddings.text.spelling_rules import check_spelling
from embeddings.vectors.character_ngrams import Subwords
from embeddings.vectors.formats.native_rows import (
    DTYPES,
    LOOKUP,
    VECTORS,
    WORDS,
    Dtype,
    RowWriter,
    write_ngram_rows,
)
from embeddings.vectors.formats.text_vectors import CleanRows, RowStream
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import QuantizedRows
from embeddings.vectors.word_list import WordList

_SETTINGS = ("min_n", "max_n", "bucket")
_DTYPES = {"F32": np.float32, "F16": np.float16, "I8": np.int8, "I32": np.int32, "I64": np.int64}
VECTORS_FORMAT = "klyuch-vectors-1"
SUBWORDS, CONTEXTS = "subwords.safetensors", "contexts.safetensors"
SENSES = "senses.safetensors"
COOCCURRENCE, PROJECTION = "cooccurrence.safetensors", "projection.safetensors"
EXTRA = (  # of a GloVe, of contextual vectors, of n-grams, two of any trained here
    COOCCURRENCE,
    PROJECTION,
    SUBWORDS,
    CONTEXTS,
    SENSES,
    LOOKUP,
)
INDEXES = ".neighbours"  # folder of an index, built from the vectors
MAPPED_PAST = 1 << 27  # bytes of float32 above which rows stay on disk, memory-mapped
WRITTEN = 1 << 13  # rows that are written at one time


def map_tensors(path: Path) -> dict[str, NDArray[np.generic]]:
    """Return every array of ``path`` by name, memory-mapped.

    The library checks the header (its length, and that every array lies inside the file) before
    anything is mapped.
    """
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out=clause("get_model_again"))
    try:
        with safe_open(path, framework="numpy"):
            pass
    except SafetensorError as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error
    raw = np.memmap(path, np.uint8, "r")
    start = 8 + int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8:start].tobytes())
    header.pop("__metadata__", None)
    tensors: dict[str, NDArray[np.generic]] = {}
    for name, about in header.items():
        if (dtype := _DTYPES.get(about["dtype"])) is None:  # numpy lacks bfloat16
            why = clause("number_type", name=name, type=about["dtype"])
            raise FormatError("file_unreadable", path=path, reason=why)
        first, end = (start + offset for offset in about["data_offsets"])
        tensors[name] = raw[first:end].view(dtype).reshape(about["shape"])
    return tensors


def write_native(
    vectors: Vectors,
    folder: Path,
    *,
    config: Mapping[str, object] | None = None,
    card: Mapping[str, object] | None = None,
    dtype: Dtype = "int8",
    extra: Callable[[Path], None] | None = None,
) -> None:
    """Write a model's folder, whole or not at all; an older one of that name is replaced.

    Parameters
    ----------
    vectors : Vectors
        ``name``, ``method`` and ``language`` are written too; of its n-grams, those that a word of the table has.
    folder : Path
        Where to; its parents are made.
    config : Mapping, optional
        The training settings, kept under ``settings`` of ``config.json``.
    card : Mapping, optional
        As `build_card` returns it; the sha256 of every file is added under ``files``.
    dtype : {"int8", "float16", "float32"}
        int8 takes a byte a number and 4 a row, and moves a cosine by less than 0.01; float16
        takes two bytes a number; float32 keeps every number as it is.
    extra : callable, optional
        Called with the folder under construction to add files of its own, named in `EXTRA`; they
        get checksums too.

    Raises
    ------
    FormatError
        If the folder exists and holds something else; if a word holds a tab or line end; if a
        number is not finite (or too large for float16).
    """
    check_choice("dtype", dtype, DTYPES)
    check_native_target(folder)
    about = {"kind": "static", "method": vectors.method, "language": vectors.language}
    shape = {"vector_size": vectors.vector_size, "words": len(vectors), "dtype": dtype}
    described: dict[str, object] = {**about, **shape, "lower": vectors.is_lower}
    if vectors.spelling:
        described["spelling"] = vectors.spelling
    described_card = {"name": vectors.name or folder.name, **about, **(card or {})}
    with atomic_folder(folder) as new:
        _write_rows(vectors, new, folder, dtype)
        described["settings"] = dict(config or {})
        _describe(described, vectors.subwords, new, dtype)
        if extra is not None:
            extra(new)
        write_card(new, described_card)


def _write_rows(vectors: Vectors, new: Path, shown: Path, dtype: Dtype) -> None:
    """Write words and rows of a table."""
    with RowWriter(new, shown, vectors.vector_size, dtype) as writer:
        for part in slices(len(vectors), WRITTEN):
            counts = None if vectors.counts is None else vectors.counts[part]
            writer.add(vectors.words[part], vectors.matrix[part], counts)


def write_stream(
    stream: RowStream,
    source: Path,
    folder: Path,
    *,
    dtype: Dtype = "float32",
    language: str = "",
    method: str = "",
) -> tuple[int, int]:
    """Write rows as they are read into a new folder, without its card; return how many there are, and how many were dropped.

    The table is never held in memory.

    Parameters
    ----------
    stream : RowStream
        An open file of another tool.
    source : Path
        That file, of which refusals speak.
    folder : Path
        Is made; what an error leaves of it is the caller's to remove.
    dtype : {"float32", "float16", "int8"}
    language, method : str
        For ``config.json``.

    Raises
    ------
    FormatError
        As the reader of the format; if the file holds no row, a number that is not finite, or a word that `words.txt` cannot hold.
    """
    check_choice("dtype", dtype, DTYPES)
    folder.mkdir(parents=True)
    clean = CleanRows(stream, source)
    with RowWriter(folder, source, stream.vector_size, dtype, stream.first) as writer:
        for words, rows, counts in clean:
            writer.add(words, rows, counts)
    described = {
        "kind": "static",
        "method": method or stream.method,
        "language": language,
        "vector_size": stream.vector_size,
        "words": len(writer.words),
        "dtype": dtype,
        "lower": writer.is_lower,
        "settings": {},
    }
    _describe(described, stream.subwords, folder, dtype)
    return len(writer.words), clean.dropped


def add_extra(folder: Path, write: Callable[[Path], None], name: str) -> None:
    """Add a file of `EXTRA` to a model's folder, or replace it, and record its sha256 in the card.

    Parameters
    ----------
    folder : Path
        A folder that `write_native` wrote.
    write : callable
        Called with the folder; writes ``name`` whole or not at all.

    Raises
    ------
    KlyuchError
        If the folder is no sound model.
    """
    verify_files(folder, CONFIG, VECTORS, WORDS)
    write(folder)
    change_card(folder, name)


def check_native_target(folder: Path) -> None:
    """Raise `FormatError` if ``folder`` holds more than a static model, which writing one would delete."""
    check_replaceable(folder, VECTORS, (CONFIG, VECTORS, WORDS, CARD, INDEXES, *EXTRA))


def read_native(folder: Path) -> Vectors:
    """Read a model's folder after its checksums.

    Rows that would pass `MAPPED_PAST` bytes as float32 stay memory-mapped, and so do the words of a folder with ``lookup.safetensors``.

    Raises
    ------
    CheckpointError
        If a file does not have the sha256 of its card.
    FormatError
        If the files contradict each other.
    """
    config = read_json(folder / CONFIG)
    if config.get("format") != VECTORS_FORMAT:
        raise FormatError(
            "vectors_folder", path=folder, found=config.get("format"), expected=VECTORS_FORMAT
        )
    card = verify_files(folder, CONFIG, VECTORS, WORDS)
    # With a lookup the words are not read but found by bisection, all in place:
    #
    #    words.txt            the TAB 120 LF spring TAB 80 LF ...
    #    lookup: starts       0           8                  ...   where the line of each row begins
    #            order        rows by folded spelling              bisected for a word
    #            counts, inverse_norms                             one number a row
    matrix = _unpack(folder / VECTORS)
    lookup: dict[str, Any] = _read_lookup(folder, len(matrix))
    words: Sequence[str]
    if lookup:
        words = WordList(folder / WORDS, lookup["starts"], lookup["order"])
        counts = lookup.get("counts")
    else:
        words, counts = read_counted_words(folder / WORDS)
    if len(words) != matrix.shape[0]:
        raise FormatError("vectors_rows", path=folder, words=len(words), rows=matrix.shape[0])
    vectors = Vectors(
        words,
        matrix,
        counts,
        name=str(card.get("name") or folder.name),
        language=str(config.get("language", "")),
        method=str(config.get("method", "")),
        lower=bool(config["lower"]) if "lower" in config else None,
        spelling=str(config.get("spelling", "")),
    )
    if lookup:
        vectors.inverse_norms = np.array(lookup["inverse_norms"])
    check_spelling(vectors.spelling)
    if "subwords" in config:
        verify_files(folder, SUBWORDS)
        vectors.subwords = _read_subwords(folder, config["subwords"], vectors.vector_size)
    if (folder / SENSES).exists():
        from embeddings.vectors.sense_table import load_senses

        vectors.senses = load_senses(folder, vectors.vector_size)
    return vectors


def _read_lookup(folder: Path, size: int) -> dict[str, NDArray[np.generic]]:
    """Map what finds a word among ``size``, after its checksum; empty where a folder has none.

    Raises
    ------
    CheckpointError, FormatError
        If it is damaged or does not fit the words.
    """
    path = folder / LOOKUP
    if not path.exists():
        return {}
    verify_files(folder, LOOKUP)
    tensors = map_tensors(path)
    lengths = {"starts": size + 1, "order": size, "inverse_norms": size, "counts": size}
    kinds = {"starts": np.int64, "order": np.int32, "inverse_norms": np.float32, "counts": np.int64}
    for name in lengths.keys() - ({"counts"} - tensors.keys()):
        array = tensors.get(name)
        if array is None or array.dtype != kinds[name] or array.shape != (lengths[name],):
            raise FormatError("file_unreadable", path=path, reason=clause("lookup_other"))
    return tensors


def _describe(
    described: Mapping[str, object], subwords: Subwords | None, new: Path, dtype: Dtype
) -> None:
    """Write ``config.json`` and, a block at a time, the rows of those buckets that an n-gram of a written word falls into."""
    described = {"format": VECTORS_FORMAT, **described}
    if subwords:
        lines = (new / WORDS).read_bytes().removesuffix(b"\n").split(b"\n")
        buckets, rows = subwords.used_by([line.partition(b"\t")[0] for line in lines])
        blocks = (subwords.take(rows[part]) for part in slices(len(rows), WRITTEN))
        write_ngram_rows(blocks, buckets, subwords.rows.shape[1], dtype, new / SUBWORDS)
        described["subwords"] = {name: getattr(subwords, name) for name in _SETTINGS}
    write_json(new / CONFIG, described)


def _read_subwords(folder: Path, settings: object, vector_size: int) -> Subwords:
    """Return the rows of n-grams, memory-mapped, after a look at whether all fits together."""
    path = folder / SUBWORDS
    tensors = map_tensors(path)
    rows, buckets, scale = (tensors.get(name) for name in ("vectors", "buckets", "scale"))
    known = settings if isinstance(settings, dict) else {}
    numbers = [known.get(name) for name in _SETTINGS]
    if rows is None or buckets is None or not all(type(number) is int for number in numbers):
        raise FormatError("file_unreadable", path=path, reason=clause("ngrams_none"))
    min_n, max_n, bucket = (cast("int", number) for number in numbers)
    subwords = Subwords(
        min_n,
        max_n,
        bucket,
        rows,
        np.asarray(buckets, np.int32),
        None if scale is None else np.asarray(scale, np.float32),
    )
    subwords.check(vector_size, path)
    return subwords


def read_counted_words(path: Path) -> tuple[list[str], Int64s | None]:
    """Words and counts of ``words.txt``."""
    try:
        lines = path.read_bytes().decode().split("\n")
    except UnicodeDecodeError as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error
    if lines and not lines[-1]:
        lines.pop()
    if not lines or "\t" not in lines[0]:
        return lines, None
    fields = "\t".join(lines).split("\t")
    words, numbers = fields[::2], fields[1::2]
    try:
        if len(fields) != 2 * len(lines):
            raise ValueError(clause("fields_odd", fields=len(fields), lines=len(lines)))
        counts = np.array(numbers, dtype=np.int64)
        if counts.min() < 0:
            row = int(np.argmin(counts))
            raise ValueError(clause("count_negative", line=row + 1, count=counts[row]))
        return words, counts
    except (ValueError, OverflowError) as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error


def _unpack(path: Path) -> Floats:
    """Rows as float32, shape (words, vector_size); large ones as they lie on disk."""
    tensors = map_tensors(path)
    rows, scale = tensors.get("vectors"), tensors.get("scale")
    if rows is None or rows.ndim != 2 or (rows.dtype == np.int8) != (scale is not None):
        raise FormatError("file_unreadable", path=path, reason=clause("vectors_none"))
    if scale is not None and scale.shape != (rows.shape[0],):
        raise FormatError("vectors_rows", path=path, words=scale.shape[0], rows=rows.shape[0])
    if 4 * rows.size > MAPPED_PAST:
        if scale is None:
            return cast("Floats", rows)
        table = QuantizedRows(cast("NDArray[np.int8]", rows), np.array(scale, np.float32))
        return cast("Floats", table)
    matrix: Float32s = np.asarray(rows).astype(np.float32)
    if scale is not None:
        matrix *= np.asarray(scale, dtype=np.float32)[:, None]
    return matrix
