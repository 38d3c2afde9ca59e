"""Pretraining speed against transformers' BertForPreTraining.

The same pairs, masks, weights and optimiser, both in bf16, steps taken in turn; medians are held against medians.

Run: python -m benchmarks.bert_speed  (about three minutes; writes
benchmarks/results/bert_speed.json)
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import torch
import transformers
from torch import Tensor, nn

from benchmarks.result_files import RESULTS, Measurements
from benchmarks.source_tree import source_commit
from benchmarks.speed import Race, Timed, in_turn, read_load, write_races
from embeddings.networks.bert import PretrainingNetwork, new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.networks.huggingface_folder import save_network
from embeddings.pretraining.packing import Packed, SpecialIds, pack_pairs
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.pretraining.sentence_pairs import Pairs
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer
from embeddings.training.pretraining.pretraining_task import (
    PretrainingBatch,
    batch_sums,
    make_pretraining_batch,
    run_network,
)

VOCABULARY, LENGTH, PAIRS, ROW = 32_000, 128, 64, 256
QUESTION = "How fast is a BERT pretrained?"
PAUSE = 0.2  # seconds in which others are watched before each step


def batch_of_pairs(seed: int, vocabulary: int = VOCABULARY) -> Packed:
    """Pack 64 pairs of 64 to 128 tokens, which fill three quarters of a padded row on average."""
    generator = np.random.default_rng(seed)
    lengths = generator.integers(64, LENGTH + 1, PAIRS) - 3
    first = lengths // 2
    starts = np.cumsum(lengths) - lengths
    ids = generator.integers(5, vocabulary, int(lengths.sum()))
    ends, one = np.array([0, len(ids)]), np.array([0, 1])
    corpus = PreparedCorpus(ids, ends, one, np.zeros(1, np.int64), (), vocabulary)
    labels = generator.integers(0, 2, PAIRS)
    source = np.zeros(PAIRS, np.int64)
    pairs = Pairs(starts, first, starts + first, lengths - first, labels, source)
    return pack_pairs(corpus, pairs, ROW, SpecialIds())


def theirs_from(batch: PretrainingBatch, packed: Packed) -> dict[str, Tensor]:
    """The masked batch of ours, one pair a row, padded to 128."""
    size = (PAIRS, LENGTH)
    out = {
        "input_ids": torch.zeros(size, dtype=torch.long),
        "token_type_ids": torch.zeros(size, dtype=torch.long),
        "attention_mask": torch.zeros(size, dtype=torch.long),
        "labels": torch.full(size, -100),
    }
    targets = torch.full((batch.input_ids.numel(),), -100)
    targets[batch.scored] = batch.targets
    targets = targets.view_as(batch.input_ids)
    number = 0
    for row in range(len(packed)):
        for block in range(1, int(packed.blocks[row].max()) + 1):
            in_block = torch.from_numpy(packed.blocks[row] == block)
            length = int(in_block.sum())
            out["input_ids"][number, :length] = batch.input_ids[row, in_block]
            out["token_type_ids"][number, :length] = batch.token_type_ids[row, in_block]
            out["attention_mask"][number, :length] = 1
            out["labels"][number, :length] = targets[row, in_block]
            number += 1
    return out | {"next_sentence_label": batch.labels}


def their_network(ours: PretrainingNetwork) -> nn.Module:
    """Return transformers' network with our weights."""
    with tempfile.TemporaryDirectory() as folder:
        save_network(ours, Path(folder))
        return transformers.BertForPreTraining.from_pretrained(folder)


def our_loss(network: nn.Module, batch: PretrainingBatch) -> Tensor:
    """Mean over masked tokens plus mean over pairs, as transformers adds them."""
    sums = batch_sums(run_network(network, batch), batch)
    return sums[0] / sums[4] + sums[2] / sums[6]


def step(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    loss: Callable[[], Tensor],
    clock: Callable[[], float],
) -> float:
    """Seconds of one training step."""
    begun = clock()
    with torch.autocast("cpu", torch.bfloat16):
        value = loss()
    value.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return clock() - begun


