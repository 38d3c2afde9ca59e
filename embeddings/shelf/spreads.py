"""Measured spreads of models: those that ship in ``data/spreads``, the user's own in ``KLYUCH_HOME/spreads``, each named as its model."""

from __future__ import annotations

from pathlib import Path

from embeddings.errors import KlyuchError
from embeddings.results.stability import RunOverlap, RunRange, ScoreRange
from embeddings.shelf.entries import Entry, read_card
from embeddings.shelf.locations import data, home
from embeddings.vectors.run_spread import FILE, RunSpread, load_spread, read_spread_card

MEASURES = ("accuracy", "spearman")
NOT_COMPARED = ("seed", "workers")  # settings in which a spread may differ from its model


def spread_path(name_or_path: str) -> Path:
    """Return the folder of a spread: a mere name lies in the user's own folder."""
    path = Path(name_or_path).expanduser()
    return home() / "spreads" / name_or_path if path.name == name_or_path and name_or_path else path


def find_spread(entry: Entry) -> Path | None:
    """Return the folder with a model's spread: of its name, its settings and its corpus; None if there is none.

    The corpus is the same where the spread's card gives as many tokens as the model's.
    """
    for folder in (home() / "spreads" / entry.name, data() / "spreads" / entry.name):
        if (folder / FILE).exists() and _is_of(folder, entry):
            return folder
    return None


def open_spread(entry: Entry) -> RunSpread | None:
    """Return a model's spread; None if it has none.

    Raises
    ------
    CheckpointError, FormatError
        If it is damaged.
    """
    folder = find_spread(entry)
    return None if folder is None else load_spread(folder)


def run_overlap(folder: Path) -> RunOverlap | None:
    """Return how far the neighbourhoods of the runs agree, as the card of a spread has it; None where it does not.

    Raises
    ------
    KlyuchError
        If the card is missing or damaged.
    """
    card = read_spread_card(folder)
    summary, settings = card.get("summary"), card.get("spread")
    if not isinstance(summary, dict) or not isinstance(settings, dict):
        return None
    share, nearest = summary.get("overlap"), settings.get("nearest")
    if isinstance(share, float) and 0 <= share <= 1 and isinstance(nearest, int):
        return RunOverlap(share, nearest)
    return None


def score_ranges(folder: Path) -> dict[str, ScoreRange]:
    """Return how the runs score on test sets, by file name, as the card of a spread has it; those of no known shape are passed over.

    Raises
    ------
    KlyuchError
        If the card is missing or damaged.
    """
    card = read_spread_card(folder)
    scores, settings = card.get("scores"), card.get("spread")
    is_resampled = isinstance(settings, dict) and settings.get("resample") == "documents"
    ranges = {}
    for name, score in scores.items() if isinstance(scores, dict) else ():
        if not isinstance(score, dict) or score.get("measure") not in MEASURES:
            continue
        values, total = score.get("values"), score.get("total")
        if not isinstance(values, list) or not values or not isinstance(total, int):
            continue
        if all(map(_is_score, values)):
            span = RunRange.of([float(value) for value in values])
            ranges[name] = ScoreRange(score["measure"], span, total, is_resampled)
    return ranges


def _is_score(value: object) -> bool:
    """Whether a value of a card is an accuracy or a correlation."""
    return isinstance(value, int | float) and -1 <= value <= 1


def _is_of(folder: Path, entry: Entry) -> bool:
    """Whether a spread was measured with the model's settings on a corpus of its size.

    A setting that one of the cards lacks is younger than that card.
    """
    try:
        spread, model = read_spread_card(folder), read_card(entry)
    except KlyuchError:
        return False
    first, second = (card.get("settings") for card in (spread, model))
    measured, trained = (_words(card.get("corpus")) for card in (spread, model))
    if not isinstance(first, dict) or not isinstance(second, dict) or measured != trained:
        return False
    common = first.keys() & second.keys() - {*NOT_COMPARED}
    return bool(common) and all(first[name] == second[name] for name in common)


def _words(corpus: object) -> object:
    """Return the tokens of a corpus, as its card gives them."""
    return corpus.get("words") if isinstance(corpus, dict) else None
