"""An encoder-decoder taken apart: every step from what is written so far to the next token, as numpy.

Decisions: the translation is the greedy one, so that each step follows from its own numbers; each
array is computed here from the network's own bricks, one after the other, and the tests compute it
again in plain numpy from the weights; layers and heads count from 1. Vaswani et al. (2017),
section 3; with BERT Zhu et al. (2020), section 4.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from embeddings.configuration import check_range
from embeddings.networks.decoding import DecodingConfig, search
from embeddings.networks.encoder_decoder import (
    END,
    PAD,
    START,
    UNKNOWN,
    Encoded,
    TranslationNetwork,
)
from embeddings.networks.encoder_decoder_layers import SourceLayer, TargetLayer
from embeddings.probing.encoder_walk import as_numpy, walk_heads, walk_part
from embeddings.probing.network_walks import (
    AttentionWalk,
    DecoderLayerWalk,
    DecoderWalk,
    NextToken,
)
from embeddings.probing.translation_steps import decoder_outputs, one_text
from embeddings.probing.translator import Translator, encode
from embeddings.text.subwords import SPECIAL

TOP = 8  # next tokens a step
_NEVER = (PAD, UNKNOWN, START)  # tokens that decoding does not say


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
    output_ids = decoder_outputs(best)
    input_ids = (START, *output_ids[:-1])
    with torch.inference_mode():
        rows, embedded = _embedded(network, network.target_tokens, input_ids)
        states = _target_states(network, encoded, embedded)
        last = network.decoder_norm(states[-1])
        at_layer, heads = _layer(network, encoded, states[layer - 1], layer)
        following, sums = _following(translator, last)
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
        token_rows=as_numpy(rows[0]),
        scaled_rows=as_numpy(rows[1]),
        position_rows=as_numpy(rows[2]),
        total=as_numpy(embedded),
        memory=as_numpy(encoded.source.states[0]),
        states=as_numpy(torch.stack(states)),
        last=as_numpy(last),
        encoder=encoder,
        self_attention=heads.self_attention[head - 1],
        cross=heads.cross[head - 1],
        bert=heads.bert[head - 1] if heads.bert else None,
        at_layer=at_layer,
        following=following,
        output_rows=as_numpy(network.scores.weight[list(output_ids)]),
        output_biases=as_numpy(network.scores.bias[list(output_ids)]),
        sums=sums.cpu().numpy(),
        vocabulary=config.vocab_size - len(_NEVER),
    )


class _Heads(NamedTuple):
    """The heads of a decoder layer's attentions."""

    self_attention: list[AttentionWalk]
    cross: list[AttentionWalk]
    bert: list[AttentionWalk]


def _embedded(
    network: TranslationNetwork, table: nn.Embedding, ids: tuple[int, ...]
) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor]:
    """Return rows of the table, these times sqrt(H), the waves; and the sum of the last two: all (T, H)."""
    rows = table(torch.tensor(ids, device=table.weight.device))
    scaled = rows * math.sqrt(network.config.hidden_size)
    waves = network.waves[: len(ids)]
    return (rows, scaled, waves), scaled + waves


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
    _, embedded = _embedded(network, network.source_tokens, ids)
    hidden, mask = embedded[None], encoded.source.mask
    for brick in list(network.encoder)[: layer - 1]:
        hidden, _ = brick(hidden, mask, encoded.bert)
    brick = cast(SourceLayer, network.encoder[layer - 1])
    normed = brick.around_attention.before(hidden[0])
    parts = brick.attention.query_key_value(normed).chunk(3, dim=-1)
    return walk_heads(parts, brick.attention.heads)[0]


def _layer(
    network: TranslationNetwork, encoded: Encoded, hidden: Tensor, layer: int
) -> tuple[DecoderLayerWalk, _Heads]:
    """Take one decoder layer apart; ``hidden`` (T, H) enters it."""
    brick = cast(TargetLayer, network.decoder[layer - 1])
    count = brick.attention.heads

    normed = brick.around_attention.before(hidden)
    parts = brick.attention.query_key_value(normed).chunk(3, dim=-1)
    self_heads, joined = walk_heads(parts, count, is_causal=True)
    change = brick.attention.output(joined)
    output = brick.around_attention.after(hidden, change)
    self_attention, hidden = walk_part(hidden, normed, change, output), output

    normed = brick.around_cross.before(hidden)
    query = brick.cross.query(normed)
    keys = brick.cross.key_value(encoded.source.states[0]).chunk(2, dim=-1)
    cross_heads, joined = walk_heads((query, *keys), count)
    from_source = change = brick.cross.output(joined)
    bert_heads: list[AttentionWalk] = []
    from_bert = None
    if brick.bert is not None and encoded.bert is not None:
        keys = brick.bert.key_value(encoded.bert.states[0]).chunk(2, dim=-1)
        bert_heads, joined = walk_heads((brick.bert.query(normed), *keys), count)
        from_bert = brick.bert.output(joined)
        change = (from_source + from_bert) / 2
    output = brick.around_cross.after(hidden, change)
    cross, hidden = walk_part(hidden, normed, change, output), output

    normed = brick.around_feed_forward.before(hidden)
    inner = brick.feed_forward.activation(brick.feed_forward.inner(normed))
    change = brick.feed_forward.outer(inner)
    output = brick.around_feed_forward.after(hidden, change)
    forward = walk_part(hidden, normed, change, output)
    walk = DecoderLayerWalk(
        self_attention,
        cross,
        forward,
        as_numpy(inner),
        as_numpy(from_source),
        None if from_bert is None else as_numpy(from_bert),
    )
    return walk, _Heads(self_heads, cross_heads, bert_heads)


def _following(
    translator: Translator, last: Tensor
) -> tuple[tuple[tuple[NextToken, ...], ...], Tensor]:
    """Return the likeliest next tokens of each step, and the sums of all powers."""
    scores = translator.network.scores(last).double()
    scores[:, list(_NEVER)] = float("-inf")
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    sums = powers.sum(-1)
    best = scores.topk(min(TOP, scores.shape[1] - len(_NEVER)))
    steps = []
    for step, ids in enumerate(best.indices.tolist()):
        candidates = ((i, float(scores[step, i]), float(powers[step, i])) for i in ids)
        total = float(sums[step])
        name = translator.vocabulary.token
        steps.append(tuple(NextToken(name(i), s, p, p / total) for i, s, p in candidates))
    return tuple(steps), sums
