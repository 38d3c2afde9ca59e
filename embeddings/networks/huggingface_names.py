"""Hugging Face in and out: names of weights and settings, ours to and from those of their BERT and ALBERT, so that one file serves both.

A folder is written under their names. ALBERT shares whole layers there: networks that share only attention or only the feed-forward
part are written layer by layer, with equal outputs. DistilBERT, the RoBERTa family and ELECTRA are translated first
(`embeddings.networks.relatives`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from embeddings.errors import CheckpointError, wrong_shape
from embeddings.networks.bert_config import KINDS, MODERN, NetworkConfig
from embeddings.networks.layers import sinusoidal
from embeddings.networks.relatives import RELATIVES, bert_settings, renamed_weights

log = logging.getLogger(__name__)
_QKV = "attention.attention.query_key_value"
_BERT = {
    _QKV: ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.attention.output": ("attention.output.dense",),
    "attention.norm": ("attention.output.LayerNorm",),
    "feed_forward.feed_forward.inner": ("intermediate.dense",),
    "feed_forward.feed_forward.outer": ("output.dense",),
    "feed_forward.norm": ("output.LayerNorm",),
}
_ALBERT = {
    _QKV: ("attention.query", "attention.key", "attention.value"),
    "attention.attention.output": ("attention.dense",),
    "attention.norm": ("attention.LayerNorm",),
    "feed_forward.feed_forward.inner": ("ffn",),
    "feed_forward.feed_forward.outer": ("ffn_output",),
    "feed_forward.norm": ("full_layer_layer_norm",),
}
# keys of their files that change no output: what for, by whom, how to run
_ABOUT = """
_name_or_path architectures bos_token_id chunk_size_feed_forward classifier_dropout classifier_dropout_prob
directionality down_scale_factor dtype eos_token_id gap_size gradient_checkpointing id2label is_encoder_decoder
label2id language layers_to_keep name net_structure_type num_hidden_groups num_memory_blocks output_attentions
output_hidden_states output_past pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers
pooler_size_per_head pooler_type problem_type return_dict torch_dtype transformers_version use_cache
"""
Row = tuple[str, tuple[str, ...], str]  # our name, their names (joined by rows), the part


def weight_names(config: NetworkConfig) -> Iterator[Row]:
    """Yield our name of every weight, theirs, and its part ("encoder", "pooler", "tokens", "sentences")."""
    base, head = _base(config), _head(config)
    tables = {"tokens": "word", "segments": "token_type", "positions": "position"}
    for ours, theirs in tables.items():
        if ours != "positions" or config.position_embedding_type == "absolute":
            their = f"{base}.embeddings.{theirs}_embeddings.weight"
            yield f"encoder.inputs.{ours}.weight", (their,), "encoder"
    modules = [*_inputs(config, base), *_layers(config, base), *_heads(config, base, head)]
    for name, parts, part in modules:
        for kind in ("weight", "bias"):
            yield f"{name}.{kind}", tuple(f"{module}.{kind}" for module in parts), part
    yield "tokens.decoder.bias", (f"{head}.bias",), "tokens"
    if not config.tie_word_embeddings:
        yield "tokens.decoder.weight", (f"{head}.decoder.weight",), "tokens"


def _is_albert(config: NetworkConfig) -> bool:
    """ALBERT names its weights otherwise than BERT (and the network of Kazan 2019, which borrows BERT's names)."""
    return config.model_type == "albert"


def _base(config: NetworkConfig) -> str:
    """Their name of the body."""
    return "albert" if _is_albert(config) else "bert"


def _inputs(config: NetworkConfig, base: str) -> Iterator[Row]:
    """Modules before the first layer."""
    if config.embedding_norm:
        yield "encoder.inputs.norm", (f"{base}.embeddings.LayerNorm",), "encoder"
    if _is_albert(config):
        yield "encoder.widen", (f"{base}.encoder.embedding_hidden_mapping_in",), "encoder"


def _layers(config: NetworkConfig, base: str) -> Iterator[Row]:
    """Modules of the layers; all of ours point to their first where all is shared."""
    for layer in range(config.num_hidden_layers):
        group = 0 if config.share_layers == "all" else layer
        group_path = f"albert_layer_groups.{group}.albert_layers.0"
        prefix = f"{base}.encoder." + (group_path if _is_albert(config) else f"layer.{layer}")
        for ours, theirs in (_ALBERT if _is_albert(config) else _BERT).items():
            name = f"encoder.layers.{layer}.{ours}"
            yield name, tuple(f"{prefix}.{part}" for part in theirs), "encoder"


def _heads(config: NetworkConfig, base: str, head: str) -> Iterator[Row]:
    """Pooler and both heads."""
    albert = _is_albert(config)
    if config.pooler:
        yield "encoder.pooler", (f"{base}.pooler" + ("" if albert else ".dense"),), "pooler"
    if config.prediction_transform:
        inner = head if albert else f"{head}.transform"
        yield "tokens.dense", (f"{inner}.dense",), "tokens"
        yield "tokens.norm", (f"{inner}.LayerNorm",), "tokens"
    sentence = "sop_classifier.classifier" if albert else "cls.seq_relationship"
    yield "sentences", (sentence,), "sentences"


def to_huggingface(state: Mapping[str, Tensor], config: NetworkConfig) -> dict[str, Tensor]:
    """Return our weights under their names; shared ones once, the head's tied copies left out."""
    out: dict[str, Tensor] = {}
    for ours, theirs, _ in weight_names(config):
        if ours not in state:  # a network read without this head
            continue
        for name, part in zip(theirs, state[ours].chunk(len(theirs)), strict=True):
            out[name] = part.clone()  # parts of one matrix must not share memory in the file
    head = _head(config)
    if not config.tie_word_embeddings and f"{head}.bias" in out:
        out[f"{head}.decoder.bias"] = out[f"{head}.bias"].clone()  # theirs adds this one
    # a table to them, so their outputs are equal
    if config.position_embedding_type == "sinusoidal":
        out[_waves(config)] = sinusoidal(config.max_position_embeddings, config.width)
    return out


def _head(config: NetworkConfig) -> str:
    """Their name of the MLM head."""
    return "predictions" if _is_albert(config) else "cls.predictions"


def _waves(config: NetworkConfig) -> str:
    """Their name of the position embedding matrix."""
    return f"{_base(config)}.embeddings.position_embeddings.weight"


def from_huggingface(
    state: Mapping[str, Tensor], config: NetworkConfig, path: object = ""
) -> tuple[dict[str, Tensor], frozenset[str]]:
    """Return their weights under our names, and which parts are not there ("pooler", "tokens", "sentences").

    Raises
    ------
    CheckpointError
        If a weight of the encoder or half of a head is missing, or a name is not known, or two are names of one weight.
    """
    modern = renamed_weights(state, lambda name: _modern(name, config), path)
    _take_decoder_bias(modern, config)
    out: dict[str, Tensor] = {}
    lacking: dict[str, list[str]] = {}
    present: set[str] = set()
    joined: dict[tuple[str, ...], Tensor] = {}  # layers that share their weights share these
    for ours, theirs, part in weight_names(config):
        if all(name in modern for name in theirs):
            if theirs not in joined:
                joined[theirs] = _joined([modern[name] for name in theirs], theirs, path)
            out[ours] = joined[theirs]
            present.add(part)
        else:
            lacking.setdefault(part, []).extend(name for name in theirs if name not in modern)
    for part, missing in lacking.items():
        if part == "encoder" or (part in present and part != "sentences"):
            raise CheckpointError("checkpoint_missing_weight", path=path, name=missing[0])
    known = {name for _, theirs, _ in weight_names(config) for name in theirs} | {_waves(config)}
    unknown = sorted(name for name in modern if name not in known and not _ignored(name))
    if unknown:
        raise CheckpointError("checkpoint_unknown_weight", path=path, name=unknown[0])
    if config.tie_word_embeddings and "tokens" not in lacking:
        out["tokens.decoder.weight"] = out["encoder.inputs.tokens.weight"]
    return out, frozenset(lacking)


def _take_decoder_bias(state: dict[str, Tensor], config: NetworkConfig) -> None:
    """Take the bias that their head adds where it is untied: of two, that of its decoder."""
    head = _head(config)
    if not config.tie_word_embeddings and f"{head}.decoder.bias" in state:
        state[f"{head}.bias"] = state[f"{head}.decoder.bias"]


def _joined(parts: Sequence[Tensor], names: Sequence[str], path: object) -> Tensor:
    """Join the rows of matrices; those that differ in columns are refused."""
    first = parts[0]
    for name, part in zip(names, parts, strict=True):
        if not part.ndim or part.shape[1:] != first.shape[1:]:
            raise wrong_shape(path, name, part.shape, first.shape)
    return first if len(parts) == 1 else torch.cat(list(parts))


def _modern(name: str, config: NetworkConfig) -> str:
    """Old spellings: gamma and beta of layer norm; bodies saved without their prefix."""
    name = name.replace("LayerNorm.gamma", "LayerNorm.weight")
    name = name.replace("LayerNorm.beta", "LayerNorm.bias")
    if name.startswith(("embeddings.", "encoder.", "pooler.")):
        name = f"{_base(config)}.{name}"
    return name


def _ignored(name: str) -> bool:
    """Names that repeat others (tied copies, position numbers) or belong to a task head on top."""
    return name.endswith(
        ("position_ids", "predictions.decoder.weight", "predictions.decoder.bias")
    ) or (name.startswith(("classifier.", "qa_outputs.")))


def to_their_config(config: NetworkConfig, settings: dict[str, object]) -> dict[str, object]:
    """Add to our settings what their classes want to find."""
    heads = {"bert": "BertForPreTraining", "albert": "AlbertForPreTraining"}
    if config.model_type not in heads:
        return settings
    extra: dict[str, object] = {"architectures": [heads[config.model_type]], "dtype": "float32"}
    settings = dict(settings)
    if config.model_type == "albert":
        groups = 1 if config.share_layers == "all" else config.num_hidden_layers
        extra |= {"num_hidden_groups": groups, "inner_group_num": 1}
        settings["embedding_size"] = config.width
    else:
        del settings["embedding_size"]
    return settings | extra


def from_their_config(settings: Mapping[str, object], path: object = "") -> NetworkConfig:
    """Return the settings of a ``config.json`` of either making, a relative's (`embeddings.networks.relatives`) as BERT's.

    What would change the network and is not known here is refused; other unknown keys are logged.
    """
    settings = bert_settings(settings)
    kind = settings.get("model_type")
    if not isinstance(kind, str) or kind not in KINDS:
        choices = ", ".join((*KINDS, *RELATIVES, MODERN))
        raise CheckpointError("checkpoint_model_type", path=path, found=kind, choices=choices)
    wanted: Mapping[str, object] = {
        "is_decoder": False,
        "add_cross_attention": False,
        "inner_group_num": 1,
    }
    for key, value in wanted.items():
        if settings.get(key, value) != value:
            raise CheckpointError("checkpoint_setting", path=path, key=key, value=settings[key])
    known = NetworkConfig.__dataclass_fields__
    if unknown := sorted(settings.keys() - known.keys() - wanted.keys() - {*_ABOUT.split()}):
        log.warning("%s: not known here and left out: %s", path, ", ".join(unknown))
    known_settings = {
        key: value for key, value in settings.items() if key in known and value is not None
    }
    if kind == "albert" and "share_layers" not in settings:
        known_settings["share_layers"] = _sharing(settings, path)
    for key, value in known_settings.items():
        if not has_kind_of(value, KINDS[kind].__dataclass_fields__[key].default):
            raise CheckpointError("checkpoint_setting", path=path, key=key, value=value)
    return KINDS[kind](**known_settings)  # type: ignore[arg-type]


def has_kind_of(value: object, default: object) -> bool:
    """Whether a setting is of its default's type; a whole number serves for a fraction."""
    kinds = (float, int) if isinstance(default, float) else (type(default),)
    return isinstance(value, kinds) and isinstance(value, bool) == isinstance(default, bool)


def _sharing(settings: Mapping[str, object], path: object) -> str:
    """Read ``num_hidden_groups``: one group shares all, as many as layers none."""
    groups = settings.get("num_hidden_groups", 1)
    if groups == 1:
        return "all"
    if groups == settings.get("num_hidden_layers"):
        return "none"
    raise CheckpointError("checkpoint_setting", path=path, key="num_hidden_groups", value=groups)
