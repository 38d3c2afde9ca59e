"""Models of other tools onto the shelf: vectors as a native folder, networks as Hugging Face lays them out.

What was read is copied, whole or not at all, with a card that says where it came from: name, format
and sha256 of the source, and the day. Nothing is unpickled. A zip of a model's folder is checked and
written out by `embeddings.archives.unpack_zip`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from embeddings._version import __version__
from embeddings.archives import unpack_zip
from embeddings.errors import InputError, MissingFileError, clause, refusals
from embeddings.files import (
    renamed_in_refusals,
    sha256,
    sweep,
    temporary_folder,
)
from embeddings.model_card import CARD, load_card, write_card
from embeddings.shelf.card_checks import check_folder
from embeddings.shelf.entries import Entry, kind_of, kind_without_card
from embeddings.shelf.locations import home
from embeddings.shelf.model_folders import copy_network, copy_recorded, is_network
from embeddings.shelf.own_models import add_model, check_name, free_name
from embeddings.vectors.formats import STREAMED, detect, read, words_decoded, write_native
from embeddings.vectors.formats.native_folder import write_stream
from embeddings.vectors.formats.native_rows import Dtype

PICKLE = "data.pkl"  # in every PyTorch checkpoint, which is a zip too


BESIDE = {".md", ".pdf", ".jpg", ".png"}  # endings of what lies beside a model and is none
LICENCES = {"license", "license.txt", "licence", "licence.txt", "readme", "readme.txt", "notice"}


@dataclass(frozen=True, slots=True)
class About:
    """What a file does not say of itself; "" where it is not known.

    ``language``: "en", "ru", "de" or another code; ``method``: "skipgram", "cbow", "glove" or the
    like; ``licence``: of the vectors or of what they were made from; ``origin``: more on where it comes from.
    """

    language: str = ""
    method: str = ""
    licence: str = ""
    origin: Mapping[str, object] = field(default_factory=dict)


def import_model(
    source: str | Path,
    name: str = "",
    about: About = About(),
    *,
    dtype: Dtype = "float32",
    unicode_errors: str = "strict",
) -> Entry:
    """Copy a model of any readable format onto the shelf.

    Parameters
    ----------
    source : str or Path
        A file: word2vec text or binary, GloVe, fastText .vec or .bin, Parquet, numpy's .npy with its words
        next to it, a Projector's .tsv (text and binary also packed by gzip or xz). A folder:
        native, Projector, gensim export, Hugging Face's of the BERT family. A .zip of one of these.
    name : str
        What the shelf calls it, as `check_name` takes it; "" makes one of the file's name.
    about : About
        What the file does not say of itself.
    dtype : {"float32", "float16", "int8"}
        Of vectors on the disk: float32 keeps every number, float16 takes half the room and keeps
        three digits, int8 a quarter.
    unicode_errors : {"strict", "replace", "ignore"}
        What is done with words of a file that are not UTF-8, as where word2vec.c cut one inside a character.

    Returns
    -------
    Entry
        The model on the shelf.

    Raises
    ------
    InputError
        If the name is taken (the sentence offers one that is free) or cannot be had, if it is not
        clear which file is meant, or if the disk refuses.
    FormatError, CheckpointError, MissingFileError
        If the source is not there, damaged, or of a kind that is not opened; the sentence gives
        the way out.
    """
    source = Path(source).expanduser()
    if not source.exists():
        raise MissingFileError("file_missing", path=source, way_out=clause("check_spelling"))
    name = check_name(name) if name else free_name(_wish(source))
    models = home() / "models"
    with refusals():
        models.mkdir(parents=True, exist_ok=True)
        sweep(models)
        with temporary_folder(models, "import") as stage:
            folder, origin = source, None
            if source.suffix.lower() == ".zip":
                folder, origin = stage / "unpacked", {source.name: sha256(source)}
                unpack_zip(source, folder)
                if any(folder.rglob(PICKLE)):
                    detect(source)  # refuses it with the way out
            new = stage / "model"
            shown = source.name if origin else source
            with renamed_in_refusals(folder, shown), words_decoded(unicode_errors):
                card = _build(locate(folder), new, about, dtype)
            _finish(new, card, {"source": source.name, **about.origin}, origin)
            return add_model(new, name, move=True)


def locate(path: Path) -> Path:
    """Return what is to be read under ``path``: itself, or the one model that a folder of files holds.

    Raises
    ------
    InputError
        If there are several, or none; the sentence lists what was found.
    """
    if not path.is_dir() or _is_model(path):
        return path
    inside = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    folders = [file for file in inside if file.is_dir()]
    files = [file for file in inside if file.is_file() and not _lies_beside(file)]
    if len(folders) == 1 and not files:
        return locate(folders[0])
    arrays = [file for file in files if file.suffix == ".npy"]
    tensors = [
        f for f in files if f.suffix == ".tsv" and ("tensor" in f.name or "vectors" in f.name)
    ]
    for chosen in (arrays, tensors, files):
        if len(chosen) == 1:
            return chosen[0]
    listed = ", ".join(file.name for file in inside[:8]) or clause("nothing")
    raise InputError("import_which", path=path, found=listed)


def _is_model(folder: Path) -> bool:
    """Whether a folder is one model in itself."""
    try:
        return (folder / CARD).exists() or is_network(folder) or bool(detect(folder))
    except ValueError:  # a folder of something else
        return False


def _lies_beside(file: Path) -> bool:
    """Whether a file is a description or a licence."""
    return file.suffix.lower() in BESIDE or file.name.lower() in LICENCES


def _wish(source: Path) -> str:
    """Name that a source suggests; a snapshot of Hugging Face's cache is called after its model."""
    if source.parent.name == "snapshots":
        return source.parents[1].name.split("--")[-1]
    return source.resolve().name.split(".")[0]


