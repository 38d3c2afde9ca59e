"""What a network computes for one sentence, step by step, every array as numpy: an encoder, or an encoder-decoder that translates.

Shapes: T tokens of the sentence, S of the source where T are of its translation, H hidden_size, d = H / heads, I intermediate_size.
Rows of attention are the token that attends, columns the token attended to. In a translation row t of all arrays of the
target is the step that reads ``read[t]`` and says ``said[t]``.
"""

from __future__ import annotations

import numpy as np

from embeddings.arrays import Float32s
from embeddings.probing.sentence_answers import Guess
from embeddings.results import Result, Value


class AttentionWalk(Value, eq=False):
    """One head of one attention, from queries to what it gathers.

    ``query`` (from, d); ``key``, ``value`` (to, d); ``scores`` = query key'; ``scaled`` = scores /
    sqrt(d); ``masked`` = scaled, minus infinity where the mask hides; ``powers`` = exp(masked - the
    largest of its row); ``weights`` = powers divided by their sum, rows sum to 1; ``mixed`` =
    weights value (from, d).
    """

    query: Float32s
    key: Float32s
    value: Float32s
    scores: Float32s
    scaled: Float32s
    masked: Float32s
    powers: Float32s
    weights: Float32s
    mixed: Float32s


class PartWalk(Value, eq=False):
    """One part of a layer and what stands around it; all (T, H).

    ``input`` enters; the part is ``given`` norm(input), or the input itself where the network
    normalises afterwards; ``change`` is what it gives; ``sum`` = input + change; ``output`` leaves:
    the sum, or its norm where the network normalises afterwards.
    """

    input: Float32s
    given: Float32s
    change: Float32s
    sum: Float32s
    output: Float32s


class DecoderLayerWalk(Value, eq=False):
    """One decoder layer: masked self-attention, cross-attention, feed-forward, one after the other.

    ``inner`` (T, I) is the feed-forward network after its activation. With BERT fused in,
    ``cross.change`` is the mean of ``from_source`` and ``from_bert``, both (T, H); else
    ``from_source`` alone.
    """

    self_attention: PartWalk
    cross: PartWalk
    forward: PartWalk
    inner: Float32s
    from_source: Float32s
    from_bert: Float32s | None = None


class DecoderWalk(Result, eq=False):
    """A sentence on its way through the decoder, the likeliest token said at each step.

    Attributes
    ----------
    model, source, target : str
    source_tokens, bert_tokens : tuple of str
        What the encoder reads (S, the EOS token last), and BERT, if one is fused in.
    input_tokens, output_tokens : tuple of str
        The target behind the BOS token, and the target up to its EOS token: T tokens each.
    input_ids, output_ids : tuple of int
    layer, head : int
        Which are taken apart, from 1.
    norm_first : bool
        Whether each part of a layer is given norm(x), and not the sum normed afterwards.
    token_rows, scaled_rows, position_rows, total : ndarray, shape (T, H)
        Rows of the table, these times sqrt(H), the waves, and the sum of the last two.
    memory : ndarray, shape (S, H)
        The source as the encoder leaves it.
    states : ndarray, shape (layers + 1, T, H)
        The target as it enters the first layer and leaves each.
    encoder, self_attention, cross, bert : AttentionWalk
        The source on itself, the target on what stands before it, the target on the source, and on
        BERT (None of a plain network).
    at_layer : DecoderLayerWalk
    """

    model: str
    source: str
    target: str
    source_tokens: tuple[str, ...]
    bert_tokens: tuple[str, ...]
    input_tokens: tuple[str, ...]
    output_tokens: tuple[str, ...]
    input_ids: tuple[int, ...]
    output_ids: tuple[int, ...]
    layer: int
    head: int
    norm_first: bool
    token_rows: Float32s
    scaled_rows: Float32s
    position_rows: Float32s
    total: Float32s
    memory: Float32s
    states: Float32s
    encoder: AttentionWalk
    self_attention: AttentionWalk
    cross: AttentionWalk
    bert: AttentionWalk | None
    at_layer: DecoderLayerWalk


class LayerWalk(Value, eq=False):
    """One encoder layer, all heads: attention, then feed-forward.

    ``joined`` (T, H): what the heads gather, side by side; ``attention.change`` = joined W_O + b_O; ``inner`` (T, I) is the feed-forward
    network after its activation.
    """

    attention: PartWalk
    joined: Float32s
    forward: PartWalk
    inner: Float32s

    @property
    def moments(self) -> Float32s:
        """Mean and standard deviation of each row of ``attention.sum``, before it is normed: (T, 2)."""
        total = self.attention.sum
        return np.stack([total.mean(axis=1), total.std(axis=1)], axis=1)


class Walk(Result, eq=False):
    """A sentence on its way through a network.

    ``words`` holds for each token the place of its word in the sentence, -1 for special tokens.
    ``token_rows``, ``segment_rows``, ``position_rows``, their ``total`` and its ``normed`` form
    have shape (T, E); ``states`` (layers + 1, T, H), the first of them the embeddings as the
    layers receive them. ``guesses`` has for each of these states and each token the likeliest
    tokens; empty where the folder has no MLM head.
    """

    model: str
    text: str
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    words: tuple[int, ...]
    layer: int
    head: int
    token_rows: Float32s
    segment_rows: Float32s
    position_rows: Float32s
    total: Float32s
    normed: Float32s
    states: Float32s
    at_head: AttentionWalk
    at_layer: LayerWalk
    guesses: tuple[tuple[tuple[Guess, ...], ...], ...]


class Swap(Result, eq=False):
    """A sentence and the same with two words exchanged.

    Cosines, shape (T,), of each token's last vector in the one with the same token's in the other:
    ``with_positions``, and ``without``, every token then standing at position 0.
    """

    tokens: tuple[str, ...]
    swapped: tuple[str, ...]
    with_positions: Float32s
    without: Float32s
