"""Parts of a network turned off: heads, a layer's attention or feed-forward block, the attention that words get.

A part's output becomes 0 (zero ablation), its mean over other sentences (mean ablation), or what it is in a second sentence of
as many tokens (activation patching; Vig et al. 2020). Residual connections and norms stay.

The forward pass is the network's own: `separate_modules` copies the modules and shares the weights, so that hooks reach this copy
alone, in other threads too, and layers that ALBERT shares become separate objects. A head's output is its columns of what the output
projection reads; the projection's bias belongs to no head and goes only where the whole attention is off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from embeddings.configuration import check_range
from embeddings.networks.bert import Encoder
from embeddings.networks.layers import EncoderLayer
from embeddings.networks.modern_bert import ModernLayer
from embeddings.probing.network_answers import Parts

M = TypeVar("M", bound=nn.Module)


@dataclass(frozen=True, slots=True, eq=False)
class LayerSites:
    """Where the parts of one layer are reached: the attention, its output projection, the feed-forward network."""

    attention: nn.Module
    heads: int
    output: nn.Linear
    feed_forward: nn.Module


@dataclass(slots=True, eq=False)
class LayerActivations:
    """What the parts of one layer give: heads (..., width), attention and feed-forward (..., hidden_size)."""

    heads: Tensor = field(default_factory=lambda: torch.zeros(()))
    attention: Tensor = field(default_factory=lambda: torch.zeros(()))
    feed_forward: Tensor = field(default_factory=lambda: torch.zeros(()))


def separate_modules(network: M, layers: Callable[[M], Sequence[tuple[nn.Module, str]]]) -> M:
    """Return a copy of the modules over the same weights, in which no two layers are one object.

    Parameters
    ----------
    layers : callable
        Returns, of the copy, each module that holds a stack of layers and the name that it has there.
    """
    weights = {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())}
    copied = deepcopy(network, dict(weights))
    for holder, name in layers(copied):
        stack = getattr(holder, name)
        setattr(holder, name, nn.ModuleList(deepcopy(layer, dict(weights)) for layer in stack))
    return copied


def separate_encoder(encoder: Encoder) -> Encoder:
    """Return a copy of an encoder over the same weights, as `separate_modules`."""
    return separate_modules(encoder, lambda copied: [(copied, "layers")])


def encoder_sites(encoder: Encoder) -> list[LayerSites]:
    """Return where the parts of each layer are, the first layer first."""
    sites = []
    for layer in encoder.layers:
        assert isinstance(layer, EncoderLayer | ModernLayer)
        attention, feed_forward = layer.attention.attention, layer.feed_forward.feed_forward
        sites.append(LayerSites(attention, attention.heads, attention.output, feed_forward))
    return sites


def check_parts(sites: Sequence[LayerSites], parts: Parts, words: int) -> None:
    """Raise `InputError` where a layer, head or word is out of range."""
    for layer, head in parts.heads:
        check_range("layer", layer, 1, len(sites))
        check_range("head", head, 1, sites[layer - 1].heads)
    for layer in (*parts.attention, *parts.feed_forward):
        check_range("layer", layer, 1, len(sites))
    for word in parts.words:
        check_range("word", word, 1, words)


def heads_on(sites: Sequence[LayerSites], off: Sequence[Sequence[tuple[int, int]]]) -> Tensor:
    """Return which heads are on in each row of a batch, bool (rows, layers, heads); ``off`` has (layer, head) from 1, a list a row."""
    on = torch.ones(len(off), len(sites), max(site.heads for site in sites), dtype=torch.bool)
    for row, pairs in enumerate(off):
        for layer, head in pairs:
            on[row, layer - 1, head - 1] = False
    return on


def turn_off(
    sites: Sequence[LayerSites], parts: Parts, instead: Sequence[LayerActivations] | None = None
) -> None:
    """Turn heads and blocks off in a copy of a network, in every row of its batches.

    Parameters
    ----------
    instead : sequence of LayerActivations, optional
        One a layer: what takes the place of what is off; by default 0.
    """
    turn_heads_off(sites, heads_on(sites, [parts.heads]), instead)
    values = instead or [LayerActivations() for _ in sites]
    for layer in parts.attention:
        _replace_output(sites[layer - 1].output, values[layer - 1].attention)
    for layer in parts.feed_forward:
        _replace_output(sites[layer - 1].feed_forward, values[layer - 1].feed_forward)


def turn_heads_off(
    sites: Sequence[LayerSites], on: Tensor, instead: Sequence[LayerActivations] | None = None
) -> None:
    """Turn heads off in a copy of a network, in each row of a batch those that ``on`` (rows, layers, heads) has as False."""
    for number, site in enumerate(sites):
        layer_on = on[:, number, : site.heads]
        if not bool(layer_on.all()):
            value = instead[number].heads if instead else torch.zeros(())
            _replace_heads(site, layer_on, value)


def hide_keys(sites: Sequence[LayerSites], hidden: Sequence[int], tokens: int) -> None:
    """Let no position of a text attend to some tokens of it, in every layer of a copy of a network."""
    seen = torch.ones(tokens, dtype=torch.bool)
    seen[list(hidden)] = False

    def mask_keys(_: nn.Module, args: Any, kwargs: Any) -> Any:
        states, mask = args
        keys = seen.to(states.device)[None, None, None, :]
        return (states, keys if mask is None else mask & keys), kwargs

    for site in sites:
        site.attention.register_forward_pre_hook(mask_keys, with_kwargs=True)


def record(sites: Sequence[LayerSites], run: Callable[[], object]) -> list[LayerActivations]:
    """Return what each part of each layer gives while ``run`` runs the network that ``sites`` are of."""
    recorded = [LayerActivations() for _ in sites]
    hooks: list[RemovableHandle] = []
    for site, layer in zip(sites, recorded, strict=True):

        def keep_attention(_: Any, inputs: Any, output: Any, layer: Any = layer) -> None:
            layer.heads, layer.attention = inputs[0], output

        def keep_feed_forward(_: Any, __: Any, output: Any, layer: Any = layer) -> None:
            layer.feed_forward = output

        hooks.append(site.output.register_forward_hook(keep_attention))
        hooks.append(site.feed_forward.register_forward_hook(keep_feed_forward))
    run()
    for hook in hooks:
        hook.remove()
    return recorded


def mean_activations(
    batches: Iterable[tuple[Sequence[LayerActivations], Tensor]],
) -> list[LayerActivations]:
    """Return the mean of each part over all real tokens of some batches, read one after the other.

    The masks of the batches have shape (texts, tokens).
    """
    names = ("heads", "attention", "feed_forward")
    sums: list[dict[str, Tensor]] = []
    total = 0
    for layers, real in batches:
        total += int(real.sum())
        added = [{name: getattr(layer, name)[real].sum(0) for name in names} for layer in layers]
        before = sums or [dict.fromkeys(names, torch.zeros((), device=real.device))] * len(added)
        sums = [
            {name: old[name] + new[name] for name in names}
            for old, new in zip(before, added, strict=True)
        ]
    return [LayerActivations(**{name: layer[name] / total for name in names}) for layer in sums]


def _replace_heads(site: LayerSites, on: Tensor, value: Tensor) -> None:
    """Put ``value`` in the columns of the heads that are off, row by row of the batch."""

    def put(_: nn.Module, args: Any) -> Any:
        (joined,) = args
        columns = on.to(joined.device).repeat_interleave(joined.shape[-1] // site.heads, -1)
        rows = columns[0] if len(columns) == 1 else columns[:, None]
        return (torch.where(rows, joined, value.to(joined)),)

    site.output.register_forward_pre_hook(put)


def _replace_output(module: nn.Module, value: Tensor) -> None:
    """Put ``value`` in the place of what a module gives."""

    def put(_: nn.Module, __: Any, output: Tensor) -> Tensor:
        return value.to(output).expand_as(output).clone()

    module.register_forward_hook(put)
