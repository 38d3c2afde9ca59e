"""Weights of BERT's relatives whose shapes are none of a network: refused, with no memory taken for what they claim."""

import json
import math

import pytest
import torch
from safetensors.torch import save_file

from embeddings.errors import CheckpointError
from embeddings.networks.huggingface_folder import is_finite, open_any_network
from embeddings.networks.modern_names import from_modern_config

SIZES = {
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "vocab_size": 8,
    "max_position_embeddings": 16,
}
WORDS = "distilbert.embeddings.word_embeddings.weight"
SEGMENTS = "roberta.embeddings.token_type_embeddings.weight"


@pytest.mark.parametrize(
    ("kind", "name", "shape"),
    [
        ("distilbert", WORDS, [0, 2**40]),  # segments of 8 TB, were they made of it
        ("distilbert", WORDS, [0, 2**62]),
        ("distilbert", WORDS, [0]),
        ("roberta", SEGMENTS, [1, 2, 3]),
        ("roberta", SEGMENTS, [1, 0, 2**40]),
        ("roberta", SEGMENTS, [1]),
    ],
)
def test_a_weight_of_a_shape_that_no_network_has_is_refused(tmp_path, kind, name, shape):
    settings = {**SIZES, "model_type": kind, "type_vocab_size": 1}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    size = 4 * math.prod(shape)
    described = {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}
    head = json.dumps({name: described}).encode()
    content = len(head).to_bytes(8, "little") + head + bytes(size)
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError):
        open_any_network(tmp_path)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("bert", "embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"),
        ("distilbert", WORDS, "bert.embeddings.word_embeddings.weight"),
    ],
)
def test_a_weight_stored_under_two_names_is_refused_with_both(tmp_path, kind, first, second):
    (tmp_path / "config.json").write_text(json.dumps({**SIZES, "model_type": kind}))
    weights = {name: torch.zeros(8) for name in (first, second)}
    save_file(weights, str(tmp_path / "model.safetensors"))
    with pytest.raises(CheckpointError) as refused:
        open_any_network(tmp_path)
    assert refused.value.code == "checkpoint_two_names"
    assert {refused.value.fields["first"], refused.value.fields["second"]} == {first, second}


def test_a_number_that_only_float64_can_hold_is_not_finite_here():
    assert not is_finite(torch.tensor([1.0, 1e300], dtype=torch.float64))
    assert is_finite(torch.tensor([1.0, 3e38], dtype=torch.float64))


def test_stretched_positions_of_all_layers_at_once_are_refused():
    settings = {"model_type": "modernbert", "rope_parameters": {"rope_type": "yarn", "factor": 4.0}}
    with pytest.raises(CheckpointError, match="rope_parameters"):
        from_modern_config(settings)
