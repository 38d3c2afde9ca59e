"""BERT fused into the encoder-decoder: its frozen states as a second memory, and a warm start from the plain network.

H_B = BERT(x), the last layer. Each encoder layer takes 1/2 (attn_S + attn_B), each decoder layer
1/2 (attn_B + attn_E), before its feed-forward part (Zhu et al. 2020, section 4.2). BERT reads the
sentence in tokens of its own; the two cuts meet in attention, not in number.
"""

from __future__ import annotations

import torch
from torch import Tensor

from embeddings.errors import CheckpointError
from embeddings.models.heads import PretrainingNetwork
from embeddings.models.translation import TranslationNetwork
from embeddings.transformer.decoder import Memory, as_memory


@torch.inference_mode()
def bert_memory(bert: PretrainingNetwork, input_ids: Tensor, real: Tensor) -> Memory:
    """Return BERT's last layer for a batch of sources.

    Parameters
    ----------
    input_ids : LongTensor, shape (batch, tokens)
        [CLS] source [SEP], in BERT's own tokens.
    real : BoolTensor, shape (batch, tokens)
        False at padding.
    """
    states = bert.encoder(input_ids, attention_mask=real).last
    return as_memory(states, real)


def warm_start(fused: TranslationNetwork, plain: TranslationNetwork) -> tuple[str, ...]:
    """Give the fused network the weights of the plain one; return the names of those that stay fresh.

    Raises
    ------
    CheckpointError
        If the plain network is of another size, or has a weight that the fused one lacks.
    """
    own = fused.state_dict()
    given = plain.state_dict()
    for name, tensor in given.items():
        if name not in own:
            raise CheckpointError("checkpoint_unknown_weight", path="warm_start", name=name)
        if own[name].shape != tensor.shape:
            raise CheckpointError(
                "checkpoint_shape",
                path="warm_start",
                name=name,
                found=tuple(tensor.shape),
                expected=tuple(own[name].shape),
            )
    fused.load_state_dict(given, strict=False)
    return tuple(name for name in own if name not in given)
