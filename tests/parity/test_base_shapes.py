"""Families at their real base shapes, with random weights: states, attention and guesses are transformers' to 1e-4."""

import pytest
import torch
import transformers

from embeddings.networks.huggingface_folder import open_any_network

SHAPES = {  # the class of the settings, and what differs from its defaults
    "bert": ("BertConfig", {}),
    "distilbert": ("DistilBertConfig", {}),
    "roberta": (
        "RobertaConfig",
        {"max_position_embeddings": 514, "type_vocab_size": 1, "layer_norm_eps": 1e-5},
    ),
    "xlm-roberta": (
        "XLMRobertaConfig",
        {
            "vocab_size": 250_002,
            "max_position_embeddings": 514,
            "type_vocab_size": 1,
            "layer_norm_eps": 1e-5,
        },
    ),
    "electra": (
        "ElectraConfig",
        {
            "embedding_size": 768,
            "hidden_size": 768,
            "intermediate_size": 3072,
            "num_attention_heads": 12,
        },
    ),
    "electra-small": ("ElectraConfig", {}),
    "modernbert": ("ModernBertConfig", {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHAPES)
def test_a_network_of_base_shape_gives_transformers_states_attention_and_guesses(kind, tmp_path):
    name, settings = SHAPES[kind]
    torch.manual_seed(1)
    config = getattr(transformers, name)(**settings, attn_implementation="eager")
    theirs = transformers.AutoModelForMaskedLM.from_config(
        config, attn_implementation="eager"
    ).eval()
    theirs.save_pretrained(tmp_path)
    ours = open_any_network(tmp_path)
    ids = torch.randint(100, 20_000, (2, 150), generator=torch.Generator().manual_seed(2))
    real = (torch.arange(150) < torch.tensor([[150], [90]])).long()
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=real, output_hidden_states=True, output_attentions=True)
        found = ours.encoder(ids, None, real, need_states=True, need_weights=True)
        scores = ours.tokens(found.last)
    kept = real.bool()
    for mine, other in zip(found.hidden_states, wanted.hidden_states, strict=True):
        torch.testing.assert_close(mine[kept], other[kept], atol=1e-4, rtol=0)
    for mine, other in zip(found.attentions, wanted.attentions, strict=True):
        torch.testing.assert_close(mine[0], other[0], atol=1e-4, rtol=0)
    torch.testing.assert_close(scores[kept], wanted.logits[kept], atol=1e-4, rtol=0)
