"""Weights at a byte each: what is lost is bounded, the rest is told apart."""

from __future__ import annotations

import pytest
import torch

from embeddings.errors import CheckpointError
from embeddings.networks.encoder_decoder import (
    TranslationConfig,
    TranslationNetwork,
    open_translation,
    save_translation,
)
from embeddings.networks.quantized_weights import dequantize_weights, quantize_weights


def test_a_weight_is_off_by_at_most_half_a_step_of_its_row():
    torch.manual_seed(1)
    rows = torch.randn(40, 30) * torch.logspace(-6, 3, 40)[:, None]
    back = dequantize_weights(quantize_weights({"w": rows}))["w"]
    step = rows.abs().amax(1) / 127
    assert bool(((back - rows).abs() <= step[:, None] * 0.5001).all())
    assert back.dtype == torch.float32


def test_by_hand():
    packed = quantize_weights(
        {"w": torch.tensor([[1.27, -0.5, 0.0], [0.0, 0.0, 0.0]]), "b": torch.tensor([0.5])}
    )
    assert packed["w"].tolist() == [[127, -50, 0], [0, 0, 0]]
    assert packed["w.scale"][0].item() == pytest.approx(0.01)
    assert packed["b"].dtype == torch.float16
    assert set(dequantize_weights(packed)) == {"w", "b"}


def test_a_state_without_int8_comes_back_as_it_is():
    state = {"w": torch.ones(2, 2), "norm.scale": torch.ones(2)}
    assert dequantize_weights(state) == state


@pytest.mark.parametrize("scale", [None, torch.ones(3), torch.ones(2, 1)])
def test_rows_without_their_scale_are_refused(scale):
    state = {"w": torch.ones(2, 2, dtype=torch.int8)}
    if scale is not None:
        state["w.scale"] = scale
    with pytest.raises(CheckpointError, match=r"w\.scale.*\(2,\)"):
        dequantize_weights(state, "model.safetensors")


def test_a_translator_of_int8_is_half_as_large_and_says_nearly_the_same(tmp_path):
    torch.manual_seed(2)
    config = TranslationConfig(
        vocab_size=400,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
    )
    network = TranslationNetwork(config).eval()
    sizes = []
    for dtype in (torch.float16, torch.int8):
        folder = tmp_path / str(dtype)
        folder.mkdir()
        save_translation(network, folder, dtype)
        sizes.append((folder / "model.safetensors").stat().st_size)
    assert sizes[1] < 0.65 * sizes[0]
    own, other = network.state_dict(), open_translation(folder).state_dict()
    for name, tensor in own.items():
        torch.testing.assert_close(
            other[name], tensor, atol=float(tensor.abs().max()) / 250, rtol=0
        )


def test_what_is_near_a_known_matrix_is_stored_by_its_difference_at_half_a_byte():
    torch.manual_seed(3)
    known = torch.randn(20, 31)
    moved = known + 0.05 * torch.randn(20, 31)
    packed = quantize_weights({"w": moved}, {"w": known})
    assert packed["w"].dtype == torch.uint8
    assert packed["w"].shape == (20, 16)
    far = quantize_weights({"w": torch.randn(20, 31)}, {"w": known})
    assert far["w"].dtype == torch.int8  # which is stored whole
    back = dequantize_weights(packed, "", {"w": known})["w"]
    step = (moved - known).abs().amax(1, keepdim=True) / 7
    assert bool(((back - moved).abs() <= step * 0.5001).all())


def test_two_codes_of_a_byte_by_hand():
    known = torch.full((1, 3), 5.0)
    packed = quantize_weights({"w": known + torch.tensor([[0.7, -0.7, 0.1]])}, {"w": known})
    assert packed["w"].tolist() == [
        [15 + 16 * 1, 9 + 16 * 8]
    ]  # 7 and -7, 1 and the padding, each plus 8
    torch.testing.assert_close(
        dequantize_weights(packed, "", {"w": known})["w"],
        torch.tensor([[5.7, 4.3, 5.1]]),
        atol=1e-5,
        rtol=0,
    )


@pytest.mark.parametrize("known", [None, {"w": torch.ones(2, 9)}, {"w": torch.ones(3, 4)}])
def test_a_difference_from_something_else_is_refused(known):
    state = {"w": torch.zeros(2, 2, dtype=torch.uint8), "w.scale": torch.ones(2)}
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        dequantize_weights(state, "model.safetensors", known)
