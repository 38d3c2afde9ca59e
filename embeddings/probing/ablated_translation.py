"""Heads of a translator turned off: the translation again, and by how much the translation of the whole network falls without each head."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from embeddings.errors import InputError
from embeddings.networks.decoding import DecodingConfig, decoding, next_log_probabilities, search
from embeddings.networks.encoder_decoder import END, START, TranslationNetwork
from embeddings.probing.ablation import (
    LayerSites,
    check_parts,
    heads_on,
    separate_modules,
    turn_heads_off,
)
from embeddings.probing.translation_steps import one_text
from embeddings.probing.translator import Translator, encode, translate
from embeddings.results.network_answers import (
    TRANSLATOR_KINDS,
    HeadEffects,
    Parts,
    TranslationAblation,
    TranslatorHeads,
)
from embeddings.runtime import one_thread

TOGETHER = 2048  # tokens of source and translation that run at once


def separate_translator(translator: Translator) -> Translator:
    """Return a translator over the same weights whose modules are its own."""
    network = separate_modules(
        translator.network, lambda copied: [(copied, "encoder"), (copied, "decoder")]
    )
    return replace(translator, network=network)


def translator_sites(network: TranslationNetwork, kind: str) -> list[LayerSites]:
    """Return where the heads of each layer are; ``kind`` is one of `TRANSLATOR_KINDS`."""
    layers = network.encoder if kind == "encoder" else network.decoder
    name = "cross" if kind == "cross" else "attention"
    return [_site(getattr(layer, name), layer.feed_forward) for layer in layers]  # type: ignore[arg-type]


def without_heads(translator: Translator, heads: TranslatorHeads) -> Translator:
    """Return a translator with heads off, their output 0; the one given stays as it is.

    Raises
    ------
    InputError
        If a layer or head is out of range.
    """
    ablated = separate_translator(translator)
    for kind in TRANSLATOR_KINDS:
        sites, off = translator_sites(ablated.network, kind), getattr(heads, kind)
        check_parts(sites, Parts(heads=off), 0)
        turn_heads_off(sites, heads_on(sites, [off]))
    return ablated


def ablate_translation(
    translator: Translator,
    text: str,
    heads: TranslatorHeads,
    config: DecodingConfig | int | None = None,
) -> TranslationAblation:
    """Translate a line with all heads on, and again with some off.

    Raises
    ------
    InputError
        As `embeddings.probing.translator.translate`, if the text is empty, or if a head is out of range.

    References
    ----------
    Voita et al. (2019), "Analyzing Multi-Head Self-Attention".
    """
    if not text.strip():
        raise InputError("translation_empty")
    ablated = without_heads(translator, heads)
    with one_thread():
        (before,), (after,) = (translate(each, [text], config) for each in (translator, ablated))
    return TranslationAblation(
        before.source, heads, before.target, after.target, before.score, after.score
    )


def translation_head_effects(
    translator: Translator, text: str, config: DecodingConfig | int | None = None
) -> dict[str, HeadEffects]:
    """Return by how much the log-probability of the whole network's translation falls when each head alone is off.

    The translation is given to the decoder; a row of the batch has one head off, of one kind of attention.

    Returns
    -------
    dict of str to HeadEffects
        By `TRANSLATOR_KINDS`; nats, summed over the translation's tokens.

    Raises
    ------
    InputError
        If the text is empty, or longer than the network takes at once.
    """
    text = one_text(translator, text)
    with torch.inference_mode(), one_thread():
        _, encoded = encode(translator, [text])
        best = search(translator.network, encoded, decoding(config))[0].best
        target = (*best.ids, END) if best.finished else best.ids
        size = max(1, TOGETHER // (translator.tokens(text) + len(target)))
        whole = _log_probabilities(translator, text, target, 1)
        effects = {}
        for kind in TRANSLATOR_KINDS:
            layers = translator_sites(translator.network, kind)
            heads = [(n, h) for n, site in enumerate(layers, 1) for h in range(1, site.heads + 1)]
            falls: list[float] = []
            for first in range(0, len(heads), size):
                rows = heads[first : first + size]
                ablated = separate_translator(translator)
                sites = translator_sites(ablated.network, kind)
                turn_heads_off(sites, heads_on(sites, [[head] for head in rows]))
                falls += (whole - _log_probabilities(ablated, text, target, len(rows))).tolist()
            shaped = np.array(falls).reshape(len(layers), -1)
            effects[kind] = HeadEffects(translator.vocabulary.decode(best.ids), shaped, "zero")
    return effects


def _log_probabilities(
    translator: Translator, text: str, target: tuple[int, ...], rows: int
) -> Tensor:
    """Return the log-probability of a translation in each of some rows of one text, float64 (rows,)."""
    _, encoded = encode(translator, [text] * rows)
    network = translator.network
    ids = torch.tensor([[START, *target[:-1]]], device=translator.device).expand(rows, -1)
    hidden = network.decode(ids, network.open(encoded)).hidden
    wanted = torch.tensor(target, device=translator.device).expand(rows, -1)
    logs = next_log_probabilities(network, hidden).gather(-1, wanted[:, :, None])
    return logs[:, :, 0].double().sum(-1)


def _site(attention: nn.Module, feed_forward: nn.Module) -> LayerSites:
    """Return where an attention of any of the three kinds is reached."""
    heads, output = attention.heads, attention.output
    assert isinstance(heads, int)
    assert isinstance(output, nn.Linear)
    return LayerSites(attention, heads, output, feed_forward)
