"""Tiny relatives of BERT with random weights, as Hugging Face's library builds them."""

import torch
import transformers

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}
OTHERS = {"roberta": "Roberta", "xlm-roberta": "XLMRoberta", "camembert": "Camembert"}
COMMON = {"max_position_embeddings": 40, "initializer_range": 0.3, "attn_implementation": "eager"}
OF_DISTILBERT = {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 48}
OF_ROBERTA = {
    "max_position_embeddings": 42, "type_vocab_size": 1, "layer_norm_eps": 1e-5, "pad_token_id": 1,
}  # fmt: skip


def their_network(kind, vocab_size=300, **more):
    torch.manual_seed(3)
    if kind == "distilbert":
        name, settings = "DistilBert", OF_DISTILBERT
    elif kind.startswith("electra"):
        name, settings = "Electra", SIZES | {"embedding_size": 16 if "narrow" in kind else 32}
    else:
        name, settings = OTHERS[kind], SIZES | OF_ROBERTA
    settings = {"vocab_size": vocab_size, **COMMON, **settings, **more}
    config = getattr(transformers, f"{name}Config")(**settings)
    return getattr(transformers, f"{name}ForMaskedLM")(config).eval()


def assert_states_agree(ours, theirs, real):
    """States of real tokens at every layer, and the attention of the first text."""
    for mine, other in zip(ours.hidden_states, theirs.hidden_states, strict=True):
        torch.testing.assert_close(mine[real], other[real], atol=1e-5, rtol=1e-5)
    for mine, other in zip(ours.attentions, theirs.attentions, strict=True):
        torch.testing.assert_close(mine[0], other[0], atol=1e-5, rtol=1e-5)
