"""What the token head says at chosen positions: scores over the vocabulary, whose softmax is probability."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from embeddings.errors import InputError
from embeddings.models.heads import TokenHead
from embeddings.probing.places import Place
from embeddings.probing.reader import Reader, pad
from embeddings.runtime import one_thread


def token_head(reader: Reader) -> TokenHead:
    """Return the head that scores the vocabulary.

    Raises
    ------
    InputError
        If the network came without one.
    """
    if reader.network.tokens is None:
        raise InputError("fill_no_head", name=reader.name)
    return reader.network.tokens


def logits(reader: Reader, places: Sequence[Place]) -> Tensor:
    """Scores at every position of ``places``, text by text, shape (positions, vocab_size)."""
    return layer_logits(reader, places, every=False)[0]


def layer_logits(reader: Reader, places: Sequence[Place], *, every: bool = True) -> Tensor:
    """Scores by every layer (or the last alone), shape (layers + 1 or 1, positions, vocab_size).

    The logit lens: p_l = softmax(head(h_l)), the head of the last layer applied to the state of each (nostalgebraist 2020).
    The head was trained on the last layer alone: what it reads in the others is what they already hold in its form.
    """
    head = token_head(reader)
    with torch.inference_mode(), one_thread():
        ids, segments, real = pad(reader, [p.tokens for p in places])
        flat = [row * ids.shape[1] + i for row, p in enumerate(places) for i in p.positions]
        keep = torch.tensor(flat, device=ids.device)
        output = reader.network.encoder(ids, segments, real, need_states=every, keep=keep)
        below = [h.flatten(0, 1)[keep] for h in output.hidden_states[:-1]]
        return torch.stack([head(h).float() for h in [*below, output.last]])
