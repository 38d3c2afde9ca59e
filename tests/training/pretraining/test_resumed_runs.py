"""A pretraining that starts from a model, and what it cannot start from."""

import shutil
from dataclasses import replace

import pytest
import torch
from safetensors.torch import save_file

from embeddings.errors import InputError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import export_network, initial_config, pretrain
from embeddings.training.tasks import Limits
from tests.training.small_runs import (
    QUIETLY,
    SETTINGS,
    SMALL,
    assert_equal_weights,
    weights,
)


def test_a_run_begins_with_the_weights_of_the_model_it_goes_on_from(prepared, tmp_path):
    """A rate of nearly nothing leaves them as they were; heads that the model lacks begin fresh."""
    settings = PretrainingConfig(**SETTINGS)
    first = tmp_path / "first"
    pretrain(prepared, first, BertConfig(**SMALL), settings, Limits(), **QUIETLY)
    still = replace(settings, learning_rate=1e-12, seed=7)
    config = initial_config(first / "model", "bert")
    assert config == replace(BertConfig(**SMALL), vocab_size=config.vocab_size)
    initial = first / "model"
    done = pretrain(prepared, tmp_path / "on", config, still, Limits(), **QUIETLY, initial=initial)
    assert_equal_weights(weights(first), weights(tmp_path / "on"))
    assert done.tokens > 0

    checkpoint = first / "checkpoints" / "step-00000012"  # float32, without a vocabulary of its own
    pretrain(prepared, tmp_path / "on2", config, still, Limits(), **QUIETLY, initial=checkpoint)
    assert_equal_weights(weights(first), weights(tmp_path / "on2"))

    headless = tmp_path / "headless"
    shutil.copytree(initial, headless)
    (headless / "card.json").unlink()
    state = {k: v for k, v in weights(first).items() if not k.startswith("cls.")}
    save_file(state, headless / "model.safetensors")
    pretrain(prepared, tmp_path / "bare", config, still, Limits(), **QUIETLY, initial=headless)
    fresh = weights(tmp_path / "bare")
    assert all(torch.equal(fresh[name], state[name]) for name in state)
    expected = new_network(config, 7).sentences.weight.half()
    torch.testing.assert_close(fresh["cls.seq_relationship.weight"], expected, atol=1e-6, rtol=0)


def test_going_on_with_another_vocabulary_kind_or_length_is_refused(prepared, tmp_path):
    settings, other = PretrainingConfig(**SETTINGS), tmp_path / "other"
    wordpiece = train_wordpiece(
        ["other words " * 9], WordPieceConfig(vocab_size=90, min_frequency=1)
    )
    config = BertConfig(**{**SMALL, "vocab_size": len(wordpiece.words)})
    export_network(new_network(config), wordpiece, other, {})
    with pytest.raises(InputError, match="another vocabulary than the prepared corpus"):
        pretrain(prepared, tmp_path / "run", config, settings, Limits(), **QUIETLY, initial=other)
    with pytest.raises(InputError, match="is of model_type bert, asked for is albert"):
        initial_config(other, "albert")
    long = replace(settings, max_tokens=48)
    with pytest.raises(InputError, match="48 tokens is longer than this network's 32"):
        pretrain(prepared, tmp_path / "run", config, long, Limits(), **QUIETLY)
