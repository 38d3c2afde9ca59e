"""DistilBERT, RoBERTa, XLM-RoBERTa, CamemBERT and ELECTRA open as the BERTs that they are: the same states, attention and guesses."""

import json

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from embeddings.errors import CheckpointError
from embeddings.networks.huggingface_folder import open_network, save_network
from tests.parity.relatives import OTHERS, assert_same_answers, saved_here, their_network

OF_BERT = ("distilbert", "electra", "electra-narrow")  # with BERT's padding and segments


def texts(kind):
    """Ids of two texts of unlike length, and which of them are real."""
    ids = torch.randint(5, 300, (2, 12), generator=torch.Generator().manual_seed(5))
    real = torch.ones_like(ids)
    real[1, 8:] = 0
    ids[1, 8:] = 0 if kind in OF_BERT else 1
    return ids, real


def assert_bodies_agree(body, theirs, kind):
    """The same last layer of the first text, by a body of ours without heads."""
    ids, real = texts(kind)
    with torch.no_grad():
        found = body.encoder(ids, None, real).last
        wanted = theirs(ids, attention_mask=real, output_hidden_states=True).hidden_states[-1]
    torch.testing.assert_close(found[0], wanted[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", [*OF_BERT, *OTHERS])
def test_a_relative_of_bert_gives_its_own_states_attention_and_scores_here(kind, tmp_path):
    theirs = their_network(kind)
    ours = saved_here(theirs, tmp_path)
    ids, real = texts(kind)
    segments = torch.full_like(ids, "electra" not in kind)  # the others tell no sentence apart
    assert_same_answers(ours, theirs, ids, real, segments)
    assert ours.sentences is None
    assert ours.encoder.pooler is None


@pytest.mark.parametrize("kind", ["distilbert", "roberta", "electra"])
def test_the_body_of_a_relative_opens_without_heads(kind, tmp_path):
    theirs = their_network(kind)
    ours = saved_here(getattr(theirs, kind), tmp_path)
    assert ours.tokens is None
    assert_bodies_agree(ours, theirs, kind)


def test_the_longest_text_of_a_roberta_is_two_tokens_shorter_than_its_table(tmp_path):
    theirs = their_network("roberta")
    ours = saved_here(theirs, tmp_path)
    assert ours.config.max_position_embeddings == 40
    ids = torch.arange(5, 45)[None]
    with torch.no_grad():
        found = ours.tokens(ours.encoder(ids).last)
        torch.testing.assert_close(found, theirs(ids).logits, atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("kind", "their_class"),
    [
        ("roberta", transformers.BertForMaskedLM),
        ("electra", transformers.BertForMaskedLM),
        ("electra-narrow", transformers.AlbertForMaskedLM),
    ],
)
def test_a_relative_saved_here_is_a_bert_or_albert_with_equal_outputs(kind, their_class, tmp_path):
    theirs = their_network(kind)
    (tmp_path / "b").mkdir()
    save_network(saved_here(theirs, tmp_path / "a"), tmp_path / "b")
    saved = their_class.from_pretrained(tmp_path / "b").eval()
    body = transformers.AutoModel.from_pretrained(tmp_path / "b").eval()
    ids, real = texts(kind)
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=real, output_hidden_states=True)
        found = saved(ids, attention_mask=real).logits
        states = body(ids, attention_mask=real).last_hidden_state
    torch.testing.assert_close(found[0], wanted.logits[0], atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(states[0], wanted.hidden_states[-1][0], atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize("size", [16, 32])
def test_an_electra_discriminator_gives_its_states_and_attention_and_no_guess(size, tmp_path):
    theirs = their_network("electra", head="PreTraining", embedding_size=size)
    ours = saved_here(theirs, tmp_path)
    assert ours.tokens is None
    assert ours.config.embedding_size in {0, size}
    ids = torch.randint(5, 300, (2, 12), generator=torch.Generator().manual_seed(5))
    segments = (torch.arange(12) > 6).long().expand(2, -1)
    assert_same_answers(
        ours, theirs, ids, torch.ones_like(ids), segments, None, token_type_ids=segments
    )


@pytest.mark.parametrize("kind", ["electra", "roberta"])
def test_an_mlm_head_that_activates_otherwise_than_the_layers_is_refused(kind, tmp_path):
    theirs = their_network(kind, hidden_act="relu")
    with pytest.raises(CheckpointError, match="hidden_act=relu"):
        saved_here(theirs, tmp_path / "whole")
    assert_bodies_agree(saved_here(getattr(theirs, kind), tmp_path / "body"), theirs, kind)


def test_a_relative_without_a_weight_is_refused_by_the_name_in_its_own_file(tmp_path):
    lost = "distilbert.transformer.layer.1.ffn.lin1.weight"
    their_network("distilbert").save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    state = load_file(path)
    del state[lost]
    save_file(state, path)
    with pytest.raises(CheckpointError, match=f"lacks the weight.* {lost}"):
        open_network(tmp_path)


def test_a_distant_relative_is_refused_with_what_opens(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "xlnet"}))
    with pytest.raises(CheckpointError, match=r"xlnet.*distilbert, roberta"):
        open_network(tmp_path)
