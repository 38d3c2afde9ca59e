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
from embeddings.training.pretraining.pretraining_run import export_network, initial_config
from tests.training.small_runs import SMALL, assert_equal_weights, small_run, weights


def test_a_run_begins_with_the_weights_of_the_model_it_goes_on_from(prepared, whole, tmp_path):
    """A rate of nearly nothing leaves them as they were; heads that the model lacks begin fresh."""
    config, first = initial_config(whole / "model", "bert"), weights(whole)
    assert config == replace(BertConfig(**SMALL), vocab_size=config.vocab_size)
    headless = shutil.copytree(whole / "model", tmp_path / "headless")
    (headless / "card.json").unlink()
    bare = {name: weight for name, weight in first.items() if not name.startswith("cls.")}
    save_file(bare, headless / "model.safetensors")
    checkpoint = whole / "checkpoints" / "step-00000012"  # float32, without a vocabulary of its own
    still, ended = {"learning_rate": 1e-12, "seed": 7}, []
    for number, initial in enumerate((whole / "model", checkpoint, headless)):
        run = tmp_path / str(number)
        assert small_run(prepared, run, config, changes=still, initial=initial).tokens > 0
        ended.append(weights(run))
    assert_equal_weights(first, ended[0])
    assert_equal_weights(first, ended[1])
    assert all(torch.equal(ended[2][name], bare[name]) for name in bare)
    expected = new_network(config, 7).sentences.weight.half()
    torch.testing.assert_close(ended[2]["cls.seq_relationship.weight"], expected, atol=1e-6, rtol=0)


def test_going_on_with_another_vocabulary_kind_or_length_is_refused(prepared, tmp_path):
    other = tmp_path / "other"
    wordpiece = train_wordpiece(
        ["other words " * 9], WordPieceConfig(vocab_size=90, min_frequency=1)
    )
    config = BertConfig(**{**SMALL, "vocab_size": len(wordpiece.words)})
    export_network(new_network(config), wordpiece, other, {})
    with pytest.raises(InputError, match="another vocabulary than the prepared corpus"):
        small_run(prepared, tmp_path / "run", config, initial=other)
    with pytest.raises(InputError, match="is of model_type bert, asked for is albert"):
        initial_config(other, "albert")
    with pytest.raises(InputError, match="48 tokens is longer than this network's 32"):
        small_run(prepared, tmp_path / "run", config, changes={"max_tokens": 48})
