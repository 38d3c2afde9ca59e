"""What the experiments of the Lab share: one corpus, arms that resume where they stopped, one shape of results.

Differences between networks with their standard errors: paired over the same held-out rows, then over seeds.
Networks timed in turn on one batch, so that a busy machine treats them alike.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.result_files import Measurements, write_results
from benchmarks.source_tree import source_commit
from embeddings.cli.output import progress_bar
from embeddings.corpora.text_files import documents, paragraphs
from embeddings.files import atomic_file
from benchmarks.verdict_rules import difference
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.bert_config import NetworkConfig
from embeddings.files import WEIGHTS
from embeddings.networks.huggingface_folder import load_weights, read_weights
from embeddings.networks.huggingface_names import from_huggingface
from embeddings.pretraining.packing import Packed, SpecialIds, pack_pairs
from embeddings.pretraining.prepared_corpus import PreparedCorpus, prepare_corpus
from embeddings.pretraining.sentence_pairs import Segments, draw_pairs
from embeddings.lab.experiment import Experiment
from embeddings.runtime import Machine, choose_runtime
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece
from embeddings.run_folder import read_progress
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.pretraining.pretraining_task import (
    PretrainingBatch,
    PretrainingConfig,
    RowScores,
    batch_sums,
    heldout_rows,
    make_pretraining_batch,
    run_network,
    score_rows,
)
from embeddings.training.tasks import Limits
from embeddings.model_card import machine


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference and its standard error."""

    value: float
    standard_error: float

    @property
    def verdict(self) -> str:
        """Whether it is above 0, by the rule of the Lab: "yes", "no", or "open" within two standard errors."""
        return difference(self.value, self.standard_error)

    def row(self) -> dict[str, Any]:
        """As plain values."""
        return {"value": round(self.value, 5), "standard_error": round(self.standard_error, 5)}


def loss_difference(
    first: Sequence[RowScores], second: Sequence[RowScores], kinds: Sequence[int]
) -> Difference:
    """Losses of ``first`` less those of ``second`` over the same rows, paired chunk by chunk; means over seeds.

    Parameters
    ----------
    kinds : sequence of int
        Which sums are added: 0 the tokens' loss, 1 tokens right, 2 the pairs' loss, 3 pairs right.
    """
    return _over_seeds([_paired(a, b, kinds) for a, b in zip(first, second, strict=True)])


def _paired(first: RowScores, second: RowScores, kinds: Sequence[int]) -> Difference:
    """Of one seed: the mean difference of chunks, weighted by what was scored in them."""
    total = 0.0
    each = np.zeros(len(first.sums))
    for kind in kinds:
        count = first.sums[:, 4 + kind]
        gap = first.sums[:, kind] - second.sums[:, kind]
        total += gap.sum() / count.sum()
        each += (gap - count * gap.sum() / count.sum()) / count.sum()
    chunks = len(each)
    square = float((each**2).sum()) * chunks / max(1, chunks - 1)
    return Difference(float(total), math.sqrt(square))


def _over_seeds(differences: Sequence[Difference]) -> Difference:
    """The mean over seeds; its error is the larger of the seeds' spread and the test set's own."""
    values = np.array([of_seed.value for of_seed in differences])
    test_error = math.sqrt(sum(of_seed.standard_error**2 for of_seed in differences)) / len(
        differences
    )
    spread = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Difference(float(values.mean()), max(test_error, spread))


ROWS, LENGTH, LONGEST = 16, 128, 64
WARM_UP = 2  # steps that are not counted


@dataclass(frozen=True, slots=True)
class StepRates:
    """Real tokens a second of each repetition: scored without a gradient, and trained."""

    forward: NDArray[np.float64]
    training: NDArray[np.float64]


def clock() -> float:
    """The processor's own seconds where one thread computes, else those of the clock."""
    return time.process_time() if torch.get_num_threads() == 1 else time.perf_counter()


def one_batch(corpus: PreparedCorpus, objective: str) -> tuple[PretrainingBatch, int]:
    """The same masked rows for every network, and how many real tokens they hold."""
    everything = np.arange(len(corpus.document_source))
    generator = np.random.default_rng(1)
    segments = Segments.of(corpus, LONGEST)
    pairs = draw_pairs(corpus, segments, everything, objective, generator)
    few = pairs.take(slice(0, 4 * ROWS))
    rows = pack_pairs(corpus, few, LENGTH, SpecialIds(), generator).rows(0, ROWS)
    noise = torch.rand(3, *rows.ids.shape, generator=torch.Generator().manual_seed(1))
    return make_pretraining_batch(rows, noise, 0.15, corpus.vocab_size, SpecialIds()), rows.tokens


