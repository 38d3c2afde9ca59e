"""How long training steps of a network take on this machine, on random tokens.

Random tokens take as long as text does: masking, both losses, the backward pass and the optimiser are those of a pretraining.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import NetworkConfig
from embeddings.pretraining.packing import Packed, SpecialIds
from embeddings.runtime import Machine, choose_runtime
from embeddings.training.optimisation import make_optimizer
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_task import (
    batch_sums,
    make_pretraining_batch,
    run_network,
)


def timed_steps(network_config: NetworkConfig, config: PretrainingConfig, steps: int) -> float:
    """Return the seconds of some training steps of a fresh network; one more before them, which also allocates, is not timed."""
    runtime = choose_runtime(Machine())
    network = new_network(network_config).to(runtime.device).train()
    optimizer = make_optimizer(network, config)
    packed = random_rows(config, network_config.vocab_size)
    generator = torch.Generator(runtime.device)
    noise = torch.rand(3, *packed.ids.shape, generator=generator, device=runtime.device)
    ends: list[float] = []
    for _ in range(1 + steps):
        with runtime.autocast():
            batch = make_pretraining_batch(
                packed, noise, config.mlm_probability, network_config.vocab_size, SpecialIds()
            )
            sums = batch_sums(run_network(network, batch), batch)
            loss = sums[0] / sums[4] + sums[2] / sums[6]
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), config.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        loss.item()  # waits for a device
        ends.append(time.perf_counter())
    return ends[-1] - ends[0]


def random_rows(config: PretrainingConfig, vocab_size: int) -> Packed:
    """Return a batch of random tokens, in sequences of half a row or of the longest that is allowed."""
    length = min(config.row_length // 2, config.max_tokens)
    sequences = config.row_length // length
    rows, tokens = config.rows, sequences * length
    generator = np.random.default_rng(config.seed)
    pairs = rows * sequences
    places = np.broadcast_to(np.arange(tokens), (rows, tokens))
    return Packed(
        ids=generator.integers(len(SpecialIds().ordered), vocab_size, (rows, tokens), np.int32),
        segments=np.zeros((rows, tokens), np.uint8),
        positions=(places % length).astype(np.int16),
        blocks=(places // length + 1).astype(np.int16),
        first=np.arange(pairs, dtype=np.int64) * length,
        label=np.arange(pairs, dtype=np.int64) % 2,
        source=np.zeros(pairs, np.int64),
        ordinary=np.full(pairs, length, np.int64),
        bounds=sequences * np.arange(rows + 1, dtype=np.int64),
    )
