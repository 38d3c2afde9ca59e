"""Pilots of a small English BERT, one thing changed in each: optimiser, rate, masking, lengths, depth, width, task, seed. Scored alike.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.research.pretraining_pilots --language-folder LANGUAGE --work WORK [--only NAME ...]

LANGUAGE holds ``ids`` of `klyuch bert prepare`, and ``vectors`` (256 numbers each) and ``vectors-384`` of `klyuch wordpiece vectors`;
``ids-three`` and ``vectors-three`` are the same of the texts of three languages in a vocabulary of 32 000 (albert-en-ru-de's).
Each pilot is the base with settings changed: 1 200 steps, so equal tokens, but for those that say otherwise; one seed, ten to twenty
minutes of one core. WORK/NAME is a run's folder, as `klyuch bert pretrain` writes it, WORK/results.jsonl what each cost. A pilot whose
run is complete is not trained again, one that was stopped resumes; ``--no-training`` takes the complete ones alone. Each is scored as
`benchmarks.research.knowledge` scores networks. Writes benchmarks/results/pretraining_pilots.json with all pilots that are complete; those that
it holds already and that have no run in WORK stay in it, with the commit and day of their own.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.research.knowledge_parts import (
    PAIRS,
    WORD_SETS,
    parts_of,
    score_network,
    short_files,
)
from benchmarks.research.replaced_tokens import pretrain_discriminator
from benchmarks.result_files import RESULTS, Measurements, about, series_of, write_results
from benchmarks.source_tree import source_commit
from embeddings.files import read_json
from benchmarks.verdict_rules import difference, make_claim
from embeddings.networks.bert_config import BertConfig
from embeddings.lab.experiment import Cell, Claim, Column, Drawing, Experiment, Measured, Series, Table
from embeddings.runtime import Machine
from embeddings.shelf import Entry
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.tasks import Limits
from embeddings.model_card import machine

QUESTION = "What makes a small BERT learn more from the same text?"
LANGUAGE = "en"
NETWORK = BertConfig(
    hidden_size=256,
    num_hidden_layers=4,
    num_attention_heads=4,
    intermediate_size=1024,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    max_position_embeddings=128,
)
TRAINING = PretrainingConfig(
    steps=1200,
    warmup=0.03,
    learning_rate=1e-3,
    rows=32,
    row_length=128,
    max_tokens=128,
    evaluate_every=300,
    log_every=50,
    heldout_rows=256,
    mlm_probability=0.3,
    sentence_share=0.5,
    source_exponent=0.5,
)


@dataclass(frozen=True, slots=True)
class Pilot:
    """The base with some settings changed.

    Attributes
    ----------
    ids : str
        Folder of the language that it reads; of several languages, scores of held-out passages are of all and not told.
    vectors : str
        Folder of the language that the token embedding matrix begins with, as wide as it.
    fills : bool
        Whether it learns to fill blanks; else it detects replaced tokens (`benchmarks.research.replaced_tokens`) and is asked for states
        alone.
    """

    name: str
    training: Mapping[str, Any] = field(default_factory=dict)
    network: Mapping[str, Any] = field(default_factory=dict)
    ids: str = "ids"
    vectors: str = "vectors"
    fills: bool = True

    @property
    def config(self) -> PretrainingConfig:
        """Settings of its pretraining."""
        return replace(TRAINING, **self.training)


MUON = {"optimizer": "muon", "learning_rate": 3e-3}
PILOTS = (
    Pilot("adamw"),
    Pilot("adamw2e-3", {"learning_rate": 2e-3}),
    Pilot("muon", {"optimizer": "muon"}),
    Pilot("muon3e-3", MUON),
    Pilot("sent0m", {**MUON, "sentence_share": 0.0}),
    Pilot("sent1m", {**MUON, "sentence_share": 1.0, "objective": "none"}),
    Pilot("mask15m", {**MUON, "mlm_probability": 0.15}),
    Pilot("mask40m", {**MUON, "mlm_probability": 0.4}),
    Pilot("deep8m", {**MUON, "steps": 720}, {"num_hidden_layers": 8}),  # about equal time
    Pilot(
        "wide384m",
        {**MUON, "steps": 600},  # about equal time
        {"hidden_size": 384, "num_attention_heads": 6, "intermediate_size": 1536},
        vectors="vectors-384",
    ),
    Pilot("replaced", {**MUON, "mlm_probability": 0.15}, fills=False),
    Pilot("muon3e-3-seed2", {**MUON, "seed": 2}),
    # English, Russian and German: 37 of 100 tokens are English, so that it reads as much English as the others
    Pilot("three", {**MUON, "steps": 3400}, ids="ids-three", vectors="vectors-three"),
)
NAMES = tuple(pilot.name for pilot in PILOTS)


def is_complete(run: Path) -> bool:
    """Whether a run left its model after its last step."""
    card = run / "model" / "card.json"
    return card.exists() and bool(read_json(card).get("complete"))


def check_settings(pilot: Pilot, run: Path) -> None:
    """Refuse a complete run of other settings; a setting that the run's card lacks had its default.

    Raises
    ------
    SystemExit
        The sentence names folder and settings.
    """
    settings: Any = read_json(run / "model" / "card.json")["settings"]
    ran = {**asdict(PretrainingConfig()), **settings["training"]}
    wanted = asdict(pilot.config)
    wanted["objective"] = wanted["objective"] or "nsp"  # as BERT's is written down
    sizes = asdict(replace(NETWORK, **pilot.network, vocab_size=settings["network"]["vocab_size"]))
    other = [name for name in wanted if wanted[name] != ran[name]]
    other += [name for name in sizes if settings["network"].get(name, sizes[name]) != sizes[name]]
    if other:
        raise SystemExit(f"{run} holds a run of other settings: {', '.join(other)}.")


def train(pilot: Pilot, folder: Path, work: Path) -> None:
    """Train a pilot, or resume it, and note what it cost."""
    wall, processor = time.time(), time.process_time()
    run = partial(pretrain, tensorboard=False) if pilot.fills else pretrain_discriminator
    done = run(
        folder / pilot.ids,
        work / pilot.name,
        replace(NETWORK, **pilot.network),
        pilot.config,
        Limits(checkpoint_minutes=10),
        machine=Machine(device="cpu", dtype="bfloat16"),
        warm=folder / pilot.vectors,
    )
    line = {
        "name": pilot.name,
        "lang": LANGUAGE,
        "tokens": done.tokens,
        "parameters": done.parameters,
        "wall": time.time() - wall,
        "cpu": time.process_time() - processor,
    }
    with (work / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def costs(work: Path) -> dict[str, dict[str, Any]]:
    """Return what each run cost by name; of a run in several sittings the seconds of all."""
    file = work / "results.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    known: dict[str, dict[str, Any]] = {}
    for line in map(json.loads, filter(None, lines)):
        before = known.get(line["name"], {"wall": 0.0, "cpu": 0.0})
        known[line["name"]] = {
            "parameters": line["parameters"],
            "wall": before["wall"] + line["wall"],
            "cpu": before["cpu"] + line["cpu"],
        }
    return known


def curve(run: Path) -> list[list[float]]:
    """Return million tokens and held-out MLM loss at each evaluation; of a step that was made twice the last."""
    points = {}
    for line in (run / "progress.jsonl").read_text(encoding="utf-8").splitlines():
        values = json.loads(line)
        if "heldout_mlm_loss" in values:
            points[values["step"]] = [
                values["tokens"] / 1e6,
                round(values["heldout_mlm_loss"], 4),
            ]
    return [points[step] for step in sorted(points)]


def measured_pilot(pilot: Pilot, work: Path, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a complete pilot: settings, cost, curve, held-out scores, and the scores of each part."""
    run, config = work / pilot.name, pilot.config
    card = read_json(run / "model" / "card.json")
    cost = costs(work).get(pilot.name, {})
    scores = dict(card["scores"])  # type: ignore[call-overload]
    if config.objective == "none" or config.sentence_share == 1:
        scores = {key: value for key, value in scores.items() if "sentence" not in key}
    return {
        "name": pilot.name,
        "settings": {
            key: getattr(config, key)
            for key in (
                "optimizer",
                "learning_rate",
                "mlm_probability",
                "sentence_share",
                "steps",
                "seed",
            )
        }
        | {
            "layers": replace(NETWORK, **pilot.network).num_hidden_layers,
            "hidden_size": replace(NETWORK, **pilot.network).hidden_size,
            "objective": "masked" if pilot.fills else "replaced",
        },
        "tokens": card["tokens_seen"],
        "parameters": cost.get("parameters"),
        "cpu_seconds": cost.get("cpu"),
        "wall_seconds": cost.get("wall"),
        "curve": curve(run),
        "scores": scores,
        "parts": dict(parts),
    }


