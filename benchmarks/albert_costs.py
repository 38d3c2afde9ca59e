"""What each form of the small network costs: counted, and timed in tokens a second; the published sizes by formula."""

from __future__ import annotations

import time
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from benchmarks.albert_source import PUBLISHED, SHARED, SOURCE, WIDTHS
from benchmarks.experiments import Row, finding, rounded, spread
from embeddings.analysis.costs import PRESETS, SHARING, Sizes, operations, parameters
from embeddings.models.config import AlbertConfig
from embeddings.models.heads import PretrainingNetwork, new_network
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.pretraining.stream import RowStream, StreamConfig
from embeddings.runtime import choose_runtime
from embeddings.training.batches import Batch, batch_sums, make_batch, run_network
from embeddings.training.memory import kept_bytes, weight_bytes
from embeddings.training.optimisation import LoopConfig, make_optimizer

ROWS, LENGTH, LONGEST = 16, 128, 64
PUBLISHED_LENGTH = 512


def cost_rows(base: AlbertConfig, ids: Path, steps: int) -> list[Row]:
    """A row for each way of sharing and each width of the token table; steps are taken in turn."""
    corpus = PreparedCorpus.open(ids)
    batch, tokens = _batch(corpus)
    base = replace(base, vocab_size=corpus.vocab_size)
    configs = [
        replace(base, share_layers=share, embedding_size=width)
        for width in WIDTHS
        for share in SHARED
    ]
    networks = [new_network(config) for config in configs]
    optimizers = [make_optimizer(network, LoopConfig()) for network in networks]
    forward = np.zeros((steps, len(networks)))
    training = np.zeros((steps, len(networks)))
    for step in range(-2, steps):  # two to warm up
        for place, network in enumerate(networks):
            times = _forward(network, batch), _step(network, optimizers[place], batch)
            if step >= 0:
                forward[step, place], training[step, place] = times
    return [
        _row(config, network, batch, tokens / forward[:, place], tokens / training[:, place])
        for place, (config, network) in enumerate(zip(configs, networks, strict=True))
    ]


def _batch(corpus: PreparedCorpus) -> tuple[Batch, int]:
    """One masked batch, and its real tokens."""
    everything = np.arange(len(corpus.document_source))
    stream = RowStream(corpus, everything, StreamConfig("sop", LONGEST, LENGTH), SpecialIds())
    rows = stream.take(ROWS)
    noise = torch.rand(3, *rows.ids.shape, generator=torch.Generator().manual_seed(1))
    return make_batch(rows, noise, 0.15, corpus.vocab_size, SpecialIds()), rows.tokens


def _loss(network: PretrainingNetwork, batch: Batch) -> Tensor:
    """Both mean losses."""
    sums = batch_sums(run_network(network, batch), batch)
    return sums[0] / sums[4] + sums[2] / sums[6]


def _forward(network: PretrainingNetwork, batch: Batch) -> float:
    """Seconds of one pass without a gradient."""
    begun = time.perf_counter()
    with torch.inference_mode(), choose_runtime("cpu").autocast():
        _loss(network, batch)
    return time.perf_counter() - begun


def _step(network: PretrainingNetwork, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    """Seconds of one step of training."""
    begun = time.perf_counter()
    with choose_runtime("cpu").autocast():
        loss = _loss(network, batch)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return time.perf_counter() - begun


def _row(
    config: AlbertConfig,
    network: PretrainingNetwork,
    batch: Batch,
    forward: np.ndarray,
    training: np.ndarray,
) -> Row:
    """Counts and rates of one network; rates are medians, with the quartiles of training."""
    sizes = sizes_of(config)
    built = sum(p.numel() for p in network.parameters())
    counted = parameters(sizes)
    assert built == counted.total + counted.heads, "the formula and the built network differ"
    rest, learning = weight_bytes(built)
    low, middle, high = spread(training)
    return rounded(
        {
            "shared": config.share_layers,
            "embedding_size": config.embedding_size,
            "hidden_size": config.hidden_size,
            "layers": config.num_hidden_layers,
            "parameters": built,
            "operations": operations(sizes, LONGEST).total,
            "weight_bytes": rest,
            "training_weight_bytes": learning,
            "activation_bytes": kept_bytes(lambda: _loss(network, batch), network.parameters()),
            "forward_tokens_per_second": round(spread(forward)[1]),
            "training_tokens_per_second": round(middle),
            "training_quartiles": [round(low), round(high)],
        }
    )


def sizes_of(config: AlbertConfig) -> Sizes:
    """The part of a configuration that decides its costs."""
    values = asdict(config)
    return Sizes(**{field.name: values[field.name] for field in fields(Sizes)})


def published_rows() -> list[Row]:
    """Parameters and operations of the sizes that S4 tells of, and of its table 8.3, by formula at its vocabulary."""
    large = operations(_published("bert-large"), PUBLISHED_LENGTH).total
    rows: list[Row] = []
    for name in PUBLISHED:
        sizes = _published(name)
        total = operations(sizes, PUBLISHED_LENGTH).total
        rows.append(_published_row(name, sizes, large / total))
    for width in (128, 768):
        for share in reversed(SHARING):
            sizes = replace(_published("albert-base"), embedding_size=width, share_layers=share)
            total = operations(sizes, PUBLISHED_LENGTH).total
            rows.append(_published_row("albert-base", sizes, large / total))
    return rows


def _published(name: str) -> Sizes:
    """A preset with the 30 000 tokens of S4's table."""
    return replace(PRESETS[name], vocab_size=30_000)


def _published_row(name: str, sizes: Sizes, ratio: float) -> Row:
    """``operations_against_bert_large``: how many times fewer."""
    return {
        "network": name,
        "embedding_size": sizes.width,
        "shared": sizes.share_layers,
        "parameters": parameters(sizes).total,
        "operations_against_bert_large": round(ratio, 2),
    }


def throughput_findings(rows: list[Row]) -> list[Row]:
    """Sharing and the narrow table save parameters; whether they also save time."""
    by = {(row["shared"], row["embedding_size"]): row for row in rows}
    all_, none = by["all", 128], by["none", 128]
    told = SOURCE["sharing"]
    assert isinstance(told, list)
    theirs = {(row["shared"], row["embedding_size"]): row["parameters_millions"] for row in told}
    order = [by[share, 128]["parameters"] for share in ("all", "feed_forward", "attention", "none")]
    rates = SOURCE["throughput_against_bert_large"]
    assert isinstance(rates, dict)
    faster = all_["training_tokens_per_second"] / none["training_tokens_per_second"]
    apart: bool | str = "unclear"
    if all_["training_quartiles"][0] > none["training_quartiles"][1]:
        apart = True
    if all_["training_quartiles"][1] < none["training_quartiles"][0]:
        apart = False
    activations = all_["activation_bytes"] / none["activation_bytes"]
    return [
        finding(
            "sharing_saves_parameters",
            round(theirs["none", 128] / theirs["all", 128], 2),
            round(none["parameters"] / all_["parameters"], 2),
            order == sorted(order) and len(set(order)) == len(order),
        ),
        finding(
            "albert_trains_faster",
            round(rates["albert-base"] / rates["bert-base"], 2),
            round(faster, 3),
            apart,
        ),
        finding("sharing_saves_activations", None, round(activations, 3), activations < 0.99),
    ]
