"""A person's own models put on the shelf, renamed and deleted: whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path

from embeddings.errors import InputError, refusals
from embeddings.files import atomic_folder, sweep, verify
from embeddings.model_card import change_card, checksums, load_card
from embeddings.shelf.entries import Entry, find, list_models
from embeddings.shelf.locations import home

NAME = re.compile(r"\w[\w.-]{0,99}")


def is_own(entry: Entry) -> bool:
    """Whether a model is the user's own: it lies on the shelf under ``KLYUCH_HOME``."""
    return entry.path.parent == home() / "models"


def check_name(name: str) -> str:
    """Return ``name`` (in NFC) if a new model can have it.

    Raises
    ------
    InputError
        If it cannot name a folder everywhere, or a model on the shelf has it (in any case of the
        letters, since some disks do not tell them apart); the sentence then offers one that is free.
    """
    normal = unicodedata.normalize("NFC", name.strip())
    if not NAME.fullmatch(normal) or len(normal.encode()) > 200:
        raise InputError("model_name", name=name)
    if (free := free_name(normal)) != normal:
        raise InputError("model_taken", name=normal, free=free)
    return normal


def free_name(name: str) -> str:
    """Return ``name`` made fit for a model, with -2, -3 ... behind it if it is taken."""
    fit = (
        re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", name)).lstrip("_.-")[:100] or "model"
    )
    taken = {entry.name.casefold() for entry in list_models()}
    taken |= {path.name.casefold() for path in (home() / "models").glob("*")}
    numbered = (f"{fit[:90]}-{number}" for number in count(2))
    return next(free for free in chain([fit], numbered) if free.casefold() not in taken)


def add_model(folder: Path, name: str, *, move: bool = False) -> Entry:
    """Put a finished model's folder on the shelf, whole or not at all.

    Parameters
    ----------
    folder : Path
        With a ``card.json`` whose ``files`` name the sha256 of the others.
    name : str
        As `check_name` takes it; the card says it afterwards.
    move : bool, default False
        Delete ``folder`` afterwards; on the same disk nothing is copied then.

    Raises
    ------
    InputError
        If the name cannot be had, or the shelf cannot be written to (disk full, no right).
    MissingFileError, CheckpointError
        If there is no card, or a file is missing or differs from it.
    """
    name = check_name(name)
    target = home() / "models" / name
    with refusals():
        card = load_card(folder)
        try:
            with atomic_folder(target, replace=False) as new:
                _copy(folder, new, _linked if move else shutil.copy2)
                verify(new, checksums(card))
                change_card(new, name=name)
        except FileExistsError:  # another window was faster
            raise InputError("model_taken", name=name, free=free_name(name)) from None
        if move:
            shutil.rmtree(folder)
    return find(target)


def rename(name: str, new: str) -> Entry:
    """Give an own model another name.

    Raises
    ------
    InputError
        If the model ships, is gone, or the new name cannot be had.
    """
    folder = own_folder(name)
    target = folder.with_name(check_name(new))
    with refusals():
        try:
            change_card(folder, name=target.name)
            folder.rename(target)
        except FileNotFoundError:
            raise InputError("model_gone", name=name) from None
    return find(target)


def delete(name: str) -> None:
    """Delete an own model; it leaves the shelf at once, its files a moment later.

    Raises
    ------
    InputError
        If the model ships, or is gone: deleted in another window, say.
    """
    folder = own_folder(name)
    delete_folder(folder, "model_gone")


def delete_folder(folder: Path, gone: str) -> None:
    """Delete a folder of the user's home: aside in one step, so that it is gone from lists at once, then away.

    Raises
    ------
    InputError
        ``gone``, if it is not there.
    """
    with refusals():
        sweep(folder.parent)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.deleted.", dir=folder.parent))
        try:
            folder.rename(aside / folder.name)
        except FileNotFoundError:
            raise InputError(gone, name=folder.name) from None
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def own_folder(name: str) -> Path:
    """Return the folder of the own model of that name, damaged or not; another one is a sentence."""
    folder = home() / "models" / name
    if NAME.fullmatch(name) and folder.is_dir():
        return folder
    if any(entry.name == name for entry in list_models()):
        raise InputError("model_shipped", name=name)
    raise InputError("model_gone", name=name)


def _copy(folder: Path, new: Path, copy: Callable[[Path, Path], object]) -> None:
    """Copy all files of a folder; unlike `shutil.copytree`, the first that fails ends it."""
    for path in sorted(folder.rglob("*")):
        target = new / path.relative_to(folder)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            copy(path, target)


def _linked(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the disk is another one."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
