"""What the cards of models say: a line on each model, and its scores on test sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from embeddings._version import __version__
from embeddings.errors import KlyuchError
from embeddings.files import CARD, read_json, sha256
from embeddings.results import Rows
from embeddings.results.shelf_states import ModelScore, ShelfModel
from embeddings.shelf.entries import Entry, list_models, read_card
from embeddings.shelf.exporting import folder_size
from embeddings.shelf.own_models import is_own

WEIGHTS = ("vectors.safetensors", "model.safetensors")
CITED = ("vector_size", "window", "epochs", "iterations", "seed")
MEASURES = ("accuracy", "spearman")


def shelf_models(entries: Sequence[Entry] | None = None) -> tuple[ShelfModel, ...]:
    """Return what the cards and settings of models say of them, in the order of the shelf."""
    return Rows(_described(entry) for entry in (list_models() if entries is None else entries))


def model_scores(entries: Sequence[Entry] | None = None) -> tuple[ModelScore, ...]:
    """Return what the cards of models say of test sets, in the order of the shelf and the cards.

    A card is anybody's: what in it is no score of a known shape is left out.
    """
    listed: list[ModelScore] = []
    for entry in list_models() if entries is None else entries:
        try:
            scores = read_card(entry).get("scores")
        except KlyuchError:
            continue
        if isinstance(scores, Mapping):
            listed += _scores(entry, scores)
    return Rows(listed)


def cite(entry: Entry, card: Mapping[str, object], settings: Sequence[str] = ()) -> str:
    """Return model, checksum, settings and version in one line."""
    files = card.get("files")
    hashes = files if isinstance(files, dict) else {}
    recorded = next((str(hashes[name]) for name in WEIGHTS if name in hashes), "")
    if not recorded and entry.path.is_file():
        recorded = sha256(entry.path)
    corpus = card.get("corpus")
    source = (
        str(corpus.get("title") or corpus.get("name") or "") if isinstance(corpus, dict) else ""
    )
    trained = card.get("settings")
    chosen = {"seed": card.get("seed"), **(trained if isinstance(trained, dict) else {})}
    size = [f"{key} {chosen[key]}" for key in CITED if chosen.get(key) is not None]
    parts = [
        f"{entry.name} ({', '.join(filter(None, [source, *size]))})"
        if source or size
        else entry.name
    ]
    parts += [f"sha256 {recorded[:16]}" if recorded else "", *settings, f"Klyuch {__version__}"]
    return "; ".join(filter(None, parts)) + "."


def _described(entry: Entry) -> ShelfModel:
    """Describe one model."""
    card, settings = _read_if_whole(entry.path / CARD), _read_if_whole(entry.path / "config.json")
    trained = card.get("settings")
    read = card.get("corpus") or (trained.get("corpus") if isinstance(trained, Mapping) else None)
    about: Mapping[object, object] = read if isinstance(read, Mapping) else {}
    origin = card.get("origin")
    when = card.get("created") or (origin.get("imported") if isinstance(origin, Mapping) else "")
    return ShelfModel(
        *(entry.name, entry.kind, entry.method, entry.language, entry.path, is_own(entry)),
        folder_size(entry.path),
        words=_whole(settings.get("words")) or _whole(settings.get("vocab_size")),
        vector_size=_whole(settings.get("vector_size")) or _whole(settings.get("hidden_size")),
        layers=_whole(settings.get("num_hidden_layers")),
        corpus=str(about.get("title") or about.get("name") or _files(about.get("files"))),
        licence=str(about.get("licence") or ""),
        created=str(when or "")[:10],
    )


def _read_if_whole(path: Path) -> dict[str, object]:
    """Read a JSON file; nothing where it is missing or broken."""
    try:
        return read_json(path)
    except KlyuchError:
        return {}


def _files(files: object) -> str:
    """Name the texts that a network was trained on."""
    listed = files if isinstance(files, list) else []
    return ", ".join(
        str(file["name"]) for file in listed if isinstance(file, Mapping) and "name" in file
    )


def _scores(entry: Entry, scores: Mapping[object, object]) -> Iterator[ModelScore]:
    """Yield the scores of one card."""
    who = (entry.name, entry.kind, entry.method, entry.language)
    for name, scored in scores.items():
        if isinstance(scored, Mapping):
            for measure in MEASURES:
                if (value := _number(scored.get(measure))) is not None:
                    counts = (_whole(scored.get(key)) for key in ("covered", "total"))
                    yield ModelScore(*who, str(name), measure, value, *counts)
        elif (value := _number(scored)) is not None:
            yield ModelScore(*who, "", str(name), value)


def _number(value: object) -> float | None:
    """Return a finite number, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None  # type: ignore[arg-type]


def _whole(value: object) -> int | None:
    """Return a whole number, or None."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) < 1 << 63 else None  # what a table can show
