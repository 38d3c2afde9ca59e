"""ModernBERT in and out: names of weights and settings, ours to and from Hugging Face's."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from torch import Tensor

from embeddings.configuration import check_range
from embeddings.errors import CheckpointError
from embeddings.networks.bert_config import MODERN, NetworkConfig
from embeddings.networks.huggingface_names import from_their_config, has_kind_of
from embeddings.networks.modern_bert import ModernBertConfig

log = logging.getLogger(__name__)
_WEIGHTS = (  # column 0: ours, 1: theirs
    ("encoder.inputs.tokens.", "model.embeddings.tok_embeddings."),
    ("encoder.inputs.norm.", "model.embeddings.norm."),
    ("encoder.layers.", "model.layers."),
    ("encoder.final_norm.", "model.final_norm."),
    (".attention.norm.", ".attn_norm."),
    (".attention.attention.query_key_value.", ".attn.Wqkv."),
    (".attention.attention.output.", ".attn.Wo."),
    (".feed_forward.norm.", ".mlp_norm."),
    (".feed_forward.feed_forward.inner.", ".mlp.Wi."),
    (".feed_forward.feed_forward.outer.", ".mlp.Wo."),
    ("tokens.decoder.", "decoder."),
    ("tokens.", "head."),
)
_OF_A_BODY = ("embeddings.", "layers.", "final_norm.")  # names in a file without heads
_SETTINGS = {"hidden_activation": "hidden_act", "norm_eps": "layer_norm_eps"}  # theirs, ours
_OURS_ALONE = (  # of BERT; nothing here reads them
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


def from_any_config(settings: Mapping[str, object], path: object = "") -> NetworkConfig:
    """Return the settings of any network that can be asked; raises as `from_their_config` and `from_modern_config`."""
    modern = settings.get("model_type") == MODERN
    return (from_modern_config if modern else from_their_config)(settings, path)


def from_modern_config(settings: Mapping[str, object], path: object = "") -> ModernBertConfig:
    """Return the settings of a ModernBERT's ``config.json``, with rotary bases and local layers in the older or the newer spelling.

    Raises
    ------
    CheckpointError
        If a setting is of another type than it should be, or asks for what is not built here.
    """
    ours = {_SETTINGS.get(key, key): value for key, value in settings.items() if value is not None}
    known = ModernBertConfig.__dataclass_fields__
    chosen: dict[str, Any] = {
        key: ours[key] for key in known if key in ours and key not in _OURS_ALONE
    }
    chosen.pop("global_layers", None)
    for key, base in (("global_theta", "global_rope_theta"), ("local_theta", "local_rope_theta")):
        if base in ours:
            chosen[key] = ours[base]
    chosen |= _bases(ours, path)
    for key, value in chosen.items():
        if not has_kind_of(value, known[key].default):
            raise CheckpointError("checkpoint_setting", path=path, key=key, value=value)
    layers = chosen.get("num_hidden_layers", known["num_hidden_layers"].default)
    check_range("num_hidden_layers", layers, 1, 1_000)
    config = ModernBertConfig(**chosen, global_layers=_global_layers(ours, layers, path))
    if config.hidden_size // config.num_attention_heads % 2:  # half of the columns turn the others
        key, value = "num_attention_heads", config.num_attention_heads
        raise CheckpointError("checkpoint_setting", path=path, key=key, value=value)
    return config


def _bases(settings: Mapping[str, object], path: object) -> dict[str, object]:
    """Read ``rope_parameters``: the base of each kind of layer; positions that are stretched are refused."""
    if settings.get("rope_scaling"):
        value = settings["rope_scaling"]
        raise CheckpointError("checkpoint_setting", path=path, key="rope_scaling", value=value)
    given = settings.get("rope_parameters", {})
    bases: dict[str, object] = {}
    flat = {} if not isinstance(given, dict) or {_GLOBAL, _LOCAL} & given.keys() else given
    if flat.get("rope_type", "default") != "default":  # of all layers at once
        raise CheckpointError("checkpoint_setting", path=path, key="rope_parameters", value=given)
    for kind, name in ((_GLOBAL, "global_theta"), (_LOCAL, "local_theta")):
        of_kind = given.get(kind) if isinstance(given, dict) else given
        of_kind = {} if of_kind is None else of_kind
        if not isinstance(of_kind, dict) or of_kind.get("rope_type", "default") != "default":
            raise CheckpointError(
                "checkpoint_setting", path=path, key="rope_parameters", value=given
            )
        if "rope_theta" in of_kind:
            bases[name] = of_kind["rope_theta"]
    return bases


def _global_layers(settings: Mapping[str, object], layers: int, path: object) -> tuple[int, ...]:
    """Read ``layer_types``, or ``global_attn_every_n_layers``: which layers see all tokens, from 1."""
    kinds = settings.get("layer_types")
    if kinds is None:
        every = settings.get("global_attn_every_n_layers", 3)
        if not isinstance(every, int) or isinstance(every, bool) or every < 1:
            key = "global_attn_every_n_layers"
            raise CheckpointError("checkpoint_setting", path=path, key=key, value=every)
        return tuple(range(1, layers + 1, every))
    if (
        not isinstance(kinds, list)
        or len(kinds) != layers
        or not {*map(str, kinds)} <= {_GLOBAL, _LOCAL}
    ):
        raise CheckpointError("checkpoint_setting", path=path, key="layer_types", value=kinds)
    return tuple(number for number, kind in enumerate(kinds, 1) if kind == _GLOBAL)


def to_modern_config(config: ModernBertConfig) -> dict[str, object]:
    """Return our settings as their ``config.json`` has them."""
    settings = {key: value for key, value in asdict(config).items() if key not in _OURS_ALONE}
    settings |= {theirs: settings.pop(ours) for theirs, ours in _SETTINGS.items()}
    layers = {*settings.pop("global_layers")}
    numbers = range(1, config.num_hidden_layers + 1)
    bases = {_GLOBAL: settings.pop("global_theta"), _LOCAL: settings.pop("local_theta")}
    return settings | {
        "architectures": ["ModernBertForMaskedLM"],
        "dtype": "float32",
        "layer_types": [_GLOBAL if number in layers else _LOCAL for number in numbers],
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": base} for kind, base in bases.items()
        },
    }


def from_modern_weights(
    state: Mapping[str, Tensor], config: ModernBertConfig
) -> tuple[dict[str, Tensor], frozenset[str]]:
    """Return their weights under our names, and ``{"tokens"}`` where there is no MLM head; heads of other tasks are left out."""
    ours = {
        _renamed(f"model.{name}" if name.startswith(_OF_A_BODY) else name, 1, 0): tensor
        for name, tensor in state.items()
        if not name.startswith("classifier.")
    }
    headed = any(name.startswith("tokens.decoder.") for name in ours) or (
        not config.decoder_bias
        and "classifier.weight" not in state
        and "tokens.dense.weight" in ours
    )
    if not headed:
        return {n: t for n, t in ours.items() if not n.startswith("tokens.")}, frozenset({"tokens"})
    if config.tie_word_embeddings and "encoder.inputs.tokens.weight" in ours:
        ours["tokens.decoder.weight"] = ours["encoder.inputs.tokens.weight"]
    return ours, frozenset()


def to_modern_weights(state: Mapping[str, Tensor], config: ModernBertConfig) -> dict[str, Tensor]:
    """Return our weights under their names, a tied matrix once."""
    copies = ("tokens.decoder.weight",) if config.tie_word_embeddings else ()
    return {_renamed(name, 0, 1): tensor for name, tensor in state.items() if name not in copies}


def _renamed(name: str, old: int, new: int) -> str:
    """Replace each part of a weight's name in one column of the table by that in another."""
    for row in _WEIGHTS:
        name = name.replace(row[old], row[new])
    return name
