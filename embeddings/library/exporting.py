"""Models of the shelf for other tools: vectors in every common format, networks as Hugging Face's library opens them.

========================  ==================================================================================
format                    what is written, and what opens it
========================  ==================================================================================
native                    folder; `import_model`, every file verified
word2vec, word2vec-binary  .txt, .bin; gensim, fastText's tools, the C tools
glove, fasttext           .txt without a header; .vec
gensim                    folder of ``vectors.bin`` and ``counts.txt``; ``KeyedVectors.load_word2vec_format``
projector                 folder; projector.tensorflow.org, ``tensorboard --logdir FOLDER``
numpy                     folder of ``vectors.npy`` and ``vectors.txt``
parquet                   .parquet; pandas, polars, DuckDB, Embedding Atlas
tables                    folder of ``coordinates.csv`` (three principal components) and ``neighbours.csv``
huggingface               folder of a network; ``AutoModel.from_pretrained``
========================  ==================================================================================
"""

from __future__ import annotations

import shutil
from pathlib import Path

from embeddings.errors import InputError
from embeddings.files import check_replaceable, read_json, whole_folder, write_json
from embeddings.library.entries import CARD, Entry, find, load_vectors
from embeddings.library.folders import FILES, copy_recorded
from embeddings.library.tables import write_tables
from embeddings.refusals import refusals
from embeddings.vectors.formats import WRITERS, write, write_native
from embeddings.vectors.formats.words import WHITE, check_table
from embeddings.vectors.table import Vectors

ENDINGS = {
    "native": "",
    "word2vec": ".txt",
    "word2vec-binary": ".bin",
    "glove": ".txt",
    "fasttext": ".vec",
    "gensim": "",
    "projector": "",
    "numpy": "",
    "parquet": ".parquet",
    "tables": "",
    "huggingface": "",
}
SPACES = "".join(WHITE)
FORBIDDEN = dict.fromkeys(("word2vec", "word2vec-binary", "glove", "fasttext", "gensim"), SPACES)
FORBIDDEN |= {"projector": "\t\n\r", "numpy": "\t\n"}
STATIC = tuple(format for format in ENDINGS if format != "huggingface")


def export_formats(entry: Entry) -> tuple[str, ...]:
    """Return the formats that a model can be written in, the native one first."""
    if entry.kind == "static":
        return STATIC
    theirs = entry.kind == "network" and entry.method != "s1"  # no class of theirs for S1's network
    return ("huggingface", "native") if theirs else ("native",)


def export_model(
    name_or_path: str | Path, target: str | Path, format: str = "", *, limit: int | None = None
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
    limit : int, optional
        Only so many most frequent words of a static model.

    Returns
    -------
    Path
        ``target``.

    Raises
    ------
    InputError
        If the model has no such format or no words to limit, the target is there, or the disk refuses.
    """
    entry, target = find(name_or_path), Path(target).expanduser()
    choices = export_formats(entry)
    format = format or choices[0]
    if format not in choices:
        raise InputError(
            "export_format",
            name=entry.name,
            kind=entry.kind,
            format=format,
            choices=", ".join(choices),
        )
    if limit is not None and entry.kind != "static":
        raise InputError("export_limit", name=entry.name, kind=entry.kind)
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InputError("export_there", path=target)
    with refusals():
        if entry.kind != "static" or (format == "native" and not limit and _is_folder(entry)):
            _copy(entry, target)
        else:
            vectors = load_vectors(name_or_path)
            _write(_first(vectors, limit), target, format, entry)
    return target


def check_export(vectors: Vectors, format: str) -> None:
    """Raise `FormatError` if a format cannot hold a word of the model: most part fields at spaces."""
    forbidden = FORBIDDEN.get(format, "")
    if forbidden:
        check_table(vectors, Path(vectors.name or "vectors"), forbidden)


def export_size(entry: Entry, format: str, *, words: int = 0, vector_size: int = 0) -> int:
    """Return about how many bytes an export takes: exact to some tenths, known before it is written."""
    if entry.kind != "static" or (format == "native" and _is_folder(entry)):
        return folder_size(entry.path)
    numbers = words * vector_size
    a_number = {"word2vec": 12.5, "glove": 12.5, "fasttext": 12.5, "projector": 12.5}
    if format == "tables":
        return 70 * words + 40 * 10 * min(words, 5000)
    return int(numbers * a_number.get(format, 4) + 16 * words)


def folder_size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _is_folder(entry: Entry) -> bool:
    """Whether a model lies there as this program writes it."""
    return (entry.path / CARD).exists()


def _copy(entry: Entry, target: Path) -> None:
    """Copy the files of a folder that belong to the model."""
    check_replaceable(target, "", ())
    with whole_folder(target, replace=target.exists()) as new:
        if _is_folder(entry):
            card = read_json(entry.path / CARD)
            copy_recorded(entry.path, new, card)
            write_json(new / CARD, card)
        else:
            for name in FILES:
                if (entry.path / name).is_file():
                    shutil.copyfile(entry.path / name, new / name)


def _first(vectors: Vectors, limit: int | None) -> Vectors:
    """Return the most frequent words."""
    if limit is None or limit >= len(vectors):
        return vectors
    return vectors.subset(vectors.words[:limit])


def _write(vectors: Vectors, target: Path, format: str, entry: Entry) -> None:
    """Write vectors in one format."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if format == "tables":
        write_tables(vectors, target)
    elif format == "numpy":
        with whole_folder(target) as new:
            write(vectors, new / "vectors.npy")
    elif format == "native":
        card = read_json(entry.path / CARD) if _is_folder(entry) else {}
        write_native(vectors, target, card={**card, "files": {}}, dtype="float32")
    else:
        assert format in WRITERS
        write(vectors, target, format=format)
