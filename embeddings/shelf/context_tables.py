"""The contexts that explain a static model's neighbours: those in its folder, or of another model of the same corpus."""

from __future__ import annotations

from functools import lru_cache

from embeddings.errors import KlyuchError
from embeddings.shelf.entries import Entry, list_models, read_card
from embeddings.vectors.context_table import FILE, ContextTable, load_contexts
from embeddings.vectors.formats.native_folder import verify_files


def contexts_entry(entry: Entry) -> Entry | None:
    """Return the model whose folder holds contexts of this model's corpus: itself, or one with the same corpus files; None if none has.

    Files are the same where the cards give the same checksums.
    """
    if (entry.path / FILE).exists():
        return entry
    if not (corpus := _corpus_files(entry)):
        return None
    others = (other for other in list_models() if (other.path / FILE).exists())
    return next((other for other in others if _corpus_files(other) == corpus), None)


def open_contexts(entry: Entry) -> ContextTable:
    """Return the contexts of a model's corpus, checked against the card next to them.

    Raises
    ------
    MissingFileError
        If no model of this corpus has any; the sentence names the command that counts them.
    CheckpointError, FormatError
        If the file is damaged.
    """
    holder = contexts_entry(entry) or entry
    if (holder.path / FILE).exists():
        verify_files(holder.path, FILE)
    return load_contexts(holder.path)


def _corpus_files(entry: Entry) -> dict[str, str]:
    """Names and checksums of a model's corpus files; empty where the card does not tell them."""
    return _files_of(entry, entry.stamp)


@lru_cache(maxsize=256)
def _files_of(entry: Entry, _: str) -> dict[str, str]:
    """The same, read once a state of the model's files."""
    try:
        corpus = read_card(entry).get("corpus")
    except KlyuchError:
        return {}
    files = corpus.get("files") if isinstance(corpus, dict) else None
    if not isinstance(files, dict) or entry.method == "lemmas":
        return {}
    return {str(name): str(checksum) for name, checksum in files.items()}
