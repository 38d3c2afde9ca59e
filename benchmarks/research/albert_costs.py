"""What each form of the small network costs: counted, and timed in tokens a second; the published sizes by formula.

What Lan et al. 2020 and the comparison that retells it publish of BERT and ALBERT: figures to hold ours beside.
What a step of training keeps in memory for the way back: counted, not estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, fields, replace
from pathlib import Path

import torch
from torch import Tensor

from benchmarks.research.training_arms import (
    MAX_SEQUENCE,
    Row,
    StepRates,
    both_losses,
    one_batch,
    rates,
    rounded,
    spread,
)
from embeddings.analysis.network_costs import PRESETS, SHARING, Sizes, operations, parameters
from embeddings.networks.bert import PretrainingNetwork, new_network
from embeddings.networks.bert_config import AlbertConfig
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.training.pretraining.pretraining_task import PretrainingBatch

SHARED = ("all", "attention", "feed_forward", "none")
WIDTHS = (64, 128, 256)
TASKS = ("none", "nsp", "sop")
PUBLISHED = (
    "bert-base",
    "bert-large",
    "albert-base",
    "albert-large",
    "albert-xlarge",
    "albert-xxlarge",
)

SOURCE: dict[str, object] = {
    "parameters_millions": {  # table 6.1
        "bert-base": 108, "bert-large": 334, "albert-base": 12, "albert-large": 18, "albert-xlarge": 60, "albert-xxlarge": 235,
    },
    "throughput_against_bert_large": {
        "bert-base": 4.7, "bert-large": 1.0, "albert-base": 5.6, "albert-large": 1.7, "albert-xlarge": 0.6, "albert-xxlarge": 0.3,
    },
    "sharing": [  # table 8.3, 12 layers, hidden 768
        {"embedding_size": 128, "shared": "all", "parameters_millions": 12},
        {"embedding_size": 128, "shared": "attention", "parameters_millions": 64},
        {"embedding_size": 128, "shared": "feed_forward", "parameters_millions": 38},
        {"embedding_size": 128, "shared": "none", "parameters_millions": 89},
        {"embedding_size": 768, "shared": "all", "parameters_millions": 31},
        {"embedding_size": 768, "shared": "attention", "parameters_millions": 83},
        {"embedding_size": 768, "shared": "feed_forward", "parameters_millions": 57},
        {"embedding_size": 768, "shared": "none", "parameters_millions": 108},
    ],
    "objectives": [  # table 8.4; the row without a sentence task and the MLM column as in Lan et al.
        {"trained_with": "none", "mlm_accuracy": 0.549, "nsp_accuracy": 0.524, "sop_accuracy": 0.533},
        {"trained_with": "nsp", "mlm_accuracy": 0.545, "nsp_accuracy": 0.905, "sop_accuracy": 0.520},
        {"trained_with": "sop", "mlm_accuracy": 0.540, "nsp_accuracy": 0.789, "sop_accuracy": 0.865},
    ],
}  # fmt: skip


OPTIMISER_COPIES = 4  # float32: the weight, its gradient and AdamW's two moments


def kept_bytes(forward: Callable[[], Tensor], parameters: Iterable[Tensor] = ()) -> int:
    """Return the bytes that a forward pass keeps for its gradient beside the weights, each storage counted once.

    Parameters
    ----------
    forward : callable
        Computes a loss.
    parameters : iterable of Tensor
        What is not counted.

    Examples
    --------
    >>> x = torch.ones(3, requires_grad=True)
    >>> kept_bytes(lambda: (x * 2).exp().sum(), [x])  # exp keeps its result, 3 float32
    12
    """
    weights = {parameter.untyped_storage().data_ptr() for parameter in parameters}
    saved: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = forward()
    del loss  # till here nothing was freed, so no two storages stood at one place
    return sum(saved.values())


def weight_bytes(parameters: int) -> tuple[int, int]:
    """Return the bytes of weights at rest and in training (float32; gradient and two moments beside each weight).

    Examples
    --------
    >>> weight_bytes(1_000)
    (4000, 16000)
    """
    return 4 * parameters, 4 * OPTIMISER_COPIES * parameters


PUBLISHED_LENGTH = 512


def cost_rows(base: AlbertConfig, ids: Path, steps: int) -> list[Row]:
    """A row for each way of sharing and each width of the token embedding matrix; steps are taken in turn."""
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
    batch: PretrainingBatch,
    rate: StepRates,
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
            "operations": operations(sizes, MAX_SEQUENCE).total,
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
    """Parameters and operations of the published sizes, and of the table of sharing, by formula at their vocabulary."""
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
    """A preset with the 30 000 tokens of the published table."""
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
