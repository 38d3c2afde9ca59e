"""Settings of a network, ours to and from Hugging Face's config.json: BERT, ALBERT, their relatives and ModernBERT.

DistilBERT and the RoBERTa family (XLM-RoBERTa, CamemBERT) are BERTs. ELECTRA (Clark et al. 2020) is a BERT too; where its token
embedding matrix is narrower than its states it is an ALBERT whose layers share nothing. What its discriminator says of replaced tokens
is no score of a vocabulary and is left out; its generator has an MLM head.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from embeddings.configuration import check_range, to_json
from embeddings.errors import CheckpointError
from embeddings.networks.bert_config import MODERN, NETWORK_CONFIGS, NetworkConfig
from embeddings.networks.modern_bert import ModernBertConfig

ROBERTA = ("roberta", "xlm-roberta", "camembert")
ELECTRA = "electra"
RELATIVES = ("distilbert", *ROBERTA, ELECTRA)
_DISTIL = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "hidden_dim": "intermediate_size",
    "activation": "hidden_act",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
}
_ELECTRA: Mapping[str, object] = {  # where a config.json leaves them out
    "embedding_size": 128,
    "hidden_size": 256,
    "num_hidden_layers": 12,
    "num_attention_heads": 4,
    "intermediate_size": 1024,
    "hidden_act": "gelu",
}
_MODERN = {  # theirs, ours
    "hidden_activation": "hidden_act",
    "norm_eps": "layer_norm_eps",
    "global_rope_theta": "global_theta",
    "local_rope_theta": "local_theta",
}
_BERT_ALONE = (  # settings of ours that a ModernBERT does not have
    "embedding_size",
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "type_vocab_size",
    "share_layers",
    "position_embedding_type",
    "embedding_norm",
    "pooler",
    "prediction_transform",
)
_GLOBAL, _LOCAL = "full_attention", "sliding_attention"
_THETAS = {_GLOBAL: "global_theta", _LOCAL: "local_theta"}
_HEADS = {"bert": "BertForPreTraining", "albert": "AlbertForPreTraining"}
# what is built here, where a config.json can ask for more
_FIXED = {"is_decoder": False, "add_cross_attention": False, "inner_group_num": 1}
# keys of their files that change no output: what for, by whom, how to run
_ABOUT = """
_name_or_path architectures bos_token_id chunk_size_feed_forward classifier_dropout classifier_dropout_prob
directionality down_scale_factor dtype eos_token_id gap_size gradient_checkpointing id2label is_encoder_decoder
label2id language layers_to_keep name net_structure_type num_hidden_groups num_memory_blocks output_attentions
output_hidden_states output_past pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers
pooler_size_per_head pooler_type problem_type return_dict torch_dtype transformers_version use_cache
qa_dropout seq_classif_dropout sinusoidal_pos_embds tie_weights_
attention_dropout classifier_pooling cls_token_id deterministic_flash_attn embedding_dropout
initializer_cutoff_factor mlp_dropout reference_compile repad_logits_with_grad sep_token_id
sparse_pred_ignore_index sparse_prediction
"""
_KINDS: Mapping[str, type[NetworkConfig]] = {**NETWORK_CONFIGS, MODERN: ModernBertConfig}
Settings = dict[str, object]
log = logging.getLogger(__name__)


def from_their_config(settings: Mapping[str, object], path: object = "") -> NetworkConfig:
    """Return the settings of a ``config.json`` of either making, a relative's as those of a BERT or an ALBERT.

    What would change the network and is not known here is refused; other unknown keys are logged.

    Raises
    ------
    CheckpointError
        If a setting is of another type than it should be, or asks for what is not built here.
    """
    settings = _in_our_keys(settings, path)
    kind = settings.get("model_type")
    if not isinstance(kind, str) or kind not in _KINDS:
        choices = ", ".join((*NETWORK_CONFIGS, *RELATIVES, MODERN))
        raise CheckpointError("checkpoint_model_type", path=path, found=kind, choices=choices)
    for key, fixed in _FIXED.items():
        if settings.get(key, fixed) != fixed:
            raise _refused(path, key, settings[key])
    known = _KINDS[kind].__dataclass_fields__
    if unknown := sorted(settings.keys() - known.keys() - _FIXED.keys() - {*_ABOUT.split()}):
        log.warning("%s: not known here and left out: %s", path, ", ".join(unknown))
    chosen = {key: value for key, value in settings.items() if key in known and value is not None}
    if kind == "albert" and "share_layers" not in settings:
        chosen["share_layers"] = _sharing(settings, path)
    return _built(kind, chosen, path)


def _built(kind: str, chosen: Mapping[str, object], path: object) -> NetworkConfig:
    """Return the settings of a kind of network; one of another type than its default is refused."""
    for key, value in chosen.items():
        if not _has_kind_of(value, _KINDS[kind].__dataclass_fields__[key].default):
            raise _refused(path, key, value)
    config = _KINDS[kind](**chosen)  # type: ignore[arg-type]
    size, heads = config.hidden_size, config.num_attention_heads
    if kind == MODERN and size // heads % 2:  # half of the columns turn the others
        raise _refused(path, "num_attention_heads", heads)
    return config


def _refused(path: object, key: str, value: object) -> CheckpointError:
    return CheckpointError("checkpoint_setting", path=path, key=key, value=value)


def _has_kind_of(value: object, default: object) -> bool:
    """Whether a setting is of its default's type; a whole number serves for a fraction."""
    kinds = (float, int) if isinstance(default, float) else (type(default),)
    return isinstance(value, kinds) and isinstance(value, bool) == isinstance(default, bool)


