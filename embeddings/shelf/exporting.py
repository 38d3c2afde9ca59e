"""Models of the shelf for other tools: vectors in every common format, networks as Hugging Face's library opens them.

========================  ==================================================================================
format                    what is written, and what opens it
========================  ==================================================================================
native                    folder; `import_model`, every file verified
word2vec, word2vec-binary  .txt, .bin; gensim, fastText's tools, the C tools
glove, fasttext           .txt without a header; .vec
fasttext-binary           .bin, with the n-grams of a model that has them; fastText, ``gensim.models.fasttext.load_facebook_vectors``
gensim                    folder of ``vectors.bin`` and ``counts.txt``; ``KeyedVectors.load_word2vec_format``
projector                 folder; projector.tensorflow.org, ``tensorboard --logdir FOLDER``
numpy                     folder of ``vectors.npy`` and ``vectors.txt``
parquet                   .parquet; pandas, polars, DuckDB, Embedding Atlas
tables                    folder of ``coordinates.csv`` (three principal components) and ``neighbours.csv``
huggingface               folder of a network; ``AutoModel.from_pretrained``
========================  ==================================================================================

The CSV files of ``tables`` are UTF-8 with a byte order mark, so that Excel reads every letter.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.pca import PCA
from embeddings.errors import InputError, refusals
from embeddings.files import CONFIG, atomic_folder, check_replaceable, read_json, write_json
from embeddings.model_card import CARD, change_card, load_card
from embeddings.shelf.entries import Entry, find, load_vectors
from embeddings.shelf.model_folders import copy_files, copy_recorded, copy_sentence_modules
from embeddings.vectors.cosine_search import nearest_many
from embeddings.vectors.formats import WRITERS, write, write_native
from embeddings.vectors.formats.parsing import WHITE, check_table
from embeddings.vectors.table import Vectors

COORDINATES, NEIGHBOURS = "coordinates.csv", "neighbours.csv"
MAX_EXPORTED_WORDS = 5000  # words whose neighbours are listed
NEIGHBOURS_PER_WORD = 10


def write_tables(vectors: Vectors, folder: Path) -> None:
    """Write ``coordinates.csv`` and ``neighbours.csv``, whole or not at all.

    The first has every word with its count and its place on the first three principal components
    (fewer where the vectors are shorter) of the unit vectors, centred, not standardised; the second the
    `NEIGHBOURS_PER_WORD` nearest of the `MAX_EXPORTED_WORDS` most frequent words, with their cosines.
    """
    check_replaceable(folder, COORDINATES, (COORDINATES, NEIGHBOURS))
    with atomic_folder(folder) as new:
        coordinates = _coordinates(vectors)
        names = [f"pc{number + 1}" for number in range(coordinates.shape[1])]
        rows = (
            (word, count, *(f"{value:.6f}" for value in point))
            for word, count, point in zip(vectors.words, _counts(vectors), coordinates, strict=True)
        )
        _write_rows(new / COORDINATES, ("word", "count", *names), rows)
        _write_rows(new / NEIGHBOURS, ("word", "rank", "neighbour", "cosine"), _neighbours(vectors))


def _coordinates(vectors: Vectors) -> NDArray[np.floating]:
    """Coordinates of all words, shape (words, up to 3)."""
    unit = vectors.unit_rows(slice(None))
    components = min(3, vectors.vector_size, len(vectors))
    if len(vectors) < 2:
        return np.zeros((len(vectors), components))
    return PCA(components, standardize=False).fit_transform(unit)


def _neighbours(vectors: Vectors) -> Iterator[tuple[str, int, str, str]]:
    """Yield word, rank, neighbour and cosine."""
    asked = min(MAX_EXPORTED_WORDS, len(vectors))
    queries = vectors.unit_rows(np.arange(asked))
    itself = [[row] for row in range(asked)]
    nearest = nearest_many(vectors, queries, NEIGHBOURS_PER_WORD, excluded=itself)
    for word, (rows, cosines) in zip(vectors.words, nearest, strict=False):
        for rank, (row, cosine) in enumerate(zip(rows, cosines, strict=True), 1):
            if rank < len(vectors):
                yield word, rank, vectors.words[row], f"{cosine:.6f}"


def _counts(vectors: Vectors) -> Sequence[object]:
    """Counts, empty where they are not known."""
    return [""] * len(vectors) if vectors.counts is None else vectors.counts.tolist()


def _write_rows(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write one CSV file."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


SPACES = "".join(WHITE)
FORMATS = {  # ending of the file, "" for a folder; characters that no word can have
    "native": ("", ""),
    "word2vec": (".txt", SPACES),
    "word2vec-binary": (".bin", SPACES),
    "glove": (".txt", SPACES),
    "fasttext": (".vec", SPACES),
    "fasttext-binary": (".bin", f"{SPACES}\0"),
    "gensim": ("", SPACES),
    "projector": ("", "\t\n\r"),
    "numpy": ("", "\t\n"),
    "parquet": (".parquet", ""),
    "tables": ("", ""),
    "huggingface": ("", ""),
}
ENDINGS = {name: ending for name, (ending, _) in FORMATS.items()}
STATIC = tuple(format for format in ENDINGS if format != "huggingface")


def export_formats(entry: Entry) -> tuple[str, ...]:
    """Return the formats that a model can be written in, the native one first."""
    if entry.kind == "static":
        return STATIC
    theirs = entry.kind == "network" and entry.method != "s1" and not _unlike(entry)
    return ("huggingface", "native") if theirs else ("native",)


def _unlike(entry: Entry) -> str:
    """Name the parts that a network lacks and the transformers library would draw at random."""
    if entry.kind != "network" or not (entry.path / CONFIG).exists():
        return ""
    settings = read_json(entry.path / CONFIG)
    parts = ("embedding_norm", "prediction_transform")
    return ", ".join(part for part in parts if settings.get(part) is False)


def export_model(
    name_or_path: str | Path,
    target: str | Path,
    format: str = "",
    *,
    senses: bool = False,
) -> Path:
    """Write a model for another tool, whole or not at all.

    Parameters
    ----------
    name_or_path : str or Path
        A model of the shelf, or a file or folder in any readable format.
    target : str or Path
        The file, or the folder for formats that are one; it must not be there yet.
    format : str
        One of `export_formats`; "" takes the first.
    senses : bool, default False
        The senses of words as rows of their own, ``bank#2``, behind the words; a native folder keeps them in any case.

    Returns
    -------
    Path
        ``target``.

    Raises
    ------
    InputError
        If the model has no such format or no senses, the target is there, or the disk refuses.
    """
    entry, target = find(name_or_path), Path(target).expanduser()
    choices = export_formats(entry)
    format = format or choices[0]
    if format == "huggingface" and (parts := _unlike(entry)):
        raise InputError("export_unlike", name=entry.name, parts=parts)
    if format not in choices:
        raise InputError(
            "export_format",
            name=entry.name,
            kind=entry.kind,
            format=format,
            choices=", ".join(choices),
        )
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InputError("export_there", path=target)
    with refusals():
        if entry.kind != "static" or (format == "native" and _is_folder(entry)):
            _copy(entry, target, in_float32=format == "huggingface")
        else:
            vectors = load_vectors(name_or_path)
            if senses:
                if vectors.senses is None:
                    raise InputError("senses_none", model=entry.name)
                vectors = vectors.with_senses(vectors.senses.labels)
            _write_vectors(vectors, target, format, entry)
    return target


def check_export(vectors: Vectors, format: str) -> None:
    """Raise `FormatError` if a format cannot hold a word of the model: most part fields at spaces."""
    if forbidden := FORMATS[format][1]:
        check_table(vectors, Path(vectors.name or "vectors"), forbidden)


def folder_size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _is_folder(entry: Entry) -> bool:
    """Whether a model lies there as this program writes it."""
    return (entry.path / CARD).exists()


def _copy(entry: Entry, target: Path, *, in_float32: bool) -> None:
    """Copy the files of a folder that belong to the model."""
    check_replaceable(target, "", ())
    with atomic_folder(target, replace=target.exists()) as new:
        if _is_folder(entry):
            card = load_card(entry.path)
            copy_recorded(entry.path, new, card)
            write_json(new / CARD, card)
            copy_sentence_modules(entry.path, new)
        else:
            copy_files(entry.path, new)
        if in_float32:
            _compute_in_float32(new)


def _compute_in_float32(folder: Path) -> None:
    """Have the transformers library compute in float32, as this program does, whatever the weights are stored in."""
    settings = read_json(folder / CONFIG)
    stored = [key for key in ("dtype", "torch_dtype") if settings.get(key, "float32") != "float32"]
    if not stored:
        return
    write_json(folder / CONFIG, {**settings, **dict.fromkeys(stored, "float32")})
    if (folder / CARD).exists():
        change_card(folder, CONFIG)


def _write_vectors(vectors: Vectors, target: Path, format: str, entry: Entry) -> None:
    """Write vectors in one format."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if format == "tables":
        write_tables(vectors, target)
    elif format == "numpy":
        with atomic_folder(target) as new:
            write(vectors, new / "vectors.npy")
    elif format == "native":
        card = read_json(entry.path / CARD) if _is_folder(entry) else {}
        write_native(vectors, target, card={**card, "files": {}}, dtype="float32")
    else:
        assert format in WRITERS
        write(vectors, target, format=format)
