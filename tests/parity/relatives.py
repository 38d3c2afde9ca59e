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


def their_network(kind, vocab_size=300, **more):
    torch.manual_seed(3)
    if kind == "distilbert":
        config = transformers.DistilBertConfig(
            vocab_size=vocab_size,
            dim=32,
            n_layers=3,
            n_heads=4,
            hidden_dim=48,
            max_position_embeddings=40,
            initializer_range=0.3,
            attn_implementation="eager",
            **more,
        )
        return transformers.DistilBertForMaskedLM(config).eval()
    if kind.startswith("electra"):
        config = transformers.ElectraConfig(
            vocab_size=vocab_size,
            **SIZES,
            embedding_size=16 if kind == "electra-narrow" else 32,
            max_position_embeddings=40,
            initializer_range=0.3,
            attn_implementation="eager",
            **more,
        )
        return transformers.ElectraForMaskedLM(config).eval()
    config = getattr(transformers, f"{OTHERS[kind]}Config")(
        vocab_size=vocab_size,
        **SIZES,
        max_position_embeddings=42,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        initializer_range=0.3,
        pad_token_id=1,
        attn_implementation="eager",
        **more,
    )
    return getattr(transformers, f"{OTHERS[kind]}ForMaskedLM")(config).eval()
