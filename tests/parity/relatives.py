"""Tiny relatives of BERT with random weights, as Hugging Face's library builds them."""

import torch
import transformers

from embeddings.networks.huggingface_folder import open_any_network

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

OF_MODERNBERT = {
    "vocab_size": 300,
    "hidden_size": 32,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 40,
    "local_attention": 8,
    "initializer_range": 0.3,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "cls_token_id": 1,
    "sep_token_id": 2,
}


def their_network(kind, vocab_size=300, head="MaskedLM", **more):
    torch.manual_seed(3)
    if kind == "distilbert":
        name, settings = "DistilBert", OF_DISTILBERT
    elif kind.startswith("electra"):
        name, settings = "Electra", SIZES | {"embedding_size": 16 if "narrow" in kind else 32}
    else:
        name, settings = OTHERS[kind], SIZES | OF_ROBERTA
    settings = {"vocab_size": vocab_size, **COMMON, **settings, **more}
    config = getattr(transformers, f"{name}Config")(**settings)
    return getattr(transformers, f"{name}For{head}")(config).eval()


def assert_states_agree(ours, theirs, real, atol=1e-5, rtol=1e-5):
    """States of real tokens at every layer, and the attention of the first text."""
    for mine, other in zip(ours.hidden_states, theirs.hidden_states, strict=True):
        torch.testing.assert_close(mine[real], other[real], atol=atol, rtol=rtol)
    for mine, other in zip(ours.attentions, theirs.attentions, strict=True):
        torch.testing.assert_close(mine[0], other[0], atol=atol, rtol=rtol)


def assert_same_answers(
    ours, theirs, ids, real, segments=None, scores=2e-5, atol=1e-5, rtol=1e-5, **more
):
    """The same states, attention and, unless ``scores`` (their tolerance) is None, scores of tokens; ``more`` is for theirs alone."""
    with torch.no_grad():
        wanted = theirs(
            ids, attention_mask=real, output_hidden_states=True, output_attentions=True, **more
        )
        found = ours.encoder(ids, segments, real, need_states=True, need_weights=True)
        kept = real.bool()
        assert_states_agree(found, wanted, kept, atol, rtol)
        if scores is not None:
            mine = ours.tokens(found.last)[kept]
            torch.testing.assert_close(mine, wanted.logits[kept], atol=scores, rtol=rtol)
    return found


def saved_here(theirs, folder):
    """Save a network of transformers and open it here."""
    theirs.save_pretrained(folder)
    return open_any_network(folder)
