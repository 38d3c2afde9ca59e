"""What a network returns."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class EncoderOutput:
    """States of an encoder.

    Attributes
    ----------
    last : Tensor, shape (batch, tokens, hidden_size), or (kept, hidden_size)
        The last layer.
    hidden_states : tuple of Tensor
        With ``need_states``: layers + 1 tensors of shape (batch, tokens, hidden_size); index 0 is
        the embedding output.
    attentions : tuple of Tensor
        With ``need_weights``: one tensor a layer of shape (batch, heads, from, to), rows sum to 1.
    """

    last: Tensor
    hidden_states: tuple[Tensor, ...] = ()
    attentions: tuple[Tensor, ...] = ()


@dataclass(frozen=True, slots=True)
class PretrainingOutput:
    """What the two heads say of a batch.

    Attributes
    ----------
    token_loss, token_right : Tensor, shape ()
        Sum of cross entropies over the masked tokens, nats, and how many of them are guessed.
    sentences : Tensor, shape (pairs, 2)
        Logits of the sentence head.
    """

    token_loss: Tensor
    token_right: Tensor
    sentences: Tensor