def pilots_experiment(measured: Measurements) -> Experiment:
    """Return claims, tables and drawings of the pilots that are complete."""
    pilots = measured["pilots"]
    tables = (_scores_table(pilots), _passages_table(pilots), _settings_table(pilots))
    losses = [series_of(pilot["name"], pilot["curve"]) for pilot in pilots if pilot["curve"]]
    drawings = (
        Drawing("loss", "lines", "tokens", "loss", tuple(losses)),
        Drawing("short", "bars", "pilot", "share", tuple(_short_series(pilots))),
    )
    claims = _claims({pilot["name"]: pilot for pilot in pilots})
    return Experiment(
        "pretraining_pilots",
        QUESTION,
        tuple(claim for claim in claims if claim.ours is not None),  # of pilots that were run
        tables,
        tuple(drawing for drawing in drawings if drawing.series),
        **about(measured, "pretraining_pilots"),
    )


def _claims(pilots: Mapping[str, Mapping[str, Any]]) -> Iterator[Claim]:
    """Yield what is claimed of pairs of pilots; the better value comes first if the claim holds."""
    yield _gap("pilot_muon", pilots, ("muon3e-3", "adamw2e-3"), "blimp_en", "accuracy")
    yield _gap(
        "pilot_fewer_copies_muon", pilots, ("muon3e-3", "adamw2e-3"), "short_en", "copies", -1
    )
    yield _gap("pilot_single_sentences", pilots, ("sent1m", "muon3e-3"), "short_en", "top1")
    yield _gap(
        "pilot_fewer_copies_single", pilots, ("sent1m", "muon3e-3"), "short_en", "copies", -1
    )
    yield _gap("pilot_mask_15", pilots, ("muon3e-3", "mask15m"), "short_en", "top1")
    yield _gap("pilot_mask_40", pilots, ("mask40m", "muon3e-3"), "short_en", "top1")
    yield _gap("pilot_half_sentences", pilots, ("muon3e-3", "sent0m"), "short_en", "top1")
    yield _gap("pilot_fewer_copies_half", pilots, ("muon3e-3", "sent0m"), "short_en", "copies", -1)
    yield _gap("pilot_depth", pilots, ("deep8m", "muon3e-3"), "blimp_en", "accuracy")
    yield _gap("pilot_width", pilots, ("wide384m", "muon3e-3"), "blimp_en", "accuracy")
    yield _gap("pilot_replaced", pilots, ("replaced", "muon3e-3-seed2"), "wic_en", "accuracy")
    yield _gap("pilot_seed", pilots, ("muon3e-3-seed2", "muon3e-3"), "short_en", "top1")


