"""What is cut from a network before it ships changes nothing that it says."""

import torch

from benchmarks.build_networks import shortened
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig


def test_positions_that_no_row_reached_are_cut_and_nothing_else_changes():
    config = BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    network = new_network(config).eval()
    small = shortened(network, 24)
    ids = torch.arange(24)[None]
    with torch.inference_mode():
        assert torch.equal(small.encoder(ids).last, network.encoder(ids).last)
    assert small.config.max_position_embeddings == 24
