"""Names of weights, ours to and from Hugging Face's, so that one file serves both; weight_names.toml has a table for each family.

A folder is written under their names. ALBERT shares whole layers there: networks that share only attention or only the feed-forward
part are written layer by layer, with equal outputs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from embeddings.errors import CheckpointError, wrong_shape
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.bert_config import KAZAN, MODERN, NetworkConfig
from embeddings.networks.huggingface_settings import ELECTRA, ROBERTA, first_position
from embeddings.networks.layers import sinusoidal

# names of weights that belong to a task head on top, or only number positions
_TASKS = ("classifier.", "qa_outputs.", "pre_classifier.", "discriminator_predictions.")
_NUMBERS = "position_ids"
_WORDS, _DECODER = "encoder.inputs.tokens.weight", "tokens.decoder.weight"
_SEGMENTS, _POSITIONS = "encoder.inputs.segments.weight", "encoder.inputs.positions.weight"


@cache
def _tables() -> dict[str, dict[str, str | list[str]]]:
    """Return their names of our modules and weights by family."""
    path = Path(__file__).with_name("weight_names.toml")
    tables: dict[str, dict[str, str | list[str]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tables | dict.fromkeys(ROBERTA, tables["roberta"]) | {KAZAN: tables["bert"]}


def their_names(ours: str, kind: str, config: NetworkConfig) -> tuple[str, ...]:
    """Return the names that a file of the family ``kind`` has for one of our weights, () if it has none.

    Where all layers are shared, all of ours are the first group of theirs.
    """
    table, (module, _, ending) = _tables()[kind], ours.rpartition(".")
    group = ""
    if ours.startswith("encoder.layers."):
        layer = ours.split(".")[2]
        module = module.replace(f".{layer}.", ".{}.", 1)
        group = "0" if config.share_layers == "all" else layer
    if ours in table:
        return (str(table[ours]),)
    names = table.get(module, [])
    return tuple(
        f"{name.format(group)}.{ending}" for name in ([names] if isinstance(names, str) else names)
    )


def _second_bias(kind: str, config: NetworkConfig) -> str:
    """Their name of the bias that an untied head adds: that of its decoder."""
    return their_names(_DECODER, kind, config)[0].replace("weight", "bias")


def to_huggingface(state: Mapping[str, Tensor], config: NetworkConfig) -> dict[str, Tensor]:
    """Return our weights under their names; shared ones once, the head's tied copies left out."""
    kind, tied = config.model_type, config.tie_word_embeddings
    out: dict[str, Tensor] = {}
    for ours, tensor in state.items():
        if ours == _DECODER and tied:
            continue
        names = their_names(ours, kind, config)
        for name, part in zip(names, tensor.chunk(len(names)), strict=True):
            out[name] = part.clone()  # parts of one matrix must not share memory in the file
    if not tied and "tokens.decoder.bias" in state:
        out[_second_bias(kind, config)] = state["tokens.decoder.bias"].clone()  # theirs adds this
    # a table to them, so their outputs are equal
    if config.position_embedding_type == "sinusoidal":
        (name,) = their_names(_POSITIONS, kind, config)
        out[name] = sinusoidal(config.max_position_embeddings, config.width)
    return out


def from_huggingface(
    state: Mapping[str, Tensor],
    network: PretrainingNetwork,
    settings: Mapping[str, object],
    path: object = "",
) -> tuple[dict[str, Tensor], frozenset[str]]:
    """Return their weights under the names of ``network``, and which of its parts are not there ("pooler", "tokens", "sentences").

    Parameters
    ----------
    settings : mapping
        The ``config.json`` next to the file, which says the family.

    Raises
    ------
    CheckpointError
        If a weight of the encoder or half of a head is missing, or a name is not known, or two are names of one weight; if the MLM
        head activates otherwise than the layers.
    """
    config, kind = network.config, str(settings["model_type"])
    expected = {ours: their_names(ours, kind, config) for ours in network.state_dict()}
    known = {name for names in expected.values() for name in names}
    theirs = _spelled(state, kind, known, path)
    decoder, bias = *their_names(_DECODER, kind, config), _second_bias(kind, config)
    if config.tie_word_embeddings:
        expected.pop(_DECODER, None)
    elif bias in theirs:
        theirs[their_names("tokens.decoder.bias", kind, config)[0]] = theirs[bias]
    _adapt_tables(theirs, expected, settings)
    out, lacking = _gathered(theirs, expected, path)
    repeated = {decoder, bias, *their_names(_POSITIONS, kind, config)}
    for name in sorted(theirs.keys() - known - repeated):
        if not name.endswith(_NUMBERS) and not name.startswith(_TASKS):
            raise CheckpointError("checkpoint_unknown_weight", path=path, name=name)
    if "tokens" not in lacking:
        _check_head(settings, path)
        if config.tie_word_embeddings:
            out[_DECODER] = out[_WORDS]
    return out, lacking


