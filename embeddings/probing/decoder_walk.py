"""An encoder-decoder taken apart: every array from what is written so far to the last state, as numpy.

Decisions: the translation is the greedy one, so that each step follows from its own numbers; each
array is computed here from the network's own bricks, one after the other, and the tests compute it
again in plain numpy from the weights; layers and heads count from 1. Vaswani et al. (2017),
section 3; with BERT Zhu et al. (2020), section 4.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from embeddings.configuration import check_range
from embeddings.networks.decoding import DecodingConfig, search
from embeddings.networks.encoder_decoder import (
    END,
    START,
    Encoded,
    TranslationNetwork,
)
from embeddings.networks.encoder_decoder_layers import SourceLayer, TargetLayer
from embeddings.networks.fused_attention import MemoryAttention
from embeddings.probing.encoder_walk import as_numpy, walk_heads, walk_part
from embeddings.probing.network_walks import (
    AttentionWalk,
    DecoderLayerWalk,
    DecoderWalk,
)
from embeddings.probing.translator import Translator, encode, one_text
from embeddings.text.subwords import SPECIAL


def walk_decoder(translator: Translator, text: str, layer: int = 1, head: int = 1) -> DecoderWalk:
    """Translate a sentence greedily and return every array of the decoder on the way.

    Parameters
    ----------
    translator : Translator
    text : str
        One sentence of the source language.
    layer, head : int, default 1
        Which to take apart, from 1.

    Returns
    -------
    DecoderWalk
        ``at_layer.forward.output`` equals ``states[layer]``.

    Raises
    ------
    InputError
        If the text is empty or longer than the network takes; ``layer`` or ``head`` out of range.
    """
    network, config = translator.network, translator.network.config
    check_range("layer", layer, 1, config.num_hidden_layers)
    check_range("head", head, 1, config.num_attention_heads)
    (piece,), encoded = encode(translator, [one_text(translator, text)])
    best = search(network, encoded, DecodingConfig(1))[0].best
    output_ids = best.outputs
    input_ids = (START, *output_ids[:-1])
    with torch.inference_mode():
        embedded = _embedded(network, network.target_tokens, input_ids)
        states = _target_states(network, encoded, embedded["total"])
        at_layer, heads = _layer(network, encoded, states[layer - 1], layer)
        encoder = _encoder_head(network, encoded, (*piece.ids, END), layer)[head - 1]
    name = translator.vocabulary.token
    bert = translator.bert
    return DecoderWalk(
        model=translator.name,
        source=piece.text,
        target=translator.vocabulary.decode(output_ids),
        source_tokens=(*piece.tokens, SPECIAL[END]),
        bert_tokens=bert.wordpiece.encode(piece.text).tokens if bert else (),
        input_tokens=tuple(map(name, input_ids)),
        output_tokens=tuple(map(name, output_ids)),
        input_ids=input_ids,
        output_ids=output_ids,
        layer=layer,
        head=head,
        norm_first=config.norm_first,
        **{rows: as_numpy(tensor) for rows, tensor in embedded.items()},
        memory=as_numpy(encoded.source.states[0]),
        states=as_numpy(torch.stack(states)),
        encoder=encoder,
        self_attention=heads["self_attention"][head - 1],
        cross=heads["cross"][head - 1],
        bert=heads["bert"][head - 1] if "bert" in heads else None,
        at_layer=at_layer,
    )


def _embedded(
    network: TranslationNetwork, table: nn.Embedding, ids: tuple[int, ...]
) -> dict[str, Tensor]:
    """Return rows of the table, these times sqrt(H), the waves, and the sum of the last two, as a `DecoderWalk` names them: (T, H)."""
    rows = table(torch.tensor(ids, device=table.weight.device))
    scaled = rows * math.sqrt(network.config.hidden_size)
    waves = network.waves[: len(ids)]
    names = ("token_rows", "scaled_rows", "position_rows", "total")
    return dict(zip(names, (rows, scaled, waves, scaled + waves), strict=True))


def _target_states(network: TranslationNetwork, encoded: Encoded, embedded: Tensor) -> list[Tensor]:
    """Return the target as it enters the first layer and leaves each: (T, H) each."""
    hidden, states = embedded[None], [embedded]
    for brick, cache in zip(network.decoder, network.open(encoded), strict=True):
        hidden, _, _ = brick(hidden, cache)
        states.append(hidden[0])
    return states


def _encoder_head(
    network: TranslationNetwork, encoded: Encoded, ids: tuple[int, ...], layer: int
) -> list[AttentionWalk]:
    """Return the heads of an encoder layer's self-attention."""
    embedded = _embedded(network, network.source_tokens, ids)
    hidden, mask = embedded["total"][None], encoded.source.mask
    for brick in list(network.encoder)[: layer - 1]:
        hidden, _ = brick(hidden, mask, encoded.bert)
    brick = cast(SourceLayer, network.encoder[layer - 1])
    normed = brick.around_attention.before(hidden[0])
    parts = brick.attention.query_key_value(normed).chunk(3, dim=-1)
    return walk_heads(parts, brick.attention.heads)[0]


def _layer(
    network: TranslationNetwork, encoded: Encoded, hidden: Tensor, layer: int
) -> tuple[DecoderLayerWalk, dict[str, list[AttentionWalk]]]:
    """Take one decoder layer apart; ``hidden`` (T, H) enters it. Returns with it the heads of each attention."""
    brick = cast(TargetLayer, network.decoder[layer - 1])
    heads: dict[str, list[AttentionWalk]] = {}
    arrays: dict[str, Tensor] = {}

    def attend_to_itself(given: Tensor) -> Tensor:
        parts = brick.attention.query_key_value(given).chunk(3, dim=-1)
        heads["self_attention"], joined = walk_heads(parts, brick.attention.heads, is_causal=True)
        return brick.attention.output(joined)

    def attend_to(name: str, given: Tensor, attention: MemoryAttention, states: Tensor) -> Tensor:
        keys = attention.key_value(states).chunk(2, dim=-1)
        heads[name], joined = walk_heads((attention.query(given), *keys), attention.heads)
        return attention.output(joined)

    def attend_to_memories(given: Tensor) -> Tensor:
        change = attend_to("cross", given, brick.cross, encoded.source.states[0])
        arrays["from_source"] = change
        if brick.bert is None or encoded.bert is None:
            return change
        arrays["from_bert"] = attend_to("bert", given, brick.bert, encoded.bert.states[0])
        return (change + arrays["from_bert"]) / 2

    def feed_forward(given: Tensor) -> Tensor:
        arrays["inner"] = brick.feed_forward.activation(brick.feed_forward.inner(given))
        return brick.feed_forward.outer(arrays["inner"])

    walked = []
    for around, run in (
        (brick.around_attention, attend_to_itself),
        (brick.around_cross, attend_to_memories),
        (brick.around_feed_forward, feed_forward),
    ):
        given = around.before(hidden)
        change = run(given)
        output = around.after(hidden, change)
        walked.append(walk_part(hidden, given, change, output))
        hidden = output
    self_attention, cross, forward = walked
    saved = {name: as_numpy(array) for name, array in arrays.items()}
    return DecoderLayerWalk(self_attention, cross, forward, **saved), heads
