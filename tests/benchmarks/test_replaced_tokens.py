"""Replaced-token detection: what is drawn, what is judged, what each loss teaches, and the model that is written."""

import numpy as np
import pytest
import torch

from benchmarks import replaced_tokens
from benchmarks.replaced_tokens import ReplacedTokenNetwork, discriminator, draw, generator_config
from embeddings.models.bert_config import BertConfig
from embeddings.models.huggingface_folder import open_network, save_network
from embeddings.pretraining.packing import SpecialIds
from embeddings.training.pretraining.pretraining_task import make_pretraining_batch

CONFIG = BertConfig(
    vocab_size=40,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=32,
    max_position_embeddings=16,
)


@pytest.fixture
def network():
    return ReplacedTokenNetwork(CONFIG, seed=3)


@pytest.fixture
def batch():
    """Two rows of text with a quarter masked, and which tokens are text."""
    ids = torch.randint(5, 40, (2, 12), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, -1] = 2, 3
    text = (ids != 2) & (ids != 3)

    class Rows:
        ordinary = np.array([10, 10])
        bounds = np.array([0, 1, 2])
        blocks = np.ones((2, 12), np.int32)
        segments = np.zeros((2, 12), np.int32)
        positions = np.tile(np.arange(12), (2, 1))
        first = np.array([0, 12])
        label = np.array([-100, -100])

    Rows.ids = ids.numpy()
    noise = torch.rand(3, 2, 12, generator=torch.Generator().manual_seed(2))
    return make_pretraining_batch(Rows(), noise, 0.25, 40, SpecialIds()), text


def test_tokens_are_drawn_by_their_probabilities():
    scores = torch.tensor([[0.2, 0.3, 0.5]]).log()
    drawn = [int(draw(scores, torch.tensor([[noise]]))) for noise in (0.0, 0.19, 0.21, 0.49, 0.99)]
    assert drawn == [0, 0, 1, 1, 2]
    many = draw(scores.expand(20_000, 3), torch.rand(20_000, 1))
    shares = torch.bincount(many, minlength=3) / 20_000
    assert shares.tolist() == pytest.approx([0.2, 0.3, 0.5], abs=0.015)


def test_a_generator_that_is_always_right_leaves_nothing_replaced_and_one_that_errs_does(
    network, batch, monkeypatch
):
    made, text = batch
    noise = torch.zeros(len(made.scored), 1)
    count = int(text.sum())
    with torch.no_grad():
        network.judge[-1].weight.zero_()
        network.judge[-1].bias.fill_(-1.0)  # all are judged the text's own
        monkeypatch.setattr(replaced_tokens, "draw", lambda *_: made.targets)
        assert network(made, noise, text).tolist()[3] == count
        monkeypatch.setattr(replaced_tokens, "draw", lambda *_: (made.targets + 1) % 35 + 5)
        sums = network(made, noise, text).tolist()
    assert sums[3] == count - len(made.scored)  # special tokens stand at no scored place
    assert sums[4:] == [len(made.targets)] * 2 + [count] * 2
    kept, gone = np.log1p(np.exp(-1.0)), np.log1p(np.exp(1.0))
    wrong = len(made.scored)
    assert sums[2] == pytest.approx((count - wrong) * kept + wrong * gone, rel=1e-5)


def test_both_share_the_token_matrix_and_the_judge_teaches_the_generator_nothing_else(
    network, batch
):
    made, text = batch
    assert network.generator.encoder.inputs.tokens is network.encoder.inputs.tokens
    assert network.generator.tokens.decoder.weight is network.encoder.inputs.tokens.weight
    network(made, torch.rand(len(made.scored), 1), text)[2].backward()
    taught = {
        name
        for name, weight in network.named_parameters()
        if weight.grad is not None and weight.grad.any()
    }
    assert not any(name.startswith("generator.") for name in taught)
    assert "encoder.inputs.tokens.weight" in taught
    assert any(name.startswith("encoder.layers.1") for name in taught)


def test_the_generator_is_a_quarter_as_wide_over_embeddings_of_the_full_width():
    config = generator_config(CONFIG)
    assert (config.hidden_size, config.intermediate_size, config.width) == (4, 8, 16)
    assert (config.num_attention_heads, config.num_hidden_layers) == (1, 2)


def test_the_model_that_is_written_is_the_discriminator_without_heads(tmp_path, network):
    save_network(discriminator(network), tmp_path)
    opened = open_network(tmp_path)
    assert opened.tokens is None
    assert opened.sentences is None
    ids = torch.randint(5, 40, (2, 12))
    with torch.inference_mode():
        assert torch.equal(opened.encoder(ids).last, network.encoder(ids).last)
