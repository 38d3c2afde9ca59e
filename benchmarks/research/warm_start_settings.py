"""The warm start's settings: deviation of the vectors, a table frozen at first, other shares of masked tokens.

Run: OMP_NUM_THREADS=1 python -m benchmarks.research.warm_start_settings --prepared IDS --vectors VECTORS --work WORK [--only ARM ...]
IDS is what `klyuch bert prepare` wrote, VECTORS what `klyuch wordpiece vectors` did. Each arm is the shipped BERT's network for a short
budget of steps with its own decay, one seed; all are scored on the same held-out rows with the same 15 % of their tokens masked. An arm
that is complete is only scored. Writes the list "settings" of benchmarks/results/warm_start.json. Some three minutes an arm on one core.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from benchmarks.result_files import RESULTS, Measurements, about, read_results, write_results
from benchmarks.source_tree import source_commit
from benchmarks.verdict_rules import larger, make_claim
from embeddings.networks.bert_config import BertConfig
from embeddings.networks.huggingface_folder import open_network
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.lab.experiment import Claim, Column, Drawing, Experiment, Measured, Series, Table
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.pretraining.pretraining_task import Pretraining
from embeddings.training.tasks import Limits
from embeddings.model_card import machine

RESULT = RESULTS / "warm_start.json"
QUESTION = "Do word vectors help a BERT at the start?"
SOURCES = {"warm_table": "Kim et al. 2024"}
STORY = ("scratch_32_rows", "table_32_rows", "table", "table_head", "half_handing_on", "cbow")
NETWORK = BertConfig(
    hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024
)
PLAIN = PretrainingConfig(
    steps=600,
    learning_rate=7e-4,
    warmup=0.05,
    rows=8,
    row_length=256,
    evaluate_every=0,
    log_every=50,
)
ARMS: dict[str, dict[str, float]] = {
    "as_it_is": {},
    "deviation_002": {"warm_scale": 0.02},
    "deviation_008": {"warm_scale": 0.08},
    "frozen_200": {"freeze_steps": 200},
    "frozen_400": {"freeze_steps": 400},
    "masked_20": {"mlm_probability": 0.2},
    "masked_30": {"mlm_probability": 0.3},
    "masked_40": {"mlm_probability": 0.4},
}


def run(
    name: str, prepared: Path, vectors: Path, work: Path, commit: str | None
) -> dict[str, object]:
    """Pretrain one arm, or resume it, and score it as all are scored."""
    config = replace(PLAIN, **ARMS[name])  # type: ignore[arg-type]
    done = pretrain(prepared, work / name, NETWORK, config, Limits(), warm=vectors)
    pieces = Tokenizer.load(prepared)
    special = SpecialIds.of(pieces)
    corpus, scored = PreparedCorpus.open(prepared), replace(PLAIN, objective="nsp")
    task = Pretraining(corpus, scored, special, torch.device("cpu"))
    with torch.no_grad():
        scores = task.evaluate(open_network(done.folder))
    return {
        "name": name,
        **ARMS[name],
        "steps": config.steps,
        "tokens": done.tokens,
        "heldout_mlm_loss": round(scores["heldout_mlm_loss"], 4),
        "heldout_mlm_accuracy": round(scores["heldout_mlm_accuracy"], 4),
        "commit": commit,
        "machine": machine(),
    }


@dataclass(frozen=True, slots=True)
class Curve:
    """Values ``y`` at growing places ``x``."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    def at(self, position: float) -> float:
        """The value at a place, that of the nearest end outside.

        Examples
        --------
        >>> Curve((0, 10), (4, 2)).at(5)
        3.0
        """
        return float(np.interp(position, self.x, self.y))

    def falls_to(self, value: float) -> float | None:
        """The first place where the curve is at or below a value, None if it never is.

        Examples
        --------
        >>> Curve((0, 10, 20), (4, 2, 1)).falls_to(3)
        5.0
        """
        if self.y[0] <= value:
            return self.x[0]
        for (x0, y0), (x1, y1) in pairwise(zip(self.x, self.y, strict=True)):
            if y1 <= value:
                return float(x0 + (x1 - x0) * (y0 - value) / (y0 - y1))
        return None


