"""DistilBERT and the RoBERTa family are BERTs under other names: their settings and weights, told in BERT's.

DistilBERT (Sanh et al. 2019) has no segments and no pooler: its segment table is zeros. RoBERTa (Liu et al. 2019), XLM-RoBERTa
(Conneau et al. 2020) and CamemBERT count positions from ``pad_token_id + 1`` and have one row of segments: the rows of positions
that no text reaches are left out, the row of segments stands twice. The outputs are equal to theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch
from torch import Tensor

ROBERTA = ("roberta", "xlm-roberta", "camembert")
RELATIVES = ("distilbert", *ROBERTA)

_DISTIL_SETTINGS = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "hidden_dim": "intermediate_size",
    "activation": "hidden_act",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
}
_DISTIL_TASKS = {"qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds", "tie_weights_"}
_DISTIL = (
    (r"^(distilbert\.)?embeddings\.", "bert.embeddings."),
    (r"^(distilbert\.)?transformer\.layer\.", "bert.encoder.layer."),
    (r"\.attention\.q_lin\.", ".attention.self.query."),
    (r"\.attention\.k_lin\.", ".attention.self.key."),
    (r"\.attention\.v_lin\.", ".attention.self.value."),
    (r"\.attention\.out_lin\.", ".attention.output.dense."),
    (r"\.sa_layer_norm\.", ".attention.output.LayerNorm."),
    (r"\.ffn\.lin1\.", ".intermediate.dense."),
    (r"\.ffn\.lin2\.", ".output.dense."),
    (r"\.output_layer_norm\.", ".output.LayerNorm."),
    (r"^vocab_transform\.", "cls.predictions.transform.dense."),
    (r"^vocab_layer_norm\.", "cls.predictions.transform.LayerNorm."),
    (r"^vocab_projector\.bias$", "cls.predictions.bias"),
    (r"^vocab_projector\.weight$", "cls.predictions.decoder.weight"),
    (r"^pre_classifier\.", "classifier.pre."),
)
_ROBERTA = (
    (r"^(roberta\.)?(embeddings|encoder|pooler)\.", r"bert.\2."),
    (r"^lm_head\.dense\.", "cls.predictions.transform.dense."),
    (r"^lm_head\.layer_norm\.", "cls.predictions.transform.LayerNorm."),
    (r"^lm_head\.bias$", "cls.predictions.bias"),
    (r"^lm_head\.decoder\.", "cls.predictions.decoder."),
)
_POSITIONS = "bert.embeddings.position_embeddings.weight"
_SEGMENTS = "bert.embeddings.token_type_embeddings.weight"
_WORDS = "bert.embeddings.word_embeddings.weight"


def bert_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return a relative's ``config.json`` in BERT's keys; any other as it is."""
    kind = settings.get("model_type")
    if kind == "distilbert":
        kept = {_DISTIL_SETTINGS.get(key, key): value for key, value in settings.items()}
        kept = {key: value for key, value in kept.items() if key not in _DISTIL_TASKS}
        return {**kept, "model_type": "bert", "type_vocab_size": 2, "layer_norm_eps": 1e-12}
    if kind in ROBERTA:
        told = {**settings, "model_type": "bert"}
        if settings.get("type_vocab_size") == 1:
            told["type_vocab_size"] = 2
        most = settings.get("max_position_embeddings")
        if isinstance(most, int):  # anything else is refused by its name
            told["max_position_embeddings"] = most - _first_position(settings)
        return told
    return dict(settings)


def bert_weights(state: Mapping[str, Tensor], settings: Mapping[str, object]) -> dict[str, Tensor]:
    """Return a relative's weights under BERT's names; any other's as they are.

    Parameters
    ----------
    state : mapping of name to Tensor
        As the file holds them.
    settings : mapping
        The ``config.json`` beside it, as it stands there.
    """
    kind = settings.get("model_type")
    if kind == "distilbert":
        found = _renamed(state, _DISTIL)
        if _WORDS in found:
            found[_SEGMENTS] = torch.zeros(2, found[_WORDS].shape[-1])
        return found
    if kind in ROBERTA:
        found = _renamed(state, _ROBERTA)
        if _POSITIONS in found:
            found[_POSITIONS] = found[_POSITIONS][_first_position(settings) :]
        if _SEGMENTS in found and found[_SEGMENTS].shape[0] == 1:
            found[_SEGMENTS] = found[_SEGMENTS].repeat(2, 1)
        return found
    return dict(state)


def _first_position(settings: Mapping[str, object]) -> int:
    """Row of RoBERTa's position table at which texts begin."""
    pad = settings.get("pad_token_id", 1)
    return pad + 1 if isinstance(pad, int) else 2


def _renamed(state: Mapping[str, Tensor], rules: tuple[tuple[str, str], ...]) -> dict[str, Tensor]:
    """Apply every rule to every name."""
    out: dict[str, Tensor] = {}
    for name, tensor in state.items():
        told = name
        for old, new in rules:
            told = re.sub(old, new, told)
        out[told] = tensor
    return out
