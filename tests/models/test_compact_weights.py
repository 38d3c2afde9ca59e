"""Weights at a byte each: what is lost is bounded, the rest is told apart."""

from __future__ import annotations

import pytest
import torch

from embeddings.errors import CheckpointError
from embeddings.models.compact import pack, unpack
from embeddings.models.translation import TranslationConfig, TranslationNetwork
from embeddings.models.translation_folders import open_translation, save_translation


def test_a_weight_is_off_by_at_most_half_a_step_of_its_row():
    torch.manual_seed(1)
    rows = torch.randn(40, 30) * torch.logspace(-6, 3, 40)[:, None]
    back = unpack(pack({"w": rows}))["w"]
    step = rows.abs().amax(1) / 127
    assert bool(((back - rows).abs() <= step[:, None] * 0.5001).all())
    assert back.dtype == torch.float32


def test_by_hand():
    packed = pack(
        {"w": torch.tensor([[1.27, -0.5, 0.0], [0.0, 0.0, 0.0]]), "b": torch.tensor([0.5])}
    )
    assert packed["w"].tolist() == [[127, -50, 0], [0, 0, 0]]
    assert packed["w.scale"][0].item() == pytest.approx(0.01)
    assert packed["b"].dtype == torch.float16
    assert set(unpack(packed)) == {"w", "b"}


def test_a_state_without_int8_comes_back_as_it_is():
    state = {"w": torch.ones(2, 2), "norm.scale": torch.ones(2)}
    assert unpack(state) == state


@pytest.mark.parametrize("scale", [None, torch.ones(3), torch.ones(2, 1)])
def test_rows_without_their_scale_are_refused(scale):
    state = {"w": torch.ones(2, 2, dtype=torch.int8)}
    if scale is not None:
        state["w.scale"] = scale
    with pytest.raises(CheckpointError, match=r"w\.scale.*\(2,\)"):
        unpack(state, "model.safetensors")


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
