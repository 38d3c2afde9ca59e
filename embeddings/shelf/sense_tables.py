"""A static model written again with the senses of its words next to its vectors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from embeddings.errors import InputError
from embeddings.files import CARD, atomic_folder, read_json, sha256, write_json
from embeddings.shelf.entries import Entry
from embeddings.shelf.model_folders import copy_recorded, recorded
from embeddings.vectors.formats.native_folder import check_native_target, write_native
from embeddings.vectors.sense_table import FILE, SenseTable, save_senses
from embeddings.vectors.table import Vectors


def check_senses_target(entry: Entry, output: Path) -> None:
    """Refuse before any work a folder that the model with senses cannot be written to.

    Raises
    ------
    InputError
        If it is the model's own folder.
    FormatError
        If it holds something else than a static model.
    """
    if output.resolve() == entry.path.resolve():
        raise InputError("senses_folder", path=output)
    check_native_target(output)


def write_with_senses(
    entry: Entry, vectors: Vectors, table: SenseTable, output: Path, about: Mapping[str, object]
) -> None:
    """Write the model with a table of senses to a folder, whole or not at all.

    Parameters
    ----------
    entry : Entry
        The model; of one in this project's form all files are copied as they are, others are written in float32.
    vectors : Vectors
        Its vectors.
    table : SenseTable
        Of its words.
    output : Path
        As `check_senses_target` passes it.
    about : Mapping
        What the card says of the senses: corpus, settings, command.
    """
    check_senses_target(entry, output)
    if not (entry.path / CARD).exists():
        named = {"name": output.name, "senses": dict(about)}
        write_native(
            vectors, output, card=named, dtype="float32", extra=lambda new: save_senses(table, new)
        )
        return
    with atomic_folder(output) as new:
        card = read_json(entry.path / CARD)
        copy_recorded(entry.path, new, card)
        save_senses(table, new)
        files = {**recorded(card), FILE: sha256(new / FILE)}
        write_json(new / CARD, {**card, "name": output.name, "senses": dict(about), "files": files})
