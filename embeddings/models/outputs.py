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
    """Scores of the two heads: ``tokens`` (scored, vocab_size), ``sentences`` (pairs, 2).

    Logits.
    """

    tokens: Tensor
    sentences: Tensor