def _build(source: Path, new: Path, about: About, dtype: Dtype) -> dict[str, object]:
    """Write the model's folder without its final card; return what the card says of the model.

    word2vec, GloVe, fastText, Parquet and numpy are written as they are read, so that memory does not grow with the table.
    """
    if source.is_dir() and (source / CARD).exists():
        return _build_ours(source, new, about)
    if source.is_dir() and kind_without_card(source) in ("classifier", "translation"):
        raise MissingFileError(
            "file_missing", path=source / CARD, way_out=clause("get_model_again")
        )
    if source.is_dir() and is_network(source):
        method = copy_network(source, new)
        taken = (source / file.name for file in new.iterdir())
        return _described("network", about, method) | _origin("huggingface", _checksums(taken))
    kind = detect(source)
    sources = _checksums(_files_of(source))
    if kind in STREAMED:
        with STREAMED[kind](source) as stream:
            words, dropped = write_stream(
                stream, source, new, dtype=dtype, language=about.language, method=about.method
            )
        counted = {"words": words, "rows_dropped": dropped}
        return _described("static", about, stream.method) | _origin(kind, sources, **counted)
    vectors = read(source)
    vectors.language, vectors.method = about.language, about.method or vectors.method
    write_native(vectors, new, dtype=dtype)
    counted = {"words": len(vectors), "rows_dropped": vectors.dropped}
    return _described("static", about, vectors.method) | _origin(kind, sources, **counted)


def _build_ours(source: Path, new: Path, about: About) -> dict[str, object]:
    """Copy a folder with a card: of this program, so that nothing in it gets lost."""
    card = load_card(source)
    kind = kind_of(card, source / CARD)
    if kind == "network":
        copy_network(source, new)
    else:
        check_folder(source, kind, card)
        copy_recorded(source, new, card)
    described = {key: value for key, value in _described(kind, about, "").items() if value}
    corpus = card.get("corpus")
    if isinstance(corpus, dict):  # its folder was on another machine
        card["corpus"] = {key: value for key, value in corpus.items() if key != "folder"}
    before = {"before": card["origin"]} if "origin" in card else {}
    return card | described | _origin("native", {CARD: sha256(source / CARD)}, **before)


def _described(kind: str, about: About, method: str) -> dict[str, object]:
    """Keys of a card."""
    described: dict[str, object] = {"kind": kind, "method": about.method or method}
    described["language"] = about.language
    if about.licence:
        described["corpus"] = {"licence": about.licence}
    return described


def _origin(format: str, sums: Mapping[str, str], **more: object) -> dict[str, object]:
    """Where a model came from."""
    day = datetime.now(UTC).isoformat(timespec="seconds")
    origin = {"format": format, "sha256": dict(sums), "imported": day, "klyuch": __version__}
    return {"origin": origin | more}


def _finish(
    new: Path,
    card: dict[str, object],
    about: Mapping[str, object],
    sums: dict[str, str] | None,
) -> None:
    """Write the card: the origin (``about`` it, and of an archive its own sha256), sha256 of all files."""
    origin = card["origin"]
    assert isinstance(origin, dict)
    origin = {**about, **origin, **({"sha256": sums} if sums else {})}
    write_card(new, {**card, "origin": origin})


def _checksums(paths: Iterable[Path]) -> dict[str, str]:
    """Checksums of those that are files, by name."""
    return {file.name: sha256(file) for file in sorted(paths) if file.is_file()}


def _files_of(source: Path) -> Iterable[Path]:
    """Files that were read for vectors: one, its sibling with the words, or those of a folder."""
    if source.is_dir():
        return source.iterdir()
    if source.suffix == ".npy":
        return source, source.with_suffix(".txt")
    if source.suffix in {".json", ".tsv", ".bytes"}:
        return {source, *source.parent.glob("*metadata*.tsv")}
    return (source,)