def both_losses(network: PretrainingNetwork, batch: PretrainingBatch) -> Tensor:
    """Mean over masked tokens plus mean over pairs."""
    sums = batch_sums(run_network(network, batch), batch)
    return sums[0] / sums[4] + sums[2] / sums[6]


def rates(
    networks: Sequence[PretrainingNetwork], batch: PretrainingBatch, tokens: int, steps: int
) -> list[StepRates]:
    """Rates of every network; they take their steps in turn, and are no longer what they were."""
    optimizers = [make_optimizer(network, LoopConfig()) for network in networks]
    forward, training = np.zeros((2, steps, len(networks)))
    for step in range(-WARM_UP, steps):
        for number, network in enumerate(networks):
            taken = _forward(network, batch), _step(network, optimizers[number], batch)
            if step >= 0:
                forward[step, number], training[step, number] = taken
    return [
        StepRates(tokens / forward[:, number], tokens / training[:, number])
        for number in range(len(networks))
    ]


def _forward(network: PretrainingNetwork, batch: PretrainingBatch) -> float:
    """Seconds of one pass without a gradient."""
    begun = clock()
    with torch.inference_mode(), choose_runtime(CPU).autocast():
        both_losses(network, batch)
    return clock() - begun


def _step(
    network: PretrainingNetwork, optimizer: torch.optim.Optimizer, batch: PretrainingBatch
) -> float:
    """Seconds of one step of training."""
    begun = clock()
    with choose_runtime(CPU).autocast():
        loss = both_losses(network, batch)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return clock() - begun


TEXT = "en_wikipedia.1.txt"
VOCABULARY = 6_353  # that of Kazan 2019
CPU = Machine("cpu")

Row = dict[str, Any]
Curve = list[tuple[int, float]]


def arguments(about: str | None) -> argparse.Namespace:
    """The flags of an experiment's command."""
    ask = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mirror = os.environ.get("KLYUCH_MIRROR")
    corpora = Path(mirror) / "corpora" if mirror else None
    ask.add_argument("--corpora", type=Path, default=corpora, required=corpora is None)
    ask.add_argument("--work", type=Path, required=True, help="Kept: a stopped run goes on.")
    ask.add_argument("--short", action="store_true", help="Minutes on two cores, little learned.")
    ask.add_argument("--output", type=Path, help="Else benchmarks/results/EXPERIMENT.json.")
    return ask.parse_args()


def english(corpora: Path, work: Path, count: int, vocab_size: int = VOCABULARY) -> Path:
    """Folder of ids of the first ``count`` documents of the English Wikipedia; made where it is not there.

    The vocabulary is learned from the same text.
    """
    ids = work / "ids"
    if (ids / "prepared.json").exists():
        return ids
    archives = [corpora / name for name in (f"{TEXT}.xz", TEXT) if (corpora / name).exists()]
    if not archives:
        raise SystemExit(f"{corpora} holds no {TEXT}.xz")
    text = work / TEXT
    with atomic_file(text) as temporary, temporary.open("w", encoding="utf-8") as file:
        for document in islice(documents(archives[0]), count):
            file.write("\n".join(document) + "\n\n")
    config = WordPieceConfig(vocab_size=vocab_size)
    wordpiece = train_wordpiece(islice(paragraphs(text), 0, None, 3), config)
    with progress_bar() as report:
        prepare_corpus([text], wordpiece, ids, report)
    return ids


@dataclass(frozen=True, slots=True)
class Arm:
    """One network and its training; ``warm`` names vectors for the token embedding matrix."""

    name: str
    network: NetworkConfig
    training: PretrainingConfig
    warm: Path | None = None


