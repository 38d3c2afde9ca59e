"""The states of whole texts, at chosen layers, from the cache where they are there, else computed and kept.

Large networks alone are asked in this way: a small one answers sooner than a disk. Where the processor multiplies bf16 in hardware, and a
product measured here is faster so, they are run in it; the states come back as float32. The smallest cosine between the two formats at
base size is in docs/results/speed.md.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch

from embeddings.networks.bert_config import NetworkConfig
from embeddings.probing.network import Network, in_batches, pad
from embeddings.probing.state_cache import NAME, StateCache, States, network_key, text_key
from embeddings.results import Report
from embeddings.runtime import has_bfloat16, one_thread
from embeddings.text.wordpiece import Tokens

LARGE = 30_000_000  # products that the layers take for a token: four million in ours, 85 million in a BERT-base
BATCH = 16  # texts at a time, so that progress is told often
_PRODUCT, _ROUNDS = (512, 768, 3072), 3


def with_cache(reader: Network, model: Path, folder: Path) -> Network:
    """Return a reader whose states are kept in ``folder``, if its network is large and the folder can be written.

    ``model`` is the network's folder.
    """
    if products_a_token(reader.config) < LARGE:
        return reader
    form = "bfloat16" if reader.device.type == "cpu" and bfloat16_is_faster() else "float32"
    key = network_key(model, form)
    cache = StateCache(folder / NAME, key, reader.config.hidden_size)
    return replace(reader, cache=cache, form=form) if cache.is_usable() else reader


def products_a_token(config: NetworkConfig) -> int:
    """Return how many multiplications all layers take for one token, attention weights apart."""
    size = config.hidden_size
    return config.num_hidden_layers * (4 * size * size + 2 * size * config.intermediate_size)


@lru_cache(maxsize=1)
def bfloat16_is_faster() -> bool:
    """Whether a matrix product in bf16 takes less time here than one in float32; measured once a process, in hundredths of a second."""
    if not has_bfloat16(torch.device("cpu")):
        return False
    rows, inner, columns = _PRODUCT
    seconds = []
    for dtype in (torch.float32, torch.bfloat16):
        first, second = (
            torch.ones(rows, inner, dtype=dtype),
            torch.ones(inner, columns, dtype=dtype),
        )
        rounds = []
        for _ in range(_ROUNDS + 1):  # the first warms up
            begun = time.perf_counter()
            with one_thread():
                first @ second
            rounds.append(time.perf_counter() - begun)
        seconds.append(min(rounds[1:]))
    return seconds[1] < seconds[0]


def text_states(reader: Network, texts: Sequence[Tokens], layers: Sequence[int]) -> list[States]:
    """Return the states of every token of some texts at some layers.

    Parameters
    ----------
    reader : Network
        With or without a cache.
    texts : sequence of Tokens
        Read in one batch, but for those that the cache has.
    layers : sequence of int
        From 0, the embedding output.

    Returns
    -------
    list of NDArray of float32
        One a text, shape (layers asked for, tokens, hidden_size).
    """
    keys = [text_key(text.ids, text.segments) for text in texts]
    states = reader.cache.read(keys, layers) if reader.cache else {}
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in states}
    if new:
        computed = dict(zip(new, _computed(reader, list(new.values()), layers), strict=True))
        if reader.cache:
            reader.cache.write(computed, layers)
        states |= computed
    return [states[key] for key in keys]


def keep_states(
    reader: Network, texts: Sequence[tuple[Tokens, tuple[int, ...]]], report: Report | None = None
) -> None:
    """Read texts, each with the layers that will be asked for, into the reader's cache; those that it has take no time.

    Texts longer than the network takes are left out: they are cut around the word that is asked for.
    """
    fitting = [pair for pair in texts if len(pair[0].ids) <= reader.longest]

    def ask(rows: list[int]) -> None:
        chosen = [fitting[row] for row in rows]
        for layers in dict.fromkeys(asked for _, asked in chosen):
            of_layers = [text for text, asked in chosen if asked == layers]
            text_states(reader, [t for t in of_layers if not _is_kept(reader, t, layers)], layers)

    for _ in in_batches(reader, [len(text.ids) for text, _ in fitting], BATCH, ask, report):
        pass


def _is_kept(reader: Network, text: Tokens, layers: Sequence[int]) -> bool:
    """Whether the reader's cache has a text."""
    cache = reader.cache
    return cache is not None and cache.has(text_key(text.ids, text.segments), layers)


def _computed(reader: Network, texts: list[Tokens], layers: Sequence[int]) -> list[States]:
    """Run one batch."""
    ids, segments, real = pad(reader, texts)
    dtype = getattr(torch, reader.form)
    autocast = torch.autocast(reader.device.type, dtype, enabled=dtype is not torch.float32)
    with torch.inference_mode(), autocast:
        output = reader.network.encoder(ids, segments, real, need_states=True)
        asked = torch.stack([output.hidden_states[layer].float() for layer in layers])
    numbers = asked.cpu().numpy()
    return [np.array(numbers[:, row, : len(text.ids)]) for row, text in enumerate(texts)]