def both_losses(
    ours: PretrainingNetwork, theirs: nn.Module, batch: PretrainingBatch, inputs: dict[str, Tensor]
) -> dict[str, tuple[float, float]]:
    """Ours and theirs on the same batch, in both formats; refused unless they agree within rounding."""
    losses = {}
    with torch.no_grad():
        for name, bound in (("float32", 1e-4), ("bfloat16", 2e-2)):
            with torch.autocast("cpu", torch.bfloat16, enabled=name == "bfloat16"):
                pair = (our_loss(ours, batch).item(), theirs(**inputs).loss.item())
            if abs(pair[0] - pair[1]) > bound:
                raise SystemExit(f"losses differ in {name}: {pair}")
            losses[name] = pair
    return losses


def without_dropout(network: nn.Module) -> nn.Module:
    """Switch dropout off; ours has none either."""
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return network.train()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--compile", action="store_true", help="torch.compile our encoder")
    parser.add_argument("--busy", action="store_true", help="CPU seconds of one thread, not wall")
    arguments = parser.parse_args()
    if arguments.busy:
        torch.set_num_threads(1)
    clock = time.process_time if arguments.busy else time.perf_counter
    ours = new_network(BertConfig(vocab_size=VOCABULARY, max_position_embeddings=LENGTH)).train()
    theirs = without_dropout(their_network(ours))
    packed = batch_of_pairs(1)
    noise = torch.rand(3, *packed.ids.shape, generator=torch.Generator().manual_seed(1))

    def fresh() -> PretrainingBatch:
        return make_pretraining_batch(packed, noise, 0.15, VOCABULARY, SpecialIds())

    batch = fresh()
    inputs = theirs_from(batch, packed)
    losses = both_losses(ours, theirs, batch, inputs)
    if arguments.compile:
        ours.encoder.compile(dynamic=False)
    optimizers = [make_optimizer(n, LoopConfig()) for n in (ours, theirs)]
    programs = {
        "ours": lambda: {
            "seconds": step(ours, optimizers[0], lambda: our_loss(ours, fresh()), clock)
        },
        "transformers": lambda: {
            "seconds": step(theirs, optimizers[1], lambda: theirs(**inputs).loss, clock)
        },
    }
    for _ in range(2):  # not counted
        for run in programs.values():
            run()
    timed = in_turn(programs, arguments.steps, load=partial(read_load, PAUSE))
    report(packed.tokens, timed, losses, arguments)


def races(measured: Measurements) -> list[Race]:
    """Against transformers."""
    rates = [measured[f"{system}_tokens_per_second"] / 1e3 for system in ("ours", "transformers")]
    return [Race("bert", "", "transformers", "k tokens/s", *rates, "same_steps")]


def report(
    tokens: int, timed: Timed, losses: dict[str, tuple[float, float]], arguments: argparse.Namespace
) -> None:
    """Print the result, and keep it."""
    flags = [name for name in ("compile", "busy") if getattr(arguments, name)]
    result: Measurements = {
        "network": "4 layers, hidden 256, 4 heads, vocabulary 32000; 64 pairs of 95 tokens",
        "tokens_a_step": tokens,
        "steps": len(timed.counted),
        "ours_tokens_per_second": round(tokens / timed.median("ours"), 1),
        "transformers_tokens_per_second": round(tokens / timed.median("transformers"), 1),
        "ratio": round(timed.ratio("transformers", "ours"), 3),
        "ratio_quartiles": timed.ratio_quartiles("transformers", "ours"),
        "load": timed.load(),
        "rounds": timed.rows(),
        "losses_ours_theirs": losses,
        "clock": "CPU seconds of one thread" if arguments.busy else "wall",
        "machine": f"{torch.get_num_threads()} threads, {platform.machine()}",
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "command": " ".join(["python -m benchmarks.bert_speed", *(f"--{f}" for f in flags)]),
        "commit": source_commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    print(json.dumps(result, indent=2))
    name = "_".join(["bert_speed", *flags])
    write_races(RESULTS / f"{name}.json", QUESTION, races(result), result)


if __name__ == "__main__":
    main()
