"""``klyuch models``: what is on the shelf; bringing models in, taking them out, names, checksums, scores."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import typer

from embeddings import shelf
from embeddings.cli.nouns import AS_JSON, CARD_LANGUAGE, verb
from embeddings.cli.output import (
    bytes_in_words,
    confirm_deletion,
    counted,
    emit,
    grid,
    progress_bar,
)
from embeddings.results import plain
from embeddings.shelf.hub_models import HubNetwork, suggested_networks


@verb("models", "list")
def show_models() -> None:
    """List the models that ship and your own."""
    entries = shelf.list_models()
    nothing = (
        f"There are no models in {shelf.data() / 'models'} and {shelf.home() / 'models'}. "
        "Does KLYUCH_DATA name the folder of what ships?"
    )
    emit(entries, entries or nothing)


@verb("models", "card")
def show_card(name: str) -> None:
    """Show where a model comes from: corpus, command, seed, commit, scores, checksums."""
    emit(shelf.read_card(shelf.find(name)))


@verb("models", "import")
def import_command(
    source: Path,
    *,
    name: str = "",
    language: str = CARD_LANGUAGE,
    method: str = "",
    licence: str = "",
    dtype: str = "float32",
    unicode_errors: str = "strict",
) -> None:
    """Copy a model of another tool onto the shelf."""
    about = shelf.About(language, method, licence)
    kind = cast("Literal['float32', 'float16', 'int8']", dtype)
    entry = shelf.import_model(source, name, about, dtype=kind, unicode_errors=unicode_errors)
    emit(entry)


@verb("models", "get")
def get_command(
    network: str, *, name: str = "", language: str = CARD_LANGUAGE, licence: str = ""
) -> None:
    """Fetch a network by name, from KLYUCH_MIRROR (a folder) or the Hugging Face Hub (HF_ENDPOINT), and put it on the shelf."""
    from embeddings.shelf.hub_models import get_network, look_up_network

    network_there = look_up_network(network)
    if not AS_JSON.get():
        print(_described(network_there))
    with progress_bar() as report:
        entry = get_network(network_there, name, shelf.About(language, "", licence), report)
    emit({"entry": entry, "network": network_there}, plain(entry))


def _described(network: HubNetwork) -> str:
    """Return what will be fetched, in a sentence or two."""
    repository = network.repository
    place = f" at {repository.commit[:12]}" if repository.commit else ""
    parts = [
        f"{network.model_type} of {network.layers} x {network.hidden_size}",
        f"{network.parameters / 1e6:,.1f} million parameters",
        f"{counted(len(repository.files), 'file')}, {bytes_in_words(repository.size)}",
        f"about {bytes_in_words(network.memory)} of memory to open",
        f"licence {network.licence or 'not stated'}",
        f"language {', '.join(network.languages[:8]) or 'not stated'}",
    ]
    return f"{repository.label}{place} from {repository.origin}: {'; '.join(parts)}"


@verb("models", "suggestions")
def suggestions_command() -> None:
    """List networks of the Hugging Face Hub that are known to fit, in English, Russian and German."""
    emit(suggested_networks())


@verb("models", "export")
def export_command(name: str, target: Path, *, format: str = "", senses: bool = False) -> None:
    """Write a model for another tool."""
    shelf.export_model(name, target, format, senses=senses)
    emit({"path": target, "size": shelf.folder_size(target)})


@verb("models", "index")
def index_command(name: str) -> None:
    """Build the HNSW index that the pages ask, and measure its recall against exact search."""
    entry = shelf.find(name)
    with progress_bar() as report:
        measured = shelf.build_index(entry, report)
    emit(measured)


@verb("models", "rename")
def rename_command(name: str, new: str) -> None:
    """Give a model of yours another name."""
    entry = shelf.rename(name, new)
    emit(entry)


@verb("models", "delete")
def delete_command(name: str, *, yes: bool = False) -> None:
    """Delete a model of yours, after asking."""
    folder = shelf.own_folder(name)
    confirm_deletion(folder, shelf.folder_size(folder), yes)
    shelf.delete(name)
    emit({"deleted": name}, f"{name} is deleted.")


@verb("models", "verify")
def verify_command(names: list[str] | None = None) -> None:
    """Hash every file now and compare it with the card; exit code 1 if one is damaged, cut short or missing."""
    entries = [shelf.find(name) for name in names] if names else list(shelf.list_models())
    states = {entry.name: shelf.verify_model(entry) for entry in entries}
    broken = [] if names else list(shelf.damaged())
    rows = [
        (name, file.name, bytes_in_words(file.size), file.state)
        for name, files in states.items()
        for file in files
    ]
    rows += [(folder.name, folder.reason, "", "damaged") for folder in broken]
    report = {"models": states, "damaged": broken}
    emit(report, grid("model", "file", "size", "state", rows=rows))
    bad = any(file.is_bad for files in states.values() for file in files)
    if bad or broken:
        raise typer.Exit(1)


@verb("models", "scores")
def scores_command() -> None:
    """List the scores of all models on all test sets, with coverage, as their cards record them."""
    scores = shelf.model_scores()
    emit(scores)
