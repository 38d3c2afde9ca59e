"""What was measured of how far to trust a model, noted on its card and read from it: a classifier's calibration, a translator's range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from embeddings.configuration import ShapeError, decode
from embeddings.errors import refusals
from embeddings.files import CARD, read_json, write_json
from embeddings.results.network_answers import LogProbabilityRange
from embeddings.results.sentence_answers import Calibration
from embeddings.shelf.entries import Entry

if TYPE_CHECKING:
    from embeddings.probing.text_domain import TextDomain


def record_calibration(
    entry: Entry, calibration: Calibration, test_set: str, domain: TextDomain | None = None
) -> None:
    """Write a calibration into the card of a classifier, and the domain of its texts next to its weights.

    Raises
    ------
    KlyuchError
        If its folder cannot be written to.
    """
    from embeddings.networks.huggingface_folder import write_card
    from embeddings.probing.text_domain import save_domain

    path = entry.path / CARD
    card = {**read_json(path), "calibration": {"set": test_set, **asdict(calibration)}}
    with refusals():
        if domain is not None:
            save_domain(domain, entry.path)
            write_card(entry.path, card)
        else:
            write_json(path, card)


def read_calibration(card: Mapping[str, object]) -> tuple[str, Calibration] | None:
    """Return the test set and the calibration that a card brings; None where there is none of known shape."""
    recorded = card.get("calibration")
    if not isinstance(recorded, Mapping):
        return None
    try:
        return str(recorded.get("set", "")), decode(Calibration, recorded)
    except ShapeError:
        return None


def record_log_probabilities(entry: Entry, spread: LogProbabilityRange, test_set: str) -> None:
    """Write how sure a translator is of its own kind of sentences into its card.

    Raises
    ------
    KlyuchError
        If its folder cannot be written to.
    """
    path = entry.path / CARD
    with refusals():
        write_json(path, {**read_json(path), "domain": {"set": test_set, **asdict(spread)}})


def read_log_probabilities(card: Mapping[str, object]) -> LogProbabilityRange | None:
    """Return how sure a translator is of its own kind of sentences, as its card has it; None where there is nothing of known shape."""
    try:
        return decode(LogProbabilityRange, card.get("domain"))
    except ShapeError:
        return None
