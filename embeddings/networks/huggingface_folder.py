"""A network as a folder that Hugging Face's library opens too: config.json, model.safetensors, the vocabulary, card.json.

The card holds each file's sha256; opening verifies them. Nothing is unpickled. A folder of our own form (classifier, translator)
names the BERT that it is built on in its card, by the sha256 of the weights, and holds no copy of it.

Sizes that config.json claims take no memory before they are checked against the weights that are stored: a network is laid out on torch's
meta device first. Weights of a large file stay memory-mapped as they are stored: they cost no time to copy, several processes share
them, and the system may drop what it can read again. Only float32 stays so, and not queries, keys and values, which are one matrix here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.overrides import TorchFunctionMode

from embeddings.configuration import Config, from_json
from embeddings.errors import CheckpointError, InputError, MissingFileError, clause, wrong_shape
from embeddings.files import (
    CONFIG,
    WEIGHTS,
    read_json,
    sha256,
    shard_names,
    write_json,
)
from embeddings.machine_memory import free_memory
from embeddings.model_card import load_card, verify_card
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.bert_config import MODERN
from embeddings.networks.huggingface_names import from_huggingface, to_huggingface
from embeddings.networks.huggingface_settings import from_their_config, to_their_config
from embeddings.networks.modern_bert import ModernBert, ModernBertConfig

N = TypeVar("N", bound=torch.nn.Module)
C = TypeVar("C", bound=Config)
LARGEST_WAVES = 1 << 26  # bytes of sinusoidal positions, which no stored weight speaks for
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_CODES = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool)
MAPPED_PAST = 1 << 26  # bytes of a file from which on weights stay memory-mapped
WORKING = 1 << 28  # bytes beside the weights: what texts take on their way, joined matrices
INDEX = "model.safetensors.index.json"  # of weights in several files
LENS = "lens.safetensors"  # of the layers' guesses, `embeddings.probing.jacobian_lens`


def save_network(
    network: PretrainingNetwork, folder: Path, dtype: torch.dtype = torch.float32
) -> None:
    """Write config.json and model.safetensors into an existing folder (see `embeddings.files.atomic_folder`)."""
    state = to_huggingface(network.state_dict(), network.config)
    state = {name: tensor.detach().to("cpu", dtype) for name, tensor in state.items()}
    save_file(state, str(folder / WEIGHTS), metadata={"format": "pt"})
    settings = to_their_config(network.config)
    write_json(folder / CONFIG, settings)  # dtype float32: so they compute, whatever is stored


def open_network(folder: Path) -> PretrainingNetwork:
    """Read a network that training can begin with: any of `open_any_network` but a ModernBERT, which is asked and not built upon.

    Raises
    ------
    MissingFileError, CheckpointError, InputError
        As `open_any_network`; if it is a ModernBERT.
    """
    if read_json(folder / CONFIG).get("model_type") == MODERN:
        raise CheckpointError("network_modern", path=folder)
    return open_any_network(folder)


def open_any_network(folder: Path) -> PretrainingNetwork:
    """Read the folder of a BERT or ALBERT of either making, of a relative or of a ModernBERT, float32, ready to run (dropout off).

    DistilBERT, RoBERTa, XLM-RoBERTa, CamemBERT and ELECTRA are read as the BERTs that they are, a narrow ELECTRA as an ALBERT
    that shares nothing. A head or pooler that the folder lacks is None.

    Raises
    ------
    MissingFileError, CheckpointError
        If a file is missing, truncated, changed since its card was written, or does not fit config.json.
    InputError
        If the network needs more memory than is free.
    """
    verify_card(folder)
    path, settings = folder / WEIGHTS, read_json(folder / CONFIG)
    config = from_their_config(settings, folder / CONFIG)
    if config.position_embedding_type == "sinusoidal":
        check_waves(config.max_position_embeddings, config.width, folder / CONFIG)
    check_memory(path)
    network = lay_out(
        lambda: (
            ModernBert(config)
            if isinstance(config, ModernBertConfig)
            else PretrainingNetwork(config)
        )
    )
    state, lacking = from_huggingface(read_weights(path), network, settings, path)
    network.tokens = None if "tokens" in lacking else network.tokens
    network.sentences = None if "sentences" in lacking else network.sentences
    network.encoder.pooler = None if "pooler" in lacking else network.encoder.pooler
    mapped = path.exists() and path.stat().st_size >= MAPPED_PAST
    fill_network(network, state, path, mapped=mapped)
    if network.tokens is not None and config.tie_word_embeddings:
        network.tokens.decoder.weight = network.encoder.inputs.tokens.weight
    return network


def lay_out(build: Callable[[], N]) -> N:
    """Build a network whose sizes take no memory before `fill_network` has checked them against weights."""
    with torch.device("meta"), _NoNumbers():
        return build()


def fill_network(
    network: N, state: Mapping[str, Tensor], path: object, *, mapped: bool = False
) -> N:
    """Put weights as float32 into a network of `lay_out`, which is then ready to run.

    Parameters whose tensors are shared are no longer one object. ``mapped``: weights stay where they are.

    Raises
    ------
    CheckpointError
        As `check_fit`.
    """
    check_fit(network, state, path)
    network.load_state_dict(_as_float32(state, mapped=mapped), assign=True)
    return network.eval()


def _as_float32(state: Mapping[str, Tensor], *, mapped: bool) -> dict[str, Tensor]:
    """Return weights as float32, each tensor once; if not ``mapped`` in memory of their own."""
    kept = {
        id(tensor): tensor.float() if mapped else tensor.to(torch.float32, copy=True)
        for tensor in state.values()
    }
    return {name: kept[id(tensor)] for name, tensor in state.items()}


def count_weights(path: Path) -> int:
    """Return how many weights lie in ``path``; only their shapes are read."""
    shapes = []
    for part in weight_files(path):
        with _file_refusals(part), safe_open(str(part), "pt") as file:
            shapes += [file.get_slice(name).get_shape() for name in file.keys()]  # noqa: SIM118
    return sum(math.prod(shape) for shape in shapes)


def check_memory(path: Path) -> None:
    """Raise `InputError` if a network whose weights lie in ``path`` needs more memory than is free."""
    needed, free = 4 * count_weights(path) + WORKING, free_memory()
    if free is not None and needed > free:
        raise InputError("network_memory", path=path, needed=needed >> 20, free=free >> 20)


def read_own_settings(folder: Path, kind: type[C], model_type: str) -> C:
    """Read the config.json of a folder of our own form.

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If it is missing, of another kind of model, or has a setting that is not known or of another type.
    """
    path = folder / CONFIG
    settings = read_json(path)
    if (found := settings.get("model_type")) != model_type:
        raise CheckpointError("checkpoint_model_type", path=path, found=found, choices=model_type)
    return from_json(kind, settings, path)


class _NoNumbers(TorchFunctionMode):
    """Leaves weights undrawn: those of a file take their place (and drawing them on the meta device imports 800 modules)."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if getattr(func, "__module__", "") == torch.nn.init.__name__:
            return args[0] if args else (kwargs or {})["tensor"]
        return func(*args, **(kwargs or {}))


