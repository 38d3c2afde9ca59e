"""The warm start's settings: deviation of the vectors, a table frozen at first, other shares of masked tokens.

Run: OMP_NUM_THREADS=1 python -m benchmarks.warm_start --prepared IDS --vectors VECTORS --work WORK [--only ARM ...]
IDS is what `klyuch bert prepare` wrote, VECTORS what `klyuch wordpiece vectors` did. Each arm is the shipped BERT's network for a short
budget of steps with its own decay, one seed; all are scored on the same held-out rows with the same 15 % of their tokens masked. An arm
that is complete is only scored. Writes the list "settings" of benchmarks/results/warm_start.json. Some three minutes an arm on one core.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import torch

from embeddings.files import read_json, write_json
from embeddings.models.bert_config import BertConfig
from embeddings.models.network_folder import open_network
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.text.wordpiece import WordPiece
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.pretraining.pretraining_task import Pretraining, PretrainingConfig
from embeddings.training.tasks import Limits
from embeddings.vectors.formats.card import current_commit, machine

RESULT = Path(__file__).parent / "results" / "warm_start.json"
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
    """Pretrain one arm, or go on with it, and score it as all are scored."""
    config = replace(PLAIN, **ARMS[name])  # type: ignore[arg-type]
    done = pretrain(prepared, work / name, NETWORK, config, Limits(), warm=vectors)
    pieces = WordPiece.load(prepared)
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


def main() -> None:
    """Run the arms that are asked for and put them beside those that are known."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--prepared", type=Path, required=True)
    ask.add_argument("--vectors", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("--only", nargs="*", choices=list(ARMS), default=list(ARMS))
    said = ask.parse_args()
    commit = current_commit()  # before results are written into the tree
    for name in said.only:
        found = run(name, said.prepared, said.vectors, said.work, commit)
        told = read_json(RESULT)
        known = {str(arm["name"]): arm for arm in told.get("settings", ())}  # type: ignore[attr-defined]
        known[name] = found
        write_json(RESULT, {**told, "settings": [known[arm] for arm in ARMS if arm in known]})
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
