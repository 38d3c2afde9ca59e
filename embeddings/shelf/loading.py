"""Opening models of the shelf: any by `open_model`; classifiers and translators with the BERT that they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.errors import CheckpointError
from embeddings.optional import optional
from embeddings.shelf.entries import Entry, find, list_models, load_vectors

if TYPE_CHECKING:
    from embeddings.probing.label_prediction import Classifier
    from embeddings.probing.network import Network
    from embeddings.probing.translator import Translator


def open_model(entry: Entry) -> Any:
    """Open a model as what its kind is: `Vectors`, a `Network`, a `Classifier` or a `Translator` (`OPENERS`).

    Raises
    ------
    KlyuchError
        If a file is damaged, or the BERT that the model names is not on the shelf.
    """
    return OPENERS[entry.kind](entry)


def load_network(entry: Entry) -> Network:
    """Open a network with its tokenizer.

    Raises
    ------
    MissingFileError, CheckpointError, InputError
        As `embeddings.probing.network.open_reader`.
    """
    with optional():
        from embeddings.probing.network import (
            open_reader,  # torch: only where it is used
        )

    return open_reader(entry.path, entry.name)


def load_classifier(name_or_path: str | Path) -> Classifier:
    """Open a classifier of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no classifier, a file is damaged, or the BERT that it names is not on the shelf.
    """
    with optional():  # torch: only where it is used
        from embeddings.probing.label_prediction import open_classifier

    entry = find(name_or_path)
    if entry.kind != "classifier":
        raise CheckpointError("classify_kind", name=entry.name, kind=entry.kind)
    return open_classifier(entry.path, classifier_base(entry).path, entry.name)


def classifier_base(entry: Entry) -> Entry:
    """Return the network on the shelf that a classifier was trained from: its card names it by sha256.

    Raises
    ------
    CheckpointError
        If no network on the shelf is that one.
    """
    with optional():
        from embeddings.networks.classifier import find_base

    networks = {other.path: other for other in list_models() if other.kind == "network"}
    return networks[find_base(entry.path, networks)]


def fused_bert(entry: Entry) -> Entry | None:
    """Return the network on the shelf that is fused into a translator; None for a plain Transformer.

    Raises
    ------
    CheckpointError
        If no network on the shelf is the one that the translator's card names.
    """
    with optional():
        from embeddings.networks.encoder_decoder import find_bert

    networks = {other.path: other for other in list_models() if other.kind == "network"}
    path = find_bert(entry.path, networks)
    return None if path is None else networks[path]


def find_translator(name_or_path: str | Path) -> Entry:
    """Return the translator of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no translator; the sentence lists those on the shelf.
    """
    entry = find(name_or_path)
    if entry.kind == "translation":
        return entry
    choices = (
        ", ".join(other.name for other in list_models() if other.kind == "translation") or "none"
    )
    raise CheckpointError("translation_kind", name=entry.name, kind=entry.kind, choices=choices)


def load_translator(name_or_path: str | Path) -> Translator:
    """Open a translation model of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no translator, a file is damaged, or the BERT that it names is not on the shelf.
    """
    with optional():
        from embeddings.probing.translator import open_translator

    entry = find_translator(name_or_path)
    bert = fused_bert(entry)
    return open_translator(entry.path, load_network(bert) if bert else None, entry.name)


OPENERS: Mapping[str, Callable[[Entry], object]] = {
    "static": lambda entry: load_vectors(entry.path),
    "network": load_network,
    "classifier": lambda entry: load_classifier(entry.path),
    "translation": lambda entry: load_translator(entry.path),
}
