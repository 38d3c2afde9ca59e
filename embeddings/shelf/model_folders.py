"""Folders of models, ours and Hugging Face's: recognised, checked, copied."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from embeddings.errors import InputError
from embeddings.files import (
    BESIDE_VOCABULARY,
    CONFIG,
    TOKENIZER,
    VOCABULARIES,
    WEIGHTS,
    read_if_whole,
    verify,
)
from embeddings.model_card import checksums

FILES = (CONFIG, WEIGHTS, *VOCABULARIES, *BESIDE_VOCABULARY)

MODULES = "modules.json"  # of sentence-transformers
SENTENCE_SETTINGS = ("sentence_bert_config.json", "config_sentence_transformers.json")
MODULE_FOLDER = re.compile(r"\d+_\w{1,40}")  # 1_Pooling
LARGEST_MODULE = 64 << 20  # bytes


def is_network(folder: Path) -> bool:
    """Whether a folder's config.json is that of a network."""
    return "model_type" in read_if_whole(folder / CONFIG)


def copy_network(folder: Path, target: Path) -> str:
    """Open a BERT or ALBERT folder as a proof, copy what belongs to it, and return its model type.

    An older vocabulary becomes ``tokenizer.json`` too, so that opening the copy needs no other
    library.

    Raises
    ------
    KlyuchError
        If it cannot be opened; the sentence says why, and the way out.
    """
    from embeddings.probing.network import open_reader  # torch: seconds, and only for networks

    reader = open_reader(folder)
    target.mkdir(parents=True, exist_ok=True)
    copy_files(folder, target)
    if not (target / WEIGHTS).exists():  # in shards: one file from here on
        from safetensors.torch import save_file

        from embeddings.networks.huggingface_folder import read_weights

        weights = {name: part.contiguous() for name, part in read_weights(folder / WEIGHTS).items()}
        save_file(weights, str(target / WEIGHTS), metadata={"format": "pt"})
    if not (target / TOKENIZER).exists():
        reader.wordpiece.tokenizer.save(str(target / TOKENIZER))
    return reader.config.model_type


def copy_files(folder: Path, target: Path) -> None:
    """Copy what belongs to a network."""
    for name in FILES:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, target / name)
    copy_sentence_modules(folder, target)


def copy_sentence_modules(folder: Path, target: Path) -> None:
    """Copy what sentence-transformers needs besides a network: modules.json and the settings and small weights it names."""
    if not (folder / MODULES).is_file():
        return
    shutil.copyfile(folder / MODULES, target / MODULES)
    parts = [part.name for part in folder.iterdir() if MODULE_FOLDER.fullmatch(part.name)]
    inside = [f"{part}/{name}" for part in parts for name in (CONFIG, WEIGHTS)]
    for name in (*SENTENCE_SETTINGS, *inside):
        file = folder / name
        if file.is_file() and file.stat().st_size <= LARGEST_MODULE:
            (target / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(file, target / name)


def check_names(folder: Path, card: Mapping[str, object]) -> None:
    """Raise `InputError` if a card names a file that does not lie next to it."""
    for name in checksums(card):
        if Path(name).name != name:
            raise InputError("archive_outside", path=folder, name=name[:200])


def copy_recorded(folder: Path, target: Path, card: Mapping[str, object]) -> None:
    """Copy the files that a card names, each as its sha256 says; others stay behind.

    Raises
    ------
    CheckpointError, MissingFileError
        If a file is missing or changed.
    InputError
        If the card names one that lies elsewhere.
    """
    files = checksums(card)
    check_names(folder, card)
    verify(folder, files)
    target.mkdir(parents=True, exist_ok=True)
    for name in files:
        shutil.copyfile(folder / name, target / name)