SOURCES = {
    "pilot_mask_15": "Wettig et al. 2023",
    "pilot_mask_40": "Wettig et al. 2023",
    "pilot_replaced": "Clark et al. 2020",
}


def _gap(
    claim: str,
    pilots: Mapping[str, Mapping[str, Any]],
    names: tuple[str, str],
    part: str,
    measure: str,
    sign: int = 1,
) -> Claim:
    """Return whether the first of two pilots is ahead of the second, in points.

    The standard error is that of two independent samples; both answered the same questions, so the true one is smaller.
    """
    source = SOURCES.get(claim, "")
    if not all(part in pilots.get(name, {"parts": {}})["parts"] for name in names):
        numbers = {"gain": None, "standard_error": None}
        return make_claim(claim, difference, numbers, sentence="pilot_gap", source=source)
    scores = [pilots[name]["parts"][part] for name in names]
    first, second = (100 * score[measure] for score in scores)
    sizes = [score.get("covered", score["total"]) for score in scores]
    error = 100 * math.sqrt(
        sum(s[measure] * (1 - s[measure]) / n for s, n in zip(scores, sizes, strict=True))
    )
    gain = sign * (first - second)
    return make_claim(
        claim,
        difference,
        {"gain": gain, "standard_error": error},
        {
            "first": Measured(first, 1),
            "second": Measured(second, 1),
            "gain": Measured(gain, 1),
            "error": Measured(error, 1),
        },
        sentence="pilot_gap",
        source=source,
        ours=gain,
    )


