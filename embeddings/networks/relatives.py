"""Relatives of BERT under names and settings of their own, translated into BERT's or ALBERT's before anything else reads them.

DistilBERT and the RoBERTa family (XLM-RoBERTa, CamemBERT) are BERTs. ELECTRA (Clark et al. 2020) is a BERT too; where its token
embedding matrix is narrower than its states it is an ALBERT whose layers share nothing. What its discriminator says of replaced tokens
is no score of a vocabulary and is left out; its generator has an MLM head.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from embeddings.errors import CheckpointError

ROBERTA = ("roberta", "xlm-roberta", "camembert")
ELECTRA = "electra"
RELATIVES = ("distilbert", *ROBERTA, ELECTRA)
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
_ELECTRA_SETTINGS: Mapping[str, object] = {  # where a config.json leaves them out
    "embedding_size": 128,
    "hidden_size": 256,
    "num_hidden_layers": 12,
    "num_attention_heads": 4,
    "intermediate_size": 1024,
    "hidden_act": "gelu",
}
_ELECTRA = (
    (r"^(electra\.)?(embeddings|encoder)\.", r"bert.\2."),
    (r"^generator_predictions\.", "cls.predictions.transform."),
    (r"^generator_lm_head\.weight$", "cls.predictions.decoder.weight"),
    (r"^generator_lm_head\.bias$", "cls.predictions.bias"),
    (r"^discriminator_predictions\.", "classifier.discriminator."),
)
_NARROW_ELECTRA = (
    *_ELECTRA,
    (r"^(electra\.)?embeddings_project\.", "albert.encoder.embedding_hidden_mapping_in."),
    (r"^bert\.encoder\.layer\.(\d+)\.", r"albert.encoder.albert_layer_groups.\1.albert_layers.0."),
    (r"^bert\.", "albert."),
    (r"^cls\.predictions\.(transform\.)?", "predictions."),
    (r"\.attention\.self\.", ".attention."),
    (r"\.attention\.output\.", ".attention."),
    (r"\.intermediate\.dense\.", ".ffn."),
    (r"\.output\.dense\.", ".ffn_output."),
    (r"\.output\.LayerNorm\.", ".full_layer_layer_norm."),
)
# these activate by GELU, whatever the layers do
_GELU_HEADS = ("lm_head.", "generator_predictions.")
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
        translated = {**settings, "model_type": "bert"}
        if settings.get("type_vocab_size") == 1:
            translated["type_vocab_size"] = 2
        most = settings.get("max_position_embeddings")
        if isinstance(most, int):  # anything else is refused by its name
            translated["max_position_embeddings"] = most - _first_position(settings)
        return translated
    if kind == ELECTRA:
        kept = {key: value for key, value in settings.items() if not key.startswith("summary_")}
        kept = {**_ELECTRA_SETTINGS, **kept}
        if not _is_narrow(settings):
            return {**kept, "model_type": "bert"}
        return {**kept, "model_type": "albert", "num_hidden_groups": kept["num_hidden_layers"]}
    return dict(settings)


def _is_narrow(settings: Mapping[str, object]) -> bool:
    """Whether an ELECTRA's token embedding matrix has other columns than its states."""
    settings = {**_ELECTRA_SETTINGS, **settings}
    return settings["embedding_size"] != settings["hidden_size"]


def bert_weights(
    state: Mapping[str, Tensor], settings: Mapping[str, object], path: object = ""
) -> dict[str, Tensor]:
    """Return a relative's weights under BERT's names, a narrow ELECTRA's under ALBERT's; any other's as they are.

    Parameters
    ----------
    state : mapping of name to Tensor
        As the file holds them.
    settings : mapping
        The ``config.json`` next to it, as it stands there.

    Raises
    ------
    CheckpointError
        If there is an MLM head that activates otherwise than the layers: here one setting says both; if two names are of one weight.
    """
    kind = settings.get("model_type")
    if kind in (*ROBERTA, ELECTRA):
        _check_head(state, settings, path)
    if kind == "distilbert":
        renamed = _renamed(state, _DISTIL, path)
        if _WORDS in renamed:
            words = renamed[_WORDS]  # one without rows may claim any number of columns
            columns = words.shape[-1] if words.ndim and words.numel() else 0
            renamed[_SEGMENTS] = torch.zeros(2, columns)
        return renamed
    if kind in ROBERTA:
        renamed = _renamed(state, _ROBERTA, path)
        if _POSITIONS in renamed and renamed[_POSITIONS].ndim:
            renamed[_POSITIONS] = renamed[_POSITIONS][_first_position(settings) :]
        if _SEGMENTS in renamed and renamed[_SEGMENTS].ndim == 2 and len(renamed[_SEGMENTS]) == 1:
            renamed[_SEGMENTS] = renamed[_SEGMENTS].repeat(2, 1)
        return renamed
    if kind == ELECTRA:
        return _renamed(state, _NARROW_ELECTRA if _is_narrow(settings) else _ELECTRA, path)
    return dict(state)


def _check_head(state: Mapping[str, Tensor], settings: Mapping[str, object], path: object) -> None:
    """Refuse an MLM head, which activates by GELU, over layers that activate otherwise."""
    activation = settings.get("hidden_act")
    headed = any(name.startswith(_GELU_HEADS) for name in state)
    if headed and activation not in (None, "gelu"):
        raise CheckpointError("checkpoint_setting", path=path, key="hidden_act", value=activation)


def _first_position(settings: Mapping[str, object]) -> int:
    """Row of RoBERTa's position embedding matrix at which texts begin."""
    pad = settings.get("pad_token_id", 1)
    return pad + 1 if isinstance(pad, int) else 2


def _renamed(
    state: Mapping[str, Tensor], rules: tuple[tuple[str, str], ...], path: object
) -> dict[str, Tensor]:
    """Apply every rule to every name."""

    def rename(name: str) -> str:
        for old, new in rules:
            name = re.sub(old, new, name)
        return name

    return renamed_weights(state, rename, path)


def renamed_weights(
    state: Mapping[str, Tensor], rename: Callable[[str], str], path: object
) -> dict[str, Tensor]:
    """Return weights under other names.

    Raises
    ------
    CheckpointError
        If two stored names become one.
    """
    stored: dict[str, str] = {}
    for name in state:
        first = stored.setdefault(rename(name), name)
        if first != name:
            raise CheckpointError("checkpoint_two_names", path=path, first=first, second=name)
    return {new: state[name] for new, name in stored.items()}