def curves(name: str, lines: Iterable[Mapping[str, object]]) -> dict[str, Curve]:
    """Held-out scores by step, named ``ARM.SCORE``."""
    # a complete run that is opened again scores its end again
    by_step: dict[str, dict[int, float]] = {}
    for line in lines:
        for key in ("mlm_loss", "mlm_accuracy", "sentence_loss", "sentence_accuracy"):
            if (value := line.get(f"heldout_{key}")) is not None:
                step = int(str(line["step"]))
                by_step.setdefault(f"{name}.{key}", {})[step] = round(float(str(value)), 5)
    return {key: sorted(points.items()) for key, points in by_step.items()}


@dataclass(frozen=True, slots=True)
class TrainedArm:
    """What an arm came to; the curves are those of held-out rows."""

    network: PretrainingNetwork
    parameters: int
    tokens: int
    seconds: float
    curves: dict[str, Curve]


def train_arm(arm: Arm, ids: Path, work: Path, checkpoint_minutes: float = 1.0) -> TrainedArm:
    """Train an arm to its end, or resume it; one that is complete is only read."""
    run = work / arm.name
    with progress_bar() as report:
        limits = Limits(checkpoint_minutes=checkpoint_minutes, report=report)
        done = pretrain(
            ids,
            run,
            arm.network,
            arm.training,
            limits,
            machine=CPU,
            warm=arm.warm,
            tensorboard=False,
        )
    if not done.finished.complete:
        raise SystemExit(f"{arm.name} stopped at step {done.finished.step}; the command goes on")
    lines = read_progress(run)
    timed = [line for line in lines if "seconds" in line]
    last = max((run / "checkpoints").iterdir(), key=lambda path: path.name)
    config = replace(arm.network, vocab_size=PreparedCorpus.open(ids).vocab_size)
    network = PretrainingNetwork(config)  # float32, and shared as the arm says
    about = {"model_type": config.model_type}
    weights, _ = from_huggingface(read_weights(last / WEIGHTS), network, about, last)
    load_weights(network, weights, last)
    return TrainedArm(
        network,
        sum(p.numel() for p in network.parameters()),
        int(str(timed[-1]["tokens"])),
        float(str(timed[-1]["seconds"])),
        curves(arm.name, lines),
    )


@dataclass(frozen=True, slots=True)
class Test:
    """Held-out pairs that every arm is scored on at its end, under the same masks."""

    __test__ = False  # not one of pytest's

    rows: Packed
    vocab_size: int
    chunk: int

    @classmethod
    def of(cls, ids: Path, training: PretrainingConfig, objective: str, rows: int) -> Test:
        """Draw ``rows`` rows from the documents that ``training`` holds out."""
        corpus = PreparedCorpus.open(ids)
        heldout = corpus.split(training.heldout)[1]
        segments = Segments.of(corpus, training.max_tokens)
        shape = replace(training, objective=objective, heldout_rows=rows)
        drawn = heldout_rows(corpus, segments, heldout, shape, SpecialIds())
        assert drawn is not None
        return cls(drawn, corpus.vocab_size, training.rows)

    def score(self, network: PretrainingNetwork) -> tuple[RowScores, float]:
        """Scores, and the seconds that they took (`benchmarks.research.training_arms.clock`)."""
        runtime = choose_runtime(CPU)
        begun = clock()
        with torch.inference_mode(), runtime.autocast():
            scores = score_rows(
                network.eval(), self.rows, self.chunk, self.vocab_size, SpecialIds()
            )
        return scores, clock() - begun


def finding(name: str, source: float | None, ours: Difference) -> Row:
    """A difference that a source published (None: it did not), and ours."""
    return {"id": name, "source": source, "ours": ours.row()}


def rounded(values: Mapping[str, object], digits: int = 4) -> Row:
    """A row with floats cut to what is meant."""
    return {k: round(v, digits) if isinstance(v, float) else v for k, v in values.items()}


def spread(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return float(low), float(middle), float(high)


def write(
    path: Path,
    command: str,
    short: bool,
    results: Mapping[str, object],
    experiment: Callable[[Measurements], Experiment],
) -> None:
    """Write a result in the shape that the page Lab reads, and print its claims."""
    measured: Measurements = {
        "command": f"{command} --short" if short else command,
        "commit": source_commit(),
        "machine": f"{machine()}, {torch.get_num_threads()} threads used",
        "short": short,
        **results,
    }
    result = experiment(measured)
    write_results(path, result, measured)
    for claim in result.claims:
        sys.stdout.write(f"{claim.name}: {claim.verdict} {dict(claim.numbers)}\n")
