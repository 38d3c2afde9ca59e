"""Parameters and operations against networks that were built.

And against what a network multiplies.
"""

from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from embeddings.analysis.network_costs import PRESETS, bert_and_albert, operations, parameters
from embeddings.errors import InputError
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.bert_config import AlbertConfig, BertConfig, KazanConfig
from tests.networks.test_networks import CONFIGS, SMALL

CASES = {
    **CONFIGS,
    "wide": AlbertConfig(**SMALL, embedding_size=0, share_layers="none"),
    "s1, heads that do not divide": replace(KazanConfig(**SMALL), num_attention_heads=5),
    "parts left out": BertConfig(
        **SMALL,
        embedding_norm=False,
        pooler=False,
        prediction_transform=False,
        tie_word_embeddings=False,
    ),
}


def build(sizes):
    with torch.device("meta"):
        return PretrainingNetwork(sizes)


@pytest.mark.parametrize("name", CASES)
def test_parameters_equal_those_of_the_network(name):
    network, counted = build(CASES[name]), parameters(CASES[name])
    everything = sum(p.numel() for p in network.parameters())
    encoder = sum(p.numel() for p in network.encoder.parameters())
    assert counted.total == (everything if CASES[name].model_type == "s1" else encoder)
    assert encoder + counted.heads == everything


@pytest.mark.parametrize("name", CASES)
def test_operations_equal_what_torch_counts(name):
    """Its counter counts two operations a multiplication.

    With the products of attention in the open.
    """
    sizes = CASES[name]
    network = PretrainingNetwork(sizes).eval()
    ids = torch.zeros(1, 11, dtype=torch.long)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        last = network.encoder(ids, need_weights=True).last
        network.tokens(last)
        network.sentences(network.encoder.pool(last[:, 0]))
    assert operations(sizes, 11).total * 2 == counter.get_total_flops()


@pytest.mark.parametrize(
    ("layers", "size", "total"), [(2, 102, 1_555_225), (3, 96, 1_562_131), (4, 90, 1_543_825)]
)
def test_kazan_2019_by_its_own_formulas(layers, size, total):
    sizes = replace(
        PRESETS["kazan-2019"],
        num_hidden_layers=layers,
        hidden_size=size,
        intermediate_size=4 * size,
    )
    assert parameters(sizes).total == total
    n, d, v = 64, size, 6_353
    assert operations(sizes, n).total == layers * n * d * (12 * d + 2 * n) + 2 * d + n * d * v


def test_the_sources_rounded_millions():
    """The comparison's table 6.1 at v = 30 000, with pooler and without heads."""
    millions = {
        name: round(parameters(replace(sizes, vocab_size=30_000)).total / 1e6, 2)
        for name, sizes in PRESETS.items()
        if name != "kazan-2019"
    }
    assert millions == {
        "bert-base": 109.08,
        "bert-large": 334.61,
        "albert-base": 11.68,
        "albert-large": 17.68,
        "albert-xlarge": 58.72,
        "albert-xxlarge": 222.6,
    }


def test_the_parts_of_both_networks_add_up_to_their_totals():
    sizes = {
        "vocab_size": 30_000,
        "hidden_size": 128,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 512,
    }
    networks = {"BERT": BertConfig(**sizes), "ALBERT": AlbertConfig(**sizes, embedding_size=32)}
    found = bert_and_albert(128, 3, embedding_size=32, sequence_length=20)
    for name, config in networks.items():
        assert sum(found[name]["parameters"].values()) == parameters(config).total
        assert sum(found[name]["operations"].values()) == operations(config, 20).total


@pytest.mark.parametrize("settings", [{"embedding_size": 6}, {"share_layers": "all"}])
@pytest.mark.parametrize("preset", ["bert-base", "kazan-2019"])
def test_what_only_albert_has_is_not_counted_for_another(preset, settings):
    with pytest.raises(InputError, match="that is ALBERT"):
        replace(PRESETS[preset], **settings)
