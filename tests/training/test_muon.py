"""Muon for the matrices of the layers, AdamW for the rest, as one optimiser."""

import pytest
import torch

from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.tasks import Limits
from tests.training.small_runs import (
    QUIETLY,
    SETTINGS,
    SMALL,
    KilledError,
    assert_equal_weights,
    killer,
    weights,
)

CONFIG = LoopConfig(optimizer="muon", learning_rate=0.01, weight_decay=0.1)


def small_network():
    return new_network(BertConfig(**SMALL, vocab_size=50), seed=3)


def test_every_weight_belongs_to_one_of_the_two_and_embeddings_to_adamw():
    network = small_network()
    muon, *rest = make_optimizer(network, CONFIG).param_groups
    turned = {id(p) for p in muon["params"]}
    others = [id(p) for group in rest for p in group["params"]]
    assert sorted([*turned, *others]) == sorted(id(p) for p in network.parameters())
    inputs = network.encoder.inputs
    for table in (inputs.tokens, inputs.positions, inputs.segments):
        assert id(table.weight) not in turned
    assert id(network.sentences.weight) not in turned
    layer = network.encoder.layers[0]
    matrices = [p for p in layer.parameters() if p.dim() == 2]
    assert len(matrices) == 4
    assert {id(p) for p in matrices} <= turned


def test_a_step_of_muon_is_torchs_muon():
    ours, theirs = small_network(), small_network()
    optimizer = make_optimizer(ours, CONFIG)
    turned = {id(p) for p in optimizer.param_groups[0]["params"]}
    pairs = list(zip(ours.parameters(), theirs.parameters(), strict=True))
    matrices = [(one, other) for one, other in pairs if id(one) in turned]
    reference = torch.optim.Muon(
        [other for _, other in matrices],
        lr=CONFIG.learning_rate,
        weight_decay=CONFIG.weight_decay,
        adjust_lr_fn="match_rms_adamw",
    )
    generator = torch.Generator().manual_seed(1)
    for _ in range(3):
        for one, other in pairs:
            one.grad = torch.randn(one.shape, generator=generator)
            other.grad = one.grad.clone()
        optimizer.step()
        reference.step()
    assert all(torch.equal(one, other) for one, other in matrices)


def test_a_run_with_muon_killed_and_resumed_ends_with_the_same_weights(prepared, tmp_path):
    settings = PretrainingConfig(**SETTINGS, optimizer="muon", sentence_share=0.5)
    network = BertConfig(**SMALL)
    pretrain(prepared, tmp_path / "whole", network, settings, Limits(), **QUIETLY)
    limits = Limits(checkpoint_minutes=0.0, report=killer(6))
    with pytest.raises(KilledError):
        pretrain(prepared, tmp_path / "cut", network, settings, limits, **QUIETLY)
    pretrain(prepared, tmp_path / "cut", network, settings, Limits(), **QUIETLY)
    assert_equal_weights(weights(tmp_path / "whole"), weights(tmp_path / "cut"))