def warm_start_experiment(measured: Measurements) -> Experiment:
    """Return the starts, their curves, whether the vectors helped, and other settings."""
    arms = {arm["name"]: arm for arm in measured["arms"]}
    curves = {
        name: Curve(
            tuple(point["tokens"] for point in arm["curve"]),
            tuple(point["mlm_loss"] for point in arm["curve"]),
        )
        for name, arm in arms.items()
    }
    common = min(curve.x[-1] for curve in curves.values())
    rows = tuple(
        (
            f"start_{name}",
            arms[name]["learning_rate"],
            arms[name]["rows"],
            curve.at(common),
            curve.x[-1],
            curve.y[-1],
        )
        for name, curve in curves.items()
    )
    columns = (
        Column("start", "term"),
        Column("learning_rate", digits=4),
        Column("rows_a_step"),
        Column("loss_common", digits=2),
        Column("tokens"),
        Column("loss_end", digits=2),
    )
    series = tuple(
        Series(f"start_{name}", tuple(x / 1e6 for x in curve.x), curve.y, main=name in STORY)
        for name, curve in curves.items()
    )
    return Experiment(
        "warm_start",
        QUESTION,
        (
            _lower(measured, curves, "warm_table", "scratch_32_rows", "table_32_rows"),
            _lower(measured, curves, "warm_cbow", "table", "cbow"),
        ),
        (Table("starts", columns, rows), *_settings_table(measured)),
        (Drawing("starts", "lines", "tokens", "loss", series),),
        **about(measured, "warm_start"),
    )


def _settings_table(measured: Measurements) -> tuple[Table, ...]:
    """What other settings of the warm start bring, scored on the same masks; nothing where they were not run."""
    if not measured.get("settings"):
        return ()
    columns = (
        Column("warm_setting", "term"),
        Column("tokens"),
        Column("loss", digits=2),
        Column("mlm_accuracy", digits=1),
    )
    rows = tuple(
        (
            f"warm_{arm['name']}",
            arm["tokens"],
            arm["heldout_mlm_loss"],
            100 * arm["heldout_mlm_accuracy"],
        )
        for arm in measured["settings"]
    )
    return (Table("warm_settings", columns, rows),)


def _lower(
    measured: Measurements, curves: Mapping[str, Curve], claim: str, slow: str, fast: str
) -> Claim:
    """Whether one start has a lower loss than another where both have seen as many tokens.

    ``share`` is the percentage of the slow start's tokens after which the fast one has its last loss.
    """
    source = SOURCES.get(claim, "")
    if slow not in curves or fast not in curves:
        return make_claim(claim, larger, {"first": None, "second": None}, source=source)
    rates = {arm["name"]: arm["learning_rate"] for arm in measured["arms"]}
    common = min(curves[slow].x[-1], curves[fast].x[-1])
    before, after = curves[slow].at(common), curves[fast].at(common)
    reached = curves[fast].falls_to(curves[slow].y[-1])
    share = None if reached is None else 100 * reached / curves[slow].x[-1]
    fields = {
        "tokens": Measured(common / 1e6, 2),
        "slow": Measured(before, 2),
        "fast": Measured(after, 2),
        "share": Measured(share),
        "slow_rate": Measured(rates[slow], 4),
        "fast_rate": Measured(rates[fast], 4),
    }
    numbers = {"first": before, "second": after}
    return make_claim(claim, larger, numbers, fields, ours=before - after)


def main() -> None:
    """Run the arms that are asked for and put them beside those that are known."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--prepared", type=Path, required=True)
    ask.add_argument("--vectors", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("--only", nargs="*", choices=list(ARMS), default=list(ARMS))
    options = ask.parse_args()
    commit = source_commit()
    for name in options.only:
        result = run(name, options.prepared, options.vectors, options.work, commit)
        measured = read_results("warm_start")
        by_name = {arm["name"]: arm for arm in measured.get("settings", ())}
        by_name[name] = result
        measured["settings"] = [by_name[arm] for arm in ARMS if arm in by_name]
        write_results(RESULT, warm_start_experiment(measured), measured)
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