def _settings_table(pilots: Sequence[Mapping[str, Any]]) -> Table:
    """What is changed in each."""
    columns = (
        Column("pilot", "text"),
        Column("optimizer", "term"),
        Column("learning_rate", digits=4),
        Column("masked"),
        Column("single_sentences"),
        Column("layers"),
        Column("hidden_size"),
        Column("steps"),
        Column("seed"),
    )
    rows = [
        (
            pilot["name"],
            f"optimizer_{settings['optimizer']}",
            settings["learning_rate"],
            100 * settings["mlm_probability"],
            100 * settings["sentence_share"],
            settings["layers"],
            settings.get("hidden_size", NETWORK.hidden_size),
            settings["steps"],
            settings["seed"],
        )
        for pilot in pilots
        for settings in [pilot["settings"]]
    ]
    return Table("settings", columns, tuple(rows))


def _passages_table(pilots: Sequence[Mapping[str, Any]]) -> Table:
    """Held-out passages, tokens read, processor time."""
    columns = (
        Column("pilot", "text"),
        Column("tokens"),
        Column("loss", digits=2),
        Column("mlm_accuracy", digits=1),
        Column("nsp_accuracy", digits=1),
        Column("cpu_seconds"),
    )
    rows = [
        (
            pilot["name"],
            pilot["tokens"],
            pilot["scores"].get("heldout_mlm_loss"),
            _percent(pilot["scores"].get("heldout_mlm_accuracy")),
            _percent(pilot["scores"].get("heldout_sentence_accuracy")),
            pilot["cpu_seconds"],
        )
        for pilot in pilots
    ]
    return Table("passages", columns, tuple(rows))


def _scores_table(pilots: Sequence[Mapping[str, Any]]) -> Table:
    """The parts, a row a pilot."""
    columns = (
        Column("pilot", "text"),
        Column("first_guess", digits=1),
        Column("among_five", digits=1),
        Column("answer_loss", digits=2),
        Column("copies", digits=1),
        Column("everyday_three"),
        Column("blimp", digits=1),
        Column("blimp_error", digits=1),
        Column("wic_en", digits=1),
    )
    rows: list[tuple[Cell, ...]] = []
    for pilot in pilots:
        short, blimp, words = (
            pilot["parts"].get(name, {}) for name in ("short_en", "blimp_en", "wic_en")
        )
        everyday = pilot["parts"].get("everyday", {}).get("groups", {}).get(LANGUAGE, {})
        rows.append(
            (
                pilot["name"],
                _percent(short.get("top1")),
                _percent(short.get("top5")),
                short.get("loss"),
                _percent(short.get("copies")),
                _percent(everyday.get("top3")),
                _percent(blimp.get("accuracy")),
                _percent(blimp.get("standard_error")),
                _percent(words.get("accuracy")),
            )
        )
    return Table("scores", columns, tuple(rows))