def _gathered(
    theirs: Mapping[str, Tensor], expected: Mapping[str, tuple[str, ...]], path: object
) -> tuple[dict[str, Tensor], frozenset[str]]:
    """Return the weights that are there under our names, and the parts that are not; half a part is refused."""
    out: dict[str, Tensor] = {}
    lacking: dict[str, list[str]] = {}
    joined: dict[tuple[str, ...], Tensor] = {}  # layers that share their weights share these
    for ours, names in expected.items():
        missing = [name for name in names if name not in theirs]
        if missing or not names:
            lacking.setdefault(_part(ours), []).extend(missing)
            continue
        if names not in joined:
            joined[names] = _joined([theirs[name] for name in names], names, path)
        out[ours] = joined[names]
    present = {"encoder", *map(_part, out)} - {"sentences"}
    for part, missing in lacking.items():
        if part in present:
            raise CheckpointError("checkpoint_missing_weight", path=path, name=missing[0])
    return out, frozenset(lacking)


def _part(ours: str) -> str:
    """Return the part of the network that one of our weights belongs to: "encoder", "pooler", "tokens" or "sentences"."""
    first, second, *_ = ours.split(".")
    return second if second == "pooler" else first


def _spelled(
    state: Mapping[str, Tensor], kind: str, known: set[str], path: object
) -> dict[str, Tensor]:
    """Return weights under their full, present names: layer norm had gamma and beta, bodies are saved without their prefix.

    The dense layer before a ModernBERT's classifier is called as that of its MLM head is, and left out.
    """
    body = str(_tables()[kind]["encoder.inputs.tokens"]).partition(".")[0]
    stored: dict[str, str] = {}
    for name in state:
        spelled = name.replace("LayerNorm.gamma", "LayerNorm.weight")
        spelled = spelled.replace("LayerNorm.beta", "LayerNorm.bias")
        whole = f"{body}.{spelled}"
        first = stored.setdefault(whole if whole in known else spelled, name)
        if first != name:
            raise CheckpointError("checkpoint_two_names", path=path, first=first, second=name)
    is_task = kind == MODERN and "classifier.weight" in stored
    return {n: state[o] for n, o in stored.items() if not (is_task and n.startswith("head."))}


def _adapt_tables(
    theirs: dict[str, Tensor],
    expected: Mapping[str, tuple[str, ...]],
    settings: Mapping[str, object],
) -> None:
    """Give a relative's tables the rows of BERT's: DistilBERT has no segments, RoBERTa one, and its texts begin at a later position."""
    kind = settings["model_type"]
    if kind == "distilbert" and (words := theirs.get(expected[_WORDS][0])) is not None:
        # one without rows may claim any number of columns
        columns = words.shape[-1] if words.ndim and words.numel() else 0
        theirs[expected[_SEGMENTS][0]] = torch.zeros(2, columns)
    if kind in ROBERTA:
        (positions,), (segments,) = expected[_POSITIONS], expected[_SEGMENTS]
        if positions in theirs and theirs[positions].ndim:
            theirs[positions] = theirs[positions][first_position(settings) :]
        if segments in theirs and theirs[segments].ndim == 2 and len(theirs[segments]) == 1:
            theirs[segments] = theirs[segments].repeat(2, 1)


def _check_head(settings: Mapping[str, object], path: object) -> None:
    """Refuse an MLM head, which activates by GELU in some families, over layers that activate otherwise: here one setting says both."""
    value = settings.get("hidden_act")
    if settings["model_type"] in (*ROBERTA, ELECTRA) and value not in (None, "gelu"):
        raise CheckpointError("checkpoint_setting", path=path, key="hidden_act", value=value)


def _joined(parts: Sequence[Tensor], names: Sequence[str], path: object) -> Tensor:
    """Join the rows of matrices; those that differ in columns are refused."""
    first = parts[0]
    for name, part in zip(names, parts, strict=True):
        if not part.ndim or part.shape[1:] != first.shape[1:]:
            raise wrong_shape(path, name, part.shape, first.shape)
    return first if len(parts) == 1 else torch.cat(list(parts))