def _sharing(settings: Mapping[str, object], path: object) -> str:
    """Read ``num_hidden_groups``: one group shares all, as many as layers none."""
    groups = settings.get("num_hidden_groups", 1)
    if groups not in (1, settings.get("num_hidden_layers")):
        raise _refused(path, "num_hidden_groups", groups)
    return "all" if groups == 1 else "none"


def _in_our_keys(settings: Mapping[str, object], path: object) -> Settings:
    """Return a relative's or a ModernBERT's ``config.json`` in our keys; any other as it is."""
    kind = settings.get("model_type")
    if kind == "distilbert":
        kept = {_DISTIL.get(key, key): value for key, value in settings.items()}
        return {**kept, "model_type": "bert", "type_vocab_size": 2, "layer_norm_eps": 1e-12}
    if kind in ROBERTA:
        translated = {**settings, "model_type": "bert"}
        if settings.get("type_vocab_size") == 1:
            translated["type_vocab_size"] = 2
        most = settings.get("max_position_embeddings")
        if isinstance(most, int):  # anything else is refused by its name
            translated["max_position_embeddings"] = most - first_position(settings)
        return translated
    if kind == ELECTRA:
        kept = {**_ELECTRA, **settings}
        if kept["embedding_size"] == kept["hidden_size"]:
            return {**kept, "model_type": "bert"}
        return {**kept, "model_type": "albert", "num_hidden_groups": kept["num_hidden_layers"]}
    return _modern(settings, path) if kind == MODERN else dict(settings)


def first_position(settings: Mapping[str, object]) -> int:
    """Return the row of RoBERTa's position embedding matrix at which texts begin."""
    pad = settings.get("pad_token_id", 1)
    return pad + 1 if isinstance(pad, int) else 2


def _modern(settings: Mapping[str, object], path: object) -> Settings:
    """Return the settings of a ModernBERT in our keys, with rotary bases and local layers in the older or the newer spelling."""
    given = {
        _MODERN.get(key, key): value
        for key, value in settings.items()
        if key not in _BERT_ALONE and value is not None
    }
    scaling, every = given.pop("rope_scaling", None), given.pop("global_attn_every_n_layers", 3)
    kinds, rope = given.pop("layer_types", None), given.pop("rope_parameters", {})
    if scaling:
        raise _refused(path, "rope_scaling", scaling)
    layers = given.get("num_hidden_layers", ModernBertConfig.num_hidden_layers)
    if isinstance(layers, int):  # anything else is refused by its name
        check_range("num_hidden_layers", layers, 1, 1_000)
        given["global_layers"] = _global_layers(kinds, every, layers, path)
    return given | _bases(rope, path)


def _bases(given: object, path: object) -> Settings:
    """Read ``rope_parameters``: the base of each kind of layer; positions that are stretched, in whatever layers, are refused."""
    parts: dict[str, Any] = {"": given}
    if isinstance(given, dict):
        parts |= {name: given.get(kind) or {} for kind, name in _THETAS.items()}
    for part in parts.values():
        if not isinstance(part, dict) or part.get("rope_type", "default") != "default":
            raise _refused(path, "rope_parameters", given)
    return {n: part["rope_theta"] for n, part in parts.items() if n and "rope_theta" in part}


def _global_layers(kinds: object, every: object, layers: int, path: object) -> tuple[int, ...]:
    """Read ``layer_types``, or ``global_attn_every_n_layers``: which layers see all tokens, from 1."""
    if kinds is None:
        if not isinstance(every, int) or isinstance(every, bool) or every < 1:
            raise _refused(path, "global_attn_every_n_layers", every)
        return tuple(range(1, layers + 1, every))
    if (
        not isinstance(kinds, list)
        or len(kinds) != layers
        or not {*map(str, kinds)} <= {_GLOBAL, _LOCAL}
    ):
        raise _refused(path, "layer_types", kinds)
    return tuple(number for number, kind in enumerate(kinds, 1) if kind == _GLOBAL)


def to_their_config(config: NetworkConfig) -> Settings:
    """Return our settings as their classes want to find them."""
    settings = to_json(config)
    if isinstance(config, ModernBertConfig):
        return _to_modern(config)
    if config.model_type not in _HEADS:
        return settings
    settings |= {"architectures": [_HEADS[config.model_type]], "dtype": "float32"}
    if config.model_type == "albert":
        groups = 1 if config.share_layers == "all" else config.num_hidden_layers
        settings |= {"num_hidden_groups": groups, "inner_group_num": 1}
        return settings | {"embedding_size": config.width}
    del settings["embedding_size"]
    return settings


def _to_modern(config: ModernBertConfig) -> Settings:
    """Return the settings of a ModernBERT as their ``config.json`` has them."""
    settings = {key: value for key, value in to_json(config).items() if key not in _BERT_ALONE}
    bases = {kind: settings.pop(name) for kind, name in _THETAS.items()}
    settings |= {theirs: settings.pop(o) for theirs, o in _MODERN.items() if o in settings}
    del settings["global_layers"]
    numbers = range(1, config.num_hidden_layers + 1)
    return settings | {
        "architectures": ["ModernBertForMaskedLM"],
        "dtype": "float32",
        "layer_types": [_GLOBAL if n in config.global_layers else _LOCAL for n in numbers],
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": base} for kind, base in bases.items()
        },
    }
