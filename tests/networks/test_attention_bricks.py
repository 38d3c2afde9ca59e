"""The bricks: attention that shows its weights, masks."""

import math

import pytest
import torch

from embeddings.networks.fused_attention import MemoryAttention
from embeddings.networks.layers import (
    ACTIVATIONS,
    LayerNorm,
    MultiHeadAttention,
    attend,
    block_mask,
    causal_mask,
    padding_mask,
)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def masks():
    torch.manual_seed(4)
    kept = torch.rand(2, 7) > 0.4
    kept[:, 0] = True
    blocks = torch.tensor([[1, 1, 1, 2, 2, 0, 0], [1, 2, 2, 2, 3, 3, 3]])
    return {
        "none": None,
        "padding": padding_mask(kept),
        "blocks": block_mask(blocks),
        "causal": causal_mask(7),
    }


@pytest.mark.parametrize("name", ["none", "padding", "blocks", "causal"])
def test_both_ways_give_the_same_values(name):
    query, key, value = (draw(2, 3, 7, 5, seed=s) for s in (1, 2, 3))
    fast = attend(query, key, value, masks()[name])
    slow = attend(query, key, value, masks()[name], need_weights=True)
    torch.testing.assert_close(fast.values, slow.values, atol=1e-6, rtol=1e-5)
    assert fast.weights is None
    torch.testing.assert_close(slow.weights.sum(-1), torch.ones(2, 3, 7))


def test_bf16_on_a_cpu_gives_the_values_of_float32():
    query, key, value = (draw(2, 3, 7, 5, seed=s) for s in (1, 2, 3))
    wanted = attend(query, key, value, masks()["blocks"]).values
    found = attend(query.bfloat16(), key.bfloat16(), value.bfloat16(), masks()["blocks"])
    assert found.values.dtype is torch.bfloat16
    assert found.weights is None
    torch.testing.assert_close(found.values.float(), wanted, atol=0.05, rtol=0.02)


def test_attention_by_hand():
    """One head, two tokens, d_k = 1: scores 0 and log 3 give weights 1/4 and 3/4."""
    query = torch.tensor([[[[1.0], [0.0]]]])
    key = torch.tensor([[[[0.0], [math.log(3.0)]]]])
    value = torch.tensor([[[[4.0], [8.0]]]])
    values, weights = attend(query, key, value, None, need_weights=True)
    torch.testing.assert_close(weights, torch.tensor([[[[0.25, 0.75], [0.5, 0.5]]]]))
    torch.testing.assert_close(values, torch.tensor([[[[7.0], [6.0]]]]))


@pytest.mark.parametrize("is_self", [True, False])
def test_heads_are_their_own_columns(is_self):
    """Against torch's own multi-head attention with the same weights: to itself, and to another stack."""
    theirs = torch.nn.MultiheadAttention(12, 3, batch_first=True)
    hidden = draw(2, 7, 12)
    if is_self:
        ours, memory = MultiHeadAttention(12, 3), hidden
        found, projections = ours(hidden, need_weights=True), [ours.query_key_value]
    else:
        ours, memory = MemoryAttention(12, 12, 3, 0.0), draw(2, 5, 12, seed=1)
        found = ours(hidden, ours.project(memory), None, need_weights=True)
        projections = [ours.query, ours.key_value]
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in projections]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in projections]))
        theirs.out_proj.load_state_dict(ours.output.state_dict())
    wanted, weights = theirs(hidden, memory, memory, average_attn_weights=False)
    torch.testing.assert_close(found.values, wanted, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(found.weights, weights, atol=1e-6, rtol=1e-5)


def test_a_batch_of_nothing_gives_nothing():
    assert MultiHeadAttention(6, 2)(draw(0, 7, 6)).values.shape == (0, 7, 6)


def test_causal_mask_by_hand():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    assert causal_mask(3)[0, 0].tolist() == expected
    assert causal_mask(2, past=1)[0, 0].tolist() == expected[1:]


def test_block_mask_keeps_pairs_apart():
    mask = block_mask(torch.tensor([[1, 1, 2, 0]]))[0, 0]
    assert mask.tolist() == [
        [True, True, False, False],
        [True, True, False, False],
        [False, False, True, False],
        [False, False, False, True],
    ]


@pytest.mark.parametrize(
    ("name", "at_one"), [("gelu", 0.8413447), ("gelu_new", 0.8411920), ("relu", 1.0)]
)
def test_activations_by_value(name, at_one):
    assert ACTIVATIONS[name](torch.tensor(1.0)).item() == pytest.approx(at_one, abs=1e-6)


def test_layer_norm_keeps_the_type_of_its_input():
    norm = LayerNorm(8)
    assert norm(draw(2, 8).bfloat16()).dtype is torch.bfloat16
    torch.testing.assert_close(norm(draw(2, 8)), torch.nn.LayerNorm(8)(draw(2, 8)))
