"""Parts of a network turned off: heads, attention and feed-forward blocks of a layer, and words that nothing attends to.

The forward pass is the network's own: `separate_modules` copies the modules and shares the weights, so that hooks reach this copy
alone, in other threads too, and layers that ALBERT shares become separate objects. A head's output is its columns of what the output
projection reads; the projection's bias belongs to no head and goes only where the whole attention is off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from embeddings.arrays import Float64s
from embeddings.configuration import check_range
from embeddings.networks.bert import Encoder
from embeddings.probing.ablation_answers import Parts
from embeddings.results import Value

M = TypeVar("M", bound=nn.Module)
Heads = Sequence[tuple[int, int]]  # (layer, head), both from 1
HEADS, ATTENTION, FEED_FORWARD = range(3)  # kinds of outputs of a layer


class LayerSites(Value, eq=False):
    """Where the parts of one layer are reached: the attention, its output projection, the feed-forward network."""

    attention: nn.Module
    heads: int
    output: nn.Linear
    feed_forward: nn.Module


def separate_modules(network: M) -> M:
    """Return a copy of the modules over the same weights, in which no two layers are one object."""
    weights = {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())}
    copied = deepcopy(network, dict(weights))
    for name, stack in copied.named_children():
        if isinstance(stack, nn.ModuleList):
            layers = (deepcopy(layer, dict(weights)) for layer in stack)
            setattr(copied, name, nn.ModuleList(layers))
    return copied


def encoder_sites(encoder: Encoder) -> list[LayerSites]:
    """Return where the parts of each layer are, the first layer first."""
    layers: Any = encoder.layers
    return [site_of(layer.attention.attention, layer.feed_forward.feed_forward) for layer in layers]


def site_of(attention: Any, feed_forward: nn.Module) -> LayerSites:
    """Return where an attention of any kind is reached, and the feed-forward network of its layer."""
    return LayerSites(attention, attention.heads, attention.output, feed_forward)


def check_parts(sites: Sequence[LayerSites], parts: Parts, words: int) -> None:
    """Raise `InputError` where a layer, head or word is out of range."""
    for layer, head in parts.heads:
        check_range("layer", layer, 1, len(sites))
        check_range("head", head, 1, sites[layer - 1].heads)
    for layer in (*parts.attention, *parts.feed_forward):
        check_range("layer", layer, 1, len(sites))
    for word in parts.words:
        check_range("word", word, 1, words)


def turn_off(sites: Sequence[LayerSites], parts: Parts, instead: Tensor | None = None) -> None:
    """Turn heads and blocks off in a copy of a network, in every row of its batches.

    ``instead``, of shape (layers, 3, tokens or 1, hidden_size), has what takes the place of heads, attention and feed-forward block;
    0 if left out.
    """
    outputs = torch.zeros(len(sites), 3, 1, 1) if instead is None else instead
    turn_heads_off(sites, [parts.heads], outputs)
    for layer in parts.attention:
        _replace_output(sites[layer - 1].output, outputs[layer - 1, ATTENTION])
    for layer in parts.feed_forward:
        _replace_output(sites[layer - 1].feed_forward, outputs[layer - 1, FEED_FORWARD])


def turn_heads_off(
    sites: Sequence[LayerSites], off: Sequence[Heads], instead: Tensor | None = None
) -> None:
    """Turn heads off in a copy of a network: those of a list in its row of each batch, those of the only list in every row.

    ``instead``: as for `turn_off`.
    """
    outputs = torch.zeros(len(sites), 3, 1, 1) if instead is None else instead
    for number, site in enumerate(sites, 1):
        on = torch.ones(len(off), 1, site.heads, dtype=torch.bool)
        for row, heads in enumerate(off):
            on[row, 0, [head - 1 for layer, head in heads if layer == number]] = False

        value = outputs[number - 1, HEADS]

        def put(_: nn.Module, args: Any, on: Tensor = on, value: Tensor = value) -> Any:
            (joined,) = args
            columns = on.to(joined.device).repeat_interleave(joined.shape[-1] // on.shape[-1], -1)
            return (torch.where(columns, joined, value[:, : joined.shape[-1]].to(joined)),)

        if not bool(on.all()):
            site.output.register_forward_pre_hook(put)


def each_head_off(
    sites: Sequence[LayerSites], size: int, effect: Callable[[Sequence[Heads]], Tensor]
) -> Float64s:
    """Return the effect (rows,) of a batch whose row i has the heads of list i off, for each head alone: (layers, heads).

    ``size`` heads share a batch.
    """
    heads = [(n, h) for n, site in enumerate(sites, 1) for h in range(1, site.heads + 1)]
    batches = [heads[first : first + size] for first in range(0, len(heads), size)]
    effects = [effect([[head] for head in batch]).double().cpu().numpy() for batch in batches]
    return np.concatenate(effects).reshape(len(sites), -1)


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


def _replace_output(module: nn.Module, value: Tensor) -> None:
    """Put ``value`` in the place of what a module gives."""

    def put(_: nn.Module, __: Any, output: Tensor) -> Tensor:
        return value.to(output).expand_as(output).clone()

    module.register_forward_hook(put)