def _short_series(pilots: Sequence[Mapping[str, Any]]) -> Iterator[Series]:
    """Yield the shares of first guesses that are right and that repeat a word."""
    asked = [pilot for pilot in pilots if "short_en" in pilot["parts"]]
    names = tuple(pilot["name"] for pilot in asked)
    for measure in ("top1", "copies") if asked else ():
        values = tuple(_percent(pilot["parts"]["short_en"][measure]) for pilot in asked)
        yield Series(f"short_{measure}", names, values)


def _percent(share: float | None) -> float | None:
    """A share in percent."""
    return None if share is None else 100 * share


def with_earlier(pilots: Sequence[dict[str, Any]], file: Path) -> list[dict[str, Any]]:
    """Return pilots with those of an earlier result that are not among them, in the order of `PILOTS`.

    An earlier one keeps its own commit and day: its run is gone, its scores are not.
    """
    if not file.exists():
        return list(pilots)
    known = {pilot["name"]: pilot for pilot in pilots}
    earlier: Any = read_json(file)["measurements"]
    origin = {key: earlier[key] for key in ("commit", "created") if key in earlier}
    for pilot in earlier["pilots"]:
        known.setdefault(pilot["name"], origin | pilot)
    return [known[name] for name in NAMES if name in known]


def main() -> None:
    """Train the pilots that are asked for and not complete, score all that are, write the result."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--mirror", type=Path, default=os.environ.get("KLYUCH_MIRROR"))
    ask.add_argument("--language-folder", type=Path, required=True, help="holds ids and vectors")
    ask.add_argument("--work", type=Path, required=True, help="kept between runs")
    ask.add_argument("--scores", type=Path, help="where scores are kept; WORK/scores")
    ask.add_argument("--only", nargs="*", choices=NAMES, default=list(NAMES))
    ask.add_argument("--no-training", action="store_true", help="take complete runs alone")
    ask.add_argument("--kept", action="store_true", help="score nothing: what is kept alone")
    ask.add_argument("--output", type=Path, default=RESULTS / "pretraining_pilots.json")
    asked = ask.parse_args()
    if asked.mirror is None:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation and corpora.")
    mirror, folder = Path(asked.mirror), asked.scores or asked.work / "scores"
    for pilot in PILOTS:
        run = asked.work / pilot.name
        if pilot.name in asked.only and not asked.no_training and not is_complete(run):
            train(pilot, asked.language_folder, asked.work)
    complete = [pilot for pilot in PILOTS if is_complete(asked.work / pilot.name)]
    for pilot in complete:
        check_settings(pilot, asked.work / pilot.name)
    short = short_files(folder, {LANGUAGE: asked.language_folder / "ids"}, mirror / "corpora")
    parts = list(parts_of((LANGUAGE,), mirror, short, PAIRS))
    pilots = []
    for number, pilot in enumerate(complete, 1):
        run = asked.work / pilot.name
        entry = Entry(pilot.name, "network", "bert", LANGUAGE, run / "model")
        asks = parts if pilot.fills else [part for part in parts if part.name in WORD_SETS]
        scores = score_network(entry, asks, folder, lambda *_: None, only_kept=asked.kept)
        pilots.append(measured_pilot(pilot, asked.work, scores))
        print(f"{pilot.name}: scored, {number} of {len(complete)}", flush=True)
    pilots = with_earlier(pilots, asked.output)
    measured: Measurements = {
        "command": "KLYUCH_MIRROR=FOLDER python -m benchmarks.research.pretraining_pilots --language-folder LANGUAGE --work WORK",
        "commit": source_commit(),
        "machine": machine(),
        "created": time.strftime("%Y-%m-%d"),
        "seconds": round(sum(pilot["wall_seconds"] or 0 for pilot in pilots), 1),
        "pilots": pilots,
    }
    write_results(asked.output, pilots_experiment(measured), measured)


if __name__ == "__main__":
    main()
