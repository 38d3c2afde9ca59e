"""Pretraining: held-out curves of the shipped networks, from their cards, next to the BERT of Kazan 2019 (NSP accuracy 85.17 %).

Run: python -m benchmarks.network_curves, after `benchmarks.build_networks`. Writes benchmarks/results/pretraining.json.
"""

from __future__ import annotations

from typing import Any

from benchmarks.result_files import RESULTS, write_results
from benchmarks.verdict_rules import above, at_least, make_claim
from embeddings.lab.experiment import (
    Cell,
    Claim,
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
)
from embeddings.shelf import list_models, read_card
from embeddings.shelf.own_models import is_own

QUESTION = "How far did the networks on the shelf get?"
LIU = "Liu et al. 2019"  # RoBERTa
SOURCE = "Kazan 2019"
SOURCE_NSP = 85.17
FLAT = 0.05  # nats: a curve that lost less in its last quarter has flattened
PERCENT = 100

NetworkCard = dict[str, Any]


def pretraining(cards: dict[str, NetworkCard]) -> Experiment:
    """Return the held-out curves of networks, by their cards."""
    losses = [_series(name, card, "heldout_mlm_loss") for name, card in cards.items()]
    accuracies = (
        _series(name, card, "heldout_sentence_accuracy", PERCENT) for name, card in cards.items()
    )
    sentences = [series for series in accuracies if series.x]
    drawings = (
        Drawing("losses", "lines", "tokens", "loss", tuple(losses)),
        Drawing("sentences", "lines", "tokens", "sentence_accuracy", tuple(sentences), 50),
    )
    first = next(iter(cards.values()))
    return Experiment(
        "pretraining",
        QUESTION,
        (*_still_falling(losses), *_nsp_learned(cards)),
        (_table(cards),),
        tuple(drawing for drawing in drawings if drawing.series),
        tuple(dict.fromkeys(card["command"] for card in cards.values())),
        tuple(f"{name}/card.json" for name in cards),
        commit=first.get("commit", ""),
        machine=first.get("machine", ""),
        created=first.get("created", "")[:10],
    )


def shipped_cards() -> dict[str, NetworkCard]:
    """Return the cards of the shipped networks that have a curve, BERTs first."""
    entries = [entry for entry in list_models() if entry.kind == "network" and not is_own(entry)]
    entries.sort(key=lambda entry: (entry.method != "bert", entry.name))
    cards = {entry.name: read_card(entry) for entry in entries}
    return {name: card for name, card in cards.items() if card.get("curve")}


def _series(name: str, card: NetworkCard, field: str, unit: float = 1) -> Series:
    """A field of the points in its unit over millions of tokens, where it is known."""
    known = [point for point in card["curve"] if point.get(field) is not None]
    return Series(
        name,
        tuple(point["tokens"] / 1e6 for point in known),
        tuple(unit * point[field] for point in known),
    )


def _table(cards: dict[str, NetworkCard]) -> Table:
    """A row a network: its scores at the end."""
    columns = (
        Column("network", "term"),
        Column("sentence_task", "term"),
        Column("tokens"),
        Column("loss", digits=2),
        Column("mlm_accuracy", digits=1),
        Column("sentence_accuracy", digits=1),
        *(Column(f"sentence_{language}", digits=1) for language in ("en", "ru", "de")),
    )
    return Table("networks", columns, tuple(_row(name, card) for name, card in cards.items()))


def _row(name: str, card: NetworkCard) -> tuple[Cell, ...]:
    """The row of one network."""
    shares = ("mlm_accuracy", *(f"sentence_accuracy{end}" for end in ("", "_en", "_ru", "_de")))
    return (
        name,
        f"task_{card['settings']['training'].get('objective') or ''}",
        card["curve"][-1]["tokens"],
        card["scores"].get("heldout_mlm_loss"),
        *(_percent(card["scores"].get(f"heldout_{share}")) for share in shares),
    )


def _percent(share: float | None) -> float | None:
    """A share in percent."""
    return None if share is None else PERCENT * share


def _still_falling(losses: list[Series]) -> list[Claim]:
    """Whether each curve of at least four points still fell in its last quarter."""
    claims = []
    for series in losses:
        quarter = len(series.y) // 4
        before, last = series.y[-1 - quarter], series.y[-1]
        if quarter and before is not None and last is not None:
            fell = before - last
            fields: dict[str, Measured | str] = {"network": series.name, "fell": Measured(fell, 2)}
            numbers = {"value": fell, "bound": FLAT}
            claims.append(
                make_claim("still_falling", above, numbers, fields, source=LIU, ours=fell)
            )
    return claims


def _nsp_learned(cards: dict[str, NetworkCard]) -> list[Claim]:
    """Whether English sentence pairs are classified as well as by the source, for networks trained by NSP."""
    claims = []
    for name, card in cards.items():
        if card["settings"]["training"].get("objective") != "nsp":
            continue
        names = ("heldout_sentence_accuracy_en", "heldout_sentence_accuracy")
        accuracy = _percent(next(filter(None, map(card["scores"].get, names)), None))
        fields: dict[str, Measured | str] = {
            "network": name,
            "accuracy": Measured(accuracy, 1),
            "tokens": Measured(card["curve"][-1]["tokens"] / 1e6, 1),
        }
        numbers = {"value": accuracy, "bound": SOURCE_NSP}
        told = {"source": SOURCE, "published": SOURCE_NSP, "ours": accuracy}
        claims.append(make_claim("nsp_learned", at_least, numbers, fields, **told))
    return claims


if __name__ == "__main__":
    write_results(RESULTS / "pretraining.json", pretraining(shipped_cards()), {})
