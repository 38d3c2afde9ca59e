"""What each form of the small network costs: counted, and timed in tokens a second; the published sizes by formula."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path

from benchmarks.albert_source import PUBLISHED, SHARED, SOURCE, WIDTHS
from benchmarks.experiments import Row, finding, rounded, spread
from benchmarks.timing import LONGEST, Rates, both_losses, one_batch, rates
from embeddings.analysis.costs import PRESETS, SHARING, Sizes, operations, parameters
from embeddings.models.config import AlbertConfig
from embeddings.models.heads import PretrainingNetwork, new_network
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.training.batches import Batch
from embeddings.training.memory import kept_bytes, weight_bytes

PUBLISHED_LENGTH = 512


def cost_rows(base: AlbertConfig, ids: Path, steps: int) -> list[Row]:
    """A row for each way of sharing and each width of the token table; steps are taken in turn."""
    corpus = PreparedCorpus.open(ids)
    batch, tokens = one_batch(corpus, "sop")
    base = replace(base, vocab_size=corpus.vocab_size)
    configs = [
        replace(base, share_layers=share, embedding_size=width)
        for width in WIDTHS
        for share in SHARED
    ]
    networks = [new_network(config) for config in configs]
    timed = rates(networks, batch, tokens, steps)
    return [
        _row(config, network, batch, rate)
        for config, network, rate in zip(configs, networks, timed, strict=True)
    ]


def _row(
    config: AlbertConfig,
    network: PretrainingNetwork,
    batch: Batch,
    rate: Rates,
) -> Row:
    """Counts and rates of one network; rates are medians, with the quartiles of training."""
    sizes = sizes_of(config)
    built = sum(p.numel() for p in network.parameters())
    counted = parameters(sizes)
    assert built == counted.total + counted.heads, "the formula and the built network differ"
    rest, learning = weight_bytes(built)
    low, middle, high = spread(rate.training)
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
            "activation_bytes": kept_bytes(
                lambda: both_losses(network, batch), network.parameters()
            ),
            "forward_tokens_per_second": round(spread(rate.forward)[1]),
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
    printed = SOURCE["throughput_against_bert_large"]
    assert isinstance(printed, dict)
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
            round(printed["albert-base"] / printed["bert-base"], 2),
            round(faster, 3),
            apart,
        ),
        finding("sharing_saves_activations", None, round(activations, 3), activations < 0.99),
    ]