def check_waves(positions: int, columns: int, path: object) -> None:
    """Raise `CheckpointError` if sinusoidal positions, which are computed, would take over `LARGEST_WAVES`."""
    size = 4 * positions * columns
    if size > LARGEST_WAVES:
        raise CheckpointError(
            "checkpoint_claims",
            path=path,
            rows=positions,
            columns=columns,
            size=size >> 20,
            bound=LARGEST_WAVES >> 20,
        )


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file, or the shards that lie in its place; what is missing, truncated or of the unsafe kind is an error."""
    weights: dict[str, Tensor] = {}
    for part in weight_files(path):
        with _file_refusals(part):
            shard = load_file(str(part))
        if twice := weights.keys() & shard.keys():
            first = min(twice)
            raise CheckpointError("checkpoint_two_names", path=part, first=first, second=first)
        weights |= shard
    for name, tensor in weights.items():
        if tensor.dtype not in (*DTYPES, *_CODES):
            number = clause("number_type", name=name, type=tensor.dtype)
            raise CheckpointError("file_unreadable", path=path, reason=number)
    return weights


def weight_files(path: Path) -> list[Path]:
    """Return the file of weights, or those that the index in its place names.

    Raises
    ------
    MissingFileError, CheckpointError
        If one is missing, or lies outside the folder.
    """
    index = path.with_name(INDEX)
    if path.exists():
        return [path]
    if not index.exists():
        if (path.parent / "pytorch_model.bin").exists():
            raise CheckpointError("checkpoint_pickle", path=path.parent)
        others = ", ".join(sorted(p.name for p in path.parent.iterdir())) or clause("nothing")
        raise MissingFileError("network_no_weights", path=path, weights=WEIGHTS, found=others)
    files = [path.with_name(name) for name in shard_names(read_json(index), index)]
    for file in files:
        if not file.exists():
            way_out = clause("get_indexed_files", index=INDEX)
            raise MissingFileError("file_missing", path=file, way_out=way_out)
    return files


@contextmanager
def _file_refusals(path: Path) -> Iterator[None]:
    """Turn what the library says of a damaged file into a refusal."""
    try:
        yield
    except (SafetensorError, RuntimeError, ValueError, KeyError) as error:
        raise CheckpointError("file_unreadable", path=path, reason=error) from error


def load_weights(network: torch.nn.Module, state: Mapping[str, Tensor], path: object = "") -> None:
    """Put weights into a network; raises as `check_fit`."""
    check_fit(network, state, path)
    network.load_state_dict(dict(state))


def is_finite(tensor: Tensor) -> bool:
    """Whether no number of a tensor is infinite or none, as float32 holds it; nothing is copied."""
    if not tensor.numel() or not tensor.is_floating_point():
        return True
    return all(bool(bound.float().isfinite()) for bound in tensor.detach().aminmax())


def check_fit(network: torch.nn.Module, state: Mapping[str, Tensor], path: object = "") -> None:
    """Raise `CheckpointError`, which names the weight, if one is unknown, missing, of another shape, or not finite.

    No number is read before all shapes fit.
    """
    expected_state = network.state_dict()
    for name, tensor in state.items():
        if name not in expected_state:
            raise CheckpointError("checkpoint_unknown_weight", path=path, name=name)
        if expected_state[name].shape != tensor.shape:
            raise wrong_shape(path, name, tensor.shape, expected_state[name].shape)
    for name in expected_state:
        if name not in state:
            raise CheckpointError("checkpoint_missing_weight", path=path, name=name)
    for name, tensor in state.items():
        if not is_finite(tensor):
            raise CheckpointError("checkpoint_not_finite", path=path, name=name)


def find_named_bert(folder: Path, networks: Iterable[Path], code: str) -> Path:
    """Return the first of some network folders whose weights are those of the BERT that a folder's card names.

    Raises
    ------
    CheckpointError
        With ``code``, if none is: the sentence says name and sha256.
    MissingFileError
        If there is no card.
    """
    about = load_card(folder).get("bert")
    wanted = about if isinstance(about, Mapping) else {}
    name, digest = (str(wanted.get(key, "?")) for key in ("name", "sha256"))
    for network in networks:
        if (network / WEIGHTS).exists() and sha256(network / WEIGHTS) == digest:
            return network
    raise CheckpointError(code, path=folder, name=name, sha256=digest)
