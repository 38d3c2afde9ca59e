"""Networks timed in turn on one batch, so that a busy machine treats them alike."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.models.heads import PretrainingNetwork
from embeddings.pretraining.packing import SpecialIds, pack
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.pretraining.sentence_pairs import Segments, draw_pairs
from embeddings.runtime import choose_runtime
from embeddings.training.batches import Batch, batch_sums, make_batch, run_network
from embeddings.training.optimisation import LoopConfig, make_optimizer

ROWS, LENGTH, LONGEST = 16, 128, 64
WARM_UP = 2  # steps that are not counted


@dataclass(frozen=True, slots=True)
class Rates:
    """Real tokens a second of each repetition: scored without a gradient, and trained."""

    forward: NDArray[np.float64]
    training: NDArray[np.float64]


def clock() -> float:
    """The processor's own seconds where one thread computes, else those of the clock."""
    return time.process_time() if torch.get_num_threads() == 1 else time.perf_counter()


def one_batch(corpus: PreparedCorpus, objective: str) -> tuple[Batch, int]:
    """The same masked rows for every network, and how many real tokens they hold."""
    everything = np.arange(len(corpus.document_source))
    generator = np.random.default_rng(1)
    segments = Segments.of(corpus, LONGEST)
    pairs = draw_pairs(corpus, segments, everything, objective, generator)
    few = pairs.take(slice(0, 4 * ROWS))
    rows = pack(corpus, few, LENGTH, SpecialIds(), generator).rows(0, ROWS)
    noise = torch.rand(3, *rows.ids.shape, generator=torch.Generator().manual_seed(1))
    return make_batch(rows, noise, 0.15, corpus.vocab_size, SpecialIds()), rows.tokens


def both_losses(network: PretrainingNetwork, batch: Batch) -> Tensor:
    """Mean over masked tokens plus mean over pairs."""
    sums = batch_sums(run_network(network, batch), batch)
    return sums[0] / sums[4] + sums[2] / sums[6]


def rates(
    networks: Sequence[PretrainingNetwork], batch: Batch, tokens: int, steps: int
) -> list[Rates]:
    """Rates of every network; they take their steps in turn, and are no longer what they were."""
    optimizers = [make_optimizer(network, LoopConfig()) for network in networks]
    forward, training = np.zeros((2, steps, len(networks)))
    for step in range(-WARM_UP, steps):
        for place, network in enumerate(networks):
            taken = _forward(network, batch), _step(network, optimizers[place], batch)
            if step >= 0:
                forward[step, place], training[step, place] = taken
    return [
        Rates(tokens / forward[:, place], tokens / training[:, place])
        for place in range(len(networks))
    ]


def _forward(network: PretrainingNetwork, batch: Batch) -> float:
    """Seconds of one pass without a gradient."""
    begun = clock()
    with torch.inference_mode(), choose_runtime("cpu").autocast():
        both_losses(network, batch)
    return clock() - begun


def _step(network: PretrainingNetwork, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    """Seconds of one step of training."""
    begun = clock()
    with choose_runtime("cpu").autocast():
        loss = both_losses(network, batch)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return clock() - begun
