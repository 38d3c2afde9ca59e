"""Pretraining: held-out curves of the networks on the shelf, the user's own among them, from their cards.

Held next to the BERT of Kazan 2019, with an NSP accuracy of 85.17 % after 16 epochs of 33 million tokens.
"""

from __future__ import annotations

from itertools import pairwise

from embeddings.configuration import ShapeError, decode
from embeddings.errors import FormatError, MissingFileError
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
from embeddings.results import Value
from embeddings.shelf.entries import Entry, list_models, read_card

COMMAND = "python -m benchmarks.build_networks --corpora CORPORA --work WORK"
QUESTION = "How far did the networks on the shelf get?"
SOURCE = "Kazan 2019"
SOURCE_NSP = 85.17
FLAT = 0.05  # nats: a curve that lost less in its last quarter has flattened
PERCENT = 100
LONGEST = 20_000  # points of a curve that is read


class Point(Value):
    """A point of a held-out curve; the sentence accuracy is missing where no sentence task was learned, or all pairs were of one kind."""

    tokens: float
    heldout_mlm_loss: float | None = None
    heldout_sentence_accuracy: float | None = None


class Training(Value):
    """The part of the settings that the experiment reads."""

    objective: str | None = None


class Settings(Value):
    """Settings of a run."""

    training: Training


class NetworkCard(Value):
    """What the experiment reads of a network's card."""

    curve: tuple[Point, ...]
    scores: dict[str, float | None]
    settings: Settings
    command: str | None = None
    commit: str | None = None
    machine: str | None = None
    created: str | None = None


def pretraining() -> Experiment:
    """Return the held-out curves of every network whose card has one.

    Raises
    ------
    MissingFileError
        If no network has one.
    FormatError
        If a card is damaged; the sentence names card and place.
    """
    networks = sorted(
        (entry for entry in list_models() if entry.kind == "network"),
        key=lambda entry: (entry.method != "bert", entry.name),
    )
    cards = {
        entry.name: card for entry in networks if (card := _read_network_card(entry)) is not None
    }
    if not cards:
        path = "data/models/*/card.json"
        raise MissingFileError("experiment_missing", path=path, command=COMMAND)
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
        tuple(dict.fromkeys(card.command or COMMAND for card in cards.values())),
        tuple(f"{name}/card.json" for name in cards),
        commit=first.commit or "",
        machine=first.machine or "",
        created=(first.created or "")[:10],
    )


def _read_network_card(entry: Entry) -> NetworkCard | None:
    """A network's card, checked; None where it holds no curve."""
    values = read_card(entry)
    if values.get("curve") is None:
        return None
    try:
        card = decode(NetworkCard, values)
        if not 0 < len(card.curve) <= LONGEST:
            raise ShapeError("curve")
        for number, (before, after) in enumerate(pairwise(card.curve), 1):
            if after.tokens <= before.tokens:
                raise ShapeError(f"curve[{number}].tokens")
        if all(point.heldout_mlm_loss is None for point in card.curve):
            raise ShapeError("curve")
    except ShapeError as error:
        shown = f"{entry.name}/card.json"
        raise FormatError(
            "experiment_damaged", path=shown, place=str(error), command=COMMAND
        ) from error
    return card


def _series(name: str, card: NetworkCard, field: str, unit: float = 1) -> Series:
    """A field of the points in its unit over millions of tokens, where it is known."""
    known = [
        (point.tokens, value)
        for point in card.curve
        if (value := getattr(point, field)) is not None
    ]
    return Series(
        name,
        tuple(tokens / 1e6 for tokens, _ in known),
        tuple(unit * value for _, value in known),
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
        f"task_{card.settings.training.objective or ''}",
        card.curve[-1].tokens,
        card.scores.get("heldout_mlm_loss"),
        *(_percent(card.scores.get(f"heldout_{share}")) for share in shares),
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
            verdict = "yes" if fell > FLAT else "no"
            numbers = (("value", fell), ("bound", FLAT))
            told = tuple(fields.items())
            claims.append(Claim("still_falling", "above", numbers, verdict, fields=told, ours=fell))
    return claims


def _nsp_learned(cards: dict[str, NetworkCard]) -> list[Claim]:
    """Whether English sentence pairs are classified as well as by the source, for networks trained by NSP."""
    claims = []
    for name, card in cards.items():
        if card.settings.training.objective != "nsp":
            continue
        names = ("heldout_sentence_accuracy_en", "heldout_sentence_accuracy")
        accuracy = _percent(next(filter(None, map(card.scores.get, names)), None))
        fields: dict[str, Measured | str] = {
            "network": name,
            "accuracy": Measured(accuracy, 1),
            "tokens": Measured(card.curve[-1].tokens / 1e6, 1),
        }
        is_learned = accuracy is not None and accuracy >= SOURCE_NSP
        claims.append(
            Claim(
                "nsp_learned",
                "at_least",
                (("value", accuracy), ("bound", SOURCE_NSP)),
                "open" if accuracy is None else "yes" if is_learned else "no",
                fields=tuple(fields.items()),
                source=SOURCE,
                published=SOURCE_NSP,
                ours=accuracy,
            )
        )
    return claims
