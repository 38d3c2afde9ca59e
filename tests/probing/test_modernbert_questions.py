"""A ModernBERT is asked as a BERT is: vectors of words, guesses layer by layer, attention and its norms, parts turned off."""

import numpy as np
import pytest
import torch
import transformers

from embeddings.errors import InputError
from embeddings.probing.ablated_networks import ablate
from embeddings.probing.ablation_answers import Parts
from embeddings.probing.attention_weights import attention
from embeddings.probing.attribution import attribute_guess
from embeddings.probing.encoder_walk import swap, walk
from embeddings.probing.fill_mask import fill
from embeddings.probing.jacobian_lens import fit_lens
from embeddings.probing.network import open_reader
from tests.probing.conftest import assert_probable, mask_of

TEXT = "The old man opened the door with a heavy key."
BLANK = "The old man opened the [MASK] with a heavy key."


@pytest.fixture(scope="module")
def reader(tiny_modernbert):
    return open_reader(tiny_modernbert)


@pytest.fixture
def theirs(tiny_modernbert):
    return transformers.ModernBertForMaskedLM.from_pretrained(
        tiny_modernbert, attn_implementation="eager"
    ).eval()


def asked(network, reader, text):
    ids = torch.tensor([reader.wordpiece.encode(text).ids])
    with torch.no_grad():
        return network(ids, output_hidden_states=True, output_attentions=True)


def test_guesses_of_every_layer_are_read_behind_the_final_norm(reader, theirs):
    filled = fill(reader, BLANK, 5).masks[0]
    output, at = asked(theirs, reader, BLANK), mask_of(reader, BLANK)
    assert_probable(reader, filled.guesses, output.logits[0, at].softmax(-1), rel=1e-4)
    below = theirs.model.final_norm(output.hidden_states[2][0, at])
    lens = theirs.decoder(theirs.head(below)).softmax(-1).detach()
    assert_probable(reader, filled.by_layer[2][:1], lens, rel=1e-4)


def test_its_lens_maps_to_the_state_behind_the_final_norm(reader):
    texts = [TEXT, "A key.", "The door is old."]
    lens = fit_lens(reader, texts, texts)
    with torch.no_grad():
        ids, at = torch.tensor([reader.wordpiece.encode(BLANK).ids]), mask_of(reader, BLANK)
        output = reader.network.encoder(ids, need_states=True)
        mapped = lens.jacobians[1] @ (output.hidden_states[1][0, at].numpy() - lens.means[1])
        logits = reader.network.tokens(torch.from_numpy(mapped + lens.means[-1]))
    guesses = fill(reader, BLANK, 3, lens=lens).masks[0].by_layer[1]
    assert_probable(reader, guesses[:1], logits.softmax(-1))


def test_attention_and_its_norms_are_those_of_the_layers_normalised_input(reader, theirs):
    output = asked(theirs, reader, TEXT)
    weights = attention(reader, TEXT).weights
    wanted = torch.stack(output.attentions)[:, 0].numpy()
    np.testing.assert_allclose(weights, wanted, atol=1e-5)
    norms = attention(reader, TEXT, measure="norms").weights
    layer = theirs.model.layers[2]
    with torch.no_grad():
        entered = layer.attn_norm(output.hidden_states[2][0])
        value = layer.attn.Wqkv(entered).view(len(entered), 3, 3, 8)[:, 2, 1]  # the second head
        fetched = (value @ layer.attn.Wo.weight[:, 8:16].T).norm(dim=-1).numpy()
    np.testing.assert_allclose(norms[2, 1], wanted[2, 1] * fetched, rtol=1e-3, atol=1e-5)


def test_a_head_turned_off_answers_as_a_network_without_its_columns(reader, theirs):
    found = ablate(reader, BLANK, Parts(heads=((3, 2),)))
    with torch.no_grad():
        theirs.model.layers[2].attn.Wo.weight[:, 8:16] = 0
    logits = asked(theirs, reader, BLANK).logits[0, mask_of(reader, BLANK)]
    assert_probable(reader, found.masks[0].after[:1], logits.softmax(-1))
    assert found.masks[0].before != found.masks[0].after


def test_attribution_adds_up_and_rotary_positions_tell_the_order_of_words(reader):
    found = attribute_guess(reader, BLANK, "key")
    total = found.baseline + sum(word.attribution for word in found.words) + found.residual
    assert total == pytest.approx(found.log_probability, abs=1e-4)
    assert min(swap(reader, "He saw me", 0, 2).with_positions) < 0.999


def test_the_page_inside_takes_it_not_apart_and_says_so(reader):
    with pytest.raises(InputError, match="is a ModernBERT"):
        walk(reader, TEXT)
