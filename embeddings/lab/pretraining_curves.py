"""Pretraining: the curves of the networks on the shelf, as their cards hold them.

Held beside the BERT of the thesis on depth, which told neighbouring sentences in 85.17 % after 16 passes over 33 million tokens.
"""

from __future__ import annotations

from embeddings.errors import MissingFileError
from embeddings.lab.result_files import Told, read_curve
from embeddings.results.experiment import (
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
    Verdict,
)
from embeddings.shelf.entries import Entry, list_models, read_card

COMMAND = "python -m benchmarks.build_networks --corpora CORPORA --work WORK"
SOURCE_NSP = 85.17
FLAT = 0.05  # nats: a curve that lost less in its last quarter has flattened
PERCENT = 100
APART = "heldout_sentence_accuracy"  # lacking where no sentence task was learned, or all pairs were of one kind


def pretraining() -> Experiment:
    """Return the held-out curves of every network whose card has one."""
    found = {}
    for entry in sorted(list_models(), key=lambda one: (one.method != "bert", one.name)):
        if entry.kind == "network":
            told = Told(read_card(entry), f"{entry.name}/card.json", COMMAND)
            if told.get("curve") is not None:
                found[entry.name] = (entry, told)
    if not found:
        place = "data/models/*/card.json"
        raise MissingFileError("experiment_missing", path=place, command=COMMAND)
    losses = [_series(name, told, "heldout_mlm_loss") for name, (_, told) in found.items()]
    told_apart = [
        _series(name, told, APART, PERCENT)
        for name, (_, told) in found.items()
        if any(point.get(APART) for point in told["curve"].each())
    ]
    columns = (
        Column("network", "term"),
        Column("sentence_task", "term"),
        Column("tokens"),
        Column("loss", digits=2),
        Column("mlm_accuracy", digits=1),
        Column("sentence_accuracy", digits=1),
        *(Column(f"sentence_{language}", digits=1) for language in ("en", "ru", "de")),
    )
    drawings = (
        Drawing("losses", "lines", "tokens", "loss", tuple(losses)),
        Drawing("sentences", "lines", "tokens", "sentence_accuracy", tuple(told_apart), 50),
    )
    first = next(iter(found.values()))[1]
    return Experiment(
        "pretraining",
        (Table("networks", columns, tuple(_row(*pair) for pair in found.values())),),
        tuple(drawing for drawing in drawings if drawing.series),
        (*_still_falling(losses), *_neighbours(found)),
        tuple(dict.fromkeys(told.text_at("command") or COMMAND for _, told in found.values())),
        tuple(told.file for _, told in found.values()),
        commit=first.text_at("commit"),
        machine=first.text_at("machine"),
        created=first.text_at("created")[:10],
    )


def _series(name: str, told: Told, key: str, times: float = 1) -> Series:
    """A network's curve over the tokens that it has read."""
    curve = read_curve(told["curve"], "tokens", key)
    return Series(name, curve.millions, tuple(times * value for value in curve.y))


def _row(entry: Entry, told: Told) -> tuple[str | float | None, ...]:
    """What a network can do at its end."""
    scores, last = told["scores"], told["curve"].each()[-1]
    apart = (_percent(scores.number_at(f"{APART}{end}")) for end in ("", "_en", "_ru", "_de"))
    task = "task_" + told["settings"]["training"].text_at("objective")
    loss, right = scores.number_at("heldout_mlm_loss"), scores.number_at("heldout_mlm_accuracy")
    return (entry.name, task, last["tokens"].number(), loss, _percent(right), *apart)


def _percent(share: float | None) -> float | None:
    """A share in percent."""
    return None if share is None else PERCENT * share


def _still_falling(losses: list[Series]) -> list[Verdict]:
    """Whether each curve of at least four points has flattened in its last quarter."""
    found = []
    for series in losses:
        quarter = len(series.y) // 4
        before, last = series.y[-1 - quarter], series.y[-1]
        if quarter and before is not None and last is not None:
            fields = (("network", series.name), ("fell", Measured(before - last, 2)))
            found.append(Verdict("still_falling", "yes" if before - last > FLAT else "no", fields))
    return found


def _neighbours(found: dict[str, tuple[Entry, Told]]) -> list[Verdict]:
    """Whether English sentence pairs are told apart as well as in the source, for networks trained by NSP."""
    verdicts = []
    for name, (_, told) in found.items():
        if told["settings"]["training"].text_at("objective") != "nsp":
            continue
        share = told["scores"].number_at(f"{APART}_en") or told["scores"].number_at(APART)
        fields = (
            ("network", name),
            ("accuracy", Measured(_percent(share), 1)),
            ("tokens", Measured(told["curve"].each()[-1]["tokens"].number() / 1e6, 1)),
        )
        outcome = "open" if share is None else "yes" if PERCENT * share >= SOURCE_NSP else "no"
        verdicts.append(Verdict("nsp_learned", outcome, fields))
    return verdicts
